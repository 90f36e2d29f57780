"""HTTP: repeats, and problems as exceptions.

Every call of this package can be repeated with the same content: it has a key, is a step, ends a
lease once, or changes nothing. The answer is then the same (I6), so a call whose connection was
lost, or that met a busy server, is simply made again.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Callable, Mapping
from typing import TypeVar

import httpx

from .errors import (
    ApiError,
    HopFinished,
    LeaseLost,
    ReplayDiverged,
    UnexpectedAnswer,
    Unreachable,
)
from .parts import Json

log = logging.getLogger("tertulia")

FIRST_PAUSE = 0.1
LONGEST_PAUSE = 5.0
CALL_TIMEOUT = 30.0
CONNECT_TIMEOUT = 5.0

_PROBLEMS: Mapping[str, type[ApiError]] = {
    "lease-lost": LeaseLost,
    "hop-finished": HopFinished,
    "replay-diverged": ReplayDiverged,
}
_BUSY = frozenset({429, 502, 503, 504})
"""The server, or a proxy before it, did not take the call."""

T = TypeVar("T")


def problem(response: httpx.Response) -> ApiError:
    """The exception for an answer that is not 200."""
    try:
        body = response.json()
    except ValueError:
        body = {}
    if not isinstance(body, dict):
        body = {}
    code = str(body.get("code") or f"http-{response.status_code}")
    detail = str(body.get("detail") or body.get("title") or response.reason_phrase)
    return _PROBLEMS.get(code, ApiError)(response.status_code, code, detail)


def decode(read: Callable[[Json], T], wire: Json) -> T:
    """Reads a shape of the API; what does not have it is `UnexpectedAnswer`."""
    try:
        return read(wire)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise UnexpectedAnswer(
            f"the server answered what docs/api.md does not have: {error!r}"
        ) from error


class Transport:
    """Calls of one party to one server. `key` is None only for `tertulia dev` on loopback."""

    def __init__(
        self, url: str, key: str | None, transport: httpx.AsyncBaseTransport | None = None
    ) -> None:
        if not url.startswith(("http://", "https://")):
            raise ValueError(f"`{url}` is no address of a server: write http://HOST:PORT")
        if key and not (key.isascii() and key.isprintable() and " " not in key):
            raise ValueError("the key holds characters that no key has")
        headers = {"Authorization": f"Bearer {key}"} if key else {}
        self._url = url
        self._away = False
        self.http = httpx.AsyncClient(
            base_url=url,
            headers=headers,
            timeout=httpx.Timeout(CALL_TIMEOUT, connect=CONNECT_TIMEOUT),
            # A worker holds one long poll and one call per handler; none may wait for another.
            limits=httpx.Limits(max_connections=None, max_keepalive_connections=32),
            transport=transport,
            # Nothing of the environment's proxies between a worker and its house.
            trust_env=False,
        )

    async def close(self) -> None:
        """Closes the connections."""
        await self.http.aclose()

    async def call(
        self,
        method: str,
        path: str,
        *,
        body: Json = None,
        content: bytes | None = None,
        params: Mapping[str, str | int] | None = None,
        headers: Mapping[str, str] | None = None,
        timeout: float = CALL_TIMEOUT,
        repeat_for: float | None = None,
    ) -> httpx.Response:
        """One call, repeated while it may be, and its answer with status 200.

        `timeout` bounds one try, in seconds. `repeat_for` bounds the repeats, in seconds; None
        repeats until it works or the caller is cancelled.

        Raises `ApiError` for a problem, `Unreachable` when the time for repeats is over.
        """
        request = self.http.build_request(
            method,
            path,
            json=body,
            content=content,
            params=params,
            headers=headers,
            timeout=httpx.Timeout(timeout, connect=CONNECT_TIMEOUT),
        )
        clock = asyncio.get_running_loop().time
        give_up = None if repeat_for is None else clock() + repeat_for
        pause = FIRST_PAUSE
        while True:
            pause_for = random.uniform(pause / 2, pause)
            try:
                response = await self.http.send(request)
            except httpx.TransportError as error:
                why = _reason(error)
                self._not_reached(why)
            else:
                self._reached()
                if response.status_code == 200:
                    return response
                if response.status_code not in _BUSY:
                    raise problem(response)
                pause_for = max(pause_for, _retry_after(response))
                why = str(problem(response))
            if give_up is not None and clock() + pause_for > give_up:
                raise Unreachable(
                    f"the server at {self._url} did not take {method} {path} within "
                    f"{repeat_for:.0f} s: {why}"
                )
            # That the server is away is told already.
            level = logging.DEBUG if self._away else logging.INFO
            log.log(level, "%s %s is repeated in %.1f s: %s", method, path, pause_for, why)
            await asyncio.sleep(pause_for)
            pause = min(pause * 2, LONGEST_PAUSE)

    def _not_reached(self, why: str) -> None:
        """Tells, once until it is reached again, that the server is not there."""
        if not self._away:
            self._away = True
            log.warning(
                "cannot reach the server at %s (%s): trying again until it answers; "
                "if it should be there, look at the address, and whether `tertulia dev` or "
                "`tertulia serve` runs",
                self._url,
                why,
            )

    def _reached(self) -> None:
        if self._away:
            self._away = False
            log.warning("the server at %s answers again", self._url)


def _reason(error: httpx.TransportError) -> str:
    return str(error) or type(error).__name__


def _retry_after(response: httpx.Response) -> float:
    """Seconds that the server asks to wait; it may also name a date, which is not waited for."""
    try:
        return min(max(float(response.headers.get("Retry-After", "0")), 0.0), 60.0)
    except ValueError:
        return 0.0
