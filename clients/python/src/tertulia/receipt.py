"""Receipts: what a command was answered. A repeat gets it again, with things as they stand now."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .acts import Act, Ask, Group, Task, read_task
from .errors import Refused, UnexpectedAnswer
from .parts import Json


@dataclass(frozen=True, slots=True)
class Receipt:
    """One receipt. Which members are set follows from `outcome` (docs/api.md, *Receipt*)."""

    outcome: str
    task: Task | None = None
    tasks: tuple[Task, ...] = ()
    refusal: Act | None = None
    prompt: tuple[str, ...] = ()
    """The refusal as the engine renders it for a model."""
    act: str | None = None
    group: Group | None = None
    branches: tuple[Receipt, ...] = ()
    ask: Ask | None = None
    value: Json = None

    @classmethod
    def read(cls, wire: Mapping[str, Json]) -> Receipt:
        """From what was received."""
        outcome = wire["outcome"]
        act, task, ask = wire.get("act"), wire.get("task"), wire.get("ask")
        group = wire.get("group")
        return cls(
            outcome=outcome,
            # `settled`, `will-retry` and `answered` name things by their ids alone.
            task=read_task(task) if not isinstance(task, str) else None,
            tasks=tuple(Task.read(one) for one in wire.get("tasks") or ()),
            refusal=Act.read(wire["act"]) if outcome == "refused" else None,
            prompt=tuple(wire.get("prompt") or ()),
            act=act if isinstance(act, str) else None,
            group=Group.read(group) if group else None,
            branches=tuple(cls.read(one) for one in wire.get("branches") or ()),
            ask=Ask.read(ask) if isinstance(ask, dict) else None,
            value=wire.get("value"),
        )

    def expect(self, *outcomes: str) -> Receipt:
        """This receipt if it has one of `outcomes`; raises `Refused` if it is a refusal."""
        if self.outcome in outcomes:
            return self
        if self.refusal is not None:
            raise Refused.by(self.refusal)
        raise UnexpectedAnswer(
            f"expected a receipt that is {' or '.join(outcomes)}, got `{self.outcome}`"
        )

    def must_task(self) -> Task:
        """Its task."""
        if self.task is None:
            raise UnexpectedAnswer(f"a receipt that is `{self.outcome}` came without its task")
        return self.task

    def must_group(self) -> Group:
        """Its group."""
        if self.group is None:
            raise UnexpectedAnswer(f"a receipt that is `{self.outcome}` came without its group")
        return self.group

    def must_ask(self) -> Ask:
        """Its ask."""
        if self.ask is None:
            raise UnexpectedAnswer(f"a receipt that is `{self.outcome}` came without its ask")
        return self.ask
