"""Recorded JSON for the tests that need no server, and a connection that plays it back.

Nothing of Tertulia is imitated here: a test says which calls it expects, in order, and what each
was answered. Any other call fails the test.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from tertulia.execution import Execution
from tertulia.lease import Lease
from tertulia.parts import Json
from tertulia.run import Handlers
from tertulia.transport import Transport

_LEASE = json.loads((Path(__file__).parent / "recorded" / "lease.json").read_text())
ROOT = "0199d0a1c5f27a40b1c2d3e4f5061728"


def lease(**changes: Json) -> Lease:
    """The recorded lease with some members changed."""
    return Lease.read(copy.deepcopy(_LEASE) | changes)


def act(performative: str, text: str = "", sender: str = "agent:logs", **more: Json) -> Json:
    """An act as the API shows it."""
    recorded: Json = copy.deepcopy(_LEASE["act"])
    parts = [{"text": text}] if text else []
    return recorded | {"performative": performative, "sender": sender, "parts": parts} | more


def task(n: int, state: str = "working", reply: Json = None, **more: Json) -> Json:
    """A child as the API shows it."""
    recorded: Json = copy.deepcopy(_LEASE["task"])
    named = {"id": f"task_{ROOT}_{n}", "agent": "agent:logs", "group": f"grp_{ROOT}_9"}
    recorded |= named | {"state": state} | more
    return recorded | ({"reply": reply} if reply else {})


def ask(n: int, state: str = "open", question: str = "which?", answer: Json = None) -> Json:
    """An ask as the API shows it."""
    return {
        "id": f"ask_{ROOT}_{n}",
        "asker": f"task_{ROOT}_1",
        "addressee": "user:ana",
        "state": state,
        "deadline": "2026-03-02T10:00:00.000Z",
        "question": act("query", question),
        "answer": answer,
        "prompt": ["the question, rendered"],
        "answer_prompt": ["the answer, rendered"] if answer else [],
    }


def group(state: str, arrived: Sequence[int], mode: Json = "all", **more: Json) -> Json:
    """A group as the API shows it."""
    return {
        "id": f"grp_{ROOT}_9",
        "mode": mode,
        "state": state,
        "ended": len(arrived),
        "results": len(arrived),
        "arrived": [f"task_{ROOT}_{n}" for n in arrived],
    } | more


def refused(reason: str, **detail: Json) -> Json:
    """A receipt of a refusal."""
    said = act("refuse", sender="engine", reason=reason, message="it says why", detail=detail)
    return {"outcome": "refused", "act": said, "task": None}


def accepted(child: Json) -> Json:
    """A receipt of a delegation."""
    return {"outcome": "accepted", "task": child, "act": "act_1"}


def step(name: str, ordinal: int, receipt: Json, handling: str | None = None) -> Json:
    """A recorded step."""
    recorded = {"name": name, "ordinal": ordinal, "receipt": receipt}
    return recorded | ({"handling": handling} if handling else {})


@dataclass
class Call:
    """A call that is expected, what it is answered, and the request that came."""

    path: str
    answer: Json
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    sent: httpx.Request | None = None

    @property
    def body(self) -> Json:
        """What was sent."""
        assert self.sent is not None, f"{self.path} was not called"
        return json.loads(self.sent.content)

    def header(self, name: str) -> str | None:
        """A header of what was sent."""
        assert self.sent is not None, f"{self.path} was not called"
        value: str | None = self.sent.headers.get(name)
        return value


def op(operation: str, receipt: Json) -> Call:
    """An operation under the hop token, and its receipt."""
    return Call(f"/v1/hops/{operation}", {"receipt": receipt, "replayed": False})


def problem(operation: str, status: int, code: str) -> Call:
    """An operation that cannot be carried out."""
    body = {"type": f"urn:tertulia:problem:{code}", "code": code, "detail": "it says why"}
    return Call(f"/v1/hops/{operation}", body, status)


def played(*calls: Call) -> Transport:
    """A transport on which exactly these calls are made, in this order."""
    waiting = list(calls)

    def answer(request: httpx.Request) -> httpx.Response:
        assert waiting, f"{request.method} {request.url.path} was not expected"
        call = waiting.pop(0)
        assert request.url.path == call.path
        call.sent = request
        return httpx.Response(call.status, json=call.answer, headers=dict(call.headers))

    return Transport("http://house", None, transport=httpx.MockTransport(answer))


async def run(lease: Lease, handlers: Handlers, *calls: Call) -> None:
    """Runs a lease to its end, with exactly these calls."""
    transport = played(*calls)
    try:
        await Execution(lease, transport, handlers).work()
    finally:
        await transport.close()
    for call in calls:
        assert call.sent is not None, f"{call.path} was expected and not called"
