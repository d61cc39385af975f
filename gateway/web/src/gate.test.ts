// The gate of calls: what a person wrote goes nowhere before something judges it. This is the gate itself; other tests have none.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Refusal, patch, send } from "./api.js";
import { judgeBy, pass } from "./gate.js";

let sent = 0;
globalThis.location ??= { href: "https://subrosa.example/app/" } as Location;
globalThis.fetch = (async () => {
  sent++;
  return new Response("{}");
}) as typeof fetch;

// These stand in one test, since the first part holds only until a judge is named.
test("what was written waits for a judge, and goes as it judges", async () => {
  await assert.rejects(() => pass({ title: "Lease" }, true, "/v1/cases"), /nothing judges what is written/);
  await assert.rejects(() => patch("/v1/cases/1", { title: "Lease" }), /nothing judges what is written/);
  await assert.rejects(() => send("GET", "/v1/cases?q=Lease", null, {}), /nothing judges what is written/);
  assert.equal(sent, 0);

  const judged: unknown[][] = [];
  judgeBy(async () => ({
    pass: async (written, ask, path) => {
      judged.push([written, ask, path]);
      if (JSON.stringify(written).includes("Ada")) throw new Refusal(0, "identity", "Nothing was sent.");
    },
  }));
  await assert.rejects(() => patch("/v1/cases/1", { title: "Ada" }), /Nothing was sent/);
  assert.equal(sent, 0);
  await patch("/v1/cases/1", { title: "Lease" });
  assert.equal(sent, 1);
  assert.deepEqual(judged.at(-1), [{ title: "Lease" }, true, "/v1/cases/1"]);
});
