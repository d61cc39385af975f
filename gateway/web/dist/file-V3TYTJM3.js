import{a as S}from"./chunk-W2OVFEHY.js";import"./chunk-6CQOPGJP.js";import{a as h}from"./chunk-R52XQWEG.js";import"./chunk-BNOZI4R2.js";import"./chunk-V6YAPRTH.js";import{a as x,c as k}from"./chunk-BHZOCENG.js";import{a as g,c,e as m,f as y,g as l,h as v,i as w}from"./chunk-3T4E4FFS.js";import{a,c as r}from"./chunk-FXAGWDIM.js";import{g as u,n as $}from"./chunk-7RS2RJXC.js";var f=2e4,q=3e3,p=class{constructor(t){this.path=t}path;from=0;to=0;total=0;points=[];pages=new Map;async around(t,e,o){let i=Math.max(0,t-q),s=await this.part(i,Math.max(i+f,e+1),o);this.from=s.from,this.to=s.to,this.points=[...s.text]}async earlier(t){let e=await this.part(Math.max(0,this.from-f),this.from,t);this.points=[...e.text,...this.points],this.from=e.from}async later(t){let e=await this.part(this.to,this.to+f,t);this.points=[...this.points,...e.text],this.to=e.to}async part(t,e,o){let i=await u($(this.path,{from:t,to:e}),{signal:o});this.total=i.total;for(let s of i.pageStarts)this.pages.set(s.start,s.page);return i}pieces(t,e){let o=s=>s>this.from&&s<this.to,i=[...new Set([this.from,this.to,...(e>t?[t,e]:[]).filter(o),...[...this.pages.keys()].filter(o)])].sort((s,n)=>s-n);return i.slice(0,-1).map((s,n)=>({text:this.points.slice(s-this.from,i[n+1]-this.from).join(""),marked:e>t&&s>=t&&s<e,page:this.pages.get(s)??0}))}};var T=new Set(["ok","low_quality"]),b=class extends S{tab="files";file=new x(this,()=>u(this.at,{signal:this.left}));reading;refusal;busy=!1;start=0;end=0;named=!1;get at(){return`/v1/cases/${this.caseId}/files/${this.params.fileId??""}`}connectedCallback(){super.connectedCallback(),this.start=I(this.query.get("from")),this.end=I(this.query.get("to")),this.look(),this.query.get("do")==="named"&&this.nameIt()}async nameIt(){await import("./named-M45EZVYK.js"),this.named=!0,this.requestUpdate(),await this.updateComplete,this.querySelector("subrosa-named button")?.focus()}async look(){await this.file.run(),T.has(this.file.value?.extraction.status??"")&&await this.load()}async load(){let t=new p(`${this.at}/text`);if(await this.read(()=>t.around(this.start,this.end,this.left)),this.refusal)return;this.reading=t,this.requestUpdate(),await this.updateComplete;let e=this.querySelector("#passage");e?.scrollIntoView({block:"center"}),e?.focus({preventScroll:!0})}async read(t){this.busy=!0,this.refusal=void 0,this.requestUpdate();try{await t()}catch(e){this.left.aborted||(this.refusal=k(e))}finally{this.busy=!1,this.requestUpdate()}}async original(t){this.busy=!0,this.refusal=void 0,this.requestUpdate();let[{saveOriginal:e},{failureOf:o}]=await Promise.all([import("./originals-GL5R3BMR.js"),import("./failure-4MEZQXK6.js")]);try{await e(this.caseId,t,this.left)}catch(i){this.refusal=o(i)}finally{this.busy=!1,this.requestUpdate()}}draw(){return a`<p class="crumb"><a href=${`/app/cases/${this.caseId}/files`}>Files of this case</a></p>
      ${this.file.render(t=>this.renderFile(t))}`}renderFile(t){return a`<div class="between">
        <h2 class="first">${h(t.name,this.shown)}</h2>
        <p class="actions">
          <a class="button quiet small" href=${`${this.at}/content`} download=${t.name}>Save</a>
          ${t.sealedFileId?a`<button class="quiet small" ?disabled=${this.busy} @click=${()=>{this.original(t.sealedFileId??"")}}>Save the original</button>`:r}
          ${this.named||t.findings.labels.length===0?r:a`<button class="quiet small" @click=${()=>{this.nameIt()}}>Save with real names</button>`}
        </p>
      </div>
      ${this.named?a`<subrosa-named .caseId=${this.caseId} .file=${t}></subrosa-named>`:r}
      <details>
        <summary>${l(t.docType)}, ${w(t.sizeBytes)}${t.agentReadable?r:a` ${v("not read by agents","warn")}`}</summary>
        <dl class="facts">
          <dt>Added</dt>
          <dd>${m(t.createdAt)} by ${t.uploadedBy.kind==="user"?t.uploadedBy.id:`${t.uploadedBy.kind} of ${t.uploadedBy.userId}`}</dd>
          ${t.documentOn?a`<dt>Date of the document</dt><dd>${y(t.documentOn)}</dd>`:r}
          <dt>Type</dt>
          <dd>${l(t.docType)}${t.docTypeBasis==="rule"?", as the service reads it":""}</dd>
          <dt>Privilege</dt>
          <dd>${l(t.privilege)}</dd>
          <dt>Check for identities</dt>
          <dd>${t.deidCheck.status==="attested"?a`attested by ${t.deidCheck.attestedByUserId}`:l(t.deidCheck.status)}, ${m(t.deidCheck.at)}</dd>
          <dt>Labels in it</dt>
          <dd>${t.findings.labels.length>0?h(t.findings.labels.join(" "),this.shown):"none"}</dd>
          <dt>SHA-256</dt>
          <dd><code>${t.sha256}</code></dd>
          ${t.supersedesFileId?a`<dt>Before it</dt><dd><a href=${`/app/cases/${this.caseId}/files/${t.supersedesFileId}`}>Version ${t.revision-1}</a></dd>`:r}
        </dl>
      </details>
      ${t.deidCheck.status==="refused"?a`<div class="refusal" role="alert"><p>A later check found an identity in this file. Agents do not read it any more. <a href=${`/app/redact?case=${this.caseId}`}>Take it out here</a>, add the result, and delete this file.</p></div>`:r}
      ${this.renderText(t)}`}renderText(t){if(!T.has(t.extraction.status))return a`<p class="empty">${F(t)}</p>`;let e=this.reading;if(!e)return this.refusal?c(this.refusal,()=>{this.load()}):g();let o=e.pieces(this.start,this.end),i=o.findIndex(s=>s.marked);return a`${this.end>this.start&&i<0?a`<p class="notice">The passage is not in this version of the text.</p>`:r}
      ${e.from>0?a`<p><button class="quiet" ?disabled=${this.busy} @click=${()=>{this.read(()=>e.earlier(this.left))}}>Show what stands before</button></p>`:r}
      <article class="document" aria-label=${`Text of ${t.name}`}>${o.map((s,n)=>a`${s.page>1?a`<span class="page">Page ${s.page}</span>`:r}${s.marked?a`<mark id=${n===i?"passage":r} tabindex=${n===i?"-1":r}>${h(s.text,this.shown)}</mark>`:h(s.text,this.shown)}`)}</article>
      ${c(this.refusal)}
      ${e.to<e.total?a`<p><button class="quiet" ?disabled=${this.busy} @click=${()=>{this.read(()=>e.later(this.left))}}>${this.busy?"Loading…":"Show more"}</button> <span class="fine">${Math.round(100*e.to/e.total)} % of the text is here</span></p>`:r}`}};function I(d){return d&&/^[0-9]{1,9}$/.test(d)?Number(d):0}function F(d){switch(d.extraction.status){case"needs_ocr":return"This file is a picture of text; there is no text in it to show. Save it to look at it.";case"encrypted":return"This file is encrypted, so there is no text to show.";case"damaged":return"This file is damaged, and its text could not be read.";default:return"The text of files of this kind is not read. Save it to look at it."}}customElements.define("subrosa-case-file",b);
