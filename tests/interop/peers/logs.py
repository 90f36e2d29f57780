"""The logs specialist of the example, in its simplest form: a Python worker that applies rules.

It finds when the errors of a service began: the first error of the first kind that comes much more
often than before. Hosts with a wrong clock are corrected by the gateway's lines around theirs.
"""

from __future__ import annotations

import asyncio
import json
import re
import statistics
import sys
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from evidence import Findings, NoEvidence, instant, read, source, written

from tertulia import Assignment, Context, Decline, Worker

Json = Any

AGENT = "logs"
SPAN = timedelta(minutes=5)
ERRORS_MIN = 10
RISE_FACTOR = 5
CLOCK_OFF = 30.0
"""A clock that differs by so many seconds from those around it is wrong."""
CITED = 4

_ACCESS = re.compile(r'^\S+ - - \[([^\]]+)\] "')
_OLD = re.compile(r"^(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d),(\d{3}) (\w+) \[[^\]]*\] (\S+) ")
_CAUSED = re.compile(r"^Caused by: (.+)$")
_KIND = re.compile(r"^[\w.$]+")


@dataclass(frozen=True)
class Event:
    """A line of the service."""

    line: int
    at: datetime
    received: datetime
    host: str
    level: str
    fields: Mapping[str, Json]


def events_of(service: str, text: str) -> list[Event]:
    """The lines of a service, in the order in which they were received."""
    lines = text.split("\n")
    found: list[Event] = []
    received: datetime | None = None
    for number, line in enumerate(lines, start=1):
        if access := _ACCESS.match(line):
            received = datetime.strptime(access[1], "%d/%b/%Y:%H:%M:%S %z")
        elif received is None:
            continue
        elif line.startswith("{"):
            try:
                fields = json.loads(line)
            except ValueError:
                continue
            if fields.get("service") == service:
                at = instant(fields["ts"])
                found.append(Event(number, at, received, fields["host"], fields["level"], fields))
        elif (old := _OLD.match(line)) and old[4].startswith(f"{service}-"):
            at = instant(f"{old[1].replace(' ', 'T')}.{old[2]}Z")
            fields = {"exception": _cause(lines[number : number + 25])}
            found.append(Event(number, at, received, old[4], old[3], fields))
    return found


def _cause(following: list[str]) -> str | None:
    """The cause in the stack trace below a line; lines of others may stand between."""
    for line in following:
        if caused := _CAUSED.match(line):
            return caused[1]
    return None


def clocks(events: list[Event]) -> dict[str, float]:
    """By how many seconds the clock of each host is ahead, where it is wrong."""
    ahead: dict[str, list[float]] = defaultdict(list)
    for event in events:
        ahead[event.host].append((event.at - event.received).total_seconds())
    usual = statistics.median(statistics.median(host) for host in ahead.values())
    off = {host: round(statistics.median(seen) - usual) for host, seen in ahead.items()}
    return {host: seconds for host, seconds in off.items() if abs(seconds) > CLOCK_OFF}


def onset(errors: list[Event], begin: datetime) -> Event | None:
    """The first error of a rise, if there is one."""
    errors = sorted(errors, key=lambda event: event.at)
    for before, first in enumerate(errors):
        now = sum(1 for event in errors[before:] if event.at < first.at + SPAN)
        spans = max((first.at - begin) / SPAN, 1.0)
        if now >= ERRORS_MIN and now >= RISE_FACTOR * before / spans:
            return first
    return None


def report(question: Mapping[str, Json]) -> dict[str, Json]:
    """`incident-findings/v1`."""
    reference = source(question, "log-window")
    service = question["service"]
    events = events_of(service, read(reference))
    if not events:
        raise NoEvidence(f"the log has no lines of {service}")
    wrong = clocks(events)
    events = [
        replace(event, at=event.at - timedelta(seconds=wrong.get(event.host, 0.0)))
        for event in events
    ]
    findings = Findings(AGENT, reference)
    begin, end = min(event.at for event in events), max(event.at for event in events)
    facts: dict[str, Json] = {
        "covers": {"from": written(begin), "to": written(end)},
        "beginning": {"how": "not-seen"},
        "beginning_finding": None,
        "top_signatures": [],
        "neighbours": [],
        "starts": [],
        "printed_settings": _printed(events, findings),
        "wrong_clocks": [
            {"host": host, "seconds_ahead": seconds, "finding": _clock(host, seconds, events, findings)}
            for host, seconds in sorted(wrong.items())
        ],
    }
    if seen := _beginning(events, begin, end):
        facts["beginning"], cited = seen
        statement = (
            f"errors of {service} began at {facts['beginning']['at']}: "
            f"{facts['beginning']['signature']}"
        )
        facts["beginning_finding"] = findings.add(
            statement, instant(facts["beginning"]["at"]), lines=cited
        )
    return {
        "incident": question["incident"],
        "findings": findings.all,
        "missing_data": [],
        "logs": facts,
    }


def _beginning(
    events: list[Event], begin: datetime, end: datetime
) -> tuple[dict[str, Json], list[int]] | None:
    kinds: dict[str, list[Event]] = defaultdict(list)
    for event in events:
        exception = event.fields.get("exception")
        if event.level == "ERROR" and exception and (kind := _KIND.match(exception)):
            kinds[kind[0]].append(event)
    onsets = [(first, errors) for errors in kinds.values() if (first := onset(errors, begin))]
    if not onsets:
        return None
    first, errors = min(onsets, key=lambda found: found[0].at)
    before = sum(1 for event in errors if event.at < first.at)
    after = [event for event in errors if event.at >= first.at]
    seen = {
        "how": "seen",
        "at": written(first.at),
        "line": first.line,
        "host": first.host,
        "signature": first.fields["exception"],
        "before": {"events": before, "minutes": -(-(first.at - begin) // timedelta(minutes=1))},
        "after": {"events": len(after), "minutes": -(-(end - first.at) // timedelta(minutes=1))},
    }
    return seen, [event.line for event in after[:CITED]]


def _printed(events: list[Event], findings: Findings) -> list[dict[str, Json]]:
    """Settings that the service printed when it started, the last time that it did."""
    for event in reversed(events):
        settings = {name: str(value) for name, value in event.fields.items() if "." in name}
        if settings:
            statement = f"{event.host} printed its settings: {json.dumps(settings)}"
            finding = findings.add(statement, event.at, lines=[event.line])
            return [{"settings": settings, "finding": finding}]
    return []


def _clock(host: str, seconds: float, events: list[Event], findings: Findings) -> str:
    of_host = [event for event in events if event.host == host]
    return findings.add(
        f"the clock of {host} is {abs(seconds)} s {'fast' if seconds > 0 else 'slow'}",
        of_host[0].at,
        lines=[event.line for event in of_host[:CITED]],
    )


async def work(ctx: Context, task: Assignment) -> dict[str, Json]:
    """Answers a question about a log window."""
    try:
        return await asyncio.to_thread(report, task.data)
    except NoEvidence as missing:
        raise Decline(str(missing)) from missing


if __name__ == "__main__":
    worker = Worker(AGENT, url=sys.argv[1])
    worker.handler(work)
    print(json.dumps({"agent": AGENT}), flush=True)
    asyncio.run(worker.run())
