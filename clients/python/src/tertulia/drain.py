"""Running workers until the process is told to stop, and stopping them without losing work."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import signal
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .worker import Worker

log = logging.getLogger("tertulia")

SIGNALS = (signal.SIGTERM, signal.SIGINT)


async def serve(*workers: Worker) -> None:
    """Runs workers until SIGTERM or SIGINT, then drains them; a second signal hurries them.

    If one of them cannot go on (for example because its key is not valid), the others are drained
    and its error is raised.
    """
    with _signals(workers):
        tasks = [asyncio.create_task(worker.work()) for worker in workers]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
        finally:
            for worker in workers:
                worker.stop()
            ends = await asyncio.gather(*tasks, return_exceptions=True)
    for end in ends:
        if isinstance(end, BaseException):
            raise end


@contextlib.contextmanager
def _signals(workers: tuple[Worker, ...]) -> Iterator[None]:
    loop = asyncio.get_running_loop()
    told = False

    def tell(received: signal.Signals) -> None:
        nonlocal told
        log.info("%s: %s", received.name, "hurrying" if told else "draining")
        for worker in workers:
            worker.hurry() if told else worker.stop()
        told = True

    installed = []
    try:
        for one in SIGNALS:
            loop.add_signal_handler(one, tell, one)
            installed.append(one)
    except (NotImplementedError, RuntimeError, ValueError):
        # Not the main thread, or a system without them: whoever runs this calls `stop`.
        log.debug("signals cannot be handled here")
    try:
        yield
    finally:
        for one in installed:
            loop.remove_signal_handler(one)
