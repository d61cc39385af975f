// What a person writes passes the identity guard here, in the page, before any of it is sent: the service refuses identities, but by then they
// would have left. Names that the open vault knows are found as well, which no guard by rules can do.
import { html, render } from "lit";
import { Refusal } from "./api.js";
import { knownNames } from "./known.js";
import { type Finding, MANY_UNREAD } from "./redact/protocol.js";
import { ToolFailure, Tools } from "./redact/tools.js";

/** The doors of the guard that are not "title", by field. */
const doors: Record<string, string> = {
  prompt: "prompt",
  notes: "partyRecord",
  amendedText: "fileText",
  quote: "fileText",
  name: "fileName",
  q: "query",
  responsibleUserId: "chosenId",
  externalRef: "reference",
  courtCode: "reference",
  policyCode: "reference",
  code: "reference",
  language: "reference",
};

/** What holds nothing that people write: ciphertext and keys, ids, codes out of lists, and what was computed. Everything else passes a door. */
const machine = new Set([
  "sealed",
  "conflictTokens",
  "identityRef",
  "blob",
  "publicKey",
  "ephemeralKey",
  "iv",
  "ct",
  "keys",
  "remove",
  "keyVersion",
  "sha256",
  "contentSha256",
  "marks",
  "registration_token",
  "agent_card_url",
  "seedPhase",
  "sessionId",
  "engine",
]);
/** Ids, dates and instants, numbers, codes of an upper-case list, and one word of the interface's own vocabulary. */
const codes = [
  /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  /^\d{4}-\d{2}-\d{2}(T[\d:.]+Z)?$/,
  /^-?\d{1,15}(\.\d{1,4})?$/,
  /^[A-Z]{2,4}(-[A-Z0-9]{1,3})?$/,
  /^\[[A-Z][a-z]+ [1-9]\d{0,3}\]$/,
];

/** Fields that take a word out of a list of the interface, so that its words are not looked through for names. */
const fixed = new Set([
  "kind",
  "role",
  "side",
  "status",
  "representation",
  "matterKind",
  "requestType",
  "containerType",
  "decision",
  "closeReason",
  "privilege",
  "aiPolicy",
  "clientConsent",
  "professionalKind",
  "docType",
  "purpose",
  "openedBy",
  "conflictPolicy",
  "defaultAiPolicy",
  "a2aDefaultContainer",
  "precision",
  "basis",
  "origin",
  "system",
  "mode",
  "state",
  "scheme",
  "reviewStatus",
  "unit",
  "direction",
  "sort",
  "responseFormat",
]);

/** A text on its way out. */
interface Written {
  path: string;
  door: string;
  text: string;
}

/** A part of a text that tells who somebody is; offsets count UTF-16 code units. */
interface Telling {
  start: number;
  end: number;
  kind: string;
}

const tools = new Tools();
let absent = false;

/** Lists what people wrote in a body. */
export function writtenIn(body: unknown, path = "", field = ""): Written[] {
  if (machine.has(field)) return [];
  if (typeof body === "string")
    return body.trim() === "" ||
      (field === "timeZone" && Intl.supportedValuesOf("timeZone").includes(body)) ||
      codes.some((code) => code.test(body)) ||
      (fixed.has(field) && /^[a-z][a-z0-9_]*$/.test(body))
      ? []
      : [{ path, door: doors[field] ?? "title", text: body }];
  if (Array.isArray(body)) return body.flatMap((item, i) => writtenIn(item, `${path}[${i}]`, field));
  if (body !== null && typeof body === "object")
    return Object.entries(body).flatMap(([name, value]) =>
      writtenIn(value, path === "" ? name : `${path}.${name}`, name),
    );
  return [];
}

/** Finds the names in a text, as whole words, whatever their case and however their words are spaced. */
export function namesIn(text: string, names: Iterable<string>): Telling[] {
  const found: Telling[] = [];
  for (const name of names) {
    const words = name
      .normalize("NFC")
      .trim()
      .split(/\s+/u)
      .map((word) => word.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&"));
    if (words[0] === "") continue;
    for (const form of new Set([words.join("\\s+"), words.join("\\s+").normalize("NFD")])) {
      for (const match of text.matchAll(new RegExp(`(?<![\\p{L}\\p{N}])${form}(?![\\p{L}\\p{N}])`, "giu")))
        found.push({ start: match.index, end: match.index + match[0].length, kind: "name in your vault" });
    }
  }
  return found;
}

async function tellingIn(written: Written): Promise<Telling[]> {
  const found = namesIn(written.text, knownNames());
  if (absent) return found;
  try {
    return [...found, ...told(await tools.call("check", { text: written.text, door: written.door }))];
  } catch (error) {
    if (!(error instanceof ToolFailure) || error.code !== "absent")
      throw new Refusal(
        0,
        "not_checked",
        "What you wrote could not be checked for names, so nothing was sent. Try again.",
      );
    absent = true; // an installation without the guard for browsers: the service's own stands at its door
    return found;
  }
}

/** Findings as a person is told of them: many words in a language that the guard does not know are one, behind the others. */
export function told(found: Finding[]): Telling[] {
  const unread = found.filter((f) => f.unread);
  if (unread.length < MANY_UNREAD) return found;
  const start = Math.min(...unread.map((f) => f.start));
  const end = Math.max(...unread.map((f) => f.end));
  return [...found.filter((f) => !f.unread), { start, end, kind: "a language that the check does not know" }];
}

/** The cases that a call is about: those that its path, its body or the page names. */
function casesOf(path: string, body: unknown): Set<string> {
  const places = [path, location.pathname, location.search, JSON.stringify(body ?? null)].join(" ");
  return new Set([...places.matchAll(CASE)].map((match) => match[1] as string));
}

const CASE = /(?:\/cases\/|"caseId":"|[?&]case(?:Id)?=)([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})/g;

/**
 * Has the vault opened where it may hold names, and the names of the cases read, before any text is looked at: a locked vault knows nobody.
 * Throws a Refusal when the person leaves it locked; nothing was sent then.
 */
async function openNames(cases: Set<string>): Promise<void> {
  const { vault } = await import("./vault/session.js");
  try {
    await vault.load();
  } catch (error) {
    if (error instanceof Refusal && (error.status === 403 || error.status === 404)) return; // who cannot have a vault keeps no names
    throw error;
  }
  if (vault.holdsNames && vault.state === "locked" && !(await vault.ask()) && vault.state === "locked") {
    throw new Refusal(
      0,
      "vault_locked",
      "Your vault is locked, so the names in it cannot be looked for in what you wrote. Nothing was sent. Unlock the vault and send it again.",
    );
  }
  if (vault.state !== "open") return;
  try {
    await Promise.all([...cases].map((caseId) => vault.namesOf(caseId)));
  } catch (error) {
    if (error instanceof Refusal && (error.status === 403 || error.status === 404)) return; // a case of somebody else: its names are not here
    throw new Refusal(0, "not_checked", "The names in your vault could not be read, so nothing was sent. Try again.");
  }
}

/**
 * Lets a body pass when nothing in it tells who somebody is, or the person, if asked, says that it does not. Throws a Refusal otherwise; nothing
 * was sent then. The person's word is for the page alone: the service judges by itself.
 * @param path where the body is sent to
 */
export async function pass(body: unknown, ask: boolean, path = ""): Promise<void> {
  const written = writtenIn(body);
  if (written.length === 0) return;
  await openNames(casesOf(path, body));
  await weigh(written, ask);
}

/** Lets texts pass, or throws. */
async function weigh(all: Written[], ask: boolean): Promise<void> {
  const suspects: { written: Written; found: Telling[] }[] = [];
  for (const written of all) {
    const found = await tellingIn(written);
    if (found.length > 0) suspects.push({ written, found });
  }
  if (suspects.length === 0 || (ask && (await isNoIdentity(suspects)))) return;
  throw new Refusal(
    403,
    "identity_kept",
    "Nothing was sent. Write a label such as [Party 1] in the place of what tells who somebody is; the case's parties have the labels, and the names stay in your vault.",
    "",
    suspects.flatMap(({ written, found }) => found.map(({ kind }) => ({ path: written.path, kind }))),
  );
}

/**
 * Lets a file pass, and what was written about it, as `pass` does: its text, its properties, comments and what is hidden in it. What cannot be
 * read here passes only with a person's word that they looked at it. Throws a Refusal.
 */
export async function passFile(file: File, metadata: unknown, attested: boolean): Promise<void> {
  const written = writtenIn(metadata);
  await openNames(casesOf("", metadata));
  try {
    if (!absent) {
      const read = await tools.call("extract", { bytes: await file.arrayBuffer(), name: file.name });
      if (read.status !== "ok" && read.status !== "low_quality" && !attested) throw unread(read.obstacle);
      for (const { path, text } of [{ path: "content", text: read.text }, ...read.beside])
        if (text.trim() !== "") written.push({ path, door: path === "content" ? "fileText" : "fileMeta", text });
    }
  } catch (error) {
    if (error instanceof Refusal) throw error;
    if (!(error instanceof ToolFailure))
      throw new Refusal(0, "not_checked", "The file could not be read here. Nothing was sent.");
    if (error.code === "absent") absent = true;
    else if (!attested) throw unread(error.message);
  }
  await weigh(written, true);
}

/** Nobody can tell whom such a file names, but somebody who looks at it. why says in sentences what keeps it from being read. */
function unread(why: string): Refusal {
  return new Refusal(
    403,
    "identity_unverifiable",
    `Nobody can say whom this file names, so nothing was sent. ${why} If you have looked at every page, you can say so below instead and add it again.`,
  );
}

/** Shows what was found and asks. The texts stand in the dialog alone. */
function isNoIdentity(suspects: { written: Written; found: Telling[] }[]): Promise<boolean> {
  const dialog = document.createElement("dialog");
  dialog.setAttribute("aria-labelledby", "kept");
  render(
    html`<form method="dialog">
      <h2 id="kept">This may tell who somebody is</h2>
      <p>Nothing was sent yet. The service must not learn it:</p>
      <ul>
        ${suspects.flatMap(({ written, found }) => found.slice(0, 20).map(({ start, end, kind }) => html`<li><mark>${written.text.slice(start, Math.min(end, start + 120))}${end - start > 120 ? "…" : ""}</mark> (${kind.replaceAll("_", " ")})</li>`))}
      </ul>
      <p class="fine">The service looks too, by its own rules: it refuses what it takes for an identity, unless an administrator has allowed the word.</p>
      <p class="actions"><button value="change" autofocus>Change what I wrote</button><button value="send" class="danger">It identifies nobody: send it</button></p>
    </form>`,
    dialog,
  );
  document.body.append(dialog);
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "send");
    });
    dialog.showModal();
  });
}
