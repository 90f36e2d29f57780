"""Server-sent events: the lines of a stream as events, with the id to go on from."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class SseEvent:
    """One event of a stream. `id` is the last one that the stream has named."""

    id: str
    event: str
    data: str


class SseParser:
    """Takes a stream line by line, without line ends, and gives each event when it is whole."""

    def __init__(self) -> None:
        self._id = ""
        self._event = ""
        self._data: list[str] = []

    def line(self, line: str) -> SseEvent | None:
        """Takes one line; an empty one ends an event."""
        if not line:
            return self._dispatch()
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._event = value
        elif name == "id" and "\0" not in value:
            self._id = value
        # Anything else is a comment (an empty name: a sign of life), `retry`, or unknown.
        return None

    def _dispatch(self) -> SseEvent | None:
        event, data = self._event or "message", self._data
        self._event, self._data = "", []
        return SseEvent(self._id, event, "\n".join(data)) if data else None
