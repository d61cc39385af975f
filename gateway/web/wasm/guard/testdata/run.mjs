// Runs the vectors of standard input in the WebAssembly build and prints what it returns, one element for each, and how long things took.
// Usage: node run.mjs wasm_exec.js guard.wasm < vectors.json
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [goSupport, program] = process.argv.slice(2);
await import(pathToFileURL(goSupport));

const started = performance.now();
const go = new globalThis.Go();
const { instance } = await WebAssembly.instantiate(readFileSync(program), go.importObject);
go.run(instance);
const loaded = performance.now() - started;

const guard = globalThis.subrosaGuard;
const plain = (v) => (v instanceof Error ? { error: v.code } : v);
const results = JSON.parse(readFileSync(0, "utf8")).map((v) => {
  const before = JSON.stringify(v);
  let got;
  switch (v.op) {
    case "check":
      got = guard.check(v.text, v.door);
      break;
    case "label":
      got = guard.label(v.text, v.findings ?? guard.check(v.text, "fileText"), v.map ?? {});
      break;
    case "propose":
      got = guard.propose(v.text, guard.check(v.text, "fileText"), v.map ?? {});
      break;
    case "unlabel":
      got = guard.unlabel(v.text, v.map);
      break;
    default:
      throw new Error(`${v.op} is no operation`);
  }
  if (JSON.stringify(v) !== before) got = new Error("an argument was changed");
  if (Array.isArray(got)) {
    for (const f of got) if (Buffer.from(v.text).subarray(f.startByte, f.endByte).toString() !== v.text.slice(f.start, f.end)) got = new Error("offsets disagree");
  }
  return plain(got);
});

// 100 KB of text with an identity in every line, looked through until the program is warm.
const page = "[Party 1] told Mr Halvard Ostrowe on May 4, 2025 that the lease of 12 Long Lane ends, see Roe v. Wade, 410 U.S. 113 (1973).\n";
const text = page.repeat(Math.ceil(100_000 / page.length)).slice(0, 100_000);
const checks = [];
for (let i = 0; i < 5; i++) {
  const at = performance.now();
  if (guard.check(text, "fileText").length < 1000) throw new Error("identities were not found");
  checks.push(performance.now() - at);
}
const halves = guard.check("half a pair \ud83d", "fileText");
console.log(JSON.stringify({ results, version: guard.version(), halves: plain(halves), loadMs: loaded, firstMs: checks[0], checkMs: Math.min(...checks) }));
process.exit(0);
