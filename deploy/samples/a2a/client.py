"""Works with Subrosa by the agent-to-agent protocol, with the official Python SDK (pip install "a2a-sdk[http-server]").

Set SUBROSA_URL, SUBROSA_API_KEY and SUBROSA_CASE, and SUBROSA_CA to the file of a local authority. BINDING is JSONRPC
(the default) or HTTP+JSON.
"""

import asyncio
import os
import ssl
import sys
import uuid

import httpx
from a2a.client import A2ACardResolver, ClientCallContext, ClientConfig, ClientFactory
from a2a.types import (
    CancelTaskRequest, GetTaskRequest, ListTasksRequest, Message, Part, Role, SendMessageRequest,
    SubscribeToTaskRequest, TaskState,
)

for name in ("SUBROSA_URL", "SUBROSA_API_KEY", "SUBROSA_CASE"):
    if not os.environ.get(name):
        sys.exit("set " + name)
URL, CASE = os.environ["SUBROSA_URL"], os.environ["SUBROSA_CASE"]


def message(text, **more):
    return SendMessageRequest(message=Message(
        message_id=str(uuid.uuid4()), role=Role.ROLE_USER, parts=[Part(text=text)], **more))


async def last(stream, most=0):
    """Prints what happens and returns the task as it stands at the end, or after most events where most is not 0."""
    task, seen = None, 0
    async for event in stream:
        seen += 1
        kind = event.WhichOneof("payload")
        if kind == "task":
            task = event.task
            print("task", TaskState.Name(task.status.state))
        elif kind == "status_update":
            task.status.CopyFrom(event.status_update.status)
            print("status", TaskState.Name(task.status.state))
        elif kind == "artifact_update":
            print("artifact", len(event.artifact_update.artifact.parts[0].text), "characters")
        if seen == most:
            await stream.aclose()
            break
    return task


async def main():
    trusted = ssl.create_default_context(cafile=os.environ.get("SUBROSA_CA"))
    async with httpx.AsyncClient(verify=trusted, timeout=300) as http:
        token = await http.post(f"{URL}/v1/auth/token", json={"api_key": os.environ["SUBROSA_API_KEY"]})
        http.headers["Authorization"] = "Bearer " + token.raise_for_status().json()["bearer_token"]
        card = await A2ACardResolver(http, URL).get_agent_card()
        binding = os.environ.get("BINDING", "JSONRPC")
        client = ClientFactory(ClientConfig(
            httpx_client=http, supported_protocol_bindings=[binding], use_client_preference=True)).create(card)

        asked = await last(client.send_message(message("What is agreed about notice?")))
        print("asked:", asked.status.message.parts[0].text)
        answer = message(CASE, task_id=asked.id, context_id=asked.context_id)
        done = await last(client.send_message(answer))

        whole = await client.get_task(GetTaskRequest(id=done.id))
        if not whole.artifacts:
            sys.exit("no answer: " + TaskState.Name(whole.status.state))
        print("answer:", whole.artifacts[0].parts[0].text.splitlines()[0])
        page = await client.list_tasks(ListTasksRequest(context_id=done.context_id))
        print("tasks of the context:", page.total_size)

        # The stream is cut after two events: the task, which has the number 0, and event 1. The rest follows event 1.
        about = message("What is the notice period?")
        about.message.metadata.update({"caseId": CASE})
        cut = await last(client.send_message(about), most=2)
        place = ClientCallContext(service_parameters={"Last-Event-ID": "1"})
        seen = 1
        async for event in client.subscribe(SubscribeToTaskRequest(id=cut.id), context=place):
            seen += 1
            if event.status_update.status.state == TaskState.TASK_STATE_INPUT_REQUIRED:
                break  # a subscription stays open while the task waits
        print("resumed: events 2 to", seen)

        other = await last(client.send_message(message("Not now.")))
        over = await client.cancel_task(CancelTaskRequest(id=other.id))
        print("cancelled:", TaskState.Name(over.status.state))


asyncio.run(main())
