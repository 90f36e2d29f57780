"""One run of a handler under one lease: its steps, its parking, and the questions it meets."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from .acts import Ask
from .context import Context
from .errors import (
    Decline,
    HopFinished,
    LeaseLost,
    Refused,
    ReplayDiverged,
    RunOver,
    Suspended,
)
from .lease import Assignment, Lease
from .operations import Operations
from .parts import Content, Json, Parts, Result, to_parts
from .receipt import Receipt
from .steps import Journal, described, recorded_as

log = logging.getLogger("tertulia")

Handler: TypeAlias = Callable[[Context, Assignment], Awaitable["Content | Result"]]
"""`async def handler(ctx, task)`; what it returns is the reply."""
QuestionHandler: TypeAlias = Callable[[Context, Ask], Awaitable[Content]]
"""`async def on_question(ctx, question)`; what it returns is the answer."""


async def ask_upwards(ctx: Context, question: Ask) -> Parts:
    """What happens to a question where the worker has no `on_question`: it is passed on."""
    return (await ctx.ask(question.parts)).parts


@dataclass(slots=True)
class Handlers:
    """What an agent's program consists of."""

    handler: Handler | None = None
    consult: Handler | None = None
    on_question: QuestionHandler = ask_upwards


class Run:
    """What the contexts of one run share."""

    def __init__(self, lease: Lease, operations: Operations, handlers: Handlers) -> None:
        self.lease = lease
        self.operations = operations
        self.journal = Journal(lease.steps)
        self.over: BaseException | None = None
        """Why nothing more can be done in this run: each later call raises it again."""
        self._handlers = handlers

    async def work(self) -> Content | Result:
        """Answers the questions that wait, then runs the handler from its beginning."""
        for ask in self.lease.questions:
            await self.answer(ask, ())
        fold = self.lease.task.fold
        handler = self._handlers.consult if fold else self._handlers.handler
        if handler is None:
            raise RunOver("this worker has no handler")
        return await handler(Context(self), Assignment.of(self.lease))

    @property
    def can_work(self) -> bool:
        """Whether there is a handler for what the lease is about."""
        return not self.lease.task.fold or self._handlers.consult is not None

    def check(self) -> None:
        """Raises what ended the run, if something did."""
        if self.over is not None:
            raise self.over

    def end(self, why: BaseException) -> None:
        """Nothing more is to be done in this run; the first reason stays."""
        if self.over is None:
            self.over = why

    async def step(
        self,
        operation: str,
        body: Mapping[str, Json],
        name: str,
        outcomes: tuple[str, ...],
        handling: str | None,
    ) -> tuple[Receipt, bool]:
        """The receipt of a step, and whether it was made just now rather than recorded."""
        recorded = self.find(name, outcomes, handling)
        if recorded is not None:
            return recorded, False
        read = () if handling else self.journal.unreported()
        try:
            receipt = await self._do(operation, body, name, handling, read)
        except ReplayDiverged as diverged:
            unread = self.journal.unread()
            error = ReplayDiverged.of(
                described(unread[0]) if unread else "a step that this worker does not know",
                f"step `{name}` ({operation})",
                more=len(unread) - 1,
            )
            self.end(error)
            raise error from None
        self.journal.report(read)
        return receipt, True

    def find(
        self, name: str, outcomes: tuple[str, ...], handling: str | None
    ) -> Receipt | None:
        """The receipt of a step that was recorded before this run."""
        try:
            step = self.journal.find(recorded_as(name, handling), outcomes)
        except ReplayDiverged as diverged:
            self.end(diverged)
            raise
        return step.receipt if step else None

    def suspend(self) -> Suspended:
        """The lease has ended by parking: the exception to raise."""
        suspended = Suspended()
        self.end(suspended)
        return suspended

    async def park(self, on: Mapping[str, Json], handled: tuple[str, ...]) -> Receipt:
        """Waits without holding the lease: raises `Suspended`, unless what is waited for is there.

        If a child waits for this task's answer, its question is answered first (SEMANTICS 7).
        `handled` are the asks in whose handling this happens.
        """
        while True:
            receipt = await self._do("park", on)
            if receipt.outcome == "parked":
                raise self.suspend()
            refusal = receipt.refusal
            if refusal is None:
                return receipt.expect("met")
            asked: list[str] = list(refusal.detail.get("asks") or ())
            asks = [ask for ask in asked if ask not in handled]
            if refusal.reason != "would-deadlock" or not asks:
                raise Refused.by(refusal)
            for ask in asks:
                await self.answer(await self.operations.ask(ask), handled)

    async def answer(self, ask: Ask, handled: tuple[str, ...]) -> None:
        """Has a question answered by `on_question`, unless an earlier run did."""
        if ask.state != "open" or self.journal.answered(ask.id):
            return
        body: dict[str, Json] = {"ask": ask.id}
        try:
            content = await self._handlers.on_question(
                Context(self, handling=ask.id, handled=(*handled, ask.id)), ask
            )
            self.check()
            body["parts"] = to_parts(content).wire()
        except Decline as declined:
            body |= {"refuse": True, "parts": to_parts(declined.content).wire()}
        except Refused as refused:
            # What it needed for the answer was refused; so is the answer, for the same reason.
            body |= {"refuse": True, "parts": to_parts(str(refused)).wire()}
        receipt = await self._do("answer", body, f"answer/{ask.id}")
        if receipt.refusal is not None:
            # Closed or expired meanwhile: its asker no longer waits for this.
            log.info("the answer to %s was refused: %s", ask.id, receipt.refusal.reason)
        self.journal.note_answered(ask.id)

    async def _do(
        self,
        operation: str,
        body: Mapping[str, Json],
        step: str | None = None,
        handling: str | None = None,
        steps_read: tuple[int, ...] = (),
    ) -> Receipt:
        try:
            return await self.operations.do(
                operation, body, step=step, handling=handling, steps_read=steps_read
            )
        except (LeaseLost, HopFinished) as lost:
            self.end(lost)
            raise
