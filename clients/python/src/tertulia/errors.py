"""What can go wrong, and what a handler raises to say how its task ends.

Three kinds are kept apart:

- `ApiError` and below: the call itself could not be carried out (an RFC 9457 problem).
- `Refused` and below: a decision of governance came back as an act with a reason code.
- `Decline` and `Retry`: a handler raises these itself.

`Suspended` is none of them: it ends a run whose activation has parked, and goes through
`except Exception` on purpose.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .acts import Act
    from .parts import Content
    from .reply import Reply


class TertuliaError(Exception):
    """Every error that this package raises on its own account."""


class ApiError(TertuliaError):
    """The call could not be carried out: a status other than 200, with its problem.

    `code` is the last part of the problem's type, as in `urn:tertulia:problem:<code>`.
    """

    def __init__(self, status: int, code: str, detail: str) -> None:
        super().__init__(f"{code} (status {status}): {detail}")
        self.status = status
        self.code = code
        self.detail = detail


class LeaseLost(ApiError):
    """The lease was swept: no heartbeat came in time, and the task goes to another attempt."""


class HopFinished(ApiError):
    """The lease has ended, and its last operation was another one."""


class NotServed(ApiError):
    """The agent that a worker wants to work for is not known, or this key may not serve it."""


class ReplayDiverged(ApiError):
    """This run of the handler is not the one that was recorded; nothing was sent.

    `made` is the step that this run made, `expected` the recorded one that it should have come to
    first. The text says what to do about it.
    """

    def __init__(
        self, status: int, code: str, detail: str, *, expected: str = "", made: str = ""
    ) -> None:
        super().__init__(status, code, detail)
        self.expected = expected
        self.made = made

    @classmethod
    def of(cls, expected: str, made: str, more: int = 0) -> ReplayDiverged:
        """A run that made one step where another was recorded, and `more` after that."""
        unread = f" (and {more} more after it)" if more > 0 else ""
        return cls(
            409,
            "replay-diverged",
            f"expected {expected}{unread}, which an earlier run of this handler made; this run "
            f"made {made} instead, and nothing was sent. A handler makes the same calls in the "
            "same order in every run. If what it calls depends on the time, on chance or on a "
            "model, record that value first with `ctx.step(name, fn)`, or give the call a name "
            "with `step=`. If its code was changed while the task waited, run the old code until "
            "such tasks have ended, or give the agent's definition a new version with the new code",
            expected=expected,
            made=made,
        )


class Unreachable(TertuliaError):
    """The server could not be reached, or was too busy, for as long as the caller would wait."""


class UnexpectedAnswer(TertuliaError):
    """The server answered what its contract does not have."""


class ConcurrentCalls(TertuliaError):
    """Two calls of one context were under way at the same time."""

    def __init__(self, running: str, second: str) -> None:
        super().__init__(
            f"`{second}` was called while `{running}` was under way: the steps of a handler are "
            "made one after the other. To ask several agents at once use `ctx.delegate_all` or "
            "`ctx.delegate_each` instead of asyncio.gather; and the function that `ctx.step` runs "
            "makes no steps of its own"
        )


class StepNameReused(TertuliaError):
    """A run used one explicit step name twice."""

    def __init__(self, name: str) -> None:
        super().__init__(
            f"step `{name}` was made already in this run: give each step a name of its own, for "
            'example with a number in it, as in f"fetch-{page}"'
        )


class RunOver(TertuliaError):
    """The run that a context belongs to has ended; nothing more can be done through it."""


class Refused(TertuliaError):
    """An act was refused, or what it asked for failed, for a reason of governance."""

    def __init__(self, reason: str, message: str, detail: Mapping[str, Any] | None = None) -> None:
        super().__init__(f"{reason}: {message}" if message else reason)
        self.reason = reason
        self.message = message
        self.detail: Mapping[str, Any] = detail or {}

    @classmethod
    def by(cls, act: Act) -> Refused:
        """From the act that says so."""
        return cls(act.reason or act.performative, act.message or act.text, act.detail)


class Declined(Refused):
    """`Reply.require` met an answer that is no result. `reply` is that answer."""

    def __init__(self, reply: Reply) -> None:
        super().__init__(reply.reason or "no-result", reply.message or reply.text, reply.detail)
        self.reply = reply


class AskRefused(Refused):
    """Whoever was asked declined to answer. `text` is what they said."""

    def __init__(self, act: Act | None) -> None:
        text = act.text if act else ""
        super().__init__((act and act.reason) or "declined", text, act.detail if act else None)
        self.text = text


class AskExpired(Refused):
    """Nobody answered the question in time."""

    def __init__(self, ask: str) -> None:
        super().__init__("ask-expired", f"nobody answered {ask} in time", {"ask": ask})


class AskClosed(Refused):
    """The question was closed before it was answered."""

    def __init__(self, ask: str) -> None:
        super().__init__("ask-closed", f"{ask} was closed before it was answered", {"ask": ask})


class Decline(TertuliaError):
    """Raised by a handler: it does not take the task on, or does not answer the question.

    A task that was agreed to can no longer be declined; it is then failed with the same words.
    """

    def __init__(self, content: Content = "") -> None:
        super().__init__(content if isinstance(content, str) else repr(content))
        self.content = content


class Retry(TertuliaError):
    """Raised by a handler: this attempt is given up, and another is to be made later."""


class Suspended(BaseException):
    """The activation has parked and its lease has ended; a later run goes on from the steps.

    Not an `Exception`, so that a handler's `except Exception` lets it through. Do not catch it.
    """
