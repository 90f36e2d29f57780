"""Runs of handlers against what was recorded: what is sent, what is not, and when they stop."""

from __future__ import annotations

import asyncio

import pytest

from records import (
    ROOT,
    Call,
    accepted,
    act,
    ask,
    group,
    lease,
    op,
    problem,
    refused,
    run,
    step,
    task,
)
from tertulia import (
    Ask,
    AskRefused,
    Assignment,
    Branch,
    ConcurrentCalls,
    Context,
    Decline,
    Declined,
    Reply,
    Retry,
    RunOver,
    quorum,
)
from tertulia.acts import Act
from tertulia.parts import Json
from tertulia.run import Handlers
from tertulia.steps import Names

SETTLED = {"outcome": "settled", "task": task(1, "done"), "act": "act_9"}
DONE = task(2, "done", act("inform", "all quiet"))


def _name(branch: Branch) -> str:
    return Names().default("delegate", branch.wire())


async def _delegates(ctx: Context, assignment: Assignment) -> str:
    return (await ctx.delegate("agent:logs", "look")).require().text


async def test_a_child_at_work_suspends_the_run() -> None:
    beyond: list[str] = []

    async def handler(ctx: Context, assignment: Assignment) -> str:
        try:
            await _delegates(ctx, assignment)
        except Exception:
            beyond.append("an except Exception caught the suspension")
        beyond.append("went on")
        return "x"

    delegate = op("delegate", accepted(task(2, "queued")))
    park = op("park", {"outcome": "parked"})
    await run(lease(), Handlers(handler), delegate, park)
    assert beyond == []
    assert delegate.header("Idempotency-Key") == _name(Branch("agent:logs", "look"))
    assert delegate.header("Hop-Token") == lease().token
    assert park.body == {"tasks": [f"task_{ROOT}_2"]}
    assert park.header("Idempotency-Key") is None


async def test_not_even_a_bare_except_goes_on_after_a_suspension() -> None:
    async def handler(ctx: Context, assignment: Assignment) -> str:
        try:
            await _delegates(ctx, assignment)
        except BaseException:
            pass
        try:
            await ctx.progress("still here")
        except BaseException:
            pass
        return "x"

    await run(
        lease(),
        Handlers(handler),
        op("delegate", accepted(task(2))),
        op("park", {"outcome": "parked"}),
    )


async def test_a_recorded_delegation_is_not_sent_again() -> None:
    name = _name(Branch("agent:logs", "look"))
    reply = op("reply", SETTLED)
    await run(lease(steps=[step(name, 1, accepted(DONE))]), Handlers(_delegates), reply)
    assert reply.body == {"parts": [{"text": "all quiet"}]}


async def test_steps_come_to_are_told_with_the_next_new_step() -> None:
    async def handler(ctx: Context, assignment: Assignment) -> None:
        await ctx.step("one", _never)
        await _delegates(ctx, assignment)
        await ctx.progress("new")
        await ctx.progress("newer")

    steps = [
        step("one", 1, {"outcome": "recorded", "value": 1}),
        step(_name(Branch("agent:logs", "look")), 2, accepted(DONE)),
    ]
    said = {"outcome": "said", "act": "act_3"}
    first, second = op("progress", said), op("progress", said)
    await run(lease(steps=steps), Handlers(handler), first, second, op("reply", SETTLED))
    assert first.header("Steps-Read") == "1,2"
    assert second.header("Steps-Read") is None


async def _never() -> int:
    raise AssertionError("a recorded step was run again")


async def test_a_step_is_run_and_recorded_and_its_value_is_as_json_keeps_it() -> None:
    async def work() -> tuple[int, int]:
        return (1, 2)

    async def handler(ctx: Context, assignment: Assignment) -> Json:
        return {"value": await ctx.step("pair", work)}

    record = op("record", {"outcome": "recorded", "value": [1, 2]})
    reply = op("reply", SETTLED)
    await run(lease(), Handlers(handler), record, reply)
    assert record.header("Idempotency-Key") == "pair"
    assert record.body == {"value": [1, 2]}
    assert reply.body == {"parts": [{"data": {"value": [1, 2]}}]}


async def test_a_run_that_diverges_fails_and_names_the_steps_it_missed() -> None:
    async def handler(ctx: Context, assignment: Assignment) -> str:
        try:
            await ctx.progress("something else")
        except Exception:
            pass
        return "as if nothing had happened"

    fail = op("fail", SETTLED)
    await run(
        lease(
            steps=[
                step("one", 1, {"outcome": "recorded", "value": 1}),
                step(_name(Branch("logs", "look")), 2, accepted(DONE)),
            ]
        ),
        Handlers(handler),
        problem("progress", 409, "replay-diverged"),
        fail,
    )
    assert fail.body["retry"] is False
    assert "ReplayDiverged" in fail.body["error"]
    told = str(fail.body["error"])
    assert "expected step `one` (number 1, `recorded`) (and 1 more after it)" in told
    made = Names().default("progress", {"parts": [{"text": "something else"}]})
    assert f"this run made step `{made}` (progress) instead, and nothing was sent" in told
    for way_out in ("ctx.step", "step=", "new version"):
        assert way_out in told


async def test_two_calls_at_once_are_refused_with_the_way_out() -> None:
    caught: list[BaseException] = []

    async def handler(ctx: Context, assignment: Assignment) -> str:
        results = await asyncio.gather(
            ctx.delegate("agent:logs", "look"),
            ctx.delegate("agent:deployments", "look"),
            return_exceptions=True,
        )
        caught.extend(one for one in results if isinstance(one, ConcurrentCalls))
        return "x"

    names = [_name(Branch(f"agent:{name}", "look")) for name in ("logs", "deployments")]
    for steps in ([], [step(name, at, accepted(DONE)) for at, name in enumerate(names, 1)]):
        caught.clear()
        delegations = [] if steps else [op("delegate", accepted(DONE))]
        fail = op("fail", SETTLED)
        await run(lease(steps=steps), Handlers(handler), *delegations, fail)
        (error,) = caught
        assert "delegate_all" in str(error)
        assert "ConcurrentCalls" in fail.body["error"]


async def test_asking_ends_the_lease_and_the_answer_is_there_in_the_next_run() -> None:
    async def handler(ctx: Context, assignment: Assignment) -> str:
        return (await ctx.ask("which?", step="clarify")).text

    asked = op("ask", {"outcome": "asked", "ask": ask(3)})
    await run(lease(), Handlers(handler), asked)
    assert asked.body == {"parts": [{"text": "which?"}]}

    answered = ask(3, "answered", answer=act("inform", "this one", "user:ana"))
    reply = op("reply", SETTLED)
    steps = [step("clarify", 1, {"outcome": "asked", "ask": answered})]
    await run(lease(steps=steps), Handlers(handler), reply)
    assert reply.body == {"parts": [{"text": "this one"}]}


async def test_an_ask_that_is_still_open_is_waited_for_again() -> None:
    async def handler(ctx: Context, assignment: Assignment) -> str:
        try:
            return (await ctx.ask("which?", step="clarify")).text
        except AskRefused as refusal:
            return f"refused: {refusal.text}"

    steps = [step("clarify", 1, {"outcome": "asked", "ask": ask(3)})]
    park = op("park", {"outcome": "parked"})
    await run(lease(steps=steps), Handlers(handler), park)
    assert park.body == {"ask": f"ask_{ROOT}_3"}

    met = ask(3, "refused", answer=act("refuse", "no time", "user:ana"))
    reply = op("reply", SETTLED)
    await run(
        lease(steps=steps), Handlers(handler), op("park", {"outcome": "met", "ask": met}), reply
    )
    assert reply.body == {"parts": [{"text": "refused: no time"}]}


async def test_a_fan_out_gives_replies_in_the_order_of_its_branches() -> None:
    seen: list[tuple[list[str | None], list[int], str | None]] = []

    async def handler(ctx: Context, assignment: Assignment) -> None:
        branches = [Branch(f"agent:{name}", "x") for name in ("a", "b", "c", "d")]
        replies = await ctx.delegate_all(branches, mode=quorum(2), step="ask them")
        words = [reply.reason or reply.text or None for reply in replies]
        seen.append((words, [reply.branch for reply in replies.arrived], replies.fired_by))

    # Branch 2 ended after the group had fired: a late result, which no run may see.
    branches = [
        accepted(task(2, "done", act("inform", "A"))),
        refused("unknown-recipient"),
        accepted(task(3, "done", act("inform", "too late"))),
        accepted(task(4, "done", act("inform", "D"))),
    ]
    fired = group("fired", [4, 2], fired_by="met")
    receipt = {"outcome": "fanned-out", "group": fired, "branches": branches}
    await run(
        lease(steps=[step("ask them", 1, receipt)]), Handlers(handler), op("reply", SETTLED)
    )
    assert seen == [(["A", "unknown-recipient", None, "D"], [1, 3, 0], "met")]


async def test_each_parks_with_what_it_has_seen() -> None:
    came: list[str] = []

    async def handler(ctx: Context, assignment: Assignment) -> None:
        async for reply in ctx.delegate_each([Branch("agent:a"), Branch("agent:b")], step="each"):
            came.append(reply.text)

    one, two = task(2, "done", act("inform", "first")), task(3, "done", act("inform", "second"))
    opened = {
        "outcome": "fanned-out",
        "group": group("open", [3], "each"),
        "branches": [accepted(task(2)), accepted(two)],
    }
    met = {
        "outcome": "met",
        "group": group("fired", [3, 2], "each", fired_by="met"),
        "branches": [accepted(one), accepted(two)],
    }
    park = op("park", met)
    await run(
        lease(steps=[step("each", 1, opened)]), Handlers(handler), park, op("reply", SETTLED)
    )
    assert park.body == {"group": f"grp_{ROOT}_9", "seen": 1}
    assert came == ["second", "first"]


async def test_a_question_of_a_child_is_answered_before_waiting_for_it() -> None:
    async def on_question(ctx: Context, question: Ask) -> str:
        await ctx.progress(f"{question.text} was asked")
        return "this one"

    steps = [step(_name(Branch("agent:logs", "look")), 1, accepted(task(2)))]
    first = op("park", refused("would-deadlock", asks=[f"ask_{ROOT}_3"]))
    read = Call(f"/v1/asks/ask_{ROOT}_3", ask(3))
    progress = op("progress", {"outcome": "said", "act": "act_3"})
    answer = op("answer", {"outcome": "answered", "ask": f"ask_{ROOT}_3", "act": "act_4"})
    again = op("park", {"outcome": "parked"})
    handlers = Handlers(_delegates, on_question=on_question)
    await run(lease(steps=steps), handlers, first, read, progress, answer, again)
    assert read.header("Hop-Token") == lease().token
    assert progress.header("Handling") == f"ask_{ROOT}_3"
    name = progress.header("Idempotency-Key") or ""
    assert name.startswith("progress/"), "the engine scopes it by the header"
    assert progress.header("Steps-Read") is None
    assert answer.header("Idempotency-Key") == f"answer/ask_{ROOT}_3"
    assert answer.body == {"ask": f"ask_{ROOT}_3", "parts": [{"text": "this one"}]}


async def test_waiting_questions_come_first_and_are_passed_on_by_default() -> None:
    upwards = op("ask", {"outcome": "asked", "ask": ask(4)})
    await run(lease(questions=[ask(3)]), Handlers(_delegates), upwards)
    assert upwards.body == {"parts": [{"text": "which?"}]}
    assert upwards.header("Handling") == f"ask_{ROOT}_3"
    name = f"ask_{ROOT}_3/" + (upwards.header("Idempotency-Key") or "")

    told = ask(4, "answered", answer=act("inform", "this one", "user:ana"))
    recorded = step(name, 1, {"outcome": "asked", "ask": told}, handling=f"ask_{ROOT}_3")
    answer = op("answer", {"outcome": "answered", "ask": f"ask_{ROOT}_3", "act": "act_4"})
    await run(
        lease(questions=[ask(3)], steps=[recorded]),
        Handlers(_delegates),
        answer,
        op("delegate", accepted(task(2))),
        op("park", {"outcome": "parked"}),
    )
    assert answer.body == {"ask": f"ask_{ROOT}_3", "parts": [{"text": "this one"}]}


async def test_a_question_can_be_declined() -> None:
    async def on_question(ctx: Context, question: Ask) -> str:
        raise Decline("not for you")

    answer = op("answer", {"outcome": "answered", "ask": f"ask_{ROOT}_3", "act": "act_4"})
    await run(
        lease(questions=[ask(3)]),
        Handlers(_delegates, on_question=on_question),
        answer,
        op("delegate", accepted(DONE)),
        op("reply", SETTLED),
    )
    assert answer.body == {
        "ask": f"ask_{ROOT}_3",
        "refuse": True,
        "parts": [{"text": "not for you"}],
    }


async def test_a_lost_lease_ends_the_run_without_a_word() -> None:
    async def handler(ctx: Context, assignment: Assignment) -> str:
        try:
            await ctx.agree()
        except Exception:
            pass
        return "too late"

    await run(lease(), Handlers(handler), problem("agree", 409, "lease-lost"))


@pytest.mark.parametrize(
    ("error", "operation", "body"),
    [
        (Decline("not my field"), "decline", {"parts": [{"text": "not my field"}]}),
        (Decline(), "decline", {}),
        (Retry("later"), "fail", {"retry": True, "error": "later"}),
        (KeyError("x"), "fail", {"retry": False, "error": "KeyError: 'x'"}),
    ],
)
async def test_what_a_handler_raises_says_how_its_task_ends(
    error: Exception, operation: str, body: Json
) -> None:
    async def handler(ctx: Context, assignment: Assignment) -> str:
        raise error

    ending = op(operation, SETTLED)
    await run(lease(), Handlers(handler), ending)
    assert ending.body == body


async def test_what_cannot_be_said_fails_the_task() -> None:
    async def handler(ctx: Context, assignment: Assignment) -> Json:
        return object()

    fail = op("fail", SETTLED)
    await run(lease(), Handlers(handler), fail)
    assert "object is no content" in fail.body["error"]


async def test_a_result_that_is_refused_becomes_a_failure() -> None:
    async def handler(ctx: Context, assignment: Assignment) -> str:
        return "not what the contract says"

    fail = op("fail", SETTLED)
    await run(lease(), Handlers(handler), op("reply", refused("result-invalid")), fail)
    assert fail.body["retry"] is False
    assert "result-invalid" in fail.body["error"]


async def test_a_task_that_was_cancelled_meanwhile_needs_no_further_word() -> None:
    async def handler(ctx: Context, assignment: Assignment) -> str:
        return "done"

    await run(lease(), Handlers(handler), op("reply", refused("cancelled")))


async def test_a_consultation_without_its_handler_is_declined() -> None:
    decline = op("decline", SETTLED)
    folded = lease(task=task(1, fold=True))
    await run(folded, Handlers(_delegates), decline)
    assert decline.body == {"reason": "no-consult"}


async def test_a_context_does_nothing_once_its_handler_has_ended() -> None:
    kept: list[Context] = []

    async def handler(ctx: Context, assignment: Assignment) -> str:
        kept.append(ctx)
        return "done"

    await run(lease(), Handlers(handler), op("reply", SETTLED))
    with pytest.raises(RunOver):
        await kept[0].progress("afterwards")


async def test_the_assignment_says_what_the_engine_knows() -> None:
    seen: list[Assignment] = []

    async def handler(ctx: Context, assignment: Assignment) -> None:
        seen.append(assignment)
        assert ctx.task == assignment

    await run(lease(), Handlers(handler), op("reply", SETTLED))
    (assignment,) = seen
    assert assignment.text == "explain INC-42"
    assert assignment.data == {"service": "checkout"}
    assert assignment.prompt == ("rendered by the engine",)
    assert assignment.contract == {"name": "incident-investigation/v1"}
    assert (assignment.sender, assignment.root_principal) == ("user:ana", "user:ana")
    assert (assignment.attempt, assignment.effect_key) == (1, "effect-1")
    assert assignment.deadline.isoformat() == "2026-03-02T10:00:00+00:00"


def test_require_raises_what_was_answered() -> None:
    reply = Reply.by(Act.read(act("refuse", "no", reason="declined", detail={"k": 1})), None)
    with pytest.raises(Declined) as caught:
        reply.require()
    assert caught.value.reason == "declined"
    assert caught.value.detail == {"k": 1}
    assert caught.value.reply is reply
