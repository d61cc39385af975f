// Putting real names in the place of labels, in this page, for a file that stays on the person's machine.

/** Finds labels; every use begins anew. */
export const label =
  /\[(?:Party|Person|Minor|Witness|Org|Company|Address|Phone|Email|Account|Id|Docket|Ref|Vehicle|Property|Url|Date) [1-9][0-9]{0,3}\]/g;

/** What became of the labels of a text. */
export class Tally {
  /** How many places were filled. */
  filled = 0;
  /** Labels that have no name. */
  readonly missing = new Set<string>();

  /** The value of a label as it goes into the text; undefined, and noted, where there is none. */
  value(of: string, values: ReadonlyMap<string, string>, escape: (value: string) => string): string | undefined {
    const value = values.get(of);
    if (value === undefined) {
      this.missing.add(of);
      return undefined;
    }
    this.filled++;
    return escape(value);
  }
}

/** Fills the labels of a text. What has no name stays a label. */
export function fill(
  text: string,
  values: ReadonlyMap<string, string>,
  tally: Tally,
  escape: (value: string) => string = (v) => v,
): string {
  return text.replace(label, (found) => tally.value(found, values, escape) ?? found);
}

/** As text within XML or HTML. */
export function markupSafe(value: string): string {
  return value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}

/** As a part of a string in JSON. */
export function jsonSafe(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}
