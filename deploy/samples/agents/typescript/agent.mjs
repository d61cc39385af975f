// @ts-check
// An agent of Subrosa: opens a case, adds a document, has it evaluated, and reads the answer as it comes. Node's own modules only.
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { request } from "node:https";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";

/** @typedef {{type: string, seq?: number, status?: string, message?: string, response?: {text: string, evaluation: {tier: number | null, tierName: string}}}} Event */
const { SUBROSA_URL: base = "", SUBROSA_CA: caFile, SUBROSA_API_KEY: key } = process.env;
const ca = caFile ? readFileSync(caFile) : undefined;
const document = "# COMPLAINT\n\n[Party 1] demands judgment against [Party 2] for $80,000.00 for breach of contract.\n";
class Refused extends Error {}

let bearer = "";

/** Sends a POST, with a new bearer when the old one has ended, and gives its response, whose body is still to be read. What the service refuses is thrown.
 * @param {string} path @param {string} body @param {Record<string, string>} headers @returns {Promise<import("node:http").IncomingMessage>} */
async function send(path, body, headers) {
  const all = { ...headers, "Content-Length": `${Buffer.byteLength(body)}`, Authorization: `Bearer ${bearer}` };
  /** @type {import("node:http").IncomingMessage} */
  const response = await new Promise((resolve, reject) => request(new URL(path, base), { method: "POST", ca, headers: all }, resolve).on("error", reject).end(body));
  if ((response.statusCode ?? 500) < 400) return response;
  const problem = JSON.parse(await text(response));
  if (response.statusCode === 401 && path !== "/v1/auth/token") {
    bearer = (await post("/v1/auth/token", { api_key: key })).bearer_token;
    return send(path, body, headers);
  }
  if (response.statusCode === 503) throw new Error(problem.message); // worth another try
  throw new Refused(`${problem.error}: ${problem.message} ${problem.deepLink ?? ""}`);
}

/** @param {AsyncIterable<Buffer>} stream */
async function text(stream) {
  const parts = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts).toString();
}

/** @param {string} path @param {unknown} value @returns {Promise<any>} */
const post = async (path, value) => JSON.parse(await text(await send(path, JSON.stringify(value), { "Content-Type": "application/json" })));

/** Gives a task to the legal agent and yields every event of it once. The same POST, repeated with the last id, resumes.
 * @param {unknown} task @returns {AsyncGenerator<Event>} */
async function* run(task) {
  for (let last = "", failures = 0; failures < 8; ) {
    try {
      const headers = { "Content-Type": "application/json", Accept: "text/event-stream", ...(last ? { "Last-Event-ID": last } : {}) };
      const response = await send("/v1/agent", JSON.stringify(task), headers);
      let id = "", data = "";
      for await (const line of createInterface({ input: response })) {
        if (line.startsWith("id: ")) id = line.slice(4);
        if (line.startsWith("data: ")) data = line.slice(6);
        if (line !== "" || data === "") continue; // an event is whole at its empty line
        const event = JSON.parse(data);
        last = id || last; // heartbeats have no id
        [id, data, failures] = ["", "", 0];
        yield event;
        if (event.type === "phase_end") return;
      }
    } catch (problem) {
      if (problem instanceof Refused) throw problem;
    }
    failures++; // a close without phase_end means: resume
    console.log("resuming after", last);
    await pause(200 * failures);
  }
  throw new Error("the stream could not be resumed");
}

const { caseId } = await post("/v1/cases", { jurisdiction: "US" });
const upload = { "Content-Type": "text/markdown", "Content-Disposition": 'attachment; filename="complaint.md"' };
console.log("case", caseId, "file", JSON.parse(await text(await send(`/v1/cases/${caseId}/files`, document, upload))).items[0].fileId);
const task = { sessionId: "sample-typescript", seedPhase: { phaseId: randomUUID() }, containerType: "case", containerId: caseId, requestType: "eval_req", prompt: "Evaluate this case." };
for await (const event of run(task)) {
  console.log("event", event.type, event.status ?? "");
  if (event.response) console.log(`${event.response.text}\ntier ${event.response.evaluation.tier} ${event.response.evaluation.tierName}`);
  if (event.type === "error") throw new Error(event.message);
}
