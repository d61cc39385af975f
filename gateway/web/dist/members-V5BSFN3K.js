import{a as v}from"./chunk-IH7ZLPEB.js";import{a as p,b as y}from"./chunk-6GAE7TYM.js";import"./chunk-RKPXGEMS.js";import{b as f}from"./chunk-V6YAPRTH.js";import{b as h,c as u}from"./chunk-GIPTC7H3.js";import{b as c,c as l,e as n,h as r,j as i}from"./chunk-3T4E4FFS.js";import{a as t,c as a}from"./chunk-FXAGWDIM.js";import{j as o}from"./chunk-OQ4UEFJX.js";var g={offboarded:"ended by the organization",absent:"the identity provider does not send them any more"},d=class extends f{members=new h(this,()=>"/v1/members",()=>({limit:50}),()=>this.left);refusal;rotate=!1;connectedCallback(){super.connectedCallback(),this.members.restart()}async offboard(e){await v({title:`End the access of ${e.userId}?`,text:"Their sign-ins, their agent's key, the applications that they connected and their running work end at once, everywhere. An owner can lift this; what has ended does not come back.",action:"End the access"})&&await this.change(async()=>{let $=await o(`/v1/members/${encodeURIComponent(e.userId)}/offboard`,{});this.rotate||=$.rotateFirmKey,i(`${e.userId} has no access any more.`)})}async reinstate(e){await this.change(async()=>{await o(`/v1/members/${encodeURIComponent(e.userId)}/reinstate`,{}),i(`${e.userId} can sign in again.`)})}async change(e){try{await e(),this.refusal=void 0}catch(s){this.refusal=u(s)}await this.members.restart()}render(){return t`<h1>Members</h1>
      <p>Everybody of your organization who has signed in. Who has not signed in yet is not shown.</p>
      ${l(this.refusal)}
      ${this.rotate?t`<p role="status">
            Whoever left could open the identities of your clients. <a href="/app/vault">Replace the organization's key</a> now.
          </p>`:a}
      ${this.members.render(e=>t`<ul class="rows">
          ${e.map(s=>this.renderMember(s))}
        </ul>`,c("Nobody has signed in yet."))}`}renderMember(e){let s=e.userId===p()?.user;return t`<li>
      <div class="between">
        <h2>${e.userId}${s?" (you)":""}</h2>
        ${e.status==="active"?r("has access","good"):r("no access","warn")}
      </div>
      <p>${new Intl.ListFormat("en").format(e.roles)}${e.reason?t`; ${g[e.reason]}`:a}</p>
      <dl class="facts">
        <dt>Signed in last</dt>
        <dd>${n(e.lastSeenAt)}</dd>
        ${e.endedAt?t`<dt>Access ended</dt>
              <dd>${n(e.endedAt)}</dd>`:a}
        <dt>Agent's key</dt>
        <dd>${e.hasKey?e.keyLastUsedAt?t`used ${n(e.keyLastUsedAt)}`:"never used":"none"}</dd>
        ${e.hasKey&&e.keyExpiresAt?t`<dt>Key expires</dt>
              <dd>${n(e.keyExpiresAt)}</dd>`:a}
      </dl>
      ${e.status==="active"?t`<button class="danger" @click=${()=>{this.offboard(e)}}>End the access of ${e.userId}</button>`:y("owner")?t`<button @click=${()=>{this.reinstate(e)}}>Give ${e.userId} access again</button>`:a}
    </li>`}};customElements.define("subrosa-members",d);
