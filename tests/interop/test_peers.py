"""The peers by themselves, called with the official client: where a test of the runner fails, this
tells whose fault it is."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import httpx
from a2a.client import A2ACardResolver, Client, ClientConfig, ClientFactory
from a2a.helpers import get_artifact_text, get_data_parts, get_message_text, new_data_part
from a2a.types import Message, Part, Role, SendMessageRequest, Task, TaskState

from conftest import FOLDER, PeerStarter
from dev import Program

Json = Any


async def _client(http: httpx.AsyncClient, peer: Program) -> Client:
    card = await A2ACardResolver(http, peer.said["url"]).get_agent_card()
    return ClientFactory(ClientConfig(streaming=False, httpx_client=http)).create(card)


async def _sent(client: Client, *parts: Part, task: str = "") -> Task:
    message = Message(message_id="m", role=Role.ROLE_USER, parts=parts, task_id=task)
    answers = [one async for one in client.send_message(SendMessageRequest(message=message))]
    assert len(answers) == 1
    return answers[0].task


async def test_the_specialist_asks_for_the_dependencies_and_reports(peer: PeerStarter) -> None:
    evidence = FOLDER.parents[1] / "examples" / "incident" / "evidence"
    question: dict[str, Json] = json.loads((evidence / "inc-42" / "request.json").read_text())
    services = question.pop("dependencies")
    async with httpx.AsyncClient(timeout=60) as http:
        client = await _client(http, peer("deployments"))
        asked = await _sent(client, new_data_part(question))
        assert asked.status.state == TaskState.TASK_STATE_INPUT_REQUIRED
        told = get_message_text(asked.status.message)
        assert told == "which services count as dependencies of checkout?"
        answer = Part(text=f"dependencies of checkout: {', '.join(services)}")
        done = await _sent(client, answer, task=asked.id)
        assert done.status.state == TaskState.TASK_STATE_COMPLETED
        report: Mapping[str, Json] = get_data_parts(done.artifacts[0].parts)[0]
        assert [one["id"] for one in report["deployments"]["candidates"]] == [
            "dep-1849",
            "dep-1848",
            "dep-1845",
            "dep-1843",
            "dep-1842",
        ]
        question["evidence"] = []
        rejected = await _sent(client, new_data_part(question | {"dependencies": services}))
        assert rejected.status.state == TaskState.TASK_STATE_REJECTED


async def test_the_wayward_peer_ends_its_tasks_as_it_is_told(peer: PeerStarter) -> None:
    async with httpx.AsyncClient(timeout=60) as http:
        wayward = peer("wayward")
        client = await _client(http, wayward)
        ends = {
            "echo hello": TaskState.TASK_STATE_COMPLETED,
            "reject this": TaskState.TASK_STATE_REJECTED,
            "fail at this": TaskState.TASK_STATE_FAILED,
            "ask me": TaskState.TASK_STATE_INPUT_REQUIRED,
        }
        for text, state in ends.items():
            task = await _sent(client, Part(text=text))
            assert task.status.state == state, text
        done = await _sent(client, Part(text="the second"), task=task.id)
        assert get_artifact_text(done.artifacts[0]) == "you said: the second"
        holding = asyncio.create_task(_sent(client, Part(text="hold on")))
        assert await asyncio.to_thread(wayward.line) == "holding\n"
        assert not holding.done()
        holding.cancel()


async def test_the_bench_peer_completes_a_task_with_one_artifact(peer: PeerStarter) -> None:
    async with httpx.AsyncClient(timeout=60) as http:
        task = await _sent(await _client(http, peer("sdk_server")), Part(text="exchange 1"))
        assert task.status.state == TaskState.TASK_STATE_COMPLETED
        assert [get_artifact_text(one) for one in task.artifacts] == ["done"]
