// The only door to the service. Every call goes to our own origin, with the browser's session; what it sends is what the interface documents.
import { pass } from "./gate.js";

/** One finding of a refusal: where in what was sent, and of which kind. Offsets count bytes of UTF-8. */
export interface Detail {
  path?: string;
  kind?: string;
  start?: number;
  end?: number;
  message?: string;
  /** What is missing for a step from one state to another. */
  unmet?: string[];
}

/** The service's answer when it does not do what was asked. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly deepLink = "",
    readonly details: Detail[] = [],
    readonly requestId = "",
  ) {
    super(message);
    this.name = "Refusal";
  }

  /** The finding that names a field, for showing the refusal beside it. */
  at(path: string): Detail | undefined {
    return this.details.find((d) => d.path === path);
  }
}

/** What an answer brought besides its body. */
export interface Answer<T> {
  body: T;
  etag: string;
  status: number;
}

/** Options of a call. */
export interface Options {
  signal?: AbortSignal;
  /** ETag that what is changed must still have; the service answers 412 otherwise. */
  ifMatch?: string;
  /** Makes a POST safe to repeat. */
  key?: string;
  /** What is sent passed `judge` before. */
  judged?: boolean;
}

const unreachable = "The service cannot be reached. Check your connection; nothing was lost, try again in a moment.";

/** Reads why the service did not do what was asked. Who is not signed in any more is sent to sign in again. */
export async function refused(response: Response): Promise<Refusal> {
  let told: { error?: string; message?: string; deepLink?: string; details?: Detail[]; requestId?: string } = {};
  try {
    told = (await response.json()) as typeof told;
  } catch {
    // An answer of something between the service and here: its status is all there is.
  }
  if (response.status === 401) tellSignedOut();
  return new Refusal(
    response.status,
    told.error ?? "unknown",
    told.message ?? `The service answered ${response.status}. Try again in a moment.`,
    told.deepLink,
    told.details,
    told.requestId,
  );
}

const signedOut = new Set<() => void>();

/** Calls back when the service says that nobody is signed in any more. */
export function whenSignedOut(then: () => void): void {
  signedOut.add(then);
}

/** Says that nobody is signed in any more. */
export function tellSignedOut(): void {
  for (const then of signedOut) then();
}

/** What people wrote in a call: the body of JSON, or the words of a search. */
function typedIn(path: string, body: BodyInit | null, headers: Record<string, string>): unknown {
  if (typeof body === "string" && headers["Content-Type"]?.endsWith("json")) return JSON.parse(body);
  const typed = [...new URL(path, location.href).searchParams]
    .filter(([name, value]) => typedParameters.has(name) && !identifier.test(value))
    .map(([, value]) => value);
  return typed.length > 0 ? { q: typed } : undefined;
}

/** Parameters that people type words into. */
const typedParameters = new Set(["q", "practiceArea", "language", "action", "resourceId"]);
const identifier = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/**
 * Lets what a person wrote pass the identity guard in the page, or throws a Refusal. With `ask` the person may say that it identifies nobody.
 * @param path where it is sent to, which can name its case
 */
export async function judge(written: unknown, ask = true, path = ""): Promise<void> {
  await pass(written, ask, path);
}

/**
 * Makes a call and returns the response, or throws a Refusal. What people wrote passes the identity guard in the page first.
 */
export async function send(
  method: string,
  path: string,
  body: BodyInit | null,
  headers: Record<string, string>,
  options: Options = {},
): Promise<Response> {
  const typed = options.judged ? undefined : typedIn(path, body, headers);
  if (typed !== undefined) await judge(typed, method !== "GET", path); // who types words to search for is not interrupted
  if (options.ifMatch) headers["If-Match"] = options.ifMatch;
  if (options.key) headers["Idempotency-Key"] = options.key;
  let response: Response;
  try {
    response = await fetch(path, {
      method,
      body,
      headers,
      credentials: "same-origin",
      redirect: "error",
      cache: "no-store",
      signal: options.signal ?? null,
    });
  } catch (error) {
    if (options.signal?.aborted) throw error;
    throw new Refusal(0, "unreachable", unreachable);
  }
  if (response.ok) return response;
  throw await refused(response);
}

async function json<T>(
  method: string,
  path: string,
  given: unknown,
  mediaType: string,
  options?: Options,
): Promise<Answer<T>> {
  const headers: Record<string, string> = { Accept: "application/json" };
  if (given !== undefined) headers["Content-Type"] = mediaType;
  const response = await send(method, path, given === undefined ? null : JSON.stringify(given), headers, options);
  const text = await response.text();
  return {
    body: (text === "" ? undefined : JSON.parse(text)) as T,
    etag: response.headers.get("ETag") ?? "",
    status: response.status,
  };
}

/** Reads something. */
export async function get<T>(path: string, options?: Options): Promise<T> {
  return (await json<T>("GET", path, undefined, "", options)).body;
}

/** Reads something together with its ETag. */
export function read<T>(path: string, options?: Options): Promise<Answer<T>> {
  return json<T>("GET", path, undefined, "", options);
}

/** Makes something. */
export async function post<T>(path: string, body: unknown, options?: Options): Promise<T> {
  return (await json<T>("POST", path, body, "application/json", options)).body;
}

/** Replaces something; its ETag is in the answer. */
export function put<T>(path: string, body: unknown, options?: Options): Promise<Answer<T>> {
  return json<T>("PUT", path, body, "application/json", options);
}

/** Changes fields of something. */
export async function patch<T>(path: string, body: unknown, options?: Options): Promise<T> {
  return (await json<T>("PATCH", path, body, "application/merge-patch+json", options)).body;
}

/** Ends something. */
export async function del(path: string, options?: Options): Promise<void> {
  await json<unknown>("DELETE", path, undefined, "", options);
}

/** Sends one file as a form, and returns what the service says of it. */
export async function upload<T>(
  path: string,
  name: string,
  content: Blob,
  fields: Record<string, string> = {},
  options?: Options,
): Promise<T> {
  const form = new FormData();
  for (const [field, value] of Object.entries(fields)) form.set(field, value);
  form.set("file", content, name);
  const response = await send("POST", path, form, { Accept: "application/json" }, options);
  return (await response.json()) as T;
}

/** Builds a path: ids are encoded, and parameters without a value are left out. */
export function address(path: string, parameters: Record<string, string | number | boolean | undefined> = {}): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined && value !== "") query.set(name, String(value));
  const text = query.toString();
  return text === "" ? path : `${path}?${text}`;
}

/** A key under which a POST can be repeated without doing its work twice. */
export function idempotencyKey(): string {
  return crypto.randomUUID();
}

/** The key for what a form sends next: the same one while nobody knows whether the last try did its work, so that it is not done twice. */
export function nextKey(key: string, refusal?: Refusal): string {
  return refusal && (refusal.status === 0 || refusal.status === 429 || refusal.status >= 500) ? key : idempotencyKey();
}
