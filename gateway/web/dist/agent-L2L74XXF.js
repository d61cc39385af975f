import{b as k}from"./chunk-V6YAPRTH.js";import{a as c,c as h}from"./chunk-GIPTC7H3.js";import{c as f,e as a,h as i,j as s}from"./chunk-3T4E4FFS.js";import{a as n,c as o}from"./chunk-FXAGWDIM.js";import{b as p,h as d,j as g,m as v}from"./chunk-OQ4UEFJX.js";var m={none:"none",valid:"valid",invalid:"invalid: it is not over this card",unknown_key:"by a key that is not known here"},l=class extends k{agent=new c(this,async()=>(await d("/v1/me",{signal:this.left})).agent);health=new c(this,async()=>{try{return await d(`/v1/agents/${this.agent.value?.agent_id??""}/health`,{signal:this.left}),""}catch(t){if(t instanceof p&&(t.code==="card_unreachable"||t.code==="card_invalid"))return t.message;throw t}});token;until=0;seconds=0;clock=0;refusal;connectedCallback(){super.connectedCallback(),this.refresh()}disconnectedCallback(){super.disconnectedCallback(),clearInterval(this.clock),this.token=void 0}async refresh(){await this.agent.run(),this.agent.value&&(this.forget(),await this.health.run())}forget(){clearInterval(this.clock),this.token=void 0,this.requestUpdate()}async begin(){this.refusal=void 0;try{this.token=await g("/v1/agents/registration-token",void 0)}catch(t){this.refusal=h(t),this.requestUpdate();return}this.until=performance.now()+this.token.expires_in_seconds*1e3,clearInterval(this.clock),this.clock=setInterval(()=>this.tick(),1e3),this.tick()}tick(){this.seconds=Math.max(0,Math.round((this.until-performance.now())/1e3)),this.seconds===0?this.forget():this.seconds%5===0&&this.refresh(),this.requestUpdate()}async end(t){t.preventDefault();let e=this.agent.value;if(e)try{await v(`/v1/agents/${e.agent_id}`),this.querySelector("dialog")?.close(),s("The agent is disconnected. Its key and its bearers ended at once."),await this.refresh()}catch(r){this.refusal=h(r),this.requestUpdate()}}render(){return n`<section class="narrow">
      <h1>Your agent</h1>
      ${f(this.refusal)} ${this.agent.render(t=>t?this.renderAgent(t):this.renderConnect())}
    </section>`}renderConnect(){return n`<p>One agent works for you. It sees labels only, and what it states waits for your review. To connect it, hand it a registration token; it registers itself with it, and gets a key that nobody sees again.</p>
      ${this.token?this.renderToken(this.token):n`<p><button @click=${()=>{this.begin()}}>Make a registration token</button></p>`}`}renderToken(t){let r=`${Math.floor(this.seconds/60)}:${String(this.seconds%60).padStart(2,"0")}`,u=`curl ${location.origin}/v1/agents/register \\
  -H 'Content-Type: application/json' \\
  -d '{"registration_token":"${t.registration_token}","agent_card_url":"https://YOUR-AGENT/.well-known/agent.json"}'`;return n`<div class="panel">
      <h2>Registration token</h2>
      <p>Valid once, for <strong role="timer">${r}</strong> more. Whoever has it connects an agent as yours: hand it to your agent alone.</p>
      <pre id="token">${t.registration_token}</pre>
      <p class="actions"><button @click=${()=>{this.copy(t.registration_token,"The token is copied.")}}>Copy the token</button><button class="quiet" @click=${()=>this.forget()}>Hide it</button></p>
      <h3>What the agent does</h3>
      <p>It sends the token with the address of its own agent card, and keeps the key from the answer:</p>
      <pre id="command">${u}</pre>
      <p class="actions"><button class="quiet" @click=${()=>{this.copy(u,"The command is copied.")}}>Copy the command</button></p>
      <p role="status">Waiting for the agent…</p>
    </div>`}async copy(t,e){try{await navigator.clipboard.writeText(t),s(e)}catch{s("The browser does not let this page copy. Mark the text and copy it yourself.")}}renderAgent(t){return n`<div class="panel">
        <h2>${t.name} ${i(t.status,t.status==="active"?"good":"warn")}</h2>
        ${t.description?n`<p>${t.description}</p>`:o}
        <dl class="facts">
          <dt>Id</dt>
          <dd><code>${t.agent_id}</code></dd>
          <dt>Address</dt>
          <dd>${t.url}</dd>
          <dt>Card</dt>
          <dd>${t.agent_card_url}</dd>
          <dt>Signature of the card</dt>
          <dd>${m[t.card_signature]}</dd>
          ${t.card_changed_at?n`<dt>Card changed</dt><dd>${i("changed","warn")} seen ${a(t.card_changed_at)}. What was registered stays in force; disconnect the agent and register it again to take the new card.</dd>`:o}
          <dt>Connected</dt>
          <dd>${a(t.connected_at)}</dd>
          <dt>Last used</dt>
          <dd>${t.last_used_at?a(t.last_used_at):"not yet"}</dd>
        </dl>
        <h3>Health</h3>
        ${this.health.render(e=>n`<p>${e?i("unhealthy","warn"):i("healthy","good")} ${e||"Its card can be fetched and is valid."}</p>`)}
        <p class="actions">
          <button class="quiet" @click=${()=>{this.refresh()}}>Look again</button>
          <button class="danger" @click=${()=>this.querySelector("dialog")?.showModal()}>Disconnect</button>
        </p>
      </div>
      <dialog aria-labelledby="end">
        <form @submit=${e=>{this.end(e)}}>
          <h2 id="end">Disconnect ${t.name}?</h2>
          <p>Its key and its bearers end at once; runs that it started go on to their end and stay on record. To work for you again it registers anew.</p>
          <p class="actions"><button class="danger">Disconnect</button><button type="button" class="quiet" @click=${()=>this.querySelector("dialog")?.close()}>Keep it</button></p>
        </form>
      </dialog>`}};customElements.define("subrosa-agent",l);
