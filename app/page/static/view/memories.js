// The memories: what this turn's recall weighed, with score and fate; and everything that is known, to correct or forget.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { change } from "../actions.js";
import { shownTurn, state } from "../store.js";
import { t, when } from "../texts.js";
import { ask } from "./dialog.js";
import { bar, nothingYet } from "./parts.js";

export function memories() {
  const { prompt, memories: known } = state;
  if (prompt && prompt.turn !== shownTurn()) return nothing;
  const recalled = prompt?.recalled ?? [];
  return html`
    <h2>${t("memories.recalled")}</h2>
    ${prompt?.intent ? html`<p class="about">${prompt.intent}</p>` : nothing}
    ${recalled.length
      ? html`<ul class="cards">${recalled.map((each) => candidate(each, prompt.minimum))}</ul>`
      : nothingYet(t("memories.none_recalled"))}
    <h2>${t("memories.known")}</h2>
    ${known?.length ? html`<ul class="cards">${known.map(memory)}</ul>` : nothingYet(t("memories.none"))}
    <form class="line-form" @submit=${forgottenWords}>
      <label class="unseen" for="forget">${t("memories.forget_label")}</label>
      <input id="forget" dir="auto" autocomplete="off" placeholder=${t("memories.forget_label")} />
      <button type="submit">${t("forget")}</button>
    </form>
  `;
}

function candidate(each, minimum) {
  // The turn keeps the beginning of the words; the memory itself has all of them.
  const whole = state.memories?.find(({ id }) => id === each.id)?.text ?? each.text;
  return html`<li class="card candidate ${each.fate}">
    <p class="words" dir="auto">${whole}</p>
    <p class="about">
      <span class="fate ${each.fate}">${each.label}</span>
      <span>${each.source === "turn" ? t("memories.from_turn") : each.kind}</span>
      <span>${when(each.created)}</span>
    </p>
    ${each.score === null ? nothing : score(each.score, minimum)}
  </li>`;
}

function score(value, minimum) {
  const near = value >= (minimum ?? 0);
  return html`<p class="score">
    <span class="score-bar" title=${minimum === null ? "" : t("memories.threshold", { minimum: minimum.toFixed(2) })}>
      ${bar(value, near ? "near" : "far")}
      ${minimum === null ? nothing : html`<span class="threshold" .style=${`left: ${minimum * 100}%`}></span>`}
    </span>
    <span class="score-value">${Math.max(0, value).toFixed(2)}</span>
  </p>`;
}

function memory(each) {
  const active = each.status === "active";
  return html`<li class="card memory ${each.status}">
    <p class="words" dir="auto">${each.text}</p>
    <p class="about">
      <span>${each.kind}</span> <span>${when(each.created)}</span>
      ${each.hits ? html`<span>${t("memories.hits", { hits: each.hits })}</span>` : nothing}
      ${active ? nothing : html`<span class="fate">${each.label}</span>`}
    </p>
    <p class="acts">
      ${active
        ? html`<button type="button" class="quiet" @click=${() => corrected(each)}>${t("memories.correct")}</button>`
        : nothing}
      <button type="button" class="quiet" @click=${() => forgotten(each)}>${t("forget")}</button>
    </p>
  </li>`;
}

async function corrected(each) {
  const what = await ask({ title: t("memories.correct_title"), value: each.text, long: true, confirm: t("memories.correct") });
  if (what && what !== each.text) await change("memories/correct", { id: each.id, what });
}

async function forgotten(each) {
  const title = t("forget.title");
  const text = t("forget.text", { words: each.text });
  if (await ask({ title, text, confirm: t("forget"), danger: true })) await change("forget", { what: each.id });
}

async function forgottenWords(event) {
  event.preventDefault();
  const field = event.target.querySelector("input");
  const words = field.value.trim();
  if (!words) return;
  const agreed = await ask({
    title: t("forget.title"), text: t("forget.text", { words }), confirm: t("forget"), danger: true,
  });
  if (agreed && (await change("forget", { what: words }))) field.value = "";
}
