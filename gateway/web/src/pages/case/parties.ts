// The parties of a case: by label for everybody, by name for whoever opens the vault; and conflicts of interest.
import { html, nothing, type TemplateResult } from "lit";
import { idempotencyKey, nextKey, post, type Refusal } from "../../api.js";
import { choice, filled, problem, refused } from "../../case/form.js";
import { CasePage, tagOf } from "../../case/frame.js";
import { labelled } from "../../case/labels.js";
import { theVault } from "../../case/names.js";
import "../../case/party.js";
import { List, asRefusal } from "../../load.js";
import { badge, empty, instant, tell, words } from "../../markup.js";
import type { Case, ConflictState, Party, Workspace } from "../../wire.js";
import type { Identity } from "../../vault/format.js";

const conflicts: Record<ConflictState["status"], string> = {
  not_run:
    "No names were compared yet. Add the parties’ real names, and the service compares them as tokens that it cannot read.",
  clear: "No other case of your firm has one of these parties on the other side.",
  potential: "A party of this case stands on the other side in another case of your firm. Look at it and decide.",
  waived: "A person found a conflict and waived it.",
  blocked: "A person found a conflict. The case does not go on.",
};

class Parties extends CasePage {
  protected readonly tab = "parties";
  private readonly list = new List<Party>(
    this,
    () => "/v1/parties",
    () => ({ caseId: this.caseId, limit: 100 }),
    () => this.left,
  );
  private identities: ReadonlyMap<string, Identity> | undefined;
  private changing = "";
  private refusal: Refusal | undefined;
  private key = idempotencyKey();
  private arrived = false;

  protected override opened(): void {
    void this.list.restart();
    if (this.query.get("show") === "names") void this.names.show();
  }

  override willUpdate(): void {
    if (!this.shown) this.identities = undefined;
    else if (!this.identities) void this.readIdentities();
  }

  private async readIdentities(): Promise<void> {
    this.identities = new Map();
    try {
      this.identities = await (await theVault()).identities(this.caseId);
      this.requestUpdate();
    } catch {
      // The vault was locked meanwhile: names are gone from this page too.
    }
  }

  /** What the address asks for is made ready once it is drawn. */
  override updated(): void {
    const wanted = this.query.get("do");
    if (this.arrived || !wanted) return;
    const field =
      wanted === "add"
        ? this.querySelector<HTMLElement>("#add-party subrosa-party input")
        : this.querySelector<HTMLElement>("#conflict select");
    if (!field) return;
    this.arrived = true;
    requestAnimationFrame(() => {
      // after the frame of the app has put the focus on the heading
      field.scrollIntoView({ block: "center" });
      field.focus({ preventScroll: true });
    });
  }

  private async saved(): Promise<void> {
    this.changing = "";
    this.identities = undefined;
    await Promise.all([this.list.restart(), this.refresh()]);
    if (this.shown) await this.names.show(false);
  }

  private async decide(event: SubmitEvent, container: Case): Promise<void> {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    this.refusal = undefined;
    const decided = filled(form);
    if (!decided["decision"]) {
      tell("Choose what you decide.");
      form.querySelector("select")?.focus();
      return;
    }
    try {
      await post<Case>(`/v1/cases/${this.caseId}/conflict`, decided, {
        key: this.key,
        ifMatch: tagOf(container.version),
      });
      form.reset();
      tell("Your decision is on record.");
    } catch (error) {
      this.refusal = asRefusal(error);
    } finally {
      this.key = nextKey(this.key, this.refusal);
      await this.refresh();
    }
  }

  protected draw(workspace: Workspace): TemplateResult {
    const container = workspace.container as Case;
    return html`${
      this.names.failed.size > 0 && this.shown
        ? html`<div class="notice"><p>These could not be opened:</p><ul>${[...this.names.failed].map(([label, why]) => html`<li>${label}: ${why}</li>`)}</ul></div>`
        : nothing
    }
      ${this.list.render(
        (parties) => html`<ul class="rows">${parties.map((party) => this.drawParty(party))}</ul>`,
        empty("No party yet. Add the client first: the case needs one before it can be opened."),
      )}
      ${
        this.writable
          ? html`<details class="panel" id="add-party" ?open=${this.query.get("do") === "add" || undefined}>
            <summary><strong>Add a party</strong></summary>
            <subrosa-party .caseId=${this.caseId} @saved=${() => void this.saved()}></subrosa-party>
          </details>`
          : nothing
      }
      ${this.drawConflict(container)}`;
  }

  private drawParty(party: Party): TemplateResult {
    const who = this.identities?.get(party.label);
    const facts = [
      words(party.role),
      party.kind === "unknown" ? "" : words(party.kind),
      party.side === "unknown"
        ? ""
        : party.side === "ours"
          ? "our side"
          : party.side === "adverse"
            ? "against us"
            : party.side,
      party.representation === "unknown"
        ? ""
        : `represented by ${party.representation === "this_firm" ? "this firm" : party.representation === "self" ? "themselves" : "other counsel"}`,
    ];
    return html`<li>
      <div class="between">
        <span class="strong">${labelled(party.label)}${who ? html` <span class="label named">${who.name}</span>` : nothing}</span>
        <span class="badges">
          ${party.isClient ? badge("client", "good") : nothing} ${party.status === "active" ? nothing : badge(party.status)} ${party.sealed ? badge("name kept") : badge("no name kept", "warn")}
        </span>
      </div>
      <p class="fine">${facts.filter(Boolean).join(" · ")}</p>
      ${party.notes ? html`<p>${labelled(party.notes, this.shown)}</p>` : nothing} ${who ? drawIdentity(who) : nothing}
      ${
        this.changing === party.partyId
          ? html`<subrosa-party .caseId=${this.caseId} .party=${party} .identity=${who} @saved=${() => void this.saved()} @left=${() => this.change("")}></subrosa-party>`
          : this.writable && party.status !== "merged"
            ? html`<p class="actions"><button class="plain" @click=${() => this.change(party.partyId)}>${party.sealed ? "Change" : "Change, or add the name"}<span class="hidden"> of ${party.label}</span></button></p>`
            : nothing
      }
    </li>`;
  }

  private change(partyId: string): void {
    this.changing = partyId;
    this.requestUpdate();
  }

  private drawConflict(container: Case): TemplateResult {
    const conflict = container.conflict;
    const tone =
      conflict.status === "clear" || conflict.status === "waived"
        ? "good"
        : conflict.status === "not_run"
          ? "plain"
          : "bad";
    return html`<section class="panel" id="conflict" aria-labelledby="conflict-title">
      <h2 id="conflict-title">Conflicts of interest ${badge(conflict.status, tone)}</h2>
      <p>${conflicts[conflict.status]}</p>
      ${conflict.checkedAt ? html`<p class="fine">Compared last ${instant(conflict.checkedAt)}${conflict.decidedByUserId ? html`, decided by ${conflict.decidedByUserId}` : nothing}</p>` : nothing}
      ${conflict.reason ? html`<p>Reason: ${labelled(conflict.reason, this.shown)}</p>` : nothing}
      ${
        conflict.hits?.length
          ? html`<h3>Cases that meet this one (${conflict.hitCount}${conflict.hitCountCapped ? " or more" : ""})</h3>
            <ul>${conflict.hits.map((hit) => html`<li><a href=${`/app/cases/${hit.caseId}/parties`}>Another case</a>, as ${hit.roles.map((role) => words(role).toLowerCase()).join(" and ")}</li>`)}</ul>`
          : nothing
      }
      ${
        this.writable
          ? html`<h3>Your decision</h3>
            ${refused(this.refusal, this.caseId)}
            ${conflict.status === "not_run" ? html`<p class="notice"><strong>Nothing was compared here yet.</strong> Add the parties’ real names first, unless you checked by other means: say so in the reason.</p>` : nothing}
            <form @submit=${(event: SubmitEvent) => void this.decide(event, container)}>
              ${choice(
                "decision",
                "Decision",
                [
                  ["clear", "There is no conflict"],
                  ["waived", "There is one, and it is waived with informed consent"],
                  ["blocked", "There is one, and the case does not go on"],
                ],
                "",
                "Choose…",
              )}
              <div class="field">
                <label for="reason">Reason, with labels in the place of names</label>
                <textarea id="reason" name="reason" required maxlength="1000" aria-describedby="problem-reason"></textarea>
                ${problem(this.refusal, "reason", this.querySelector<HTMLTextAreaElement>("#reason")?.value.trim())}
              </div>
              <p class="actions"><button>Record the decision</button></p>
            </form>`
          : nothing
      }
    </section>`;
  }
}

function drawIdentity(who: Identity): TemplateResult | typeof nothing {
  const facts = (
    [
      ["Other names", who.aliases?.join("; ")],
      ["E-mail", who.email],
      ["Telephone", who.phone],
      ["Address", who.address],
      ["Notes", who.notes],
    ] as [string, string | undefined][]
  ).filter(([, value]) => value);
  return facts.length === 0
    ? nothing
    : html`<dl class="facts">${facts.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>`;
}

customElements.define("subrosa-case-parties", Parties);
