// What the person does, and what follows from it.

import { Refused, get, post, watch } from "./api.js";
import { forgetDraft, keepDraft } from "./drafts.js";
import { empty, running, shownTurn, state, update } from "./store.js";
import { t } from "./texts.js";

let watching = new AbortController();
let fading = 0;
let asked = 0;

export function notice(words, kind = "done") {
  clearTimeout(fading);
  update({ notice: { words, kind } });
  if (kind === "done") fading = setTimeout(() => update({ notice: null }), 6000);
}

function tell(error) {
  if (error.name === "AbortError") return;
  notice(error instanceof Refused ? error.message : t("error.unreachable"), "error");
}

// Does what can be refused; tells why where it is, and gives whether it was done.
export async function attempt(work) {
  try {
    await work();
    return true;
  } catch (error) {
    tell(error);
    return false;
  }
}

export async function loadSessions() {
  update({ sessions: await get("sessions") });
}

export async function open(thread, { pane = "chat" } = {}) {
  watching.abort();
  update({
    thread, pane, session: empty(thread), live: null, from: null, turn: null,
    prompt: null, compactions: null, costs: null, why: null, notice: null,
  });
  history.replaceState(null, "", `#${encodeURIComponent(thread)}`);
  await attempt(async () => {
    await reload();
    const { run, unfinished, pending } = state.session;
    if (run && (!run.over || (unfinished && !pending.length))) follow(run);
  });
}

export async function fresh() {
  await attempt(async () => {
    const home = await get("home");
    update({ home });
    await open(home.thread);
    document.querySelector("#message")?.focus();
  });
}

export async function reload() {
  const thread = state.thread;
  const mine = (asked += 1);
  const session = await get("session", { thread });
  // What was asked for before a turn may come after it: only the last answer is shown.
  if (thread !== state.thread || mine !== asked) return;
  update({ session });
  await loadTab();
}

// Loads what the open tab shows.
export async function loadTab() {
  const { thread, tab } = state;
  const turn = shownTurn();
  const wanted = {
    prompt: async () => ({ prompt: turn ? await get("prompt", { thread, turn }) : null }),
    memories: async () => ({
      prompt: turn ? await get("prompt", { thread, turn }) : null,
      memories: await get("memories"),
    }),
    compactions: async () => ({ compactions: await get("compactions", { thread }) }),
    ledger: async () => ({ costs: await get("costs", { thread }) }),
  }[tab];
  const loaded = wanted ? await wanted() : {};
  if (thread === state.thread && tab === state.tab && turn === shownTurn()) update(loaded);
}

export async function show(change) {
  update(change);
  await attempt(loadTab);
}

// Follows the turn that runs to its end, wherever it was begun.
async function follow({ said, turn = null }) {
  watching.abort();
  const control = (watching = new AbortController());
  const { thread } = state;
  const live = { said, turn, texts: new Map(), status: t("chat.reading"), notes: [], over: false, end: "" };
  update({ live, sending: false });
  try {
    for await (const event of watch(thread, control.signal)) {
      if (state.live !== live) return;
      take(live, event);
      update();
    }
  } catch (error) {
    tell(error);
  }
  if (state.live !== live || control.signal.aborted) return;
  if (live.refused && live.said) keepDraft(thread, live.said);
  await attempt(reload);
  // Over only now: whoever sees that it is over finds the turn in the session, and can ask why.
  live.over = true;
  if (state.live !== live) return;
  if (live.refused) {
    notice(live.notes.join(" "), "error");
    live.notes = [];
  }
  update({ live: live.refused || live.end === "ended" || live.end === "asked" ? null : live });
  if (live.notes.length) notice(live.notes.join(" "), "note");
  await attempt(loadSessions);
}

function take(live, event) {
  switch (event.kind) {
    case "turn":
      live.turn = event.number;
      break;
    case "status":
      live.status = event.words;
      break;
    case "text":
      live.texts.set(event.message, event.set ?? (live.texts.get(event.message) ?? "") + event.add);
      live.status = "";
      break;
    case "asked":
      live.end = "asked";
      break;
    case "ended":
      live.end = event.text === null ? "none" : "ended";
      live.notes = event.notes;
      break;
    case "failed":
      live.end = "failed";
      live.notes = [event.words];
      // The turn was not begun: the message goes back to where it was written.
      live.refused = event.error === "ThreadBusy";
      break;
    case "stopped":
      live.end = "stopped";
      live.notes = [event.words];
      break;
    default:
      break;
  }
}

export async function say(text) {
  if (!text.trim() || state.sending) return;
  if (running()) {
    notice(t("composer.busy"));
    return;
  }
  const { thread, from } = state;
  update({ sending: true, notice: null });
  const begun = await attempt(() => post("say", { thread, text, turn: from }));
  update({ sending: false });
  if (!begun) {
    keepDraft(thread, text);
    return;
  }
  forgetDraft(thread);
  if (thread !== state.thread) return;
  const turns = from === null ? state.session.messages : state.session.messages.filter((each) => each.turn <= from);
  update({ session: { ...state.session, messages: turns, pending: [], unfinished: false }, from: null, turn: null });
  await follow({ said: text });
}

export async function retry() {
  if (await attempt(() => post("retry", { thread: state.thread }))) await follow({ said: "" });
}

export async function decide(answers) {
  if (!(await attempt(() => post("decide", { thread: state.thread, answers })))) return;
  update({ session: { ...state.session, pending: [] } });
  await follow({ said: "" });
}

export async function stop() {
  if (!running()) return;
  state.live.status = t("chat.stopping");
  update();
  await attempt(() => post("stop", { thread: state.thread }));
}

// Changes the session between two turns and tells what that did.
export async function change(name, values) {
  const done = await attempt(async () => {
    const answer = await post(name, { thread: state.thread, ...values });
    await reload();
    notice(answer.words);
  });
  if (done && name === "forget") await attempt(loadSessions);
  return done;
}

export async function rename(thread, name) {
  await attempt(async () => {
    const answer = await post("rename", { thread, new: name });
    await loadSessions();
    if (thread === state.thread) await open(answer.thread, { pane: state.pane });
    notice(answer.words);
  });
}

export async function remove(thread) {
  await attempt(async () => {
    const answer = await post("delete", { thread });
    await loadSessions();
    if (thread === state.thread) await fresh();
    notice(answer.words);
  });
}

export async function fork(turn) {
  await attempt(async () => {
    const answer = await post("fork", { thread: state.thread, turn });
    await loadSessions();
    await open(answer.thread);
    notice(answer.words);
  });
}

export async function explain(words) {
  const turn = shownTurn();
  update({ why: null });
  await attempt(async () => update({ why: await get("why", { thread: state.thread, words, turn }) }));
}
