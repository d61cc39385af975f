// Asking before something that cannot be taken back.
import { html, render } from "lit";

/** What is asked. */
export interface Question {
  title: string;
  text: string;
  /** The word on the button that does it. */
  action: string;
}

/** Asks, and resolves to whether the person said yes. Escape and the other button say no; focus returns to where it was. */
export function confirm(question: Question): Promise<boolean> {
  const dialog = document.createElement("dialog");
  dialog.setAttribute("aria-labelledby", "question");
  render(
    html`<form method="dialog">
      <h2 id="question">${question.title}</h2>
      <p>${question.text}</p>
      <p class="actions"><button value="yes" class="danger">${question.action}</button><button value="no" class="quiet" autofocus>Leave it as it is</button></p>
    </form>`,
    dialog,
  );
  document.body.append(dialog);
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    });
    dialog.showModal();
  });
}
