"""The client of a principal: sends acts, waits for what comes of them, answers questions."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from types import TracebackType
from typing import Self

from .acts import Act, Ask, Task
from .delegation import Branch, Opening, milliseconds
from .parts import Artifact, ArtifactRef, Content, Json, to_parts
from .receipt import Receipt
from .transport import CALL_TIMEOUT, Transport, decode
from .watch import Event, watch

LONGEST_WAIT = timedelta(seconds=30)
"""How long one call waits; `wait` makes as many as it takes."""


@dataclass(frozen=True, slots=True)
class Sent:
    """What became of an act that was sent."""

    receipt: Receipt
    replayed: bool

    @property
    def refusal(self) -> Act | None:
        """The refuse, if it was refused."""
        return self.receipt.refusal

    @property
    def task(self) -> Task:
        """The task it made. Raises `Refused` if it was refused."""
        return self.receipt.expect("accepted").must_task()


class Client:
    """Calls of one principal. Use it as `async with Client(url, key) as client`.

    Calls are repeated for `patience` while the server cannot be reached or is busy; then they
    raise `Unreachable`. What cannot be carried out raises `ApiError`.
    """

    def __init__(
        self, url: str, key: str | None = None, *, patience: timedelta = timedelta(seconds=30)
    ) -> None:
        self._transport = Transport(url, key)
        self._patience = patience.total_seconds()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def close(self) -> None:
        """Closes the connections."""
        await self._transport.close()

    async def send(
        self,
        to: str,
        content: Content = None,
        *,
        performative: Opening = "request",
        contract: str | Mapping[str, Json] | None = None,
        conversation: str | None = None,
        alias: str | None = None,
        deadline: timedelta | None = None,
        work_id: str | None = None,
        parent_work_id: str | None = None,
        not_equivalent: str | None = None,
        artifacts: Sequence[Artifact] = (),
        key: str | None = None,
        wait: timedelta | None = None,
    ) -> Sent:
        """Sends an opening act to an agent, by its name; with `wait`, waits for its end or a question.

        `key` makes it safe to repeat from the outside; repeats in here have one of their own.
        """
        body = Branch(
            to=to,
            content=content,
            performative=performative,
            contract=contract,
            deadline=deadline,
            work_id=work_id,
            parent_work_id=parent_work_id,
            conversation=conversation,
            not_equivalent=not_equivalent,
            artifacts=artifacts,
        ).wire()
        if alias is not None:
            body["alias"] = alias
        wire = await self._post(
            "/v1/acts",
            body,
            headers={"Idempotency-Key": key or secrets.token_hex(16)},
            wait=wait,
        )
        return decode(lambda it: Sent(Receipt.read(it["receipt"]), it["replayed"]), wire)

    async def task(self, task: str, *, wait: timedelta | None = None) -> Task:
        """A task; with `wait`, waits that long for it to end or to ask."""
        return decode(Task.read, await self._get(f"/v1/tasks/{task}", wait=wait))

    async def wait(self, task: str) -> Task:
        """Waits until a task has ended or asks this caller something."""
        while True:
            seen = await self.task(task, wait=LONGEST_WAIT)
            if seen.ended or seen.question is not None:
                return seen

    async def tree(self, task: str) -> list[Mapping[str, Json]]:
        """The tasks of a tree in the order they were made, each with its `hops`, as received."""
        tasks: list[Mapping[str, Json]] = (await self._get(f"/v1/tasks/{task}/tree"))["tasks"]
        return tasks

    async def cancel(self, task: str, content: Content = None) -> Receipt:
        """Cancels a task. Raises `Refused` if it had ended."""
        parts = to_parts(content).wire()
        body = {"parts": parts} if parts else {}
        # Cancelling twice is cancelling once.
        wire = await self._post(f"/v1/tasks/{task}/cancel", body)
        return decode(_receipt, wire).expect("cancelled")

    async def asks(self) -> list[Ask]:
        """The open questions that are addressed to this caller."""
        wire = await self._get("/v1/asks")
        return decode(lambda it: [Ask.read(ask) for ask in it["asks"]], wire)

    async def ask(self, ask: str) -> Ask:
        """A question."""
        return decode(Ask.read, await self._get(f"/v1/asks/{ask}"))

    async def answer(self, ask: str, content: Content) -> Receipt:
        """Answers a question. Raises `Refused` if it is no longer open."""
        return await self._answer(ask, {"parts": to_parts(content).wire()})

    async def refuse(self, ask: str, content: Content = None) -> Receipt:
        """Declines to answer a question."""
        parts = to_parts(content).wire()
        return await self._answer(ask, {"refuse": True} | ({"parts": parts} if parts else {}))

    async def conversation(self, conversation: str) -> Mapping[str, Json]:
        """A conversation with its acts, as received."""
        wire: Mapping[str, Json] = await self._get(f"/v1/conversations/{conversation}")
        return wire

    async def register(self, name: str, definition: str) -> str:
        """Puts an agent into the catalogue from its Markdown file; returns the version's digest."""
        response = await self._transport.call(
            "PUT",
            f"/v1/agents/{name.removeprefix('agent:')}",
            content=definition.encode(),
            headers={"Content-Type": "text/markdown; charset=utf-8"},
            repeat_for=self._patience,
        )
        version: str = response.json()["version"]
        return version

    async def agents(
        self,
        *,
        tag: str | None = None,
        input_mode: str | None = None,
        output_mode: str | None = None,
        q: str | None = None,
    ) -> list[Mapping[str, Json]]:
        """The agents that can be found, as received."""
        asked = {"tag": tag, "input_mode": input_mode, "output_mode": output_mode, "q": q}
        params = {name: value for name, value in asked.items() if value is not None}
        agents: list[Mapping[str, Json]] = (await self._get("/v1/agents", params))["agents"]
        return agents

    async def artifact(self, root: str, artifact: ArtifactRef) -> bytes:
        """The bytes of an artifact."""
        path = f"/v1/roots/{root}/artifacts/{artifact.digest}"
        response = await self._transport.call("GET", path, repeat_for=self._patience)
        return response.content

    def watch_task(self, task: str, *, after: int = 0) -> AsyncIterator[Event]:
        """The events of a task from a cursor on, as they happen. It does not end by itself."""
        return watch(self._transport, f"/v1/tasks/{task}/events", after)

    def watch_conversation(self, conversation: str, *, after: int = 0) -> AsyncIterator[Event]:
        """The events of a conversation from a cursor on, as they happen."""
        return watch(self._transport, f"/v1/conversations/{conversation}/events", after)

    async def _answer(self, ask: str, body: Mapping[str, Json]) -> Receipt:
        key = {"Idempotency-Key": secrets.token_hex(16)}
        wire = await self._post(f"/v1/asks/{ask}/answer", body, headers=key)
        return decode(_receipt, wire).expect("answered")

    async def _get(
        self,
        path: str,
        params: Mapping[str, str | int] | None = None,
        wait: timedelta | None = None,
    ) -> Json:
        response = await self._transport.call(
            "GET",
            path,
            params=dict(params or {}) | _waiting(wait),
            timeout=_timeout(wait),
            repeat_for=self._patience,
        )
        return response.json()

    async def _post(
        self,
        path: str,
        body: Mapping[str, Json],
        *,
        headers: Mapping[str, str] | None = None,
        wait: timedelta | None = None,
    ) -> Json:
        response = await self._transport.call(
            "POST",
            path,
            body=body,
            params=_waiting(wait),
            headers=headers,
            timeout=_timeout(wait),
            repeat_for=self._patience,
        )
        return response.json()


def _receipt(wire: Json) -> Receipt:
    return Receipt.read(wire["receipt"])


def _waiting(wait: timedelta | None) -> dict[str, str | int]:
    return {} if wait is None else {"wait_ms": milliseconds(wait)}


def _timeout(wait: timedelta | None) -> float:
    return CALL_TIMEOUT + (wait.total_seconds() if wait else 0.0)
