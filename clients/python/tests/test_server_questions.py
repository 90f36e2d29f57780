"""Against the real server: questions, to principals and to other agents."""

from __future__ import annotations

from datetime import timedelta

from house import House
from tertulia import Ask, AskExpired, AskRefused, Assignment, Context, Decline


async def test_a_question_waits_for_the_principal(house: House) -> None:
    worker = await house.agent("curious")

    @worker.handler
    async def work(ctx: Context, task: Assignment) -> str:
        answer = await ctx.ask("which service?")
        return f"looked at {answer.text}"

    house.start(worker)
    sent = await house.client.send(house.party("curious"), "look")
    waiting = await house.client.wait(sent.task.id)
    assert waiting.state == "awaiting-clarification"
    assert waiting.question is not None
    assert waiting.question.act.text == "which service?"
    await house.client.answer(waiting.question.ask, "checkout")
    task = await house.client.wait(sent.task.id)
    assert task.reply is not None
    assert task.reply.text == "looked at checkout"
    assert task.attempts == 1


async def test_a_question_that_nobody_answers_is_an_exception(house: House) -> None:
    worker = await house.agent("curious")

    @worker.handler
    async def work(ctx: Context, task: Assignment) -> str:
        try:
            await ctx.ask("which service?", deadline=timedelta(seconds=1))
        except AskExpired as expired:
            first = expired.reason
        try:
            await ctx.ask("which host?")
        except AskRefused as refused:
            return f"{first}, then {refused.text}"
        return "answered"

    house.start(worker)
    sent = await house.client.send(house.party("curious"), "look")
    while True:
        ask = await house.asked()
        if ask.text == "which host?":
            break
    await house.client.refuse(ask.id, "find out yourself")
    task = await house.client.wait(sent.task.id)
    assert task.reply is not None
    assert task.reply.text == "ask-expired, then find out yourself"


async def test_a_question_from_below_is_passed_on_upwards(house: House) -> None:
    top, below = await house.agent("top"), await house.agent("below")

    @top.handler
    async def work(ctx: Context, task: Assignment) -> str:
        return (await ctx.delegate(house.party("below"), "search")).require().text

    @below.handler
    async def search(ctx: Context, task: Assignment) -> str:
        return f"searched {(await ctx.ask('which services?')).text}"

    house.start(top, below)
    sent = await house.client.send(house.party("top"), "INC-42")
    ask = await house.asked()
    assert ask.text == "which services?"
    assert ask.question.sender == house.party("top"), "it climbs one step at a time"
    await house.client.answer(ask.id, "checkout and payments")
    task = await house.client.wait(sent.task.id)
    assert task.reply is not None
    assert task.reply.text == "searched checkout and payments"


async def test_on_question_answers_from_what_it_knows(house: House) -> None:
    top, below = await house.agent("top"), await house.agent("below")
    asked: list[str] = []

    @top.handler
    async def work(ctx: Context, task: Assignment) -> str:
        return (await ctx.delegate(house.party("below"), "search")).require().text

    @top.on_question
    async def on_question(ctx: Context, question: Ask) -> str:
        asked.append(question.text)
        if "secret" in question.text:
            raise Decline("that is not for you")
        return f"{ctx.task.text} concerns checkout"

    @below.handler
    async def search(ctx: Context, task: Assignment) -> str:
        known = (await ctx.ask("which service?")).text
        try:
            await ctx.ask("what is the secret?")
        except AskRefused as refused:
            return f"{known}; {refused.text}"
        return "told the secret"

    house.start(top, below)
    task = await house.done("top", "INC-42")
    assert task.reply is not None
    assert task.reply.text == "INC-42 concerns checkout; that is not for you"
    assert asked == ["which service?", "what is the secret?"]


async def test_steps_made_for_a_question_do_not_meet_those_of_the_handler(house: House) -> None:
    top, below = await house.agent("top"), await house.agent("below")
    made: list[str] = []

    async def make() -> str:
        made.append(f"number {len(made) + 1}")
        return made[-1]

    @top.handler
    async def work(ctx: Context, task: Assignment) -> list[str]:
        one = await ctx.step("make", make)
        two = (await ctx.delegate(house.party("below"), "search")).require()
        return [one, two.text]

    @top.on_question
    async def on_question(ctx: Context, question: Ask) -> str:
        own = await ctx.step("make", make)
        return f"{own} {(await ctx.ask(question.parts)).text}"

    @below.handler
    async def search(ctx: Context, task: Assignment) -> str:
        return (await ctx.ask("what then?")).text

    house.start(top, below)
    sent = await house.client.send(house.party("top"), "go")
    await house.client.answer((await house.asked()).id, "go on")
    task = await house.client.wait(sent.task.id)
    assert task.reply is not None
    assert task.reply.data == ["number 1", "number 2 go on"]
    assert made == ["number 1", "number 2"]
