// The worker that fills a Word document with names, apart from the page. Names reach it in a message, and it ends with its one document.
import { Unreadable, fillDocument } from "./docx.js";
import { Tally } from "./fill.js";
import type { Filling, Filled } from "./filling.js";

onmessage = (event: MessageEvent<Filling>) => void answer(event.data);
onmessageerror = () => reply({ unreadable: false, message: "" });

async function answer({ bytes, values }: Filling): Promise<void> {
  const tally = new Tally();
  try {
    const done = await fillDocument(bytes, values, tally, (part) => reply({ part }));
    reply({ bytes: done, filled: tally.filled, missing: [...tally.missing] }, [done.buffer]);
  } catch (error) {
    const unreadable = error instanceof Unreadable;
    // What another failure says may hold words of the document: the page makes a sentence of its own.
    reply({ unreadable, message: unreadable ? error.message : "" });
  }
}

function reply(message: Filled, given: Transferable[] = []): void {
  postMessage(message, { transfer: given });
}
