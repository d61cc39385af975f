"""A host on the official Python library: it meets the 401, registers or names its document, has its user sign in and
consent, lists the tools and calls both. With "tasks" it also follows long work as a task.

usage: python.py GENERATION(1|2) ENDPOINT REDIRECT [DOCUMENT|-] [tasks]
"""

import asyncio
import json
import sys
from typing import Literal
from urllib.parse import parse_qs, urlsplit

from mcp.client.auth import OAuthClientProvider
from mcp.shared.auth import OAuthClientMetadata

generation, endpoint, redirect, document, *more = sys.argv[1:]


class Memory:
    """Keeps tokens and the registration for the time of one run."""

    def __init__(self):
        self.tokens = self.client = None

    async def get_tokens(self):
        return self.tokens

    async def set_tokens(self, tokens):
        self.tokens = tokens

    async def get_client_info(self):
        return self.client

    async def set_client_info(self, client):
        self.client = client


class Person:
    """Prints the address to open, and waits for the browser to come back."""

    def __init__(self):
        self.sign_ins = 0
        self.came = asyncio.Queue()

    async def listen(self):
        at = urlsplit(redirect)
        return await asyncio.start_server(self.serve, at.hostname, at.port)

    async def serve(self, reader, writer):
        line = (await reader.readline()).decode()
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        await writer.drain()
        writer.close()
        target = urlsplit(line.split(" ")[1])
        if target.path == urlsplit(redirect).path:
            self.came.put_nowait({k: v[0] for k, v in parse_qs(target.query).items()})

    async def open(self, address):
        self.sign_ins += 1
        print(address, "", flush=True)

    async def answer(self):
        came = await self.came.get()
        if generation == "1":
            return came["code"], came.get("state")
        from mcp.client.auth import AuthorizationCodeResult

        return AuthorizationCodeResult(code=came["code"], state=came.get("state"), iss=came.get("iss"))


def provider(person):
    return OAuthClientProvider(
        server_url=endpoint,
        client_metadata=OAuthClientMetadata(
            client_name="Subrosa's own check",
            redirect_uris=[redirect],
            grant_types=["authorization_code", "refresh_token"],
            response_types=["code"],
            token_endpoint_auth_method="none",
        ),
        storage=Memory(),
        redirect_handler=person.open,
        callback_handler=person.answer,
        client_metadata_url=None if document == "-" else document,
    )


async def called(call, tool, arguments):
    try:
        return (await call(tool, arguments)).model_dump(by_alias=True).get("structuredContent") or {}
    except BaseException as e:  # the library wraps what it refuses in groups
        return {"state": str(e)[:200]}


async def first(person):
    import httpx
    from mcp import ClientSession
    from mcp.client.streamable_http import streamable_http_client

    async with (
        httpx.AsyncClient(auth=provider(person), timeout=90) as http,
        streamable_http_client(endpoint, http_client=http) as (read, write, _),
        ClientSession(read, write) as session,
    ):
        hello = await session.initialize()
        tools = (await session.list_tools()).tools
        return hello.protocolVersion, tools, await both(session.call_tool)


async def second(person):
    import httpx2
    from mcp.client import Client
    from mcp.client.streamable_http import streamable_http_client

    async with httpx2.AsyncClient(auth=provider(person), timeout=90) as http:
        extensions = [following()] if more else None
        transport = streamable_http_client(endpoint, http_client=http)
        async with Client(transport, mode="auto", extensions=extensions, elicitation_callback=answers if more else None) as client:
            tools = (await client.list_tools()).tools
            said = await both(client.call_tool)
            if more:
                made = await called(client.call_tool, "legal_agent", {
                    "operation": "create_case",
                    "arguments": {"title": "Lease of [Party 1]", "matterKind": "litigation", "jurisdiction": "US-CA"},
                })
                case = made["changes"][0]["id"]
                task = await client.call_tool("legal_agent", {"message": "Draft something", "caseId": case})
                reviewed = await client.call_tool(
                    "legal_agent", {"message": "Evaluate this case.", "requestType": "eval_req", "caseId": case}
                )
                said["task"] = {
                    "asked": asked,
                    "state": task.structured_content["state"],
                    "review": reviewed.structured_content["review"]["status"],
                }
            return client.protocol_version, tools, said


asked = []


async def answers(_context, params):
    from mcp_types import ElicitResult

    asked.append(params.mode)
    return ElicitResult(action="accept", content={"answer": "How long is the limitation period for a written contract?"})


def following():
    """The extension for tasks: the library has the hooks for it, and not the extension itself."""
    import mcp_types as types
    from mcp.client import ClientExtension, ResultClaim

    class Task(types.Result):
        result_type: Literal["task"] = "task"
        task_id: str = ""
        status: str = ""

    class Params(types.RequestParams):
        task_id: str
        input_responses: dict | None = None

    class About(types.Request[Params, str]):
        name_param = "taskId"

    class State(types.Result):
        status: str | None = None
        result: dict | None = None
        input_requests: dict | None = None

    async def resolve(task, ctx):
        while True:
            state = await ctx.session.send_request(About(method="tasks/get", params=Params(task_id=task.task_id)), State)
            if state.status == "completed":
                return types.CallToolResult.model_validate(state.result)
            if state.status not in ("working", "input_required"):
                raise RuntimeError(f"the task is {state.status}")
            said = {}
            for key, request in (state.input_requests or {}).items():
                asked.append(request["params"]["mode"])
                form = request["params"]["mode"] == "form"
                content = {"answer": "How long is the limitation period for a written contract?"}
                if not form:  # the person opens it, and reviews there
                    print(request["params"]["url"], "", flush=True)
                said[key] = {"action": "accept", "content": content} if form else {"action": "accept"}
            if said:
                update = Params(task_id=task.task_id, input_responses=said)
                await ctx.session.send_request(About(method="tasks/update", params=update), types.EmptyResult)
            await asyncio.sleep(0.3)

    class Tasks(ClientExtension):
        identifier = "io.modelcontextprotocol/tasks"

        def claims(self):
            return (ResultClaim(result_type="task", model=Task, resolve=resolve),)

    return Tasks()


async def both(call):
    lookup = await called(call, "legal_lookup", {"view": "cases"})
    agent = await called(call, "legal_agent", {"message": "What can you do?", "waitSeconds": 60})
    return {"lookup": lookup.get("view"), "agent": agent.get("state")}


async def main():
    person = Person()
    server = await person.listen()
    version, tools, said = await (first if generation == "1" else second)(person)
    server.close()
    said |= {
        "version": str(version),
        "tools": [t.name for t in tools],
        "signIns": person.sign_ins,
        "registered": document == "-",
    }
    print("\nRESULT " + json.dumps(said), flush=True)


asyncio.run(main())
