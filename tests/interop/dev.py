"""`tertulia dev` and other programs that say in their first line where they listen."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

START_SECONDS = 60.0
STOP_SECONDS = 15.0


class NotStarted(Exception):
    """A program ended, or was silent, before it said where it listens."""


class Program:
    """A program in a process of its own, whose first line of output is a JSON object."""

    def __init__(self, command: Sequence[str | Path], errors: Path) -> None:
        self.errors = errors
        with errors.open("a") as file:
            self._process = subprocess.Popen(
                [str(part) for part in command],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=file,
                text=True,
            )
        try:
            self.said: Mapping[str, Any] = json.loads(self.line())
        except BaseException as error:
            self.kill()
            if isinstance(error, (ValueError, NotStarted)):
                raise NotStarted(f"{command}: {error}\n{errors.read_text()}") from error
            raise

    @property
    def pid(self) -> int:
        """The id of its process."""
        return self._process.pid

    def line(self) -> str:
        """Its next line of output."""
        lines: list[str] = []
        stream = self._process.stdout
        assert stream is not None
        reader = threading.Thread(target=lambda: lines.append(stream.readline()), daemon=True)
        reader.start()
        reader.join(START_SECONDS)
        if not lines or not lines[0]:
            raise NotStarted("it said nothing")
        return lines[0]

    def stop(self) -> None:
        """SIGTERM; SIGKILL if that does not end it."""
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self._process.kill()
        self._end()

    def kill(self) -> None:
        """SIGKILL, if it still runs."""
        if self._process.poll() is None:
            self._process.kill()
        self._end()

    def _end(self) -> None:
        self._process.wait()
        if self._process.stdout is not None and not self._process.stdout.closed:
            self._process.stdout.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()


class Dev(Program):
    """A running `tertulia dev`, with its data below `folder`."""

    def __init__(self, folder: Path, *arguments: str | Path) -> None:
        command = [binary(), "dev", "--port", "0", "--data", folder / "data", "--json", *arguments]
        super().__init__(command, folder / "tertulia.stderr")
        self.url = str(self.said["url"])


def binary() -> str:
    """The binary that these tests start."""
    named = os.environ.get("TERTULIA_BIN")
    if not named:
        raise NotStarted(
            "TERTULIA_BIN is not set: it names the binary that these tests start. "
            "Run `cargo xtask test`, or `cargo build` and set it to target/debug/tertulia."
        )
    return named
