"""The deployments specialist of the example, built with the official A2A SDK.

It knows nothing of Tertulia: a peer that reads a question in a data part, asks back through
INPUT_REQUIRED which services count as dependencies, and answers with an artifact.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from a2a.helpers import get_data_parts, get_message_text, new_task_from_user_message
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.events import EventQueue
from a2a.server.tasks import TaskUpdater
from a2a.types import Message, Part
from google.protobuf.json_format import ParseDict
from google.protobuf.struct_pb2 import Value

from evidence import Findings, NoEvidence, instant, read, source, written
from served import serve

Json = Any

AGENT = "deployments"
LOOK_BACK = timedelta(hours=24)


def report(question: Mapping[str, Json], dependencies: list[str]) -> dict[str, Json]:
    """`incident-findings/v1`: what took effect in the day before, latest first."""
    reference = source(question, "deployment-history")
    history = json.loads(read(reference))
    begin = instant(question["window"]["from"]) - LOOK_BACK
    end = instant(question["window"]["to"])
    records = {record["id"]: record for record in history["deployments"]}.values()
    findings = Findings(AGENT, reference)
    candidates, set_aside = [], []
    for record in sorted(records, key=lambda record: instant(record["started_at"]), reverse=True):
        if record["finished_at"] is None or not begin <= instant(record["finished_at"]) <= end:
            continue
        if record["status"] == "failed":
            set_aside.append({"id": record["id"], "reason": "it failed and never took effect"})
        elif record["service"] in (question["service"], *dependencies):
            candidates.append(_candidate(record, findings))
    return {
        "incident": question["incident"],
        "findings": findings.all,
        "missing_data": [],
        "deployments": {
            "searched": {"from": written(begin), "to": written(end)},
            "gaps": [],
            "candidates": candidates,
            "set_aside": set_aside,
        },
    }


def _candidate(record: Mapping[str, Json], findings: Findings) -> dict[str, Json]:
    changes = ", ".join(
        f"{change['key']} from {change['from']} to {change['to']}" for change in record["changes"]
    )
    finished = instant(record["finished_at"])
    statement = (
        f"{record['kind']} {record['version']} of {record['service']} ({record['id']}) was rolled "
        f"out until {written(finished)}, changing {changes or 'no declared settings'}"
    )
    kept = ("id", "service", "kind", "version", "previous", "changes")
    return {name: record[name] for name in kept} | {
        "started_at": written(instant(record["started_at"])),
        "finished_at": written(finished),
        "finding": findings.add(statement, finished, records=[record["id"]]),
    }


def question_of(message: Message) -> Mapping[str, Json] | None:
    """The investigation in a message."""
    for data in get_data_parts(message.parts):
        if isinstance(data, dict) and "evidence" in data:
            return data
    return None


class Deployments(AgentExecutor):
    """Asks which services count as dependencies, then reports."""

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        message = context.message
        assert message is not None
        task = context.current_task
        if task is None:
            task = new_task_from_user_message(message)
            await event_queue.enqueue_event(task)
        updater = TaskUpdater(event_queue, task.id, task.context_id)

        def says(text: str) -> Message:
            return updater.new_agent_message([Part(text=text)])

        asked = next(filter(None, map(question_of, task.history)), None)
        if asked is None:
            await updater.reject(says("the message holds no investigation"))
            return
        await updater.start_work()
        if "dependencies" not in asked and question_of(message):
            question = f"which services count as dependencies of {asked['service']}?"
            await updater.requires_input(says(question))
            return
        try:
            found = report(asked, asked.get("dependencies") or _services(message))
        except NoEvidence as missing:
            await updater.reject(says(str(missing)))
            return
        value = ParseDict(found, Value())
        await updater.add_artifact(
            [Part(data=value, media_type="application/json")], name="incident-findings"
        )
        await updater.complete()

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        assert context.task_id and context.context_id
        await TaskUpdater(event_queue, context.task_id, context.context_id).cancel()


def _services(message: Message) -> list[str]:
    """The services that an answer names, as data or after a colon."""
    for data in get_data_parts(message.parts):
        if isinstance(data, dict) and "dependencies" in data:
            return [str(name) for name in data["dependencies"]]
    _, _, named = get_message_text(message).rpartition(":")
    return [name.strip() for name in named.split(",") if name.strip()]


if __name__ == "__main__":
    serve(Deployments(), AGENT, "Says which changes came before a symptom.")
