"""The official A2A client, which knows nothing of Tertulia, against `tertulia dev`.

Each test runs over JSON-RPC and over HTTP+JSON, and its exchanges are compared with the recorded
run. The agent is a Python worker.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import httpx
import pytest
from a2a.client import (
    A2ACardResolver,
    AgentCardResolutionError,
    ClientCallContext,
    ClientConfig,
    ClientFactory,
)
from a2a.client import Client as A2AClient
from a2a.helpers import get_artifact_text, get_message_text
from a2a.types import (
    AgentCard,
    CancelTaskRequest,
    GetTaskRequest,
    ListTasksRequest,
    Message,
    Part,
    Role,
    SendMessageConfiguration,
    SendMessageRequest,
    StreamResponse,
    SubscribeToTaskRequest,
    Task,
    TaskState,
)
from a2a.utils.errors import (
    TaskNotCancelableError,
    TaskNotFoundError,
    UnsupportedOperationError,
)
from google.protobuf.json_format import MessageToDict

from dev import Dev
from recording import Book, Recorder, Recording
from tertulia import Assignment, Client, Context, Decline, Worker

AGENT = "helper"
SPEECH_ACT = "urn:tertulia:ext:speech-act:v1"


@dataclass
class Helper:
    """The agent's program: the first word of a message says what it does."""

    begun: asyncio.Event = field(default_factory=asyncio.Event)
    go: asyncio.Event = field(default_factory=asyncio.Event)
    stopped: asyncio.Event = field(default_factory=asyncio.Event)
    did: list[str] = field(default_factory=list)

    async def work(self, ctx: Context, task: Assignment) -> str:
        self.did.append(task.text)
        word, _, rest = task.text.partition(" ")
        match word:
            case "echo":
                return rest
            case "tell":
                await ctx.progress("half way")
                return rest
            case "ask":
                return f"service {(await ctx.ask('which service?')).text}"
            case "decline":
                raise Decline(rest)
            case "fail":
                raise RuntimeError(rest)
            case _:
                self.begun.set()
                try:
                    await self.go.wait()
                except asyncio.CancelledError:
                    self.stopped.set()
                    raise
                return rest


@pytest.fixture
async def helper(server: Dev, house: Client) -> AsyncIterator[Helper]:
    """The agent at work."""
    helper = Helper()
    worker = Worker(AGENT, url=server.url, poll=5.0, drain_timeout=5.0)
    worker.handler(helper.work)
    working = asyncio.create_task(worker.work())
    yield helper
    worker.hurry()
    await working


class Peer:
    """The official client over one binding."""

    def __init__(self, http: httpx.AsyncClient, card: AgentCard, binding: str) -> None:
        def client(streaming: bool) -> A2AClient:
            config = ClientConfig(
                streaming=streaming, httpx_client=http, supported_protocol_bindings=[binding]
            )
            return ClientFactory(config).create(card)

        self.card = card
        self.http = http
        self.calls = client(streaming=False)
        self.streams = client(streaming=True)

    async def send(
        self, text: str, *, context: ClientCallContext | None = None, wait: bool = True, **ids: str
    ) -> Task:
        """Sends a message and returns the task that came of it."""
        answer = await self.answer(text, context=context, wait=wait, **ids)
        assert answer.HasField("task"), answer
        return answer.task

    async def answer(
        self, text: str, *, context: ClientCallContext | None = None, wait: bool = True, **ids: str
    ) -> StreamResponse:
        """Sends a message without streaming and returns the answer."""
        request = SendMessageRequest(
            message=message(text, **ids),
            configuration=SendMessageConfiguration(return_immediately=not wait),
        )
        answers = [one async for one in self.calls.send_message(request, context=context)]
        assert len(answers) == 1
        return answers[0]


def message(text: str, **ids: str) -> Message:
    """A message of the client."""
    return Message(
        message_id=f"m-{text.replace(' ', '-')}", role=Role.ROLE_USER, parts=[Part(text=text)], **ids
    )


@pytest.fixture(params=["JSONRPC", "HTTP+JSON"])
async def a2a(
    request: pytest.FixtureRequest, server: Dev, recording: Recording
) -> AsyncIterator[Peer]:
    """The official client; what it exchanged is compared with the recorded run at the end."""
    scenario = request.node.originalname.removeprefix("test_").replace("_", " ")
    book = Book(request.param, scenario)
    async with httpx.AsyncClient() as http:
        card = await A2ACardResolver(http, f"{server.url}/a2a/{AGENT}").get_agent_card()
    async with httpx.AsyncClient(transport=Recorder(book), timeout=60) as http:
        http.headers["Accept-Encoding"] = "identity"
        yield Peer(http, card, request.param)
    recording.compare(book)


def state(task: Task) -> str:
    """The name of its state."""
    return _name(task.status.state)


def _name(state: TaskState) -> str:
    name: str = TaskState.Name(state)
    return name.removeprefix("TASK_STATE_")


def declared(task: Task) -> dict[str, object]:
    """What the speech-act extension says about it."""
    metadata: dict[str, dict[str, object]] = MessageToDict(task.metadata)
    return metadata[SPEECH_ACT]


async def kinds(events: AsyncIterator[StreamResponse]) -> list[str]:
    """What a stream told until it ended: states in capitals, artifacts with their text."""
    told: list[str] = []
    async for event in events:
        told.append(kind(event))
    return told


def kind(event: StreamResponse) -> str:
    """One event of a stream."""
    if event.HasField("task"):
        return f"task {state(event.task)}"
    if event.HasField("artifact_update"):
        return f"artifact {get_artifact_text(event.artifact_update.artifact)}"
    status = event.status_update.status
    said = get_message_text(status.message) if status.HasField("message") else ""
    return f"{_name(status.state)} {said}".strip()


async def test_the_card_is_found_at_the_agent_and_at_the_origin(a2a: Peer, server: Dev) -> None:
    assert a2a.card.name == AGENT
    assert [skill.id for skill in a2a.card.skills] == ["help"]
    assert a2a.card.capabilities.streaming
    bindings = {one.protocol_binding: one for one in a2a.card.supported_interfaces}
    assert set(bindings) == {"JSONRPC", "HTTP+JSON"}
    assert all(one.url.startswith(f"{server.url}/a2a/{AGENT}") for one in bindings.values())
    assert all(one.protocol_version == "1.0" for one in bindings.values())
    assert SPEECH_ACT in [extension.uri for extension in a2a.card.capabilities.extensions]
    assert not any(extension.required for extension in a2a.card.capabilities.extensions)
    for where in (f"{server.url}/a2a/{AGENT}", server.url):
        assert await A2ACardResolver(a2a.http, where).get_agent_card() == a2a.card
    with pytest.raises(AgentCardResolutionError) as absent:
        await A2ACardResolver(a2a.http, f"{server.url}/a2a/nobody").get_agent_card()
    assert absent.value.status_code == 404


async def test_a_message_waits_for_its_result(a2a: Peer, helper: Helper, house: Client) -> None:
    task = await a2a.send("echo hello")
    assert state(task) == "COMPLETED"
    assert [get_artifact_text(artifact) for artifact in task.artifacts] == ["hello"]
    assert declared(task)["performative"] == "inform"
    assert task.status.timestamp.seconds > 0
    # The same task, as the house knows it: a request of the person at this machine.
    ours = await house.task(task.id)
    assert (ours.state, ours.raw["requester"], ours.raw["agent"]) == (
        "done",
        "user:dev",
        f"agent:{AGENT}",
    )
    got = await a2a.calls.get_task(GetTaskRequest(id=task.id))
    assert got == task
    bare = await a2a.calls.get_task(GetTaskRequest(id=task.id, history_length=0))
    assert not bare.history
    assert bare.artifacts == task.artifacts


async def test_a_message_need_not_wait(a2a: Peer, helper: Helper, house: Client) -> None:
    task = await a2a.send("hold on", wait=False)
    assert state(task) in ("SUBMITTED", "WORKING")
    assert not task.artifacts
    await helper.begun.wait()
    working = await a2a.calls.get_task(GetTaskRequest(id=task.id))
    assert state(working) == "WORKING"
    helper.go.set()
    await house.wait(task.id)
    done = await a2a.calls.get_task(GetTaskRequest(id=task.id))
    assert state(done) == "COMPLETED"
    assert get_artifact_text(done.artifacts[0]) == "on"


async def test_a_stream_tells_what_happens_and_ends(a2a: Peer, helper: Helper) -> None:
    request = SendMessageRequest(message=message("tell the end"))
    told = await kinds(a2a.streams.send_message(request))
    assert told[0] in ("task SUBMITTED", "task WORKING")
    assert told[-3:] == ["WORKING half way", "artifact the end", "COMPLETED"]


async def test_a_task_can_be_subscribed_to(a2a: Peer, helper: Helper) -> None:
    task = await a2a.send("hold the line", wait=False)
    await helper.begun.wait()
    events = a2a.streams.subscribe(SubscribeToTaskRequest(id=task.id))
    first = await anext(events)
    assert kind(first) == "task WORKING"
    assert first.task.id == task.id
    helper.go.set()
    assert await kinds(events) == ["artifact the line", "COMPLETED"]
    with pytest.raises(UnsupportedOperationError):
        await kinds(a2a.streams.subscribe(SubscribeToTaskRequest(id=task.id)))


async def test_tasks_of_a_context_are_listed(a2a: Peer, helper: Helper) -> None:
    first = await a2a.send("echo one")
    second = await a2a.send("echo two", context_id=first.context_id)
    other = await a2a.send("echo three")
    assert other.context_id != first.context_id
    listed = await a2a.calls.list_tasks(ListTasksRequest(context_id=first.context_id))
    assert [task.id for task in listed.tasks] == [second.id, first.id], "the latest first"
    assert listed.total_size == 2
    assert listed.next_page_token == ""
    assert not any(task.artifacts for task in listed.tasks)
    page = ListTasksRequest(context_id=first.context_id, page_size=1, include_artifacts=True)
    one = await a2a.calls.list_tasks(page)
    assert [get_artifact_text(task.artifacts[0]) for task in one.tasks] == ["two"]
    page.page_token = one.next_page_token
    two = await a2a.calls.list_tasks(page)
    assert [get_artifact_text(task.artifacts[0]) for task in two.tasks] == ["one"]
    failed = ListTasksRequest(context_id=first.context_id, status=TaskState.TASK_STATE_FAILED)
    assert not (await a2a.calls.list_tasks(failed)).tasks


async def test_cancelling_twice_is_cancelling_once(a2a: Peer, helper: Helper, house: Client) -> None:
    task = await a2a.send("hold it", wait=False)
    await helper.begun.wait()
    cancelled = await a2a.calls.cancel_task(CancelTaskRequest(id=task.id))
    assert state(cancelled) == "CANCELED"
    # The worker learns it with its next heartbeat, and its handler is stopped.
    await helper.stopped.wait()
    assert (await house.task(task.id)).state == "cancelled"
    assert await a2a.calls.cancel_task(CancelTaskRequest(id=task.id)) == cancelled
    done = await a2a.send("echo done")
    with pytest.raises(TaskNotCancelableError):
        await a2a.calls.cancel_task(CancelTaskRequest(id=done.id))


async def test_a_question_comes_as_input_required_and_is_answered(
    a2a: Peer, helper: Helper
) -> None:
    asked = await a2a.send("ask me")
    assert state(asked) == "INPUT_REQUIRED"
    assert get_message_text(asked.status.message) == "which service?"
    assert declared(asked)["performative"] == "query"
    done = await a2a.send("checkout", task_id=asked.id)
    assert (done.id, done.context_id) == (asked.id, asked.context_id)
    assert state(done) == "COMPLETED"
    assert get_artifact_text(done.artifacts[0]) == "service checkout"
    # What is said to a task that has ended is an error that the protocol itself asks for.
    with pytest.raises(UnsupportedOperationError):
        await a2a.send("and more", task_id=asked.id)


async def test_a_stream_ends_at_a_question_and_another_takes_it_up(
    a2a: Peer, helper: Helper
) -> None:
    request = SendMessageRequest(message=message("ask me"))
    events = [event async for event in a2a.streams.send_message(request)]
    assert kind(events[-1]) == "INPUT_REQUIRED which service?"
    task = events[0].task
    answer = SendMessageRequest(message=message("cart", task_id=task.id))
    told = await kinds(a2a.streams.send_message(answer))
    assert told[-2:] == ["artifact service cart", "COMPLETED"]


async def test_what_an_agent_declines_is_rejected_with_the_reason(
    a2a: Peer, helper: Helper
) -> None:
    task = await a2a.send("decline not my work")
    assert state(task) == "REJECTED"
    assert declared(task)["performative"] == "refuse"
    assert declared(task)["reason"] == "declined"
    assert "not my work" in get_message_text(task.status.message)
    assert not task.artifacts


async def test_what_an_agent_cannot_do_has_failed(a2a: Peer, helper: Helper) -> None:
    task = await a2a.send("fail at this")
    assert state(task) == "FAILED"
    assert declared(task)["performative"] == "failure"
    assert declared(task)["reason"] == "gave-up"
    assert not task.artifacts


async def test_an_unknown_task_is_not_found(a2a: Peer, server: Dev) -> None:
    for unknown in ("nothing", "task_01890000-0000-7000-8000-000000000000_1"):
        with pytest.raises(TaskNotFoundError):
            await a2a.calls.get_task(GetTaskRequest(id=unknown))
        with pytest.raises(TaskNotFoundError):
            await a2a.calls.cancel_task(CancelTaskRequest(id=unknown))
        with pytest.raises(TaskNotFoundError):
            await a2a.send("hello", task_id=unknown)


async def test_a_repeated_key_is_the_same_task(
    a2a: Peer, helper: Helper, request: pytest.FixtureRequest
) -> None:
    key = ClientCallContext(
        service_parameters={"Idempotency-Key": f"key of {request.node.callspec.id}"}
    )
    first = await a2a.send("echo once", context=key)
    again = await a2a.send("echo once", context=key)
    assert again.id == first.id
    assert again.artifacts == first.artifacts
    assert helper.did == ["echo once"], "it is done once"
    reused = await a2a.answer("echo something else", context=key)
    assert reused.HasField("message"), "a refuse that makes no task is a message"
    said: dict[str, dict[str, object]] = MessageToDict(reused.message.metadata)
    assert said[SPEECH_ACT]["performative"] == "refuse"
    assert said[SPEECH_ACT]["reason"] == "key-reused"
    assert helper.did == ["echo once"]


async def test_a_context_is_one_conversation(
    a2a: Peer, helper: Helper, house: Client, request: pytest.FixtureRequest
) -> None:
    mine = f"my-context-{request.node.callspec.id}"
    first = await a2a.send("echo one", context_id=mine)
    second = await a2a.send("echo two", context_id=mine)
    assert first.context_id == second.context_id == mine
    assert first.id != second.id, "a follow-up is a new task"
    conversation = (await house.task(first.id)).conversation
    assert (await house.task(second.id)).conversation == conversation
    acts = (await house.conversation(conversation))["acts"]
    told = [act["parts"][0]["text"] for act in acts if act["parts"]]
    assert told == ["echo one", "one", "echo two", "two"]
