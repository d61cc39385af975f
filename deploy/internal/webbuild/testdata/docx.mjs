// Fills a label with a name, the first two arguments, in Word documents: the others, in pairs, name a document and where the result goes.
// It prints how many labels each had, one a line.
import fs from "node:fs";
import { fillDocument } from "./docx.built.mjs";
import { Tally } from "./fill.built.mjs";

const [label, name, ...files] = process.argv.slice(2);
const names = new Map([[label, name]]);
for (let i = 0; i < files.length; i += 2) {
  const tally = new Tally();
  const document = new Uint8Array(fs.readFileSync(files[i]));
  fs.writeFileSync(files[i + 1], await fillDocument(document, names, tally));
  console.log(tally.filled);
}
