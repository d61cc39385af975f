// The worker of the redaction: it loads the reader of documents and the guard, both WebAssembly of our own, when they are first asked for, and
// runs them apart from the page. Nothing that it is given leaves it but to the page.
import type { Call, Extracted, Finding, LabelData, Marked, Reply } from "./protocol.js";

interface Program {
  run(instance: WebAssembly.Instance): Promise<void>;
  importObject: WebAssembly.Imports;
}

interface Loaded {
  Go?: new () => Program;
  subrosaGuard?: {
    check(text: string, door: string): Finding[] | Error;
    propose(text: string, places: Marked[], map: LabelData): string[] | Error;
  };
  subrosaExtract?: { extract(bytes: Uint8Array, name: string): Extracted | Error };
}

const world = globalThis as typeof globalThis & Loaded;
const folder = "/assets/wasm/";
const absent =
  "This installation does not serve the programs that read and check documents. Your administrator builds them with “make wasm”; until then the command line does the same: subrosa redact.";

class Failure extends Error {
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}

const loading = new Map<string, Promise<void>>();

function load(name: "guard" | "extract"): Promise<void> {
  let started = loading.get(name);
  if (!started) {
    started = start(name);
    started.catch(() => loading.delete(name));
    loading.set(name, started);
  }
  return started;
}

async function start(name: string): Promise<void> {
  const response = await fetch(`${folder}${name}.wasm`).catch(() => undefined);
  if (response && !response.ok) throw new Failure("absent", absent);
  if (!response)
    throw new Failure(
      "unreachable",
      "The programs that read and check documents cannot be fetched. Check your connection and try again.",
    );
  if (!world.Go) {
    const support = `${folder}wasm_exec.js`; // by a name that the bundler does not follow
    await import(support).catch(() => Promise.reject(new Failure("absent", absent)));
  }
  const go = new (world.Go as new () => Program)();
  const { instance } = await WebAssembly.instantiate(await response.arrayBuffer(), go.importObject);
  void go.run(instance);
}

async function answer(call: Call): Promise<Extracted | Finding[] | string[]> {
  await load(call.op === "extract" ? "extract" : "guard");
  const { subrosaExtract: extract, subrosaGuard: guard } = world;
  switch (call.op) {
    case "extract":
      return good(extract?.extract(new Uint8Array(call.in.bytes), call.in.name));
    case "check":
      return good(guard?.check(call.in.text, call.in.door));
    case "propose":
      return good(guard?.propose(call.in.text, call.in.places, call.in.map));
  }
}

function good<T>(value: T | Error | undefined): T {
  if (value instanceof Error) throw new Failure((value as Error & { code?: string }).code ?? "internal", value.message);
  if (value === undefined)
    throw new Failure("internal", "The program that reads documents did not start. Load the page again.");
  return value;
}

addEventListener("message", (event: MessageEvent<Call>) => {
  const { id } = event.data;
  answer(event.data).then(
    (out) => postMessage({ id, out } satisfies Reply),
    (error: unknown) => {
      const failed =
        error instanceof Failure
          ? { code: error.code, message: error.message }
          : { code: "internal", message: "The program that reads documents failed. Choose the file again." };
      postMessage({ id, failed } satisfies Reply);
    },
  );
});
