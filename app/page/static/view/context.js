// What stands beside the chat: a turn's prompt, the rules, the memories, the compactions, the turns, why, the costs.

import { html } from "../vendor/lit-html/lit-html.js";
import { show } from "../actions.js";
import { lastTurn, shownTurn, state } from "../store.js";
import { t } from "../texts.js";
import { compactions } from "./compactions.js";
import { ledger } from "./ledger.js";
import { memories } from "./memories.js";
import { symbol } from "./parts.js";
import { prompt } from "./prompt.js";
import { rules } from "./rules.js";
import { turns } from "./turns.js";
import { why } from "./why.js";

const TABS = { prompt, rules, memories, compactions, turns, why, ledger };
const OF_A_TURN = new Set(["prompt", "memories", "why"]);

export function context() {
  const names = Object.keys(TABS);
  return html`<aside class="context" aria-label=${t("pane.context")}>
    <div class="tabs" role="tablist" aria-label=${t("pane.context")} @keydown=${(event) => moved(event, names)}>
      ${names.map(tab)}
    </div>
    <div class="panel" role="tabpanel" id="panel" aria-labelledby="tab-${state.tab}" tabindex="0">
      ${OF_A_TURN.has(state.tab) ? chooser() : ""} ${TABS[state.tab]()}
    </div>
  </aside>`;
}

function tab(name) {
  const selected = name === state.tab;
  return html`<button
    type="button"
    role="tab"
    id="tab-${name}"
    aria-selected=${selected}
    aria-controls="panel"
    tabindex=${selected ? 0 : -1}
    @click=${() => show({ tab: name })}
  >
    ${t(`tab.${name}`)}
  </button>`;
}

// Left and right go from tab to tab, as in every list of tabs.
function moved(event, names) {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (!step) return;
  event.preventDefault();
  const next = names[(names.indexOf(state.tab) + step + names.length) % names.length];
  show({ tab: next }).then(() => document.querySelector(`#tab-${next}`)?.focus());
  requestAnimationFrame(() => requestAnimationFrame(() => document.querySelector(`#tab-${next}`)?.focus()));
}

function chooser() {
  const numbers = state.session.turns.map((each) => each.number);
  const turn = shownTurn();
  if (!turn) return "";
  const go = (to) => () => show({ turn: to === lastTurn() ? null : to });
  const before = numbers.filter((each) => each < turn).at(-1);
  const after = numbers.find((each) => each > turn);
  return html`<div class="chooser">
    ${before ? symbol("left", t("turn.before"), go(before)) : html`<span class="symbol"></span>`}
    <strong>${t("turn.of", { turn, turns: lastTurn() })}</strong>
    ${after ? symbol("right", t("turn.after"), go(after)) : html`<span class="symbol"></span>`}
  </div>`;
}
