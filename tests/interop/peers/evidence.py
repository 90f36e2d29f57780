"""The frozen evidence of the example, read by reference and only in the version referred to."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

Json = Any

ARCHIVE = Path(__file__).resolve().parents[3] / "examples" / "incident" / "evidence"
INVESTIGATION = "incident-investigation/v1"
DIAGNOSIS = "incident-diagnosis/v1"


class NoEvidence(Exception):
    """What a question refers to cannot be had; the text says why."""


def source(question: Mapping[str, Json], kind: str) -> Mapping[str, Json]:
    """The reference of one kind that a question makes."""
    for found in question["evidence"]:
        if found["kind"] == kind:
            reference: Mapping[str, Json] = found
            return reference
    raise NoEvidence(f"the question refers to no {kind}; add a reference to one under `evidence`")


def read(reference: Mapping[str, Json]) -> str:
    """The text of a piece of evidence. Raises `NoEvidence` if it is not the one referred to."""
    path = (ARCHIVE / str(reference["uri"])).resolve()
    if not path.is_relative_to(ARCHIVE) or not path.is_file():
        raise NoEvidence(f"there is no evidence {reference['uri']}")
    content = path.read_bytes()
    digest = f"sha256:{hashlib.sha256(content).hexdigest()}"
    if digest != reference["digest"]:
        raise NoEvidence(f"{reference['uri']} is {digest} and not the one referred to")
    return content.decode("utf-8-sig", errors="replace")


def instant(text: str) -> datetime:
    """An instant, whatever the zone it was written in."""
    return datetime.fromisoformat(text).astimezone(UTC)


def written(at: datetime) -> str:
    """An instant as it is handed on."""
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


class Findings:
    """Facts of one agent, each with the evidence that it cites."""

    def __init__(self, agent: str, reference: Mapping[str, Json]) -> None:
        self._agent = agent
        self._reference = reference
        self.all: list[dict[str, Json]] = []

    def add(self, statement: str, at: datetime, **cited: list[int] | list[str]) -> str:
        """Adds a fact that cites `lines=` or `records=`, and returns its id."""
        name = f"{self._agent}-{len(self.all) + 1}"
        citation = {"source": self._reference["uri"], "digest": self._reference["digest"], **cited}
        self.all.append(
            {
                "id": name,
                "statement": statement,
                "evidence": [citation],
                "observed_at": written(at),
                "author": f"agent:{self._agent}",
            }
        )
        return name
