"""INC-42 over three programs of two kinds: a Python coordinator, a Python logs worker, and the
deployments specialist as an agent of the official A2A SDK, reached through the `a2a` runner."""

from __future__ import annotations

import asyncio
import json
import shutil
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from conftest import FOLDER, PATIENCE, PeerStarter
from dev import Dev
from remote import definition
from tertulia import Client

Json = Any

EXAMPLE = FOLDER.parents[1] / "examples" / "incident"


@pytest.fixture
async def incident(tmp_path: Path, peer: PeerStarter) -> AsyncIterator[Client]:
    """A server with the agents of the example, the deployments specialist living elsewhere."""
    specialist = peer("deployments")
    agents = tmp_path / "agents"
    agents.mkdir()
    for name in ("coordinator", "logs"):
        shutil.copy(EXAMPLE / "agents" / f"{name}.md", agents)
    (agents / "deployments.md").write_text(definition("deployments", specialist.said["url"]))
    with Dev(tmp_path, "--agents", agents) as dev:
        peer("logs", dev.url)
        peer("coordinator", dev.url)
        async with Client(dev.url) as client, asyncio.timeout(PATIENCE):
            yield client


async def test_inc_42_is_diagnosed_by_programs_of_two_kinds(incident: Client) -> None:
    request = json.loads((EXAMPLE / "evidence" / "inc-42" / "request.json").read_text())
    sent = await incident.send(
        "agent:coordinator", request, contract=request["contract"], work_id="INC-42"
    )
    task = await incident.wait(sent.task.id)
    assert task.state == "done", task.raw
    assert task.reply is not None
    diagnosis = task.reply.data
    assert diagnosis["contract"] == "incident-diagnosis/v1"
    assert diagnosis["status"] == "diagnosed"
    assert diagnosis["onset"].startswith("2026-11-12T14:07:31")
    first, *others = diagnosis["hypotheses"]
    assert "(dep-1848)" in first["statement"]
    assert "payments.client.pool.max from 64 to 8" in first["statement"]
    assert all(other["confidence"] <= 40 for other in others)
    recommended = diagnosis["recommendations"][0]
    assert recommended["action"] == "return checkout from 4.18.0 to 4.17.3"
    assert recommended["needs_approval"]
    assert {finding["author"] for finding in diagnosis["findings"]} == {
        "agent:logs",
        "agent:deployments",
    }
    for finding in diagnosis["findings"]:
        _exists(finding)

    tree = await incident.tree(task.id)
    asked = {one["agent"]: one for one in tree}
    assert list(asked) == ["agent:coordinator", "agent:logs", "agent:deployments"]
    assert {one["state"] for one in tree} == {"done"}
    assert all(one["parent"] == task.id for one in tree[1:])
    assert [len(one["hops"]) for one in tree] == [1, 1, 1], "whoever waits keeps its hop"

    said = (await incident.conversation(asked["agent:deployments"]["conversation"]))["acts"]
    turns = [(act["performative"], act["sender"]) for act in said if act["performative"] != "agree"]
    assert [turn for turn in turns if turn[0] in ("request", "query")] == [
        ("request", "agent:coordinator"),
        ("query", "agent:deployments"),
    ]
    question = next(act for act in said if act["performative"] == "query")
    assert _text(question) == "which services count as dependencies of checkout?"
    answer = next(act for act in said if act.get("ask") and act["sender"] == "agent:coordinator")
    assert answer["performative"] == "inform"
    assert _text(answer) == "dependencies of checkout: payments, cart, inventory"
    assert turns[-1] == ("inform", "agent:deployments")


def _text(act: Mapping[str, Json]) -> str:
    return "\n".join(part["text"] for part in act["parts"] if "text" in part)


def _exists(finding: Mapping[str, Json]) -> None:
    """What a finding cites is there, and is about what it says."""
    for citation in finding["evidence"]:
        text = (EXAMPLE / "evidence" / citation["source"]).read_text(encoding="utf-8-sig")
        lines = text.split("\n")
        assert all(1 <= line <= len(lines) for line in citation.get("lines", []))
        if finding["statement"].startswith("errors of checkout began"):
            assert all("ERROR" in lines[line - 1] for line in citation["lines"])
        if records := citation.get("records"):
            known = {record["id"] for record in json.loads(text)["deployments"]}
            assert set(records) <= known
            assert all(record in finding["statement"] for record in records)
