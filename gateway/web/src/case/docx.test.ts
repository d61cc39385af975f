// Word documents filled with names: the texts of parts, and archives that are refused.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Uint8ArrayReader, Uint8ArrayWriter, ZipWriter } from "@zip.js/zip.js/lib/zip-core-custom.js";
import { Unreadable, fillDocument, fillParts } from "./docx.js";
import { Tally } from "./fill.js";

const names = new Map([
  ["[Party 1]", "Ada & Söhne <GmbH>"],
  ["[Docket 1]", "No. 7"],
  ["[Org 8]", "A\rB"],
  ["[Org 9]", "A\u0001\u{FFFE}B"],
]);
const name = "Ada &amp; Söhne &lt;GmbH&gt;";
const W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
const part = (inside: string, space = W, prefix = "w"): string =>
  `<${prefix}:document xmlns:${prefix}="${space}">${inside}</${prefix}:document>`;
const run = (text: string): string => `<w:r><w:t>${text}</w:t></w:r>`;
const kept = (text: string): string =>
  text === "" ? '<w:r><w:t xml:space="preserve"/></w:r>' : `<w:r><w:t xml:space="preserve">${text}</w:t></w:r>`;

interface Case {
  what: string;
  xml: string;
  /** undefined where nothing is to change */
  want?: string;
  filled?: number;
  missing?: string[];
}

const bold = (text: string): string => `<w:r><w:rPr><w:b/></w:rPr>${text}</w:r>`;
const cases: Case[] = [
  {
    what: "in one run",
    xml: `<w:p>${run("Tenant [Party 1] pays")}</w:p>`,
    want: `<w:p>${kept(`Tenant ${name} pays`)}</w:p>`,
    filled: 1,
  },
  {
    what: "over three runs",
    xml: `<w:p>${run("a [Par")}${bold("<w:t>ty</w:t>")}${run(" 1] b")}</w:p>`,
    want: `<w:p>${kept(`a ${name}`)}${bold('<w:t xml:space="preserve"/>')}${kept(" b")}</w:p>`,
    filled: 1,
  },
  {
    what: "two in one run, one over two",
    xml: `<w:p>${run("[Party 1] v. [Docket 1], [Party")}${run(" 1].")}</w:p>`,
    want: `<w:p>${kept(`${name} v. No. 7, ${name}`)}${kept(".")}</w:p>`,
    filled: 3,
  },
  { what: "not over paragraphs", xml: `<w:p>${run("[Party")}</w:p><w:p>${run(" 1]")}</w:p>` },
  { what: "not over a tab", xml: `<w:p>${run("[Party")}<w:r><w:tab/></w:r>${run(" 1]")}</w:p>` },
  {
    what: "not out of a text box",
    xml: `<w:p>${run("[Party")}<w:r><w:pict><w:txbxContent><w:p>${run("x")}</w:p></w:txbxContent></w:pict></w:r>${run(" 1]")}</w:p>`,
  },
  {
    what: "over what was deleted",
    xml: `<w:p>${run("[Par")}<w:del><w:r><w:delText>[Docket 1]</w:delText></w:r></w:del>${run("ty 1]")}</w:p>`,
    want: `<w:p>${kept(name)}<w:del><w:r><w:delText xml:space="preserve">No. 7</w:delText></w:r></w:del>${kept("")}</w:p>`,
    filled: 2,
  },
  {
    what: "without a name",
    xml: `<w:p>${run("[Party 11] &amp; [Party 2]")}</w:p>`,
    missing: ["[Party 11]", "[Party 2]"],
  },
  { what: "empty and other runs", xml: `<w:p><w:r><w:t/></w:r><w:pPr><w:tabs/></w:pPr>${run("x")}</w:p>` },
  {
    what: "in character data and behind entities",
    xml: `<w:p><w:r><w:t><![CDATA[<b> [Party]]>&#x20;1&#93; &amp;</w:t></w:r></w:p>`,
    want: `<w:p>${kept(`&lt;b&gt; ${name} &amp;`)}</w:p>`,
    filled: 1,
  },
  { what: "not in comments of the XML", xml: `<w:p><!-- [Party 1] --></w:p>` },
  {
    what: "beside characters that break lines",
    xml: `<w:p>${run("a\u0085b\u2028c&#13;d\r\ne\rf [Docket 1]")}${run("\u0085&#13;")}</w:p>`,
    want: `<w:p>${kept("a\u0085b\u2028c&#13;d\ne\nf No. 7")}${run("\u0085&#13;")}</w:p>`,
    filled: 1,
  },
  {
    what: "with a name that has a carriage return",
    xml: `<w:p>${run("[Org 8]")}</w:p>`,
    want: `<w:p>${kept("A&#13;B")}</w:p>`,
    filled: 1,
  },
  {
    what: "beside empty runs",
    xml: `<w:p>${run("")}${run("a")}${run("")}${run("[Docket 1][Par")}${run("")}${run("ty 1]")}${run("b")}</w:p>`,
    want: `<w:p>${run("")}${run("a")}${run("")}${kept(`No. 7${name}`)}${run("")}${kept("")}${run("b")}</w:p>`.replaceAll(
      "<w:t></w:t>",
      "<w:t/>",
    ),
    filled: 2,
  },
  {
    what: "characters that XML cannot hold",
    xml: `<w:p>${run("[Org 9]")}</w:p>`,
    want: `<w:p>${kept("AB")}</w:p>`,
    filled: 1,
  },
];

for (const { what, xml, want, filled = 0, missing = [] } of cases) {
  test(what, () => {
    const tally = new Tally();
    assert.equal(fillParts(part(xml), names, tally), want === undefined ? undefined : part(want));
    assert.equal(tally.filled, filled);
    assert.deepEqual([...tally.missing], missing);
  });
}

test("elements are Word's by their namespace, whatever their prefix is", () => {
  const text = '<x:p><x:r><x:t>[Docket 1]</x:t></x:r></x:p><o:t xmlns:o="urn:other">[Docket 1]</o:t>';
  const filled = text.replace("<x:t>[Docket 1]", '<x:t xml:space="preserve">No. 7');
  for (const space of [W, "http://purl.oclc.org/ooxml/wordprocessingml/main"])
    assert.equal(fillParts(part(text, space, "x"), names, new Tally()), part(filled, space, "x"));
});

test("what stands around the text is kept", () => {
  const xml = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n${part(
    `<w:p w:rsid="a&#10;&quot;b&quot;" xmlns:mc="urn:mc" mc:Ignorable="w14" xmlns:w14="urn:14">${run("[Docket 1]")}<?go on?></w:p>`,
  )}`;
  assert.equal(fillParts(xml, names, new Tally()), xml.replace("<w:t>[Docket 1]", '<w:t xml:space="preserve">No. 7'));
});

for (const [what, xml] of [
  ["nothing", ""],
  ["tags that do not match", "<a><b></a>"],
  ["a document type", '<!DOCTYPE a [<!ENTITY x "[Party 1]">]><a>&x;</a>'],
  ["an entity that nobody declared", "<a>&x;</a>"],
  ["a prefix that nobody declared", "<w:a/>"],
  ["two roots", "<a/><b/>"],
  ["text outside of the root", "x<a/>"],
  ["an attribute without quotes", "<a b=1/>"],
] as const) {
  test(`XML is refused: ${what}`, () => assert.throws(() => fillParts(xml, names, new Tally()), Unreadable));
}

test("XML that is as deep as nobody writes takes no stack", () => {
  const deep = 50_000;
  const xml = part("<w:p>".repeat(deep) + run("[Docket 1]") + "</w:p>".repeat(deep));
  assert.ok(fillParts(xml, names, new Tally())?.includes("No. 7"));
});

const main = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml";
const header = main.replace("document.main", "header");
const listing = (inside: string): string =>
  `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">${inside}</Types>`;
const override = (type: string, at: string): string => `<Override PartName="${at}" ContentType="${type}"/>`;
const listed = (type: string, at = "/word/document.xml"): string => listing(override(type, at));

async function archive(files: Record<string, string>, options: object = {}): Promise<Uint8Array> {
  const writer = new ZipWriter(new Uint8ArrayWriter(), options);
  for (const [path, text] of Object.entries(files))
    await writer.add(path, new Uint8ArrayReader(new TextEncoder().encode(text)));
  return await writer.close();
}

const whole = part(`<w:p>${run("[Docket 1]")}</w:p>`);
const refused = async (bytes: Uint8Array): Promise<void> => {
  await assert.rejects(() => fillDocument(bytes, names, new Tally()), Unreadable);
};

test("archives that are no document are refused", async () => {
  await refused(new Uint8Array());
  await refused(await archive({}));
  await refused(await archive({ "a.txt": "[Docket 1]" }));
  await refused(await archive({ "[Content_Types].xml": listed("image/png"), "word/document.xml": whole }));
});

test("a part is found by what it is, not by its name", async () => {
  for (const type of [main, "application/vnd.ms-word.document.macroEnabled.main+xml"]) {
    const tally = new Tally();
    await fillDocument(
      await archive({ "[Content_Types].xml": listed(type, "/other/Text.xml"), "other/text.xml": whole }),
      names,
      tally,
    );
    assert.equal(tally.filled, 1);
  }
});

test("a part is found by its ending, and by a name that is encoded", async () => {
  const byEnding = `<Default Extension="XML" ContentType="${main}"/>`;
  const other = override("application/vnd.openxmlformats-officedocument.extended-properties+xml", "/docProps/app.xml");
  for (const [types, at, filled] of [
    [listing(byEnding), "word/document.xml", 1],
    [listing(byEnding + override(header, "/word/header.xml") + other), "word/header.xml", 2],
    [listing(override(main, "/word/my%20text%C3%A9.xml")), "word/my texté.xml", 1],
    [listing(override(main, "/word/my%20text.xml")), "word/my%20text.xml", 1],
    [listing(override(main, "/word/100%.xml")), "word/100%.xml", 1],
  ] as const) {
    const tally = new Tally();
    const files = { "[Content_Types].xml": types, [at]: whole, "docProps/app.xml": whole };
    if (filled === 2) files["word/document.xml"] = whole;
    else if (types.includes("Default")) files["docProps/app.xml"] = "<a/>";
    await fillDocument(await archive(files), names, tally);
    assert.equal(tally.filled, filled, types);
  }
});

test("a document without the part that is its text is refused", async () => {
  const beside = override(header, "/word/header.xml");
  for (const text of ["", override(main, "/word/document.xml"), override(main, "/word/document2.xml")])
    await refused(await archive({ "[Content_Types].xml": listing(text + beside), "word/header.xml": whole }));
});

// The page waits while trees are made: a document that would take long is refused.
const mostInTrees = 8 * 1024 * 1024;
const padded = (length: number): string => {
  const [before, after] = ["<w:p>" + run("[Docket 1]") + "<w:r><w:t>", "</w:t></w:r></w:p>"];
  return part(before + " ".repeat(length - part(before + after).length) + after);
};

test("a document is filled up to a size of its texts together, and no further", async () => {
  const types = listing(override(main, "/word/document.xml") + override(header, "/word/header.xml"));
  const left = mostInTrees - types.length;
  const half = Math.floor(left / 2);
  const made = (document: string, head: string): Promise<Uint8Array> =>
    archive({ "[Content_Types].xml": types, "word/document.xml": document, "word/header.xml": head });

  const tally = new Tally();
  await fillDocument(await made(padded(half), padded(left - half)), names, tally);
  assert.equal(tally.filled, 2);
  await refused(await made(padded(half), padded(left - half + 1)));
  await refused(await archive({ "[Content_Types].xml": types + " ".repeat(mostInTrees), "word/document.xml": whole }));

  // Tags and attributes take more than their characters.
  for (const dense of [
    "<a/>".repeat(850_000),
    `<a${Array.from({ length: 850_000 }, (_, i) => ` a${i}=""`).join("")}/>`,
  ])
    await refused(await made(part(`${dense}<w:p>${run("[Docket 1]")}</w:p>`), whole));

  // What holds no label becomes no tree.
  await fillDocument(await made(padded(left).replace(/\[|\]/g, ""), padded(1000)), names, tally);
  assert.equal(tally.filled, 3);
});

test("parts that are read are bounded together", async () => {
  const blank = part(" ".repeat(51 * 1024 * 1024));
  const types = listing(override(main, "/word/document.xml") + override(header, "/word/header.xml"));
  await refused(
    await archive({ "[Content_Types].xml": types, "word/document.xml": blank, "word/header.xml": blank }, { level: 1 }),
  );
});

test("labels in a paragraph of many runs take time that grows with them, not with their square", () => {
  const taken = (pairs: number): number => {
    const xml = part(`<w:p>${(run("[Docket 1]") + run(" and ")).repeat(pairs)}</w:p>`);
    const tally = new Tally();
    const begun = performance.now();
    fillParts(xml, names, tally);
    assert.equal(tally.filled, pairs);
    return performance.now() - begun;
  };
  const few = Math.max(taken(1000), taken(1000));
  const many = taken(20_000);
  assert.ok(many < 80 * few, `${many} ms, and ${few} ms for a twentieth`);
});

test("a part with another sum is refused, and one that is cut off", async () => {
  // Stored without compression, so that a changed byte changes the text alone.
  const bytes = await archive({ "[Content_Types].xml": listed(main), "word/document.xml": whole }, { level: 0 });
  await fillDocument(bytes, names, new Tally());
  const at = new TextDecoder("latin1").decode(bytes).indexOf("[Docket 1]");
  const changed = bytes.slice();
  changed[at + 8] = "2".charCodeAt(0);
  await refused(changed);
  for (const length of [10, bytes.length / 2, bytes.length - 1]) await refused(bytes.slice(0, length));
});

test("two parts of one name are refused, and entries that lie over each other", async () => {
  const bytes = await archive({
    "[Content_Types].xml": listed(main),
    "word/document.xml": whole,
    "word/documens.xml": part(`<w:p>${run("[Party 1]")}</w:p>`),
  });
  const latin = (text: string): Uint8Array => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
  const text = [...bytes].map((byte) => String.fromCharCode(byte)).join("");
  await refused(latin(text.replaceAll("word/documens.xml", "word/document.xml")));
  // The third entry of the directory points to where the second one lies.
  const view = new DataView(bytes.slice().buffer);
  const [second, third] = ["word/document.xml", "word/documens.xml"].map((entry) => text.lastIndexOf(entry) - 46);
  view.setUint32((third as number) + 42, view.getUint32((second as number) + 42, true), true);
  await refused(new Uint8Array(view.buffer));
});

test("an encrypted document is refused", async () => {
  await refused(
    await archive(
      { "[Content_Types].xml": listed(main), "word/document.xml": whole },
      { password: "secret", zipCrypto: true },
    ),
  );
});

test("a part that grows beyond all measure is refused before it is read", async () => {
  const huge = part(`<w:p>${run(" ".repeat(101 * 1024 * 1024))}</w:p>`);
  const bytes = await archive({ "[Content_Types].xml": listed(main), "word/document.xml": huge });
  assert.ok(bytes.length < 1024 * 1024);
  await refused(bytes);
});

test("progress grows with what is done, and ends with all", async () => {
  const shares: number[] = [];
  const bytes = await archive({
    "[Content_Types].xml": listed(main),
    "word/document.xml": whole,
    "word/media/picture.bin": "x".repeat(10_000),
  });
  await fillDocument(bytes, names, new Tally(), (share) => shares.push(share));
  assert.equal(shares.length, 3);
  assert.deepEqual(
    shares,
    [...shares].sort((a, b) => a - b),
  );
  assert.equal(shares.at(-1), 1);
});
