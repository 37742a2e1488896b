// The page: loads the words and the sessions, opens one, and draws.

import { render } from "./vendor/lit-html/lit-html.js";
import { get } from "./api.js";
import { attempt, fresh, loadSessions, open, stop } from "./actions.js";
import { onChange, running, state, update } from "./store.js";
import { load } from "./texts.js";
import { layout } from "./view/layout.js";

async function start() {
  await load(document.documentElement.lang.startsWith("zh") ? "zh" : "en");
  onChange(() => render(layout(), document.querySelector("#page")));
  await attempt(async () => {
    update({ home: await get("home") });
    await loadSessions();
  });
  const named = decodeURIComponent(location.hash.slice(1));
  const thread = named || state.sessions[0]?.thread;
  await (thread ? open(thread) : fresh());
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape" && !event.isComposing && running() && state.dialog === null) {
    event.preventDefault();
    stop();
  }
});

window.addEventListener("hashchange", () => {
  const thread = decodeURIComponent(location.hash.slice(1));
  if (thread && thread !== state.thread) open(thread);
});

start();
