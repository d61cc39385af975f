// What goes wrong with the vault, in the form in which pages show refusals.
import { Refusal } from "../api.js";
import { asRefusal } from "../load.js";
import { VaultError } from "./format.js";
import { LabelTaken } from "./names.js";
import { ChangedKey, NotOpen } from "./obstacle.js";

/** Any failure of the vault with words for the person: what happened, and what to do next. */
export function failureOf(error: unknown): Refusal {
  if (
    error instanceof VaultError ||
    error instanceof NotOpen ||
    error instanceof ChangedKey ||
    error instanceof LabelTaken
  )
    return new Refusal(0, "vault", error.message);
  if (error instanceof Refusal && error.status === 412) {
    return new Refusal(
      412,
      error.code,
      "This was changed elsewhere meanwhile, perhaps in another browser. Nothing of yours was overwritten: look at it as it is now and try again.",
      "",
      [],
      error.requestId,
    );
  }
  return asRefusal(error);
}
