"""A lease as a claim hands it out, and the assignment that a handler sees of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from .acts import Act, Ask, Task, instant
from .parts import ArtifactRef, Json, Parts
from .receipt import Receipt


@dataclass(frozen=True, slots=True)
class Ancestor:
    """One hop above: an activation of an agent that waits for this one."""

    agent: str
    version: str
    hop: str
    conversation: str
    task: str


@dataclass(frozen=True, slots=True)
class Turn:
    """An earlier act of the conversation. `prompt` is how a model may read it."""

    act: Act
    prompt: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """A step that an earlier run made: an act or a stored result (SEMANTICS 4)."""

    name: str
    ordinal: int
    handling: str | None
    receipt: Receipt


@dataclass(frozen=True, slots=True)
class Lease:
    """A period of holding an activation. The token never leaves this process but as a header."""

    id: str
    hop: str
    token: str
    heartbeat: float
    """Seconds between heartbeats."""
    attempt: int
    resumed: bool
    reconcile: bool
    effect_key: str
    agent: str
    version: str
    instructions: str
    task: Task
    act: Act
    prompt: tuple[str, ...]
    history: tuple[Turn, ...]
    genealogy: tuple[Ancestor, ...]
    steps: tuple[Step, ...]
    questions: tuple[Ask, ...]

    def __repr__(self) -> str:
        return f"Lease(id={self.id!r}, task={self.task.id!r}, attempt={self.attempt})"

    @classmethod
    def read(cls, wire: Mapping[str, Json]) -> Lease:
        """From what was received."""
        return cls(
            id=wire["lease"],
            hop=wire["hop"],
            token=wire["token"],
            heartbeat=wire["heartbeat_ms"] / 1000,
            attempt=wire["attempt"],
            resumed=wire["resumed"],
            reconcile=wire["reconcile"],
            effect_key=wire["effect_key"],
            agent=wire["agent"]["name"],
            version=wire["agent"]["version"],
            instructions=wire["agent"].get("instructions") or "",
            task=Task.read(wire["task"]),
            act=Act.read(wire["act"]),
            prompt=tuple(wire["prompt"]),
            history=tuple(
                Turn(Act.read(turn["act"]), tuple(turn["prompt"])) for turn in wire["history"]
            ),
            genealogy=tuple(
                Ancestor(
                    hop["agent"], hop["version"], hop["hop"], hop["conversation"], hop["task"]
                )
                for hop in wire["genealogy"]
            ),
            steps=tuple(
                Step(
                    step["name"],
                    step["ordinal"],
                    step.get("handling"),
                    Receipt.read(step["receipt"]),
                )
                for step in wire["steps"]
            ),
            questions=tuple(Ask.read(ask) for ask in wire["questions"]),
        )


@dataclass(frozen=True, slots=True)
class Assignment:
    """The task, as a handler gets it.

    `text`, `data` and `parts` are the words of whoever asked: untrusted, for programs. A prompt
    for a model is built from `prompt` (and a turn's or an ask's `prompt`) and from nothing else:
    the engine rendered those so that no body can pass for another speaker.
    """

    id: str
    root: str
    conversation: str
    agent: str
    """The agent that is at work, by name."""
    version: str
    """The digest of its version that the conversation keeps."""
    instructions: str
    """What that version's definition says below its front matter: for a model, the owner's words."""
    performative: str
    """`request`, `query` or `inform`."""
    parts: Parts
    artifacts: tuple[ArtifactRef, ...]
    prompt: tuple[str, ...]
    contract: Json
    work_id: str | None
    deadline: datetime
    attempt: int
    effect_key: str
    """The same in each attempt: the key to hand to outside systems that take one."""
    reconcile: bool
    """An earlier attempt was lost: look at what it did before doing it again."""
    fold: bool
    """This is a consultation: read-only, answered from the history."""
    genealogy: tuple[Ancestor, ...]
    history: tuple[Turn, ...]
    root_principal: str
    sender: str
    """Who asks, as the engine verified it."""

    @property
    def text(self) -> str:
        """The text parts, joined by line breaks."""
        return self.parts.text

    @property
    def data(self) -> Json:
        """The value of the first data part; None if there is none."""
        return self.parts.data

    @classmethod
    def of(cls, lease: Lease) -> Assignment:
        """What the lease says of its task."""
        return cls(
            id=lease.task.id,
            root=lease.task.root,
            conversation=lease.task.conversation,
            agent=lease.agent,
            version=lease.version,
            instructions=lease.instructions,
            performative=lease.act.performative,
            parts=lease.act.parts,
            artifacts=lease.act.artifacts,
            prompt=lease.prompt,
            contract=lease.task.raw.get("contract"),
            work_id=lease.task.work_id,
            deadline=instant(lease.task.raw["deadline"]),
            attempt=lease.attempt,
            effect_key=lease.effect_key,
            reconcile=lease.reconcile,
            fold=lease.task.fold,
            genealogy=lease.genealogy,
            history=lease.history,
            root_principal=lease.act.root_principal,
            sender=lease.act.sender,
        )
