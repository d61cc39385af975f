// Who is signed in, and the way in and out.
import { Refusal, get, post } from "./api.js";
import { tabs, tellLocked } from "./vault/tabs.js";
import type { Me } from "./wire.js";

let known: Me | undefined;

/** Who is signed in, once that has been found out. */
export function person(): Me | undefined {
  return known;
}

/** Whether the person has a role of their organization. */
export function hasRole(role: "owner" | "member" | "admin"): boolean {
  return known?.roles.includes(role) ?? false;
}

/** Finds out who is signed in; undefined means nobody. */
export async function findPerson(): Promise<Me | undefined> {
  try {
    known = await get<Me>("/v1/me");
  } catch (error) {
    if (!(error instanceof Refusal) || error.status !== 401) throw error;
    known = undefined;
  }
  return known;
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

async function reloadForAnother(before: Me): Promise<void> {
  let now: Me;
  try {
    now = await get<Me>("/v1/me");
  } catch {
    return; // signed out is heard elsewhere, and without a connection nobody sees more than before
  }
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
