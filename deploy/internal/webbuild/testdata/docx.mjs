// Fills the labels of the Word document that the first argument names, writes the result to the second, and prints how many there were.
import fs from "node:fs";
import { fillDocument } from "./docx.built.mjs";
import { Tally } from "./fill.built.mjs";

const names = new Map([[process.argv[4], process.argv[5]]]);
const tally = new Tally();
const document = new Uint8Array(fs.readFileSync(process.argv[2]));
fs.writeFileSync(process.argv[3], await fillDocument(document, names, tally));
console.log(tally.filled);
