"""Parts and artifacts: what an act says, on its way out.

A handler hands in plain values: a `str` is a text part, a `dict` or a `list` (or a number or a
boolean) is one data part, `Part` is itself, and a `Parts` holds several. `Result` adds artifacts.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

Json: TypeAlias = Any
"""A JSON value: what `json.loads` gives."""


@dataclass(frozen=True, slots=True)
class FileRef:
    """A reference to a file: an artifact of the root by digest, or a place outside by address."""

    digest: str | None = None
    url: str | None = None
    name: str | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """One part of a body: exactly one of `text`, `data` and `file`."""

    text: str | None = None
    data: Json = None
    file: FileRef | None = None
    media_type: str | None = None
    metadata: Mapping[str, Json] = field(default_factory=dict)

    def wire(self) -> dict[str, Json]:
        """As it is sent."""
        if self.text is not None:
            wire: dict[str, Json] = {"text": self.text}
        elif self.file is not None:
            named = {"digest": self.file.digest, "url": self.file.url, "name": self.file.name}
            wire = {"file": {name: value for name, value in named.items() if value is not None}}
        else:
            wire = {"data": self.data}
        if self.media_type is not None:
            wire["media_type"] = self.media_type
        if self.metadata:
            wire["metadata"] = dict(self.metadata)
        return wire

    @classmethod
    def read(cls, wire: Mapping[str, Json]) -> Part:
        """From what was received."""
        file = wire.get("file")
        return cls(
            text=wire.get("text"),
            data=wire.get("data"),
            file=FileRef(**{n: file.get(n) for n in ("digest", "url", "name")}) if file else None,
            media_type=wire.get("media_type"),
            metadata=wire.get("metadata") or {},
        )


class Parts(tuple[Part, ...]):
    """The parts of an act, in order."""

    __slots__ = ()

    @classmethod
    def of(cls, *contents: Content) -> Parts:
        """Several contents as one sequence of parts: `Parts.of("see the data", {"n": 1})`."""
        return cls(part for content in contents for part in to_parts(content))

    @classmethod
    def read(cls, wire: Sequence[Mapping[str, Json]] | None) -> Parts:
        """From what was received."""
        return cls(Part.read(part) for part in wire or ())

    def wire(self) -> list[dict[str, Json]]:
        """As they are sent."""
        return [part.wire() for part in self]

    @property
    def text(self) -> str:
        """The text parts, joined by line breaks."""
        return "\n".join(part.text for part in self if part.text is not None)

    @property
    def data(self) -> Json:
        """The value of the first data part; None if there is none."""
        for part in self:
            if part.text is None and part.file is None:
                return part.data
        return None


Content: TypeAlias = (
    "str | bool | int | float | Mapping[str, Json] | Sequence[Json] | Part | Parts | None"
)
"""What can be said: see the module's text."""


def to_parts(content: Content) -> Parts:
    """What `content` says, as parts. None and the empty text say nothing."""
    if isinstance(content, Parts):
        return content
    if isinstance(content, Part):
        return Parts((content,))
    if content is None or content == "":
        return Parts()
    if isinstance(content, str):
        return Parts((Part(text=content),))
    if isinstance(content, Mapping):
        return Parts((Part(data=dict(content)),))
    if isinstance(content, (bool, int, float)):
        return Parts((Part(data=content),))
    if isinstance(content, Sequence) and not isinstance(content, (bytes, bytearray)):
        if any(isinstance(item, Part) for item in content):
            raise TypeError("put parts together with Parts.of(…): a list is one data part")
        return Parts((Part(data=list(content)),))
    raise TypeError(
        f"a {type(content).__name__} is no content: hand in a str, JSON data, Part, Parts or Result"
    )


@dataclass(frozen=True, slots=True)
class Artifact:
    """A named value that goes with an act: exactly one of `text`, `data` and `content` (bytes)."""

    name: str
    media_type: str
    text: str | None = None
    data: Json = None
    content: bytes | None = None

    def wire(self) -> dict[str, Json]:
        """As it is sent."""
        wire: dict[str, Json] = {"name": self.name, "media_type": self.media_type}
        if self.content is not None:
            wire["base64"] = base64.b64encode(self.content).decode("ascii")
        elif self.text is not None:
            wire["text"] = self.text
        else:
            wire["data"] = self.data
        return wire


@dataclass(frozen=True, slots=True)
class ArtifactRef:
    """An artifact that came with an act: what it is, without its bytes (`ctx.fetch` has them)."""

    digest: str
    name: str
    media_type: str
    size: int

    @classmethod
    def read(cls, wire: Mapping[str, Json]) -> ArtifactRef:
        """From what was received."""
        return cls(wire["digest"], wire["name"], wire["media_type"], wire["size"])


@dataclass(frozen=True, slots=True)
class Result:
    """What a handler returns when it has artifacts beside its words."""

    parts: Content = None
    artifacts: Sequence[Artifact] = ()

    @classmethod
    def of(cls, returned: Content | Result) -> Result:
        """What a handler returned, in this form."""
        return returned if isinstance(returned, Result) else cls(returned)

    def wire(self) -> dict[str, Json]:
        """As the members of an operation's body."""
        wire: dict[str, Json] = {"parts": to_parts(self.parts).wire()}
        if self.artifacts:
            wire["artifacts"] = [artifact.wire() for artifact in self.artifacts]
        return wire
