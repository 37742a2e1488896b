// The compactions: what the window held before and after, and what the proof of each found.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { change } from "../actions.js";
import { running, state } from "../store.js";
import { number, t } from "../texts.js";
import { bar, nothingYet, turnLink } from "./parts.js";

export function compactions() {
  const made = state.compactions ?? [];
  return html`
    <form class="line-form" @submit=${compacted}>
      <label class="unseen" for="focus">${t("compactions.focus")}</label>
      <input id="focus" dir="auto" autocomplete="off" placeholder=${t("compactions.focus")} />
      <button type="submit" ?disabled=${running()}>${t("compactions.now")}</button>
      <button type="button" ?disabled=${running()} @click=${() => change("undo", {})}>${t("compactions.undo")}</button>
    </form>
    ${made.length ? made.map(compaction) : nothingYet(t("compactions.none"))}
  `;
}

function compaction(each) {
  const most = Math.max(each.before, each.after, 1);
  return html`<section class="card compaction">
    <header>${turnLink(each.turn)} <span class="about">${each.why}</span></header>
    <dl class="before-after">
      <dt>${t("compactions.before")}</dt>
      <dd>${bar(each.before / most, "before")}<span>${number(each.before)}</span></dd>
      <dt>${t("compactions.after")}</dt>
      <dd>${bar(each.after / most, "after")}<span>${number(each.after)}</span></dd>
    </dl>
    <ul class="tries">
      ${each.tries.map(attempted)}
    </ul>
    ${each.messages.length
      ? html`<details>
          <summary>${t("compactions.messages", { count: each.messages.length })}</summary>
          ${each.messages.map(message)}
        </details>`
      : nothing}
    ${each.summary.length
      ? html`<details>
          <summary>${t("compactions.summary", { count: each.summary.length })}</summary>
          <ul class="summary">
            ${each.summary.map((text) => html`<li dir="auto">${text}</li>`)}
          </ul>
        </details>`
      : nothing}
  </section>`;
}

function attempted(each) {
  return html`<li class=${each.proven ? "proven" : "refuted"}>
    <span class="verdict">${t(each.proven ? "compactions.proven" : "compactions.refuted")}</span>
    <strong>${each.strategy}</strong>
    <span>${t("compactions.did", { messages: each.messages, freed: number(each.freed) })}</span>
    ${each.reason ? html`<span class="about">${each.reason}</span>` : nothing}
    ${each.missing.length
      ? html`<ul class="missing">
          ${each.missing.map((span) => html`<li><span class="about">${span.kind}</span> <q dir="auto">${span.span}</q></li>`)}
        </ul>`
      : nothing}
  </li>`;
}

function message(each) {
  return html`<div class="changed">
    <span class="piece-role">${t(`role.${each.role}`)}</span>
    <pre class="was" dir="auto">${each.before}</pre>
    ${each.after === null
      ? html`<p class="about">${t("compactions.left", { reference: each.reference })}</p>`
      : html`<pre class="is" dir="auto">${each.after}</pre>`}
  </div>`;
}

async function compacted(event) {
  event.preventDefault();
  const field = event.target.querySelector("input");
  if (await change("compact", { what: field.value })) field.value = "";
}
