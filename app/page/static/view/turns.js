// The turns that can be gone back to, or gone on from under another name.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { fork } from "../actions.js";
import { running, state, update } from "../store.js";
import { number, t, when } from "../texts.js";
import { icon, nothingYet, turnLink } from "./parts.js";

export function turns() {
  const kept = [...state.session.turns].reverse();
  if (!kept.length) return nothingYet(t("turns.none"));
  return html`<p class="about">${t("turns.text")}</p>
    <ol class="cards turns">
      ${kept.map((each) => turn(each, each.number === kept[0].number))}
    </ol>`;
}

function turn(each, last) {
  const said = state.session.messages.find((message) => message.turn === each.number && message.role === "user");
  return html`<li class="card">
    <p class="about">
      ${turnLink(each.number)} <span>${when(each.at)}</span>
      ${each.tokens ? html`<span>${t("tokens", { tokens: number(each.tokens) })}</span>` : nothing}
      ${each.compacted.length ? html`<span class="mark">${t("chat.compacted")}</span>` : nothing}
    </p>
    <p class="words clamp" dir="auto">${said?.text ?? ""}</p>
    <p class="acts">
      ${last
        ? nothing
        : html`<button type="button" class="quiet" ?disabled=${running()} @click=${() => goBack(each.number)}>
            ${icon("back")}${t("turns.back")}
          </button>`}
      <button type="button" class="quiet" ?disabled=${running()} @click=${() => fork(each.number)}>
        ${icon("fork")}${t("turns.fork")}
      </button>
    </p>
  </li>`;
}

function goBack(number) {
  update({ from: number, pane: "chat" });
  requestAnimationFrame(() => requestAnimationFrame(() => document.querySelector("#message")?.focus()));
}
