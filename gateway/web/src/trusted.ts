// The one place where an address becomes a script: the page's policy lets nothing else do it.

const policy = globalThis.trustedTypes?.createPolicy("subrosa", {
  createScriptURL(address: string): string {
    if (!address.startsWith("/assets/")) throw new TypeError("not a script of ours");
    return address;
  },
});

/** Starts a module worker from one of our own assets. */
export function startWorker(address: string): Worker {
  return new Worker((policy?.createScriptURL(address) ?? address) as string, { type: "module" });
}

interface ScriptPolicy {
  createScriptURL(address: string): unknown;
}

declare global {
  // Typed here, because the type checker's library of the browser does not know it yet.
  var trustedTypes:
    { createPolicy(name: string, rules: { createScriptURL(address: string): string }): ScriptPolicy } | undefined;
}
