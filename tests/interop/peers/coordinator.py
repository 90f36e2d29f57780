"""The coordinator of the example as a Python worker: plain code that delegates and merges.

It asks two specialists at the same time, answers what one of them asks back from the request, and
merges their reports into `incident-diagnosis/v1`.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any

from evidence import DIAGNOSIS, INVESTIGATION, instant

from tertulia import Ask, Assignment, Branch, Context, Decline, Part, Parts, Reply, Worker

Json = Any

AGENT = "coordinator"
DIAGNOSED_MIN = 60
SHORTLY = timedelta(minutes=15)
HYPOTHESES_MAX = 3

worker = Worker(AGENT, url=sys.argv[1] if len(sys.argv) > 1 else "")


@worker.handler
async def work(ctx: Context, task: Assignment) -> Json:
    """From an investigation to a diagnosis."""
    asked = task.data
    if not isinstance(asked, dict) or asked.get("contract") != INVESTIGATION:
        raise Decline(f"I take {INVESTIGATION}")
    await ctx.progress(f"asking what the logs and the deployments of {asked['service']} show")
    logs, deployments = await ctx.delegate_all(
        [
            _branch("agent:logs", asked, "log-window", "when did the errors begin?"),
            _branch("agent:deployments", asked, "deployment-history", "which changes came before?"),
        ]
    )
    return diagnosis(asked, _report(logs, "logs"), _report(deployments, "deployments"))


@worker.on_question
async def on_question(ctx: Context, question: Ask) -> Parts:
    """Answers a specialist from the request, or asks upwards what the request does not say."""
    asked = ctx.task.data
    if "dependenc" not in question.text or "dependencies" not in asked:
        return (await ctx.ask(question.parts)).parts
    names = asked["dependencies"]
    text = f"dependencies of {asked['service']}: {', '.join(names)}"
    return Parts.of(Part(text=text), Part(data={"dependencies": names}))


def _branch(to: str, asked: Mapping[str, Json], kind: str, objective: str) -> Branch:
    """A question with the evidence that its addressee reads, and nothing more."""
    question = {name: asked[name] for name in ("incident", "service", "window", "symptom")}
    question |= {
        "contract": INVESTIGATION,
        "questions": [f"{asked['incident']}: {objective}"],
        "evidence": [source for source in asked["evidence"] if source["kind"] == kind],
    }
    return Branch(to, question, contract=INVESTIGATION)


def _report(reply: Reply, agent: str) -> Mapping[str, Json]:
    """What a specialist reported; if it did not, what is missing because of that."""
    if reply.ok and isinstance(reply.data, dict):
        report: Mapping[str, Json] = reply.data
        return report
    missing = {
        "what": f"the report of agent:{agent}",
        "why_it_matters": f"it answered {reply.performative} {reply.reason}: {reply.message}",
        "where_to_look": "ask it again, or see in the conversation why it did not answer",
    }
    return {"findings": [], "missing_data": [missing]}


def diagnosis(
    asked: Mapping[str, Json], logs: Mapping[str, Json], deployments: Mapping[str, Json]
) -> dict[str, Json]:
    """Merges the reports: facts, hypotheses apart from them, what is missing, what may be done."""
    beginning = logs.get("logs", {}).get("beginning", {"how": "not-seen"})
    missing = [*logs["missing_data"], *deployments["missing_data"]]
    judged = []
    if beginning["how"] == "seen":
        candidates = deployments.get("deployments", {}).get("candidates", [])
        judged = _judged(asked["service"], beginning, logs["logs"], candidates)
    diagnosed = bool(judged) and judged[0]["confidence"] >= DIAGNOSED_MIN
    if not diagnosed and not missing:
        missing.append(
            {
                "what": "a change that the errors point to",
                "why_it_matters": "being close in time is not enough",
                "where_to_look": "a longer history, or the logs of the dependencies",
            }
        )
    hypotheses = [
        {name: value for name, value in one.items() if name != "candidate"}
        | {"id": f"hypothesis-{n}"}
        for n, one in enumerate(judged[:HYPOTHESES_MAX], start=1)
    ]
    found: dict[str, Json] = {
        "contract": DIAGNOSIS,
        "root_incident": asked["incident"],
        "service": asked["service"],
        "status": "diagnosed" if diagnosed else "insufficient-evidence",
        "summary": hypotheses[0]["statement"] if diagnosed else "the evidence does not suffice",
        "findings": [*logs["findings"], *deployments["findings"]],
        "hypotheses": hypotheses,
        "ruled_out": [],
        "missing_data": missing,
        "recommendations": [_recommended(judged[0]["candidate"] if diagnosed else None)],
    }
    if beginning["how"] == "seen":
        found["onset"] = beginning["at"]
    return found


def _judged(
    service: str,
    beginning: Mapping[str, Json],
    logs: Mapping[str, Json],
    candidates: Sequence[Mapping[str, Json]],
) -> list[dict[str, Json]]:
    """What speaks for each change that began before the errors, the most convincing first."""
    onset = instant(beginning["at"])
    shown = set(re.findall(r"\w+", beginning["signature"]))
    judged = []
    for candidate in candidates:
        if instant(candidate["started_at"]) > onset:
            continue
        based_on = [logs["beginning_finding"], candidate["finding"]]
        matching = [
            change
            for change in candidate["changes"]
            if change["to"] in shown and set(re.split(r"[._]", change["key"])) & shown
        ]
        points = 20 if candidate["service"] == service else 5
        points += 20 if onset - instant(candidate["finished_at"]) <= SHORTLY else 0
        points += 35 if matching else 0
        for printed in logs["printed_settings"]:
            if any(printed["settings"].get(one["key"]) == one["to"] for one in matching):
                points += 20
                based_on.append(printed["finding"])
        changes = " and ".join(f"{one['key']} from {one['from']} to {one['to']}" for one in matching)
        title = f"{candidate['kind']} {candidate['version']} of {candidate['service']}"
        judged.append(
            {
                "statement": f"{title} ({candidate['id']}) brought the errors: it changed {changes}"
                if matching
                else f"{title} ({candidate['id']}) came before the errors, which name none of it",
                "confidence": points,
                "based_on": based_on,
                "against": [],
                "would_confirm": [f"the errors end where {candidate['id']} is taken back"],
                "candidate": candidate,
            }
        )
    return sorted(judged, key=lambda one: -one["confidence"])


def _recommended(candidate: Mapping[str, Json] | None) -> dict[str, Json]:
    if candidate is None:
        return {
            "action": "take no change back on this evidence alone",
            "why": "no recorded change is shown to have brought the errors",
            "based_on": [],
            "needs_approval": False,
        }
    return {
        "action": f"return {candidate['service']} from {candidate['version']} "
        f"to {candidate['previous']}",
        "why": "it undoes the change that most likely brought the errors",
        "based_on": ["hypothesis-1"],
        "needs_approval": True,
    }


if __name__ == "__main__":
    print(json.dumps({"agent": AGENT}), flush=True)
    asyncio.run(worker.run())
