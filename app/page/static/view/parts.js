// Small pieces that several views share.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { show } from "../actions.js";
import { t } from "../texts.js";

const SHAPES = {
  close: "M7 7l10 10M17 7L7 17",
  fork: "M7 5v14M7 12c0-4 3-5 6-5h4M14 4l3 3-3 3",
  back: "M9 7L4 12l5 5M4 12h10a6 6 0 0 1 6 6",
  edit: "M4 20h4L19 9l-4-4L4 16zM13 7l4 4",
  trash: "M5 7h14M10 7V5h4v2M7 7l1 12h8l1-12",
  left: "M14 6l-6 6 6 6",
  right: "M10 6l6 6-6 6",
  sun: "M12 8a4 4 0 1 0 0 8 4 4 0 0 0 0-8zM12 3v2M12 19v2M3 12h2M19 12h2M5.6 5.6L7 7M17 17l1.4 1.4M5.6 18.4L7 17M17 7l1.4-1.4",
  moon: "M19 14.5A7.5 7.5 0 0 1 9.5 5a7.5 7.5 0 1 0 9.5 9.5z",
  half: "M12 4a8 8 0 1 0 0 16zM12 4a8 8 0 0 1 0 16",
};

export function icon(name) {
  return html`<svg class="icon" viewBox="0 0 24 24" aria-hidden="true"><path d=${SHAPES[name]}></path></svg>`;
}

// A button with a symbol; its name is told to whoever cannot see it, and to a mouse that rests on it.
export function symbol(name, label, act, kind = "") {
  return html`<button type="button" class="symbol ${kind}" title=${label} aria-label=${label} @click=${act}>
    ${icon(name)}
  </button>`;
}

export function turnLink(turn) {
  if (!turn) return nothing;
  return html`<button type="button" class="turn-link" @click=${() => show({ turn, tab: "prompt" })}>
    ${t("turn", { turn })}
  </button>`;
}

export function nothingYet(words) {
  return html`<p class="nothing-yet">${words}</p>`;
}

// A bar whose filled part is a share of the whole.
export function bar(share, kind = "", label = "") {
  const width = `width: ${Math.max(0, Math.min(1, share)) * 100}%`;
  return html`<span class="bar" role=${label ? "img" : nothing} aria-label=${label || nothing}>
    <span class="bar-filled ${kind}" .style=${width}></span>
  </span>`;
}
