// What the vault asks of the service, and what it gets: ciphertexts, public keys and wrapped keys alone.
import { type Answer, type Options, address, get, put as replace, send } from "../api.js";
import type { Party, Sealed, VaultMemberList } from "../wire.js";

/** Somebody of the firm who has a vault. */
export type VaultMember = VaultMemberList["items"][number];

interface ListPage<T> {
  items: T[];
  nextCursor?: string | null;
}

/** All items of a list, however many pages it has. */
export async function all<T>(
  path: string,
  parameters: Record<string, string | number | undefined> = {},
  options?: Options,
): Promise<T[]> {
  const items: T[] = [];
  let cursor = "";
  do {
    const page = await get<ListPage<T>>(address(path, { ...parameters, limit: 100, cursor }), options);
    items.push(...page.items);
    cursor = page.nextCursor ?? "";
  } while (cursor);
  return items;
}

/** PUT that makes what is not there yet: 412 or 409 when it is. */
export async function create<T>(path: string, body: unknown): Promise<Answer<T>> {
  const headers = { Accept: "application/json", "Content-Type": "application/json", "If-None-Match": "*" };
  const response = await send("PUT", path, JSON.stringify(body), headers);
  return { body: (await response.json()) as T, etag: response.headers.get("ETag") ?? "", status: response.status };
}

/** The ETag of what has a version of its own. */
export function tagOf(version: number): string {
  return `"${version}"`;
}

/** The address of a case's sealed labels. */
export function labelsPath(caseId: string): string {
  return `/v1/cases/${encodeURIComponent(caseId)}/sealed-labels`;
}

/** Replaces what the vault keeps of a party, and nothing else of it. Refused with 412 when the party was changed meanwhile. */
export async function putParty(
  p: Party,
  fields: { identityRef: string; sealed: Sealed; conflictTokens: string[] },
): Promise<Party> {
  const body = {
    kind: p.kind,
    role: p.role,
    side: p.side,
    isClient: p.isClient,
    representation: p.representation,
    status: p.status,
    attributes: p.attributes,
    ...(p.notes ? { notes: p.notes } : {}),
    ...(p.mergedIntoPartyId ? { mergedIntoPartyId: p.mergedIntoPartyId } : {}),
    ...(p.joinedOn ? { joinedOn: p.joinedOn } : {}),
    ...(p.leftOn ? { leftOn: p.leftOn } : {}),
    ...fields,
  };
  return (await replace<Party>(`/v1/parties/${encodeURIComponent(p.partyId)}`, body, { ifMatch: tagOf(p.version) }))
    .body;
}
