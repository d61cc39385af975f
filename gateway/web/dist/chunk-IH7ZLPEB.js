import{a as o,d as n}from"./chunk-FXAGWDIM.js";function r(e){let t=document.createElement("dialog");return t.setAttribute("aria-labelledby","question"),n(o`<form method="dialog">
      <h2 id="question">${e.title}</h2>
      <p>${e.text}</p>
      <p class="actions"><button value="yes" class="danger">${e.action}</button><button value="no" class="quiet" autofocus>Leave it as it is</button></p>
    </form>`,t),document.body.append(t),new Promise(i=>{t.addEventListener("close",()=>{t.remove(),i(t.returnValue==="yes")}),t.showModal()})}export{r as a};
