"""What travels between the official client and the server, written down.

A recorded run is committed in `recorded/`: one exchange a line, with ids, instants and addresses
replaced so that the next run gives the same text where nothing changed. The tests compare the
*shape* of what they see with it: which calls were made, and which states or errors came of them.
`TERTULIA_RECORD=1` writes it anew.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

Json = Any

_UUID = re.compile(
    r"(?<![0-9a-f])[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}(?![0-9a-f])"
)
_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
_ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+")
_PAGE = re.compile(r'(pageToken=|"(?:nextPageToken|pageToken)": ")[^&"]+')
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_HEADERS = ("a2a-version", "a2a-extensions", "idempotency-key", "content-type", "accept")


@dataclass
class Exchange:
    """A call and what came of it."""

    request: dict[str, Json]
    status: int = 0
    content_type: str = ""
    raw: bytes = b""

    def line(self, binding: str, scenario: str) -> dict[str, Json]:
        """As a line of the recording, not normalised yet."""
        response: dict[str, Json] = {"status": self.status, "content_type": self.content_type}
        if self.content_type.startswith("text/event-stream"):
            response["events"] = [json.loads(data) for data in _events(self.raw)]
        elif self.raw:
            response["body"] = json.loads(self.raw)
        return {
            "binding": binding,
            "scenario": scenario,
            "request": self.request,
            "response": response,
        }


def _events(raw: bytes) -> list[str]:
    found = []
    for block in raw.decode().replace("\r\n", "\n").split("\n\n"):
        data = [line[5:].lstrip() for line in block.split("\n") if line.startswith("data:")]
        if data:
            found.append("\n".join(data))
    return found


@dataclass
class Book:
    """The exchanges of one scenario over one binding."""

    binding: str
    scenario: str
    exchanges: list[Exchange] = field(default_factory=list)

    def lines(self) -> list[dict[str, Json]]:
        """The exchanges, normalised."""
        normal = Normal()
        return [
            normal.of(exchange.line(self.binding, self.scenario)) for exchange in self.exchanges
        ]


class Normal:
    """Replaces what differs from run to run. Equal ids stay equal."""

    def __init__(self) -> None:
        self._ids: dict[str, str] = {}

    def of(self, line: dict[str, Json]) -> dict[str, Json]:
        text = json.dumps(line, ensure_ascii=False)
        text = _DIGEST.sub("sha256:0", text)
        text = _PAGE.sub(r"\g<1>page", text)
        text = _UUID.sub(self._id, text)
        text = _INSTANT.sub("2026-01-01T00:00:00.000Z", text)
        text = _ADDRESS.sub("http://127.0.0.1:7300", text)
        normal: dict[str, Json] = json.loads(text)
        return normal

    def _id(self, found: re.Match[str]) -> str:
        return self._ids.setdefault(found[0], f"id{len(self._ids) + 1}")


class Recorder(httpx.AsyncBaseTransport):
    """The transport of an HTTP client, writing down what passes."""

    def __init__(self, book: Book) -> None:
        self._book = book
        self._inner = httpx.AsyncHTTPTransport()

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        sent = await request.aread()
        headers = {name: request.headers[name] for name in _HEADERS if name in request.headers}
        exchange = Exchange(
            {
                "method": request.method,
                "path": request.url.raw_path.decode(),
                "headers": headers,
                "body": json.loads(sent) if sent else None,
            }
        )
        self._book.exchanges.append(exchange)
        response = await self._inner.handle_async_request(request)
        exchange.status = response.status_code
        exchange.content_type = response.headers.get("content-type", "")
        assert isinstance(response.stream, httpx.AsyncByteStream)
        response.stream = _Tee(response.stream, exchange)
        return response

    async def aclose(self) -> None:
        await self._inner.aclose()


class _Tee(httpx.AsyncByteStream):
    def __init__(self, inner: httpx.AsyncByteStream, exchange: Exchange) -> None:
        self._inner = inner
        self._exchange = exchange

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for chunk in self._inner:
            self._exchange.raw += chunk
            yield chunk

    async def aclose(self) -> None:
        await self._inner.aclose()


class Recording:
    """The recorded run in a file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._writing = os.environ.get("TERTULIA_RECORD") == "1"
        self._new: list[dict[str, Json]] = []
        self._lines: list[dict[str, Json]] = []
        if path.is_file():
            self._lines = [json.loads(line) for line in path.read_text().splitlines()]

    def compare(self, book: Book) -> None:
        """Compares the shape of a scenario with the recorded one, or records it."""
        lines = book.lines()
        if self._writing:
            self._new.extend(lines)
            return
        recorded = [
            line
            for line in self._lines
            if (line["binding"], line["scenario"]) == (book.binding, book.scenario)
        ]
        assert recorded, f"{book.scenario} over {book.binding} is not recorded: TERTULIA_RECORD=1"
        assert [shape(line) for line in lines] == [shape(line) for line in recorded]

    def close(self) -> None:
        """Writes what was recorded; scenarios that were not run keep their lines."""
        if not self._new:
            return
        run = {(line["binding"], line["scenario"]) for line in self._new}
        kept = [line for line in self._lines if (line["binding"], line["scenario"]) not in run]
        # The sort is stable: the exchanges of a scenario keep their order.
        lines = sorted(kept + self._new, key=lambda line: (line["binding"], line["scenario"]))
        self._path.parent.mkdir(exist_ok=True)
        text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines)
        self._path.write_text(text)


def shape(line: Mapping[str, Json]) -> list[str]:
    """Which call was made, and the states or errors that came of it, without repeats.

    Whether a task is still queued or already worked on when it is shown is chance: SUBMITTED is
    taken for WORKING.
    """
    request, response = line["request"], line["response"]
    call = f"{request['method']} {request['path']}"
    if isinstance(request["body"], dict) and "jsonrpc" in request["body"]:
        call += f" {request['body']['method']}"
    bodies = response.get("events") or [response.get("body")]
    came: list[str] = [str(response["status"])]
    for body in bodies:
        for word in _told(body):
            word = word.replace("SUBMITTED", "WORKING")
            if word != came[-1]:
                came.append(word)
    return [call, *came]


def _told(body: Json) -> list[str]:
    if not isinstance(body, dict):
        return []
    if "error" in body:
        return [f"error {body['error']['code']}"]
    body = body.get("result", body)
    if not isinstance(body, dict):
        return []
    if "tasks" in body:
        states = [task["status"]["state"] for task in body["tasks"]]
        return [f"{len(states)} of {body.get('totalSize', 0)}", *states]
    if "task" in body:
        body = body["task"]
    if "message" in body:
        return ["message"]
    if "artifactUpdate" in body:
        return ["artifact"]
    if "statusUpdate" in body:
        body = body["statusUpdate"]
    if "status" in body:
        return [body["status"]["state"]]
    return [f"card of {body['name']}"] if "supportedInterfaces" in body else ["?"]
