import{d as I}from"./chunk-RRLU6A3P.js";import"./chunk-UXGOSSVE.js";import"./chunk-ATSC2APW.js";import"./chunk-TAB4D23J.js";import{b as $,c as u}from"./chunk-V6YAPRTH.js";import{a as h,c as p}from"./chunk-GIPTC7H3.js";import{b as y,c,g as n,h as d,j as b}from"./chunk-3T4E4FFS.js";import{a,c as r}from"./chunk-FXAGWDIM.js";import{h as o,j as v,o as l,p as f,q as g}from"./chunk-OQ4UEFJX.js";var q=["lawyer","law_firm","notary","mediator","arbitrator","expert_witness","paralegal","translator","investigator","court_reporter","agent_service"],P=["co_counsel","referral","second_opinion","expert","mediator","translator","other"],j=["q","kind","jurisdiction","practiceArea","language","sort"],m=class extends ${partners=[];cursor="";list=new h(this,async()=>{let e=await o(l("/v1/partners",{...this.chosen(),forCaseId:this.caseId,limit:25,cursor:this.cursor}),{signal:this.left});return this.partners=this.cursor===""?e.items:[...this.partners,...e.items],e});case=new h(this,async()=>{let[e,t]=await Promise.all([o(`/v1/cases/${this.caseId}`,{signal:this.left}),o(l(`/v1/cases/${this.caseId}/files`,{limit:100,sort:"name"}),{signal:this.left})]);return{kase:e,files:t}});inviting;refusal;refused;licence=!1;key="";get caseId(){return this.query.get("case")??""}chosen(){return Object.fromEntries(j.map(e=>[e,this.query.get(e)??""]))}connectedCallback(){super.connectedCallback(),this.list.run(),this.caseId&&this.case.run()}async search(e){e.preventDefault();let t=new URLSearchParams;for(let[i,s]of new FormData(e.currentTarget))typeof s=="string"&&s!==""&&t.set(i,s);try{await I({q:[...t.values()]},!1)}catch(i){this.refused=p(i),this.requestUpdate();return}this.caseId&&t.set("case",this.caseId),u(`/app/partners?${t}`)}more(e){this.cursor=e,this.list.run()}begin(e){this.inviting=e,this.refusal=void 0,this.licence=!1,this.key=f(),this.requestUpdate(),this.updateComplete.then(()=>this.querySelector("dialog")?.showModal())}async invite(e){e.preventDefault();let t=this.inviting;if(!t)return;let i=new FormData(e.currentTarget),s=String(i.get("message")??"").trim(),w={role:i.get("role"),expiresInHours:Number(i.get("days"))*24,scope:{fileIds:i.getAll("file").map(String)},...s?{message:s}:{},...this.licence?{acknowledgeLicence:i.get("licence")==="on"}:{}};try{await v(`/v1/cases/${this.caseId}/partners/${t.partnerId}/invite`,w,{key:this.key}),this.querySelector("dialog")?.close(),b(`The invitation to ${t.displayName} is sent.`),u(`/app/invites?case=${this.caseId}`)}catch(k){this.refusal=p(k),this.licence=this.licence||this.refusal.code==="licence_mismatch",this.key=g(this.key,this.refusal),this.requestUpdate()}}render(){let e=this.chosen();return a`<h1>Partners</h1>
      ${this.caseId?this.case.render(({kase:t})=>a`<p class="notice">For the case <a href="/app/cases/${this.caseId}">${t.title??"without a title"}</a>: those come first who fit its jurisdiction, practice area, tier and languages. <a href="/app/invites?case=${this.caseId}">Its invitations</a></p>`):a`<p>Professionals who can be invited to a case. Go here from a case to see who fits it, and to invite them. <a href="/app/invites">Invitations to you</a></p>`}
      <form class="filters" role="search" @submit=${t=>{this.search(t)}}>
        <div class="field"><label for="q">Words</label><input id="q" name="q" .value=${e.q??""} minlength="2" maxlength="200" /></div>
        <div class="field">
          <label for="kind">Kind</label>
          <select id="kind" name="kind">
            <option value="">Any</option>
            ${q.map(t=>a`<option value=${t} ?selected=${t===e.kind}>${n(t)}</option>`)}
          </select>
        </div>
        <div class="field"><label for="jurisdiction">Jurisdiction</label><input id="jurisdiction" name="jurisdiction" .value=${e.jurisdiction??""} placeholder="US-CA" pattern="[A-Z]{2}(-[A-Z0-9]{1,3})?" title="Such as US or US-CA" /></div>
        <div class="field"><label for="practiceArea">Practice area</label><input id="practiceArea" name="practiceArea" .value=${e.practiceArea??""} placeholder="housing" maxlength="100" /></div>
        <div class="field"><label for="language">Language</label><input id="language" name="language" .value=${e.language??""} placeholder="es" maxlength="35" /></div>
        <button>Search</button>
      </form>
      ${c(this.refused)}
      ${this.list.render(t=>this.partners.length===0?y(Object.values(e).some(i=>i!=="")?"Nobody in the directory matches. Remove a filter.":"The directory is empty: the operator of this service has not loaded it yet."):a`<ul class="rows">
                ${this.partners.map(i=>this.renderPartner(i))}
              </ul>
              ${t.nextCursor?a`<p><button class="quiet" ?disabled=${this.list.busy} @click=${()=>this.more(t.nextCursor??"")}>Show more</button></p>`:r}`)}
      ${this.inviting?this.renderInvite(this.inviting):r}`}renderPartner(e){let{match:t,licences:i}=e;return a`<li>
      <div class="between">
        <h2>${e.displayName}</h2>
        <span>${d(e.kind)} ${d(e.availability,e.availability==="open"?"good":"warn")}</span>
      </div>
      <p>${e.practiceAreas.map(s=>s.label??s.code).join(", ")} · ${e.jurisdictions.join(", ")} · speaks ${e.languages.join(", ")}</p>
      <p class="fine">
        ${i.map(s=>`${n(s.kind)}, ${s.jurisdiction}: ${s.status}`).join("; ")}${e.typicalResponseHours?` · answers within ${e.typicalResponseHours} hours`:""} ·
        ${e.feeModels.map(s=>n(s).toLowerCase()).join(", ")}${e.capacityNote?` · ${e.capacityNote}`:""}
      </p>
      ${t&&this.caseId?a`<p>Fits (${t.score}): ${t.reasons.join("; ")}.</p>`:r}
      ${this.caseId?a`<button class="quiet" ?disabled=${e.availability==="closed"} @click=${()=>this.begin(e)}>Invite ${e.displayName}</button>`:r}
    </li>`}renderInvite(e){let t=this.case.value?.files.items??[];return a`<dialog aria-labelledby="invite" @close=${()=>{this.inviting=void 0,this.requestUpdate()}}>
      <form @submit=${i=>{this.invite(i)}}>
        <h2 id="invite">Invite ${e.displayName}</h2>
        ${c(this.refusal)}
        <div class="field">
          <label for="role">As</label>
          <select id="role" name="role">
            ${P.map(i=>a`<option value=${i}>${n(i)}</option>`)}
          </select>
        </div>
        <div class="field">
          <label for="message">Message</label>
          <textarea id="message" name="message" maxlength="1000" aria-describedby="message-note"></textarea>
          <p class="fine" id="message-note">Labels only. Before they accept, they see the kind of matter, practice area, jurisdiction, tier and role, and neither this message nor the case.</p>
        </div>
        <fieldset>
          <legend>Files that they may read once they accept</legend>
          ${t.length===0?a`<p class="fine">The case has no files.</p>`:t.map(i=>a`<label class="check"><input type="checkbox" name="file" value=${i.fileId} />${i.name}</label>`)}
          <p class="fine">None chosen: they read no file.</p>
        </fieldset>
        <div class="field"><label for="days">Days to answer</label><input id="days" name="days" type="number" min="1" max="30" value="14" required /></div>
        ${this.licence?a`<label class="check"><input type="checkbox" name="licence" />They have no active licence in the case's jurisdiction; I know, and take care of it (for example pro hac vice).</label>`:r}
        <p class="actions"><button>Send the invitation</button><button type="button" class="quiet" @click=${()=>this.querySelector("dialog")?.close()}>Not now</button></p>
      </form>
    </dialog>`}};customElements.define("subrosa-partners",m);
