// Names in the place of labels, in texts of several forms.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Tally, fill, jsonSafe, markupSafe } from "./fill.js";

const names = new Map([["[Party 1]", "Ada & Söhne <GmbH>"]]);

test("a label without a name stays, and is told once", () => {
  const tally = new Tally();
  const text = "[Party 1], [Party 1], [Org 3] and [Org 3]";
  assert.equal(fill(text, names, tally), "Ada & Söhne <GmbH>, Ada & Söhne <GmbH>, [Org 3] and [Org 3]");
  assert.deepEqual([tally.filled, [...tally.missing]], [2, ["[Org 3]"]]);
});

test("a name is text in markup and in JSON", () => {
  assert.equal(fill("<p>[Party 1]</p>", names, new Tally(), markupSafe), "<p>Ada &amp; Söhne &lt;GmbH&gt;</p>");
  const quoted = new Map([["[Party 1]", 'a "b" \\ c']]);
  assert.equal(JSON.parse(fill('{"a":"[Party 1]"}', quoted, new Tally(), jsonSafe)).a, 'a "b" \\ c');
});
