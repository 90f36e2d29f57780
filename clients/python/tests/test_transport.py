"""Calls that are repeated, and calls that must not be."""

from __future__ import annotations

import httpx
import pytest

from records import lease, op, played, problem
from tertulia import ApiError, HopFinished, LeaseLost, UnexpectedAnswer, Unreachable
from tertulia.claim import Claim
from tertulia.operations import Operations
from tertulia.transport import Transport


class Failing:
    """Answers with each of these in turn: an exception, or a status."""

    def __init__(self, *answers: Exception | int) -> None:
        self._answers = list(answers)
        self.sent: list[tuple[str | None, bytes]] = []

    def transport(self) -> Transport:
        return Transport("http://house", "key", transport=httpx.MockTransport(self._answer))

    def _answer(self, request: httpx.Request) -> httpx.Response:
        self.sent.append((request.headers.get("Idempotency-Key"), request.content))
        answer = self._answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        body = {"receipt": {"outcome": "said", "act": "act_1"}, "replayed": False, "leases": []}
        return httpx.Response(answer, json=body if answer == 200 else {})


async def test_a_step_is_repeated_under_its_name_until_it_is_answered() -> None:
    failing = Failing(httpx.ConnectError("refused"), httpx.ReadError("cut"), 503, 429, 200)
    transport = failing.transport()
    operations = Operations(transport, lease().token)
    receipt = await operations.do("agree", {}, step="agree/1")
    await transport.close()
    assert receipt.outcome == "said"
    assert failing.sent == [("agree/1", b"{}")] * 5


async def test_a_claim_is_repeated_with_the_same_secret() -> None:
    failing = Failing(httpx.ReadError("cut"), 200)
    transport = failing.transport()
    assert await Claim("logs", 1, "worker").send(transport, 0.0) == []
    await transport.close()
    assert failing.sent[0] == failing.sent[1]


def test_each_claim_draws_its_own_secret_and_does_not_show_it() -> None:
    one, other = Claim("logs", 1, "worker"), Claim("logs", 1, "worker")
    assert len(bytes.fromhex(one.secret)) == 16
    assert len({one.secret, other.secret, one.request_id, other.request_id}) == 4
    assert one.secret not in repr(one)
    assert lease().token not in repr(lease())


async def test_a_server_that_is_away_is_told_of_once(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO", logger="tertulia")
    failing = Failing(*[httpx.ConnectError("refused")] * 3, 200)
    transport = failing.transport()
    assert await Claim("logs", 1, "worker").send(transport, 0.0) == []
    await transport.close()
    away, back = (record.getMessage() for record in caplog.records)
    assert away.startswith("cannot reach the server at http://house (refused): trying again")
    assert back == "the server at http://house answers again"


def test_an_address_or_a_key_that_is_none_is_told_at_once() -> None:
    with pytest.raises(ValueError, match="write http://HOST:PORT"):
        Transport("127.0.0.1:7300", None)
    for key in ("é", "a b", "a\n"):
        with pytest.raises(ValueError, match="the key holds characters"):
            Transport("http://house", key)


async def test_repeats_end_when_patience_does() -> None:
    failing = Failing(503, 503, 503)
    transport = failing.transport()
    with pytest.raises(Unreachable, match="http://house did not take GET /v1/asks .* 503"):
        await transport.call("GET", "/v1/asks", repeat_for=0.0)
    await transport.close()


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (409, "lease-lost", LeaseLost),
        (409, "hop-finished", HopFinished),
        (400, "malformed", ApiError),
    ],
)
async def test_problems_are_exceptions(status: int, code: str, kind: type[ApiError]) -> None:
    transport = played(problem("agree", status, code))
    with pytest.raises(kind) as caught:
        await Operations(transport, "token").do("agree", {}, step="a")
    await transport.close()
    assert type(caught.value) is kind
    assert (caught.value.status, caught.value.code) == (status, code)


async def test_an_answer_that_is_none_is_an_error_of_its_own() -> None:
    transport = played(op("agree", {"no": "outcome"}))
    with pytest.raises(UnexpectedAnswer):
        await Operations(transport, "token").do("agree", {}, step="a")
    await transport.close()
