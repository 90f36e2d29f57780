"""A slow worker. Its first argument is its drain timeout; it works until a file appears."""

from __future__ import annotations

import asyncio
from pathlib import Path

from notebook import AGENT, ARGUMENTS, NOTEBOOK, URL

from tertulia import Assignment, Context, Worker

DRAIN, GO = float(ARGUMENTS[0]), Path(ARGUMENTS[1])



class Noting(Worker):
    """Notes when it begins to drain."""

    def stop(self) -> None:
        super().stop()
        NOTEBOOK.note("draining")


worker = Noting(AGENT, url=URL, drain_timeout=DRAIN, concurrency=1)


@worker.handler
async def work(ctx: Context, task: Assignment) -> str:
    NOTEBOOK.note("working")
    while not GO.exists():
        await asyncio.sleep(0.02)
    return f"finished {task.text}"


asyncio.run(worker.run())
