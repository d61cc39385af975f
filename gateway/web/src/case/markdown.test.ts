// Answers as they are drawn: what Markdown becomes, and what of it never becomes markup.
import assert from "node:assert/strict";
import { test } from "node:test";
import { markdown } from "./markdown.js";

const source = (n: number): string | undefined => (n <= 2 ? `#source-${n}` : undefined);

/** A template as text: what stands in it as markup is as it was written there, and every value is text. */
function drawn(value: unknown): string {
  if (Array.isArray(value)) return value.map(drawn).join("");
  if (typeof value === "object" && value !== null && "strings" in value) {
    const { strings, values } = value as { strings: string[]; values: unknown[] };
    return strings.map((text, i) => text + (i < values.length ? drawn(values[i]) : "")).join("");
  }
  return `${value as string}`.replaceAll("&", "&amp;").replaceAll("<", "&lt;");
}

const shown = (text: string, names?: ReadonlyMap<string, string>): string =>
  drawn(markdown(text, names ? { source, shown: names } : { source }))
    .replace(/^<div class="answer">(.*)<\/div>$/s, "$1")
    .replace(/ {0,40}\n {0,40}(?=<)/g, "");

const party = '<span class="label">[Party 1]</span>';
const mark = (n: number): string => `<a class="source" href=#source-${n} aria-label=Source ${n}>${n}</a>`;

const drawings: [what: string, text: string, want: string][] = [
  ["a paragraph of two lines", "one\ntwo", "<p>one\ntwo</p>"],
  ["headings", "# One #\n#### Two", "<h4>One</h4><h5>Two</h5>"],
  ["bold, italic and code", "**a** *b* `c`", "<p><strong>a</strong> <em>b</em> <code>c</code></p>"],
  ["a label", "Of [Party 1].", `<p>Of ${party}.</p>`],
  ["a label in bold", "**[Party 1]** pays", `<p><strong>${party}</strong> pays</p>`],
  ["marks of sources", "It is so. [1][2]", `<p>It is so. ${mark(1)}${mark(2)}</p>`],
  ["a mark without a source", "In 1999 [3]", "<p>In 1999 [3]</p>"],
  ["an escaped mark", "\\[1\\] and \\*no\\*", "<p>[1] and *no*</p>"],
  ["a mark in code", "`[1]`", "<p><code>[1]</code></p>"],
  ["a fence", "```go\na **b** [1]\n```", "<pre>a **b** [1]</pre>"],
  ["a rule behind a text", "text\n\n---\nmore", "<p>text</p><hr /><p>more</p>"],
  ["no heading by its underline", "Signed\n---", "<p>Signed</p><hr />"],
  ["no code by its indent", "a\n\n    b", "<p>a</p><p>    b</p>"],
  ["words with underscores", "a_b_c and ____", "<p>a_b_c and ____</p>"],
  ["a quotation", "> one\n> two [1]", `<blockquote class="quotation"><p>one\ntwo ${mark(1)}</p></blockquote>`],
  ["a list in a list", "- a\n  - b\n- c", "<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>"],
  ["a list that begins later", "3. a\n4. b", "<ol start=3><li>a</li><li>b</li></ol>"],
  ["a list that begins with nought", "0. a\n1. b", "<ol start=0><li>a</li><li>b</li></ol>"],
  ["boxes to tick", "- [x] a\n- [ ] b", "<ul><li>[x] a</li><li>[ ] b</li></ul>"],
];

for (const [what, text, want] of drawings) test(what, () => assert.equal(shown(text), want));

test("a table", () => {
  const table = shown("| a | b |\n|---|---|\n| [Party 1] | x \\| y [1] |");
  assert.ok(table.includes('<thead><tr><th scope="col">a</th><th scope="col">b</th></tr></thead>'));
  assert.ok(table.includes(`<tbody><tr><td>${party}</td><td>x | y ${mark(1)}</td></tr></tbody>`));
});

test("names are text", () => {
  const names = new Map([["[Party 1]", "<b>Ada</b> **x**"]]);
  const want = '<p><span class="label named" title=[Party 1]>&lt;b>Ada&lt;/b> **x**</span></p>';
  assert.equal(shown("[Party 1]", names), want);
});

// What would lead out of the page, or do something in it, stands as it was written.
for (const text of [
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "a <b onclick=alert(1)>b</b>",
  "<!-- [1 -->",
  "[a](javascript:alert(1))",
  "![a](https://elsewhere.example/x.png)",
  "<https://elsewhere.example>",
  "https://elsewhere.example/?q=1",
  "[a]: https://elsewhere.example",
  "[Party 2]: https://elsewhere.example",
  "[a][b] ~~c~~ &lt;script&gt; &#91;",
]) {
  test(`stands as it is written: ${text}`, () => {
    const got = shown(text);
    const tags = got.match(/<[^>]*>/g)?.filter((tag) => !/^<\/?(p|span( class="label")?)>$/.test(tag)) ?? [];
    assert.deepEqual(tags, []);
    const words = got.replace(/<[^>]*>/g, "");
    assert.equal(words, text.replaceAll("&", "&amp;").replaceAll("<", "&lt;"));
  });
}

test("a reference that is defined makes no link of a label", () => {
  const got = shown("See [Party 1] and [a].\n\n[Party 1]: https://elsewhere.example\n[a]: javascript:x");
  assert.ok(!got.includes("<a "));
  assert.equal(got.split(party).length, 3);
});

// Nobody writes these: each has its text on the page, in less time than a person would wait.
const long = 100_000;
const tangles: Record<string, string> = {
  "quotations in quotations": ">".repeat(long),
  "quotations with spaces": "> ".repeat(long / 2),
  "quotations deeper line by line": Array.from({ length: 400 }, (_, i) => "> ".repeat(i) + "x").join("\n"),
  "lists in lists": "- ".repeat(long / 2) + "x",
  "lists deeper line by line": Array.from({ length: 600 }, (_, i) => " ".repeat(2 * i) + "- x").join("\n"),
  "numbers in numbers": "1. ".repeat(long / 3) + "x",
  stars: "*".repeat(long),
  "open emphasis": "**a".repeat(long / 3),
  "open emphasis with underscores": "_a".repeat(long / 2),
  "emphasis over lines": "**a *b\n".repeat(long / 7),
  brackets: "[".repeat(long),
  "open links": "[a](".repeat(long / 4),
  "ticks of all lengths": Array.from({ length: 440 }, (_, i) => "`".repeat(i) + "a").join(""),
  backslashes: "\\".repeat(long),
  "open tags": "<a ".repeat(long / 3),
  "open comments": "<!--".repeat(long / 4),
  "a wide table": `${"|a".repeat(5000)}|\n${"|-".repeat(5000)}|\n${"|b".repeat(5000)}|`,
  "rows of a table without an end": "| a\n".repeat(long / 4),
  spaces: " ".repeat(long) + "x",
  lines: "\n".repeat(long),
  "quotations that go on without their marks": `${"> ".repeat(400)}a\nb`,
  "quotations that go on, time and again": `${"> ".repeat(30)}a\nb\n\n`.repeat(100),
  "lists in quotations that go on": `${"> - ".repeat(200)}a\nb`,
  "lists of marks alone": "* - ".repeat(long / 4),
  "a fence that nothing closes in a list": `- \`\`\`\n${"> - ".repeat(long / 4)}x`,
  "tangled paragraphs": `${"**a ".repeat(1990)}\n\n`.repeat(12),
  "tangled code": `${Array.from({ length: 150 }, (_, i) => "`".repeat(i) + "a").join("")}\n\n`.repeat(9),
};

for (const [what, text] of Object.entries(tangles)) {
  test(`drawn in good time: ${what}`, () => {
    const begun = performance.now();
    const got = shown(text);
    assert.ok(performance.now() - begun < 3000, "it takes too long");
    for (const word of ["x", "a", "b"]) if (text.includes(word)) assert.ok(got.includes(word));
  });
}

test("a long answer is read as Markdown", () => {
  const answer = "## Finding\n\n**The** claim *stands* [1]. `§ 4`\n\n- one\n  - two\n    - three\n\n".repeat(500);
  assert.equal(shown(answer).split("<h4>").length, 501);
});

// Text that people write, and that an answer quotes.
const tail = "\n\n**So** it is. [1]";
const drawnTail = `<p><strong>So</strong> it is. ${mark(1)}</p>`;
const ordinary: Record<string, { text: string; has: string; times?: number }> = {
  "a signature in a quotation": {
    text: "> Agreed.\n> ------------------------- Landlord\n> ************************* Tenant",
    has: "------------------------- Landlord",
  },
  "a rule of marks with spaces, in a quotation": { text: `> a\n>\n> ${"- ".repeat(30)}\n> b`, has: "<hr />" },
  "marks in a fence": { text: `\`\`\`\n${"- ".repeat(60)}x\n${"**a".repeat(3000)}\n\`\`\``, has: "<pre>- -" },
  "code far to the right": { text: `\`\`\`\n${" ".repeat(120)}x = 1\n\`\`\``, has: "x = 1" },
  "rows with escaped names": {
    text: `| File |\n|---|\n${"| 2024\\_03\\_01\\_Lease\\_Exhibit\\_A.pdf |\n".repeat(401)}`,
    has: "<td>2024_03_01_Lease_Exhibit_A.pdf</td>",
    times: 401,
  },
  "rows with bold and code": {
    text: `| a | b |\n|---|---|\n${"| **a** | `b` |\n".repeat(501)}`,
    has: "<td><strong>a</strong></td><td><code>b</code></td>",
    times: 501,
  },
  "items without lines between": {
    text: "- **a** and **b**\n".repeat(510),
    has: "<strong>b</strong></li>",
    times: 510,
  },
  "a block with too many marks": { text: `${"**a ".repeat(3000)}[2]`, has: mark(2) },
};

for (const [what, { text, has, times = 1 }] of Object.entries(ordinary)) {
  test(`the answer stays Markdown: ${what}`, () => {
    const got = shown(text + tail);
    assert.equal(got.split(has).length - 1, times, got.slice(0, 300));
    assert.ok(got.endsWith(drawnTail), got.slice(-300));
  });
}
