import{a as N,b as M,c as h,d as D,e as F,f as g,g as W,h as A,i as O,j as U,k as H,l as _,m as B}from"./chunk-VGG2DPAT.js";import{a as c,b}from"./chunk-UXGOSSVE.js";import"./chunk-ATSC2APW.js";import{a as K}from"./chunk-FZIAPT2X.js";import"./chunk-VVHK3IQS.js";import{a as j}from"./chunk-AA4TCGJD.js";import{d as f}from"./chunk-4TPDGNL2.js";import"./chunk-RKPXGEMS.js";import{q as I,v as L}from"./chunk-WKS6LIUW.js";import"./chunk-TAB4D23J.js";import"./chunk-MZRFR65W.js";import{a as m,b as q}from"./chunk-V6YAPRTH.js";import{a as C}from"./chunk-GIPTC7H3.js";import{c as P,g as u,h as E,j as R}from"./chunk-3T4E4FFS.js";import{a as r,c as l}from"./chunk-FXAGWDIM.js";import{b as x,o as T}from"./chunk-OQ4UEFJX.js";var Y=50,y=class extends m{static properties={review:{attribute:!1},turn:{attribute:!1}};limit=Y;changing;seen=new Map;changed(){this.dispatchEvent(new Event("subrosa:changed")),this.requestUpdate()}show(e){let t=(this.seen.get(e)??-1)+1,i=t<e.places.length?t:0;this.seen.set(e,i);let s=e.places[i];s&&this.dispatchEvent(new CustomEvent("subrosa:show",{detail:s}))}change(e){this.changing=e,this.requestUpdate(),this.updateComplete.then(()=>this.querySelector("dialog")?.showModal())}clear(e){this.review.clear(e),this.changed()}restore(e){this.review.assign(e,this.review.next("Ref")),this.changed(),this.change(e)}chosen(e){e.preventDefault();let t=this.changing,i=this.querySelector("#identity-label")?.value;this.querySelector("dialog")?.close(),!(!t||!i)&&(this.review.assign(t,i),this.changed())}render(){let e=[...this.review.subjects.values()],t=e.filter(s=>!s.cleared).sort((s,a)=>(s.places[0]?.start??0)-(a.places[0]?.start??0)),i=e.filter(s=>s.cleared);return r`<h3>To be labelled (${t.length})</h3>
      ${t.length===0?r`<p class="empty">Nothing was found that identifies anybody. Read the text all the same: a nickname or a role can give somebody away.</p>`:r`<ul class="rows identities">${t.slice(0,this.limit).map(s=>this.renderFound(s))}</ul>`}
      ${t.length>this.limit?r`<p><button class="quiet" @click=${()=>this.more()}>Show more</button></p>`:l}
      ${i.length>0?r`<h3>No identities, you say (${i.length})</h3>
            <ul class="rows">${i.map(s=>r`<li class="between"><span>${s.name}</span><button class="plain" @click=${()=>this.restore(s)}>Label it after all</button></li>`)}</ul>`:l}
      ${this.renderDialog()}`}more(){this.limit+=Y,this.requestUpdate()}renderFound(e){return r`<li>
      <div class="between"><strong>${e.name}</strong><span class="label">${e.label}</span></div>
      <p class="fine">${e.why||e.kind}${e.places.length>1?`, ${e.places.length} places`:""}</p>
      <p class="actions">
        <button class="plain" @click=${()=>this.show(e)} aria-label=${`Show ${e.name} in the text`}>Show</button>
        <button class="plain" @click=${()=>this.change(e)} aria-label=${`Another label for ${e.name}`}>Another label</button>
        <button class="plain" @click=${()=>this.clear(e)} aria-label=${`${e.name} is no identity`}>No identity</button>
      </p>
    </li>`}renderDialog(){let e=this.changing;if(!e)return l;let t=new Map;for(let{label:i,identities:s}of this.review.data().labels)t.set(i,s?.find(a=>a!==e.name)??"");return r`<dialog aria-labelledby="identity-title" @close=${()=>this.done()}>
      <form @submit=${i=>this.chosen(i)}>
        <h2 id="identity-title">Label for ${e.name}</h2>
        <div class="field">
          <label for="identity-label">Label</label>
          <select id="identity-label">
            <optgroup label="The same as">
              ${[...t].map(([i,s])=>r`<option value=${i} ?selected=${i===e.label}>${i}${s?` ${s}`:""}</option>`)}
            </optgroup>
            <optgroup label="Somebody or something else">
              ${N.map(i=>{let s=this.review.next(i);return r`<option value=${s}>${s}, new</option>`})}
            </optgroup>
          </select>
          <p class="fine">Two spellings with one label are one person to every reader.</p>
        </div>
        <p class="actions"><button>Use this label</button><button type="button" class="quiet" @click=${()=>this.querySelector("dialog")?.close()}>Leave it</button></p>
      </form>
    </dialog>`}done(){this.changing=void 0,this.requestUpdate()}};customElements.define("subrosa-identities",y);var v=class{constructor(e){this.work=e}work;sealedFileId;async send(e){let{result:t,fresh:i}=await this.work.check();if(i>0)return{state:"again",fresh:i};let s=this.work.review.named(),a=new Set(e.parties.filter(o=>o.name.trim()&&o.role).map(o=>o.label)),n=(await W(e.caseId,[...s].filter(([,o])=>o.length>0).map(([o])=>o))).filter(o=>!a.has(o));if(n.length>0)return{state:"parties",labels:n};if(await A(e.caseId,s,e.parties,this.work.review.known),e.original&&!this.sealedFileId){let o=new Uint8Array(await this.work.file.arrayBuffer());this.sealedFileId=await U(e.caseId,z(e.name),{name:this.work.file.name,mediaType:this.work.document.mediaType,content:o})}return this.add(e,t.text)}async add(e,t){try{return{state:"done",file:await H(e.caseId,e.name,t,e.original?this.sealedFileId:void 0)}}catch(i){let s=_(i,t);if(!s)throw i;let a=await this.wordsOf(s,t),n=a.filter(o=>!this.work.isCleared(t.slice(o.start,o.end)));return n.length>0?{state:"again",fresh:await this.takeBack(n)}:{state:"clear",words:[...new Set(a.map(o=>t.slice(o.start,o.end)))],clear:()=>this.clear(e,t,s)}}}async wordsOf(e,t){let i=[];for(let s of e){let a=s.detail.kind==="language"?await this.work.unreadIn(t,s.start,s.end):[];a.length===0&&i.push(s);for(let{kind:n,start:o,end:p}of a)i.push({detail:{kind:n},start:o,end:p})}return i}async clear(e,t,i){return await B(e.caseId,t,i),this.add(e,t)}async takeBack(e){let t=this.work.review.result(),i=e.map(({detail:s,start:a,end:n})=>t.original({start:a,end:n,kind:s.kind??"person",why:"the service found it"}));return(await this.work.find(i)).length}};function z(d){return`${d.replace(/\.[a-z]+$/i,"")}.sealed`}var $=12e3,k=class extends m{static properties={review:{attribute:!1},turn:{attribute:!1}};shown=0;starts=[0];of;selected;look=()=>this.select();connectedCallback(){super.connectedCallback(),document.addEventListener("selectionchange",this.look)}disconnectedCallback(){super.disconnectedCallback(),document.removeEventListener("selectionchange",this.look)}willUpdate(){this.of!==this.review&&(this.of=this.review,this.shown=0,this.starts=X(this.review.text))}async show(e){this.shown=Math.max(0,this.starts.findLastIndex(i=>i<=e.start)),this.requestUpdate(),await this.updateComplete;let t=this.querySelector(`mark[data-at="${e.start}"]`);t?.scrollIntoView({block:"center"}),t?.focus({preventScroll:!0})}turnTo(e){this.shown=e,this.selected=void 0,this.requestUpdate(),this.updateComplete.then(()=>this.querySelector(".paper")?.focus())}select(){let e=document.getSelection(),t=this.querySelector(".paper"),i;if(e&&!e.isCollapsed&&e.rangeCount>0&&t){let s=e.getRangeAt(0);if(t.contains(s.startContainer)&&t.contains(s.endContainer)){let[a,n]=[this.offset(s.startContainer,s.startOffset),this.offset(s.endContainer,s.endOffset)];a<n&&this.review.text.slice(a,n).trim()&&(i={start:a,end:n})}}i?.start===this.selected?.start&&i?.end===this.selected?.end||(this.selected=i,this.requestUpdate())}offset(e,t){if(e.nodeType===Node.TEXT_NODE){let a=e.parentElement?.closest("[data-at]");return a?Number(a.dataset.at)+t:0}let i=[...e.childNodes].slice(t).find(a=>a instanceof HTMLElement),s=i?.closest("[data-at]")??i?.querySelector("[data-at]");return s?Number(s.dataset.at):this.bounds()[1]}mark(){this.selected&&(this.dispatchEvent(new CustomEvent("subrosa:mark",{detail:this.selected})),document.getSelection()?.removeAllRanges())}bounds(){let e=this.starts[this.shown]??0,t=this.starts[this.shown+1]??this.review.text.length,i=s=>this.review.places.find(a=>a.start<s&&a.end>s)?.end??s;return[i(e),i(t)]}render(){let[e,t]=this.bounds(),i=this.review.places.filter(s=>s.start>=e&&s.start<t);return r`${this.renderTurning()}
      <div class="paper" tabindex="0" role="group" aria-label="Text of the document">${this.runs(e,t,i)}</div>
      <p class="actions"><button class="quiet" ?disabled=${!this.selected} @mousedown=${s=>s.preventDefault()} @click=${()=>this.mark()}>Label what I selected</button></p>`}runs(e,t,i){let s=[],a=e;for(let n of i){a<n.start&&s.push(r`<span data-at=${a}>${this.review.text.slice(a,n.start)}</span>`);let o=this.review.text.slice(n.start,n.end),p=this.review.subjects.get(h(o))?.label;s.push(r`<mark data-at=${n.start} tabindex="-1" title=${n.why}>${o}</mark>${p?r`<span class="label given">${p}</span>`:l}`),a=n.end}return a<t&&s.push(r`<span data-at=${a}>${this.review.text.slice(a,t)}</span>`),s}renderTurning(){let e=this.starts.length;return e<2?l:r`<p class="actions">
      <button class="quiet" ?disabled=${this.shown===0} @click=${()=>this.turnTo(this.shown-1)}>Back</button>
      <span role="status">Part ${this.shown+1} of ${e}</span>
      <button class="quiet" ?disabled=${this.shown>=e-1} @click=${()=>this.turnTo(this.shown+1)}>On</button>
    </p>`}};function X(d){let e=[0];for(let t=$;t<d.length;){let i=d.lastIndexOf(`
`,t),s=e[e.length-1],a=i>s+$/2?i+1:t;e.push(a),t=a+$}return e}customElements.define("subrosa-redact-text",k);var V=25<<20,w=class d{constructor(e,t,i,s){this.tools=e;this.file=t,this.document=i,this.review=new D(i.text,s)}tools;file;document;review;unread=0;static async begin(e,t,i){if(t.size>V)throw new c("file_too_large","The file has more than 25 MiB. Split it, or leave out pictures.");let s=await e.call("extract",{bytes:await t.arrayBuffer(),name:t.name});if(s.status!=="ok"&&s.status!=="low_quality")throw new c(s.status,`Nobody can say whom this document names. ${s.obstacle}`);let a=new d(e,t,s,i);a.review.add(a.review.familiar());let n=await e.call("check",{text:s.text,door:"fileText"});return a.unread=n.filter(o=>o.unread).length,await a.find(n),a}async find(e){let t=this.review.add(e);return await this.propose(),t}async mark(e,t){let i=this.review.text.slice(e,t).trim(),s=this.review.subjects.get(h(i));s?.cleared&&this.review.assign(s,""),await this.find([{start:e,end:t,kind:"person",why:"you marked it"},...this.review.occurrences(i,"you marked it")])}async propose(){let e=this.review.undecided();if(e.length===0)return;let t=e.map(s=>({kind:s.kind,start:s.places[0]?.start??0,end:s.places[0]?.end??0})).sort((s,a)=>s.start-a.start),i=await this.tools.call("propose",{text:this.review.text,places:t,map:this.review.data()});for(let[s,a]of t.entries()){let n=this.review.subjects.get(h(this.review.text.slice(a.start,a.end))),o=i[s];n&&o&&this.review.assign(n,o)}}async check(){let e=this.review.result(),i=(await this.tools.call("check",{text:e.text,door:"fileText"})).filter(n=>!this.isCleared(e.text.slice(n.start,n.end))),s=await this.find(i.map(n=>e.original(n))),a=i.length-s.length;return{result:s.length>0?this.review.result():e,fresh:s.length+Math.max(0,a)}}async unreadIn(e,t,i){return(await this.tools.call("check",{text:e,door:"fileText"})).filter(a=>a.unread&&t<=a.start&&a.end<=i)}async doubts(e){let i=(await this.tools.call("check",{text:e.text,door:"reread"})).map(s=>e.text.slice(s.start,s.end)).filter(s=>!this.isCleared(s));return[...new Set(i)]}isCleared(e){if(this.review.subjects.get(h(e))?.cleared)return!0;let t=e;for(let i of M(e))t=t.replaceAll(i," ");return t!==e&&(t.trim()===""||(this.review.subjects.get(h(t))?.cleared??!1))}async neutral(e){return(await this.tools.call("check",{text:e,door:"fileName"})).length===0}};var Z=["individual","organization","government","estate","trust","class","minor","unknown"],J=["plaintiff","defendant","petitioner","respondent","appellant","appellee","claimant","creditor","debtor","buyer","seller","lessor","lessee","employer","employee","witness","expert","guardian_ad_litem","next_friend","trustee","beneficiary","executor","heir","insurer","third_party_plaintiff","third_party_defendant","intervenor","amicus","interested_party","other"],Q=["unknown","ours","adverse","neutral"],ee="\0";function te(d){return/^\[([A-Za-z]+) /.exec(d)?.[1]??"Ref"}var S=class extends q{cases=new C(this,()=>I("/v1/cases",{status:"intake,open,on_hold"},{signal:this.left}));caseId="";tools=new b;work;sender;name="";busy="";refusal;told="";turn=0;newParties=[];answered=new Set;clearing;done;stop=()=>{};connectedCallback(){super.connectedCallback(),this.caseId=this.query.get("case")??"",this.stop=f.subscribe(()=>this.vaultChanged()),this.cases.run()}disconnectedCallback(){super.disconnectedCallback(),this.stop(),this.drop()}vaultChanged(){f.state!=="open"&&this.work&&(this.drop(),this.told="The vault was locked, so the document was put away. Nothing of it was sent. Choose it again to go on."),this.requestUpdate()}drop(){this.tools.end(),this.tools=new b,this.work=void 0,this.sender=void 0,this.newParties=[],this.answered=new Set,this.clearing=void 0,this.done=void 0,this.refusal=void 0}async doing(e,t){if(!this.busy){this.busy=e,this.refusal=void 0,this.told="",this.requestUpdate();try{await t()}catch(i){i instanceof c&&i.code==="ended"||(this.refusal=i instanceof c?new x(0,i.code,i.message):j(i))}finally{this.busy="",this.turn++,this.requestUpdate()}}}async take(e){if(!(!e||!this.caseId)){if(!await f.ask()){this.told="The vault has to be open: names that are taken out are kept there. Nothing was read or sent.",this.requestUpdate();return}this.drop(),await this.doing("Reading the document in this page…",async()=>{let{known:t,files:i,unread:s}=await g(this.caseId,this.left);this.work=await w.begin(this.tools,e,t),this.sender=new v(this.work),this.name=`Document ${i+1}.txt`,s>0&&(this.told=`${s} long prompts of this case were not read to their end, so labels that stand only there are not known here. Number new ones with that in mind.`)}),await this.updateComplete,this.querySelector("#review")?.focus()}}dropped(e){e.preventDefault(),this.take(e.dataTransfer?.files[0])}async marked(e){let{start:t,end:i}=e.detail;await this.doing("Looking for it…",async()=>this.work?.mark(t,i))}async also(e){e.preventDefault();let t=this.querySelector("#also"),i=t&&this.work?.review.occurrences(t.value.trim(),"you named it")[0];if(!t||!i){this.told="These words do not stand in the text as whole words.",this.requestUpdate();return}t.value="",await this.doing("Looking for it…",async()=>this.work?.mark(i.start,i.end))}async again(){await this.doing("Looking through it once more…",async()=>{let{work:e}=this;if(!e)return;let{fresh:t,result:i}=await e.check();if(t>0){this.told=`${t} more found: see what is to be labelled.`;return}let s=await e.doubts(i);this.told=s.length>0?`Looked through once more. Not sure of: ${s.join(", ")}. Label what is a name.`:"Looked through once more, and more strictly: nothing is left but what you cleared."})}sending(){return{caseId:this.caseId,name:this.name,original:this.querySelector("#original")?.checked??!1,parties:this.newParties}}async send(e){e.preventDefault(),await this.doing("Keeping the names, then sending the text without them…",async()=>{let{work:t,sender:i}=this;if(!t||!i)return;if(!await t.neutral(this.name))throw new c("name","The name of the file may identify somebody. Call it Document 7.txt, for instance.");let s=this.asked(t).filter(a=>!this.answered.has(a));if(s.length>0){this.told=`Say who ${s.join(", ")} is, then send. Nothing was sent yet.`;return}try{this.sent(await i.send(this.sending()))}catch(a){if(!(a instanceof L))throw a;await this.numberAnew(t,a.labels)}})}async numberAnew(e,t){let{known:i}=await g(this.caseId,this.left);await F(e,t,i,this.newParties),this.told=`${t.join(", ")}: a colleague gave this to something else meanwhile, so nothing was sent. What had it here has another label now: look at it, then send.`}async clear(){let{clearing:e}=this;e&&await this.doing("Clearing, then sending…",async()=>this.sent(await e.clear()))}sent(e){switch(this.clearing=void 0,e.state){case"done":this.drop(),this.done=e.file,R("The document is in the case, with labels in the place of names.");return;case"again":this.told=`${e.fresh} more found: nothing was sent. See what is to be labelled.`;return;case"parties":this.addParties(e.labels),this.told="Say who the new parties are, then send. Nothing was sent yet.";return;case"clear":this.clearing=e}}addParties(e){let t=this.work?.review.named();for(let i of e)this.newParties.some(s=>s.label===i)||this.newParties.push({label:i,name:O(t?.get(i)??[]),kind:"individual",role:"",side:"unknown"});this.newParties=this.newParties.filter(i=>t?.has(i.label))}render(){return r`<section>
      <h1>Take identities out of a document</h1>
      <p>The document is read in this page and nowhere else. Names, addresses and numbers get labels; the names go into your vault, encrypted, and the case gets the text with labels.</p>
      ${P(this.refusal)} ${this.told?r`<p class="notice" role="status">${this.told}</p>`:l} ${this.busy?r`<p class="waiting" role="status">${this.busy}</p>`:l}
      ${this.done?this.renderDone(this.done):this.work?this.renderWork(this.work):this.renderChoose()}
    </section>`}renderDone(e){return r`<div class="notice">
        <p><strong>${e.name}</strong> is in the case. ${e.agentReadable?"Your agent can read it.":"Your agent cannot read it yet."}</p>
        <p><a href=${`/app/cases/${this.caseId}/files/${e.fileId}`}>See it in the case</a></p>
      </div>
      ${this.renderChoose()}`}renderChoose(){return r`<div class="narrow">
      <div class="field">
        <label for="case">Case</label>
        ${this.cases.render(e=>r`<select id="case" required @change=${t=>this.choose(t.target.value)}>
            <option value="" ?selected=${!this.caseId}>Choose a case</option>
            ${e.some(t=>t.caseId===this.caseId)||!this.caseId?l:r`<option value=${this.caseId} selected>Case ${this.caseId}</option>`}
            ${e.map(t=>r`<option value=${t.caseId} ?selected=${t.caseId===this.caseId}>${t.title}</option>`)}
          </select>`)}
      </div>
      <div class="panel" @dragover=${e=>e.preventDefault()} @drop=${e=>this.dropped(e)}>
        <label for="document">Document</label>
        <input id="document" type="file" accept=".pdf,.docx,.odt,.ott,.fodt,.txt,.md,.html,.htm,.csv,.eml,.mht,.mhtml" ?disabled=${!this.caseId||this.busy!==""} @change=${e=>{this.take(e.target.files?.[0])}} aria-describedby="document-kinds" />
        <p class="fine" id="document-kinds">PDF, DOCX, ODT, text, Markdown, HTML, CSV or e-mail, at most 25 MiB. Choose it, or drop it here. ${this.caseId?"":"Choose the case first."}</p>
      </div>
    </div>`}choose(e){this.caseId=e,history.replaceState(null,"",T("/app/redact",{case:e})),this.requestUpdate()}renderWork(e){let t=e.document;return r`<h2 id="review" tabindex="-1">Found in the document</h2>
      <p>
        ${E(t.status==="ok"?"good text":"poor text",t.status==="ok"?"good":"warn")} ${t.method}, ${t.pages} ${t.pages===1?"page":"pages"}, ${t.chars} characters.
        ${t.status==="low_quality"?"Parts may be missing or garbled: compare the text with the document.":l}
        ${e.unread>=3?r`<strong>The text is in a language that the check does not know</strong>: it reads English, German, French and Spanish. Many of what it found may be no names, and it may have missed some. Read the text yourself.`:l}
        ${t.beside.length>0?r`Left out, since only the text is taken: ${t.beside.map(({path:i})=>u(i.replace(/^metadata\./,""))).join(", ")}.`:l}
      </p>
      <div class="redact">
        <div>
          <subrosa-redact-text .review=${e.review} .turn=${this.turn} @subrosa:mark=${i=>{this.marked(i)}}></subrosa-redact-text>
          <form class="filters" @submit=${i=>{this.also(i)}}>
            <div class="field"><label for="also">A name that was missed, as it stands in the text</label><input id="also" autocomplete="off" required minlength="3" /></div>
            <button class="quiet" ?disabled=${this.busy!==""}>Label it</button>
          </form>
        </div>
        <subrosa-identities
          .review=${e.review}
          .turn=${this.turn}
          @subrosa:changed=${()=>this.redraw()}
          @subrosa:show=${i=>{this.querySelector("subrosa-redact-text")?.show(i.detail)}}
        ></subrosa-identities>
      </div>
      ${this.renderAsked(e)} ${this.clearing?this.renderClearing(this.clearing.words):l} ${this.renderSend(e)}`}asked(e){return e.review.known.filter(t=>t.asked).map(t=>t.label)}answer(e,t,i){for(let a of e.review.subjects.values())a.label===t&&e.review.assign(a,e.review.next(te(t)));let s=e.review.subjects.get(i);if(s){let{label:a}=s;for(let n of e.review.subjects.values())(n===s||a!==""&&n.label===a)&&e.review.assign(n,t);this.newParties=this.newParties.filter(n=>n.label!==a)}i===""?this.answered.delete(t):this.answered.add(t),this.redraw()}renderAsked(e){let t=this.asked(e);if(t.length===0)return l;let i=[...e.review.subjects].filter(([,s])=>!s.cleared&&(s.kind==="person"||s.kind==="org"));return r`<h2>Who is meant in the case</h2>
      <p>The case speaks of ${t.join(" and ")}, and nobody has said who that is. It is not taken from the order of names in a document.</p>
      ${t.map(s=>{let a=`who-${s.replace(/\W+/g,"")}`;return r`<div class="field">
          <label for=${a}>Who is ${s}?</label>
          <select id=${a} @change=${n=>this.answer(e,s,n.target.value)}>
            <option value="">Choose</option>
            ${i.map(([n,o])=>r`<option value=${n} ?selected=${o.label===s}>${o.name}</option>`)}
            <option value=${ee} ?selected=${this.answered.has(s)&&!i.some(([,n])=>n.label===s)}>Nobody in this document</option>
          </select>
        </div>`})}`}redraw(){this.turn++,this.clearing=void 0,this.requestUpdate()}renderClearing(e){return r`<div class="refusal" role="alert">
      <p>The service finds these, which you said identify nobody: ${e.map((t,i)=>r`${i>0?", ":""}<strong>${t}</strong>`)}. If you clear them, that is on record under your name, and agents will read the text.</p>
      <p class="actions"><button class="danger" ?disabled=${this.busy!==""} @click=${()=>{this.clear()}}>None of them identifies anybody: clear and send</button></p>
    </div>`}renderSend(e){return r`<form @submit=${t=>{this.send(t)}}>
      ${this.newParties.length>0?r`<h2>New parties of the case</h2>${this.newParties.map(t=>this.renderParty(t))}`:l}
      <h2>Send the text with labels</h2>
      <div class="field">
        <label for="name">Name in the case</label>
        <input id="name" required maxlength="180" .value=${this.name} @input=${t=>this.name=t.target.value} />
        <p class="fine">A neutral one: it is not encrypted.</p>
      </div>
      <label class="check"><input id="original" type="checkbox" /> Keep the original with it, encrypted for your firm</label>
      <p class="actions">
        <button ?disabled=${this.busy!==""}>Keep the names and send</button>
        <button type="button" class="quiet" ?disabled=${this.busy!==""} @click=${()=>{this.again()}}>Look through it once more</button>
        <button type="button" class="quiet" @click=${()=>K(new Blob([e.review.result().text],{type:"text/plain"}),this.name)}>Save the text here</button>
        <button type="button" class="quiet" @click=${()=>this.putAway()}>Put it away</button>
      </p>
    </form>`}putAway(){this.drop(),this.told="The document was put away. Nothing of it was sent.",this.requestUpdate()}renderParty(e){let t=e.label.replace(/\W+/g,""),i=(s,a)=>{e[s]=a.target.value};return r`<fieldset>
      <legend>${e.label}</legend>
      <div class="field">
        <label for=${`name-${t}`}>Full name, kept encrypted</label>
        <input id=${`name-${t}`} required .value=${e.name} autocomplete="off" @input=${s=>e.name=s.target.value} />
      </div>
      <div class="filters">
        <div class="field">
          <label for=${`role-${t}`}>Role</label>
          <select id=${`role-${t}`} required @change=${s=>i("role",s)}>
            <option value="">Choose</option>
            ${J.map(s=>r`<option value=${s} ?selected=${s===e.role}>${u(s)}</option>`)}
          </select>
        </div>
        <div class="field">
          <label for=${`kind-${t}`}>Kind</label>
          <select id=${`kind-${t}`} @change=${s=>i("kind",s)}>
            ${Z.map(s=>r`<option value=${s} ?selected=${s===e.kind}>${u(s)}</option>`)}
          </select>
        </div>
        <div class="field">
          <label for=${`side-${t}`}>Side</label>
          <select id=${`side-${t}`} @change=${s=>i("side",s)}>
            ${Q.map(s=>r`<option value=${s} ?selected=${s===e.side}>${u(s)}</option>`)}
          </select>
        </div>
      </div>
    </fieldset>`}};customElements.define("subrosa-redact",S);
