"""Serves an agent that is built with the official A2A SDK, on loopback, over both bindings."""

from __future__ import annotations

import json
import os
import socket

import uvicorn
from a2a.server.agent_execution import AgentExecutor
from a2a.server.request_handlers import DefaultRequestHandlerV2
from a2a.server.routes import (
    create_agent_card_routes,
    create_jsonrpc_routes,
    create_rest_routes,
)
from a2a.server.tasks import InMemoryTaskStore
from a2a.types import AgentCapabilities, AgentCard, AgentInterface, AgentSkill
from starlette.applications import Starlette


def serve(executor: AgentExecutor, name: str, description: str, port: int = 0) -> None:
    """Serves until the process ends. Says first, in a line of JSON, where, and which process it is.

    JSON-RPC answers at the address itself, the card at its well-known path.
    """
    # asyncio switches Nagle's delay off only where the protocol is named.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    listener.bind(("127.0.0.1", port))
    listener.listen(1024)
    url = f"http://127.0.0.1:{listener.getsockname()[1]}"
    card = _card(name, description, url)
    handler = DefaultRequestHandlerV2(executor, InMemoryTaskStore(), card)
    app = Starlette(
        routes=[
            *create_agent_card_routes(card),
            *create_jsonrpc_routes(handler, "/"),
            *create_rest_routes(handler),
        ]
    )
    print(json.dumps({"url": url, "pid": os.getpid()}), flush=True)
    # One process, as its makers run it, with the same loop and parser everywhere.
    config = uvicorn.Config(
        app,
        access_log=False,
        log_level="warning",
        lifespan="off",
        loop="uvloop",
        http="httptools",
    )
    uvicorn.Server(config).run(sockets=[listener])


def _card(name: str, description: str, url: str) -> AgentCard:
    modes = ["text/plain", "application/json"]
    return AgentCard(
        name=name,
        description=description,
        version="1.0.0",
        supported_interfaces=[
            AgentInterface(url=url, protocol_binding=binding, protocol_version="1.0")
            for binding in ("JSONRPC", "HTTP+JSON")
        ],
        capabilities=AgentCapabilities(streaming=True),
        default_input_modes=modes,
        default_output_modes=modes,
        skills=[AgentSkill(id=name, name=name, description=description, tags=["test"])],
    )
