// Filling the labels of a stored file with the names of an open vault: everything but what the page shows of it.
import { get, send } from "../api.js";
import type { Vault } from "../vault/session.js";
import { NotOpen } from "../vault/obstacle.js";
import type { File as StoredFile, FileText } from "../wire.js";
import { WORD, isRendered } from "./content.js";
import { type Tally, fill, jsonSafe } from "./fill.js";
import { NotFilled, fillApart } from "./filling.js";

/** Forms that are filled as they are, with what a name needs to stand in them. HTML is none: a script in it would read the names when it is opened. */
const kept: Record<string, (value: string) => string> = {
  "text/plain": (v) => v,
  "text/markdown": (v) => v,
  "application/json": jsonSafe,
};

/** A file with names in it. */
export interface Named {
  content: Blob;
  /** The end of its name, with the dot. */
  ending: string;
  /** Why a Word document became plain text; "" when it did not. */
  notFilled: string;
}

/** Whether a file keeps its form when it is filled, becomes a Word document, or becomes plain text. */
export function formOf({ content }: StoredFile): "same" | "word" | "text" {
  if (content?.docx || content?.mediaType === WORD) return "word";
  return kept[content?.mediaType ?? ""] ? "same" : "text";
}

/**
 * Does what needs the names of a vault while the vault is open. A vault that locks leaves no names behind, so what was begun is given up then.
 * Throws NotOpen when the vault locks, and an AbortError when a person gives up, whatever the work itself throws after that.
 */
export async function whileOpen<T>(
  vault: Pick<Vault, "state" | "subscribe">,
  giveUp: AbortController,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const { signal } = giveUp;
  const locked = (): void => {
    if (vault.state === "open") return;
    giveUp.abort(new NotOpen("The vault was locked before the document was filled. Open it and try again."));
  };
  const stop = vault.subscribe(locked);
  try {
    locked();
    signal.throwIfAborted();
    const done = await work(signal);
    signal.throwIfAborted();
    return done;
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    stop();
  }
}

/** Whether an error says that a person gave up what they began. */
export function wasGivenUp(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

/**
 * Reads a file and fills its labels. Throws a Refusal, or the signal's reason once it is given up.
 * @param at the file's address
 * @param progress is told the share of a Word document that is done, from 0 to 1
 */
export async function fillFile(
  file: StoredFile,
  at: string,
  values: ReadonlyMap<string, string>,
  tally: Tally,
  signal: AbortSignal,
  progress: (share: number) => void,
): Promise<Named> {
  const text = async (notFilled: string): Promise<Named> => {
    const answer = await get<FileText>(`${at}/text`, { signal });
    return { content: plain(fill(answer.text, values, tally), "text/plain"), ending: ".txt", notFilled };
  };
  const mediaType = file.content?.mediaType ?? "";
  switch (formOf(file)) {
    case "text":
      return text("");
    case "word": {
      const answer = await send("GET", `${at}/content?form=docx`, null, {}, { signal });
      const bytes = new Uint8Array(await answer.arrayBuffer());
      try {
        const filled = await fillApart(bytes, values, tally, signal, progress);
        return { content: new Blob([filled as BlobPart], { type: WORD }), ending: ".docx", notFilled: "" };
      } catch (error) {
        if (error instanceof NotFilled) return text(error.message);
        throw error;
      }
    }
    case "same": {
      const answer = await send("GET", `${at}/content`, null, {}, { signal });
      const filled = fill(await answer.text(), values, tally, kept[mediaType]);
      return { content: plain(filled, mediaType), ending: endingOf(file), notFilled: "" };
    }
  }
}

function plain(text: string, mediaType: string): Blob {
  return new Blob([text], { type: `${mediaType};charset=utf-8` });
}

function endingOf(file: StoredFile): string {
  return isRendered(file) ? ".md" : (/\.[A-Za-z0-9]{1,5}$/.exec(file.name)?.[0] ?? "");
}
