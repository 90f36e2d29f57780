"""What the tests do with a server: agents with names of their own, workers, programs."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

from tertulia import Ask, Client, Task, Worker
from tertulia.parts import Json

DEFINITION = """---
name: {name}
description: {description}
owner: user:dev
skills:
  - id: test
    description: Takes part in a test.
    tags: [test]
runner: worker
---

You take part in a test.
"""

PROGRAMS = Path(__file__).parent / "programs"


class House:
    """A server, seen by one test."""

    def __init__(self, url: str, client: Client, folder: Path, suffix: str) -> None:
        self.url = url
        self.client = client
        self.folder = folder
        self._suffix = suffix
        self._working: list[tuple[Worker, asyncio.Task[None]]] = []
        self._programs: list[Program] = []

    def name(self, agent: str) -> str:
        """The name of an agent in this test, without `agent:`."""
        return f"{agent}-{self._suffix}"

    def party(self, agent: str) -> str:
        """Whom acts for an agent of this test are sent to."""
        return f"agent:{self.name(agent)}"

    async def agent(self, agent: str) -> Worker:
        """Registers an agent and returns a worker for it, without a handler yet."""
        name = self.name(agent)
        await self.client.register(
            name, DEFINITION.format(name=name, description=f"Plays {agent}.")
        )
        return Worker(name, url=self.url, poll=5.0, drain_timeout=5.0)

    def start(self, *workers: Worker) -> None:
        """Has workers work until the test ends."""
        for worker in workers:
            self._working.append((worker, asyncio.create_task(worker.work())))

    def program(self, program: str, agent: str, *arguments: str) -> Program:
        """Starts a worker as a process of its own, which notes what it does in `notes`."""
        started = Program(self, program, self.name(agent), arguments)
        self._programs.append(started)
        return started

    async def done(self, to: str, content: Json, state: str = "done") -> Task:
        """Sends a request, waits for its end and checks how it ended."""
        sent = await self.client.send(self.party(to), content)
        task = await self.client.wait(sent.task.id)
        assert task.state == state, task.raw
        return task

    async def asked(self) -> Ask:
        """Waits until somebody of this test asks the principal something."""
        while True:
            for ask in await self.client.asks():
                if ask.question.sender.endswith(self._suffix):
                    return ask
            await asyncio.sleep(0.05)

    async def close(self) -> None:
        """Ends everything that the test started."""
        for program in self._programs:
            program.kill()
        for worker, _ in self._working:
            worker.hurry()
        ends = await asyncio.gather(*(task for _, task in self._working), return_exceptions=True)
        assert [end for end in ends if end is not None] == []


class Program:
    """A worker in a process of its own."""

    def __init__(
        self, house: House, program: str, agent: str, arguments: tuple[str, ...]
    ) -> None:
        self._notes = house.folder / "notes.txt"
        self._notes.touch()
        command = [
            sys.executable,
            str(PROGRAMS / f"{program}.py"),
            house.url,
            agent,
            str(self._notes),
            *arguments,
        ]
        self.process = subprocess.Popen(command)

    def notes(self) -> list[str]:
        """What all programs of this test have noted, in order."""
        return self._notes.read_text().splitlines()

    async def noted(self, note: str) -> None:
        """Waits until the program has noted something."""
        while note not in self.notes():
            assert self.process.poll() is None, f"the program ended before it noted `{note}`"
            await asyncio.sleep(0.02)

    async def ended(self) -> int:
        """Waits for its end and returns its exit code."""
        return await asyncio.to_thread(self.process.wait, 60)

    def kill(self) -> None:
        """SIGKILL, if it still runs."""
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
