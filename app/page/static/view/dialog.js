// A question to the person before something is done: yes or no, or a text.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { state, update } from "../store.js";
import { t } from "../texts.js";

// Gives what the person answers: the text of the field, true where there is none, or null when they would not.
export function ask(question) {
  const opener = document.activeElement;
  return new Promise((resolve) => {
    const answer = (value) => {
      // While it is open, nothing beside it can be focused.
      document.querySelector("dialog")?.close();
      update({ dialog: null });
      resolve(value);
      opener?.focus?.();
    };
    update({ dialog: { danger: false, value: null, ...question, answer } });
    requestAnimationFrame(() => requestAnimationFrame(showIt));
  });
}

function showIt() {
  const element = document.querySelector("dialog");
  if (!element || element.open) return;
  element.showModal();
  const field = element.querySelector("textarea, input");
  field?.focus();
  field?.select();
}

export function dialog() {
  const asked = state.dialog;
  if (!asked) return nothing;
  const submit = (event) => {
    event.preventDefault();
    const field = event.target.querySelector("textarea, input");
    if (field && !field.value.trim()) return;
    asked.answer(field ? field.value.trim() : true);
  };
  const cancel = (event) => {
    event.preventDefault();
    asked.answer(null);
  };
  return html`<dialog aria-labelledby="dialog-title" @cancel=${cancel}>
    <form @submit=${submit}>
      <h2 id="dialog-title">${asked.title}</h2>
      ${asked.text ? html`<p>${asked.text}</p>` : nothing} ${field(asked)}
      <div class="dialog-buttons">
        <button type="button" class="quiet" @click=${cancel}>${t("cancel")}</button>
        <button type="submit" class=${asked.danger ? "danger" : "primary"}>${asked.confirm}</button>
      </div>
    </form>
  </dialog>`;
}

function field(asked) {
  if (asked.value === null) return nothing;
  return asked.long
    ? html`<textarea aria-labelledby="dialog-title" rows="4" .value=${asked.value}></textarea>`
    : html`<input aria-labelledby="dialog-title" .value=${asked.value} />`;
}
