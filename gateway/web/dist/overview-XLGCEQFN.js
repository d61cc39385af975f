import{a as w}from"./chunk-67EYHX4W.js";import"./chunk-ES6PQUQ3.js";import{d as n,f as m,m as f,p as b,r as g,s as y,t as p,u as v}from"./chunk-KSPSALBX.js";import"./chunk-V6YAPRTH.js";import"./chunk-GIPTC7H3.js";import{b as u,e as c,f as h,g as o,h as d}from"./chunk-3T4E4FFS.js";import{a,c as r}from"./chunk-FXAGWDIM.js";import"./chunk-OQ4UEFJX.js";var $=class extends w{tab="";draw(e){let t=e.container,i=`/app/cases/${this.caseId}`;return a`${t.summary?a`<p>${n(t.summary,this.shown)}</p>`:r} ${this.renderUnavailable(e)} ${this.renderWaiting(e)}
      <div class="grid">
        <section class="panel" aria-labelledby="due">
          <h2 id="due">Next deadlines</h2>
          ${e.deadlines.length>0?a`<ul class="plain">
                  ${e.deadlines.slice(0,6).map(s=>C(s,this.shown))}
                </ul>
                <p><a href=${`${i}/timeline`}>The whole timeline</a></p>`:u(a`No deadline is open. <a href=${`${i}/work?ask=${encodeURIComponent("List the deadlines")}`}>Have them looked up in the files</a>`)}
        </section>
        <section class="panel" aria-labelledby="facts">
          <h2 id="facts">Facts</h2>
          ${this.renderFacts(t)}
          <p><a href=${`${i}/settings`}>Change them</a></p>
        </section>
        ${t.complexity?this.renderTier(t):r} ${this.renderChecklist(e)}
        <section class="panel" aria-labelledby="lately">
          <h2 id="lately">Latest work</h2>
          ${e.recentPhases.length>0?a`<ul class="plain">
                  ${e.recentPhases.slice(0,6).map(s=>a`<li>
                      <a href=${`${i}/work?phase=${s.phaseId}`}>${s.prompt?n(m(s.prompt),this.shown):p(s.requestType)}</a> ${d(s.status,g(s))}
                      ${s.review.status==="pending"?d("review pending","warn"):r}
                      <div class="fine">${p(s.requestType)} · ${c(s.createdAt)}</div>
                    </li>`)}
                </ul>
                <p><a href=${`${i}/work`}>All work, and a new request</a></p>`:u(a`Nothing was asked yet. <a href=${`${i}/work`}>Ask for an evaluation</a>`)}
        </section>
      </div>`}renderUnavailable(e){return e.unavailable.length===0?r:a`<div class="notice" role="status">
      <p>Not there at the moment: ${e.unavailable.join(", ")}. What you see is without it.</p>
      <p><button class="quiet" @click=${()=>{this.refresh()}}>Look again</button></p>
    </div>`}renderWaiting(e){return e.pendingReviews.length===0?r:a`<section class="notice" aria-labelledby="waits">
      <h2 id="waits" class="first">Waiting for your review</h2>
      <ul>
        ${e.pendingReviews.map(t=>a`<li><a href=${`/app/cases/${this.caseId}/work?phase=${t.phaseId}`}>${this.titleOf(e,t.phaseId)}</a>${t.reasons.length>0?a`, which ${v(t.reasons)}`:r}</li>`)}
      </ul>
    </section>`}titleOf(e,t){let i=e.recentPhases.find(s=>s.phaseId===t);return i?.prompt?a`${n(m(i.prompt),this.shown)}`:a`${i?p(i.requestType):"An answer of earlier"}`}renderFacts(e){let t=e.amountInControversy,i=[["Kind",e.matterKind?o(e.matterKind):""],["Area of law",e.practiceAreas.map(s=>s.label||y(s.code)).join(", ")],["Jurisdiction",e.jurisdiction],["Forum",e.forum?[o(e.forum.system),e.forum.courtCode,e.forum.docketLabel].filter(Boolean).join(", "):""],["Our side",f.find(([s])=>s===e.side)?.[1]],["Stage",[e.stage.phase,e.stage.task].filter(Boolean).join(", ")],["In controversy",t?`${new Intl.NumberFormat(void 0,{style:"currency",currency:t.currency}).format(Number(t.amount))} (${o(t.basis).toLowerCase()})`:""],["Supervised by",e.supervision.responsibleUserId],["Privilege",b.find(([s])=>s===e.confidentiality.privilege)?.[1]],["Opened",e.openedOn?h(e.openedOn):""],["Closed",e.closedOn?a`${h(e.closedOn)}, ${o(e.closeReason).toLowerCase()}`:""],["Changed",c(e.updatedAt)]];return a`<dl class="facts">${i.filter(([,s])=>s).map(([s,k])=>a`<dt>${s}</dt><dd>${k}</dd>`)}</dl>`}renderTier(e){let t=e.complexity,i=t.override?.tier??t.tier;return a`<section class="panel" aria-labelledby="tier">
      <h2 id="tier">${i?`Tier ${i}`:"Not rated"} ${t.urgent?d("urgent","bad"):r}</h2>
      <p>
        ${t.override?a`Set by a person: ${n(t.override.reason,this.shown)}. The rules came to ${t.tierName||"no tier"}.`:a`${t.tierName}, score ${t.score.toFixed(0)} of 100, confidence ${t.confidence}.`}
      </p>
      ${t.breakdown.length>0?a`<details>
            <summary>How the score came about</summary>
            <table>
              <thead><tr><th>Feature</th><th>Value</th><th>Points</th></tr></thead>
              <tbody>${t.breakdown.map(s=>a`<tr><td>${o(s.feature)}</td><td>${n(s.value,this.shown)}</td><td>${s.points} of ${s.max}</td></tr>`)}</tbody>
            </table>
          </details>`:r}
      ${t.questions.length>0?a`<p>Open questions:</p><ul>${t.questions.map(s=>a`<li>${n(s,this.shown)}</li>`)}</ul>`:r}
    </section>`}renderChecklist(e){let t=e.checklist;if(!t)return r;let i=t.present+t.missing;return a`<section class="panel" aria-labelledby="checklist">
      <h2 id="checklist">Documents of this stage</h2>
      <p><label for="there">${t.present} of ${i} that are usual in ${t.phase} are there</label> <meter id="there" min="0" max=${i} value=${t.present}></meter></p>
      <p><a href=${`/app/cases/${this.caseId}/work?ask=${encodeURIComponent("Which documents are missing? Show the checklist")}`}>See which are missing</a></p>
    </section>`}};function C(l,e){return a`<li>
    <strong>${h(l.dueOn)}</strong> ${l.status?d(l.status,l.status==="confirmed"?"good":l.status==="missed"?"bad":"warn"):r}
    <div>${n(l.title,e)}</div>
  </li>`}customElements.define("subrosa-case",$);
