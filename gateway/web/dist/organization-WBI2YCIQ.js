import{a as w,b as l}from"./chunk-P6GICJ6F.js";import"./chunk-RKPXGEMS.js";import{b}from"./chunk-V6YAPRTH.js";import{a as v,c as g}from"./chunk-BHZOCENG.js";import{c as h,e as m,g as p,j as y}from"./chunk-3T4E4FFS.js";import{a as o}from"./chunk-FXAGWDIM.js";import{a as c,h as f,k as u}from"./chunk-7RS2RJXC.js";var $={openedBy:["owners","users","agents"],conflictPolicy:["flag","block"],defaultAiPolicy:["no_model","local_model_only","model_allowed"]},d=class extends b{settings=new v(this,()=>f("/v1/settings",{signal:this.left}));refusal;connectedCallback(){super.connectedCallback(),this.settings.run()}async save(t){t.preventDefault();let i=this.settings.value;if(!i)return;let r=new FormData(t.currentTarget),e=s=>String(r.get(s)??"").trim(),n={openedBy:e("openedBy"),conflictPolicy:e("conflictPolicy"),defaultAiPolicy:e("defaultAiPolicy"),archiveAfterDays:e("archiveAfterDays")===""?null:Number(e("archiveAfterDays")),allowedWords:e("allowedWords").split(`
`).map(s=>s.trim()).filter(s=>s!==""),tierCutPoints:e("tierCutPoints").split(",").map(s=>Number(s.trim()))};try{await u("/v1/settings",n,{ifMatch:i.etag}),this.refusal=void 0,y("Saved. It holds for everybody within a few seconds.")}catch(s){let a=g(s);if(this.refusal=a.status===412?new c(412,a.code,"Somebody changed the settings meanwhile. They are shown as they are now; make your change again."):a,a.status!==412){this.requestUpdate();return}}await this.settings.run()}render(){return o`<section class="narrow">
      <h1>Organization</h1>
      <p>What holds for all cases of <code>${w()?.tenant}</code>.${l("admin")?"":" Changing it needs the role admin."}</p>
      ${h(this.refusal)} ${this.settings.render(({body:t})=>this.renderForm(t))}
    </section>`}renderForm(t){let i=!l("admin"),r=(e,n,s)=>o`<div class="field">
      <label for=${e}>${n}</label>
      <select id=${e} name=${e} ?disabled=${i}>
        ${$[e].map(a=>o`<option value=${a} ?selected=${a===s}>${p(a)}</option>`)}
      </select>
    </div>`;return o`<form @submit=${e=>{this.save(e)}}>
      ${r("openedBy","Who may open cases",t.openedBy)} ${r("conflictPolicy","When a conflict of interest shows",t.conflictPolicy)} ${r("defaultAiPolicy","Language models, unless a case says otherwise",t.defaultAiPolicy)}
      <div class="field">
        <label for="archiveAfterDays">Archive closed cases after (days)</label>
        <input id="archiveAfterDays" name="archiveAfterDays" type="number" min="1" .value=${String(t.archiveAfterDays??"")} ?disabled=${i} />
        <p class="fine">Empty: never by itself.</p>
      </div>
      <div class="field">
        <label for="tierCutPoints">Scores at which the next tier begins</label>
        <input id="tierCutPoints" name="tierCutPoints" .value=${t.tierCutPoints.join(", ")} ?disabled=${i} />
      </div>
      <div class="field">
        <label for="allowedWords">Words that identify nobody</label>
        <textarea id="allowedWords" name="allowedWords" .value=${t.allowedWords.join(`
`)} ?disabled=${i}></textarea>
        <p class="fine">One in a line, such as the telephone number of a court's clerk. They pass at every door; never put a client's name here.</p>
      </div>
      ${t.updatedAt?o`<p class="fine">Changed ${m(t.updatedAt)}.</p>`:""}
      <p class="actions"><button ?disabled=${i}>Save</button></p>
    </form>`}};customElements.define("subrosa-organization",d);
