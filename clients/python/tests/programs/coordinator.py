"""A coordinator in plain code. With the argument `hold` it stops dead between two steps."""

from __future__ import annotations

import asyncio

from notebook import AGENT, ARGUMENTS, NOTEBOOK, URL

from tertulia import Assignment, Context, Worker

SPECIALIST = ARGUMENTS[0]
HOLD = "hold" in ARGUMENTS

worker = Worker(AGENT, url=URL)


async def first() -> int:
    NOTEBOOK.note("first")
    return NOTEBOOK.times("first")


async def second() -> int:
    NOTEBOOK.note("second")
    return NOTEBOOK.times("second")


@worker.handler
async def work(ctx: Context, task: Assignment) -> dict[str, object]:
    one = await ctx.step("first", first)
    reply = (await ctx.delegate(SPECIALIST, f"look into {task.text}")).require()
    NOTEBOOK.note("between")
    if HOLD:
        await asyncio.sleep(3600)
    two = await ctx.step("second", second)
    return {"first": one, "said": reply.text, "second": two, "effect_key": task.effect_key}


asyncio.run(worker.run())
