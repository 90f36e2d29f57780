"""Steps: how they are named, and which of those recorded a run has come to (SEMANTICS 4).

A step is found by its name within the task, so a run that makes the same calls in the same order
finds what earlier runs made. The default name is a digest of the operation and its body as sent,
and how often that came up in this run; both are the same whenever the handler is.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping

from .errors import ReplayDiverged, StepNameReused
from .lease import Step
from .parts import Json

NAME_BYTES = 200
"""The longest name that the engine takes."""

_DIGEST_DIGITS = 32
_RESERVED = "answer/"


def canonical(value: Json) -> bytes:
    """A JSON value in one form: sorted keys, no white space, UTF-8; NaN and infinity refused."""
    text = json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )
    return text.encode()


def digest_of(operation: str, body: Mapping[str, Json]) -> str:
    """The name of an operation's content: `delegate/<32 hex digits>`."""
    content = canonical({"operation": operation, "body": body})
    return f"{operation}/{hashlib.sha256(content).hexdigest()[:_DIGEST_DIGITS]}"


class Names:
    """The names of the steps of one run, within one scope: the handler's, or one question's."""

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()
        self._explicit: set[str] = set()

    def default(self, operation: str, body: Mapping[str, Json]) -> str:
        """The name of a step that was given none."""
        digest = digest_of(operation, body)
        self._seen[digest] += 1
        return f"{digest}/{self._seen[digest]}"

    def explicit(self, name: str) -> str:
        """The name of a step that was given one. Each may be used once in a run."""
        if not name:
            raise ValueError("a step's name is empty")
        if name.startswith(_RESERVED):
            raise ValueError(f"step names that begin with `{_RESERVED}` belong to the engine")
        if name in self._explicit:
            raise StepNameReused(name)
        if len(name.encode()) > NAME_BYTES:
            raise ValueError(f"step name `{name[:40]}…` is longer than {NAME_BYTES} bytes")
        self._explicit.add(name)
        return name


def recorded_as(name: str, handling: str | None) -> str:
    """How the engine keeps a step: one made while a question is handled is scoped by its ask."""
    return f"{handling}/{name}" if handling else name


class Journal:
    """The steps that were recorded before this run, and which of them it has come to."""

    def __init__(self, recorded: Iterable[Step]) -> None:
        self._recorded = {step.name: step for step in recorded}
        self._answered: set[str] = set()
        self._come_to: set[str] = set()
        self._unreported: list[int] = []

    def find(self, name: str, outcomes: tuple[str, ...]) -> Step | None:
        """The recorded step called `name`, which the run has now come to.

        `outcomes` are those that the operation can have had; any other means that the handler
        gave this name to something else, and raises `ReplayDiverged`.
        """
        step = self._recorded.get(name)
        if step is None:
            return None
        if step.receipt.outcome not in (*outcomes, "refused"):
            raise ReplayDiverged.of(
                described(step), f"another kind of step under that name ({' or '.join(outcomes)})"
            )
        if name not in self._come_to:
            self._come_to.add(name)
            if _is_replayed(step):
                self._unreported.append(step.ordinal)
        return step

    def answered(self, ask: str) -> bool:
        """Whether this question was answered, in this run or an earlier one."""
        return ask in self._answered or f"{_RESERVED}{ask}" in self._recorded

    def note_answered(self, ask: str) -> None:
        """This run has answered the question."""
        self._answered.add(ask)

    def unreported(self) -> tuple[int, ...]:
        """Ordinals come to that no call has told the engine yet."""
        return tuple(sorted(self._unreported))

    def report(self, ordinals: Iterable[int]) -> None:
        """The engine has been told of these."""
        told = set(ordinals)
        self._unreported = [ordinal for ordinal in self._unreported if ordinal not in told]

    def unread(self) -> list[Step]:
        """Recorded steps that this run has not come to, in the order they were made."""
        steps = [
            step
            for step in self._recorded.values()
            if _is_replayed(step) and step.name not in self._come_to
        ]
        return sorted(steps, key=lambda step: step.ordinal)


def described(step: Step) -> str:
    """A recorded step, for whoever looks for it in a handler."""
    receipt = step.receipt
    task = receipt.task
    if receipt.ask is not None:
        what = f"the question {receipt.ask.text[:60]!r}"
    elif receipt.branches:
        agents = ", ".join(one.task.agent for one in receipt.branches if one.task) or "nobody"
        what = f"asking {agents}"
    elif task is not None:
        what = f"a {task.performative} to {task.agent}"
    else:
        what = f"`{receipt.outcome}`"
    return f"step `{step.name}` (number {step.ordinal}, {what})"


def _is_replayed(step: Step) -> bool:
    """Whether a later run of the handler itself comes to it again."""
    return step.handling is None and step.receipt.outcome != "answered"
