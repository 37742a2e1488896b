// A wish that does not go together with an earlier one: what was said, and the three answers.

import { html } from "../vendor/lit-html/lit-html.js";
import { decide } from "../actions.js";
import { update } from "../store.js";
import { t } from "../texts.js";

const ANSWERS = ["replace", "keep", "this_turn"];
const chosen = new Map();

export function conflict(pending) {
  return html`<section class="conflict" role="alert" aria-label=${t("conflict.title")}>
    <h2>${t("conflict.title")}</h2>
    ${pending.map((each) => question(each, pending))}
    <p class="hint">${t("conflict.hint")}</p>
  </section>`;
}

function question(each, pending) {
  return html`<div class="question">
    <dl>
      <dt>${t("conflict.old")}</dt>
      <dd dir="auto">${each.old}</dd>
      <dt>${t("conflict.new")}</dt>
      <dd dir="auto">${each.new}</dd>
    </dl>
    <div class="answers">
      ${ANSWERS.map(
        (answer) => html`<button type="button" aria-pressed=${chosen.get(each.id) === answer}
          class=${answer === "replace" ? "primary" : ""} @click=${() => answered(each, answer, pending)}>
          ${t(`conflict.${answer}`)}
        </button>`,
      )}
    </div>
  </div>`;
}

// Sends the answers once every question has one.
function answered(each, answer, pending) {
  chosen.set(each.id, answer);
  update();
  if (!pending.every(({ id }) => chosen.has(id))) return;
  const answers = Object.fromEntries(pending.map(({ id }) => [id, chosen.get(id)]));
  chosen.clear();
  decide(answers);
}
