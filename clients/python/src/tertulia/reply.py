"""What comes back from those who were asked."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import overload

from .acts import Act, Ask, Group, Task
from .errors import Declined
from .parts import ArtifactRef, Json, Parts
from .receipt import Receipt


@dataclass(frozen=True, slots=True)
class Reply:
    """The answer to a delegation.

    `performative` says what it is: `inform` (a result), `refuse` (not taken on; also every
    refusal by the engine) or `failure`. It is None where no answer is there: nothing is due to an
    `inform`, or the branch had not ended when its group fired. `reason`, `message` and `detail`
    belong to a refuse or failure; `branch` is the place among the branches of a fan-out.

    `prompt` is how a model may read it: the engine rendered it so that no words in it can pass
    for another speaker's. A prompt is built from that and never from `text`.
    """

    performative: str | None
    parts: Parts = field(default_factory=Parts)
    prompt: tuple[str, ...] = ()
    reason: str | None = None
    message: str | None = None
    detail: Mapping[str, Json] = field(default_factory=dict)
    artifacts: tuple[ArtifactRef, ...] = ()
    task: Task | None = None
    act: Act | None = None
    branch: int = 0

    @property
    def ok(self) -> bool:
        """Whether it is a result."""
        return self.performative == "inform"

    @property
    def text(self) -> str:
        """The text parts, joined by line breaks. Untrusted words of another agent."""
        return self.parts.text

    @property
    def data(self) -> Json:
        """The value of the first data part; None if there is none."""
        return self.parts.data

    def require(self) -> Reply:
        """This reply if it is a result; else raises `Declined`."""
        if not self.ok:
            raise Declined(self)
        return self

    @classmethod
    def by(
        cls, act: Act, task: Task | None, prompt: tuple[str, ...] = (), branch: int = 0
    ) -> Reply:
        """From the act that answers, and its rendering."""
        return cls(
            performative=act.performative,
            parts=act.parts,
            prompt=prompt,
            reason=act.reason,
            message=act.message,
            detail=act.detail,
            artifacts=act.artifacts,
            task=task,
            act=act,
            branch=branch,
        )

    @classmethod
    def of(cls, task: Task, branch: int = 0) -> Reply:
        """From a task that has ended."""
        if task.reply is not None:
            return cls.by(task.reply, task, task.reply_prompt, branch)
        if task.state == "done":
            # An acknowledged notification ends without words.
            return cls("inform", task=task, branch=branch)
        performative = "refuse" if task.state == "refused" else "failure"
        return cls(performative, reason=task.reason or task.state, task=task, branch=branch)

    @classmethod
    def absent(cls, task: Task | None, branch: int = 0) -> Reply:
        """Where no answer is due or none had come."""
        return cls(None, task=task, branch=branch)


class Replies(Sequence[Reply]):
    """The replies of a fan-out, one per branch and in the order of the branches.

    A branch that had not ended when the group fired has a reply whose `performative` is None, in
    every run. `arrived` has those that did, in the order in which they came.
    """

    def __init__(self, group: Group | None, branches: Sequence[Receipt]) -> None:
        self.group = group
        ended = {} if group is None else {task: at for at, task in enumerate(group.arrived)}
        name = group.id if group else None
        self._replies = [_branch(at, one, name, ended) for at, one in enumerate(branches)]
        refused_first = -1
        self.arrived: list[Reply] = sorted(
            (reply for reply in self._replies if reply.performative is not None),
            key=lambda reply: ended.get(reply.task.id, refused_first)
            if reply.task
            else refused_first,
        )

    @property
    def fired_by(self) -> str | None:
        """`met`, `unmeetable` or `deadline`; None while the group is open."""
        return self.group.fired_by if self.group else None

    @property
    def results(self) -> list[Reply]:
        """The replies that are results, in the order of their branches."""
        return [reply for reply in self._replies if reply.ok]

    @overload
    def __getitem__(self, at: int) -> Reply: ...
    @overload
    def __getitem__(self, at: slice) -> list[Reply]: ...
    def __getitem__(self, at: int | slice) -> Reply | list[Reply]:
        return self._replies[at]

    def __len__(self) -> int:
        return len(self._replies)


def _branch(
    at: int, receipt: Receipt, group: str | None, ended: Mapping[str, int]
) -> Reply:
    if receipt.refusal is not None:
        return Reply.by(receipt.refusal, receipt.task, receipt.prompt, at)
    task = receipt.task
    if task is not None and task.ended and task.raw.get("group") != group:
        # It attached to what this task had asked outside of the group, and is answered by that.
        return Reply.of(task, at)
    if task is None or task.id not in ended:
        # What ends after the group fired is a late result: kept by the engine, not applied.
        return Reply.absent(task, at)
    return Reply.of(task, at)


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a question that was asked. `prompt` is how a model may read it."""

    parts: Parts
    prompt: tuple[str, ...]
    act: Act

    @property
    def text(self) -> str:
        """The text parts, joined by line breaks."""
        return self.parts.text

    @property
    def data(self) -> Json:
        """The value of the first data part; None if there is none."""
        return self.parts.data

    @classmethod
    def of(cls, ask: Ask) -> Answer | None:
        """From an ask, if it was answered."""
        if ask.state != "answered" or ask.answer is None:
            return None
        return cls(ask.answer.parts, ask.answer_prompt, ask.answer)
