"""What the interop tests share: servers, programs of peers, and the recorded run."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path

import pytest

from dev import Dev, NotStarted, Program
from tertulia import Client

# Its comparisons are to be explained like those of a test.
pytest.register_assert_rewrite("recording")

from recording import Recording  # noqa: E402

FOLDER = Path(__file__).parent
PATIENCE = 120.0
"""What one test may take, in seconds. None of them waits for a time to pass."""


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Dev]:
    """A server with the agent of `agents/`, as long as the tests."""
    folder = tmp_path_factory.mktemp("house")
    try:
        dev = Dev(folder, "--agents", FOLDER / "agents", "--default-agent", "helper")
    except NotStarted as error:
        pytest.fail(str(error), pytrace=False)
    with dev:
        yield dev


@pytest.fixture
async def house(server: Dev) -> AsyncIterator[Client]:
    """The native client of the person at that server."""
    async with Client(server.url) as client, asyncio.timeout(PATIENCE):
        yield client


@pytest.fixture(scope="session")
def recording() -> Iterator[Recording]:
    """The recorded run of the official client."""
    recording = Recording(FOLDER / "recorded" / "a2a_client.jsonl")
    yield recording
    recording.close()


PeerStarter = Callable[..., Program]


@pytest.fixture
def peer(tmp_path: Path) -> Iterator[PeerStarter]:
    """Starts programs of `peers/`, which end with the test."""
    started: list[Program] = []

    def start(program: str, *arguments: str) -> Program:
        command: list[str | Path] = [sys.executable, FOLDER / "peers" / f"{program}.py"]
        command.extend(arguments)
        running = Program(command, tmp_path / f"{program}.stderr")
        started.append(running)
        return running

    yield start
    for running in started:
        running.kill()
