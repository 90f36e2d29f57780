"""The context: what a handler can do while it works.

Every call here is a step: made once, recorded by the engine, and given back from the record when
the handler is run again after a crash, or after it waited for somebody. So a handler is plain
code. It makes its calls in the same order each time it is run; what could differ between runs
(the time, a random number, a model's output) goes through `ctx.step`.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import TYPE_CHECKING, Literal, TypeVar

from .acts import Ask
from .delegation import Branch, Opening, Quorum, milliseconds
from .errors import AskClosed, AskExpired, AskRefused, ConcurrentCalls, UnexpectedAnswer
from .lease import Assignment
from .parts import Artifact, ArtifactRef, Content, Json, to_parts
from .receipt import Receipt
from .reply import Answer, Replies, Reply
from .steps import Names

if TYPE_CHECKING:
    from .run import Run

T = TypeVar("T")


class Context:
    """What one run of a handler can do. Its calls are made one after the other."""

    def __init__(
        self, run: Run, *, handling: str | None = None, handled: tuple[str, ...] = ()
    ) -> None:
        self._run = run
        self._names = Names()
        self._handling = handling
        self._handled = handled
        self._running: str | None = None

    @property
    def task(self) -> Assignment:
        """The task at hand; the same that the handler was given."""
        return Assignment.of(self._run.lease)

    async def agree(self, *, step: str | None = None) -> None:
        """Takes the task on. The first progress or delegation does so too."""
        with self._calling("agree"):
            receipt, _ = await self._step("agree", {}, step, ("said",))
            receipt.expect("said")

    async def progress(
        self, content: Content, *, needs_credential: bool = False, step: str | None = None
    ) -> None:
        """Tells whoever asked how far the work is. With `needs_credential` the task waits for one,
        out of band, and is `awaiting-authorization` until the next progress without it."""
        with self._calling("progress"):
            body: dict[str, Json] = {"parts": to_parts(content).wire()}
            if needs_credential:
                body["needs_credential"] = True
            receipt, _ = await self._step("progress", body, step, ("said",))
            receipt.expect("said")

    async def delegate(
        self,
        to: str,
        content: Content = None,
        *,
        performative: Opening = "request",
        contract: str | Mapping[str, Json] | None = None,
        deadline: timedelta | None = None,
        work_id: str | None = None,
        parent_work_id: str | None = None,
        conversation: str | None = None,
        new_conversation: bool = False,
        not_equivalent: str | None = None,
        artifacts: Sequence[Artifact] = (),
        step: str | None = None,
    ) -> Reply:
        """Asks one agent, and waits for its answer without holding anything.

        Returns the `Reply`, also if it is a refuse or a failure; `.require()` raises then. To an
        `inform` no answer is due: it returns at once. `to` is the name of an agent, or for an
        inform also a principal. Where an equivalent request was refused `already-committed`,
        `not_equivalent` says why this one differs.
        """
        branch = Branch(
            to=to,
            content=content,
            performative=performative,
            contract=contract,
            deadline=deadline,
            work_id=work_id,
            parent_work_id=parent_work_id,
            conversation=conversation,
            new_conversation=new_conversation,
            not_equivalent=not_equivalent,
            artifacts=artifacts,
        )
        with self._calling("delegate"):
            outcomes = ("accepted", "notified")
            receipt, _ = await self._step("delegate", branch.wire(), step, outcomes)
            if receipt.refusal is not None:
                return Reply.by(receipt.refusal, receipt.task, receipt.prompt)
            receipt.expect(*outcomes)
            if receipt.outcome == "notified" or performative == "inform":
                return Reply.absent(receipt.task)
            task = receipt.must_task()
            if not task.ended:
                met = await self._run.park({"tasks": [task.id]}, self._handled)
                task = next((one for one in met.tasks if one.id == task.id), task)
                if not task.ended:
                    raise UnexpectedAnswer(f"parking on {task.id} was met, and it has not ended")
            return Reply.of(task)

    async def delegate_all(
        self,
        branches: Sequence[Branch],
        *,
        mode: Literal["all"] | Quorum = "all",
        deadline: timedelta | None = None,
        keep_rest: bool = False,
        step: str | None = None,
    ) -> Replies:
        """Asks several agents at once and waits until all have answered.

        With `mode=quorum(n)` it waits for n results, or until they can no longer come; with
        `deadline` no longer than that. Branches that have not ended by then are closed, or go on
        with `keep_rest`, and have a reply whose `performative` is None. Raises `Refused` if there
        are no or too many branches; a single refused branch is a reply like any other.
        """
        with self._calling("delegate_all"):
            wire = mode.wire() if isinstance(mode, Quorum) else mode
            receipt = await self._fan_out(branches, wire, deadline, keep_rest, step)
            group = receipt.must_group()
            if not group.fired:
                met = await self._run.park({"group": group.id}, self._handled)
                receipt, group = met, met.must_group()
                if not group.fired:
                    raise UnexpectedAnswer(f"parking on {group.id} was met, and it has not fired")
            return Replies(group, receipt.branches)

    async def delegate_each(
        self,
        branches: Sequence[Branch],
        *,
        deadline: timedelta | None = None,
        keep_rest: bool = False,
        step: str | None = None,
    ) -> AsyncIterator[Reply]:
        """Asks several agents at once and yields each reply as it arrives.

        A later run gets them in the same order. `Reply.branch` tells whose it is. Ends when all
        have answered, or at the deadline. Other calls may be made between two replies.
        """
        with self._calling("delegate_each"):
            receipt = await self._fan_out(branches, "each", deadline, keep_rest, step)
        yielded: set[int] = set()
        while True:
            group = receipt.must_group()
            arrived = Replies(group, receipt.branches).arrived
            for reply in arrived:
                if reply.branch not in yielded:
                    yielded.add(reply.branch)
                    yield reply
            if group.fired or len(yielded) == len(branches):
                return
            with self._calling("delegate_each"):
                on = {"group": group.id, "seen": group.ended}
                receipt = await self._run.park(on, self._handled)
                new = receipt.must_group()
                if not new.fired and new.ended <= group.ended:
                    raise UnexpectedAnswer(f"parking on {new.id} was met, and nothing is new")

    async def ask(
        self, content: Content, *, deadline: timedelta | None = None, step: str | None = None
    ) -> Answer:
        """Asks whoever made the request what is meant, and waits for the answer.

        Raises `AskRefused`, `AskExpired` or `AskClosed` where there is none, and `Refused` if the
        question itself was refused (`too-many-rounds`).
        """
        with self._calling("ask"):
            body: dict[str, Json] = {"parts": to_parts(content).wire()}
            if deadline is not None:
                body["deadline_ms"] = milliseconds(deadline)
            receipt, made_now = await self._step("ask", body, step, ("asked",))
            ask = receipt.expect("asked").must_ask()
            if made_now:
                # Asking parks in the same transaction: this lease is over, whatever came since.
                raise self._run.suspend()
            if ask.state == "open":
                ask = (await self._run.park({"ask": ask.id}, self._handled)).must_ask()
            return _answered(ask)

    async def step(self, name: str, work: Callable[[], Awaitable[T]]) -> T:
        """Runs `work` once and records what it returns, a JSON value; later runs get the record.

        If the process dies between the two, `work` is run again: hand outside systems the task's
        `effect_key`. What is returned is the value as JSON keeps it, in the first run too.
        """
        with self._calling("step"):
            await asyncio.sleep(0)
            full = self._names.explicit(name)
            receipt = self._run.find(full, ("recorded",), self._handling)
            if receipt is None:
                body = {"value": await work()}
                self._run.check()
                receipt, _ = await self._run.step(
                    "record", body, full, ("recorded",), self._handling
                )
            value: T = receipt.expect("recorded").value
            return value

    async def fetch(self, artifact: ArtifactRef) -> bytes:
        """The bytes of an artifact that came with an act of this root. Not a step."""
        self._run.check()
        return await self._run.operations.artifact(self.task.root, artifact.digest)

    async def _fan_out(
        self,
        branches: Sequence[Branch],
        mode: Json,
        deadline: timedelta | None,
        keep_rest: bool,
        step: str | None,
    ) -> Receipt:
        body: dict[str, Json] = {"branches": [one.wire() for one in branches], "mode": mode}
        if deadline is not None:
            body["deadline_ms"] = milliseconds(deadline)
        if keep_rest:
            body["keep_rest"] = True
        receipt, _ = await self._step("delegate_all", body, step, ("fanned-out",))
        return receipt.expect("fanned-out")

    async def _step(
        self,
        operation: str,
        body: Mapping[str, Json],
        step: str | None,
        outcomes: tuple[str, ...],
    ) -> tuple[Receipt, bool]:
        # A recorded step is answered without waiting; a call made beside it is to be noticed too.
        await asyncio.sleep(0)
        if step is None:
            name = self._names.default(operation, body)
        else:
            name = self._names.explicit(step)
        return await self._run.step(operation, body, name, outcomes, self._handling)

    @contextmanager
    def _calling(self, call: str) -> Iterator[None]:
        """Holds off a second call while one is under way."""
        self._run.check()
        if self._running is not None:
            error = ConcurrentCalls(self._running, call)
            self._run.end(error)
            raise error
        self._running = call
        try:
            yield
        finally:
            self._running = None


def _answered(ask: Ask) -> Answer:
    answer = Answer.of(ask)
    if answer is not None:
        return answer
    if ask.state == "expired":
        raise AskExpired(ask.id)
    if ask.state == "closed":
        raise AskClosed(ask.id)
    if ask.state == "refused":
        raise AskRefused(ask.answer)
    raise UnexpectedAnswer(f"{ask.id} was to have an answer, and is `{ask.state}`")


