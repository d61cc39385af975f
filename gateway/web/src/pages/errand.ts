// What a deep link leads to: straight to the place where its action is ready, or, for what is done outside, the words for it.
import { html, type TemplateResult } from "lit";
import { errands, idsOf, placeInCase } from "../errands.js";
import { Page, go } from "../page.js";

class Errand extends Page {
  override connectedCallback(): void {
    super.connectedCallback();
    const caseId = this.params["caseId"];
    if (caseId) return go(placeInCase(caseId, this.query), true);
    const place = errands[this.params["action"] ?? ""]?.place;
    if (place) go(place(idsOf(this.query)), true);
  }

  override render(): TemplateResult {
    const errand = errands[this.params["action"] ?? ""];
    if (!errand)
      return html`<h1>There is nothing here</h1>
        <p>The link names nothing that Subrosa does. <a href="/app/">Go to the beginning.</a></p>`;
    const ids = idsOf(this.query);
    const known = Object.entries(ids).filter(([, id]) => id !== "");
    return html`<section class="narrow">
      <h1>${errand.title}</h1>
      <p>${errand.explain}</p>
      ${known.map(([name, id]) => html`<p>${name === "container" ? "Ticket or inquiry" : name === "case" ? "Case" : name}: <code>${id}</code></p>`)}
    </section>`;
  }
}

customElements.define("subrosa-errand", Errand);
