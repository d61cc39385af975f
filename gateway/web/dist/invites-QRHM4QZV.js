import{a as b}from"./chunk-IH7ZLPEB.js";import{b as I}from"./chunk-V6YAPRTH.js";import{a as $,b as v,c as y}from"./chunk-GIPTC7H3.js";import{b as p,c as f,e as a,g as i,h as u,j as m}from"./chunk-3T4E4FFS.js";import{a as s,c as d}from"./chunk-FXAGWDIM.js";import{h as c,j as l,p as h}from"./chunk-OQ4UEFJX.js";var k={confirm:"The invitation is sent.",revoke:"The invitation is taken back.",accept:"You accepted. The case is open to you within what you were invited to.",decline:"You declined. You saw nothing that could put you in conflict.",end:"The access has ended."},w={proposed:"warn",pending:"warn",accepted:"good",declined:"plain",expired:"plain",revoked:"plain",ended:"plain"},o=class extends I{list=new v(this,()=>"/v1/invites",()=>({caseId:this.caseId,limit:25}),()=>this.left);named=new $(this,()=>c(`/v1/invites/${this.query.get("invite")??""}`,{signal:this.left}));refusal;get caseId(){return this.query.get("case")??""}connectedCallback(){super.connectedCallback(),this.refresh()}async refresh(){await Promise.all([this.list.restart(),this.query.get("invite")?this.named.run():void 0])}async decide(e,t,n=!1){if(!((t==="revoke"||t==="end"||t==="decline")&&!await b({title:`${i(t)} this invitation?`,text:t==="decline"?"The firm is told that you declined.":"The professional's access to the case ends at once.",action:i(t)}))){try{await l(`/v1/invites/${e.inviteId}/decision`,{decision:t,...t==="accept"?{conflictAttested:n}:{}},{key:h()}),this.refusal=void 0,m(k[t])}catch(g){this.refusal=y(g)}await this.refresh()}}render(){let e=this.list.items.filter(t=>t.inviteId!==this.query.get("invite"));return s`<h1>Invitations</h1>
      <p>${this.caseId?s`Those of <a href="/app/cases/${this.caseId}">this case</a>. <a href="/app/partners?case=${this.caseId}">Invite somebody else</a>`:"Invitations that firms sent to you. Those that your firm sends are on the page of their case."}</p>
      ${f(this.refusal)}
      ${this.query.get("invite")?this.named.render(t=>s`<section class="panel" aria-label="The invitation of your link">${this.renderInvite(t)}</section>`):d}
      ${this.list.render(()=>s`<ul class="rows">
          ${e.map(t=>s`<li>${this.renderInvite(t)}</li>`)}
        </ul>`,p(this.caseId?"Nobody is invited to this case.":"No firm has invited you."))}`}renderInvite(e){return s`<div class="between">
        <h2>${i(e.role)}</h2>
        ${u(e.status,w[e.status])}
      </div>
      ${"caseId"in e?this.renderSent(e):this.renderOffer(e)}`}renderSent(e){let t=!this.caseId&&!this.query.get("invite");return s`${e.message?s`<p>${e.message}</p>`:d}
      <dl class="facts">
        <dt>Case</dt>
        <dd><a href="/app/cases/${e.caseId}"><code>${e.caseId}</code></a></dd>
        <dt>May read</dt>
        <dd>${e.scope.fileIds.length} files, ${e.scope.branchIds.length} branches</dd>
        <dt>Made</dt>
        <dd>${a(e.createdAt)} by ${i(e.createdBy.kind).toLowerCase()} <code>${e.createdBy.id}</code></dd>
        ${e.decidedAt?s`<dt>Decided</dt><dd>${a(e.decidedAt)}</dd>`:s`<dt>Answer until</dt><dd>${a(e.expiresAt)}</dd>`}
        ${e.conflictAttested!==void 0?s`<dt>Conflicts</dt><dd>${e.conflictAttested?"checked by the professional: none":"not attested"}</dd>`:d}
      </dl>
      <p class="actions">
        ${e.status==="proposed"?s`<button @click=${()=>{this.decide(e,"confirm")}}>Send it</button>`:d}
        ${!t&&(e.status==="proposed"||e.status==="pending")?s`<button class="danger" @click=${()=>{this.decide(e,"revoke")}}>Take it back</button>`:d}
        ${e.status==="accepted"?s`<button class="danger" @click=${()=>{this.decide(e,"end")}}>End the access</button>`:d}
      </p>`}renderOffer(e){let{matter:t}=e,n=`attest-${e.inviteId}`;return s`<dl class="facts">
        <dt>Matter</dt>
        <dd>${i(t.matterKind)} ${t.practiceAreas.map(r=>r.label??r.code).join(", ")}</dd>
        <dt>Jurisdiction</dt>
        <dd>${t.jurisdiction??"not said"}</dd>
        <dt>Tier</dt>
        <dd>${t.tier??"not evaluated"}</dd>
        <dt>Answer until</dt>
        <dd>${a(e.expiresAt)}</dd>
      </dl>
      ${e.status==="pending"?s`<p class="fine">You see no more before you accept, so that declining leaves you without a conflict.</p>
            <label class="check"><input type="checkbox" id=${n} />I checked for conflicts of interest by my own means, and have none.</label>
            <p class="actions">
              <button @click=${()=>{this.decide(e,"accept",this.querySelector(`#${n}`)?.checked??!1)}}>Accept</button>
              <button class="quiet" @click=${()=>{this.decide(e,"decline")}}>Decline</button>
            </p>`:d}`}};customElements.define("subrosa-invites",o);
