"""How a run ends its task: what a handler returned or raised, as an operation."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass

from .errors import ApiError, Decline, HopFinished, LeaseLost, Retry, Suspended
from .lease import Lease
from .operations import Operations
from .parts import Content, Json, Result, to_parts

log = logging.getLogger("tertulia")

ERROR_CHARACTERS = 2_000
"""How much of an exception's text is kept with the task; the traceback is only logged."""

_OVERTAKEN = frozenset(
    {"cancelled", "deadline", "expired", "parent-settled", "group-fired", "already-answered"}
)
"""The task ended meanwhile: there is nothing left to end."""


@dataclass(frozen=True, slots=True)
class Ending:
    """An operation that ends the task, or this attempt at it."""

    operation: str
    body: Mapping[str, Json]


def of_result(lease: Lease, returned: Content | Result) -> Ending:
    """What a handler returned. A notification is acknowledged: no answer is due to it."""
    if lease.act.performative == "inform":
        return Ending("acknowledge", {})
    return Ending("reply", Result.of(returned).wire())


def of_error(lease: Lease, error: BaseException) -> Ending | None:
    """What a handler raised; None if the lease is over and nothing can be said any more."""
    if isinstance(error, (Suspended, LeaseLost, HopFinished)):
        return None
    if isinstance(error, Decline):
        return Ending("decline", _words(error.content))
    if isinstance(error, Retry):
        return Ending("fail", {"retry": True, "error": _told(error)})
    log.error(
        "the handler of %s failed on %s", lease.agent, lease.task.id, exc_info=error
    )
    # An error inside the house may be gone at the next attempt; an error in the handler is not.
    retry = isinstance(error, ApiError) and error.status >= 500
    return Ending("fail", {"retry": retry, "error": _told(error)})


def no_consult() -> Ending:
    """A consultation of an agent whose program has no `consult`."""
    return Ending("decline", {"reason": "no-consult"})


async def settle(operations: Operations, lease: Lease, ending: Ending) -> None:
    """Ends the task. What the engine refuses as an ending becomes a failure that says why."""
    try:
        refusal = (await operations.do(ending.operation, ending.body)).refusal
        if refusal is not None and refusal.reason not in _OVERTAKEN:
            log.warning(
                "%s of %s was refused: %s", ending.operation, lease.task.id, refusal.reason
            )
            why = f"{ending.operation} was refused: {refusal.reason}: {refusal.message}"
            body = {"retry": False, "error": why[:ERROR_CHARACTERS]}
            if ending.operation == "decline" and ending.body.get("parts"):
                body["parts"] = ending.body["parts"]
            refusal = (await operations.do("fail", body)).refusal
        if refusal is not None:
            log.info("%s ended without this run: %s", lease.task.id, refusal.reason)
    except (LeaseLost, HopFinished) as lost:
        log.warning("%s was not ended by this run: %s", lease.task.id, lost)
    except ApiError as error:
        log.error("%s could not be ended: %s", lease.task.id, error)
        if ending.operation != "fail" and error.status < 500:
            # The result itself cannot be taken, for example because it is too large.
            await settle(operations, lease, Ending("fail", {"retry": False, "error": str(error)}))


def _words(content: Content) -> dict[str, Json]:
    parts = to_parts(content).wire()
    return {"parts": parts} if parts else {}


def _told(error: BaseException) -> str:
    text = str(error)
    if not isinstance(error, Retry):
        text = f"{type(error).__name__}: {text}"
    return text[:ERROR_CHARACTERS]
