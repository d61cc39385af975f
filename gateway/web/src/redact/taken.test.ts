// Which labels of a review mean something else when it is sent.
import assert from "node:assert/strict";
import { test } from "node:test";
import { renumber, takenLabels } from "./taken.js";

const label = (label: string, ...names: string[]) => ({ label, names });
type Labels = Parameters<typeof takenLabels>[1];
const taken = (named: Record<string, string[]>, then: Labels, now: Labels): string[] =>
  takenLabels(new Map(Object.entries(named)), then, now);

const alice = label("[Party 1]", "Alice Arden", "A. Arden");
test("labels that mean something else when a review is sent", () => {
  assert.deepEqual(taken({ "[Party 1]": ["Ms Arden"], "[Party 2]": ["Bob"] }, [alice], [alice]), []);
  assert.deepEqual(taken({ "[Party 2]": ["Bob"] }, [alice], [alice, label("[Party 2]", "Carol")]), ["[Party 2]"]);
  assert.deepEqual(taken({ "[Party 2]": ["Bob"] }, [alice], [alice, label("[Party 2]")]), ["[Party 2]"]); // somebody who is not known here
  assert.deepEqual(taken({ "[Docket 1]": ["1:26-cv-1"] }, [], [label("[Docket 1]", "1:26-cv-2")]), ["[Docket 1]"]);
  assert.deepEqual(taken({ "[Party 1]": ["Ms Arden"] }, [alice], [label("[Party 1]", "Dora")]), ["[Party 1]"]);
  assert.deepEqual(taken({ "[Party 1]": ["Ms Arden"] }, [label("[Party 1]")], [label("[Party 1]", "Dora")]), [
    "[Party 1]",
  ]);
  assert.deepEqual(taken({ "[Party 1]": ["Ms Arden"] }, [label("[Party 1]")], [label("[Party 1]")]), []); // known by nobody, as before
  assert.deepEqual(taken({ "[Party 2]": ["Bob"] }, [alice], [label("[Party 2]", "BOB")]), []); // kept by this review before
  assert.deepEqual(taken({ "[Party 2]": [] }, [], [label("[Party 2]", "Carol")]), []); // a label of the text, behind which nothing was put
});

test("spellings that had one label have one again, with what was said of the party", async () => {
  const subjects = new Map(
    ["Bob Brant", "Brant", "Carol"].map((name) => [
      name,
      { name, label: name === "Carol" ? "[Party 3]" : "[Party 2]", cleared: false },
    ]),
  );
  let next = 4;
  const review = {
    subjects,
    known: [alice],
    assign: (s: { label: string }, to: string) => (s.label = to),
    familiar: () => [],
  };
  const find = async (): Promise<void> => subjects.forEach((s) => (s.label ||= `[Party ${next++}]`));
  const parties = [{ label: "[Party 2]", role: "witness" }];
  await renumber(
    { review, find } as unknown as Parameters<typeof renumber>[0],
    ["[Party 2]"],
    [alice, label("[Party 2]", "Dora")],
    parties as never,
  );
  assert.deepEqual(
    [...subjects.values()].map((s) => s.label),
    ["[Party 4]", "[Party 4]", "[Party 3]"],
  );
  assert.deepEqual(parties, [{ label: "[Party 4]", role: "witness" }]);
  assert.equal(review.known.length, 2);
});
