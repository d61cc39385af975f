import{e as J}from"./chunk-RRLU6A3P.js";import"./chunk-UXGOSSVE.js";import"./chunk-ATSC2APW.js";import{a as W,b as U}from"./chunk-67EYHX4W.js";import{b as z,d as j,g as K}from"./chunk-ACSOQ46F.js";import"./chunk-TAB4D23J.js";import{a as N}from"./chunk-TRPEKIAY.js";import{a as H}from"./chunk-ES6PQUQ3.js";import{a as L,b as P,d as w,e as c,f as T}from"./chunk-F73WSRDH.js";import"./chunk-SPW4SN7A.js";import{d as O,e as C,o as k,p as B}from"./chunk-KSPSALBX.js";import{a as M}from"./chunk-V6YAPRTH.js";import{b as D,c as y}from"./chunk-GIPTC7H3.js";import{b as R,e as x,f as A,g as p,h as u,i as $,j as b}from"./chunk-3T4E4FFS.js";import{a,c as o}from"./chunk-FXAGWDIM.js";import{b as g,c as S,m as v,o as I}from"./chunk-OQ4UEFJX.js";function _(d,e,t,n){return new Promise((s,i)=>{let r=new XMLHttpRequest,f=()=>r.abort();n.addEventListener("abort",f,{once:!0}),r.open("POST",d),r.setRequestHeader("Accept","application/json"),r.upload.onprogress=l=>l.lengthComputable&&t(l.loaded/l.total),r.onerror=()=>i(new g(0,"unreachable","The connection broke while the file was sent. Nothing was kept; send it again.")),r.onabort=()=>i(new DOMException("left","AbortError")),r.onload=()=>{let l=r.status;l===200||l===201?s(JSON.parse(r.responseText)):S(new Response(l===204||l===304?null:r.responseText,{status:l||500})).then(i,i)},r.onloadend=()=>n.removeEventListener("abort",f),r.send(e)})}var X=25*1024*1024,q=class extends M{static properties={caseId:{attribute:!1}};file;sent=0;sending;refusal;unproved=!1;open=!1;unread;disconnectedCallback(){super.disconnectedCallback(),this.sending?.abort()}take(e){this.file=e,this.refusal=void 0,this.unread=void 0,H().then(n=>{this.open=n.state==="open",this.requestUpdate()}),this.unproved=!1;let t=this.querySelector("input[name=name]");t&&e&&(t.value=e.name),this.requestUpdate()}async send(e){if(e.preventDefault(),!this.file)return;let{attested:t,original:n,...s}=T(e.currentTarget);this.sending=new AbortController,this.sent=0,this.refusal=void 0,this.requestUpdate();try{await J(this.file,s,t!==void 0);let i=n?await this.seal(this.file,s.name??this.file.name):void 0,r=await this.sendWith(this.file,s,t!==void 0,i);this.unread=r&&r.unread.count>0?r:void 0,b(G(s.name??this.file.name,r,i)),this.querySelector("form")?.reset(),this.file=void 0,this.dispatchEvent(new Event("added"))}catch(i){i instanceof DOMException&&i.name==="AbortError"||(this.refusal=y(i))}finally{this.sending=void 0,this.requestUpdate()}}async seal(e,t){let{keepOriginal:n}=await import("./keep-5TZA5PLV.js"),s=new Uint8Array(await e.arrayBuffer());return n(this.caseId,`${t.replace(/\.[a-z]+$/i,"")}.sealed`,{name:e.name,mediaType:e.type||"application/octet-stream",content:s})}async sendWith(e,t,n,s){let i=new FormData,r={...t,...n&&{attestation:!0},...s&&{sealedFileId:s}};i.set("metadata",JSON.stringify([r])),i.set("file",e,t.name??e.name);let f=h=>{this.sent=h,this.requestUpdate()},l=this.sending?.signal??new AbortController().signal,F=()=>v(`/v1/cases/${this.caseId}/files/${s}`).catch(()=>{}),m;try{m=(await _(`/v1/cases/${this.caseId}/files`,i,f,l)).items[0]}catch(h){let V=h instanceof g&&h.status>=400&&h.status<500;throw s&&V&&await F(),h}return s&&m?.duplicate&&m.sealedFileId!==s&&await F(),m}render(){let e=this.sending!==void 0,t=(this.file?.size??0)>X;this.unproved||=this.refusal?.code==="identity_unverifiable";let n=this.unproved;return a`<section class="panel" aria-labelledby="add-file">
      <h2 id="add-file" class="first">Add a file</h2>
      <p>A file with names in it goes through <a href=${`/app/redact?case=${this.caseId}`}>Take identities out of a document</a>, which puts labels in their place before anything is sent. Here you add one that holds labels already; the service checks it.</p>
      ${this.unread?a`<p class="notice" role="status"><strong>${this.unread.name}</strong>: ${K(this.unread)}. Keep your own copy of the file, or add what stands there as a text.</p>`:o}
      ${this.refusal?.code==="identity_refused"?this.renderFindings(this.refusal):w(this.refusal)}
      <form @submit=${s=>{this.send(s)}}>
        <div class="field">
          <label for="file">File</label>
          <input id="file" type="file" required accept=".txt,.md,.html,.htm,.csv,.json,.eml,.mht,.mhtml,.pdf,.docx,.odt,.ott,.fodt,.png,.jpg,.jpeg,.tif,.tiff" ?disabled=${e} aria-describedby="file-says" @change=${s=>this.take(s.currentTarget.files?.[0])} />
          <p class="fine" id="file-says">${this.file?`${$(this.file.size)}${t?": too big, a file has at most 25 MB":""}`:"PDF, Word, text, e-mail or picture; at most 25 MB"}</p>
        </div>
        ${this.file?a`<div class="filters">
                <div class="field">
                  <label for="f-name">Name in the case</label>
                  <input id="f-name" name="name" maxlength="180" required .value=${this.file.name} aria-describedby="problem-name" />
                  ${P(this.refusal,"name",this.file.name)}
                </div>
                ${c("docType","Type",k.map(s=>[s,p(s)]),"","Have it guessed")}
                <div class="field"><label for="f-on">Date of the document</label><input id="f-on" name="documentOn" type="date" /></div>
                ${c("privilege","Privilege",B,"","As the case")}
              </div>
              ${this.renderKept(this.file)}
              ${n||this.file.type.startsWith("image/")?a`<div class="field"><label class="check"><input type="checkbox" name="attested" value="true" required />I have looked at every page and found no identity. Agents will never read this file.</label></div>`:o}`:o}
        ${e?a`<p role="status"><progress max="1" .value=${this.sent}></progress> ${this.sent<1?`${Math.round(this.sent*100)} % sent`:"Sent; the service reads and checks it…"}</p>`:o}
        <p class="actions">
          <button ?disabled=${e||!this.file||t}>Add the file</button>
          ${e?a`<button type="button" class="quiet" @click=${()=>this.sending?.abort()}>Stop</button>`:o}
        </p>
      </form>
    </section>`}renderKept(e){return z(e.name)?a`<p class="fine">Of a file of this kind the service keeps only what it reads: its text with headings, lists and tables, and of a Word file a new one. The file itself cannot be had back from it, so keep your own copy${this.open?"":a`, or <a href="/app/vault">open your vault</a> to store the original with the case, encrypted`}.</p>
      ${this.open?a`<div class="field"><label class="check"><input type="checkbox" name="original" value="true" />Keep the original with it, encrypted for your firm</label></div>`:o}`:o}renderFindings(e){return a`<div class="refusal" role="alert">
      <p>${e.message}</p>
      <ul>
        ${e.details.slice(0,10).map(t=>a`<li>${Q(t)}: ${L(t,t.path==="name"?this.file?.name:"")}</li>`)}
      </ul>
      ${e.details.length>10?a`<p>And ${e.details.length-10} more places.</p>`:o}
      <p><a href=${`/app/redact?case=${this.caseId}`}>Take identities out of this document here</a>, or clear there what is none.</p>
    </div>`}};function G(d,e,t){let n=e?.name??"The file",s=e?.duplicate&&d!==n?`${d} is the same as ${n}, which`:n,i=t!==void 0&&e?.sealedFileId===t;return e?.duplicate?i?`${s} is in the case already; its original is kept with it now, encrypted.`:t===void 0?`${s} is in the case already; nothing was added.`:e.sealedFileId?`${s} is in the case already, with its original; nothing was added.`:`${d} is what the service hands out of ${n}, and not its original: nothing was added.`:`${s} is in the case${i?", and its original is kept with it, encrypted":""}.`}function Q(d){let e=(d.path??"text").replace(/^files?\[\d+\]\./,""),t=d.start===void 0||e==="name"?"":`, at byte ${d.start}`;return`${e==="text"?"Text":p(e.replace(/^metadata\./,"metadata: "))}${t}`}customElements.define("subrosa-upload",q);var Y=["q","docType","status","sort"],Z=[["name","Name"],["documentOn","Date of the document"],["createdAt","Oldest first"],["relevance","Best match"]],E=class extends W{tab="files";chosen={};list=new D(this,()=>`/v1/cases/${this.caseId}/files`,()=>({...this.chosen,sort:this.chosen.sort??(this.chosen.q?"relevance":"")}),()=>this.left);typing=0;ending;refusal;connectedCallback(){super.connectedCallback();for(let e of Y){let t=this.query.get(e);t&&(this.chosen[e]=t)}this.list.restart()}disconnectedCallback(){super.disconnectedCallback(),clearTimeout(this.typing)}soon(e){let t=e.currentTarget.closest("form");clearTimeout(this.typing),this.typing=setTimeout(()=>this.choose(t),e.type==="change"?0:300)}choose(e){let t=T(e);t.sort==="relevance"&&!t.q&&delete t.sort,this.chosen=t,this.list.restart().then(n=>{n&&this.isConnected&&history.replaceState(null,"",I(location.pathname,{...t,do:this.query.get("do")??""}))})}async end(e){e.preventDefault();let t=this.ending;if(t){try{await v(`/v1/cases/${this.caseId}/files/${t.fileId}`,{ifMatch:U(t.version)}),this.querySelector("#ending")?.close(),b(`${t.name} is deleted.`),await Promise.all([this.list.restart(),this.refresh()])}catch(n){this.refusal=y(n),await this.list.restart(),this.ending=this.list.items.find(s=>s.fileId===t.fileId)??t}this.requestUpdate()}}async ask(e){this.ending=e,this.refusal=void 0,this.requestUpdate(),await this.updateComplete,this.querySelector("#ending")?.showModal()}draw(e){let t=i=>this.chosen[i]??"",n=this.query.get("do")==="delete",s=this.query.get("do")==="named";return a`${n?a`<div class="notice"><p>Choose the file to delete. Agents cannot delete files; you can, and it goes on record.</p></div>`:o}
      ${s?a`<div class="notice"><p>Choose the file to save with real names. The names are filled in by this browser, and the result goes to your machine alone.</p></div>`:o}
      <form class="filters" role="search" @change=${i=>this.soon(i)} @submit=${i=>(i.preventDefault(),this.choose(i.currentTarget))}>
        <div class="field">
          <label for="q">Words in the files</label>
          <input id="q" name="q" type="search" maxlength="200" .value=${t("q")} placeholder='words, or "a phrase"' />
        </div>
        ${c("docType","Type",k.map(i=>[i,p(i)]),t("docType"),"Any")}
        ${c("status","State",[["superseded","Replaced by a newer version"],["deleted","Deleted"]],t("status"),"In use")} ${c("sort","Order",Z,t("sort"),"Newest first")}
      </form>
      ${this.list.render(i=>a`<ul class="rows">${i.map(r=>this.renderFile(r,n,s))}</ul>`,R(Object.keys(this.chosen).length>0?a`No file fits. <a href=${`/app/cases/${this.caseId}/files`}>Show all files</a>`:"No file yet. Take the identities out of a document, then add it below."))}
      ${this.writable&&e.permissions.canUpload?a`<subrosa-upload .caseId=${this.caseId} @added=${()=>{Promise.all([this.list.restart(),this.refresh()])}}></subrosa-upload>`:a`<p class="fine">This case takes no files at the moment.</p>`}
      ${this.renderEnding()}`}renderFile(e,t,n){let s=`/app/cases/${this.caseId}/files/${e.fileId}`,i=[p(e.docType),$(e.content?.sizeBytes??e.sizeBytes),e.unread.count?`${e.unread.count} not read`:"",e.extraction.pages?`${e.extraction.pages} ${e.extraction.pages===1?"page":"pages"}`:"",e.revision>1?`version ${e.revision}`:""].filter(Boolean);return a`<li>
      <div class="between">
        <a class="strong" href=${n?`${s}?do=named`:s}>${O(e.name,this.shown)}</a>
        <span class="badges">
          ${e.source.origin==="generated"?u("draft by software"):o} ${e.deidCheck.status==="refused"?u("holds an identity","bad"):o}
          ${e.agentReadable?o:u("not read by agents","warn")} ${e.status==="active"?o:u(e.status)}
        </span>
      </div>
      <div class="between fine">
        <span>${i.join(" · ")}${e.documentOn?a` · of ${A(e.documentOn)}`:o}</span>
        <span>Added ${x(e.createdAt)}</span>
      </div>
      ${e.hits?.map(r=>a`<blockquote class="quotation"><p>${C(r.quote,this.chosen.q??"",this.shown)}</p><footer><a href=${N(this.caseId,r)}>${r.page?`Open at page ${r.page}`:"Open there"}</a></footer></blockquote>`)}
      <p class="actions">
        ${e.content?a`<a class="button quiet small" href=${`/v1/cases/${this.caseId}/files/${e.fileId}/content`} download=${j(e)}>Save</a>`:o}
        ${n?a`<a class="button small" href=${`${s}?do=named`}>Save with names</a>`:o}
        ${e.status==="active"&&this.writable?a`<button class=${t?"danger small":"plain small"} @click=${()=>{this.ask(e)}}>Delete</button>`:o}
      </p>
    </li>`}renderEnding(){return a`<dialog id="ending" aria-labelledby="ending-title">
      <form @submit=${e=>{this.end(e)}}>
        <h2 id="ending-title">Delete ${this.ending?.name}?</h2>
        ${w(this.refusal)}
        <p>It leaves the case at once, and no agent reads it any more. That it was here, and who deleted it, stays on record. Answers that quote it keep their quotations.</p>
        <p class="actions"><button class="danger">Delete</button><button type="button" class="quiet" @click=${()=>this.querySelector("#ending")?.close()}>Keep it</button></p>
      </form>
    </dialog>`}};customElements.define("subrosa-case-files",E);
