"""Watching a task or a conversation: events from a cursor, resumed without loss (SEMANTICS 15)."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass
from datetime import datetime

import httpx

from .acts import Act, instant, read_act
from .parts import Json
from .sse import SseParser
from .transport import CONNECT_TIMEOUT, FIRST_PAUSE, LONGEST_PAUSE, Transport, decode, problem

log = logging.getLogger("tertulia")

SILENCE = 60.0
"""Seconds without a line after which the connection counts as lost."""


@dataclass(frozen=True, slots=True)
class Event:
    """Something that happened. `n` is its number in the stream, without gaps."""

    n: int
    kind: str
    conversation: str
    task: str | None
    act: Act | None
    detail: Mapping[str, Json]
    at: datetime

    @classmethod
    def read(cls, wire: Mapping[str, Json]) -> Event:
        """From what was received."""
        return cls(
            n=wire["n"],
            kind=wire["kind"],
            conversation=wire["conversation"],
            task=wire.get("task"),
            act=read_act(wire.get("act")),
            detail=wire.get("detail") or {},
            at=instant(wire["at"]),
        )


async def watch(transport: Transport, path: str, after: int) -> AsyncGenerator[Event, None]:
    """The events at `path` after number `after`, as they happen; a lost connection is resumed."""
    pause = FIRST_PAUSE
    while True:
        try:
            async with aclosing(_once(transport, path, after)) as events:
                async for event in events:
                    after = event.n
                    pause = FIRST_PAUSE
                    yield event
        except httpx.TransportError as error:
            log.info("the stream %s was lost: %s", path, error)
        await asyncio.sleep(pause)
        pause = min(pause * 2, LONGEST_PAUSE)


async def _once(transport: Transport, path: str, after: int) -> AsyncGenerator[Event, None]:
    headers = {"Accept": "text/event-stream", "Last-Event-ID": str(after)}
    timeout = httpx.Timeout(SILENCE, connect=CONNECT_TIMEOUT)
    async with transport.http.stream("GET", path, headers=headers, timeout=timeout) as response:
        if response.status_code == 503:
            return
        if response.status_code != 200:
            await response.aread()
            raise problem(response)
        parser = SseParser()
        async for line in response.aiter_lines():
            event = parser.line(line)
            if event is not None:
                yield decode(lambda data: Event.read(json.loads(data)), event.data)
