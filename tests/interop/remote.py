"""Definitions of agents that live elsewhere."""

from __future__ import annotations

DEFINITION = """---
name: {name}
description: Lives elsewhere, and is reached as an A2A client.
owner: user:dev
skills:
  - id: {name}
    name: {name}
    description: What its own card says.
    tags: [remote]
    input_modes: [text/plain, application/json]
    output_modes: [text/plain, application/json]
retry: {retry}
runner:
  a2a:
    url: {url}
    allow_private: true
---

You are somewhere else.
"""


def definition(name: str, url: str, retry: str = "safe") -> str:
    """The definition of a remote agent at an address of this machine."""
    return DEFINITION.format(name=name, url=url, retry=retry)
