"""A server that dies after it took a message, over each binding: nothing that it acknowledged is lost,
and whoever heard nothing asks again with the same key."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import httpx
import pytest

from conftest import FOLDER, PATIENCE
from dev import Dev
from tertulia import Assignment, Context, Worker

KEY = {"Idempotency-Key": "only-once", "A2A-Version": "1.0"}
Json = Any


def _start(folder: Path) -> Dev:
    return Dev(folder, "--agents", FOLDER / "agents")


def _message(immediately: bool) -> Json:
    message = {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "echo after all"}]}
    return {"message": message, "configuration": {"returnImmediately": immediately}}


async def _send(http: httpx.AsyncClient, binding: str, url: str, immediately: bool) -> Json:
    at = f"{url}/a2a/helper"
    params = _message(immediately)
    if binding == "HTTP+JSON":
        answer = await http.post(f"{at}/message:send", json=params, headers=KEY)
        return answer.raise_for_status().json()["task"]
    call = {"jsonrpc": "2.0", "id": "1", "method": "SendMessage", "params": params}
    answer = await http.post(at, json=call, headers=KEY)
    return answer.raise_for_status().json()["result"]["task"]


async def _echo(ctx: Context, task: Assignment) -> str:
    return f"done: {task.text}"


@pytest.mark.parametrize("binding", ["JSONRPC", "HTTP+JSON"])
async def test_a_message_outlives_the_server_that_took_it(binding: str, tmp_path: Path) -> None:
    async with httpx.AsyncClient(timeout=60) as http, asyncio.timeout(PATIENCE):
        with _start(tmp_path) as dying:
            taken = await _send(http, binding, dying.url, immediately=True)
            assert taken["status"]["state"] == "TASK_STATE_SUBMITTED"
            dying.kill()
        with _start(tmp_path) as risen:
            worker = Worker("helper", url=risen.url, poll=5.0, drain_timeout=5.0)
            worker.handler(_echo)
            working = asyncio.create_task(worker.work())
            # The other binding knows the key as well: it is the caller's, whatever carries it.
            other = "JSONRPC" if binding == "HTTP+JSON" else "HTTP+JSON"
            for again in (binding, other):
                done = await _send(http, again, risen.url, immediately=False)
                assert done["id"] == taken["id"]
                assert done["status"]["state"] == "TASK_STATE_COMPLETED"
                assert done["artifacts"][0]["parts"] == [{"text": "done: echo after all"}]
            worker.hurry()
            await working
