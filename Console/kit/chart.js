// Stacked layers over time as SVG, with the same figures as a table for those who do not see it.

import { html, useState } from "../preact-htm.js";
import { clock, count } from "./format.js";

const WIDTH = 620;
const HEIGHT = 150;

/** @param {{ label: string, times: number[], series: { name: string, tone: string, values: number[] }[] }} props `times`: milliseconds since 1970 */
export function Strata({ label, times, series }) {
  const [table, setTable] = useState(false);
  const [over, setOver] = useState(-1);
  const n = times.length;
  const sums = times.map((_, at) => series.reduce((sum, one) => sum + (one.values[at] ?? 0), 0));
  const top = Math.max(1, ...sums) * 1.15;
  const x = (/** @type {number} */ at) => (n < 2 ? 0 : (at / (n - 1)) * WIDTH);
  const y = (/** @type {number} */ value) => HEIGHT - (value / top) * HEIGHT;
  const base = new Array(n).fill(0);
  const layers = series.map((one) => {
    const lower = base.map((value, at) => `${x(at).toFixed(1)} ${y(value).toFixed(1)}`).reverse();
    one.values.forEach((value, at) => (base[at] += value));
    const upper = base.map((value, at) => `${x(at).toFixed(1)} ${y(value).toFixed(1)}`);
    return { tone: one.tone, area: `M${upper.join("L")}L${lower.join("L")}Z`, line: `M${upper.join("L")}` };
  });
  const ticks = n ? [0, 1, 2, 3].map((k) => times[Math.round((k / 3) * (n - 1))]) : [];
  const move = (event) => {
    const box = event.currentTarget.getBoundingClientRect();
    setOver(Math.max(0, Math.min(n - 1, Math.round(((event.clientX - box.left) / box.width) * (n - 1)))));
  };
  if (table) {
    const step = Math.max(1, Math.floor(n / 15));
    return html`<div class="chart-table" tabindex="0" role="region" aria-label=${label}><table><thead><tr><th>Time</th>${series.map((one) => html`<th class="r" key=${one.name}>${one.name}</th>`)}</tr></thead>
      <tbody>${times.map((time, at) => at % step === 0 && html`<tr key=${time}><td>${clock(time)}</td>${series.map((one) => html`<td class="r" key=${one.name}>${count(one.values.slice(at, at + step).reduce((a, b) => a + b, 0))}</td>`)}</tr>`)}</tbody></table>
      </div><button class="btn plain small-btn" onClick=${() => setTable(false)}>Show the chart</button>`;
  }
  return html`<div class="chart" onPointerMove=${move} onPointerLeave=${() => setOver(-1)}>
      <svg class="strata" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label=${label}>
        ${layers.map((layer) => html`<g key=${layer.tone} class=${`tone-${layer.tone}`}><path class="area" d=${layer.area} /><path class="edge" d=${layer.line} vector-effect="non-scaling-stroke" /></g>`)}
        ${over >= 0 && html`<path class="cursor" d="M${x(over)} 0V${HEIGHT}" vector-effect="non-scaling-stroke" />`}
      </svg>
      ${over >= 0 && html`<div class="read num" aria-hidden="true">${clock(times[over], true)} ${series.map((one) => html`<span key=${one.name} class=${`tone-${one.tone}`}><i class="dot"></i>${count(one.values[over] ?? 0)}</span>`)}</div>`}
    </div>
    <div class="axis num">${ticks.map((time, k) => html`<span key=${k}>${clock(time)}</span>`)}</div>
    <button class="btn plain small-btn vh-until-focus" onClick=${() => setTable(true)}>Show as a table</button>`;
}
