"""What a handler says, as parts and artifacts."""

from __future__ import annotations

from datetime import timedelta

import pytest

from tertulia import Artifact, Branch, FileRef, Part, Parts, Result
from tertulia.parts import Content, Json, to_parts


@pytest.mark.parametrize(
    ("content", "wire"),
    [
        ("hello", [{"text": "hello"}]),
        ("", []),
        (None, []),
        ({"a": 1}, [{"data": {"a": 1}}]),
        ([1, "two"], [{"data": [1, "two"]}]),
        ((1, 2), [{"data": [1, 2]}]),
        ({}, [{"data": {}}]),
        (3, [{"data": 3}]),
        (False, [{"data": False}]),
        (Part(data=None), [{"data": None}]),
        (Part(text=""), [{"text": ""}]),
        (
            Part(file=FileRef(digest="sha256:1", name="a.txt"), media_type="text/plain"),
            [{"file": {"digest": "sha256:1", "name": "a.txt"}, "media_type": "text/plain"}],
        ),
        (Parts.of("see", {"n": 1}), [{"text": "see"}, {"data": {"n": 1}}]),
    ],
)
def test_contents_become_parts(content: Content, wire: Json) -> None:
    assert to_parts(content).wire() == wire


def test_parts_read_back() -> None:
    wire: Json = [
        {"text": "a", "media_type": "text/markdown", "metadata": {"k": 1}},
        {"data": {"n": [1, None]}},
        {"file": {"url": "https://example.org/x"}},
        {"text": "b"},
    ]
    parts = Parts.read(wire)
    assert parts.wire() == wire
    assert parts.text == "a\nb"
    assert parts.data == {"n": [1, None]}
    assert Parts.read(None).data is None


@pytest.mark.parametrize("content", [b"bytes", object(), [Part(text="x")]])
def test_what_is_no_content_is_refused(content: Json) -> None:
    with pytest.raises(TypeError):
        to_parts(content)


def test_artifacts_carry_text_data_or_bytes() -> None:
    result = Result(
        "see the attachments",
        [
            Artifact("a", "text/plain", text=""),
            Artifact("b", "application/json", data=[1]),
            Artifact("c", "application/octet-stream", content=b"\x00\xff"),
        ],
    )
    assert result.wire() == {
        "parts": [{"text": "see the attachments"}],
        "artifacts": [
            {"name": "a", "media_type": "text/plain", "text": ""},
            {"name": "b", "media_type": "application/json", "data": [1]},
            {"name": "c", "media_type": "application/octet-stream", "base64": "AP8="},
        ],
    }


def test_a_branch_sends_what_was_said_and_nothing_more() -> None:
    assert Branch("agent:logs").wire() == {
        "to": "agent:logs",
        "performative": "request",
        "parts": [],
    }
    assert Branch(
        "agent:logs",
        "look",
        performative="query",
        contract="c/v1",
        deadline=timedelta(minutes=1.5),
        work_id="INC-42",
        new_conversation=True,
    ).wire() == {
        "to": "agent:logs",
        "performative": "query",
        "parts": [{"text": "look"}],
        "contract": {"name": "c/v1"},
        "deadline_ms": 90_000,
        "work_id": "INC-42",
        "new_conversation": True,
    }
