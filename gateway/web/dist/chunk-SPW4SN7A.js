import{d as l,q as r,s as u}from"./chunk-KSPSALBX.js";import{e as d,f as c,h as s}from"./chunk-3T4E4FFS.js";import{a,c as t}from"./chunk-FXAGWDIM.js";function g(e){let i=[e.jurisdiction,...e.practiceAreas.slice(0,2).map(n=>n.label||u(n.code)),p(e.counts.files,"file"),p(e.counts.parties,"party","parties")].filter(Boolean);return a`<li>
    <div class="between">
      <a class="strong" href=${`/app/cases/${e.caseId}`}>${e.title?l(e.title):"Case without a title to show"}</a>
      <span class="badges">
        ${e.urgent?s("urgent","bad"):t} ${e.legalHold?s("legal_hold","warn"):t} ${e.tier?s(`Tier ${e.tier}`):t} ${s(e.status,r(e.status))}
      </span>
    </div>
    <div class="between fine">
      <span>${i.join(" · ")}</span>
      <span>Changed ${d(e.updatedAt)}</span>
    </div>
    ${e.nextDeadline?a`<p class="fine">Next deadline ${c(e.nextDeadline.dueOn)}${e.nextDeadline.title?a`: ${l(e.nextDeadline.title)}`:t}</p>`:t}
    ${e.counts.pendingReviews?a`<p class="fine"><a href=${`/app/cases/${e.caseId}/work?waiting=true`}>${p(e.counts.pendingReviews,"answer waits","answers wait")} for your review</a></p>`:t}
  </li>`}function p(e,i,n=`${i}s`){return`${e} ${e===1?i:n}`}export{g as a,p as b};
