// The names that are open in this page, for whoever has to keep them from leaving it.
import type { Identity } from "./vault/format.js";

let source: () => Iterable<string> = () => [];

/** Says where the open names are. */
export function knownBy(names: () => Iterable<string>): void {
  source = names;
}

/** Every name, address and number that is open now, without repetition. */
export function knownNames(): Set<string> {
  return new Set(source());
}

const forms = new Set([
  "llc",
  "llp",
  "inc",
  "corp",
  "corporation",
  "company",
  "co",
  "ltd",
  "limited",
  "gmbh",
  "ag",
  "plc",
  "trust",
  "group",
  "holdings",
  "partners",
  "jr",
  "sr",
]);

/** The words by which somebody can be told: names, what stands beside them, and the last word of a name, which is a surname more often than not. */
export function wordsOf(who: Identity): string[] {
  const names = [who.name, ...(who.aliases ?? [])];
  const last = names.map(
    (name) =>
      name
        .split(/[\s,]+/)
        .filter((word) => word.length > 2 && !forms.has(word.toLowerCase().replaceAll(".", "")))
        .at(-1) ?? "",
  );
  return [...names, ...last, who.email ?? "", who.phone ?? "", who.address ?? ""]
    .map((word) => word.trim())
    .filter((word) => word.length > 2);
}
