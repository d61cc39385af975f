// Having the legal agent do something, and watching it live: its steps, its text, and the way to stop it.
import { html, nothing, type TemplateResult } from "lit";
import { del, type Refusal } from "../api.js";
import { asRefusal } from "../load.js";
import { refusalOf, tell, words } from "../markup.js";
import { Element } from "../page.js";
import type { AgentTask, Event, PhaseEndEvent, RequestType, StatusEvent } from "../wire.js";
import { follow, type Line } from "./following.js";
import { filled, problem, refused, wrong } from "./form.js";
import { labelled, type Shown } from "./labels.js";
import { markdown } from "./markdown.js";

/** One conversation for as long as this page lives. */
const session = `browser-${crypto.randomUUID()}`;

const examples = [
  "List the deadlines",
  "Make a chronology",
  "Summarise the files",
  "Which documents are missing?",
  "What are the next steps?",
  "Draft an answer to the complaint",
];

class Run extends Element {
  static override properties = {
    caseId: { attribute: false },
    branchId: { attribute: false },
    allowed: { attribute: false },
    model: { type: Boolean },
    shown: { attribute: false },
    prompt: { type: String },
    type: { type: String },
  };
  declare caseId: string;
  declare branchId: string;
  /** What may be asked for. */
  declare allowed: RequestType[];
  /** Whether a language model is there. */
  declare model: boolean;
  declare shown: Shown;
  /** What the form begins with. */
  declare prompt: string;
  declare type: string;

  private phaseId = "";
  private steps: StatusEvent[] = [];
  private text = "";
  private line: Line = "connecting";
  private refusal: Refusal | undefined;
  private following: AbortController | undefined;
  private ending = false;
  /** The run waits for its branch, and this page keeps its place in line: true from its request to its first phase_start. */
  private inLine = false;

  constructor() {
    super();
    this.prompt = "";
    this.type = "";
    this.allowed = [];
    this.model = false;
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    this.following?.abort();
  }

  /** Attaches to a run that is under way already. */
  attach(phaseId: string): void {
    if (this.phaseId === phaseId && this.following) return;
    void this.watch(phaseId, undefined);
  }

  private async begin(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    const values = filled(event.currentTarget as HTMLFormElement);
    const phaseId = crypto.randomUUID();
    const mode = values["mode"] as "deterministic" | "model" | undefined;
    const task: AgentTask = {
      sessionId: session,
      containerType: "case",
      containerId: this.caseId,
      requestType: (values["type"] ?? "case_req") as RequestType,
      prompt: values["prompt"] ?? "",
      seedPhase: { phaseId, branchId: this.branchId },
      ...(mode && { options: { mode } }),
    };
    this.prompt = task.prompt;
    this.type = task.requestType;
    await this.watch(phaseId, task);
  }

  private async watch(phaseId: string, task: AgentTask | undefined): Promise<void> {
    this.following?.abort();
    const following = new AbortController();
    this.following = following;
    this.phaseId = phaseId;
    this.forget();
    this.refusal = undefined;
    this.ending = false;
    this.inLine = task !== undefined;
    this.requestUpdate();
    try {
      await follow(
        phaseId,
        task,
        {
          event: (event) => this.take(event),
          line: (line) => {
            this.line = line;
            this.requestUpdate();
          },
        },
        following.signal,
      );
      if (task) this.prompt = "";
    } catch (error) {
      if (following.signal.aborted) return;
      this.refusal = asRefusal(error);
    }
    if (this.following !== following) return;
    this.following = undefined;
    this.requestUpdate();
    if (!this.refusal) this.dispatchEvent(new CustomEvent("ended", { detail: phaseId }));
  }

  private forget(): void {
    this.steps = [];
    this.text = "";
  }

  private take(event: Event): void {
    switch (event.type) {
      case "phase_start":
        this.inLine = false;
        this.forget(); // what an earlier attempt wrote is void
        this.dispatchEvent(new CustomEvent("started", { detail: event.phaseId }));
        break;
      case "status":
        if (!("gap" in event)) this.steps = [...this.steps, event];
        break;
      case "content_chunk":
        this.text += event.delta;
        break;
      case "direct_response":
        this.text = event.response.text;
        break;
      case "error":
        tell(event.message);
        break;
      case "phase_end":
        this.told(event);
        break;
    }
    this.requestUpdate();
  }

  private told(event: PhaseEndEvent): void {
    if (event.status === "completed")
      tell(event.review.status === "pending" ? "Done. The answer waits for your review." : "Done.");
    else if (event.status === "cancelled") tell("Stopped.");
    else if (event.status === "refused") tell("The agent left this to you; the answer says how.");
  }

  private async cancel(): Promise<void> {
    this.ending = true;
    this.requestUpdate();
    try {
      await del(`/v1/agent/${this.phaseId}`);
    } catch (error) {
      this.ending = false;
      const refusal = asRefusal(error);
      if (refusal.status !== 409) tell(refusal.message); // 409: it has ended meanwhile
      this.requestUpdate();
    }
  }

  override render(): TemplateResult {
    return html`<section class="panel" aria-labelledby="ask">
      <h2 id="ask">Ask the legal agent</h2>
      ${this.following ? this.renderLive() : this.renderForm()}
    </section>`;
  }

  private renderForm(): TemplateResult {
    const types = this.allowed.filter((type) => type === "case_req" || type === "eval_req");
    if (types.length === 0)
      return html`<p>You cannot ask for anything in this case at the moment: it is closed, or your role does not allow it.</p>`;
    return html`${refused(this.refusal, this.caseId)}
      <form @submit=${(event: SubmitEvent) => void this.begin(event)}>
        <div class="field">
          <label for="prompt">What should it do?</label>
          <textarea id="prompt" name="prompt" required maxlength="32000" .value=${this.prompt} aria-invalid=${wrong(this.refusal, "prompt")} aria-describedby="prompt-says problem-prompt" @input=${(e: InputEvent) => (this.prompt = (e.currentTarget as HTMLTextAreaElement).value)}></textarea>
          <p class="fine" id="prompt-says">Write labels in the place of names. A prompt with a name, a number or an address in it is refused.</p>
          ${problem(this.refusal, "prompt", this.prompt)}
        </div>
        <p class="examples">
          ${examples.map((text) => html`<button type="button" class="quiet small" @click=${() => this.suggest(text)}>${text}</button>`)}
        </p>
        <div class="filters">
          <fieldset class="field inline">
            <legend>Kind</legend>
            ${types.map((type, i) => html`<label class="check"><input type="radio" name="type" value=${type} .checked=${this.type ? this.type === type : i === types.indexOf("case_req")} @change=${() => (this.type = type)} />${type === "eval_req" ? "Evaluate the case: tier, urgency, what is missing" : "Question, list or draft"}</label>`)}
          </fieldset>
          ${
            this.model
              ? html`<div class="field"><label for="mode">How</label><select id="mode" name="mode"><option value="">As the case allows</option><option value="deterministic">By rules alone</option><option value="model">With the language model</option></select></div>`
              : html`<p class="fine">No language model is connected: rules do the work, and passages are quoted, not interpreted.</p>`
          }
        </div>
        <p class="actions"><button>Start</button></p>
      </form>`;
  }

  private suggest(text: string): void {
    this.prompt = text;
    this.type = "case_req";
    this.querySelector<HTMLTextAreaElement>("#prompt")?.focus();
  }

  private renderLive(): TemplateResult {
    const now = this.steps.at(-1);
    return html`${this.prompt ? html`<p>${labelled(this.prompt, this.shown)}</p>` : nothing} ${refusalOf(this.refusal)}
      <p role="status" aria-live="polite">${this.ending ? "Stopping…" : this.line === "live" ? stepInWords(now) : lineInWords(this.line)}</p>
      ${now?.progress ? html`<p><progress max=${now.progress.total} value=${now.progress.done} aria-label="Progress"></progress> <span class="fine">${now.progress.done} of ${now.progress.total}</span></p>` : html`<p><progress aria-label="At work"></progress></p>`}
      <details><summary>Steps (${this.steps.length})</summary><ol class="fine">${this.steps.map((step) => html`<li>${stepInWords(step)}</li>`)}</ol></details>
      <div aria-live="polite" aria-busy="true" class="live">${this.text ? markdown(this.text, { source: () => undefined, shown: this.shown }) : nothing}</div>
      <p class="actions"><button class="danger" ?disabled=${this.ending} @click=${() => void this.cancel()}>Stop</button> <span class="fine">${this.inLine ? "The run is waiting to begin. If you leave this page now, it is taken out of the line." : "You may leave this page: the run goes on, and its answer will be here."}</span></p>`;
  }
}

function lineInWords(line: Line): string {
  switch (line) {
    case "silent":
      return "Nothing has come for a while; waiting…";
    case "cut":
      return "No connection; trying again… A run that has begun goes on by itself.";
    default:
      return "Connecting…";
  }
}

function stepInWords(step: StatusEvent | undefined): string {
  if (!step) return "Beginning…";
  if (step.tool) return step.tool.summary || words(step.tool.name);
  return (
    step.message ||
    {
      processing: "Accepted",
      orchestrating: "Planning",
      tool: "Using a tool",
      working: "Working",
      reasoning: "Comparing and scoring",
      responding: "Writing the answer",
    }[step.status]
  );
}

customElements.define("subrosa-run", Run);
