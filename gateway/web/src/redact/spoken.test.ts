// Reads the labels of a case with many long prompts, and counts how many are asked for at once.
import assert from "node:assert/strict";
import { test } from "node:test";
import { spokenLabels } from "./spoken.js";

const PHASES = 403;
let now = 0;
let most = 0;
let read = 0;

async function answer(path: string): Promise<object> {
  const url = new URL(path, "https://subrosa.test");
  const phase = url.searchParams.get("phaseId");
  if (phase) {
    most = Math.max(most, ++now);
    await new Promise((done) => setTimeout(done, 1));
    now--;
    read++;
    return { prompt: "x".repeat(200) + ` [Party ${phase}]` };
  }
  switch (url.pathname) {
    case "/v1/cases/c":
      return { title: "[Party 901]" };
    case "/v1/workspace/case/c":
      return { timeline: { timelineId: "t", branches: [{ branchId: "b", title: "[Party 902]" }] } };
    case "/v1/phases": {
      const items = Array.from({ length: PHASES }, (_, i) => ({ phaseId: `${i + 1}`, prompt: "x".repeat(200) }));
      return { items: [...items, { phaseId: "none", prompt: "[Party 903]" }] };
    }
    case "/v1/timeline/t":
      return { entries: [{ title: "[Party 904]" }] };
  }
  throw new Error(`asked ${path}`);
}

globalThis.location = new URL("https://subrosa.test/app") as unknown as Location;
globalThis.fetch = async (path) =>
  new Response(JSON.stringify(await answer(path instanceof Request ? path.url : `${path}`)), {
    headers: { "Content-Type": "application/json" },
  });

test("the labels of many long prompts are read four at once", async () => {
  const { record, work, unread } = await spokenLabels("c", new AbortController().signal);
  assert.deepEqual([...record], ["[Party 901]"]);
  for (const label of [1, 400, 902, 903, 904]) assert.ok(work.has(`[Party ${label}]`), `${label} is missing`);
  assert.equal(work.has("[Party 401]"), false);
  assert.equal(read, 400);
  assert.equal(unread, 3);
  assert.equal(most, 4);
});
