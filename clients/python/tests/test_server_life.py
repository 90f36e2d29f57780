"""Against the real server: workers that die, drain, take long or are called off."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
from pathlib import Path

import pytest

from house import DEFINITION, House
from tertulia import Assignment, Client, Context, NotServed, Worker

LEASE_SECONDS = 30.0
"""How long a lease lasts without a heartbeat (SEMANTICS 3)."""


async def test_a_killed_coordinator_resumes_elsewhere_and_repeats_nothing(house: House) -> None:
    specialist = await house.agent("echo")
    heard: list[str] = []

    @specialist.handler
    async def work(ctx: Context, task: Assignment) -> str:
        heard.append(task.text)
        return f"saw {task.text}"

    house.start(specialist)
    await house.agent("coordinator")
    doomed = house.program("coordinator", "coordinator", house.party("echo"), "hold")
    sent = await house.client.send(house.party("coordinator"), "INC-42")
    await doomed.noted("between")
    doomed.kill()

    heir = house.program("coordinator", "coordinator", house.party("echo"))
    task = await house.client.wait(sent.task.id)
    assert task.state == "done", task.raw
    assert task.reply is not None
    result = task.reply.data
    assert (result["first"], result["second"]) == (1, 1)
    assert result["said"] == "saw look into INC-42"
    assert heard == ["look into INC-42"], "the delegation was made once"
    assert heir.notes() == ["first", "between", "between", "second"]
    assert task.attempts == 2


async def test_a_worker_for_an_agent_that_is_not_there_is_told_what_to_do(house: House) -> None:
    worker = Worker(house.name("nobody"), url=house.url)

    @worker.handler
    async def work(ctx: Context, task: Assignment) -> str:
        return "never"

    with pytest.raises(NotServed) as caught:
        await worker.work()
    told = str(caught.value)
    assert f"there is no {house.party('nobody')} at {house.url}" in told
    assert "`tertulia agents add FILE`" in told
    assert caught.value.status == 404


async def test_a_worker_waits_for_a_server_that_is_not_there_yet(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "agents").mkdir()
    definition = DEFINITION.format(name="early", description="Comes early.")
    (tmp_path / "agents" / "early.md").write_text(definition)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    url = f"http://127.0.0.1:{port}"
    worker = Worker("early", url=url)

    @worker.handler
    async def work(ctx: Context, task: Assignment) -> str:
        return f"at last: {task.text}"

    working = asyncio.create_task(worker.work())

    def told() -> list[str]:
        return [one.getMessage() for one in caplog.records if one.name == "tertulia"]

    while not told():
        await asyncio.sleep(0.02)
    assert f"cannot reach the server at {url}" in told()[0]
    command = [os.environ["TERTULIA_BIN"], "dev", "--port", str(port), "--agents", "agents"]
    server = subprocess.Popen(
        command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        async with Client(url) as client, asyncio.timeout(60):
            sent = await client.send("early", "hello")
            task = await client.wait(sent.task.id)
            assert task.reply is not None
            assert task.reply.text == "at last: hello"
        worker.stop()
        await working
        of_worker = [text for text in told() if text.startswith("cannot reach")]
        # The worker's and the client's, each once, however often they tried.
        assert len(of_worker) <= 2, told()
        assert of_worker and f"the server at {url} answers again" in told()
    finally:
        working.cancel()
        server.terminate()
        server.wait(30)


async def test_a_parked_task_needs_no_living_worker(house: House) -> None:
    specialist = await house.agent("echo")
    go = asyncio.Event()
    begun = asyncio.Event()

    @specialist.handler
    async def work(ctx: Context, task: Assignment) -> str:
        begun.set()
        await go.wait()
        return "late but sure"

    house.start(specialist)
    await house.agent("coordinator")
    first = house.program("coordinator", "coordinator", house.party("echo"))
    sent = await house.client.send(house.party("coordinator"), "INC-42")
    await begun.wait()
    first.process.send_signal(signal.SIGTERM)
    assert await first.ended() == 0, "with its only task parked it has nothing to wait for"
    go.set()
    house.program("coordinator", "coordinator", house.party("echo"))
    task = await house.client.wait(sent.task.id)
    assert task.state == "done", task.raw
    assert task.attempts == 1


async def test_sigterm_lets_a_handler_finish(house: House) -> None:
    await house.agent("slow")
    go = house.folder / "go"
    program = house.program("slow", "slow", "60", str(go))
    sent = await house.client.send(house.party("slow"), "this")
    await program.noted("working")
    program.process.send_signal(signal.SIGTERM)
    await program.noted("draining")
    later = await house.client.send(house.party("slow"), "that")
    go.touch()
    assert await program.ended() == 0
    task = await house.client.wait(sent.task.id)
    assert task.reply is not None
    assert task.reply.text == "finished this"
    assert (await house.client.task(later.task.id)).state == "queued", "it claimed nothing more"


async def test_after_the_drain_timeout_another_worker_goes_on(house: House) -> None:
    await house.agent("slow")
    go = house.folder / "go"
    program = house.program("slow", "slow", "0.2", str(go))
    sent = await house.client.send(house.party("slow"), "this")
    await program.noted("working")
    program.process.send_signal(signal.SIGTERM)
    assert await program.ended() == 0
    go.touch()
    house.program("slow", "slow", "60", str(go))
    async with asyncio.timeout(LEASE_SECONDS / 2):
        task = await house.client.wait(sent.task.id)
    assert task.reply is not None
    assert task.reply.text == "finished this"
    assert task.attempts == 1, "giving a lease back counts no attempt"


async def test_heartbeats_keep_a_lease_longer_than_it_lasts(house: House) -> None:
    worker = await house.agent("patient")
    runs: list[int] = []

    @worker.handler
    async def work(ctx: Context, task: Assignment) -> str:
        runs.append(task.attempt)
        await asyncio.sleep(LEASE_SECONDS * 1.2)
        return "at last"

    house.start(worker)
    task = await house.done("patient", "take your time")
    assert task.reply is not None
    assert task.reply.text == "at last"
    assert runs == [1]


async def test_a_cancelled_task_stops_its_handler(house: House) -> None:
    worker = await house.agent("busy")
    begun = asyncio.Event()
    stopped = asyncio.Event()

    @worker.handler
    async def work(ctx: Context, task: Assignment) -> str:
        begun.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            stopped.set()
            raise
        return "never"

    house.start(worker)
    sent = await house.client.send(house.party("busy"), "dig a hole")
    await begun.wait()
    await house.client.cancel(sent.task.id, "no longer needed")
    await stopped.wait()
    assert (await house.client.task(sent.task.id)).state == "cancelled"
