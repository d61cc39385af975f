// The form of a party: what everybody sees of it, by label, and, sealed in this browser, who it is.
import { html, nothing, type TemplateResult } from "lit";
import { idempotencyKey, post, put, type Refusal } from "../api.js";
import { tell, words } from "../markup.js";
import { Element } from "../page.js";
import type { Party, PartyDraft, PartyReplacement } from "../wire.js";
import type { Identity } from "../vault/format.js";
import { choice, filled, problem, refused } from "./form.js";
import { tagOf } from "./frame.js";
import { theVault } from "./names.js";

const kinds = ["individual", "organization", "government", "estate", "trust", "class", "minor", "unknown"];
const roles = [
  "plaintiff",
  "defendant",
  "petitioner",
  "respondent",
  "third_party_plaintiff",
  "third_party_defendant",
  "intervenor",
  "appellant",
  "appellee",
  "claimant",
  "creditor",
  "debtor",
  "buyer",
  "seller",
  "lessor",
  "lessee",
  "employer",
  "employee",
  "witness",
  "expert",
  "guardian_ad_litem",
  "next_friend",
  "trustee",
  "beneficiary",
  "executor",
  "heir",
  "insurer",
  "amicus",
  "interested_party",
  "other",
];
const sides: [string, string][] = [
  ["ours", "Ours"],
  ["adverse", "Against us"],
  ["neutral", "Neutral"],
  ["unknown", "Not known"],
];
const representations: [string, string][] = [
  ["this_firm", "This firm"],
  ["other_counsel", "Other counsel"],
  ["self", "Themselves"],
  ["unknown", "Not known"],
];
const statuses: [string, string][] = [
  ["active", "In the case"],
  ["dismissed", "Dismissed"],
  ["withdrawn", "Withdrawn"],
];

/** Fields that hold an identity. They are read from the form, sealed, and never sent as they are. */
const identityFields = ["name", "aliases", "email", "phone", "address", "notes"] as const;

const options = (codes: string[]): [string, string][] => codes.map((code) => [code, words(code)]);

class PartyForm extends Element {
  static override properties = {
    caseId: { attribute: false },
    party: { attribute: false },
    identity: { attribute: false },
  };
  declare caseId: string;
  /** The party to change; undefined for a new one. */
  declare party: Party | undefined;
  /** Who it is, when names are shown. */
  declare identity: Identity | undefined;
  private refusal: Refusal | undefined;
  private busy = false;
  private key = idempotencyKey();

  private get suffix(): string {
    return this.party?.partyId ?? "new";
  }

  private async save(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const values = filled(form);
    this.busy = true;
    this.refusal = undefined;
    this.requestUpdate();
    try {
      const saved = await this.send(values, await this.seal(values));
      if (!saved) return;
      if (!this.party) form.reset();
      tell(this.party ? `${saved.label} is changed.` : `The party is in the case as ${saved.label}.`);
      this.dispatchEvent(new CustomEvent("saved", { detail: saved }));
    } catch (error) {
      const { failureOf } = await import("../vault/failure.js");
      this.refusal = failureOf(error);
    } finally {
      this.key = idempotencyKey();
      this.busy = false;
      this.requestUpdate();
    }
  }

  /** Seals who it is, if the person wrote that, or if what is kept has to be sealed anew. undefined means that the vault stayed shut. */
  private async seal(values: Record<string, string>): Promise<object | undefined> {
    const { party } = this;
    const kind = values["kind"] ?? "unknown";
    const written = identityOf(values);
    const anew = party?.sealed !== undefined && kind !== party.kind; // conflict tokens are those of a name and a kind
    if (!written && !anew && !this.identity) return {};
    const vault = await theVault();
    if (!(await vault.ask())) return undefined;
    // With names shown the form says all there is; without, only what is to be another than before.
    if (this.identity) return vault.sealParty(this.caseId, kind, written ?? { name: "" }, party?.identityRef);
    const names = party?.sealed ? await vault.namesOf(this.caseId) : undefined;
    const before = party && names?.identities.get(party.label);
    if (!before && !written)
      throw new Error(
        `The kind was not changed: the name is sealed anew with it, and does not open here: ${names?.failed.get(party?.label ?? "") ?? "it is not there"}.`,
      );
    const { v: _v, ...known } = before ?? { v: 1 };
    return vault.sealParty(this.caseId, kind, { ...known, ...written } as Omit<Identity, "v">, party?.identityRef);
  }

  private async send(values: Record<string, string>, sealed: object | undefined): Promise<Party | undefined> {
    if (sealed === undefined) {
      tell("Nothing was saved: your vault seals the name, and it is locked.");
      return undefined;
    }
    const party = this.party;
    const common = {
      kind: values["kind"],
      role: values["role"],
      side: values["side"],
      representation: values["representation"],
      isClient: values["isClient"] === "true",
      ...(values["remarks"] && { notes: values["remarks"] }),
      ...sealed,
    } as Omit<PartyDraft, "caseId">;
    const vault = await theVault();
    if (!party) {
      const made = await post<Party>(
        "/v1/parties",
        { ...common, caseId: this.caseId, ...(values["label"] && { label: values["label"] }) },
        { key: this.key },
      );
      vault.forgetNames(this.caseId);
      return made;
    }
    const body: PartyReplacement = {
      ...common,
      attributes: party.attributes,
      ...(party.joinedOn && { joinedOn: party.joinedOn }),
      ...(party.leftOn && { leftOn: party.leftOn }),
      status: (values["status"] as Party["status"]) ?? party.status,
    };
    const { body: changed } = await put<Party>(`/v1/parties/${party.partyId}`, body, { ifMatch: tagOf(party.version) });
    vault.forgetNames(this.caseId);
    return changed;
  }

  override render(): TemplateResult {
    const p = this.party;
    const id = (name: string): string => `${name}-${this.suffix}`;
    return html`<form autocomplete="off" @submit=${(event: SubmitEvent) => void this.save(event)}>
      ${refused(this.refusal, this.refusal?.code.startsWith("identity_") ? "" : this.caseId)}
      <div class="filters">
        ${
          p
            ? nothing
            : html`<div class="field">
              <label for=${id("label")}>Label</label>
              <input id=${id("label")} name="label" placeholder="the next free one" pattern="\\[(Party|Person|Minor|Org) [1-9][0-9]{0,3}\\]" title="A label such as [Party 4]" maxlength="14" />
              ${problem(this.refusal, "label")}
            </div>`
        }
        ${choice("kind", "Kind", options(kinds), p?.kind ?? "individual", undefined, id("kind"))} ${choice("role", "Role", options(roles), p?.role ?? "plaintiff", undefined, id("role"))}
        ${choice("side", "Side", sides, p?.side ?? "unknown", undefined, id("side"))} ${choice("representation", "Represented by", representations, p?.representation ?? "unknown", undefined, id("representation"))}
        ${p && p.status !== "merged" ? choice("status", "Standing", statuses, p.status, undefined, id("status")) : nothing}
      </div>
      <div class="field"><label class="check"><input type="checkbox" name="isClient" value="true" .checked=${p?.isClient ?? false} />This is our client</label></div>
      <div class="field">
        <label for=${id("remarks")}>Notes that agents may read, with labels only</label>
        <input id=${id("remarks")} name="remarks" maxlength="1000" .value=${p?.notes ?? ""} />
        ${problem(this.refusal, "notes", this.querySelector<HTMLInputElement>("input[name=remarks]")?.value.trim())}
      </div>
      ${this.renderIdentity(id)}
      <p class="actions">
        <button ?disabled=${this.busy}>${this.busy ? "Saving…" : p ? "Save" : "Add the party"}</button>
        ${p ? html`<button type="button" class="quiet" @click=${() => this.dispatchEvent(new Event("left"))}>Cancel</button>` : nothing}
      </p>
    </form>`;
  }

  private renderIdentity(id: (name: string) => string): TemplateResult {
    const who = this.identity;
    const known = this.party?.sealed !== undefined;
    const field = (name: string, label: string, value = "", type = "text"): TemplateResult =>
      html`<div class="field"><label for=${id(name)}>${label}</label><input id=${id(name)} name=${`who-${name}`} type=${type} autocomplete="off" spellcheck="false" .value=${value} /></div>`;
    return html`<fieldset>
      <legend>Who it is</legend>
      <p class="fine">Encrypted in this browser under your firm’s key before it is sent. The service and agents never see it. ${known && !who ? "A name is kept already; what you write here takes its place." : nothing}</p>
      ${field("name", "Real name", who?.name)}
      <details ?open=${who !== undefined}>
        <summary>More: other names, how to reach them</summary>
        ${field("aliases", "Other names and spellings, with semicolons between", who?.aliases?.join("; "))} ${field("email", "E-mail", who?.email)} ${field("phone", "Telephone", who?.phone)} ${field("address", "Address", who?.address)}
        ${field("notes", "Notes of your own", who?.notes)}
      </details>
      <p class="fine">Names and other names are compared with those of your firm’s other cases, as tokens that the service cannot read.</p>
    </fieldset>`;
  }
}

/** Who the form says it is; undefined when it says nothing. */
function identityOf(values: Record<string, string>): (Omit<Identity, "v"> & { name: string }) | undefined {
  const given: Record<string, unknown> = {};
  for (const field of identityFields) {
    const value = values[`who-${field}`];
    if (value)
      given[field] =
        field === "aliases"
          ? value
              .split(";")
              .map((alias) => alias.trim())
              .filter(Boolean)
          : value;
  }
  if (Object.keys(given).length === 0) return undefined;
  return given as unknown as Omit<Identity, "v"> & { name: string };
}

customElements.define("subrosa-party", PartyForm);
