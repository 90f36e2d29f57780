"""Heartbeats: one call for all leases of a worker, and what the answers mean for their runs."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Collection, Sequence

from .errors import ApiError, UnexpectedAnswer, Unreachable
from .execution import Execution
from .parts import Json
from .transport import Transport, decode

log = logging.getLogger("tertulia")

IDLE = 1.0
"""How often it looks for leases while there are none, in seconds."""
TOKENS_PER_CALL = 256
CALL_TIMEOUT = 10.0

_OVER = frozenset({"lost", "cancelled", "deadline", "unknown"})
"""The lease was ended from outside; the other states the run itself brings about."""


class Heartbeat:
    """Keeps the leases of `executions` and stops those that the engine has ended."""

    def __init__(self, transport: Transport, executions: Collection[Execution]) -> None:
        self._transport = transport
        self._executions = executions

    async def beat_forever(self) -> None:
        """Beats as often as the leases want it, until it is cancelled."""
        while True:
            pause = min((one.lease.heartbeat for one in self._executions), default=IDLE)
            await asyncio.sleep(pause)
            try:
                await self.beat(pause)
            except (ApiError, Unreachable, UnexpectedAnswer) as error:
                # A lease ends only by the engine's word, so a late heartbeat still revives it.
                log.warning("heartbeat failed: %s", error)

    async def beat(self, repeat_for: float) -> None:
        """Sends one heartbeat for each lease."""
        executions = list(self._executions)
        for first in range(0, len(executions), TOKENS_PER_CALL):
            some = executions[first : first + TOKENS_PER_CALL]
            tokens = [one.lease.token for one in some]
            response = await self._transport.call(
                "POST",
                "/v1/hops/heartbeat",
                body={"tokens": tokens},
                timeout=CALL_TIMEOUT,
                repeat_for=repeat_for,
            )
            states = decode(_states, response.json())
            for one, state in zip(some, states, strict=True):
                if state in _OVER:
                    one.stop(state)


def _states(wire: Json) -> Sequence[str]:
    return [hop["state"] for hop in wire["hops"]]
