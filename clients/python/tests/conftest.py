"""The server that the tests talk to: the real binary, started as `tertulia dev`."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import IO
from uuid import uuid4

import pytest

from house import House
from tertulia import Client

START_SECONDS = 30.0


def _first_line(stream: IO[str]) -> str:
    """The first line of a stream, or nothing if it takes too long."""
    lines: list[str] = []
    reader = threading.Thread(target=lambda: lines.append(stream.readline()), daemon=True)
    reader.start()
    reader.join(START_SECONDS)
    return lines[0] if lines else ""


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of a server that lives as long as the tests."""
    binary = os.environ.get("TERTULIA_BIN")
    if not binary:
        pytest.fail(
            "TERTULIA_BIN is not set: it names the binary that these tests start. "
            "Run `cargo xtask test`, or `cargo build` and set it to target/debug/tertulia.",
            pytrace=False,
        )
    folder = tmp_path_factory.mktemp("house")
    with (folder / "stderr.txt").open("w") as errors:
        process = subprocess.Popen(
            [binary, "dev", "--port", "0", "--data", str(folder / "data"), "--json"],
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
    assert process.stdout is not None
    try:
        line = _first_line(process.stdout)
        if not line:
            told = (folder / "stderr.txt").read_text()
            pytest.fail(f"`tertulia dev` did not say where it listens:\n{told}", pytrace=False)
        yield str(json.loads(line)["url"])
    finally:
        process.terminate()
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()


@pytest.fixture
async def house(server: str, tmp_path: Path) -> AsyncIterator[House]:
    """The server as one test uses it: names of its own, workers that end with the test."""
    async with Client(server) as client, asyncio.timeout(120):
        house = House(server, client, tmp_path, uuid4().hex[:8])
        try:
            yield house
        finally:
            await house.close()
