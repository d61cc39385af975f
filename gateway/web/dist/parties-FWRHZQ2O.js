import{a as S,b as k}from"./chunk-67EYHX4W.js";import{a as y}from"./chunk-ES6PQUQ3.js";import{b as v,d as $,e as l,f as w}from"./chunk-F73WSRDH.js";import{d as g}from"./chunk-KSPSALBX.js";import{a as x}from"./chunk-V6YAPRTH.js";import{b as O,c as A}from"./chunk-GIPTC7H3.js";import{b as P,e as E,g as u,h as f,j as p}from"./chunk-3T4E4FFS.js";import{a as n,c as a}from"./chunk-FXAGWDIM.js";import{j as b,k as R,p as m,q as C}from"./chunk-OQ4UEFJX.js";var j=["individual","organization","government","estate","trust","class","minor","unknown"],N=["plaintiff","defendant","petitioner","respondent","third_party_plaintiff","third_party_defendant","intervenor","appellant","appellee","claimant","creditor","debtor","buyer","seller","lessor","lessee","employer","employee","witness","expert","guardian_ad_litem","next_friend","trustee","beneficiary","executor","heir","insurer","amicus","interested_party","other"],M=[["ours","Ours"],["adverse","Against us"],["neutral","Neutral"],["unknown","Not known"]],L=[["this_firm","This firm"],["other_counsel","Other counsel"],["self","Themselves"],["unknown","Not known"]],U=[["active","In the case"],["dismissed","Dismissed"],["withdrawn","Withdrawn"]],D=["name","aliases","email","phone","address","notes"],_=o=>o.map(e=>[e,u(e)]),I=class extends x{static properties={caseId:{attribute:!1},party:{attribute:!1},identity:{attribute:!1}};refusal;busy=!1;key=m();get suffix(){return this.party?.partyId??"new"}async save(e){e.preventDefault();let t=e.currentTarget,s=w(t);this.busy=!0,this.refusal=void 0,this.requestUpdate();try{let i=await this.send(s,await this.seal(s));if(!i)return;this.party||t.reset(),p(this.party?`${i.label} is changed.`:`The party is in the case as ${i.label}.`),this.dispatchEvent(new CustomEvent("saved",{detail:i}))}catch(i){let{failureOf:r}=await import("./failure-NKFGUC3N.js");this.refusal=r(i)}finally{this.key=m(),this.busy=!1,this.requestUpdate()}}async seal(e){let{party:t}=this,s=e.kind??"unknown",i=H(e),r=t?.sealed!==void 0&&s!==t.kind;if(!i&&!r&&!this.identity)return{};let d=await y();if(!await d.ask())return;if(this.identity)return d.sealParty(this.caseId,s,i??{name:""},t?.identityRef);let c=t?.sealed?await d.namesOf(this.caseId):void 0,h=t&&c?.identities.get(t.label);if(!h&&!i)throw new Error(`The kind was not changed: the name is sealed anew with it, and does not open here: ${c?.failed.get(t?.label??"")??"it is not there"}.`);let{v:K,...q}=h??{v:1};return d.sealParty(this.caseId,s,{...q,...i},t?.identityRef)}async send(e,t){if(t===void 0){p("Nothing was saved: your vault seals the name, and it is locked.");return}let s=this.party,i={kind:e.kind,role:e.role,side:e.side,representation:e.representation,isClient:e.isClient==="true",...e.remarks&&{notes:e.remarks},...t},r=await y();if(!s){let h=await b("/v1/parties",{...i,caseId:this.caseId,...e.label&&{label:e.label}},{key:this.key});return r.forgetNames(this.caseId),h}let d={...i,attributes:s.attributes,...s.joinedOn&&{joinedOn:s.joinedOn},...s.leftOn&&{leftOn:s.leftOn},status:e.status??s.status},{body:c}=await R(`/v1/parties/${s.partyId}`,d,{ifMatch:k(s.version)});return r.forgetNames(this.caseId),c}render(){let e=this.party,t=s=>`${s}-${this.suffix}`;return n`<form autocomplete="off" @submit=${s=>{this.save(s)}}>
      ${$(this.refusal,this.refusal?.code.startsWith("identity_")?"":this.caseId)}
      <div class="filters">
        ${e?a:n`<div class="field">
              <label for=${t("label")}>Label</label>
              <input id=${t("label")} name="label" placeholder="the next free one" pattern="\\[(Party|Person|Minor|Org) [1-9][0-9]{0,3}\\]" title="A label such as [Party 4]" maxlength="14" />
              ${v(this.refusal,"label")}
            </div>`}
        ${l("kind","Kind",_(j),e?.kind??"individual",void 0,t("kind"))} ${l("role","Role",_(N),e?.role??"plaintiff",void 0,t("role"))}
        ${l("side","Side",M,e?.side??"unknown",void 0,t("side"))} ${l("representation","Represented by",L,e?.representation??"unknown",void 0,t("representation"))}
        ${e&&e.status!=="merged"?l("status","Standing",U,e.status,void 0,t("status")):a}
      </div>
      <div class="field"><label class="check"><input type="checkbox" name="isClient" value="true" .checked=${e?.isClient??!1} />This is our client</label></div>
      <div class="field">
        <label for=${t("remarks")}>Notes that agents may read, with labels only</label>
        <input id=${t("remarks")} name="remarks" maxlength="1000" .value=${e?.notes??""} />
        ${v(this.refusal,"notes",this.querySelector("input[name=remarks]")?.value.trim())}
      </div>
      ${this.renderIdentity(t)}
      <p class="actions">
        <button ?disabled=${this.busy}>${this.busy?"Saving…":e?"Save":"Add the party"}</button>
        ${e?n`<button type="button" class="quiet" @click=${()=>this.dispatchEvent(new Event("left"))}>Cancel</button>`:a}
      </p>
    </form>`}renderIdentity(e){let t=this.identity,s=this.party?.sealed!==void 0,i=(r,d,c="",h="text")=>n`<div class="field"><label for=${e(r)}>${d}</label><input id=${e(r)} name=${`who-${r}`} type=${h} autocomplete="off" spellcheck="false" .value=${c} /></div>`;return n`<fieldset>
      <legend>Who it is</legend>
      <p class="fine">Encrypted in this browser under your firm’s key before it is sent. The service and agents never see it. ${s&&!t?"A name is kept already; what you write here takes its place.":a}</p>
      ${i("name","Real name",t?.name)}
      <details ?open=${t!==void 0}>
        <summary>More: other names, how to reach them</summary>
        ${i("aliases","Other names and spellings, with semicolons between",t?.aliases?.join("; "))} ${i("email","E-mail",t?.email)} ${i("phone","Telephone",t?.phone)} ${i("address","Address",t?.address)}
        ${i("notes","Notes of your own",t?.notes)}
      </details>
      <p class="fine">Names and other names are compared with those of your firm’s other cases, as tokens that the service cannot read.</p>
    </fieldset>`}};function H(o){let e={};for(let t of D){let s=o[`who-${t}`];s&&(e[t]=t==="aliases"?s.split(";").map(i=>i.trim()).filter(Boolean):s)}if(Object.keys(e).length!==0)return e}customElements.define("subrosa-party",I);var W={not_run:"No names were compared yet. Add the parties’ real names, and the service compares them as tokens that it cannot read.",clear:"No other case of your firm has one of these parties on the other side.",potential:"A party of this case stands on the other side in another case of your firm. Look at it and decide.",waived:"A person found a conflict and waived it.",blocked:"A person found a conflict. The case does not go on."},T=class extends S{tab="parties";list=new O(this,()=>"/v1/parties",()=>({caseId:this.caseId,limit:100}),()=>this.left);identities;changing="";refusal;key=m();arrived=!1;opened(){this.list.restart(),this.query.get("show")==="names"&&this.names.show()}willUpdate(){this.shown?this.identities||this.readIdentities():this.identities=void 0}async readIdentities(){this.identities=new Map;try{this.identities=await(await y()).identities(this.caseId),this.requestUpdate()}catch{}}updated(){let e=this.query.get("do");if(this.arrived||!e)return;let t=e==="add"?this.querySelector("#add-party subrosa-party input"):this.querySelector("#conflict select");t&&(this.arrived=!0,requestAnimationFrame(()=>{t.scrollIntoView({block:"center"}),t.focus({preventScroll:!0})}))}async saved(){this.changing="",this.identities=void 0,await Promise.all([this.list.restart(),this.refresh()]),this.shown&&await this.names.show(!1)}async decide(e,t){e.preventDefault();let s=e.currentTarget;this.refusal=void 0;let i=w(s);if(!i.decision){p("Choose what you decide."),s.querySelector("select")?.focus();return}try{await b(`/v1/cases/${this.caseId}/conflict`,i,{key:this.key,ifMatch:k(t.version)}),s.reset(),p("Your decision is on record.")}catch(r){this.refusal=A(r)}finally{this.key=C(this.key,this.refusal),await this.refresh()}}draw(e){let t=e.container;return n`${this.names.failed.size>0&&this.shown?n`<div class="notice"><p>These could not be opened:</p><ul>${[...this.names.failed].map(([s,i])=>n`<li>${s}: ${i}</li>`)}</ul></div>`:a}
      ${this.list.render(s=>n`<ul class="rows">${s.map(i=>this.drawParty(i))}</ul>`,P("No party yet. Add the client first: the case needs one before it can be opened."))}
      ${this.writable?n`<details class="panel" id="add-party" ?open=${this.query.get("do")==="add"||void 0}>
            <summary><strong>Add a party</strong></summary>
            <subrosa-party .caseId=${this.caseId} @saved=${()=>{this.saved()}}></subrosa-party>
          </details>`:a}
      ${this.drawConflict(t)}`}drawParty(e){let t=this.identities?.get(e.label),s=[u(e.role),e.kind==="unknown"?"":u(e.kind),e.side==="unknown"?"":e.side==="ours"?"our side":e.side==="adverse"?"against us":e.side,e.representation==="unknown"?"":`represented by ${e.representation==="this_firm"?"this firm":e.representation==="self"?"themselves":"other counsel"}`];return n`<li>
      <div class="between">
        <span class="strong">${g(e.label)}${t?n` <span class="label named">${t.name}</span>`:a}</span>
        <span class="badges">
          ${e.isClient?f("client","good"):a} ${e.status==="active"?a:f(e.status)} ${e.sealed?f("name kept"):f("no name kept","warn")}
        </span>
      </div>
      <p class="fine">${s.filter(Boolean).join(" · ")}</p>
      ${e.notes?n`<p>${g(e.notes,this.shown)}</p>`:a} ${t?B(t):a}
      ${this.changing===e.partyId?n`<subrosa-party .caseId=${this.caseId} .party=${e} .identity=${t} @saved=${()=>{this.saved()}} @left=${()=>this.change("")}></subrosa-party>`:this.writable&&e.status!=="merged"?n`<p class="actions"><button class="plain" @click=${()=>this.change(e.partyId)}>${e.sealed?"Change":"Change, or add the name"}<span class="hidden"> of ${e.label}</span></button></p>`:a}
    </li>`}change(e){this.changing=e,this.requestUpdate()}drawConflict(e){let t=e.conflict,s=t.status==="clear"||t.status==="waived"?"good":t.status==="not_run"?"plain":"bad";return n`<section class="panel" id="conflict" aria-labelledby="conflict-title">
      <h2 id="conflict-title">Conflicts of interest ${f(t.status,s)}</h2>
      <p>${W[t.status]}</p>
      ${t.checkedAt?n`<p class="fine">Compared last ${E(t.checkedAt)}${t.decidedByUserId?n`, decided by ${t.decidedByUserId}`:a}</p>`:a}
      ${t.reason?n`<p>Reason: ${g(t.reason,this.shown)}</p>`:a}
      ${t.hits?.length?n`<h3>Cases that meet this one (${t.hitCount}${t.hitCountCapped?" or more":""})</h3>
            <ul>${t.hits.map(i=>n`<li><a href=${`/app/cases/${i.caseId}/parties`}>Another case</a>, as ${i.roles.map(r=>u(r).toLowerCase()).join(" and ")}</li>`)}</ul>`:a}
      ${this.writable?n`<h3>Your decision</h3>
            ${$(this.refusal,this.caseId)}
            ${t.status==="not_run"?n`<p class="notice"><strong>Nothing was compared here yet.</strong> Add the parties’ real names first, unless you checked by other means: say so in the reason.</p>`:a}
            <form @submit=${i=>{this.decide(i,e)}}>
              ${l("decision","Decision",[["clear","There is no conflict"],["waived","There is one, and it is waived with informed consent"],["blocked","There is one, and the case does not go on"]],"","Choose…")}
              <div class="field">
                <label for="reason">Reason, with labels in the place of names</label>
                <textarea id="reason" name="reason" required maxlength="1000" aria-describedby="problem-reason"></textarea>
                ${v(this.refusal,"reason",this.querySelector("#reason")?.value.trim())}
              </div>
              <p class="actions"><button>Record the decision</button></p>
            </form>`:a}
    </section>`}};function B(o){let e=[["Other names",o.aliases?.join("; ")],["E-mail",o.email],["Telephone",o.phone],["Address",o.address],["Notes",o.notes]].filter(([,t])=>t);return e.length===0?a:n`<dl class="facts">${e.map(([t,s])=>n`<dt>${t}</dt><dd>${s}</dd>`)}</dl>`}customElements.define("subrosa-case-parties",T);
