"""What the programs of the tests share: they note what they do in a file that outlives them."""

from __future__ import annotations

import os
import sys
from pathlib import Path


class Notebook:
    """A file of lines."""

    def __init__(self, path: str) -> None:
        self._path = Path(path)

    def note(self, line: str) -> None:
        """Adds a line; it stands there even if the process is killed right after."""
        with self._path.open("a") as file:
            file.write(line + "\n")
            file.flush()
            os.fsync(file.fileno())

    def times(self, line: str) -> int:
        """How often a line was noted, by any process."""
        return self._path.read_text().splitlines().count(line)


URL, AGENT, _NOTES, *ARGUMENTS = sys.argv[1:]
NOTEBOOK = Notebook(_NOTES)
