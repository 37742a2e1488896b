// The costs: tokens by layer and turn as a plot, what the server had read before, the time of the steps, the forecast.

import { html, nothing, svg } from "../vendor/lit-html/lit-html.js";
import { show } from "../actions.js";
import { shownTurn, state } from "../store.js";
import { number, t } from "../texts.js";
import { bar, nothingYet, turnLink } from "./parts.js";

const LAYERS = ["fixed", "constraints", "summary", "window", "memories", "turn_constraints", "current"];
const WIDTH = 420;
const HEIGHT = 190;
const LEFT = 40;
const BOTTOM = 20;
const TOP = 10;

export function ledger() {
  const { costs } = state;
  if (!costs?.rows.length) return nothingYet(t("ledger.none"));
  if (costs.rows.every((row) => row.prompt === null)) return table(costs);
  return html`
    ${plot(costs)} ${legend(costs)}
    <p class="forecast">${costs.forecast}</p>
    ${times(costs)} ${table(costs)}
  `;
}

function plot(costs) {
  const room = costs.num_ctx - costs.reserve;
  const most = Math.max(room * 1.08, ...costs.rows.map((row) => Math.min(row.bare ?? 0, room * 1.6)));
  const y = (tokens) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - Math.min(tokens, most) / most);
  const step = (WIDTH - LEFT) / costs.rows.length;
  const thick = Math.max(2, Math.min(28, step * 0.7));
  const x = (at) => LEFT + step * (at + 0.5);
  const every = Math.ceil(costs.rows.length / 12);
  return html`<svg class="plot" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label=${t("ledger.plot")}>
    ${[0, 0.5, 1].map((part) => grid(room * part, y(room * part), part === 1))}
    ${costs.rows.map((row, at) => column(row, x(at), thick, y))}
    <polyline class="bare" points=${costs.rows
      .flatMap((row, at) => (row.bare === null ? [] : `${x(at)},${y(row.bare)}`))
      .join(" ")}></polyline>
    ${costs.rows.map((row, at) =>
      at % every ? nothing : svg`<text class="tick" x=${x(at)} y=${HEIGHT - 5} text-anchor="middle">${row.turn}</text>`,
    )}
  </svg>`;
}

function grid(tokens, at, full) {
  return svg`<line class=${full ? "full" : "grid"} x1=${LEFT} x2=${WIDTH} y1=${at} y2=${at}></line>
    <text class="tick" x=${LEFT - 6} y=${at + 4} text-anchor="end">${number(Math.round(tokens))}</text>`;
}

function column(row, x, thick, y) {
  let below = 0;
  const parts = LAYERS.filter((name) => row.layers[name]).map((name) => {
    const from = y(below);
    below += row.layers[name];
    return svg`<rect class="segment ${name}" x=${x - thick / 2} width=${thick} y=${y(below)} height=${Math.max(0, from - y(below))}></rect>`;
  });
  const label = `${t("turn", { turn: row.turn })}: ${t("tokens", { tokens: count(row.prompt) })}`;
  return svg`<g class="column ${row.turn === shownTurn() ? "shown" : ""}" @click=${() => show({ turn: row.turn, tab: "prompt" })}>
    <title>${label}</title>${parts}
    ${row.compacted.length ? svg`<circle class="compacted" cx=${x} cy=${y(below) - 6} r="2.5"></circle>` : nothing}
  </g>`;
}

function legend(costs) {
  const there = LAYERS.filter((name) => costs.rows.some((row) => row.layers[name]));
  return html`<p class="legend">
    ${there.map((name) => html`<span><span class="chip ${name}"></span>${t(`layer.${name}`)}</span>`)}
    <span><span class="chip bare"></span>${t("ledger.bare")}</span>
    <span><span class="chip dot"></span>${t("chat.compacted")}</span>
  </p>`;
}

function times(costs) {
  const turn = String(shownTurn());
  const measured = costs.seconds[turn] ?? {};
  const steps = Object.entries(measured).filter(([, seconds]) => seconds >= 0.001);
  if (!steps.length) return nothing;
  const most = Math.max(...steps.map(([, seconds]) => seconds));
  return html`<h2>${t("ledger.times", { turn })}</h2>
    <dl class="times">
      ${steps.map(
        ([step, seconds]) => html`<dt>${costs.steps[step]}</dt>
          <dd>${bar(seconds / most)}<span>${seconds.toFixed(seconds < 1 ? 3 : 1)} s</span></dd>`,
      )}
    </dl>`;
}

function table(costs) {
  const heads = ["turn", "prompt", "cached", "reply", "calls", "bare"];
  return html`<div class="scroll" tabindex="0" role="region" aria-label=${t("ledger.table")}>
    <table>
      <thead>
        <tr>
          ${heads.map((name) => html`<th scope="col">${t(`ledger.${name}`)}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${costs.rows.map(
          (row) => html`<tr>
            <th scope="row">${turnLink(row.turn)}</th>
            <td>${count(row.prompt)}</td>
            <td>${count(row.cached)}</td>
            <td>${count(row.reply || null)}</td>
            <td>${row.internal ? `${row.calls}+${row.internal}` : row.calls}</td>
            <td>${count(row.bare)}</td>
          </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

// What is not known, or was forgotten, is no zero.
function count(tokens) {
  return tokens === null ? "–" : number(tokens);
}
