// The page as a whole: sessions, chat and context side by side, or one of them where there is room for one.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { state, update } from "../store.js";
import { t } from "../texts.js";
import { chat } from "./chat.js";
import { context } from "./context.js";
import { dialog } from "./dialog.js";
import { symbol } from "./parts.js";
import { sessions } from "./sessions.js";

const PANES = ["sessions", "chat", "context"];

export function layout() {
  return html`
    <a class="skip" href="#message" @click=${skip}>${t("skip")}</a>
    <div class="columns" data-pane=${state.pane}>
      ${sessions()} ${chat()} ${context()}
    </div>
    <nav class="panes" aria-label=${t("panes")}>
      ${PANES.map(
        (pane) => html`<button
          type="button"
          aria-current=${pane === state.pane ? "page" : nothing}
          @click=${() => update({ pane })}
        >
          ${t(`pane.${pane}`)}
        </button>`,
      )}
    </nav>
    <div class="notices" role="status" aria-live="polite">${notice()}</div>
    ${dialog()}
  `;
}

function notice() {
  if (!state.notice) return nothing;
  const { words, kind } = state.notice;
  return html`<div class="notice ${kind}">
    <span>${words}</span>
    ${symbol("close", t("close"), () => update({ notice: null }))}
  </div>`;
}

function skip(event) {
  event.preventDefault();
  update({ pane: "chat" });
  document.querySelector("#message")?.focus();
}
