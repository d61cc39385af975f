// Fills the labels of a Word document given as the first argument, writes the result to the second, and checks texts of parts.
import fs from "node:fs";
import { fillDocument, fillParts, Unreadable } from "./docx.built.mjs";
import { Tally, fill, jsonSafe, markupSafe } from "./fill.built.mjs";

const names = new Map([["[Party 1]", "Ada & Söhne <GmbH>"], ["[Docket 1]", "No. 7"]]);
let failed = 0;
const check = (what, got, want) => {
  const [g, w] = [JSON.stringify(got), JSON.stringify(want)];
  if (g === w) return;
  failed++;
  console.error(`${what}: got ${g}, want ${w}`);
};
const run = (text) => `<w:r><w:t>${text}</w:t></w:r>`;
const kept = (text) => `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`;
const name = "Ada &amp; Söhne &lt;GmbH&gt;";

for (const [what, xml, want, filled, missing] of [
  ["in one run", `<w:p>${run("Tenant [Party 1] pays")}</w:p>`, `<w:p>${kept(`Tenant ${name} pays`)}</w:p>`, 1, []],
  ["over three runs", `<w:p>${run("a [Par")}<w:r><w:rPr><w:b/></w:rPr><w:t>ty</w:t></w:r>${run(" 1] b")}</w:p>`, `<w:p>${kept(`a ${name}`)}<w:r><w:rPr><w:b/></w:rPr><w:t xml:space="preserve"></w:t></w:r>${kept(" b")}</w:p>`, 1, []],
  ["two in one run, one over two", `<w:p>${run("[Party 1] v. [Docket 1], [Party")}${run(" 1].")}</w:p>`, `<w:p>${kept(`${name} v. No. 7, ${name}`)}${kept(".")}</w:p>`, 3, []],
  ["not over paragraphs", `<w:p>${run("[Party")}</w:p><w:p>${run(" 1]")}</w:p>`, `<w:p>${run("[Party")}</w:p><w:p>${run(" 1]")}</w:p>`, 0, []],
  ["not over a tab", `<w:p>${run("[Party")}<w:r><w:tab/></w:r>${run(" 1]")}</w:p>`, `<w:p>${run("[Party")}<w:r><w:tab/></w:r>${run(" 1]")}</w:p>`, 0, []],
  ["without a name", `<w:p>${run("[Party 11] &amp; [Party 2]")}</w:p>`, `<w:p>${run("[Party 11] &amp; [Party 2]")}</w:p>`, 0, ["[Party 11]", "[Party 2]"]],
  ["empty and other runs", `<w:p><w:r><w:t/></w:r><w:pPr><w:tabs/></w:pPr>${run("x")}</w:p>`, `<w:p><w:r><w:t/></w:r><w:pPr><w:tabs/></w:pPr>${run("x")}</w:p>`, 0, []],
]) {
  const tally = new Tally();
  check(what, fillParts(xml, names, tally), want);
  check(`${what}: filled`, tally.filled, filled);
  check(`${what}: missing`, [...tally.missing], missing);
}
{
  const tally = new Tally();
  check("text", fill("[Party 1], [Party 1] and [Org 3]", names, tally), "Ada & Söhne <GmbH>, Ada & Söhne <GmbH> and [Org 3]");
  check("text: counts", [tally.filled, [...tally.missing]], [2, ["[Org 3]"]]);
  check("HTML", fill("<p>[Party 1]</p>", names, tally, markupSafe), `<p>${name}</p>`);
  check("JSON", JSON.parse(fill('{"a":"[Party 1]"}', new Map([["[Party 1]", 'a "b" \\ c']]), tally, jsonSafe)).a, 'a "b" \\ c');
}

const document = new Uint8Array(fs.readFileSync(process.argv[2]));
for (const [what, bytes] of [["no archive", document.slice(0, 1000)], ["nothing", new Uint8Array()], ["a damaged archive", document.map((b, i) => (i > 60 && i < document.length * 0.8 ? 0 : b))]]) {
  let refused = false;
  try {
    await fillDocument(bytes, names, new Tally());
  } catch (error) {
    refused = error instanceof Unreadable;
  }
  check(what, refused, true);
}
const tally = new Tally();
fs.writeFileSync(process.argv[3], await fillDocument(document, names, tally));
console.log(tally.filled);
process.exit(failed > 0 ? 1 : 0);
