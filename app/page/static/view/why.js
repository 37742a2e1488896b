// Why words are in the prompt of a turn, or are not.

import { html } from "../vendor/lit-html/lit-html.js";
import { explain } from "../actions.js";
import { state } from "../store.js";
import { t } from "../texts.js";
import { nothingYet } from "./parts.js";

export function why() {
  const { why: answer } = state;
  return html`
    <form class="line-form" @submit=${asked}>
      <label class="unseen" for="why">${t("why.label")}</label>
      <input id="why" dir="auto" autocomplete="off" placeholder=${t("why.label")} />
      <button type="submit">${t("why.ask")}</button>
    </form>
    ${answer
      ? html`<section class="answer" aria-live="polite">
          <h2 dir="auto">${answer.title}</h2>
          <ol>
            ${answer.lines.map((line, at) => html`<li class=${answer.causes[at]} dir="auto">${line}</li>`)}
          </ol>
        </section>`
      : nothingYet(t("why.text"))}
  `;
}

function asked(event) {
  event.preventDefault();
  const words = event.target.querySelector("input").value.trim();
  if (words) explain(words);
}
