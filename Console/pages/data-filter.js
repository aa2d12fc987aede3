// The conditions of a filter as chips above the table.

import { html } from "../preact-htm.js";
import { Icon } from "../kit/icons.js";
import { Menu } from "../kit/menu.js";
import { conditionWords, fromJSON, isGroup, toJSON } from "../kit/filter.js";

/** @param {{ json: any, onChange: (json: any) => void, onEdit: (at: number, condition: any) => void, onJSON: () => void }} props */
export function Chips({ json, onChange, onEdit, onJSON }) {
  const filter = fromJSON(json);
  if (filter === null) return html`<span class="fl"><button class="what mono" onClick=${onJSON}><span>filter</span><span class="val">${JSON.stringify(json)}</span></button><button class="shut" aria-label="Remove filter" onClick=${() => onChange(null)}><${Icon} name="x" small /></button></span>`;
  const { any, conditions } = filter;
  const without = (/** @type {number} */ at) => onChange(toJSON({ any, conditions: conditions.filter((_, n) => n !== at) }));
  return html`${conditions.length > 1 && html`<${Menu} class="btn plain low" label="How filters are joined" button=${html`${any ? "any of" : "all of"}<${Icon} name="down" small />`} entries=${[false, true].map((one) => ({ text: one ? "Any is enough" : "All must hold", checked: any === one, run: () => onChange(toJSON({ any: one, conditions })) }))} />`}
    ${conditions.map((one, n) => isGroup(one)
      ? html`<span class="fl-group" key=${n}><span class="small faint">${/** @type {any} */ (one).any ? "any of" : "all of"}</span>${/** @type {any} */ (one).conditions.map((/** @type {any} */ inner, /** @type {number} */ m) => html`<${Chip} key=${m} condition=${inner} />`)}<button class="btn plain icon low" aria-label="Remove group" onClick=${() => without(n)}><${Icon} name="x" small /></button></span>`
      : html`<${Chip} key=${n} condition=${one} onEdit=${() => onEdit(n, one)} onRemove=${() => without(n)} />`)}`;
}

function Chip({ condition, onEdit, onRemove }) {
  const words = conditionWords(condition);
  const inside = html`<span class="mono">${words.field}</span><span class="op">${words.op}</span>${words.value !== "" && html`<span class="num val">${words.value}</span>`}`;
  return html`<span class="fl">${onEdit ? html`<button class="what" aria-label=${`Edit filter: ${words.field} ${words.op} ${words.value}`} onClick=${onEdit}>${inside}</button>` : html`<span class="what">${inside}</span>`}
    ${onRemove && html`<button class="shut" aria-label=${`Remove filter: ${words.field} ${words.op} ${words.value}`} onClick=${onRemove}><${Icon} name="x" small /></button>`}</span>`;
}
