import{a as w,b as k,c as Q}from"./chunk-FQ7T6TDN.js";import{b as Y,d as P}from"./chunk-RZTTKYRD.js";import{a as c,c as M,o as _,q as T,r as K}from"./chunk-VVH75MOE.js";import{a as b}from"./chunk-V6YAPRTH.js";import{c as y}from"./chunk-HHVSBVEH.js";import{a as N,c as C,d as U,e as g,f as B,g as f,h as v,j as W}from"./chunk-3T4E4FFS.js";import{a as i,c as l}from"./chunk-FXAGWDIM.js";import{g as F,i as L,n as R,o as O,p as H}from"./chunk-JSTTPKKL.js";function I(r,e){return i`<div class="answer">${q(r.split(`
`),e)}</div>`}var m=/^(\s*)([-*]|[0-9]{1,9}[.)])\s+(.*)$/,x=/^\s*\|.*\|\s*$/,X=/^\s*\|[\s:|-]+\|\s*$/;function q(r,e){let s=[],t=0,a=n=>r[n]??"",h=n=>{let u=t;for(;t<r.length&&!n(a(t));)t++;return r.slice(u,t)};for(;t<r.length;){let n=a(t),u=/^(#{1,6})\s+(.*?)\s*#*$/.exec(n);if(n.trim()==="")t++;else if(u){let o=p(u[2],e);s.push(u[1].length<4?i`<h4>${o}</h4>`:i`<h5>${o}</h5>`),t++}else if(/^\s*```/.test(n)){t++;let o=h(d=>/^\s*```/.test(d));t++,s.push(i`<pre>${o.join(`
`)}</pre>`)}else if(/^\s*(-{3,}|\*{3,})\s*$/.test(n))s.push(i`<hr />`),t++;else if(x.test(n)&&X.test(a(t+1))){let o=h(d=>!x.test(d));s.push(te(o,e))}else if(/^\s*>/.test(n)){let o=h(d=>!/^\s*>/.test(d));s.push(i`<blockquote class="quotation">${q(o.map(d=>d.replace(/^\s*> ?/,"")),e)}</blockquote>`)}else if(m.test(n)){let o=t;t++,h(d=>d.trim()===""?!/^\s{2,}\S/.test(a(t+1))&&!m.test(a(t+1)):!m.test(d)&&!/^\s{2,}\S/.test(d)),s.push(Z(r.slice(o,t),e))}else{let o=h(d=>d.trim()===""||/^(#{1,6}\s|\s*>|\s*```)/.test(d)||m.test(d)||x.test(d));o.length===0&&o.push(a(t++)),s.push(i`<p>${p(o.join(`
`),e)}</p>`)}}return s}function Z(r,e){let s=(m.exec(r[0]??"")?.[1]??"").length,t=/^\s*[0-9]/.test(r[0]??""),a=Number(/[0-9]+/.exec(r[0]??"")?.[0]??1),h=[];for(let u of r){let o=m.exec(u);o&&o[1].length<=s?h.push([o[3]]):h.at(-1)?.push(u.replace(new RegExp(`^\\s{0,${s+2}}`),""))}let n=h.map(u=>i`<li>${u.length===1?p(u[0],e):ee(u,e)}</li>`);return t?i`<ol start=${a}>${n}</ol>`:i`<ul>${n}</ul>`}function ee(r,e){let s=r.findIndex((a,h)=>h>0&&(a.trim()===""||m.test(a)||x.test(a)||/^\s*>/.test(a))),t=s<0?r:r.slice(0,s);return[p(t.join(`
`),e),...s<0?[]:q(r.slice(s),e)]}function V(r){return r.trim().replace(/^\|/,"").replace(/(?<!\\)\|$/,"").split(/(?<!\\)\|/).map(e=>e.trim())}function te(r,e){let[s,,...t]=r;return i`<div class="scroll" tabindex="0" role="region" aria-label="Table">
    <table>
      <thead><tr>${V(s??"").map(a=>i`<th scope="col">${p(a,e)}</th>`)}</tr></thead>
      <tbody>${t.map(a=>i`<tr>${V(a).map(h=>i`<td>${p(h,e)}</td>`)}</tr>`)}</tbody>
    </table>
  </div>`}var se=/\\([!-/:-@[-`{-~])|\*\*(.+?)\*\*|(?<![\p{L}\p{N}*])\*([^\s*](?:[^*]*[^\s*])?)\*|`([^`]+)`|\[([0-9]{1,4})\]/gsu;function p(r,e){let s=[],t="",a=0,h=()=>{t!==""&&s.push(c(t,e.shown)),t=""};for(let n of r.matchAll(se)){t+=r.slice(a,n.index),a=n.index+n[0].length;let[u,o,d,D,E,$]=n,A=$===void 0?void 0:e.source(Number($));if(o!==void 0){t+=o;continue}if($!==void 0&&A===void 0){t+=u;continue}h(),d!==void 0?s.push(i`<strong>${p(d,e)}</strong>`):D!==void 0?s.push(i`<em>${p(D,e)}</em>`):E!==void 0?s.push(i`<code>${E}</code>`):s.push(i`<a class="source" href=${A} aria-label=${`Source ${$}`}>${$}</a>`)}return t+=r.slice(a),h(),s}var S=class extends b{static properties={phase:{attribute:!1},caseId:{attribute:!1},shown:{attribute:!1}};doing="";refusal;busy=!1;key=O();text={amended:"",rejected:"",comment:""};async begin(e){this.doing=e,this.refusal=void 0,e==="amended"&&this.text.amended===""&&(this.text.amended=this.phase.response?.text??""),this.requestUpdate(),await this.updateComplete,this.querySelector("textarea")?.focus()}typed(e){this.doing&&(this.text[this.doing]=e.currentTarget.value)}async decide(e,s){this.busy=!0,this.refusal=void 0,this.requestUpdate();try{let t=await L(`/v1/phases/${this.phase.phaseId}/review`,e,{key:this.key});this.doing="",this.text.comment="",W(s),this.dispatchEvent(new CustomEvent("decided",{detail:t,bubbles:!0}))}catch(t){this.refusal=y(t)}finally{this.key=H(this.key,this.refusal),this.busy=!1,this.requestUpdate()}}submit(e){e.preventDefault(),this.doing==="amended"?this.decide({decision:"amended",amendedText:this.text.amended},"Amended. Your text stands in the place of the agent’s."):this.doing==="rejected"?this.decide({decision:"rejected",note:this.text.rejected},"Rejected, with your reason on record."):this.doing==="comment"&&this.decide({comment:this.text.comment},"Your comment is on record.")}render(){let e=this.phase.review;return i`<section class="review" aria-label="Review">
      ${e.status==="pending"?this.renderPending():this.renderDecided()}
      ${e.comments?.map(s=>i`<blockquote class="quotation"><p>${c(s.text,this.shown)}</p><footer>${s.userId}, ${g(s.at)}</footer></blockquote>`)}
      ${this.doing?this.renderForm():i`<p class="actions"><button class="plain" @click=${()=>{this.begin("comment")}}>Comment</button></p>`}
    </section>`}renderPending(){let e=this.phase.response?.humanReview.reasons??[];return i`<h4>Your decision</h4>
      <p>${e.length>0?`This ${K(e)}, so nobody relies on it before a person has decided.`:"Nobody relies on it before a person has decided."} What you approve is exactly what stands here.</p>
      ${this.doing?l:P(this.refusal,this.caseId)}
      <p class="actions">
        <button ?disabled=${this.busy} @click=${()=>{this.decide({decision:"approved"},"Approved, with your name on record.")}}>Approve</button>
        <button class="quiet" ?disabled=${this.busy} aria-expanded=${this.doing==="amended"?"true":"false"} @click=${()=>{this.begin("amended")}}>Amend…</button>
        <button class="danger" ?disabled=${this.busy} aria-expanded=${this.doing==="rejected"?"true":"false"} @click=${()=>{this.begin("rejected")}}>Reject…</button>
      </p>`}renderDecided(){let e=this.phase.review;return e.reviewerUserId?i`<p class="fine">${f(e.status)} by ${e.reviewerUserId}, ${g(e.at)}</p>
      ${e.note?i`<p>Reason: ${c(e.note,this.shown)}</p>`:l}`:l}renderForm(){let e=this.doing,[s,t,a,h]={amended:["The text as it should stand, with labels in the place of names",1e5,"amendedText","Amend"],rejected:["Why you reject it",2e3,"note","Reject"],comment:["Comment",1e3,"comment","Comment"]}[e],n=`${e}-${this.phase.phaseId}`;return i`<form @submit=${u=>this.submit(u)}>
      ${P(this.refusal,this.caseId)}
      <div class="field">
        <label for=${n}>${s}</label>
        <textarea id=${n} class=${e==="amended"?"tall":""} required maxlength=${t} .value=${this.text[e]} aria-describedby=${`problem-${a}`} @input=${u=>this.typed(u)}></textarea>
        ${Y(this.refusal,a,this.text[e])}
      </div>
      <p class="actions"><button class=${e==="rejected"?"danger":""} ?disabled=${this.busy}>${h}</button><button type="button" class="quiet" @click=${()=>{this.begin("")}}>Cancel</button></p>
    </form>`}};customElements.define("subrosa-review",S);var j=class extends b{static properties={phase:{attribute:!1},caseId:{attribute:!1},files:{attribute:!1},shown:{attribute:!1},open:{type:Boolean},level:{type:Number}};refusal;reading=!1;constructor(){super(),this.open=!1,this.level=3}willUpdate(){this.open&&!this.reading&&!this.refusal&&!J(this.phase)&&G(this.phase)&&this.read()}async read(){this.reading=!0,this.refusal=void 0;try{this.phase=await F(R("/v1/phases",{phaseId:this.phase.phaseId}))}catch(e){this.refusal=y(e)}finally{this.reading=!1,this.requestUpdate()}}decided(e){this.phase=e.detail}render(){let e=this.phase,s=i`<button class="plain title" aria-expanded=${this.open?"true":"false"} @click=${()=>this.open=!this.open}>${e.prompt?c(M(e.prompt,this.open?400:120),this.shown):T(e.requestType)}</button>`;return i`<article class="panel phase" id=${`phase-${e.phaseId}`}>
      <div class="between">
        ${this.level===4?i`<h4 class="first">${s}</h4>`:i`<h3 class="first">${s}</h3>`}
        <span class="badges">${v(e.status,_(e))} ${re(e)}</span>
      </div>
      <p class="fine">${T(e.requestType)} ${e.sequence} · ${g(e.createdAt)}${e.createdBy?` · by ${e.createdBy.kind==="user"?e.createdBy.id:`the ${e.createdBy.kind} of ${e.createdBy.userId}`}`:l}${ie(e)}</p>
      ${this.open?this.renderWhole():l}
    </article>`}renderWhole(){let e=this.phase;if(!G(e))return i`<p>It is still at work.</p>`;if(this.refusal)return C(this.refusal,()=>{this.read()});if(!J(e))return N();let s=e.review.status==="amended"?e.review.amendedText:void 0;return i`${e.error?i`<div class="refusal"><p>${e.error.message}</p>${e.error.retryable?i`<p>Ask again: it may go through the next time.</p>`:l}</div>`:l}
      ${s?i`<h4>As amended by ${e.review.reviewerUserId}</h4>
            ${I(s,this.drawing(e.response))}
            <details><summary>What the agent wrote</summary>${this.renderResponse(e.response)}</details>`:this.renderResponse(e.response)}
      <subrosa-review .phase=${e} .caseId=${this.caseId} .shown=${this.shown} @decided=${t=>this.decided(t)}></subrosa-review>`}drawing(e){let s=new Map(e?.citations.map(t=>[t.n,w(this.caseId,t.source)]));return{source:t=>s.get(t),shown:this.shown}}renderResponse(e){return e?i`${e.refusal?i`<div class="notice"><p>${e.refusal.reason}</p><p><a href=${U(e.refusal.deepLink)}>Do it here</a></p></div>`:l} ${I(e.text,this.drawing(e))}
      ${this.renderDrafts(e)} ${this.renderProposals("Deadlines that it proposed",e.deadlines)} ${this.renderProposals("Entries that it proposed for the timeline",e.entries)} ${this.renderScore(e)}
      ${z("Questions that are open",e.questions,this.shown)} ${z("What it could not do",e.limits,this.shown)} ${this.renderSources(e)} ${this.renderNext(e)}`:l}renderDrafts(e){return e.drafts?.length?i`<h4>Drafts</h4>
      <ul>
        ${e.drafts.map(s=>{let t=`/app/cases/${this.caseId}/files/${s.fileId}`;return i`<li><a href=${t}>${this.files.get(s.fileId)??f(s.docType)}</a>, with ${s.placeholders.length} places to fill in · <a href=${`${t}?do=named`}>Save with real names</a></li>`})}
      </ul>`:l}renderProposals(e,s){return s?.length?i`<details>
      <summary>${e} (${s.length})</summary>
      <ul>
        ${s.map(t=>i`<li><strong>${B(t.dueOn??t.when?.on)}</strong> ${c(t.title,this.shown)} ${t.sources?.[0]?i`<a href=${w(this.caseId,t.sources[0])}>${k(t.sources[0],this.files)}</a>`:l}</li>`)}
      </ul>
      <p><a href=${`/app/cases/${this.caseId}/timeline?reviewStatus=unreviewed`}>Confirm or reject them in the timeline</a></p>
    </details>`:l}renderScore(e){let s=e.evaluation;return!s||s.breakdown.length===0?l:i`<details>
      <summary>How the score of ${s.score.toFixed(0)} came about</summary>
      <div class="scroll" tabindex="0" role="region" aria-label="Table of the score">
        <table>
          <thead><tr><th scope="col">Feature</th><th scope="col">Value</th><th scope="col">Points</th><th scope="col">Rests on</th></tr></thead>
          <tbody>
            ${s.breakdown.map(t=>i`<tr>
                <td>${f(t.feature)}</td>
                <td>${c(t.value,this.shown)}</td>
                <td>${t.points} of ${t.max}</td>
                <td>${t.sources.length>0?t.sources.slice(0,3).map(a=>i`<a href=${w(this.caseId,a)}>${k(a,this.files)}</a> `):f(t.basis)}</td>
              </tr>`)}
          </tbody>
        </table>
      </div>
    </details>`}renderSources(e){return e.citations.length===0?l:i`<details>
      <summary>Sources (${e.citations.length})</summary>
      <ol class="sources">
        ${e.citations.map(s=>i`<li value=${s.n}>${Q(this.caseId,s.source,this.files,this.shown)}</li>`)}
      </ol>
    </details>`}renderNext(e){return e.suggestedNext.length===0?l:i`<h4>Ask next</h4>
      <ul>
        ${e.suggestedNext.slice(0,5).map(s=>i`<li><a href=${R(`/app/cases/${this.caseId}/work`,{ask:s.prompt,type:s.requestType==="eval_req"?"eval_req":""})}>${c(s.prompt,this.shown)}</a></li>`)}
      </ul>`}};function z(r,e,s){return e.length===0?l:i`<h4>${r}</h4>
    <ul>${e.map(t=>i`<li>${c(t,s)}</li>`)}</ul>`}function ie(r){return r.engine?r.engine.mode==="model"?` · with the language model ${r.engine.model?.name??""}`:" · by rules, without a language model":""}function re(r){switch(r.review.status){case"pending":return v("waits for review","warn");case"approved":case"amended":return v(r.review.status,"good");case"rejected":return v("rejected","bad");default:return l}}function G(r){return!["queued","running","interrupted"].includes(r.status)}function J(r){return"requestSha256"in r}customElements.define("subrosa-phase",j);export{I as a};
