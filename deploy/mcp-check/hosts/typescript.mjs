// A host on the official TypeScript libraries: it meets the 401, registers or names its document, has its user sign in
// and consent, lists the tools and calls both. With "tasks" it also follows long work as a task.
// usage: typescript.mjs GENERATION(1|2) ENDPOINT REDIRECT [DOCUMENT|-] [tasks]
import { Person } from "./person.mjs";

const [generation, endpoint, redirect, documentAddress, tasks] = process.argv.slice(2);
const person = new Person(redirect, documentAddress === "-" ? undefined : documentAddress);

const sdk =
  generation === "1"
    ? {
        ...(await import("@modelcontextprotocol/sdk/client/index.js")),
        ...(await import("@modelcontextprotocol/sdk/client/streamableHttp.js")),
        ...(await import("@modelcontextprotocol/sdk/client/auth.js")),
      }
    : await import("@modelcontextprotocol/client");

const about = { name: "subrosa-check", version: "1" };
const capabilities = tasks ? { elicitation: { form: {}, url: {} }, extensions: { "io.modelcontextprotocol/tasks": {} } } : {};
const options = generation === "1" ? {} : { versionNegotiation: { mode: "auto" }, capabilities };

let transport;

// goingOn does something, and once more each time that the user was sent to sign in.
async function goingOn(what) {
  for (let tries = 0; ; tries++) {
    try {
      return await what();
    } catch (e) {
      if (!(e instanceof sdk.UnauthorizedError) || tries === 3) throw e;
      const answer = await person.answer();
      await (generation === "1" ? transport.finishAuth(answer.get("code")) : transport.finishAuth(answer));
    }
  }
}

const client = await goingOn(async () => {
  const fresh = new sdk.Client(about, options);
  transport = new sdk.StreamableHTTPClientTransport(new URL(endpoint), { authProvider: person });
  await fresh.connect(transport);
  return fresh;
});

const { tools } = await goingOn(() => client.listTools());
const lookup = await goingOn(() => client.callTool({ name: "legal_lookup", arguments: { view: "cases" } }));
const asked = { name: "legal_agent", arguments: { message: "What can you do?", waitSeconds: 60 } };
const agent = await goingOn(() => client.callTool(asked)).catch((e) => ({ refused: String(e.message ?? e) }));

const said = {
  version: client.getNegotiatedProtocolVersion?.() ?? transport.protocolVersion,
  tools: tools.map((t) => t.name),
  lookup: lookup.structuredContent?.view,
  agent: agent.structuredContent?.state ?? agent.refused,
  signIns: person.signIns,
  registered: !person.clientMetadataUrl,
};
if (tasks) said.task = await followed();
await client.close();
person.close();
console.log(`\nRESULT ${JSON.stringify(said)}`);

// followed has the agent ask a question, answers it as the user would, and waits for the end of the task. The client
// itself refuses results that are tasks, so the package of the extension sends those requests by its own way.
async function followed() {
  const { createTaskSessionFromClient, resultFromTaskOutcome } = await import("@modelcontextprotocol/ext-tasks/client");
  const framing = { protocolVersion: "2026-07-28", clientInfo: about, clientCapabilities: capabilities };
  let id = 1000;
  const rawDispatch = async (request, { signal } = {}) => {
    const params = { ...request.params, _meta: { ...request.params?._meta, ...meta(framing) } };
    const response = await fetch(endpoint, {
      method: "POST",
      signal,
      headers: {
        "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
        Authorization: `Bearer ${person.kept.access_token}`,
        "MCP-Protocol-Version": framing.protocolVersion,
        "Mcp-Method": request.method,
        "Mcp-Name": params.taskId ?? params.name,
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: ++id, method: request.method, params }),
    });
    const text = await response.text();
    const message = JSON.parse(text.includes("data: ") ? text.slice(text.lastIndexOf("data: ") + 6) : text);
    return message.error ? { kind: "error", error: message.error } : { kind: "result", result: message.result };
  };
  const asked = [];
  const session = createTaskSessionFromClient(client, {
    endpointId: "subrosa-check",
    rawDispatch,
    v2RequestFraming: framing,
    onInputRequest: async (request) => {
      asked.push(request.params.mode ?? "form");
      if (request.params.mode === "url") {
        console.log(request.params.url, ""); // the person opens it, and reviews there
        return { action: "accept" };
      }
      return { action: "accept", content: { answer: "How long is the limitation period for a written contract?" } };
    },
  });
  const made = await client.callTool({
    name: "legal_agent",
    arguments: { operation: "create_case", arguments: { title: "Lease of [Party 1]", matterKind: "litigation", jurisdiction: "US-CA" } },
  });
  const caseId = made.structuredContent?.changes?.[0]?.id;
  const settled = async (sent) => {
    const execution = await session.callTool("legal_agent", { caseId, ...sent });
    const { outcome } = await execution.settle();
    return resultFromTaskOutcome(outcome).structuredContent;
  };
  const answered = await settled({ message: "Draft something" });
  const reviewed = await settled({ message: "Evaluate this case.", requestType: "eval_req" });
  await session.close();
  return { asked, state: answered?.state, review: reviewed?.review?.status };
}

function meta({ protocolVersion, clientInfo, clientCapabilities }) {
  const prefix = "io.modelcontextprotocol/";
  return {
    [`${prefix}protocolVersion`]: protocolVersion,
    [`${prefix}clientInfo`]: clientInfo,
    [`${prefix}clientCapabilities`]: clientCapabilities,
  };
}
