import{a as V,b as y}from"./chunk-67EYHX4W.js";import{b as K}from"./chunk-6GAE7TYM.js";import"./chunk-RKPXGEMS.js";import"./chunk-ES6PQUQ3.js";import{b as f,c as T,d as w,e as l,f as g}from"./chunk-F73WSRDH.js";import{d as L,g as k,h as C,l as H,m as O,p as _,q as D,s as M}from"./chunk-KSPSALBX.js";import{a as N,c as v}from"./chunk-V6YAPRTH.js";import{c as m}from"./chunk-GIPTC7H3.js";import{c as U,e as j,f as q,g as c,h as E,j as h}from"./chunk-3T4E4FFS.js";import{a,c as o}from"./chunk-FXAGWDIM.js";import{j as I,l as $,m as S,o as R}from"./chunk-OQ4UEFJX.js";var Z=["settled","judgment","dismissed","withdrawn","advice_given","referred","declined","transaction_completed","other"],W={jurisdiction:["its jurisdiction",""],practiceAreas:["its area of law",""],supervisor:["a person who answers for it",""],client:["a party that is the client","/parties?do=add"],jointRepresentation:["word that several clients are represented together",""],conflict:["a look at conflicts of interest","/parties?do=conflict"],closeReason:["a reason",""],legalHold:["the end of the legal hold",""]},x=class extends N{static properties={case:{attribute:!1},wanted:{type:String}};refusal;busy=!1;arrived=!1;updated(){if(this.arrived||this.wanted!=="export")return;this.arrived=!0;let t=this.querySelector("#export a");requestAnimationFrame(()=>{t?.scrollIntoView({block:"center"}),t?.focus({preventScroll:!0})})}get at(){return`/v1/cases/${this.case.caseId}`}async step(t,e,i=!1){await this.try(()=>$(R(this.at,{acknowledgePending:i||void 0}),t,{ifMatch:y(this.case.version)}),e)}async try(t,e){this.busy=!0,this.refusal=void 0,this.requestUpdate();try{return await t(),this.querySelectorAll("dialog").forEach(i=>i.close()),h(e),!0}catch(i){return this.refusal=m(i),!1}finally{this.busy=!1,this.requestUpdate(),this.dispatchEvent(new Event("changed"))}}close(t){t.preventDefault();let e=g(t.currentTarget);this.step({status:"closed",closeReason:e.closeReason},"The case is closed.",e.acknowledge==="true")}async end(t){t.preventDefault();let e=g(t.currentTarget).acknowledge==="true";await this.try(()=>S(R(this.at,{acknowledgePending:e||void 0}),{ifMatch:y(this.case.version)}),"The case is deleted. An owner can bring it back for 30 days.")&&v("/app/cases")}open(t){this.refusal=void 0,this.requestUpdate(),this.querySelector(`#${t}`)?.showModal()}shut(){this.querySelectorAll("dialog").forEach(t=>t.close())}render(){let t=this.case.status,e=(i,s,n,u="")=>a`<button class=${u} ?disabled=${this.busy} @click=${()=>{this.step(s,n)}}>${i}</button>`;return a`<section class="panel" aria-labelledby="stands">
        <h2 id="stands">Where it stands ${E(t,D(t))}</h2>
        ${this.querySelector("dialog[open]")?o:this.renderRefusal()}
        <p class="actions">
          ${t==="intake"?e("Open the case",{status:"open"},"The case is open."):o} ${t==="open"?e("Put on hold",{status:"on_hold"},"The case is on hold.","quiet"):o}
          ${t==="on_hold"?e("Take up again",{status:"open"},"The case is open."):o}
          ${["intake","open","on_hold"].includes(t)?a`<button class="quiet" @click=${()=>this.open("closing")}>Close…</button>`:o}
          ${t==="closed"?a`${e("Reopen",{status:"open"},"The case is open again.")} ${e("Archive",{status:"archived"},"The case is archived.","quiet")}`:o}
        </p>
      </section>
      <section class="panel" id="export" aria-labelledby="export-title">
        <h2 id="export-title">Export</h2>
        <p>A ZIP archive of everything: files, timeline, work, parties by label, and this case’s part of the audit record. It holds labels only.</p>
        <p class="actions"><a class="button" href=${`${this.at}/export`} download=${`case-${this.case.caseId}.zip`}>Export the case</a></p>
      </section>
      ${K("owner")?a`<section class="panel" aria-labelledby="delete-title">
            <h2 id="delete-title">Delete</h2>
            <p>The case goes out of sight at once. For 30 days an owner can bring it back; then it is purged, unless it has to be kept longer.</p>
            <p class="actions"><button class="danger" @click=${()=>this.open("deleting")}>Delete the case…</button></p>
          </section>`:o}
      ${this.renderClosing()} ${this.renderDeleting()}`}renderRefusal(){let t=this.refusal?.details[0]?.unmet;return t?.length?a`<div class="refusal" role="alert">
      <p>The case cannot take this step yet. It lacks:</p>
      <ul>
        ${t.map(e=>{let[i,s]=W[e]??[c(e),""];return a`<li>${s?a`<a href=${`/app/cases/${this.case.caseId}${s}`}>${i}</a>`:i}</li>`})}
      </ul>
    </div>`:w(this.refusal,this.case.caseId)}acknowledgement(){let t=this.case.counts.pendingReviews;return t===0?o:a`<div class="field"><label class="check"><input type="checkbox" name="acknowledge" value="true" />${t===1?"One answer waits":`${t} answers wait`} for review; go on all the same</label></div>`}renderClosing(){let t=this.case.status==="intake"?Z.filter(e=>e==="declined"||e==="referred"):Z;return a`<dialog id="closing" aria-labelledby="closing-title">
      <form @submit=${e=>this.close(e)}>
        <h2 id="closing-title" class="first">Close this case?</h2>
        ${this.renderRefusal()}
        <p>Nothing can be added then. It is kept as long as the retention rule says, and you can reopen it.</p>
        ${l("closeReason","Reason",t.map(e=>[e,c(e)]),t[0]??"")} ${this.acknowledgement()}
        <p class="actions"><button ?disabled=${this.busy}>Close the case</button><button type="button" class="quiet" @click=${()=>this.shut()}>Keep it as it is</button></p>
      </form>
    </dialog>`}renderDeleting(){return a`<dialog id="deleting" aria-labelledby="deleting-title">
      <form @submit=${t=>{this.end(t)}}>
        <h2 id="deleting-title" class="first">Delete this case?</h2>
        ${this.renderRefusal()}
        <p>${this.case.counts.files} files, ${this.case.counts.phases} steps of work and ${this.case.counts.parties} parties go with it. Who deleted it stays on record.</p>
        ${this.acknowledgement()}
        <p class="actions"><button class="danger" ?disabled=${this.busy}>Delete the case</button><button type="button" class="quiet" @click=${()=>this.shut()}>Keep it</button></p>
      </form>
    </dialog>`}};customElements.define("subrosa-lifecycle",x);var F=r=>(r??"").split(",").map(t=>t.trim()).filter(Boolean),P=class extends V{tab="settings";began=new Map;typed=new Map;refusal;async save(t,e){t.preventDefault();let i=this.case;if(!i)return;let s=g(t.currentTarget);this.refusal=void 0;try{await this.put(e.change(s),i),this.began.delete(e.id),this.typed.delete(e.id),h(`${e.title}: saved.`)}catch(n){this.typed.set(e.id,s),this.refusal={of:e.id,refusal:m(n)}}await this.refresh()}async put(t,e){let i=await $(`/v1/cases/${this.caseId}`,t,{ifMatch:y(e.version)});this.workspace.value&&(this.workspace.value={...this.workspace.value,container:i})}async removeOverride(t){try{await this.put({complexity:{override:null}},t),this.began.delete("tier"),h("The tier is that of the rules again.")}catch(e){this.refusal={of:"tier",refusal:m(e)}}await this.refresh()}missing(){return a`<section class="panel">
      <h2>Was this case deleted?</h2>
      <p>For 30 days after that, an owner of the firm can bring it back; whoever it was who deleted it is on record.</p>
      <p class="actions"><button @click=${()=>{this.restore()}}>Bring it back</button></p>
      ${U(this.refusal?.refusal)}
    </section>`}async restore(){try{await I(`/v1/cases/${this.caseId}/restore`,void 0),h("The case is back."),v(`/app/cases/${this.caseId}`)}catch(t){this.refusal={of:"restore",refusal:m(t)},this.requestUpdate()}}draw(t){let e=t.container,i=J(e);return a`<div class="columns">
        ${i.map(s=>{let n=s.stored(e);this.began.has(s.id)||this.began.set(s.id,n);let u=this.began.get(s.id),b=this.refusal?.of===s.id?this.refusal.refusal:void 0,A=Object.keys(n).filter(p=>n[p]!==u[p]);return a`<section class="panel" aria-labelledby=${`part-${s.id}`}>
            <h2 id=${`part-${s.id}`}>${s.title}</h2>
            ${w(b,this.caseId)}
            ${A.length>0?a`<div class="notice" role="status"><p>Changed elsewhere while you were here:</p><ul>${A.map(p=>a`<li>${c(p)} is now “${n[p]||"empty"}”</li>`)}</ul><p><button class="quiet small" @click=${()=>this.takeOver(s)}>Take that over</button></p></div>`:o}
            <form @submit=${p=>{this.save(p,s)}}>
              <fieldset class="bare" ?disabled=${!this.writable}>
                ${s.draw(this.typed.get(s.id)??u,b)}
                <p class="actions"><button>Save</button>${s.id==="tier"&&e.complexity?.override?a`<button type="button" class="quiet" @click=${()=>{this.removeOverride(e)}}>Go by the rules again</button>`:o}</p>
              </fieldset>
            </form>
            ${s.id==="retention"?z(e):o}
          </section>`})}
      </div>
      <subrosa-lifecycle .case=${e} .wanted=${this.query.get("do")??""} @changed=${()=>{this.refresh()}}></subrosa-lifecycle>`}takeOver(t){this.began.delete(t.id),this.typed.delete(t.id),this.refusal=void 0,this.requestUpdate()}};function z(r){let t=r.retention;return a`<p class="fine">${t.legalHold?a`Held by ${t.holdByUserId}. Nothing of this case is purged while that lasts.`:t.retainUntil?a`Kept until ${q(t.retainUntil)}.`:"It is kept for years from the day on which it is closed, as the organization’s settings say."}</p>`}function d(r,t,e,i,s,n,u="",b=""){return a`<div class="field">
    <label for=${`f-${r}`}>${t}</label>
    <input id=${`f-${r}`} name=${r} maxlength=${n} .value=${e[r]??""} pattern=${b||o} aria-invalid=${T(i,s)} aria-describedby=${`problem-${s}`} autocomplete="off" />
    ${u?a`<p class="fine">${u}</p>`:o} ${f(i,s,e[r])}
  </div>`}function J(r){let t=r.practiceAreas.some(e=>!k.some(([i])=>C(i)===e.code))?[...r.practiceAreas.map(e=>[e.code,e.label||M(e.code)]),...k.map(([e,i])=>[C(e),i])]:k.map(([e,i])=>[C(e),i]);return[{id:"facts",title:"Facts",stored:e=>({title:e.title??"",summary:e.summary??"",matterKind:e.matterKind??"litigation",side:e.side??"",practiceArea:e.practiceAreas.find(i=>i.primary)?.code??e.practiceAreas[0]?.code??"",jurisdiction:e.jurisdiction??"",system:e.forum?.system??"",courtCode:e.forum?.courtCode??"",docketLabel:e.forum?.docketLabel??"",timeZone:e.forum?.timeZone??"",tags:e.tags.join(", "),jointRepresentation:String(e.jointRepresentation)}),change:e=>{let i=r.practiceAreas.filter(s=>s.code!==e.practiceArea).map(({scheme:s,code:n})=>({scheme:s,code:n}));return{title:e.title??null,summary:e.summary??null,matterKind:e.matterKind??"litigation",side:e.side??null,practiceAreas:e.practiceArea?[{scheme:r.practiceAreas.find(s=>s.code===e.practiceArea)?.scheme??"LIST",code:e.practiceArea,primary:!0},...i].slice(0,5):null,jurisdiction:e.jurisdiction?.toUpperCase()??null,forum:e.system?{system:e.system,courtCode:e.courtCode??null,docketLabel:e.docketLabel??null,timeZone:e.timeZone??null}:null,tags:F(e.tags),jointRepresentation:e.jointRepresentation==="true"}},draw:(e,i)=>a`${d("title","Title",e,i,"title",200)}
        <div class="field"><label for="f-summary">Summary</label><textarea id="f-summary" name="summary" maxlength="4000" .value=${e.summary??""} aria-invalid=${T(i,"summary")} aria-describedby="problem-summary"></textarea>${f(i,"summary",e.summary)}</div>
        ${l("matterKind","Kind",H.map(s=>[s,c(s)]),e.matterKind??"")} ${l("side","Our side",O,e.side??"","Not known yet")} ${l("practiceArea","Area of law",t,e.practiceArea??"","Not known yet")}
        ${d("jurisdiction","Jurisdiction",e,i,"jurisdiction",6,"US for federal law, US-CA for California","[A-Za-z]{2}(-[A-Za-z0-9]{1,3})?")}
        ${l("system","Forum",["federal","state","tribal","agency","arbitration","foreign"].map(s=>[s,c(s)]),e.system??"","None yet")}
        ${d("courtCode","Court",e,i,"forum.courtCode",40,"A short code such as nysd; never a docket number")} ${d("docketLabel","Label of the docket number",e,i,"forum.docketLabel",14,"[Docket 1]; the number itself stays in the vault")}
        ${d("timeZone","Time zone of the forum",e,i,"forum.timeZone",64,"America/New_York; deadlines are days there")} ${d("tags","Tags, with commas between",e,i,"tags",800)}
        <div class="field"><label class="check"><input type="checkbox" name="jointRepresentation" value="true" .checked=${e.jointRepresentation==="true"} />We represent more than one client together</label></div>`},{id:"supervision",title:"Supervision",stored:e=>({responsibleUserId:e.supervision.responsibleUserId??"",professionalKind:e.supervision.professionalKind??"",licences:(e.supervision.licenceJurisdictions??[]).join(", ")}),change:e=>({supervision:{...e.responsibleUserId&&{responsibleUserId:e.responsibleUserId},professionalKind:e.professionalKind??null,licenceJurisdictions:F(e.licences?.toUpperCase())}}),draw:(e,i)=>a`${d("responsibleUserId","Who answers for this case",e,i,"supervision.responsibleUserId",255,"A person of your firm, by the name under which they sign in")}
        ${l("professionalKind","As",["lawyer","paralegal_under_lawyer","notary","mediator","accredited_rep","other"].map(s=>[s,c(s)]),e.professionalKind??"","Not given")}
        ${d("licences","Licensed in, with commas between",e,i,"supervision.licenceJurisdictions",200,"US-NY, US-NJ")}`},{id:"confidentiality",title:"Confidentiality and software",stored:e=>({privilege:e.confidentiality.privilege,aiPolicy:e.confidentiality.aiPolicy,clientConsent:e.confidentiality.clientConsent}),change:e=>({confidentiality:{privilege:e.privilege,aiPolicy:e.aiPolicy,clientConsent:e.clientConsent}}),draw:(e,i)=>a`${l("privilege","Privilege",_,e.privilege??"")}
        ${l("aiPolicy","Language models",[["no_model","None: rules alone do the work"],["local_model_only","Only one that runs on our own machines"],["model_allowed","Allowed"]],e.aiPolicy??"")}
        ${l("clientConsent","The client’s consent to that",[["unknown","Not asked yet"],["obtained","Obtained"],["refused","Refused"],["not_required","Not required"]],e.clientConsent??"")} ${f(i,"confidentiality")}`},{id:"retention",title:"Retention and legal hold",stored:e=>({legalHold:String(e.retention.legalHold),holdReason:e.retention.holdReason??"",policyCode:e.retention.policyCode}),change:e=>({retention:{legalHold:e.legalHold==="true",holdReason:e.holdReason??null,...e.policyCode&&{policyCode:e.policyCode}}}),draw:(e,i)=>a`<div class="field"><label class="check"><input type="checkbox" name="legalHold" value="true" .checked=${e.legalHold==="true"} />Legal hold: nothing of this case may be deleted</label></div>
        ${d("holdReason","Reason of the hold",e,i,"retention.holdReason",300)} ${d("policyCode","Retention rule",e,i,"retention.policyCode",40,"A code of the organization’s settings")}`},{id:"tier",title:"Tier",stored:e=>({tier:String(e.complexity?.override?.tier??e.complexity?.tier??""),tierReason:e.complexity?.override?.reason??""}),change:e=>({complexity:{override:{tier:Number(e.tier??0),reason:e.tierReason??""}}}),draw:(e,i)=>a`<p>${r.complexity?a`The rules came to ${r.complexity.tier?`tier ${r.complexity.tier}`:"no tier"}${r.complexity.override?a`; ${r.complexity.override.byUserId} set another ${j(r.complexity.override.at)}`:o}. ${r.complexity.override?L(r.complexity.override.reason):o}`:"The case was not evaluated yet; you can set a tier all the same once it is."}</p>
        ${l("tier","Tier that counts",["1","2","3","4"].map(s=>[s,`Tier ${s}`]),e.tier??"")} ${d("tierReason","Why",e,i,"complexity.override.reason",500)} ${f(i,"complexity.override.tier")}`}]}customElements.define("subrosa-case-settings",P);
