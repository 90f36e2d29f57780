"""A peer, built with the official A2A SDK, whose tasks end as the first word of a message says."""

from __future__ import annotations

import asyncio
import signal
import sys

from a2a.helpers import get_message_text, new_task_from_user_message
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.events import EventQueue
from a2a.server.tasks import TaskUpdater
from a2a.types import Message, Part

from served import serve


class Wayward(AgentExecutor):
    """Rejects, fails, asks, waits for a login, holds or answers. SIGUSR1 is the login."""

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        message = context.message
        assert message is not None
        task = context.current_task
        if task is None:
            task = new_task_from_user_message(message)
            await event_queue.enqueue_event(task)
        updater = TaskUpdater(event_queue, task.id, task.context_id)

        def says(text: str) -> Message:
            return updater.new_agent_message([Part(text=text)])

        text = get_message_text(message)
        if len(task.history) > 1 or context.current_task is not None:
            await updater.add_artifact([Part(text=f"you said: {text}")], name="answer")
            await updater.complete()
            return
        match text.partition(" ")[0]:
            case "reject":
                await updater.reject(says("this is not my work"))
            case "fail":
                await updater.start_work()
                await updater.failed(says("it broke"))
            case "ask":
                await updater.start_work()
                await updater.requires_input(says("which one?"))
            case "login":
                given = asyncio.Event()
                asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, given.set)
                await updater.requires_auth(says("log in elsewhere"))
                await given.wait()
                await updater.start_work()
                await updater.add_artifact([Part(text="logged in")], name="answer")
                await updater.complete()
            case "hold":
                await updater.start_work(says("I hold on"))
                print("holding", flush=True)
                await asyncio.Event().wait()
            case _:
                await updater.start_work()
                await updater.add_artifact([Part(text=f"done: {text}")], name="answer")
                await updater.complete()

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        assert context.task_id and context.context_id
        print("cancelled", flush=True)
        await TaskUpdater(event_queue, context.task_id, context.context_id).cancel()


if __name__ == "__main__":
    port = int(sys.argv[1]) if len(sys.argv) > 1 else 0
    serve(Wayward(), "wayward", "Ends its tasks in every way there is.", port)
