// The rules of the session: what holds, where it comes from, what ended; pin one, end one, answer a question.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { change } from "../actions.js";
import { running, state } from "../store.js";
import { t } from "../texts.js";
import { conflict } from "./conflict.js";
import { ask } from "./dialog.js";
import { nothingYet, turnLink } from "./parts.js";

export function rules() {
  const { constraints, unchecked, ended, pending } = state.session;
  return html`
    <form class="line-form" @submit=${pinned}>
      <label class="unseen" for="pin">${t("rules.pin_label")}</label>
      <input id="pin" dir="auto" autocomplete="off" placeholder=${t("rules.pin_label")} />
      <button type="submit" ?disabled=${running()}>${t("rules.pin")}</button>
    </form>
    ${pending.length && !running() ? conflict(pending) : nothing}
    ${unchecked ? html`<p class="about">${unchecked}</p>` : nothing}
    ${constraints.length ? html`<ul class="cards">${constraints.map(rule)}</ul>` : nothingYet(t("rules.none"))}
    ${ended.length
      ? html`<details class="ended">
          <summary>${t("rules.ended", { count: ended.length })}</summary>
          <ul>
            ${ended.map(
              (each) => html`<li>
                <q dir="auto">${each.words}</q>
                <span class="about">${each.how}${each.by ? html`: <q dir="auto">${each.by}</q>` : nothing} ${turnLink(each.turn)}</span>
              </li>`,
            )}
          </ul>
        </details>`
      : nothing}
  `;
}

function rule(each) {
  return html`<li class="card rule ${each.polarity}">
    <p class="words" dir="auto">${each.words}</p>
    <p class="about">${each.about} ${turnLink(each.turn)}</p>
    <p class="acts">
      <button type="button" class="quiet" ?disabled=${running()} @click=${() => change("end", { id: each.id })}>
        ${t("rules.end")}
      </button>
      <button type="button" class="quiet" ?disabled=${running()} @click=${() => forgotten(each)}>${t("forget")}</button>
    </p>
  </li>`;
}

async function pinned(event) {
  event.preventDefault();
  const field = event.target.querySelector("input");
  if (await change("pin", { what: field.value })) field.value = "";
}

async function forgotten(each) {
  const title = t("forget.title");
  const text = t("forget.text", { words: each.words });
  if (await ask({ title, text, confirm: t("forget"), danger: true })) await change("forget", { what: each.id });
}
