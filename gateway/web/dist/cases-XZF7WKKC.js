import{b as r,c as n,d as A,e as i,f as l}from"./chunk-F73WSRDH.js";import{a as q}from"./chunk-SPW4SN7A.js";import{g as c,h as C,i as E,j as R,k as d,l as j,m as S}from"./chunk-KSPSALBX.js";import{b as k,c as T}from"./chunk-V6YAPRTH.js";import{b as w,c as $}from"./chunk-GIPTC7H3.js";import{b,g as o}from"./chunk-3T4E4FFS.js";import{a,c as h}from"./chunk-FXAGWDIM.js";import{j as f,o as y,p as v,q as g}from"./chunk-OQ4UEFJX.js";var M=["q","status","tier","jurisdiction","practiceArea","hasPendingReview","sort"],u="[A-Za-z]{2}(-[A-Za-z0-9]{1,3})?",m=class extends k{list=new w(this,()=>"/v1/cases",()=>({...this.chosen,includeTotal:!0}),()=>this.left);chosen={};typing=0;refusal;making=!1;key=v();connectedCallback(){super.connectedCallback();for(let t of M){let e=this.query.get(t);e&&(this.chosen[t]=e)}this.list.restart()}disconnectedCallback(){super.disconnectedCallback(),clearTimeout(this.typing)}firstUpdated(){this.query.get("do")==="new"&&this.open()}open(){this.querySelector("dialog")?.showModal()}choose(t){let e=l(t),s=e.jurisdiction?.toUpperCase();if(s&&!new RegExp(`^${u}$`).test(s))return;let p={...e,...s&&{jurisdiction:s}};this.chosen=p,this.list.restart().then(N=>{N&&this.isConnected&&history.replaceState(null,"",y("/app/cases",p))})}soon(t){let e=t.currentTarget.closest("form");clearTimeout(this.typing),this.typing=setTimeout(()=>this.choose(e),t.type==="change"?0:300)}async make(t){t.preventDefault();let e=l(t.currentTarget);this.making=!0,this.requestUpdate();try{let s=await f("/v1/cases",{title:e.title,summary:e.summary,jurisdiction:e.jurisdiction?.toUpperCase(),matterKind:e.matterKind,side:e.side,practiceAreas:e.practiceAreas?[{scheme:"LIST",code:C(e.practiceAreas),primary:!0}]:void 0},{key:this.key});T(`/app/cases/${s.caseId}`)}catch(s){this.refusal=$(s),this.key=g(this.key,this.refusal)}finally{this.making=!1,this.requestUpdate()}}render(){let t=Object.keys(this.chosen).some(e=>e!=="sort");return a`<div class="between">
        <h1>Cases</h1>
        <p><button @click=${()=>this.open()}>New case</button></p>
      </div>
      ${this.renderFilters()}
      <p class="fine" role="status">${this.list.total===void 0?h:`${this.list.total} ${this.list.total===1?"case":"cases"}`}</p>
      ${this.list.render(e=>a`<ul class="rows">${e.map(q)}</ul>`,b(t?a`No case fits. <a href="/app/cases">Show all cases</a>`:"No case yet. Make one with “New case”; an agent that is connected can make one too."))}
      ${this.renderNew()}`}renderFilters(){let t=e=>this.chosen[e]??"";return a`<form class="filters" role="search" @change=${e=>this.soon(e)} @submit=${e=>(e.preventDefault(),this.choose(e.currentTarget))}>
      <div class="field">
        <label for="q">Words</label>
        <input id="q" name="q" type="search" maxlength="200" .value=${t("q")} placeholder="title, summary, tags" />
      </div>
      ${i("status","Status",E.map(e=>[e,o(e)]),t("status"),"Any")} ${i("tier","Tier",R,t("tier"),"Any")}
      <div class="field">
        <label for="jurisdiction">Jurisdiction</label>
        <input id="jurisdiction" name="jurisdiction" .value=${t("jurisdiction")} pattern=${u} placeholder="US or US-CA" autocomplete="off" @input=${e=>this.soon(e)} />
      </div>
      ${i("practiceArea","Area of law",c,t("practiceArea"),"Any")} ${i("hasPendingReview","Review",[["true","Waiting for review"],["false","Nothing waiting"]],t("hasPendingReview"),"Any")}
      ${i("sort","Order",d.slice(1),t("sort"),d[0]?.[1])}
    </form>`}renderNew(){return a`<dialog aria-labelledby="new-case">
      <form @submit=${t=>{this.make(t)}}>
        <h2 id="new-case">New case</h2>
        <p>Write labels in the place of names, such as <span class="label">[Party 1]</span>. All of this can be changed later.</p>
        ${A(this.refusal)}
        <div class="field">
          <label for="title">Title</label>
          <input id="title" name="title" maxlength="200" aria-invalid=${n(this.refusal,"title")} aria-describedby="problem-title" placeholder="Lease dispute, [Party 1] and [Party 2]" />
          ${r(this.refusal,"title",this.typed("title"))}
        </div>
        <div class="field">
          <label for="summary">Summary</label>
          <textarea id="summary" name="summary" maxlength="4000" aria-invalid=${n(this.refusal,"summary")} aria-describedby="problem-summary"></textarea>
          ${r(this.refusal,"summary",this.typed("summary"))}
        </div>
        ${i("matterKind","Kind",j.map(t=>[t,o(t)]),"litigation")} ${i("side","Our side",S,"","Not known yet")} ${i("practiceAreas","Area of law",c,"","Not known yet")}
        <div class="field">
          <label for="where">Jurisdiction</label>
          <input id="where" name="jurisdiction" pattern=${u} maxlength="6" autocomplete="off" placeholder="US-CA" aria-describedby="where-says problem-jurisdiction" />
          <p class="fine" id="where-says">US for federal law, US-CA for California, GB-ENG for England.</p>
          ${r(this.refusal,"jurisdiction")}
        </div>
        <p class="actions">
          <button ?disabled=${this.making}>${this.making?"Making…":"Make the case"}</button>
          <button type="button" class="quiet" @click=${()=>this.querySelector("dialog")?.close()}>Cancel</button>
        </p>
      </form>
    </dialog>`}typed(t){return(this.querySelector(`dialog #${t}`)?.value??"").trim()}};customElements.define("subrosa-cases",m);
