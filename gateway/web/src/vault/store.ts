// What the vault keeps in this browser: the last ciphertext that the service had of it, the keys that were seen, and settings. Nothing in here opens anything.
import type { Vault as StoredVault } from "../wire.js";

/** Keys of a firm that this browser has seen: a service that later says something else is not believed. */
export interface Pins {
  /** Public keys that the person compared, by user. */
  members: Record<string, string>;
  /** Fingerprints of firm keys, by version. */
  firmKeys: Record<string, string>;
}

/** What a person chose for this browser. */
export interface Settings {
  /** Minutes without a key or pointer after which the vault locks, 1 to 60. */
  lockAfter: number;
}

interface Kept {
  vaults: StoredVault;
  pins: Pins;
  settings: Settings;
}

const NAME = "subrosa-vault";
const STORES = ["vaults", "pins", "settings"] as const;

let opened: Promise<IDBDatabase> | undefined;

function database(): Promise<IDBDatabase> {
  opened ??= new Promise<IDBDatabase>((resolve, reject) => {
    const request = indexedDB.open(NAME, 1);
    request.onupgradeneeded = () => STORES.forEach((name) => request.result.createObjectStore(name));
    request.onsuccess = () => {
      request.result.onversionchange = () => {
        request.result.close();
        opened = undefined;
      };
      resolve(request.result);
    };
    request.onerror = () => reject(request.error ?? new Error("this browser keeps no data"));
  });
  opened.catch(() => (opened = undefined));
  return opened;
}

/** What is kept under a key; undefined when nothing is. */
export async function kept<S extends keyof Kept>(store: S, key: string): Promise<Kept[S] | undefined> {
  const db = await database();
  return new Promise((resolve, reject) => {
    const request = db.transaction(store).objectStore(store).get(key) as IDBRequest<Kept[S] | undefined>;
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** Changes what is kept under a key in one step, so that tabs do not undo each other's work. Returns what is kept now. */
export async function change<S extends keyof Kept>(
  store: S,
  key: string,
  next: (was: Kept[S] | undefined) => Kept[S],
): Promise<Kept[S]> {
  const db = await database();
  return new Promise((resolve, reject) => {
    const transaction = db.transaction(store, "readwrite");
    const objects = transaction.objectStore(store);
    const request = objects.get(key) as IDBRequest<Kept[S] | undefined>;
    let value: Kept[S];
    request.onsuccess = () => {
      value = next(request.result);
      objects.put(value, key);
    };
    transaction.oncomplete = () => resolve(value);
    transaction.onerror = () => reject(transaction.error);
    transaction.onabort = () => reject(transaction.error);
  });
}

/** The keys of a firm that a person saw here; none at first. */
export async function pinsOf(place: string): Promise<Pins> {
  return (await kept("pins", place)) ?? { members: {}, firmKeys: {} };
}

/** Remembers keys as seen. A key that is given here replaces the one from before: compare first. */
export function pin(place: string, seen: Partial<Pins>): Promise<Pins> {
  return change("pins", place, (was) => ({
    members: { ...was?.members, ...seen.members },
    firmKeys: { ...was?.firmKeys, ...seen.firmKeys },
  }));
}

/** Minutes after which an idle vault locks when nobody chose otherwise. */
export const USUAL_MINUTES = 15;

/** The person's settings in this browser. */
export async function settings(): Promise<Settings> {
  return (await kept("settings", "vault")) ?? { lockAfter: USUAL_MINUTES };
}

/** Sets after how many minutes an idle vault locks; numbers outside 1 to 60 become the nearer end. */
export function setLockAfter(minutes: number): Promise<Settings> {
  return change("settings", "vault", () => ({
    lockAfter: Math.min(60, Math.max(1, Math.round(minutes) || USUAL_MINUTES)),
  }));
}
