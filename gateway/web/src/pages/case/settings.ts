// What a person sets of a case: its facts, who answers for it, how confidential it is, how long it is kept, and its end.
import { html, nothing, type TemplateResult } from "lit";
import { patch, post, type Refusal } from "../../api.js";
import { choice, filled, problem, refused, wrong } from "../../case/form.js";
import { CasePage, tagOf } from "../../case/frame.js";
import { labelled } from "../../case/labels.js";
import "../../case/lifecycle.js";
import { areaCode, areaName, areas, confidentialities, matterKinds, sides } from "../../case/vocabulary.js";
import { asRefusal } from "../../load.js";
import { day, instant, refusalOf, tell, words } from "../../markup.js";
import { go } from "../../page.js";
import type { Case, CasePatch, Workspace } from "../../wire.js";

type Values = Record<string, string>;

/** One part of the settings: what its fields hold, and the change that they stand for. */
interface Part {
  id: string;
  title: string;
  /** What is stored, as the fields show it. */
  stored: (c: Case) => Values;
  change: (now: Values) => CasePatch;
  draw: (was: Values, refusal: Refusal | undefined) => TemplateResult;
}

const list = (text: string | undefined): string[] =>
  (text ?? "")
    .split(",")
    .map((item) => item.trim())
    .filter(Boolean);

class Settings extends CasePage {
  protected readonly tab = "settings";
  /** The case as the fields began with it, by part: what somebody else changes meanwhile does not overwrite what is typed. */
  private readonly began = new Map<string, Values>();
  /** What was typed and refused, by part. */
  private readonly typed = new Map<string, Values>();
  private refusal: { of: string; refusal: Refusal } | undefined;

  private async save(event: SubmitEvent, part: Part): Promise<void> {
    event.preventDefault();
    const container = this.case;
    if (!container) return;
    const values = filled(event.currentTarget as HTMLFormElement);
    this.refusal = undefined;
    try {
      await this.put(part.change(values), container);
      this.began.delete(part.id);
      this.typed.delete(part.id);
      tell(`${part.title}: saved.`);
    } catch (error) {
      this.typed.set(part.id, values);
      this.refusal = { of: part.id, refusal: asRefusal(error) };
    }
    await this.refresh();
  }

  private async put(change: CasePatch, container: Case): Promise<void> {
    const saved = await patch<Case>(`/v1/cases/${this.caseId}`, change, { ifMatch: tagOf(container.version) });
    if (this.workspace.value) this.workspace.value = { ...this.workspace.value, container: saved };
  }

  private async removeOverride(container: Case): Promise<void> {
    try {
      await this.put({ complexity: { override: null } }, container);
      this.began.delete("tier");
      tell("The tier is that of the rules again.");
    } catch (error) {
      this.refusal = { of: "tier", refusal: asRefusal(error) };
    }
    await this.refresh();
  }

  protected override missing(): TemplateResult {
    return html`<section class="panel">
      <h2>Was this case deleted?</h2>
      <p>For 30 days after that, an owner of the firm can bring it back; whoever it was who deleted it is on record.</p>
      <p class="actions"><button @click=${() => void this.restore()}>Bring it back</button></p>
      ${refusalOf(this.refusal?.refusal)}
    </section>`;
  }

  private async restore(): Promise<void> {
    try {
      await post<Case>(`/v1/cases/${this.caseId}/restore`, undefined);
      tell("The case is back.");
      go(`/app/cases/${this.caseId}`);
    } catch (error) {
      this.refusal = { of: "restore", refusal: asRefusal(error) };
      this.requestUpdate();
    }
  }

  protected draw(workspace: Workspace): TemplateResult {
    const container = workspace.container as Case;
    const all = parts(container);
    return html`<div class="columns">
        ${all.map((part) => {
          const stored = part.stored(container);
          if (!this.began.has(part.id)) this.began.set(part.id, stored);
          const was = this.began.get(part.id) as Values;
          const refusal = this.refusal?.of === part.id ? this.refusal.refusal : undefined;
          const elsewhere = Object.keys(stored).filter((name) => stored[name] !== was[name]);
          return html`<section class="panel" aria-labelledby=${`part-${part.id}`}>
            <h2 id=${`part-${part.id}`}>${part.title}</h2>
            ${refused(refusal, this.caseId)}
            ${
              elsewhere.length > 0
                ? html`<div class="notice" role="status"><p>Changed elsewhere while you were here:</p><ul>${elsewhere.map((name) => html`<li>${words(name)} is now “${stored[name] || "empty"}”</li>`)}</ul><p><button class="quiet small" @click=${() => this.takeOver(part)}>Take that over</button></p></div>`
                : nothing
            }
            <form @submit=${(event: SubmitEvent) => void this.save(event, part)}>
              <fieldset class="bare" ?disabled=${!this.writable}>
                ${part.draw(this.typed.get(part.id) ?? was, refusal)}
                <p class="actions"><button>Save</button>${part.id === "tier" && container.complexity?.override ? html`<button type="button" class="quiet" @click=${() => void this.removeOverride(container)}>Go by the rules again</button>` : nothing}</p>
              </fieldset>
            </form>
            ${part.id === "retention" ? kept(container) : nothing}
          </section>`;
        })}
      </div>
      <subrosa-lifecycle .case=${container} .wanted=${this.query.get("do") ?? ""} @changed=${() => void this.refresh()}></subrosa-lifecycle>`;
  }

  private takeOver(part: Part): void {
    this.began.delete(part.id);
    this.typed.delete(part.id);
    this.refusal = undefined;
    this.requestUpdate();
  }
}

function kept(container: Case): TemplateResult {
  const r = container.retention;
  return html`<p class="fine">${r.legalHold ? html`Held by ${r.holdByUserId}. Nothing of this case is purged while that lasts.` : r.retainUntil ? html`Kept until ${day(r.retainUntil)}.` : "It is kept for years from the day on which it is closed, as the organization’s settings say."}</p>`;
}

function text(
  name: string,
  label: string,
  was: Values,
  refusal: Refusal | undefined,
  path: string,
  most: number,
  hint = "",
  pattern = "",
): TemplateResult {
  return html`<div class="field">
    <label for=${`f-${name}`}>${label}</label>
    <input id=${`f-${name}`} name=${name} maxlength=${most} .value=${was[name] ?? ""} pattern=${pattern || nothing} aria-invalid=${wrong(refusal, path)} aria-describedby=${`problem-${path}`} autocomplete="off" />
    ${hint ? html`<p class="fine">${hint}</p>` : nothing} ${problem(refusal, path, was[name])}
  </div>`;
}

/** Every part of the settings, for a case. */
function parts(container: Case): Part[] {
  const law: readonly [string, string][] = container.practiceAreas.some(
    (a) => !areas.some(([code]) => areaCode(code) === a.code),
  )
    ? [
        ...container.practiceAreas.map((a) => [a.code, a.label || areaName(a.code)] as [string, string]),
        ...areas.map(([code, name]) => [areaCode(code), name] as [string, string]),
      ]
    : areas.map(([code, name]) => [areaCode(code), name]);
  return [
    {
      id: "facts",
      title: "Facts",
      stored: (c) => ({
        title: c.title ?? "",
        summary: c.summary ?? "",
        matterKind: c.matterKind ?? "litigation",
        side: c.side ?? "",
        practiceArea: c.practiceAreas.find((a) => a.primary)?.code ?? c.practiceAreas[0]?.code ?? "",
        jurisdiction: c.jurisdiction ?? "",
        system: c.forum?.system ?? "",
        courtCode: c.forum?.courtCode ?? "",
        docketLabel: c.forum?.docketLabel ?? "",
        timeZone: c.forum?.timeZone ?? "",
        tags: c.tags.join(", "),
        jointRepresentation: String(c.jointRepresentation),
      }),
      change: (v) => {
        const others = container.practiceAreas
          .filter((a) => a.code !== v["practiceArea"])
          .map(({ scheme, code }) => ({ scheme, code }));
        return {
          title: v["title"] ?? null,
          summary: v["summary"] ?? null,
          matterKind: (v["matterKind"] ?? "litigation") as NonNullable<CasePatch["matterKind"]>,
          side: (v["side"] as CasePatch["side"]) ?? null,
          practiceAreas: v["practiceArea"]
            ? [
                {
                  scheme: container.practiceAreas.find((a) => a.code === v["practiceArea"])?.scheme ?? "LIST",
                  code: v["practiceArea"],
                  primary: true,
                },
                ...others,
              ].slice(0, 5)
            : null,
          jurisdiction: v["jurisdiction"]?.toUpperCase() ?? null,
          forum: v["system"]
            ? ({
                system: v["system"],
                courtCode: v["courtCode"] ?? null,
                docketLabel: v["docketLabel"] ?? null,
                timeZone: v["timeZone"] ?? null,
              } as NonNullable<CasePatch["forum"]>)
            : null,
          tags: list(v["tags"]),
          jointRepresentation: v["jointRepresentation"] === "true",
        };
      },
      draw: (was, refusal) => html`${text("title", "Title", was, refusal, "title", 200)}
        <div class="field"><label for="f-summary">Summary</label><textarea id="f-summary" name="summary" maxlength="4000" .value=${was["summary"] ?? ""} aria-invalid=${wrong(refusal, "summary")} aria-describedby="problem-summary"></textarea>${problem(refusal, "summary", was["summary"])}</div>
        ${choice(
          "matterKind",
          "Kind",
          matterKinds.map((k) => [k, words(k)]),
          was["matterKind"] ?? "",
        )} ${choice("side", "Our side", sides, was["side"] ?? "", "Not known yet")} ${choice("practiceArea", "Area of law", law, was["practiceArea"] ?? "", "Not known yet")}
        ${text("jurisdiction", "Jurisdiction", was, refusal, "jurisdiction", 6, "US for federal law, US-CA for California", "[A-Za-z]{2}(-[A-Za-z0-9]{1,3})?")}
        ${choice(
          "system",
          "Forum",
          ["federal", "state", "tribal", "agency", "arbitration", "foreign"].map((s) => [s, words(s)]),
          was["system"] ?? "",
          "None yet",
        )}
        ${text("courtCode", "Court", was, refusal, "forum.courtCode", 40, "A short code such as nysd; never a docket number")} ${text("docketLabel", "Label of the docket number", was, refusal, "forum.docketLabel", 14, "[Docket 1]; the number itself stays in the vault")}
        ${text("timeZone", "Time zone of the forum", was, refusal, "forum.timeZone", 64, "America/New_York; deadlines are days there")} ${text("tags", "Tags, with commas between", was, refusal, "tags", 800)}
        <div class="field"><label class="check"><input type="checkbox" name="jointRepresentation" value="true" .checked=${was["jointRepresentation"] === "true"} />We represent more than one client together</label></div>`,
    },
    {
      id: "supervision",
      title: "Supervision",
      stored: (c) => ({
        responsibleUserId: c.supervision.responsibleUserId ?? "",
        professionalKind: c.supervision.professionalKind ?? "",
        licences: (c.supervision.licenceJurisdictions ?? []).join(", "),
      }),
      change: (v) => ({
        supervision: {
          ...(v["responsibleUserId"] && { responsibleUserId: v["responsibleUserId"] }),
          professionalKind: (v["professionalKind"] as "lawyer") ?? null,
          licenceJurisdictions: list(v["licences"]?.toUpperCase()),
        },
      }),
      draw: (
        was,
        refusal,
      ) => html`${text("responsibleUserId", "Who answers for this case", was, refusal, "supervision.responsibleUserId", 255, "A person of your firm, by the name under which they sign in")}
        ${choice(
          "professionalKind",
          "As",
          ["lawyer", "paralegal_under_lawyer", "notary", "mediator", "accredited_rep", "other"].map((k) => [
            k,
            words(k),
          ]),
          was["professionalKind"] ?? "",
          "Not given",
        )}
        ${text("licences", "Licensed in, with commas between", was, refusal, "supervision.licenceJurisdictions", 200, "US-NY, US-NJ")}`,
    },
    {
      id: "confidentiality",
      title: "Confidentiality and software",
      stored: (c) => ({
        privilege: c.confidentiality.privilege,
        aiPolicy: c.confidentiality.aiPolicy,
        clientConsent: c.confidentiality.clientConsent,
      }),
      change: (v) => ({
        confidentiality: {
          privilege: v["privilege"],
          aiPolicy: v["aiPolicy"],
          clientConsent: v["clientConsent"],
        } as NonNullable<CasePatch["confidentiality"]>,
      }),
      draw: (was, refusal) => html`${choice("privilege", "Privilege", confidentialities, was["privilege"] ?? "")}
        ${choice(
          "aiPolicy",
          "Language models",
          [
            ["no_model", "None: rules alone do the work"],
            ["local_model_only", "Only one that runs on our own machines"],
            ["model_allowed", "Allowed"],
          ],
          was["aiPolicy"] ?? "",
        )}
        ${choice(
          "clientConsent",
          "The client’s consent to that",
          [
            ["unknown", "Not asked yet"],
            ["obtained", "Obtained"],
            ["refused", "Refused"],
            ["not_required", "Not required"],
          ],
          was["clientConsent"] ?? "",
        )} ${problem(refusal, "confidentiality")}`,
    },
    {
      id: "retention",
      title: "Retention and legal hold",
      stored: (c) => ({
        legalHold: String(c.retention.legalHold),
        holdReason: c.retention.holdReason ?? "",
        policyCode: c.retention.policyCode,
      }),
      change: (v) => ({
        retention: {
          legalHold: v["legalHold"] === "true",
          holdReason: v["holdReason"] ?? null,
          ...(v["policyCode"] && { policyCode: v["policyCode"] }),
        },
      }),
      draw: (
        was,
        refusal,
      ) => html`<div class="field"><label class="check"><input type="checkbox" name="legalHold" value="true" .checked=${was["legalHold"] === "true"} />Legal hold: nothing of this case may be deleted</label></div>
        ${text("holdReason", "Reason of the hold", was, refusal, "retention.holdReason", 300)} ${text("policyCode", "Retention rule", was, refusal, "retention.policyCode", 40, "A code of the organization’s settings")}`,
    },
    {
      id: "tier",
      title: "Tier",
      stored: (c) => ({
        tier: String(c.complexity?.override?.tier ?? c.complexity?.tier ?? ""),
        tierReason: c.complexity?.override?.reason ?? "",
      }),
      change: (v) => ({ complexity: { override: { tier: Number(v["tier"] ?? 0), reason: v["tierReason"] ?? "" } } }),
      draw: (
        was,
        refusal,
      ) => html`<p>${container.complexity ? html`The rules came to ${container.complexity.tier ? `tier ${container.complexity.tier}` : "no tier"}${container.complexity.override ? html`; ${container.complexity.override.byUserId} set another ${instant(container.complexity.override.at)}` : nothing}. ${container.complexity.override ? labelled(container.complexity.override.reason) : nothing}` : "The case was not evaluated yet; you can set a tier all the same once it is."}</p>
        ${choice(
          "tier",
          "Tier that counts",
          ["1", "2", "3", "4"].map((t) => [t, `Tier ${t}`]),
          was["tier"] ?? "",
        )} ${text("tierReason", "Why", was, refusal, "complexity.override.reason", 500)} ${problem(refusal, "complexity.override.tier")}`,
    },
  ];
}

customElements.define("subrosa-case-settings", Settings);
