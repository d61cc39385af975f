// The dated record of a case: what happened and what is due, as a picture and as a list; what was proposed is confirmed or rejected here.
import { html, nothing, type TemplateResult } from "lit";
import { address, get, idempotencyKey, nextKey, patch, post, type Refusal } from "../../api.js";
import { choice, filled, problem, refused } from "../../case/form.js";
import { CasePage, tagOf } from "../../case/frame.js";
import { labelled } from "../../case/labels.js";
import "../../case/picture.js";
import { passageAddress, placeOf } from "../../case/sources.js";
import { entryKinds } from "../../case/vocabulary.js";
import { hourOf, instantOf, isZone } from "../../case/zone.js";
import { List, asRefusal, type ListPage } from "../../load.js";
import { badge, day, empty, tell, words } from "../../markup.js";
import type { Entry, EntryPatch, Timeline, Workspace } from "../../wire.js";

const filters = ["kinds", "reviewStatus", "origin", "q", "from", "to", "sort"] as const;

/** The entries of a timeline, which come within it. */
class Entries extends List<Entry> {
  protected override async read(from: string): Promise<ListPage<Entry>> {
    const timeline = await get<Timeline>(from, { signal: this.signal() });
    return { items: timeline.entries ?? [], nextCursor: timeline.nextCursor ?? null };
  }
}

/** What a case's own record is made of; the other kinds are the service's. */
const ofTheCase = "fact,filing,hearing,deadline,communication,payment,agreement,authority";

class TimelinePage extends CasePage {
  protected readonly tab = "timeline";
  private chosen: Record<string, string> = {};
  private readonly list = new Entries(
    this,
    () => `/v1/timeline/${this.workspace.value?.timeline.timelineId ?? ""}`,
    () => ({ ...this.chosen, kinds: this.kinds, include: "entries", limit: 100 }),
    () => this.left,
  );
  private refusal: { of: string; refusal: Refusal } | undefined;
  /** The entry that is being written anew. */
  private editing = "";
  private typing = 0;
  private key = idempotencyKey();

  private get kinds(): string {
    const kinds = this.chosen["kinds"];
    return kinds === "all" ? "" : (kinds ?? ofTheCase);
  }

  protected override opened(): void {
    for (const name of filters) {
      const value = this.query.get(name);
      if (value) this.chosen[name] = value;
    }
    void this.read();
  }

  private async read(): Promise<boolean> {
    return this.list.restart();
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    clearTimeout(this.typing);
  }

  private soon(event: Event): void {
    const form = (event.currentTarget as HTMLElement).closest("form") as HTMLFormElement;
    clearTimeout(this.typing);
    this.typing = setTimeout(
      () => {
        const chosen = filled(form);
        this.chosen = chosen;
        void this.read().then((shown) => {
          // What was refused may be a name: it does not get into the history of the browser.
          if (shown && this.isConnected) history.replaceState(null, "", address(location.pathname, chosen));
        });
      },
      event.type === "change" ? 0 : 300,
    );
  }

  private async decide(entry: Entry, change: EntryPatch, said: string): Promise<boolean> {
    this.refusal = undefined;
    let done = false;
    try {
      const now = await patch<Entry>(
        `/v1/timeline/${this.workspace.value?.timeline.timelineId ?? ""}/entries/${entry.entryId}`,
        change,
        { ifMatch: tagOf(entry.version) },
      );
      this.list.items = this.list.items.map((e) => (e.entryId === now.entryId ? now : e));
      tell(said);
      done = true;
      void this.refresh();
    } catch (error) {
      this.refusal = { of: entry.entryId, refusal: asRefusal(error) };
      if (this.refusal.refusal.status === 412) await this.read();
    }
    this.requestUpdate();
    return done;
  }

  private edit(entryId: string): void {
    this.editing = entryId;
    this.refusal = undefined;
    this.requestUpdate();
    const place = entryId === "" ? undefined : `#entry-${CSS.escape(entryId)} form input`;
    if (place) void this.updateComplete.then(() => this.querySelector<HTMLElement>(place)?.focus());
  }

  /** The zone in which the hour of an entry is read: its own, else that of the forum. */
  private zoneOf(entry: Entry): string {
    const container = this.workspace.value?.container as { forum?: { timeZone?: string } } | undefined;
    return entry.timeZone ?? container?.forum?.timeZone ?? "UTC";
  }

  /** Sends what was changed of an entry; what is as it was is left out, so that a day which was computed stays computed. */
  private async save(event: SubmitEvent, entry: Entry): Promise<void> {
    event.preventDefault();
    const values = filled(event.currentTarget as HTMLFormElement);
    const change: EntryPatch = {};
    if (values["title"] !== entry.title) change.title = values["title"] ?? "";
    if ((values["detail"] ?? "") !== (entry.detail ?? "")) change.detail = values["detail"] ?? null;
    if (entry.kind === "deadline") this.dated(entry, values, change);
    else if ((values["on"] ?? "") !== (entry.when?.on ?? "")) change.on = values["on"] ?? null;
    if (Object.keys(change).length === 0) return this.edit("");
    if (await this.decide(entry, change, "The entry is changed.")) this.edit("");
  }

  private dated(entry: Entry, values: Record<string, string>, change: EntryPatch): void {
    const zone = values["timeZone"] ?? this.zoneOf(entry);
    const dueOn = values["on"] ?? entry.dueOn ?? "";
    if (dueOn !== entry.dueOn) change.dueOn = dueOn;
    if ((values["latestOn"] ?? "") !== (entry.latestOn ?? "")) change.latestOn = values["latestOn"] ?? null;
    if (zone !== this.zoneOf(entry)) change.timeZone = zone;
    const before = entry.dueAt ? hourOf(entry.dueAt, this.zoneOf(entry)) : "";
    const hour = values["hour"] ?? "";
    const moved = change.dueOn !== undefined || change.timeZone !== undefined;
    if (hour === before && !(hour && moved)) return;
    // A zone that this browser does not know is for the service to refuse; the hour waits for one that is known.
    if (hour === "") change.dueAt = null;
    else if (isZone(zone)) change.dueAt = instantOf(dueOn, hour, zone);
  }

  private async add(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const { on, ...values } = filled(form);
    this.refusal = undefined;
    try {
      await post<Entry>(
        `/v1/timeline/${this.workspace.value?.timeline.timelineId ?? ""}/entries`,
        {
          ...values,
          ...(values["kind"] === "deadline"
            ? { dueOn: on, certainty: "explicit" }
            : { when: { on, precision: "day" } }),
        },
        { key: this.key },
      );
      form.reset();
      tell("The entry is on record.");
      await Promise.all([this.read(), this.refresh()]);
    } catch (error) {
      this.refusal = { of: "new", refusal: asRefusal(error) };
      this.requestUpdate();
    } finally {
      this.key = nextKey(this.key, this.refusal?.refusal);
    }
  }

  private chose(event: CustomEvent<string>): void {
    const entry = this.querySelector<HTMLElement>(`#entry-${CSS.escape(event.detail)}`);
    entry?.scrollIntoView({ block: "center" });
    entry?.focus({ preventScroll: true });
  }

  protected draw(workspace: Workspace): TemplateResult {
    const chosen = (name: string): string => this.chosen[name] ?? "";
    return html`<form class="filters" role="search" @change=${(e: Event) => this.soon(e)} @submit=${(e: Event) => e.preventDefault()}>
        <div class="field"><label for="q">Words</label><input id="q" name="q" type="search" maxlength="200" .value=${chosen("q")} /></div>
        ${choice("kinds", "Kind", [["all", "Everything, with the service’s own record"], ...entryKinds.map((k) => [k, words(k)] as [string, string])], chosen("kinds"), "What happened and is due")}
        ${choice(
          "reviewStatus",
          "Review",
          [
            ["unreviewed", "Proposed"],
            ["confirmed", "Confirmed"],
            ["rejected", "Rejected"],
          ],
          chosen("reviewStatus"),
          "Any",
        )}
        ${choice(
          "origin",
          "Comes from",
          [
            ["extracted", "Files"],
            ["computed", "Rules"],
            ["agent", "An agent"],
            ["user", "A person"],
            ["system", "The service"],
          ],
          chosen("origin"),
          "Anywhere",
        )}
        <div class="field"><label for="from">From</label><input id="from" name="from" type="date" .value=${chosen("from")} /></div>
        <div class="field"><label for="to">To</label><input id="to" name="to" type="date" .value=${chosen("to")} /></div>
        ${choice(
          "sort",
          "Order",
          [
            ["-when", "Latest first"],
            ["createdAt", "As they came in"],
          ],
          chosen("sort"),
          "Earliest first",
        )}
      </form>
      <p class="actions"><button class="quiet small" @click=${() => void this.calendar(workspace.timeline.timelineId)}>Save confirmed deadlines as a calendar</button></p>
      ${this.list.render(
        (
          entries,
        ) => html`<div class="scroll" tabindex="0" role="region" aria-label="Picture of the timeline"><subrosa-picture .entries=${entries} @chosen=${(e: CustomEvent<string>) => this.chose(e)}></subrosa-picture></div>
          <p class="fine">Diamonds are deadlines. What is hollow was proposed and nobody has confirmed it yet.</p>
          <ul class="rows">${entries.map((entry) => this.drawEntry(entry))}</ul>`,
        empty(
          Object.keys(this.chosen).length > 0
            ? html`No entry fits. <a href=${`/app/cases/${this.caseId}/timeline`}>Show all</a>`
            : html`Nothing is on record yet. <a href=${`/app/cases/${this.caseId}/work?ask=${encodeURIComponent("Make a chronology")}`}>Have a chronology made from the files</a>, or add an entry below.`,
        ),
      )}
      ${this.writable ? this.drawNew() : nothing}`;
  }

  /** The calendar comes by its media type, which a link cannot ask for. */
  private async calendar(timelineId: string): Promise<void> {
    const { saveFrom } = await import("../../case/saving.js");
    try {
      await saveFrom(
        address(`/v1/timeline/${timelineId}`, { remindDaysBefore: "7,1" }),
        "text/calendar",
        "deadlines.ics",
      );
    } catch (error) {
      tell(asRefusal(error).message);
    }
  }

  private drawEntry(entry: Entry): TemplateResult {
    const when = entry.dueOn ?? entry.when?.on;
    return html`<li id=${`entry-${entry.entryId}`} tabindex="-1">
      <div class="between">
        <span>
          <strong>${day(when) === nothing ? "No day" : day(when)}</strong>${entry.dueAt ? html`, ${hourOf(entry.dueAt, this.zoneOf(entry))} <span class="fine">${this.zoneOf(entry)}</span>` : nothing}${entry.latestOn ? html` <span class="fine">(at the latest ${day(entry.latestOn)})</span>` : nothing}${entry.when?.ambiguous ? html` or <strong>${day(entry.when.alternativeOn)}</strong>` : nothing}${entry.when && entry.when.precision !== "day" ? html` <span class="fine">(${entry.when.precision})</span>` : nothing}
          ${labelled(entry.title, this.shown)}
        </span>
        <span class="badges">${badge(entry.kind)} ${stateOf(entry)}</span>
      </div>
      ${entry.detail && entry.detail !== entry.title ? html`<p>${labelled(entry.detail, this.shown)}</p>` : nothing} ${entry.computation ? this.drawComputation(entry) : nothing}
      ${entry.sources?.length ? html`<p class="fine">From ${entry.sources.slice(0, 3).map((s, i) => html`${i > 0 ? ", " : nothing}<a href=${passageAddress(this.caseId, s)}>${placeOf(s, this.fileNames)}</a>`)}</p>` : nothing}
      ${this.refusal?.of === entry.entryId ? refused(this.refusal.refusal, this.caseId) : nothing} ${this.editing === entry.entryId ? this.drawEdit(entry) : this.drawDecisions(entry)}
    </li>`;
  }

  private drawComputation(entry: Entry): TemplateResult {
    const c = entry.computation as NonNullable<Entry["computation"]>;
    return html`<details class="fine">
      <summary>How the day was computed</summary>
      <p>${c.count} ${c.unit} ${c.direction === "backward" ? "before" : "after"} ${day(c.triggerOn)}${c.ruleCitation ? html`, by ${c.ruleCitation}` : nothing}${c.rolledFrom ? html`; moved from ${day(c.rolledFrom)}: ${c.rolledBecause}` : nothing}.</p>
      ${c.assumptions?.length ? html`<ul>${c.assumptions.map((a) => html`<li>${labelled(a, this.shown)}</li>`)}</ul>` : nothing}
    </details>`;
  }

  private drawDecisions(entry: Entry): TemplateResult | typeof nothing {
    if (!this.writable) return nothing;
    const act = (text: string, change: EntryPatch, said: string, style = "quiet small"): TemplateResult =>
      html`<button class=${style} aria-label=${`${text}: ${entry.title}`} @click=${() => void this.decide(entry, change, said)}>${text}</button>`;
    if (entry.origin === "system") return nothing;
    const edit = html`<button class="quiet small" aria-label=${`Edit: ${entry.title}`} @click=${() => this.edit(entry.entryId)}>Edit</button>`;
    const undo = "Undo";
    if (entry.kind === "deadline") {
      if (entry.status === "proposed")
        return html`<p class="actions">${act("Confirm", { status: "confirmed" }, "The deadline is confirmed.", "small")} ${act("Reject", { status: "vacated" }, "The deadline is rejected.")} ${edit}</p>`;
      if (entry.status === "confirmed")
        return html`<p class="actions">${act("Met", { status: "met" }, "The deadline is met.")} ${act("No longer due", { status: "vacated" }, "The deadline is no longer due.")} ${act(undo, { status: "proposed" }, "The deadline is proposed again.")} ${edit}</p>`;
      if (entry.status === "met")
        return html`<p class="actions">${act(undo, { status: "confirmed" }, "The deadline is open again.")}</p>`;
      if (entry.status === "vacated")
        return html`<p class="actions">${act(undo, { status: "proposed" }, "The deadline is proposed again.")}</p>`;
      return html`<p class="actions">${edit}</p>`;
    }
    if (entry.reviewStatus !== "unreviewed")
      return html`<p class="actions">${act(undo, { reviewStatus: "unreviewed" }, "The entry is proposed again.")} ${edit}</p>`;
    return html`<p class="actions">${act("Confirm", { reviewStatus: "confirmed" }, "Confirmed.", "small")} ${act("Reject", { reviewStatus: "rejected" }, "Rejected.")} ${edit}</p>`;
  }

  private drawEdit(entry: Entry): TemplateResult {
    const refusal = this.refusal?.of === entry.entryId ? this.refusal.refusal : undefined;
    const id = (name: string): string => `edit-${name}-${entry.entryId}`;
    const dated = entry.kind === "deadline";
    return html`<form class="panel" aria-label=${`Edit: ${entry.title}`} @submit=${(event: SubmitEvent) => void this.save(event, entry)}>
      <div class="field"><label for=${id("title")}>What it says</label><input id=${id("title")} name="title" required maxlength="200" .value=${entry.title} />${problem(refusal, "title", entry.title)}</div>
      <div class="field"><label for=${id("detail")}>More about it</label><textarea id=${id("detail")} name="detail" maxlength="2000" .value=${entry.detail ?? ""}></textarea>${problem(refusal, "detail", entry.detail)}</div>
      <div class="field"><label for=${id("on")}>${dated ? "Day it is due" : "Day of it"}</label><input id=${id("on")} name="on" type="date" ?required=${dated} .value=${entry.dueOn ?? entry.when?.on ?? ""} />${problem(refusal, "dueOn")}${problem(refusal, "on")}</div>
      ${
        dated
          ? html`<div class="field"><label for=${id("hour")}>Hour, if one is stated</label><input id=${id("hour")} name="hour" type="time" .value=${entry.dueAt ? hourOf(entry.dueAt, this.zoneOf(entry)) : ""} />${problem(refusal, "dueAt")}</div>
              <div class="field"><label for=${id("zone")}>Time zone of the forum</label><input id=${id("zone")} name="timeZone" autocomplete="off" maxlength="64" .value=${this.zoneOf(entry)} />${problem(refusal, "timeZone")}</div>
              <div class="field"><label for=${id("latest")}>Latest day, if the day is not certain</label><input id=${id("latest")} name="latestOn" type="date" .value=${entry.latestOn ?? ""} />${problem(refusal, "latestOn")}</div>
              ${entry.computation ? html`<p class="fine">A day that you write is stated and no longer computed.</p>` : nothing}`
          : nothing
      }
      <p class="actions"><button class="small">Save</button> <button type="button" class="quiet small" @click=${() => this.edit("")}>Leave it as it is</button></p>
    </form>`;
  }

  private drawNew(): TemplateResult {
    const refusal = this.refusal?.of === "new" ? this.refusal.refusal : undefined;
    return html`<details class="panel" ?open=${refusal !== undefined}>
      <summary><strong>Add an entry or a deadline</strong></summary>
      ${refused(refusal, this.caseId)}
      <form @submit=${(event: SubmitEvent) => void this.add(event)}>
        ${choice(
          "kind",
          "Kind",
          ["deadline", "hearing", "filing", "fact", "communication", "payment", "agreement"].map(
            (k) => [k, words(k)] as [string, string],
          ),
          "deadline",
        )}
        <div class="field"><label for="on">Day</label><input id="on" name="on" type="date" required />${problem(refusal, "dueOn")}${problem(refusal, "when")}</div>
        <div class="field"><label for="new-title">What</label><input id="new-title" name="title" required maxlength="200" aria-describedby="problem-title" />${problem(refusal, "title", this.querySelector<HTMLInputElement>("#new-title")?.value.trim())}</div>
        <div class="field"><label for="detail">More</label><textarea id="detail" name="detail" maxlength="2000"></textarea>${problem(refusal, "detail", this.querySelector<HTMLTextAreaElement>("#detail")?.value.trim())}</div>
        <p class="actions"><button>Add it</button></p>
      </form>
    </details>`;
  }
}

function stateOf(entry: Entry): TemplateResult | typeof nothing {
  if (entry.kind === "deadline")
    return badge(
      entry.status,
      entry.status === "confirmed" || entry.status === "met"
        ? "good"
        : entry.status === "missed"
          ? "bad"
          : entry.status === "proposed"
            ? "warn"
            : "plain",
    );
  return entry.reviewStatus === "unreviewed" && entry.origin !== "system"
    ? badge("proposed", "warn")
    : entry.reviewStatus === "rejected"
      ? badge("rejected", "bad")
      : nothing;
}

customElements.define("subrosa-case-timeline", TimelinePage);
