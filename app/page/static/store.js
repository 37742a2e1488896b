// The state of the page, in one object; whoever changes it calls `update`, and the page is drawn anew once.

export const state = {
  home: null,
  sessions: [],
  thread: "",
  session: empty(""),
  live: null, // the turn that runs, or the last one where it ended without a reply
  from: null, // the turn that the next message goes on from; null is the last
  turn: null, // the turn that is looked at; null is the last
  pane: "chat", // what a narrow window shows: sessions, chat or context
  tab: "prompt",
  prompt: null,
  compactions: null,
  costs: null,
  memories: null,
  why: null,
  notice: null,
  dialog: null,
  sending: false,
};

let draw = () => {};
let drawn = true;

export function empty(thread) {
  return { thread, turns: [], messages: [], constraints: [], unchecked: "", ended: [], pending: [], unfinished: false, run: null };
}

export function onChange(render) {
  draw = render;
}

export function update(change = {}) {
  Object.assign(state, change);
  if (drawn) {
    drawn = false;
    requestAnimationFrame(() => {
      drawn = true;
      draw();
    });
  }
}

export function running() {
  return state.live !== null && !state.live.over;
}

export function lastTurn() {
  return state.session.turns.at(-1)?.number ?? 0;
}

// The turn that is looked at; unless one was chosen, the last that has a prompt.
export function shownTurn() {
  const made = state.session.turns.findLast((each) => each.tokens > 0);
  return state.turn ?? made?.number ?? lastTurn();
}

const UNNAMED = /^\d{8}-\d{6}-[0-9a-f]{4}$/;

// What a session is called: its name, or where nobody gave it one, what was said in it.
export function titleOf(thread, words) {
  return UNNAMED.test(thread) && words ? words : thread;
}
