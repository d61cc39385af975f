// How tabs of this browser tell each other of the vault. It loads with every page, with or without the vault's own code.

/** What a tab says: that every vault is to be locked, or that this one's is in use. */
export type Message = { vault: "lock" | "used" };

/** The channel on which the tabs of this browser hear each other. */
export function tabs(): BroadcastChannel {
  return new BroadcastChannel("subrosa-vault");
}

/** Locks the vault in all tabs but the one that the channel is of. */
export function tellLocked(channel: BroadcastChannel): void {
  channel.postMessage({ vault: "lock" } satisfies Message);
}
