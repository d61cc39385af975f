import{a as P,b as c}from"./chunk-6GAE7TYM.js";import"./chunk-RKPXGEMS.js";import{b as l}from"./chunk-SPW4SN7A.js";import"./chunk-KSPSALBX.js";import{b as $}from"./chunk-V6YAPRTH.js";import{a as v,c as w}from"./chunk-GIPTC7H3.js";import{c as p,g as y,i as g,j as b}from"./chunk-3T4E4FFS.js";import{a as o,c as r}from"./chunk-FXAGWDIM.js";import{b as h,i as u,l as m}from"./chunk-OQ4UEFJX.js";var S={openedBy:["owners","users","agents"],conflictPolicy:["flag","block"],defaultAiPolicy:["no_model","local_model_only","model_allowed"],a2aDefaultContainer:["ask","new_case"]},f=class extends ${settings=new v(this,()=>u("/v1/settings",{signal:this.left}));refusal;connectedCallback(){super.connectedCallback(),this.settings.run()}async save(e){e.preventDefault();let s=this.settings.value;if(!s)return;let t=new FormData(e.currentTarget),a=i=>String(t.get(i)??"").trim(),d={openedBy:a("openedBy"),conflictPolicy:a("conflictPolicy"),defaultAiPolicy:a("defaultAiPolicy"),a2aDefaultContainer:a("a2aDefaultContainer"),archiveAfterDays:a("archiveAfterDays")===""?null:Number(a("archiveAfterDays")),removeOriginals:t.get("removeOriginals")!==null||s.body.removeOriginals&&!s.body.originals,allowedWords:a("allowedWords").split(`
`).map(i=>i.trim()).filter(i=>i!==""),authorities:a("authorities").split(`
`).map(i=>i.trim()).filter(i=>i!==""),tierCutPoints:a("tierCutPoints").split(",").map(i=>Number(i.trim()))};try{await m("/v1/settings",d,{ifMatch:s.etag}),this.refusal=void 0,b("Saved. It applies to everybody within a few seconds.")}catch(i){let n=w(i);if(this.refusal=n.status===412?new h(412,n.code,"Somebody changed the settings meanwhile. They are shown as they are now; make your change again."):n,n.status!==412){this.requestUpdate();return}}await this.settings.run()}render(){return o`<section class="narrow">
      <h1>Organization</h1>
      <p>What holds for all cases of <code>${P()?.tenant}</code>.${c("admin")?"":" Changing it needs the role admin."}</p>
      ${p(this.refusal)} ${this.settings.render(({body:e})=>this.renderForm(e))}
    </section>`}renderForm(e){let s=!c("admin"),t=(a,d,i)=>o`<div class="field">
      <label for=${a}>${d}</label>
      <select id=${a} name=${a} ?disabled=${s}>
        ${S[a].map(n=>o`<option value=${n} ?selected=${n===i}>${y(n)}</option>`)}
      </select>
    </div>`;return o`<form @submit=${a=>{this.save(a)}}>
      ${t("openedBy","Who may open cases",e.openedBy)} ${t("conflictPolicy","When a conflict of interest shows",e.conflictPolicy)} ${t("defaultAiPolicy","Language models, unless a case says otherwise",e.defaultAiPolicy)} ${t("a2aDefaultContainer","When another agent's message names no case",e.a2aDefaultContainer)}
      <div class="field">
        <label for="archiveAfterDays">Archive closed cases after (days)</label>
        <input id="archiveAfterDays" name="archiveAfterDays" type="number" min="1" .value=${String(e.archiveAfterDays??"")} ?disabled=${s} />
        <p class="fine">Empty: never by itself.</p>
      </div>
      <div class="field">
        <label for="tierCutPoints">Scores at which the next tier begins</label>
        <input id="tierCutPoints" name="tierCutPoints" .value=${e.tierCutPoints.join(", ")} ?disabled=${s} />
      </div>
      <div class="field">
        <label for="allowedWords">Words that identify nobody</label>
        <textarea id="allowedWords" name="allowedWords" .value=${e.allowedWords.join(`
`)} ?disabled=${s}></textarea>
        <p class="fine">One in a line, such as the telephone number of a court's clerk. They pass at every door; never put a client's name here.</p>
      </div>
      <div class="field">
        <label for="authorities">Authorities that a language model may cite</label>
        <textarea id="authorities" name="authorities" .value=${e.authorities.join(`
`)} ?disabled=${s}></textarea>
        <p class="fine">One citation in a line, such as 347 U.S. 483, without names; at most 5,000. An authority that stands neither here nor in a file of the case is taken out of the answer.</p>
      </div>
      ${this.renderOriginals(e,s)}
      <p class="actions"><button ?disabled=${s}>Save</button></p>
    </form>`}renderOriginals(e,s){let t=e.originals;return t?o`<fieldset>
      <legend>Originals from before</legend>
      <p>Word files, PDFs, web pages and e-mails used to be stored as they were sent. Now only what was read of them is kept and handed out. <strong>${l(t.setAside,"original","originals")}, ${g(t.sizeBytes)} in all, ${t.setAside===1?"is":"are"} set aside.</strong> Nobody can fetch them.
        ${t.waiting>0?`${l(t.waiting,"file waits","files wait")} for what replaces the original.`:r} ${t.unreadable>0?`${l(t.unreadable,"file","files")} could not be read well enough; their bytes stay, and nobody can fetch them.`:r}</p>
      <label class="check"><input type="checkbox" name="removeOriginals" value="true" ?checked=${e.removeOriginals} ?disabled=${s} />Remove each of them 30 days after it was set aside, but never while its case is under legal hold. They cannot be had back then.</label>
    </fieldset>`:r}};customElements.define("subrosa-organization",f);
