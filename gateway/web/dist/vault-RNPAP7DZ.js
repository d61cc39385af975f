import{a as q}from"./chunk-FZIAPT2X.js";import{b as Q}from"./chunk-Y3ZCLODY.js";import{a as R}from"./chunk-AA4TCGJD.js";import{a as C,b as G,d as a}from"./chunk-4TPDGNL2.js";import"./chunk-RKPXGEMS.js";import{g as S,h as B,i as W,k as Y,m as D,n as H,o as z,p as I,q as k,s as J,t as X,u as K,w as T,x as M,y as _}from"./chunk-WKS6LIUW.js";import"./chunk-TAB4D23J.js";import{b as y}from"./chunk-MZRFR65W.js";import{a as F,b as U}from"./chunk-V6YAPRTH.js";import"./chunk-GIPTC7H3.js";import{a as V,c as v,e as x,h as w,j as b}from"./chunk-3T4E4FFS.js";import{a as o,c}from"./chunk-FXAGWDIM.js";import{b as P,k as g}from"./chunk-OQ4UEFJX.js";var A="subrosa-vault-1",ie=1<<20;function E(s,e=s.stored){if(!e)throw new y("You have no vault yet.");let t={format:A,tenant:s.caller.tenant,user:s.caller.user,vault:e};return new Blob([JSON.stringify(t,null,2)+`
`],{type:"application/json"})}async function Z(s,e){let t=e.size<=ie?oe(await e.text()):void 0;if(!t)throw new y("This file is no backup of a vault.");if(t.tenant!==s.caller.tenant||t.user!==s.caller.user)throw new y(`This is the vault of ${t.user} at ${t.tenant}, and you are ${s.caller.user} at ${s.caller.tenant}.`);return t.vault}function oe(s){try{let e=JSON.parse(s),t=e?.vault;return e?.format!==A||typeof e.tenant!="string"||typeof e.user!="string"||!t||typeof t.publicKey!="string"||typeof t.blob!="string"||!Array.isArray(t.keys)?void 0:{format:A,tenant:e.tenant,user:e.user,vault:t}}catch{return}}async function ee(s,e,t,r){if(await s.load(!0),s.stored&&!r)throw new y("You have a vault already: confirm that the saved one may replace it.");let i=await Y(e.publicKey,e.blob,t);await s.save(e.publicKey,e.blob);let p=[];for(let d of e.keys)if(!s.stored?.keys.some(u=>u.keyVersion===d.keyVersion))try{await H(i,s.caller.tenant,d.keyVersion,d);let u={publicKey:e.publicKey,ephemeralKey:d.ephemeralKey,iv:d.iv,ct:d.ct};await g(`/v1/vault/members/${encodeURIComponent(s.caller.user)}/keys/${d.keyVersion}`,u)}catch(u){if(u instanceof P&&u.status!==404&&u.status!==409)throw u;p.push(`Firm key ${d.keyVersion} of the backup: ${u instanceof Error?u.message:"it does not open"}`)}return await s.unlock(t),p}async function $(s){let[e,t]=await Promise.all([k("/v1/vault/members"),C(s.place)]),r=s.stored?.keyVersion??0;return Promise.all(e.map(async i=>{let p=t.members[i.userId];return{...i,fingerprint:await W(i.publicKey).catch(()=>"damaged"),compared:p?p===i.publicKey?"same":"changed":"never",holdsPresent:r>0&&i.keyVersions.includes(r),you:i.userId===s.caller.user}}))}async function te(s,e){await G(s.place,{members:{[e.userId]:e.publicKey}})}async function se(s,e){let t=s.ownPair();if((await C(s.place)).members[e.userId]!==e.publicKey)throw new y(`Compare the fingerprint with ${e.userId} first.`);let r=0;for(let i of s.held()){let p=ne(s.stored,i.version);if(!p||e.keyVersions.includes(i.version))continue;let d=await z(t,i.tenant,i.version,p,e.publicKey);await g(`/v1/vault/members/${encodeURIComponent(e.userId)}/keys/${i.version}`,{publicKey:e.publicKey,...d}),r++}return r}function ne(s,e){return s?.keys.find(t=>t.keyVersion===e)}function N(s,e){return s.filter(t=>!t.you&&t.holdsPresent&&!e.has(t.userId)&&t.compared!=="same")}async function re(s,e){let t=s.ownPair();await s.refresh();let r=await $(s),i=new Set(e),p=N(r,i);if(p.length>0)throw new y(`Compare the fingerprints of ${p.map(n=>n.userId).join(", ")} first: no key was made.`);if(i.has(s.caller.user))throw new y("You cannot remove yourself: another owner does that.");let d=r.filter(n=>!i.has(n.userId)&&(n.you||n.holdsPresent)).map(n=>({userId:n.userId,publicKey:n.you?t.publicKey:n.publicKey})),u=(s.stored?.keyVersion??0)+1,{key:h,wrapped:l}=await D(s.caller.tenant,u,d.map(n=>n.publicKey)),f=d.map((n,m)=>({...n,...l[m]}));await s.rotated(h,f,e)}var le=20,pe=10;async function ae(s,e,t){let r=s.current(),i=new Map,p=(l,f,n)=>{let m={step:l,done:f,of:n,left:[...i.values()]};return e(m),m},d=async(l,f,n)=>{try{await n()}catch(m){if(s.current(),de(m))throw m;i.set(l,`${f}: ${m instanceof Error?m.message:"it does not open"}`)}};for(let l=1;;l++){let f=(await k("/v1/parties",{},{signal:t})).filter(n=>n.sealed&&n.sealed.keyVersion!==r.version&&!i.has(n.partyId));if(f.length===0)break;if(l>pe){for(let n of f)i.set(n.partyId,`${n.label}: it is under an old key again each time that it was sealed anew`);break}await O(f,t,n=>p("parties",n,f.length),async n=>{await d(n.partyId,n.label,()=>ue(s,n,r))})}let u=i.size>0?[]:(await k("/v1/parties",{},{signal:t})).filter(l=>l.sealed?.keyVersion===r.version);await O(u,t,l=>p("tokens",l,u.length),async l=>{await d(l.partyId,l.label,()=>ce(s,l,r))});let h=await k("/v1/cases",{},{signal:t});return await O(h,t,l=>p("labels",l,h.length),async({caseId:l})=>{await d(l,`labels of case ${l}`,()=>he(s,l,r))}),p("labels",h.length,h.length)}async function O(s,e,t,r){for(let[i,p]of s.entries())t(i),e.throwIfAborted(),await r(p)}function de(s){return s instanceof P&&(s.status===0||s.status===401||s.status===429||s.status>=500)}async function ue(s,e,t){let r=e.sealed,i=await M(s,e),p=s.key(r.keyVersion),{iv:d,ct:u}=await I(t,p,r,r.aad),h=await T(t,e.kind,i),l=await T(p,e.kind,i);h.length+l.length<=le&&h.push(...l),await K(e,{identityRef:e.identityRef,sealed:{...r,keyVersion:t.version,iv:d,ct:u},conflictTokens:h})}async function ce(s,e,t){let r=await T(t,e.kind,await M(s,e));r.length!==e.conflictTokenCount&&await K(e,{identityRef:e.identityRef,sealed:e.sealed,conflictTokens:r})}async function he(s,e,t){let r=await _(e);if(!r||r.keyVersion===t.version)return;let i=s.key(r.keyVersion);if(!i)throw new B("damaged");let{iv:p,ct:d}=await I(t,i,r,`${e}:labels`);await g(X(e),{keyVersion:t.version,iv:p,ct:d},{ifMatch:J(r.version)})}var L=class extends F{list;refusal;comparing;leaving=new Set;busy=!1;progress;ending=new AbortController;stop=()=>{};connectedCallback(){super.connectedCallback(),this.ending=new AbortController,this.stop=a.subscribe(()=>this.requestUpdate()),this.read()}disconnectedCallback(){super.disconnectedCallback(),this.ending.abort(),this.stop()}async read(){await this.doing(async()=>{this.list=await $(a),this.leaving=new Set([...this.leaving].filter(e=>this.list?.some(t=>t.userId===e)))})}async doing(e){this.busy=!0,this.refusal=void 0,this.requestUpdate();try{return await e(),!0}catch(t){return this.ending.signal.aborted||(this.refusal=R(t)),!1}finally{this.busy=!1,this.requestUpdate()}}compare(e){this.comparing=e,this.requestUpdate(),this.updateComplete.then(()=>this.querySelector("dialog")?.showModal())}async agreed(e){e.preventDefault();let t=this.comparing;t&&(this.querySelector("dialog")?.close(),await this.doing(async()=>{await te(a,t),a.state==="open"&&await se(a,t)>0&&b(`${t.userId} has the firm’s key now. Have them compare its fingerprint with you.`),this.list=await $(a)}))}async makeNewKey(e){e.preventDefault(),await this.doing(async()=>{await re(a,[...this.leaving]),this.leaving.clear(),this.list=await $(a)})&&await this.sealAnew()}async sealAnew(){await this.doing(async()=>{(await ae(a,t=>this.show(t),this.ending.signal)).left.length===0&&b("Everything is sealed under the firm’s present key.")})}show(e){this.progress=e,this.requestUpdate()}render(){let e=this.list;return o`<h2>Who can read names</h2>
      <p>Whoever holds the firm’s present key reads the names of all its cases. Before you give it to a colleague, compare their fingerprint by telephone or face to face: this service could have put another key in the place of theirs.</p>
      ${v(this.refusal,e?void 0:()=>{this.read()})} ${e?this.renderList(e):this.refusal?c:V()}
      ${e&&a.owner&&a.state==="open"?this.renderNewKey(e):c} ${a.state==="open"?this.renderReseal():c} ${this.renderDialog()}`}renderList(e){return o`<ul class="rows">
      ${e.map(t=>o`<li>
          <div class="between">
            <strong>${t.userId}${t.you?" (you)":""}</strong>
            <span>${t.holdsPresent?w("holds the key","good"):w("has no key","warn")} ${t.you?c:this.renderCompared(t)}</span>
          </div>
          <p class="fine">By what the service says: <code>${t.fingerprint}</code></p>
          ${t.you||t.compared==="same"&&(t.holdsPresent||a.state!=="open")?c:o`<p class="actions"><button class="quiet" ?disabled=${this.busy} @click=${()=>this.compare(t)}>${t.holdsPresent||a.state!=="open"?"Compare the fingerprint":"Compare and give the key"}</button></p>`}
        </li>`)}
    </ul>`}renderCompared(e){return e.compared==="changed"?w("changed since you compared it","bad"):e.compared==="same"?w("compared","good"):w("not compared here","plain")}renderDialog(){let e=this.comparing;return e?o`<dialog aria-labelledby="compare" @close=${()=>this.forget()}>
      <form @submit=${t=>{this.agreed(t)}}>
        <h2 id="compare">Compare with ${e.userId}</h2>
        ${e.compared==="changed"?o`<p class="refusal">Their key has changed since you compared it in this browser. They may have made a new vault; ask them.</p>`:c}
        <p>Ask ${e.userId}, by telephone or face to face, to open the page of the vault and read you their own fingerprint. It must be this one:</p>
        <pre>${e.fingerprint}</pre>
        <p class="actions"><button>They read me this one</button><button type="button" class="quiet" @click=${()=>this.querySelector("dialog")?.close()}>It is another, or I cannot ask now</button></p>
      </form>
    </dialog>`:c}forget(){this.comparing=void 0,this.requestUpdate()}renderNewKey(e){let t=N(e,this.leaving),r=e.filter(i=>!i.you);return o`<h2>A new firm key</h2>
      <p>Make one when somebody leaves, or when a key may be known to others. Everybody who stays gets it, and everything is sealed anew under it. Who leaves keeps what they have read before; no cryptography takes that back.</p>
      <form @submit=${i=>{this.makeNewKey(i)}}>
        <fieldset>
          <legend>Who leaves</legend>
          ${r.length===0?o`<p class="fine">Nobody else has a vault.</p>`:r.map(i=>o`<label class="check"><input type="checkbox" .checked=${this.leaving.has(i.userId)} @change=${()=>this.mark(i.userId)} /> ${i.userId} loses their vault and every key</label>`)}
        </fieldset>
        ${t.length>0?o`<p>Compare the fingerprints of ${t.map(i=>i.userId).join(", ")} first: they stay, and a key must not go to a stranger.</p>`:c}
        <p class="actions"><button class="danger" ?disabled=${this.busy||t.length>0}>Make a new key${this.leaving.size>0?" without them":""}</button></p>
      </form>`}mark(e){this.leaving.delete(e)||this.leaving.add(e),this.requestUpdate()}renderReseal(){let e=this.progress;return o`<h2>Sealed under keys before</h2>
      <p>After a new key, everything is sealed anew. If that was interrupted, go on with it here, at any time.</p>
      ${e?o`<p role="status">${{parties:"Names of parties",tokens:"Conflict tokens",labels:"Other labels"}[e.step]}: ${e.done} of ${e.of} <progress max=${Math.max(1,e.of)} value=${e.of===0?1:e.done}></progress></p>
            ${e.left.length>0?o`<p>These were left as they are; colleagues who hold their keys go on with them:</p><ul>${e.left.map(r=>o`<li>${r}</li>`)}</ul>`:c}`:c}
      <p><button class="quiet" ?disabled=${this.busy} @click=${()=>{this.sealAnew()}}>Seal anew what is left</button></p>`}};customElements.define("subrosa-colleagues",L);var j=class extends U{refusals={};busy=!1;print="";copy;problems=[];stop=()=>{};connectedCallback(){super.connectedCallback(),this.stop=a.subscribe(()=>{this.look()}),this.doing("page",()=>a.load(!0))}disconnectedCallback(){super.disconnectedCallback(),this.stop()}async look(){this.print=a.state==="open"||a.state==="waiting"?await a.ownFingerprint():"",this.copy=a.state==="none"?await a.lastSeen():void 0,this.requestUpdate()}async doing(e,t){if(this.busy)return!1;this.busy=!0,this.refusals={...this.refusals,[e]:void 0},this.requestUpdate(),await Q();try{return await t(),!0}catch(r){return this.refusals={...this.refusals,[e]:R(r)},!1}finally{this.busy=!1,this.requestUpdate()}}field(e){return this.querySelector(`#${e}`)}agreed(e){let[t,r]=[this.field(`${e}-new`),this.field(`${e}-again`)];return r.setCustomValidity(t.value===r.value?"":"The two passphrases differ. Type the same one twice."),r.reportValidity()?t.value:void 0}empty(...e){for(let t of e)this.field(t).value=""}async create(e){e.preventDefault();let t=this.agreed("create");t!==void 0&&await this.doing("create",()=>a.create(t))&&b("Your vault is made and open. Keep a backup of it.")}async changePassphrase(e){e.preventDefault();let t=this.agreed("change");if(t===void 0)return;let r=this.field("change-now").value;await this.doing("passphrase",()=>a.changePassphrase(r,t))&&(this.empty("change-now","change-new","change-again"),b("The passphrase is changed. Backups from before open with the old one."))}async restore(e){e.preventDefault();let t=this.field("restore-file").files?.[0],r=this.field("restore-passphrase").value,i=this.querySelector("#restore-over")?.checked??!1;if(!t)return;await this.doing("restore",async()=>{this.problems=await ee(a,await Z(a,t),r,i)})&&b("Your vault is back, and open.")}async lockAfter(e){let t=e.target;t.reportValidity()&&await a.setLockAfter(t.valueAsNumber)}render(){return o`<section class="narrow">
      <h1>Vault</h1>
      ${v(this.refusals.page,()=>{this.doing("page",()=>a.load(!0))})} ${this.renderState()}
    </section>`}renderState(){switch(a.state){case"unknown":return this.refusals.page?c:V();case"none":return this.renderNone();case"locked":return o`<p>Your vault is locked: names stay labels until you unlock it. ${this.renderChanged()}</p>
          <p class="actions"><button @click=${()=>{a.ask()}}>Unlock</button></p>
          ${this.renderPassphrase()} ${this.renderBackup()}`;case"waiting":case"open":return o`${a.state==="open"?o`<p>Your vault is open in this browser. ${this.renderChanged()}</p>`:this.renderWaiting()}
          <p class="actions"><button @click=${()=>a.lock()}>Lock now</button></p>
          ${a.warnings.map(e=>o`<p class="notice">${e}</p>`)} ${this.renderKeys()} ${this.renderLockAfter()}
          <subrosa-colleagues></subrosa-colleagues>
          ${this.renderPassphrase()} ${this.renderBackup()}`}}renderChanged(){return a.stored?o`Last changed ${x(a.stored.updatedAt)}.`:c}renderNone(){return o`<p>Real names never reach this service. They are encrypted in your browser, with keys that only you and your colleagues have; your passphrase opens them.</p>
      ${this.copy?o`<div class="notice">
            <p>This browser has seen a vault of yours that the service does not have any more. Save that copy, and put it back below with its passphrase, rather than making a new one.</p>
            <p><button class="quiet" @click=${()=>q(E(a,this.copy),"subrosa-vault.json")}>Save the copy</button></p>
          </div>`:c}
      <h2>Make your vault</h2>
      <p><strong>Nobody can reset the passphrase.</strong> Who forgets it, and has no colleague with the firm’s key, loses the names: we cannot open them, and no court order makes us able to.</p>
      ${v(this.refusals.create)}
      <form @submit=${e=>{this.create(e)}}>
        ${this.renderNew("create")}
        <p class="actions"><button ?disabled=${this.busy}>${this.busy?"Making it…":"Make the vault"}</button></p>
      </form>
      ${this.renderRestore()}`}renderNew(e){return o`<div class="field">
        <label for="${e}-new">New passphrase</label>
        <input id="${e}-new" type="password" autocomplete="new-password" required minlength=${S} aria-describedby="${e}-rule" />
        <p class="fine" id="${e}-rule">At least ${S} characters. Four or five words that nobody would guess are good, and easy to remember.</p>
      </div>
      <div class="field">
        <label for="${e}-again">The same once more</label>
        <input id="${e}-again" type="password" autocomplete="new-password" required @input=${t=>t.target.setCustomValidity("")} />
      </div>`}renderWaiting(){return a.stored?.keyVersion===0&&a.owner?o`<div class="notice">
        <p>The firm has no key yet, and names cannot be sealed without one.</p>
        <p><button ?disabled=${this.busy} @click=${()=>{this.doing("page",()=>a.makeFirstKey())}}>Make the firm’s key</button></p>
      </div>`:o`<div class="notice">
      <p>${a.stored?.keyVersion===0?"The firm has no key yet: an owner makes it on this page.":"Your vault is made, but nobody has given you the firm’s key yet. Read your fingerprint below to a colleague who holds it; they give it to you on this page."}</p>
      <p><button class="quiet" ?disabled=${this.busy} @click=${()=>{this.doing("page",()=>a.refresh())}}>Look again</button></p>
    </div>`}renderKeys(){return o`<h2>Fingerprints</h2>
      <p>Read these to a colleague, by telephone or face to face, when either of you compares keys. Of the firm’s key both must see the same.</p>
      <dl class="facts">
        <dt>Yours</dt>
        <dd><code id="own-fingerprint">${this.print}</code></dd>
        ${a.held().map(e=>o`<dt>Firm key ${e.version}${e.version===a.stored?.keyVersion?", in use":""}</dt>
            <dd><code>${e.fingerprint}</code></dd>`)}
      </dl>`}renderLockAfter(){return o`<h2>Locking</h2>
      <div class="field">
        <label for="lock-after">Lock after so many minutes without use</label>
        <input id="lock-after" type="number" min="1" max="60" step="1" required .valueAsNumber=${a.lockAfter} @change=${e=>{this.lockAfter(e)}} />
        <p class="fine">1 to 60, in this browser. Locking here locks every tab; so does signing out.</p>
      </div>`}renderPassphrase(){return o`<h2>Change the passphrase</h2>
      <p>Only your own key is sealed anew: names stay as they are, and your colleagues notice nothing.</p>
      ${v(this.refusals.passphrase)}
      <form @submit=${e=>{this.changePassphrase(e)}}>
        <div class="field">
          <label for="change-now">Present passphrase</label>
          <input id="change-now" type="password" autocomplete="current-password" required />
        </div>
        ${this.renderNew("change")}
        <p class="actions"><button class="quiet" ?disabled=${this.busy}>Change it</button></p>
      </form>`}renderBackup(){return o`<h2>Backup</h2>
      <p>The file is ciphertext: your passphrase of today opens it, and nothing else does. Keep the two apart. The command line writes and reads the same file.</p>
      <p class="actions"><button class="quiet" @click=${()=>q(E(a),"subrosa-vault.json")}>Save a backup</button></p>
      ${this.renderRestore()}`}renderRestore(){return o`<h2>Put a backup back</h2>
      ${v(this.refusals.restore)} ${this.problems.map(e=>o`<p class="notice">${e}</p>`)}
      <form @submit=${e=>{this.restore(e)}}>
        <div class="field">
          <label for="restore-file">Backup file</label>
          <input id="restore-file" type="file" accept=".json,application/json" required />
        </div>
        <div class="field">
          <label for="restore-passphrase">Passphrase of the backup</label>
          <input id="restore-passphrase" type="password" autocomplete="current-password" required />
        </div>
        ${a.stored?o`<label class="check"><input id="restore-over" type="checkbox" required /> It takes the place of the vault that I have; what only the present one opens is lost</label>`:c}
        <p class="actions"><button class="quiet" ?disabled=${this.busy}>Put it back</button></p>
      </form>`}};customElements.define("subrosa-vault",j);
