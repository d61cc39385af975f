import{a as c}from"./chunk-E2ADZQOI.js";import{B as s,y as h}from"./chunk-VYFLL4HC.js";import{a as d,c as p}from"./chunk-V6YAPRTH.js";import{c as u}from"./chunk-3T4E4FFS.js";import{a as t,c as a}from"./chunk-FXAGWDIM.js";var l;function w(){return l??=new Promise(i=>{let e=new o;e.done=()=>{e.remove(),l=void 0,i(s.state==="open")},document.body.append(e)}),l}var o=class extends d{done=()=>{};busy=!1;refusal;changed;stop=()=>{};connectedCallback(){super.connectedCallback(),this.stop=s.subscribe(()=>{s.state==="open"&&!this.busy?this.close():this.requestUpdate()})}disconnectedCallback(){super.disconnectedCallback(),this.stop()}firstUpdated(){let e=this.dialog;e.addEventListener("close",()=>this.done(),{once:!0}),e.showModal()}get dialog(){return this.querySelector("dialog")}close(){this.dialog.close()}async unlock(e){e.preventDefault();let n=this.querySelector("#vault-passphrase");if(!n||this.busy)return;let v=n.value;this.busy=!0,this.refusal=void 0,this.changed=void 0,this.requestUpdate(),await f();try{await s.unlock(v),n.value="",s.state==="open"&&this.close()}catch(r){this.refusal=c(r),r instanceof h&&(this.changed=r)}finally{this.busy=!1,this.requestUpdate(),await this.updateComplete,this.refusal&&this.querySelector("#vault-passphrase")?.select()}}async believe(e){await s.believe(e.version,e.now),this.changed=void 0,this.refusal=void 0,this.requestUpdate()}toVault(){this.close(),p("/app/vault")}render(){return t`<dialog aria-labelledby="vault-ask">
      <h2 id="vault-ask">${s.state==="none"?"You have no vault yet":"Unlock your vault"}</h2>
      ${this.renderBody()}
    </dialog>`}renderBody(){return s.state==="none"?t`<p>Real names are encrypted with keys that only you and your colleagues have. Make your vault first; it takes a minute.</p>
        ${this.actions(t`<button type="button" @click=${()=>this.toVault()}>Make your vault</button>`)}`:s.state==="waiting"?t`<p>Your vault is open, but the firm’s key is not in it yet. A colleague who holds it gives it to you; the page of the vault says how.</p>
        ${this.actions(t`<button type="button" @click=${()=>this.toVault()}>See the vault</button>`)}`:t`<p>Names are decrypted in this page alone. Your passphrase is sent nowhere.</p>
      ${u(this.refusal)} ${this.changed?this.renderChanged(this.changed):a}
      <form @submit=${e=>{this.unlock(e)}}>
        <div class="field">
          <label for="vault-passphrase">Passphrase</label>
          <input id="vault-passphrase" type="password" autocomplete="current-password" required autofocus aria-invalid=${this.refusal?"true":a} />
        </div>
        ${this.actions(t`<button ?disabled=${this.busy}>${this.busy?"Unlocking…":"Unlock"}</button>`)}
      </form>`}renderChanged(e){return t`<dl class="facts">
        ${e.seen?t`<dt>Seen before</dt>
              <dd><code>${e.seen}</code></dd>`:a}
        <dt>${e.seen?"Now":"The new key"}</dt>
        <dd><code>${e.now}</code></dd>
      </dl>
      <p><button type="button" class="danger" @click=${()=>{this.believe(e)}}>A colleague sees ${e.seen?"the new one":"this one"} too: believe it</button></p>`}actions(e){return t`<p class="actions">${e}<button type="button" class="quiet" @click=${()=>this.close()}>Not now</button></p>`}};function f(){return new Promise(i=>requestAnimationFrame(()=>setTimeout(i)))}customElements.define("subrosa-unlock",o);export{w as a,f as b};
