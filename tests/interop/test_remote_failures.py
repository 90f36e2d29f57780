"""A remote agent, built with the official SDK, that rejects, fails, asks or dies."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import AsyncIterator
from datetime import timedelta

import pytest

from conftest import PeerStarter
from dev import Program
from remote import definition
from tertulia import Client, Task


@pytest.fixture
def wayward(peer: PeerStarter) -> Program:
    """The peer."""
    return peer("wayward")


@pytest.fixture
async def known(house: Client, wayward: Program) -> AsyncIterator[Client]:
    """The house, which knows the peer as agent:wayward."""
    await house.register("wayward", definition("wayward", wayward.said["url"]))
    yield house


async def _ended(house: Client, text: str) -> Task:
    sent = await house.send("agent:wayward", text)
    task = await house.wait(sent.task.id)
    assert task.ended, task.raw
    return task


async def _holds(house: Client, wayward: Program, deadline: timedelta | None = None) -> Task:
    """A task that the peer works on, as the house has heard from it."""
    sent = await house.send("agent:wayward", "hold on", deadline=deadline)
    assert await asyncio.to_thread(wayward.line) == "holding\n"
    while not (task := await house.task(sent.task.id)).raw.get("agreed"):
        await asyncio.sleep(0.05)
    return task


async def test_what_a_peer_does_comes_back_as_a_result(known: Client) -> None:
    task = await _ended(known, "echo hello")
    assert task.state == "done"
    assert task.reply is not None
    assert task.reply.sender == "agent:wayward"
    assert "done: echo hello" in task.reply.text


async def test_what_a_peer_rejects_is_a_refuse(known: Client) -> None:
    task = await _ended(known, "reject this")
    assert (task.state, task.reason) == ("refused", "peer-refused")
    assert task.reply is not None
    assert task.reply.performative == "refuse"
    assert "this is not my work" in task.reply.text


async def test_what_fails_at_a_peer_is_a_failure(known: Client) -> None:
    task = await _ended(known, "fail at this")
    assert (task.state, task.reason) == ("failed", "peer-failed")
    assert task.reply is not None
    assert task.reply.performative == "failure"
    assert "it broke" in task.reply.text


async def test_what_a_peer_asks_goes_up_and_the_answer_reaches_it(known: Client) -> None:
    sent = await known.send("agent:wayward", "ask me")
    waiting = await known.wait(sent.task.id)
    assert waiting.state == "awaiting-clarification"
    assert waiting.question is not None
    assert waiting.question.addressee == "user:dev"
    assert waiting.question.act.text == "which one?"
    await known.answer(waiting.question.ask, "the second")
    done = await known.wait(sent.task.id)
    assert done.state == "done"
    assert done.reply is not None
    assert "you said: the second" in done.reply.text
    assert len((await known.tree(done.id))[0]["hops"]) == 1, "who waits for an answer keeps its hop"


async def test_a_task_that_a_peer_works_on_is_cancelled_there_too(
    known: Client, wayward: Program
) -> None:
    sent = await known.send("agent:wayward", "hold on")
    assert await asyncio.to_thread(wayward.line) == "holding\n"
    await known.cancel(sent.task.id)
    assert (await known.task(sent.task.id)).state == "cancelled"
    assert await asyncio.to_thread(wayward.line) == "cancelled\n"


async def test_a_task_whose_peer_waits_for_our_answer_is_cancelled_there_too(
    known: Client, wayward: Program
) -> None:
    sent = await known.send("agent:wayward", "ask me")
    assert (await known.wait(sent.task.id)).state == "awaiting-clarification"
    await known.cancel(sent.task.id)
    assert (await known.task(sent.task.id)).state == "cancelled"
    assert await asyncio.to_thread(wayward.line) == "cancelled\n"


async def test_a_credential_that_a_peer_waits_for_is_awaited_until_it_is_given(
    known: Client, wayward: Program
) -> None:
    sent = await known.send("agent:wayward", "login first")
    while (await known.task(sent.task.id)).state != "awaiting-authorization":
        await asyncio.sleep(0.05)
    os.kill(wayward.said["pid"], signal.SIGUSR1)
    while not (task := await known.task(sent.task.id)).ended:
        await asyncio.sleep(0.05)
    assert task.state == "done"
    assert task.reply is not None
    assert "logged in" in task.reply.text


async def test_a_peer_that_is_not_there_is_tried_again_until_it_is(
    known: Client, peer: PeerStarter, wayward: Program
) -> None:
    wayward.kill()
    sent = await known.send("agent:wayward", "echo again")
    port = wayward.said["url"].rpartition(":")[2]
    while (await known.task(sent.task.id)).raw["attempts"] < 1:
        await asyncio.sleep(0.05)
    peer("wayward", port)
    task = await known.wait(sent.task.id)
    assert task.state == "done"


async def test_a_peer_that_died_and_stays_away_is_waited_for_until_the_deadline(
    known: Client, wayward: Program
) -> None:
    # It may come back as long as the runner's patience lasts, which is longer than this deadline.
    held = await _holds(known, wayward, deadline=timedelta(seconds=20))
    wayward.kill()
    task = await known.wait(held.id)
    assert (task.state, task.reason) == ("failed", "deadline")


async def test_what_a_peer_forgot_when_it_died_has_an_unknown_outcome(
    known: Client, peer: PeerStarter, wayward: Program
) -> None:
    held = await _holds(known, wayward)
    wayward.kill()
    port = wayward.said["url"].rpartition(":")[2]
    peer("wayward", port)
    task = await known.wait(held.id)
    assert (task.state, task.reason) == ("failed", "outcome-unknown")
