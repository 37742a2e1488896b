// The chat: what was said, what is being written, the question that waits, and the field for the next message.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { repeat } from "../vendor/lit-html/directives/repeat.js";
import { retry, show } from "../actions.js";
import { markdown } from "../markdown.js";
import { running, shownTurn, state, titleOf } from "../store.js";
import { number, t } from "../texts.js";
import { composer } from "./composer.js";
import { conflict } from "./conflict.js";

const LONGEST = 8_000; // characters of a message that are shown while its turn runs

export function chat() {
  keepAtTheEnd();
  return html`<main class="chat" aria-label=${t("pane.chat")}>
    <header class="chat-head">
      <h1 dir="auto" title=${state.thread}>${title()}</h1>
      ${gauge()}
    </header>
    <div class="messages" tabindex="0" role="log" aria-label=${t("chat.log")} aria-busy=${running()}>
      <div class="messages-inner">${said()} ${live()} ${waiting()}</div>
    </div>
    ${state.thread ? composer() : nothing}
  </main>`;
}

function title() {
  const first = state.session.messages.find((each) => each.role === "user");
  return titleOf(state.thread, first?.text.slice(0, 200) ?? t("session.new"));
}

function said() {
  const { live, session, from } = state;
  const messages = session.messages.filter((each) => !live || each.turn !== live.turn || each.role === "user");
  if (!messages.length && !live) return welcome();
  let turn = 0;
  return repeat(
    messages,
    (each) => each.id,
    (each) => {
      const first = each.turn !== turn;
      turn = each.turn;
      const left = from !== null && each.turn > from;
      return html`${first ? divider(each.turn) : nothing}
        <div class="message ${each.role} ${left ? "left" : ""}">${body(each)}</div>`;
    },
  );
}

function divider(turn) {
  const about = state.session.turns.find((each) => each.number === turn);
  const shown = turn === shownTurn();
  return html`<button
    type="button"
    class="divider ${shown ? "shown" : ""}"
    aria-pressed=${shown}
    title=${t("chat.show_turn", { turn })}
    @click=${() => show({ turn })}
  >
    <span>${t("turn", { turn })}</span>
    ${about?.tokens ? html`<span>${t("tokens", { tokens: number(about.tokens) })}</span>` : nothing}
    ${about?.compacted.length ? html`<span class="mark">${t("chat.compacted")}</span>` : nothing}
  </button>`;
}

function body(message) {
  const more = message.more ? html`<p class="more">${t("chat.more", { more: number(message.more) })}</p>` : nothing;
  switch (message.role) {
    case "tool":
      return html`<details>
        <summary>${t("chat.tool", { name: message.name })}</summary>
        <pre dir="auto">${message.text}</pre>
        ${more}
      </details>`;
    case "data":
      return html`<details>
        <summary>${t("chat.data")}</summary>
        <pre dir="auto">${message.text}</pre>
        ${more}
      </details>`;
    default:
      return html`${message.text ? markdown(message.text, message) : nothing} ${more}
      ${message.calls.map(
        (call) => html`<p class="call">${t("chat.call", { name: call.name })} <code>${JSON.stringify(call.args)}</code></p>`,
      )}`;
  }
}

function live() {
  const { live, session } = state;
  if (!live) return nothing;
  const told = session.messages.some((each) => each.role === "user" && each.turn === live.turn);
  const texts = [...live.texts.values()].filter(Boolean);
  return html`
    ${live.said && !told ? html`<div class="message user">${markdown(live.said.slice(0, LONGEST), live)}</div>` : nothing}
    ${texts.map((text, at) => html`<div class="message assistant">${markdown(text, holderOf(live, at))}</div>`)}
    ${live.over ? ending(live) : html`<p class="status"><span class="dots" aria-hidden="true"></span>${live.status}</p>`}
  `;
}

function ending(live) {
  const taken = live.end !== "none";
  return html`<div class="ending ${live.end}" role="alert">
    <p>${live.notes.join(" ")}</p>
    ${taken && state.session.unfinished
      ? html`<button type="button" @click=${retry}>${t("chat.go_on")}</button>`
      : nothing}
  </div>`;
}

function waiting() {
  if (state.live && !state.live.over) return nothing;
  const { pending, unfinished } = state.session;
  if (pending.length) return conflict(pending);
  if (!unfinished || state.live) return nothing;
  return html`<div class="ending" role="alert">
    <p>${t("chat.unfinished")}</p>
    <button type="button" @click=${retry}>${t("chat.go_on")}</button>
  </div>`;
}

function welcome() {
  return html`<div class="welcome">
    <h2>${t("welcome.title")}</h2>
    <p>${t("welcome.text")}</p>
    <ul>
      ${["rules", "memory", "window"].map((name) => html`<li>${t(`welcome.${name}`)}</li>`)}
    </ul>
  </div>`;
}

function gauge() {
  const used = state.session.turns.at(-1)?.tokens ?? 0;
  const room = state.home?.num_ctx ?? 0;
  if (!used || !room) return nothing;
  const label = t("chat.gauge", { used: number(used), room: number(room) });
  return html`<span class="gauge" title=${label}>
    <span>${label}</span>
    <meter min="0" max=${room} value=${used} aria-label=${label}></meter>
  </span>`;
}

const holders = new WeakMap();

function holderOf(live, at) {
  if (!holders.has(live)) holders.set(live, []);
  return (holders.get(live)[at] ??= {});
}

// Whoever reads the end of the chat goes on reading it while it grows; whoever scrolled up stays there.
function keepAtTheEnd() {
  const box = document.querySelector(".messages");
  const atEnd = !box || box.scrollHeight - box.scrollTop - box.clientHeight < 120;
  const fresh = box?.dataset.thread !== state.thread;
  if (!atEnd && !fresh) return;
  requestAnimationFrame(() => {
    const now = document.querySelector(".messages");
    if (!now) return;
    now.dataset.thread = state.thread;
    now.scrollTop = now.scrollHeight;
  });
}
