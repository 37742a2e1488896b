// What was typed and not sent yet, for each session: it outlives a reload, not the tab.

const key = (thread) => `draft ${thread}`;

export function draftOf(thread) {
  return sessionStorage.getItem(key(thread)) ?? "";
}

export function keepDraft(thread, text) {
  try {
    sessionStorage.setItem(key(thread), text);
  } catch {
    // A draft that the browser has no room for stays in its field.
  }
}

export function forgetDraft(thread) {
  sessionStorage.removeItem(key(thread));
}
