"""The same exchange as in `tertulia bench`, served by the official SDK and kept in memory.

`cargo xtask bench` measures it beside Tertulia: a task is made, worked on, has one artifact and is
completed. Nothing is durable here.
"""

from __future__ import annotations

from a2a.helpers import new_task_from_user_message
from a2a.server.agent_execution import AgentExecutor, RequestContext
from a2a.server.events import EventQueue
from a2a.server.tasks import TaskUpdater
from a2a.types import Part

from served import serve


class AtOnce(AgentExecutor):
    """Answers at once, as the bench's worker does."""

    async def execute(self, context: RequestContext, event_queue: EventQueue) -> None:
        assert context.message is not None
        task = new_task_from_user_message(context.message)
        await event_queue.enqueue_event(task)
        updater = TaskUpdater(event_queue, task.id, task.context_id)
        await updater.start_work()
        await updater.add_artifact([Part(text="done")], name="result")
        await updater.complete()

    async def cancel(self, context: RequestContext, event_queue: EventQueue) -> None:
        raise NotImplementedError("nothing here lasts long enough to be cancelled")


if __name__ == "__main__":
    serve(AtOnce(), "bench", "Answers at once.")
