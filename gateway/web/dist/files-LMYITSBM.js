import{a as P,b as N}from"./chunk-W2OVFEHY.js";import{d as T}from"./chunk-5OUW52UT.js";import"./chunk-ZRXGDQN4.js";import"./chunk-TAB4D23J.js";import{a as L}from"./chunk-5JI3GB4D.js";import{a as O,b as C,d as g,e as c,f as b}from"./chunk-XG3LFWKV.js";import"./chunk-6CQOPGJP.js";import{a as D,b as M,l as $,m as H}from"./chunk-R52XQWEG.js";import"./chunk-BNOZI4R2.js";import{a as A}from"./chunk-V6YAPRTH.js";import{b as x,c as v}from"./chunk-BHZOCENG.js";import{b as F,e as S,f as R,g as h,h as p,i as m,j as f}from"./chunk-3T4E4FFS.js";import{a,c as o}from"./chunk-FXAGWDIM.js";import{a as q,b as k,l as E,n as I}from"./chunk-7RS2RJXC.js";function j(l,e,t,r){return new Promise((n,s)=>{let i=new XMLHttpRequest,u=()=>i.abort();r.addEventListener("abort",u,{once:!0}),i.open("POST",l),i.setRequestHeader("Accept","application/json"),i.upload.onprogress=d=>d.lengthComputable&&t(d.loaded/d.total),i.onerror=()=>s(new q(0,"unreachable","The connection broke while the file was sent. Nothing was kept; send it again.")),i.onabort=()=>s(new DOMException("left","AbortError")),i.onload=()=>{let d=i.status;d===200||d===201?n(JSON.parse(i.responseText)):k(new Response(d===204||d===304?null:i.responseText,{status:d||500})).then(s,s)},i.onloadend=()=>r.removeEventListener("abort",u),i.send(e)})}var B=25*1024*1024,y=class extends A{static properties={caseId:{attribute:!1}};file;sent=0;sending;refusal;unproved=!1;disconnectedCallback(){super.disconnectedCallback(),this.sending?.abort()}take(e){this.file=e,this.refusal=void 0,this.unproved=!1;let t=this.querySelector("input[name=name]");t&&e&&(t.value=e.name),this.requestUpdate()}async send(e){if(e.preventDefault(),!this.file)return;let{attested:t,...r}=b(e.currentTarget),n=new FormData;n.set("file",this.file,r.name??this.file.name),n.set("metadata",JSON.stringify([{...r,...t&&{attestation:!0}}])),this.sending=new AbortController,this.sent=0,this.refusal=void 0,this.requestUpdate();try{await T(this.file,r,t!==void 0);let{items:s}=await j(`/v1/cases/${this.caseId}/files`,n,u=>{this.sent=u,this.requestUpdate()},this.sending.signal),i=s[0];f(i?.duplicate?`${i.name} is in the case already; nothing was added.`:`${i?.name??"The file"} is in the case.`),this.querySelector("form")?.reset(),this.file=void 0,this.dispatchEvent(new Event("added"))}catch(s){s instanceof DOMException&&s.name==="AbortError"||(this.refusal=v(s))}finally{this.sending=void 0,this.requestUpdate()}}render(){let e=this.sending!==void 0,t=(this.file?.size??0)>B;this.unproved||=this.refusal?.code==="identity_unverifiable";let r=this.unproved;return a`<section class="panel" aria-labelledby="add-file">
      <h2 id="add-file" class="first">Add a file</h2>
      <p>A file with names in it goes through <a href=${`/app/redact?case=${this.caseId}`}>Take identities out of a document</a>, which puts labels in their place before anything is sent. Here you add one that holds labels already; the service checks it.</p>
      ${this.refusal?.code==="identity_refused"?this.renderFindings(this.refusal):g(this.refusal)}
      <form @submit=${n=>{this.send(n)}}>
        <div class="field">
          <label for="file">File</label>
          <input id="file" type="file" required accept=".txt,.md,.html,.csv,.json,.eml,.pdf,.docx,.png,.jpg,.jpeg,.tif,.tiff" ?disabled=${e} aria-describedby="file-says" @change=${n=>this.take(n.currentTarget.files?.[0])} />
          <p class="fine" id="file-says">${this.file?`${m(this.file.size)}${t?": too big, a file has at most 25 MB":""}`:"PDF, Word, text, e-mail or picture; at most 25 MB"}</p>
        </div>
        ${this.file?a`<div class="filters">
                <div class="field">
                  <label for="f-name">Name in the case</label>
                  <input id="f-name" name="name" maxlength="180" required .value=${this.file.name} aria-describedby="problem-name" />
                  ${C(this.refusal,"name",this.file.name)}
                </div>
                ${c("docType","Type",$.map(n=>[n,h(n)]),"","Have it guessed")}
                <div class="field"><label for="f-on">Date of the document</label><input id="f-on" name="documentOn" type="date" /></div>
                ${c("privilege","Privilege",H,"","As the case")}
              </div>
              ${r||this.file.type.startsWith("image/")?a`<div class="field"><label class="check"><input type="checkbox" name="attested" value="true" required />I have looked at every page and found no identity. Agents will never read this file.</label></div>`:o}`:o}
        ${e?a`<p role="status"><progress max="1" .value=${this.sent}></progress> ${this.sent<1?`${Math.round(this.sent*100)} % sent`:"Sent; the service reads and checks it…"}</p>`:o}
        <p class="actions">
          <button ?disabled=${e||!this.file||t}>Add the file</button>
          ${e?a`<button type="button" class="quiet" @click=${()=>this.sending?.abort()}>Stop</button>`:o}
        </p>
      </form>
    </section>`}renderFindings(e){return a`<div class="refusal" role="alert">
      <p>${e.message}</p>
      <ul>
        ${e.details.slice(0,10).map(t=>a`<li>${U(t)}: ${O(t,t.path==="name"?this.file?.name:"")}</li>`)}
      </ul>
      ${e.details.length>10?a`<p>And ${e.details.length-10} more places.</p>`:o}
      <p><a href=${`/app/redact?case=${this.caseId}`}>Take identities out of this document here</a>, or clear there what is none.</p>
    </div>`}};function U(l){let e=(l.path??"text").replace(/^files?\[\d+\]\./,""),t=l.start===void 0||e==="name"?"":`, at byte ${l.start}`;return`${e==="text"?"Text":h(e.replace(/^metadata\./,"metadata: "))}${t}`}customElements.define("subrosa-upload",y);var z=["q","docType","status","sort"],W=[["name","Name"],["documentOn","Date of the document"],["createdAt","Oldest first"],["relevance","Best match"]],w=class extends P{tab="files";chosen={};list=new x(this,()=>`/v1/cases/${this.caseId}/files`,()=>({...this.chosen,sort:this.chosen.sort??(this.chosen.q?"relevance":"")}),()=>this.left);typing=0;ending;refusal;connectedCallback(){super.connectedCallback();for(let e of z){let t=this.query.get(e);t&&(this.chosen[e]=t)}this.list.restart()}disconnectedCallback(){super.disconnectedCallback(),clearTimeout(this.typing)}soon(e){let t=e.currentTarget.closest("form");clearTimeout(this.typing),this.typing=setTimeout(()=>this.choose(t),e.type==="change"?0:300)}choose(e){let t=b(e);t.sort==="relevance"&&!t.q&&delete t.sort,this.chosen=t,this.list.restart().then(r=>{r&&this.isConnected&&history.replaceState(null,"",I(location.pathname,{...t,do:this.query.get("do")??""}))})}async end(e){e.preventDefault();let t=this.ending;if(t){try{await E(`/v1/cases/${this.caseId}/files/${t.fileId}`,{ifMatch:N(t.version)}),this.querySelector("#ending")?.close(),f(`${t.name} is deleted.`),await Promise.all([this.list.restart(),this.refresh()])}catch(r){this.refusal=v(r),await this.list.restart(),this.ending=this.list.items.find(n=>n.fileId===t.fileId)??t}this.requestUpdate()}}async ask(e){this.ending=e,this.refusal=void 0,this.requestUpdate(),await this.updateComplete,this.querySelector("#ending")?.showModal()}draw(e){let t=s=>this.chosen[s]??"",r=this.query.get("do")==="delete",n=this.query.get("do")==="named";return a`${r?a`<div class="notice"><p>Choose the file to delete. Agents cannot delete files; you can, and it goes on record.</p></div>`:o}
      ${n?a`<div class="notice"><p>Choose the file to save with real names. The names are filled in by this browser, and the result goes to your machine alone.</p></div>`:o}
      <form class="filters" role="search" @change=${s=>this.soon(s)} @submit=${s=>(s.preventDefault(),this.choose(s.currentTarget))}>
        <div class="field">
          <label for="q">Words in the files</label>
          <input id="q" name="q" type="search" maxlength="200" .value=${t("q")} placeholder='words, or "a phrase"' />
        </div>
        ${c("docType","Type",$.map(s=>[s,h(s)]),t("docType"),"Any")}
        ${c("status","State",[["superseded","Replaced by a newer version"],["deleted","Deleted"]],t("status"),"In use")} ${c("sort","Order",W,t("sort"),"Newest first")}
      </form>
      ${this.list.render(s=>a`<ul class="rows">${s.map(i=>this.renderFile(i,r,n))}</ul>`,F(Object.keys(this.chosen).length>0?a`No file fits. <a href=${`/app/cases/${this.caseId}/files`}>Show all files</a>`:"No file yet. Add one below, after its identities were taken out."))}
      ${this.writable&&e.permissions.canUpload?a`<subrosa-upload .caseId=${this.caseId} @added=${()=>{Promise.all([this.list.restart(),this.refresh()])}}></subrosa-upload>`:a`<p class="fine">This case takes no files at the moment.</p>`}
      ${this.renderEnding()}`}renderFile(e,t,r){let n=`/app/cases/${this.caseId}/files/${e.fileId}`,s=[h(e.docType),m(e.sizeBytes),e.extraction.pages?`${e.extraction.pages} ${e.extraction.pages===1?"page":"pages"}`:"",e.revision>1?`version ${e.revision}`:""].filter(Boolean);return a`<li>
      <div class="between">
        <a class="strong" href=${r?`${n}?do=named`:n}>${D(e.name,this.shown)}</a>
        <span class="badges">
          ${e.source.origin==="generated"?p("draft by software"):o} ${e.deidCheck.status==="refused"?p("holds an identity","bad"):o}
          ${e.agentReadable?o:p("not read by agents","warn")} ${e.status==="active"?o:p(e.status)}
        </span>
      </div>
      <div class="between fine">
        <span>${s.join(" · ")}${e.documentOn?a` · of ${R(e.documentOn)}`:o}</span>
        <span>Added ${S(e.createdAt)}</span>
      </div>
      ${e.hits?.map(i=>a`<blockquote class="quotation"><p>${M(i.quote,this.chosen.q??"",this.shown)}</p><footer><a href=${L(this.caseId,i)}>${i.page?`Open at page ${i.page}`:"Open there"}</a></footer></blockquote>`)}
      <p class="actions">
        <a class="button quiet small" href=${`/v1/cases/${this.caseId}/files/${e.fileId}/content`} download=${e.name}>Save</a>
        ${r?a`<a class="button small" href=${`${n}?do=named`}>Save with names</a>`:o}
        ${e.status==="active"&&this.writable?a`<button class=${t?"danger small":"plain small"} @click=${()=>{this.ask(e)}}>Delete</button>`:o}
      </p>
    </li>`}renderEnding(){return a`<dialog id="ending" aria-labelledby="ending-title">
      <form @submit=${e=>{this.end(e)}}>
        <h2 id="ending-title">Delete ${this.ending?.name}?</h2>
        ${g(this.refusal)}
        <p>It leaves the case at once, and no agent reads it any more. That it was here, and who deleted it, stays on record. Answers that quote it keep their quotations.</p>
        <p class="actions"><button class="danger">Delete</button><button type="button" class="quiet" @click=${()=>this.querySelector("#ending")?.close()}>Keep it</button></p>
      </form>
    </dialog>`}};customElements.define("subrosa-case-files",w);
