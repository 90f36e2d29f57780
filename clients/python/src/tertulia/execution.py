"""One lease from the claim to its end: runs the handler, and stops it when it must not go on."""

from __future__ import annotations

import asyncio
import logging

from .ending import Ending, no_consult, of_error, of_result, settle
from .errors import ApiError, RunOver, Suspended, Unreachable
from .lease import Lease
from .operations import Operations
from .parts import Content, Result
from .run import Handlers, Run
from .transport import Transport

log = logging.getLogger("tertulia")

STOP_GRACE = 5.0
"""How long a handler that was cancelled may take to stop, in seconds."""
RELEASE_FOR = 5.0
"""How long a lease is tried to be given back while the server cannot be reached, in seconds."""


class Execution:
    """A lease at work in this process."""

    def __init__(self, lease: Lease, transport: Transport, handlers: Handlers) -> None:
        self.lease = lease
        self._operations = Operations(transport, lease.token)
        self._run = Run(lease, self._operations, handlers)
        self._handler: asyncio.Task[Content | Result] | None = None
        self._stopped: str | None = None
        self._stop = asyncio.Event()

    def stop(self, why: str) -> None:
        """Cancels the handler: the engine says that the lease has ended."""
        if self._stopped is None:
            log.info("%s is stopped: %s", self.lease.task.id, why)
            self._stopped = why
            self._stop.set()

    def release(self) -> None:
        """Cancels the handler, if it still runs, and gives the lease back for others."""
        self.stop("released")

    async def work(self) -> None:
        """Runs the handler and ends the task, or the lease, accordingly. Never raises."""
        try:
            await self._work()
        except asyncio.CancelledError:
            raise
        except Exception:
            # A lease that is not ended here is swept by the engine, and the task tried again.
            log.exception("the run on %s broke down", self.lease.task.id)

    async def _work(self) -> None:
        if not self._run.can_work:
            await settle(self._operations, self.lease, no_consult())
            return
        handler = asyncio.create_task(self._run.work(), name=f"handler of {self.lease.task.id}")
        stopped = asyncio.create_task(self._stop.wait())
        try:
            await asyncio.wait({handler, stopped}, return_when=asyncio.FIRST_COMPLETED)
            if not handler.done():
                handler.cancel(self._stopped)
                await asyncio.wait({handler}, timeout=STOP_GRACE)
        finally:
            stopped.cancel()
            handler.cancel()
        if not handler.done():
            log.error("the handler of %s does not stop when cancelled", self.lease.task.id)
            handler.add_done_callback(_retrieve)
            self._run.end(RunOver(f"the run was stopped: {self._stopped}"))
        # What the engine ended needs no word from here; what others shall go on with is released.
        if self._stopped == "released" and not isinstance(self._run.over, Suspended):
            if not handler.done() or handler.cancelled() or handler.exception() is not None:
                await self.give_back()
                return
        elif self._stopped is not None:
            _retrieve(handler)
            return
        ending = self._ending(handler)
        # A context that outlives its handler does nothing any more.
        self._run.end(RunOver("the handler has ended"))
        if ending is not None:
            await settle(self._operations, self.lease, ending)

    def _ending(self, handler: asyncio.Task[Content | Result]) -> Ending | None:
        # What ended the run counts, whatever the handler made of it.
        error = self._run.over
        if handler.cancelled():
            error = error or asyncio.CancelledError("the handler cancelled itself")
        else:
            error = error or handler.exception()
        if error is not None:
            _retrieve(handler)
            return of_error(self.lease, error)
        try:
            return of_result(self.lease, handler.result())
        except (TypeError, ValueError) as unsayable:
            return of_error(self.lease, unsayable)

    async def give_back(self) -> None:
        """Releases the lease: another worker goes on at once, and no attempt is counted."""
        try:
            await self._operations.do("release", {}, repeat_for=RELEASE_FOR)
        except (ApiError, Unreachable) as error:
            log.warning("%s could not be given back: %s", self.lease.task.id, error)


def _retrieve(handler: asyncio.Task[Content | Result]) -> None:
    """Looks at how a handler ended, so that asyncio does not report it as overlooked."""
    if handler.done() and not handler.cancelled():
        handler.exception()
