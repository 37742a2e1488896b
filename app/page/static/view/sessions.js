// The list of sessions: begin one, open, rename, delete.

import { html } from "../vendor/lit-html/lit-html.js";
import { repeat } from "../vendor/lit-html/directives/repeat.js";
import { fresh, notice, open, remove, rename } from "../actions.js";
import { switchLanguage, switchTheme, theme } from "../choices.js";
import { state, titleOf, update } from "../store.js";
import { current, t, when } from "../texts.js";
import { ask } from "./dialog.js";
import { nothingYet, symbol } from "./parts.js";

export function sessions() {
  return html`<aside class="sessions" aria-label=${t("pane.sessions")}>
    <header>
      <span class="brand"><img src="/static/icon.svg" alt="" width="22" height="22" />ninefold</span>
      ${switches()}
    </header>
    <button type="button" class="new-session" @click=${fresh}>${t("session.new")}</button>
    <ul>
      ${repeat(state.sessions, (each) => each.thread, row)}
    </ul>
    ${state.sessions.length ? "" : nothingYet(t("session.none"))}
    <footer title=${state.home?.model ?? ""}>${state.home?.model ?? ""}</footer>
  </aside>`;
}

function row(session) {
  const title = titleOf(session.thread, session.words);
  return html`<li class=${session.thread === state.thread ? "open" : ""}>
    <button
      type="button"
      class="session"
      aria-current=${session.thread === state.thread ? "true" : "false"}
      title=${session.thread}
      @click=${() => open(session.thread)}
    >
      <span class="session-title" dir="auto">${title}</span>
      <span class="session-about">
        <span class="session-words" dir="auto">${title === session.words ? t("session.turns", { turns: session.turns }) : session.words}</span>
        <span>${when(session.at)}</span>
      </span>
      ${session.running ? html`<span class="running" role="img" aria-label=${t("session.running")}></span>` : ""}
    </button>
    <span class="session-tools">
      ${symbol("edit", t("session.rename", { thread: session.thread }), () => renamed(session.thread))}
      ${symbol("trash", t("session.delete", { thread: session.thread }), () => deleted(session.thread))}
    </span>
  </li>`;
}

async function renamed(thread) {
  const name = await ask({ title: t("session.rename_title"), value: thread, confirm: t("rename") });
  if (name && name !== thread) await rename(thread, name);
}

async function deleted(thread) {
  const title = t("session.delete_title");
  const text = t("session.delete_text", { thread });
  if (await ask({ title, text, confirm: t("delete"), danger: true })) await remove(thread);
}

function switches() {
  const other = current() === "zh" ? "en" : "zh";
  const colours = { system: "half", light: "sun", dark: "moon" }[theme()];
  return html`<span class="switches">
    ${symbol(colours, t("theme.switch", { now: t(`theme.${theme()}`) }), () => {
      notice(switchTheme());
      update();
    })}
    <button type="button" class="symbol" lang=${other} aria-label=${t("language.switch")} title=${t("language.switch")}
      @click=${() => switchLanguage(other)}>${other === "zh" ? "中" : "En"}</button>
  </span>`;
}
