// Who is signed in, and the way in and out.
import { get, post, tellSignedOut } from "./api.js";
import { tabs, tellLocked } from "./vault/tabs.js";
import type { SessionStatus, SignedIn } from "./wire.js";

let known: SignedIn | undefined;

/** Who is signed in, once that has been found out. */
export function person(): SignedIn | undefined {
  return known;
}

/** Whether the person has a role of their organization. */
export function hasRole(role: SignedIn["roles"][number]): boolean {
  return known?.roles.includes(role) ?? false;
}

/** Finds out who is signed in; undefined means nobody. */
export async function findPerson(): Promise<SignedIn | undefined> {
  known = await signedIn();
  return known;
}

/** Asks the service who is signed in. Nobody is a good answer too: the browser would log a 401 as an error. */
async function signedIn(): Promise<SignedIn | undefined> {
  return (await get<SessionStatus>("/auth/session")).person ?? undefined;
}

/** Where signing in begins; it leads back to where the person is. */
export function signInAddress(): string {
  return `/auth/login?returnTo=${encodeURIComponent(location.pathname + location.search)}`;
}

/** Looks, each time that this page is seen again, whether somebody else signed in meanwhile: then everything in it is forgotten, and it is loaded anew for them. */
export function watchPerson(signal: AbortSignal): void {
  const look = (): void => {
    if (known && document.visibilityState === "visible") void reloadForAnother(known);
  };
  document.addEventListener("visibilitychange", look, { signal });
  addEventListener("pageshow", (event) => event.persisted && look(), { signal });
}

async function reloadForAnother(before: SignedIn): Promise<void> {
  let now: SignedIn | undefined;
  try {
    now = await signedIn();
  } catch {
    return; // without a connection nobody sees more than before
  }
  if (!now) return tellSignedOut();
  if (now.user === before.user && now.tenant === before.tenant) return;
  document.body.replaceChildren();
  location.reload();
}

/** Ends the session here, or every session of the person, locks the vault in every tab, and goes on to where the identity provider ends its own. */
export async function signOut(everywhere: boolean): Promise<void> {
  const { next } = await post<{ next: string }>("/auth/logout", { everywhere });
  known = undefined;
  dispatchEvent(new Event("subrosa:signed-out"));
  const others = tabs();
  tellLocked(others);
  others.close();
  location.assign(next);
}
