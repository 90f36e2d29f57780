"""The operations under a hop token (SEMANTICS 1): `POST /v1/hops/{operation}`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from .acts import Ask
from .parts import Json
from .receipt import Receipt
from .transport import Transport, decode


class Operations:
    """Operations of one lease. Each is repeated until it is answered: that changes nothing (I6)."""

    def __init__(self, transport: Transport, token: str) -> None:
        self._transport = transport
        self._token = token

    async def do(
        self,
        operation: str,
        body: Mapping[str, Json],
        *,
        step: str | None = None,
        handling: str | None = None,
        steps_read: Iterable[int] = (),
        repeat_for: float | None = None,
    ) -> Receipt:
        """Carries one out. `step` is its name where it is a step."""
        headers = {"Hop-Token": self._token}
        if step is not None:
            headers["Idempotency-Key"] = step
        if handling is not None:
            headers["Handling"] = handling
        read = ",".join(str(ordinal) for ordinal in steps_read)
        if read:
            headers["Steps-Read"] = read
        response = await self._transport.call(
            "POST", f"/v1/hops/{operation}", body=body, headers=headers, repeat_for=repeat_for
        )
        return decode(lambda wire: Receipt.read(wire["receipt"]), response.json())

    async def ask(self, ask: str) -> Ask:
        """Reads a question that is addressed to this task."""
        response = await self._transport.call("GET", f"/v1/asks/{ask}", headers=self._headers)
        return decode(Ask.read, response.json())

    async def artifact(self, root: str, digest: str) -> bytes:
        """Reads the bytes of an artifact."""
        path = f"/v1/roots/{root}/artifacts/{digest}"
        response = await self._transport.call("GET", path, headers=self._headers)
        return response.content

    @property
    def _headers(self) -> dict[str, str]:
        return {"Hop-Token": self._token}
