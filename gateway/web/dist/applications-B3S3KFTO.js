import{a as u}from"./chunk-IH7ZLPEB.js";import{b as m}from"./chunk-V6YAPRTH.js";import{b as c,c as p}from"./chunk-GIPTC7H3.js";import{b as i,c as r,e as a,h as d,j as l}from"./chunk-3T4E4FFS.js";import{a as s}from"./chunk-FXAGWDIM.js";import{m as o}from"./chunk-OQ4UEFJX.js";var h={"cases:read":"read your cases","cases:write":"change your cases","agent:run":"set the legal agent to work"},n=class extends m{grants=new c(this,()=>"/v1/grants",()=>({limit:25}),()=>this.left);refusal;connectedCallback(){super.connectedCallback(),this.grants.restart()}async end(e){if(await u({title:`End ${e.clientName}?`,text:"It has no access any more. To use it again, sign in to it again.",action:"End it"})){try{await o(`/v1/grants/${e.grantId}`),l(`${e.clientName} can do nothing more.`),this.refusal=void 0}catch(f){this.refusal=p(f)}await this.grants.restart()}}render(){return s`<h1>Connected applications</h1>
      <p>Assistants and other applications that you connected to <code>${location.origin}/api/mcp</code>. Each sees labels only, and does no more than you allowed.</p>
      ${r(this.refusal)}
      ${this.grants.render(e=>s`<ul class="rows">
          ${e.map(t=>this.renderGrant(t))}
        </ul>`,i("No application is connected. Paste the address above into your assistant's settings to connect one; it leads you here to sign in and to allow it."))}`}renderGrant(e){return s`<li>
      <div class="between">
        <h2>${e.clientName}</h2>
        ${e.verified?d("describes itself at its own address","good"):d("registered itself","warn")}
      </div>
      <p>May ${new Intl.ListFormat("en").format(e.scopes.map(t=>h[t]))}.</p>
      <dl class="facts">
        <dt>Led back to</dt>
        <dd><code>${e.redirectHost}</code></dd>
        <dt>Known as</dt>
        <dd><code>${e.clientId}</code></dd>
        <dt>Allowed</dt>
        <dd>${a(e.createdAt)}</dd>
        <dt>Last used</dt>
        <dd>${a(e.lastUsedAt)}</dd>
        <dt>Ends</dt>
        <dd>${a(e.expiresAt)}</dd>
      </dl>
      <button class="danger" @click=${()=>{this.end(e)}}>End ${e.clientName}</button>
    </li>`}};customElements.define("subrosa-applications",n);
