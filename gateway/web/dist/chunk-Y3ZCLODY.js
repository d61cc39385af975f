import{a as c}from"./chunk-AA4TCGJD.js";import{a as h}from"./chunk-MZRFR65W.js";import{a as d,c as p}from"./chunk-V6YAPRTH.js";import{c as u}from"./chunk-3T4E4FFS.js";import{a as t,c as i}from"./chunk-FXAGWDIM.js";var r;function w(s){return r??=new Promise(l=>{let e=new a(s);e.done=()=>{e.remove(),r=void 0,l(s.state==="open")},document.body.append(e)}),r}var a=class extends d{constructor(e){super();this.vault=e}vault;done=()=>{};busy=!1;refusal;changed;stop=()=>{};connectedCallback(){super.connectedCallback(),this.stop=this.vault.subscribe(()=>{this.vault.state==="open"&&!this.busy?this.close():this.requestUpdate()})}disconnectedCallback(){super.disconnectedCallback(),this.stop()}firstUpdated(){let e=this.dialog;e.addEventListener("close",()=>this.done(),{once:!0}),e.showModal()}get dialog(){return this.querySelector("dialog")}close(){this.dialog.close()}async unlock(e){e.preventDefault();let o=this.querySelector("#vault-passphrase");if(!o||this.busy)return;let v=o.value;this.busy=!0,this.refusal=void 0,this.changed=void 0,this.requestUpdate(),await f();try{await this.vault.unlock(v),o.value="",this.vault.state==="open"&&this.close()}catch(n){this.refusal=c(n),n instanceof h&&(this.changed=n)}finally{this.busy=!1,this.requestUpdate(),await this.updateComplete,this.refusal&&this.querySelector("#vault-passphrase")?.select()}}async believe(e){await this.vault.believe(e.version,e.now),this.changed=void 0,this.refusal=void 0,this.requestUpdate()}toVault(){this.close(),p("/app/vault")}render(){return t`<dialog aria-labelledby="vault-ask">
      <h2 id="vault-ask">${this.vault.state==="none"?"You have no vault yet":"Unlock your vault"}</h2>
      ${this.renderBody()}
    </dialog>`}renderBody(){return this.vault.state==="none"?t`<p>Real names are encrypted with keys that only you and your colleagues have. Make your vault first; it takes a minute.</p>
        ${this.actions(t`<button type="button" @click=${()=>this.toVault()}>Make your vault</button>`)}`:this.vault.state==="waiting"?t`<p>Your vault is open, but the firm’s key is not in it yet. A colleague who holds it gives it to you; the page of the vault says how.</p>
        ${this.actions(t`<button type="button" @click=${()=>this.toVault()}>See the vault</button>`)}`:t`<p>Names are decrypted in this page alone. Your passphrase is sent nowhere.</p>
      ${u(this.refusal)} ${this.changed?this.renderChanged(this.changed):i}
      <form @submit=${e=>{this.unlock(e)}}>
        <div class="field">
          <label for="vault-passphrase">Passphrase</label>
          <input id="vault-passphrase" type="password" autocomplete="current-password" required autofocus aria-invalid=${this.refusal?"true":i} />
        </div>
        ${this.actions(t`<button ?disabled=${this.busy}>${this.busy?"Unlocking…":"Unlock"}</button>`)}
      </form>`}renderChanged(e){return t`<dl class="facts">
        ${e.seen?t`<dt>Seen before</dt>
              <dd><code>${e.seen}</code></dd>`:i}
        <dt>${e.seen?"Now":"The new key"}</dt>
        <dd><code>${e.now}</code></dd>
      </dl>
      <p><button type="button" class="danger" @click=${()=>{this.believe(e)}}>A colleague sees ${e.seen?"the new one":"this one"} too: believe it</button></p>`}actions(e){return t`<p class="actions">${e}<button type="button" class="quiet" @click=${()=>this.close()}>Not now</button></p>`}};function f(){return new Promise(s=>requestAnimationFrame(()=>setTimeout(s)))}customElements.define("subrosa-unlock",a);export{w as a,f as b};
