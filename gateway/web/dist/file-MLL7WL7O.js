import{a as q}from"./chunk-67EYHX4W.js";import{c as f,d as F,e as P,f as b,g as C,h as B}from"./chunk-ACSOQ46F.js";import"./chunk-ES6PQUQ3.js";import"./chunk-SPW4SN7A.js";import{d as l}from"./chunk-KSPSALBX.js";import"./chunk-V6YAPRTH.js";import{a as T,c as I}from"./chunk-GIPTC7H3.js";import{a as x,c as m,e as $,f as k,g as h,h as S,i as p}from"./chunk-3T4E4FFS.js";import{a as s,c as i}from"./chunk-FXAGWDIM.js";import{h as c,o as w}from"./chunk-OQ4UEFJX.js";var y=2e4,A=3e3,u=class{constructor(t){this.path=t}path;from=0;to=0;total=0;points=[];pages=new Map;async around(t,e,o){let r=Math.max(0,t-A),a=await this.part(r,Math.max(r+y,e+1),o);this.from=a.from,this.to=a.to,this.points=[...a.text]}async earlier(t){let e=await this.part(Math.max(0,this.from-y),this.from,t);this.points=[...e.text,...this.points],this.from=e.from}async later(t){let e=await this.part(this.to,this.to+y,t);this.points=[...this.points,...e.text],this.to=e.to}async part(t,e,o){let r=await c(w(this.path,{from:t,to:e}),{signal:o});this.total=r.total;for(let a of r.pageStarts)this.pages.set(a.start,a.page);return r}pieces(t,e){let o=a=>a>this.from&&a<this.to,r=[...new Set([this.from,this.to,...(e>t?[t,e]:[]).filter(o),...[...this.pages.keys()].filter(o)])].sort((a,n)=>a-n);return r.slice(0,-1).map((a,n)=>({text:this.points.slice(a-this.from,r[n+1]-this.from).join(""),marked:e>t&&a>=t&&a<e,page:this.pages.get(a)??0}))}};var g=new Set(["ok","low_quality"]),v=class extends q{tab="files";file=new T(this,()=>c(this.at,{signal:this.left}));reading;refusal;busy=!1;start=0;end=0;named=!1;get at(){return`/v1/cases/${this.caseId}/files/${this.params.fileId??""}`}connectedCallback(){super.connectedCallback(),this.start=R(this.query.get("from")),this.end=R(this.query.get("to")),this.look(),this.query.get("do")==="named"&&this.nameIt()}async nameIt(){await import("./named-SOP5YHFS.js"),this.named=!0,this.requestUpdate(),await this.updateComplete,this.querySelector("subrosa-named button")?.focus()}async look(){await this.file.run(),g.has(this.file.value?.extraction.status??"")&&await this.load()}async load(){let t=new u(`${this.at}/text`);if(await this.read(()=>t.around(this.start,this.end,this.left)),this.refusal)return;this.reading=t,this.requestUpdate(),await this.updateComplete;let e=this.querySelector("#passage");e?.scrollIntoView({block:"center"}),e?.focus({preventScroll:!0})}async read(t){this.busy=!0,this.refusal=void 0,this.requestUpdate();try{await t()}catch(e){this.left.aborted||(this.refusal=I(e))}finally{this.busy=!1,this.requestUpdate()}}async original(t){this.busy=!0,this.refusal=void 0,this.requestUpdate();let[{saveOriginal:e},{failureOf:o}]=await Promise.all([import("./originals-7VDJLSLO.js"),import("./failure-NKFGUC3N.js")]);try{await e(this.caseId,t,this.left)}catch(r){this.refusal=o(r)}finally{this.busy=!1,this.requestUpdate()}}draw(){return s`<p class="crumb"><a href=${`/app/cases/${this.caseId}/files`}>Files of this case</a></p>
      ${this.file.render(t=>this.renderFile(t))}`}renderFile(t){return s`<div class="between">
        <h2 class="first">${l(t.name,this.shown)}</h2>
        <p class="actions">
          ${t.content?s`<a class="button quiet small" href=${`${this.at}/content`} download=${F(t)}>Save</a>`:i}
          ${t.content?.docx?s`<a class="button quiet small" href=${`${this.at}/content?form=docx`} download=${P(t)}>Save as Word</a>`:i}
          ${t.sealedFileId?s`<button class="quiet small" ?disabled=${this.busy} @click=${()=>{this.original(t.sealedFileId??"")}}>Save the original</button>`:i}
          ${this.named||t.findings.labels.length===0?i:s`<button class="quiet small" @click=${()=>{this.nameIt()}}>Save with real names</button>`}
        </p>
      </div>
      ${this.named?s`<subrosa-named .caseId=${this.caseId} .file=${t}></subrosa-named>`:i}
      <details>
        <summary>${h(t.docType)}, ${p(t.content?.sizeBytes??t.sizeBytes)}${t.agentReadable?i:s` ${S("not read by agents","warn")}`}</summary>
        <dl class="facts">
          <dt>Added</dt>
          <dd>${$(t.createdAt)} by ${t.uploadedBy.kind==="user"?t.uploadedBy.id:`${t.uploadedBy.kind} of ${t.uploadedBy.userId}`}</dd>
          ${t.documentOn?s`<dt>Date of the document</dt><dd>${k(t.documentOn)}</dd>`:i}
          <dt>Type</dt>
          <dd>${h(t.docType)}${t.docTypeBasis==="rule"?", as the service reads it":""}</dd>
          <dt>Privilege</dt>
          <dd>${h(t.privilege)}</dd>
          <dt>Check for identities</dt>
          <dd>${t.deidCheck.status==="attested"?s`attested by ${t.deidCheck.attestedByUserId}`:h(t.deidCheck.status)}, ${$(t.deidCheck.at)}</dd>
          <dt>Labels in it</dt>
          <dd>${t.findings.labels.length>0?l(t.findings.labels.join(" "),this.shown):"none"}</dd>
          <dt>Sent</dt>
          <dd>${p(t.sizeBytes)} of ${t.mediaType}, SHA-256 <code>${t.sha256}</code></dd>
          ${f(t)?s`<dt>Kept</dt><dd>${p(t.content?.sizeBytes??0)} of text, written from what was read (${t.content?.renderer})</dd>`:i}
          ${f(t)||t.sealedFileId?s`<dt>Original</dt><dd>${t.sealedFileId?s`kept, encrypted for your firm; <em>Save the original</em> opens it here`:"not kept"}</dd>`:i}
          ${t.dropped.length>0?s`<dt>Left out</dt><dd>${B(t)}</dd>`:i}
          ${t.supersedesFileId?s`<dt>Before it</dt><dd><a href=${`/app/cases/${this.caseId}/files/${t.supersedesFileId}`}>Version ${t.revision-1}</a></dd>`:i}
        </dl>
      </details>
      ${b(t)?s`<p class="notice">The text is of low quality, since ${b(t)}. Compare it with the document.</p>`:i}
      ${t.unread.count>0?s`<p class="notice">${C(t)}. Whoever reads this text does not know what is there.</p>`:i}
      ${t.content?i:s`<p class="notice">This file was stored before only renditions were kept, and its content is not handed out ${g.has(t.extraction.status)?"until its rendition is made; its text is below":"any more"}.</p>`}
      ${t.deidCheck.status==="refused"?s`<div class="refusal" role="alert"><p>A later check found an identity in this file. Agents do not read it any more. <a href=${`/app/redact?case=${this.caseId}`}>Take it out here</a>, add the result, and delete this file.</p></div>`:i}
      ${this.renderText(t)}`}renderText(t){if(!g.has(t.extraction.status))return s`<p class="empty">${M(t)}</p>`;let e=this.reading;if(!e)return this.refusal?m(this.refusal,()=>{this.load()}):x();let o=e.pieces(this.start,this.end),r=o.findIndex(a=>a.marked);return s`${this.end>this.start&&r<0?s`<p class="notice">The passage is not in this version of the text.</p>`:i}
      ${e.from>0?s`<p><button class="quiet" ?disabled=${this.busy} @click=${()=>{this.read(()=>e.earlier(this.left))}}>Show what stands before</button></p>`:i}
      <article class="document" aria-label=${`Text of ${t.name}`}>${o.map((a,n)=>s`${a.page>1?s`<span class="page">Page ${a.page}</span>`:i}${a.marked?s`<mark id=${n===r?"passage":i} tabindex=${n===r?"-1":i}>${l(a.text,this.shown)}</mark>`:l(a.text,this.shown)}`)}</article>
      ${m(this.refusal)}
      ${e.to<e.total?s`<p><button class="quiet" ?disabled=${this.busy} @click=${()=>{this.read(()=>e.later(this.left))}}>${this.busy?"Loading…":"Show more"}</button> <span class="fine">${Math.round(100*e.to/e.total)} % of the text is here</span></p>`:i}`}};function R(d){return d&&/^[0-9]{1,9}$/.test(d)?Number(d):0}function M(d){switch(d.extraction.status){case"needs_ocr":return"This file is a picture of text; there is no text in it to show. Save it to look at it.";case"encrypted":return"This file is encrypted, so there is no text to show.";case"damaged":return"This file is damaged, and its text could not be read.";default:return"The text of files of this kind is not read. Save it to look at it."}}customElements.define("subrosa-case-file",v);
