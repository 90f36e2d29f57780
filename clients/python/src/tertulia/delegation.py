"""What is asked of another agent: one delegation, or one branch of a fan-out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal, TypeAlias

from .parts import Artifact, Content, Json, Result

Opening: TypeAlias = Literal["request", "query", "inform"]
"""The acts that open a task (SEMANTICS 1)."""


def party(name: str) -> str:
    """A party as it is sent: a name alone is that of an agent."""
    return name if ":" in name else f"agent:{name}"


def milliseconds(span: timedelta) -> int:
    """A span as the API wants it."""
    return round(span / timedelta(milliseconds=1))


@dataclass(frozen=True, slots=True)
class Branch:
    """Whom to ask for what. `ctx.delegate` takes the same as arguments.

    `to` is the name of an agent, `logs` or `agent:logs`, or for an inform also a principal.
    `contract` is its name, as in `"incident-investigation/v1"`, or the whole object. `deadline`
    is a span from now: an instant would make the step another one in each run.
    """

    to: str
    content: Content = None
    performative: Opening = "request"
    contract: str | Mapping[str, Json] | None = None
    deadline: timedelta | None = None
    work_id: str | None = None
    parent_work_id: str | None = None
    conversation: str | None = None
    new_conversation: bool = False
    not_equivalent: str | None = None
    artifacts: Sequence[Artifact] = ()

    def wire(self) -> dict[str, Json]:
        """As it is sent."""
        wire: dict[str, Json] = {"to": party(self.to), "performative": self.performative}
        wire |= Result(self.content, self.artifacts).wire()
        if self.contract is not None:
            name = isinstance(self.contract, str)
            wire["contract"] = {"name": self.contract} if name else self.contract
        if self.deadline is not None:
            wire["deadline_ms"] = milliseconds(self.deadline)
        if self.new_conversation:
            wire["new_conversation"] = True
        named = {
            "work_id": self.work_id,
            "parent_work_id": self.parent_work_id,
            "conversation": self.conversation,
            "not_equivalent": self.not_equivalent,
        }
        return wire | {name: value for name, value in named.items() if value is not None}


@dataclass(frozen=True, slots=True)
class Quorum:
    """A fan-out goes on when so many results are there."""

    results: int

    def wire(self) -> dict[str, int]:
        """As it is sent."""
        return {"quorum": self.results}


def quorum(results: int) -> Quorum:
    """The mode of a fan-out that goes on at so many results."""
    return Quorum(results)
