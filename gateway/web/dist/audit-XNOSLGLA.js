import{d as A}from"./chunk-RRLU6A3P.js";import"./chunk-UXGOSSVE.js";import"./chunk-ATSC2APW.js";import{a as S}from"./chunk-6GAE7TYM.js";import"./chunk-RKPXGEMS.js";import"./chunk-TAB4D23J.js";import{b as C,c as E}from"./chunk-V6YAPRTH.js";import{b as q,c as l}from"./chunk-GIPTC7H3.js";import{b as $,c as y,e as w,g as k,h as d}from"./chunk-3T4E4FFS.js";import{a as n,c}from"./chunk-FXAGWDIM.js";import{h as v,o as b}from"./chunk-OQ4UEFJX.js";var h=["case","party","agents","auth"],x="subrosa-audit-1",N=new TextEncoder;async function I(t){let e=t.map(r=>`${N.encode(r).length}:${r},`).join(""),s=new Uint8Array(await crypto.subtle.digest("SHA-256",N.encode(e)));return Array.from(s,r=>r.toString(16).padStart(2,"0")).join("")}function P(t){return I([x,"genesis",t])}function H(t){let e=[x,"event",String(t.seq),new Date(t.at).toISOString(),t.actor.kind,t.actor.id,t.action,t.resource.type,t.resource.id,t.outcome,t.requestId??"",t.contentSha256??"",t.prevHash];return t.actor.userId&&e.push(t.actor.userId),I(e)}var R=(t,e)=>`subrosa:audit:${t}/${e}`;function D(t,e){try{return JSON.parse(localStorage.getItem(R(t,e))??"null")}catch{return}}async function T(t,e,s,r){let a=D(t,e),i={chain:e,events:0,head:"",reason:""},m=await P(t),u="";do{let g=await v(b(`/v1/audit/${e}`,{limit:100,cursor:u}),{signal:s});for(let o of g.items){if(i.reason=await O(o,i.events,m,a),i.reason!=="")return i;m=o.hash,i.events=o.seq,i.head=o.hash}r(i.events),u=g.nextCursor??""}while(u!=="");return a&&a.seq>i.events?i.reason=`It ends at event ${i.events}; when this browser last checked, it went to ${a.seq}.`:i.events>0&&localStorage.setItem(R(t,e),JSON.stringify({seq:i.events,hash:i.head})),i}async function O(t,e,s,r){return t.seq>e+1?`Event ${e+1} is missing.`:t.seq<e+1?`An earlier event stands in the place of event ${e+1}.`:t.hash!==await H(t)?`What event ${t.seq} says does not fit its hash.`:t.prevHash!==s?t.seq===1?"It does not begin your organization's chain.":`Event ${t.seq} does not follow the one before it.`:r?.seq===t.seq&&r.hash!==t.hash?`Event ${t.seq} is not the one that was there when this browser last checked.`:""}var f={case:"Cases",party:"Parties, partners and vault",agents:"Agents",auth:"Sign-ins and applications"},p=class extends C{events=new q(this,()=>`/v1/audit/${this.chain}`,()=>this.filters(),()=>this.left);checked=[];checking="";refusal;get chain(){let e=this.query.get("chain");return h.find(s=>s===e)??"case"}filters(){let e=(s,r)=>{let a=this.query.get(s);if(!a)return"";let i=new Date(`${a}T00:00:00`);return i.setDate(i.getDate()+r),Number.isNaN(i.getTime())?"":i.toISOString()};return{limit:50,resourceId:this.query.get("case")??"",action:this.query.get("action")??"",from:e("from",0),to:e("to",1)}}connectedCallback(){super.connectedCallback(),this.events.restart()}async choose(e){e.preventDefault();let s=new URLSearchParams;for(let[r,a]of new FormData(e.currentTarget))typeof a=="string"&&a!==""&&s.set(r,a);try{await A({q:[s.get("case")??"",s.get("action")??""]},!1)}catch(r){this.refusal=l(r),this.requestUpdate();return}E(`/app/audit?${s}`)}async verify(){let e=S()?.tenant??"";this.checked=[],this.refusal=void 0;for(let s of h){let r=a=>{this.checking=`${f[s]}: ${a} events checked…`,this.requestUpdate()};r(0);try{this.checked.push(await T(e,s,this.left,r))}catch(a){if(this.left.aborted)return;this.refusal=l(a);break}}this.checking="",this.requestUpdate()}render(){return n`<h1>What happened</h1>
      <p>Who did what and when, without content. Every event holds the hash of the one before it, so that none can be changed or left out unseen; this page can check that by itself, from the first event on.</p>
      <p class="actions">
        <button ?disabled=${this.checking!==""} @click=${()=>{this.verify()}}>Check all chains here</button>
        <span role="status">${this.checking}</span>
      </p>
      ${y(this.refusal)} ${this.checked.length>0?this.renderChecked():c}
      <form class="filters" @submit=${e=>{this.choose(e)}}>
        <div class="field">
          <label for="chain">Chain</label>
          <select id="chain" name="chain">
            ${h.map(e=>n`<option value=${e} ?selected=${e===this.chain}>${f[e]}</option>`)}
          </select>
        </div>
        <div class="field"><label for="resource">About (id)</label><input id="resource" name="case" .value=${this.query.get("case")??""} maxlength="256" autocomplete="off" /></div>
        <div class="field"><label for="action">Action</label><input id="action" name="action" .value=${this.query.get("action")??""} placeholder="case.create" maxlength="100" autocomplete="off" /></div>
        <div class="field"><label for="from">From</label><input id="from" name="from" type="date" .value=${this.query.get("from")??""} /></div>
        <div class="field"><label for="to">To</label><input id="to" name="to" type="date" .value=${this.query.get("to")??""} /></div>
        <button class="quiet">Show</button>
      </form>
      ${this.events.render(e=>n`<div class="scroll" tabindex="0" role="region" aria-label="Events">
          <table>
            <thead>
              <tr><th scope="col">No.</th><th scope="col">When</th><th scope="col">Who</th><th scope="col">Did</th><th scope="col">Outcome</th><th scope="col">To</th></tr>
            </thead>
            <tbody>
              ${e.map(s=>this.renderEvent(s))}
            </tbody>
          </table>
        </div>`,$("No event on this chain fits."))}`}renderChecked(){return n`<ul class="rows" aria-label="Result of the check">
      ${this.checked.map(e=>n`<li>
          ${e.reason===""?d("whole","good"):d("broken","bad")} <strong>${f[e.chain]}</strong>: ${e.events} events. ${e.reason}
          ${e.head?n`<br /><span class="fine">Ends with <code>${e.head}</code></span>`:c}
        </li>`)}
    </ul>`}renderEvent(e){let{actor:s,resource:r}=e;return n`<tr>
      <td>${e.seq}</td>
      <td>${w(e.at)}</td>
      <td>${k(s.kind)} <code>${s.id}</code>${s.userId&&s.userId!==s.id?n` for <code>${s.userId}</code>`:c}</td>
      <td><code>${e.action}</code></td>
      <td>${d(e.outcome,e.outcome==="ok"?"good":"warn")}</td>
      <td>${r.type} <code>${r.id}</code></td>
    </tr>`}};customElements.define("subrosa-audit",p);
