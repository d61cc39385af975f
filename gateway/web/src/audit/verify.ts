// Checks the chains of the audit trail here, so that nobody has to believe the service. The form is that of pkg/audit/chain: every event holds the
// SHA-256 of its own texts and of the event before it.
import { address, get } from "../api.js";
import type { AuditEvent, AuditList } from "../wire.js";

/** The chains of an installation. */
export const chains = ["case", "party", "agents", "auth"] as const;
export type ChainName = (typeof chains)[number];

/** What became of one chain. An empty reason means that it is whole. */
export interface Checked {
  chain: ChainName;
  events: number;
  head: string;
  reason: string;
}

const version = "subrosa-audit-1";
const utf8 = new TextEncoder();

/** SHA-256, in lower-case hexadecimal, over the texts as netstrings: length in bytes, colon, bytes, comma. */
export async function digest(texts: string[]): Promise<string> {
  const parts = texts.map((text) => `${utf8.encode(text).length}:${text},`).join("");
  const sum = new Uint8Array(await crypto.subtle.digest("SHA-256", utf8.encode(parts)));
  return Array.from(sum, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** What the first event of a tenant's chain follows. */
export function genesis(tenant: string): Promise<string> {
  return digest([version, "genesis", tenant]);
}

/** The hash that an event should have. */
export function digestOf(event: AuditEvent): Promise<string> {
  const texts = [
    version,
    "event",
    String(event.seq),
    new Date(event.at).toISOString(),
    event.actor.kind,
    event.actor.id,
    event.action,
    event.resource.type,
    event.resource.id,
    event.outcome,
    event.requestId ?? "",
    event.contentSha256 ?? "",
    event.prevHash,
  ];
  if (event.actor.userId) texts.push(event.actor.userId);
  return digest(texts);
}

/** Where an earlier check in this browser came to, so that a chain that was cut short is noticed. */
interface Head {
  seq: number;
  hash: string;
}

const place = (tenant: string, chain: ChainName): string => `subrosa:audit:${tenant}/${chain}`;

function remembered(tenant: string, chain: ChainName): Head | undefined {
  try {
    return JSON.parse(localStorage.getItem(place(tenant, chain)) ?? "null") as Head | undefined;
  } catch {
    return undefined;
  }
}

/**
 * Reads a chain from its first event on and checks every one.
 * @param told is called with the number of events that were checked so far
 */
export async function verify(
  tenant: string,
  chain: ChainName,
  signal: AbortSignal,
  told: (events: number) => void,
): Promise<Checked> {
  const known = remembered(tenant, chain);
  const result: Checked = { chain, events: 0, head: "", reason: "" };
  let before = await genesis(tenant);
  let cursor = "";
  do {
    const page: AuditList = await get<AuditList>(address(`/v1/audit/${chain}`, { limit: 100, cursor }), { signal });
    for (const event of page.items) {
      result.reason = await wrong(event, result.events, before, known);
      if (result.reason !== "") return result;
      before = event.hash;
      result.events = event.seq;
      result.head = event.hash;
    }
    told(result.events);
    cursor = page.nextCursor ?? "";
  } while (cursor !== "");
  if (known && known.seq > result.events)
    result.reason = `It ends at event ${result.events}; when this browser last checked, it went to ${known.seq}.`;
  else if (result.events > 0)
    localStorage.setItem(
      place(tenant, chain),
      JSON.stringify({ seq: result.events, hash: result.head } satisfies Head),
    );
  return result;
}

async function wrong(event: AuditEvent, seen: number, before: string, known: Head | undefined): Promise<string> {
  if (event.seq > seen + 1) return `Event ${seen + 1} is missing.`;
  if (event.seq < seen + 1) return `An earlier event stands in the place of event ${seen + 1}.`;
  if (event.hash !== (await digestOf(event))) return `What event ${event.seq} says does not fit its hash.`;
  if (event.prevHash !== before)
    return event.seq === 1
      ? "It does not begin your organization's chain."
      : `Event ${event.seq} does not follow the one before it.`;
  if (known?.seq === event.seq && known.hash !== event.hash)
    return `Event ${event.seq} is not the one that was there when this browser last checked.`;
  return "";
}
