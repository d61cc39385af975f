import{d as p}from"./chunk-3T4E4FFS.js";import{a as i,c as s}from"./chunk-FXAGWDIM.js";var u={person:"a person’s name",org:"the name of an organization",address:"an address",phone:"a telephone number",email:"an e-mail address",account:"an account number",id_number:"an identity number",birth_date:"a date of birth",docket:"a docket number",vehicle:"a vehicle",property:"a property",url:"a web address","name in your vault":"a name that your vault knows"};function m(e,t=""){let o=u[e.kind??""]??(e.kind??"an identity").replaceAll("_"," ");return!t||e.end===void 0?`This looks like ${o}.`:`“${new TextDecoder().decode(new TextEncoder().encode(t).slice(e.start??0,e.end))}” looks like ${o}. Write a label in its place.`}var l=6;function f(e,t,o=""){let n=e?.details.filter(r=>r.path===t||r.path?.startsWith(`${t}.`)||r.path?.startsWith(`${t}[`))??[];if(n.length===0)return s;let a=n.length-l;return i`<div class="problem" id=${`problem-${t}`}>
    ${n.slice(0,l).map(r=>i`<p>${r.message||(r.kind?m(r,o):e?.message)}</p>`)} ${a>0?i`<p>And ${a} more.</p>`:s}
  </div>`}function h(e,t){return f(e,t)===s?s:"true"}function y(e,t=""){if(!e)return s;let o=e.code==="identity_refused"||e.code==="identity_kept",n=e.status===412;return i`<div class="refusal" role="alert">
    <p>${n?"Somebody changed this after you opened it, and nothing was saved. Look at it as it is now and, if you still wish, save again.":e.message}</p>
    ${o?i`<p>
          Names stay in this browser:
          ${t?i`<a href=${`/app/cases/${t}/parties?do=add`}>keep the name and get a label for it</a>, or `:s}<a href=${t?`/app/redact?case=${t}`:"/app/redact"}>take identities out of a document</a>.
        </p>`:e.deepLink?i`<p><a href=${p(e.deepLink)}>Do it here</a></p>`:s}
    ${e.requestId?i`<p class="fine">Number of this request, for your administrator: <code>${e.requestId}</code></p>`:s}
  </div>`}function b(e,t,o,n,a,r=`f-${e}`){return i`<div class="field">
    <label for=${r}>${t}</label>
    <select id=${r} name=${e}>
      ${a===void 0?s:i`<option value="" ?selected=${n===""}>${a}</option>`}
      ${o.map(([d,c])=>i`<option value=${d} ?selected=${d===n}>${c}</option>`)}
    </select>
  </div>`}function k(e){let t={};for(let[o,n]of new FormData(e))typeof n=="string"&&n.trim()!==""&&(t[o]=n.trim());return t}export{m as a,f as b,h as c,y as d,b as e,k as f};
