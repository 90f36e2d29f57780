"""Names of steps, and the journal of those that were recorded."""

from __future__ import annotations

import hashlib

import pytest

from records import accepted, lease, step, task
from tertulia import ReplayDiverged, StepNameReused
from tertulia.steps import Journal, Names, canonical, recorded_as


def test_the_default_name_is_the_digest_of_what_is_sent_and_its_occurrence() -> None:
    names = Names()
    content = b'{"body":{"parts":[{"text":"caf\xc3\xa9"}]},"operation":"progress"}'
    digest = hashlib.sha256(content).hexdigest()[:32]
    body = {"parts": [{"text": "café"}]}
    assert names.default("progress", body) == f"progress/{digest}/1"
    assert names.default("progress", body) == f"progress/{digest}/2"
    assert names.default("ask", body) != f"progress/{digest}/3"


def test_the_order_of_members_does_not_change_a_name() -> None:
    one = Names().default("delegate", {"to": "agent:logs", "parts": []})
    other = Names().default("delegate", {"parts": [], "to": "agent:logs"})
    assert one == other


def test_what_json_does_not_have_is_refused() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical({"n": float("nan")})


def test_steps_made_for_a_question_are_kept_under_its_ask() -> None:
    assert recorded_as("look", None) == "look"
    assert recorded_as("look", "ask_1") == "ask_1/look"


def test_an_explicit_name_is_used_once_in_a_run() -> None:
    names = Names()
    assert names.explicit("fetch") == "fetch"
    with pytest.raises(StepNameReused, match="fetch"):
        names.explicit("fetch")


@pytest.mark.parametrize("name", ["", "answer/ask_1", "x" * 201, "é" * 101])
def test_names_that_cannot_be(name: str) -> None:
    with pytest.raises(ValueError):
        Names().explicit(name)


def test_what_was_come_to_is_told_once_and_what_was_not_is_known() -> None:
    recorded = lease(
        steps=[
            step("one", 1, {"outcome": "recorded", "value": 1}),
            step("two", 2, accepted(task(2))),
            step("answer/ask_3", 3, {"outcome": "answered", "ask": "ask_3", "act": "act_9"}),
            step("ask_3/look", 4, {"outcome": "recorded", "value": 4}, handling="ask_3"),
        ]
    ).steps
    journal = Journal(recorded)
    assert [one.name for one in journal.unread()] == ["one", "two"]
    assert journal.find("new", ("recorded",)) is None
    found = journal.find("one", ("recorded",))
    assert found is not None
    assert found.receipt.value == 1
    assert journal.find("one", ("recorded",)) is found
    assert journal.find("ask_3/look", ("recorded",)) is not None
    assert journal.unreported() == (1,), "what was made for a question is not read again"
    journal.report((1,))
    assert journal.unreported() == ()
    assert [one.name for one in journal.unread()] == ["two"]
    assert journal.answered("ask_3")
    assert not journal.answered("ask_4")


def test_a_name_that_now_means_something_else_diverges() -> None:
    recorded = lease(steps=[step("one", 1, {"outcome": "recorded", "value": 1})]).steps
    with pytest.raises(ReplayDiverged) as caught:
        Journal(recorded).find("one", ("accepted",))
    assert caught.value.expected == "step `one` (number 1, `recorded`)"
    assert caught.value.made == "another kind of step under that name (accepted)"
