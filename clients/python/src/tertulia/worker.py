"""The worker: claims leases of one agent and runs its handler on them."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from collections.abc import Sequence
from typing import TypeVar

from .claim import Claim
from .drain import serve
from .execution import Execution
from .errors import ApiError, NotServed, TertuliaError, UnexpectedAnswer
from .heartbeat import Heartbeat
from .lease import Lease
from .run import Handler, Handlers, QuestionHandler
from .transport import Transport

log = logging.getLogger("tertulia")

PAUSE_AFTER_ERROR = 2.0
"""After an error of the server that is none of the worker's, in seconds."""
LAST_CLAIM_FOR = 3.0
"""How long a drain tries to learn what its interrupted claim was given, in seconds."""
LAST_WORDS = 10.0
"""How long ending the runs may take after the drain timeout, in seconds."""

H = TypeVar("H", bound=Handler)
Q = TypeVar("Q", bound=QuestionHandler)


class Worker:
    """A program that an agent's work is done by.

    ```python
    worker = Worker(agent="logs", url="http://127.0.0.1:7411", key=key)

    @worker.handler
    async def work(ctx: Context, task: Assignment) -> str:
        return f"you said: {task.text}"

    asyncio.run(worker.run())
    ```

    `concurrency` is how many leases it holds at once; what waits for others holds none. A handler
    that computes for long without awaiting keeps the heartbeats back: use `asyncio.to_thread`.
    """

    def __init__(
        self,
        agent: str,
        *,
        url: str,
        key: str | None = None,
        concurrency: int = 8,
        versions: Sequence[str] = (),
        name: str | None = None,
        drain_timeout: float = 25.0,
        poll: float = 30.0,
    ) -> None:
        """`versions` names the digests it serves (any, if empty); times are in seconds."""
        if concurrency < 1:
            raise ValueError("concurrency must be at least 1")
        self.agent = agent.removeprefix("agent:")
        self.name = name or f"{socket.gethostname()}/{os.getpid()}"
        self._url = url
        self._key = key
        self._concurrency = concurrency
        self._versions = tuple(versions)
        self._drain_timeout = drain_timeout
        self._poll = poll
        self._handlers = Handlers()
        self._executions: set[Execution] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._draining = asyncio.Event()
        self._hurried = asyncio.Event()
        self._freed = asyncio.Event()

    def handler(self, handler: H) -> H:
        """Decorates `async def handler(ctx, task)`, which does the work."""
        self._handlers.handler = handler
        return handler

    def consult(self, consult: H) -> H:
        """Decorates `async def consult(ctx, task)`, which answers consultations (folds).

        It answers, read-only, from `task.history`. Without it they are declined `no-consult`.
        """
        self._handlers.consult = consult
        return consult

    def on_question(self, on_question: Q) -> Q:
        """Decorates `async def on_question(ctx, question)`: answers those whom this agent asked.

        Without it questions are passed on to whoever made the request, and answered with what
        they say. Raise `Decline` to answer with a refusal.
        """
        self._handlers.on_question = on_question
        return on_question

    async def run(self) -> None:
        """Works until SIGTERM or SIGINT, then drains. For several workers use `serve`."""
        await serve(self)

    def stop(self) -> None:
        """Drains: claims nothing more, lets handlers finish until the drain timeout."""
        self._draining.set()

    def hurry(self) -> None:
        """Drains without waiting for handlers: their leases are given back now."""
        self._draining.set()
        self._hurried.set()

    async def work(self) -> None:
        """Works until `stop` is called and everything has ended or was given back.

        Raises `NotServed` if the agent is not there or is another's, and `ApiError` if the server
        does not let this worker claim at all.
        """
        if self._handlers.handler is None:
            raise TertuliaError(f"the worker of {self.agent} has no handler: decorate one")
        transport = Transport(self._url, self._key)
        heartbeat = asyncio.create_task(
            Heartbeat(transport, self._executions).beat_forever(), name="heartbeat"
        )
        try:
            try:
                await self._claim_until_drained(transport)
            finally:
                await self._drain()
        finally:
            heartbeat.cancel()
            await asyncio.wait({heartbeat})
            await transport.close()

    async def _claim_until_drained(self, transport: Transport) -> None:
        log.info("%s claims for agent:%s", self.name, self.agent)
        while not self._draining.is_set():
            free = self._concurrency - len(self._executions)
            if free <= 0:
                self._freed.clear()
                await _first(self._freed, self._draining)
                continue
            claim = Claim(self.agent, min(free, 64), self.name, self._versions)
            try:
                leases = await self._claim(transport, claim)
            except UnexpectedAnswer as error:
                log.error("%s", error)
                await asyncio.sleep(PAUSE_AFTER_ERROR)
                continue
            except ApiError as error:
                if error.status == 404:
                    raise self._not_served(error) from None
                if error.status < 500:
                    raise
                log.error("the claim failed: %s", error)
                await asyncio.sleep(PAUSE_AFTER_ERROR)
                continue
            for lease in leases:
                self._begin(lease, transport)

    def _not_served(self, error: ApiError) -> NotServed:
        return NotServed(
            error.status,
            error.code,
            f"there is no agent:{self.agent} at {self._url} that this worker may serve. If it is not "
            "there yet, add its definition: `tertulia agents add FILE` (or `Client.register`). If it "
            "is, its owner is another: use a key of the agent or of its owner, and with `tertulia "
            "dev` let the owner be user:dev",
        )

    async def _claim(self, transport: Transport, claim: Claim) -> list[Lease]:
        """Waits for leases. When the drain begins meanwhile, those that come are still taken."""
        polling = asyncio.create_task(claim.send(transport, self._poll))
        draining = asyncio.create_task(self._draining.wait())
        try:
            await asyncio.wait({polling, draining}, return_when=asyncio.FIRST_COMPLETED)
            if polling.done():
                return polling.result()
        finally:
            draining.cancel()
            polling.cancel()
        # The answer may have been on its way: the same claim again tells, and asks for no more.
        try:
            leases = await claim.send(transport, 0.0, repeat_for=LAST_CLAIM_FOR)
        except TertuliaError as error:
            log.warning("what the last claim was given is not known: %s", error)
            return []
        for lease in leases:
            await Execution(lease, transport, self._handlers).give_back()
        return []

    def _begin(self, lease: Lease, transport: Transport) -> None:
        execution = Execution(lease, transport, self._handlers)
        self._executions.add(execution)
        task = asyncio.create_task(execution.work(), name=f"run of {lease.task.id}")
        self._tasks.add(task)

        def ended(task: asyncio.Task[None]) -> None:
            self._tasks.discard(task)
            self._executions.discard(execution)
            self._freed.set()

        task.add_done_callback(ended)

    async def _drain(self) -> None:
        """Lets handlers finish, then gives back what is still held."""
        self._draining.set()
        tasks = set(self._tasks)
        if not tasks:
            return
        log.info("draining: %d runs are at work", len(tasks))
        hurried = asyncio.create_task(self._hurried.wait())
        ended = asyncio.create_task(asyncio.wait(tasks))
        await asyncio.wait(
            {hurried, ended}, timeout=self._drain_timeout, return_when=asyncio.FIRST_COMPLETED
        )
        hurried.cancel()
        for execution in list(self._executions):
            execution.release()
        await asyncio.wait({ended}, timeout=LAST_WORDS)
        ended.cancel()
        for task in list(self._tasks):
            # The server cannot be reached; the engine sweeps these leases and goes on without.
            log.warning("%s is left behind", task.get_name())
            task.cancel()


async def _first(*events: asyncio.Event) -> None:
    """Waits until one of the events is set."""
    waits = [asyncio.create_task(event.wait()) for event in events]
    try:
        await asyncio.wait(waits, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for wait in waits:
            wait.cancel()
