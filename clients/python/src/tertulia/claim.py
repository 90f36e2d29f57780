"""Claims: how a worker gets its leases.

Each claim draws a request id and a secret of 128 random bits; the tokens of its leases are derived
from the secret. A claim whose answer was lost is repeated with both and gets the same leases.
"""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from dataclasses import dataclass, field

from .lease import Lease
from .parts import Json
from .transport import CALL_TIMEOUT, Transport, decode


def _draw() -> str:
    return secrets.token_hex(16)


@dataclass(frozen=True, slots=True)
class Claim:
    """One claim, to be sent any number of times."""

    agent: str
    max: int
    worker: str
    versions: Sequence[str] = ()
    request_id: str = field(default_factory=_draw)
    secret: str = field(default_factory=_draw, repr=False)

    async def send(
        self, transport: Transport, wait: float, repeat_for: float | None = None
    ) -> list[Lease]:
        """Asks for leases and waits at most so many seconds for work to come."""
        body: dict[str, Json] = {
            "agent": self.agent,
            "max": self.max,
            "wait_ms": round(wait * 1000),
            "request_id": self.request_id,
            "secret": self.secret,
            "worker": self.worker,
        }
        if self.versions:
            body["versions"] = list(self.versions)
        response = await transport.call(
            "POST",
            "/v1/claims",
            body=body,
            timeout=wait + CALL_TIMEOUT,
            repeat_for=repeat_for,
        )
        return decode(
            lambda wire: [Lease.read(lease) for lease in wire["leases"]], response.json()
        )
