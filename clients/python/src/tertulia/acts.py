"""Acts, tasks, asks and groups as the API shows them. The engine wrote their envelopes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from .parts import ArtifactRef, Json, Parts

ENDED = frozenset({"done", "refused", "failed", "cancelled"})
"""The states of a task that has ended (SEMANTICS 2)."""


def instant(text: str) -> datetime:
    """A time of the API: RFC 3339, in UTC."""
    return datetime.fromisoformat(text)


@dataclass(frozen=True, slots=True)
class Act:
    """What somebody said, with what the engine knows of it. `id` is None if it was not stored."""

    id: str | None
    performative: str
    sender: str
    recipient: str
    conversation: str
    parts: Parts
    root: str
    root_principal: str
    task: str | None
    ask: str | None
    reason: str | None
    message: str | None
    detail: Mapping[str, Json]
    artifacts: tuple[ArtifactRef, ...]
    provenance: str
    at: datetime
    raw: Mapping[str, Json]

    @property
    def text(self) -> str:
        """The text parts, joined by line breaks. Untrusted: a model gets the `prompt` instead."""
        return self.parts.text

    @property
    def data(self) -> Json:
        """The value of the first data part; None if there is none."""
        return self.parts.data

    @classmethod
    def read(cls, wire: Mapping[str, Json]) -> Act:
        """From what was received."""
        return cls(
            id=wire.get("id"),
            performative=wire["performative"],
            sender=wire["sender"],
            recipient=wire["recipient"],
            conversation=wire["conversation"],
            parts=Parts.read(wire.get("parts")),
            root=wire["root"],
            root_principal=wire["root_principal"],
            task=wire.get("task"),
            ask=wire.get("ask"),
            reason=wire.get("reason"),
            message=wire.get("message"),
            detail=wire.get("detail") or {},
            artifacts=tuple(ArtifactRef.read(one) for one in wire.get("artifacts") or ()),
            provenance=wire["provenance"],
            at=instant(wire["at"]),
            raw=wire,
        )


def read_act(wire: Mapping[str, Json] | None) -> Act | None:
    """An act where there may be none."""
    return None if wire is None else Act.read(wire)


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """The question that a task waits for."""

    ask: str
    addressee: str
    act: Act


@dataclass(frozen=True, slots=True)
class Task:
    """A task and where it stands. `raw` has every member of the API's shape."""

    id: str
    root: str
    conversation: str
    performative: str
    requester: str
    agent: str
    state: str
    reason: str | None
    agreed: bool
    attempts: int
    fold: bool
    work_id: str | None
    deadline: datetime
    reply: Act | None
    reply_prompt: tuple[str, ...]
    """The reply as the engine renders it for a model; in receipts."""
    last_error: str | None
    """Why the attempt was lost that was lost last, if one was."""
    question: OpenQuestion | None
    raw: Mapping[str, Json]

    @property
    def ended(self) -> bool:
        """Whether it is done, refused, failed or cancelled. Such a state never changes."""
        return self.state in ENDED

    @classmethod
    def read(cls, wire: Mapping[str, Json]) -> Task:
        """From what was received."""
        question = wire.get("question")
        return cls(
            id=wire["id"],
            root=wire["root"],
            conversation=wire["conversation"],
            performative=wire["performative"],
            requester=wire["requester"],
            agent=wire["agent"],
            state=wire["state"],
            reason=wire.get("reason"),
            agreed=wire["agreed"],
            attempts=wire["attempts"],
            fold=wire["fold"],
            work_id=wire.get("work_id"),
            deadline=instant(wire["deadline"]),
            reply=read_act(wire.get("reply")),
            reply_prompt=tuple(wire.get("reply_prompt") or ()),
            last_error=wire.get("last_error"),
            question=OpenQuestion(
                question["ask"], question["addressee"], Act.read(question["act"])
            )
            if question
            else None,
            raw=wire,
        )


def read_task(wire: Mapping[str, Json] | None) -> Task | None:
    """A task where there may be none."""
    return None if wire is None else Task.read(wire)


@dataclass(frozen=True, slots=True)
class Ask:
    """A durable question. `prompt` is the question as the engine renders it for a model."""

    id: str
    asker: str
    addressee: str
    state: str
    deadline: datetime
    question: Act
    answer: Act | None
    prompt: tuple[str, ...]
    answer_prompt: tuple[str, ...]

    @property
    def parts(self) -> Parts:
        """What is asked."""
        return self.question.parts

    @property
    def text(self) -> str:
        """The text parts of the question, joined by line breaks. Untrusted."""
        return self.question.text

    @property
    def data(self) -> Json:
        """The value of the question's first data part; None if there is none."""
        return self.question.data

    @classmethod
    def read(cls, wire: Mapping[str, Json]) -> Ask:
        """From what was received."""
        return cls(
            id=wire["id"],
            asker=wire["asker"],
            addressee=wire["addressee"],
            state=wire["state"],
            deadline=instant(wire["deadline"]),
            question=Act.read(wire["question"]),
            answer=read_act(wire.get("answer")),
            prompt=tuple(wire.get("prompt") or ()),
            answer_prompt=tuple(wire.get("answer_prompt") or ()),
        )


@dataclass(frozen=True, slots=True)
class Group:
    """A fan-out. `arrived` holds the ids of the branches that ended, in order of arrival."""

    id: str
    state: str
    fired_by: str | None
    ended: int
    arrived: tuple[str, ...]

    @property
    def fired(self) -> bool:
        """Whether what it waited for is there, cannot come any more, or its deadline came."""
        return self.state == "fired"

    @classmethod
    def read(cls, wire: Mapping[str, Json]) -> Group:
        """From what was received."""
        arrived = tuple(wire.get("arrived") or ())
        return cls(wire["id"], wire["state"], wire.get("fired_by"), wire["ended"], arrived)
