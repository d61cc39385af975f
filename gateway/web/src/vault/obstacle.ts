// Why the vault does not do what was asked, with words for the person.

/** What the service says of a key is not what this browser saw before; seen is "" for a key that is newer than all of those. Nothing is opened until a person has compared. */
export class ChangedKey extends Error {
  constructor(
    readonly version: number,
    readonly seen: string,
    readonly now: string,
  ) {
    super(
      seen
        ? `Firm key ${version} is another than this browser has seen before. Somebody may have put it in the place of yours: compare both fingerprints with a colleague before you open the vault.`
        : `Firm key ${version} is new to this browser. Anybody who knows your public key could have made one for you: compare its fingerprint with the colleague who made it before you open the vault.`,
    );
  }
}

/** The vault cannot do what was asked in the state that it is in; the message says what to do. */
export class NotOpen extends Error {}
