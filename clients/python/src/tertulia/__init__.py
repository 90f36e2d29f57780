"""Workers and clients for Tertulia. README.md has a complete worker; start with `Worker`."""

from .acts import Act, Ask, Task
from .client import Client, Sent
from .context import Context
from .delegation import Branch, Quorum, quorum
from .drain import serve
from .errors import (
    ApiError,
    AskClosed,
    AskExpired,
    AskRefused,
    ConcurrentCalls,
    Decline,
    Declined,
    HopFinished,
    LeaseLost,
    NotServed,
    Refused,
    ReplayDiverged,
    Retry,
    RunOver,
    StepNameReused,
    Suspended,
    TertuliaError,
    UnexpectedAnswer,
    Unreachable,
)
from .lease import Ancestor, Assignment, Turn
from .parts import Artifact, ArtifactRef, FileRef, Part, Parts, Result
from .receipt import Receipt
from .reply import Answer, Replies, Reply
from .watch import Event
from .worker import Worker

__all__ = [
    "Act",
    "Ancestor",
    "Answer",
    "ApiError",
    "Artifact",
    "ArtifactRef",
    "Ask",
    "AskClosed",
    "AskExpired",
    "AskRefused",
    "Assignment",
    "Branch",
    "Client",
    "ConcurrentCalls",
    "Context",
    "Decline",
    "Declined",
    "Event",
    "FileRef",
    "HopFinished",
    "LeaseLost",
    "NotServed",
    "Part",
    "Parts",
    "Quorum",
    "Receipt",
    "Refused",
    "Replies",
    "Reply",
    "ReplayDiverged",
    "Result",
    "Retry",
    "RunOver",
    "Sent",
    "StepNameReused",
    "Suspended",
    "Task",
    "TertuliaError",
    "Turn",
    "UnexpectedAnswer",
    "Unreachable",
    "Worker",
    "quorum",
    "serve",
]
