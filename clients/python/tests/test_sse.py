"""The parser of event streams."""

from __future__ import annotations

from tertulia.sse import SseEvent, SseParser


def _events(text: str) -> list[SseEvent]:
    parser = SseParser()
    events = (parser.line(line) for line in text.split("\n"))
    return [event for event in events if event is not None]


def test_events_have_id_name_and_data() -> None:
    text = 'id: 7\nevent: task.working\ndata: {"n":7}\n\nid:8\nevent:task.done\ndata:{"n":8}\n\n'
    assert _events(text) == [
        SseEvent("7", "task.working", '{"n":7}'),
        SseEvent("8", "task.done", '{"n":8}'),
    ]


def test_data_lines_are_joined_and_only_one_space_is_taken() -> None:
    assert _events("data: a\ndata:  b\ndata\n\n") == [SseEvent("", "message", "a\n b\n")]


def test_comments_and_unknown_fields_say_nothing() -> None:
    assert _events(": alive\n\nretry: 5\n\nwhat: ever\n\n") == []


def test_an_id_stays_until_another_comes_and_a_name_does_not() -> None:
    text = "id: 1\nevent: a\ndata: x\n\ndata: y\n\nid: bad\0\ndata: z\n\n"
    assert [(event.id, event.event) for event in _events(text)] == [
        ("1", "a"),
        ("1", "message"),
        ("1", "message"),
    ]


def test_what_is_cut_off_is_no_event() -> None:
    assert _events("id: 1\ndata: half") == []
