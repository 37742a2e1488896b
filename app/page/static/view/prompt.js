// The prompt of a turn as stacked layers, in the order sent, each with its share of the window.

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { shownTurn, state } from "../store.js";
import { number, t } from "../texts.js";
import { nothingYet } from "./parts.js";

export function prompt() {
  const { prompt: shown } = state;
  if (shown && shown.turn !== shownTurn()) return nothing;
  if (!shown || !shown.layers.length) return nothingYet(t("prompt.none"));
  const free = Math.max(0, shown.num_ctx - shown.tokens - shown.reserve);
  return html`
    <p class="figures">
      <strong>${number(shown.tokens)}</strong>
      <span>${t("prompt.of", { room: number(shown.num_ctx) })}</span>
      <span class="aside">${t("prompt.reserve", { reserve: number(shown.reserve) })}</span>
    </p>
    <div class="stack" role="img" aria-label=${t("prompt.stack", { tokens: number(shown.tokens), room: number(shown.num_ctx) })}>
      ${shown.layers.map((layer) => segment(layer.name, layer.tokens, shown.num_ctx, layer.label))}
      ${segment("free", free, shown.num_ctx, t("prompt.free"))}
      ${segment("reserve", shown.reserve, shown.num_ctx, t("prompt.reply"))}
    </div>
    <ol class="layers">
      ${shown.layers.map((layer) => layerOf(layer, shown))}
    </ol>
    ${shown.gave_way.map((line) => html`<p class="gave-way">${line}</p>`)}
    <details class="steps">
      <summary>${t("prompt.steps")}</summary>
      <ol>
        ${shown.steps.map((line) => html`<li>${step(line)}</li>`)}
      </ol>
    </details>
  `;
}

function segment(name, tokens, room, label) {
  if (tokens <= 0) return nothing;
  return html`<span
    class="segment ${name}"
    title="${label}: ${number(tokens)}"
    .style=${`width: ${(tokens / room) * 100}%`}
  ></span>`;
}

function layerOf(layer, shown) {
  const most = Math.max(...shown.layers.map((each) => each.tokens));
  const share = `width: ${(layer.tokens / most) * 100}%`;
  return html`<li>
    <details>
      <summary>
        <span class="chip ${layer.name}"></span>
        <span class="layer-label">${layer.label}</span>
        <span class="layer-count">${layer.pieces.length > 1 ? t("prompt.messages", { count: layer.pieces.length }) : ""}</span>
        <span class="layer-tokens">${number(layer.tokens)}</span>
        <span class="bar"><span class="bar-filled ${layer.name}" .style=${share}></span></span>
      </summary>
      ${layer.text ? html`<pre dir="auto">${layer.text}</pre>` : nothing} ${layer.pieces.map(piece)}
    </details>
  </li>`;
}

function piece(each) {
  return html`<div class="piece">
    <span class="piece-role"
      >${t(`role.${each.role}`)}${each.clipped ? html` <span class="mark">${t("prompt.clipped")}</span>` : nothing}</span
    >
    ${each.rules ? html`<pre class="piece-rules" dir="auto">${each.rules}</pre>` : nothing}
    <pre dir="auto">${each.text}</pre>
  </div>`;
}

// A step's name stands at the beginning of its line, padded.
function step(line) {
  const [name, ...rest] = line.trim().split(/\s+/);
  return html`<span class="step-name">${name}</span> <span>${rest.join(" ")}</span>`;
}
