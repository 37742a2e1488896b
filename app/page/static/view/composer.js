// The field for the next message: Enter sends, Shift and Enter begin a new line, Escape stops.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { live as kept } from "../vendor/lit-html/directives/live.js";
import { say, stop } from "../actions.js";
import { draftOf, keepDraft } from "../drafts.js";
import { running, state, update } from "../store.js";
import { t } from "../texts.js";

const LONG = 20_000; // characters

export function composer() {
  const busy = running();
  return html`<form class="composer" @submit=${submit}>
    ${state.from === null ? nothing : goingBack()}
    <div class="composer-field">
      <label class="unseen" for="message">${t("composer.label")}</label>
      <textarea
        id="message"
        rows="1"
        dir="auto"
        class=${fits(draftOf(state.thread)) ? "growing" : "full"}
        placeholder=${t("composer.placeholder")}
        @beforeinput=${coming}
        @paste=${coming}
        .value=${kept(draftOf(state.thread))}
        @input=${typed}
        @keydown=${pressed}
      ></textarea>
      ${busy
        ? html`<button type="button" class="round stop" aria-label=${t("composer.stop")} title=${t("composer.stop")}
            @click=${stop}><svg viewBox="0 0 24 24" aria-hidden="true"><rect x="7" y="7" width="10" height="10" rx="2"></rect></svg></button>`
        : html`<button type="submit" class="round" aria-label=${t("composer.send")} title=${t("composer.send")}
            ?disabled=${state.sending}><svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d="M12 19V6M6 11l6-6 6 6"></path></svg></button>`}
    </div>
    <p class="hint">${t(busy ? "composer.hint_busy" : "composer.hint")}</p>
  </form>`;
}

function goingBack() {
  return html`<p class="going-back">
    <span>${t("composer.from", { turn: state.from })}</span>
    <button type="button" class="quiet" @click=${() => update({ from: null })}>${t("cancel")}</button>
  </p>`;
}

// A field that grows with its text is measured anew for every letter, which a very long text makes unbearable.
function fits(text) {
  return text.length < LONG;
}

function coming(event) {
  const more = event.data ?? event.clipboardData?.getData("text") ?? "";
  if (!fits(more)) event.target.className = "full";
}

function typed(event) {
  const { value } = event.target;
  keepDraft(state.thread, value);
  event.target.className = fits(value) ? "growing" : "full";
}

function pressed(event) {
  // While Chinese is being typed, Enter takes the word that is offered.
  if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
  event.preventDefault();
  send(event.target);
}

function submit(event) {
  event.preventDefault();
  send(event.target.querySelector("textarea"));
}

async function send(field) {
  const { value } = field;
  await say(value);
  field.focus();
}
