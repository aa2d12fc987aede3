// Controls of a field's value: one value by its scalar, a list, and the members of a custom type.

import { html } from "../preact-htm.js";
import { Icon } from "./icons.js";
import { choicesOf, isCustom, typeText } from "./values.js";

/** @typedef {import("./values.js").Field} Field */

export function ScalarField({ id, field, text, mark, changed, disabled, isNew, described, bad, onInput }) {
  const look = `input${changed ? " changed" : ""}${bad ? " bad" : ""}${["Int", "Float", "AWSDate", "AWSDateTime", "AWSTime", "AWSTimestamp"].includes(field.type) ? " num" : ""}`;
  const input = (event) => onInput(event.target.value);
  const values = disabled ? null : choicesOf(field);
  if (values) {
    return html`<select id=${id} class=${look} aria-describedby=${described} value=${text} onChange=${input}>${(!text || !values.includes(text)) && html`<option value=${text}>${text || mark || "Choose"}</option>`}${values.map((one) => html`<option key=${one} value=${one}>${one}</option>`)}</select>`;
  }
  const placeholder = mark || (isNew && field.name === "id" ? "Generated when left empty" : field.default !== undefined && isNew ? `Default: ${field.default}` : "");
  const long = isCustom(field) || field.type === "AWSJSON" || text.length > 60 || text.includes("\n");
  if (long) return html`<textarea id=${id} class=${`${look}${isCustom(field) || field.type === "AWSJSON" ? " mono" : ""}`} rows=${Math.min(12, Math.max(3, text.split("\n").length))} readonly=${Boolean(disabled)} aria-describedby=${described} aria-invalid=${bad ? "true" : undefined} placeholder=${placeholder} spellcheck=${false} value=${text} onInput=${input}></textarea>`;
  return html`<input id=${id} class=${look} readonly=${Boolean(disabled)} title=${typeof disabled === "string" ? disabled : undefined} aria-describedby=${described} aria-invalid=${bad ? "true" : undefined} placeholder=${placeholder} autocomplete="off" spellcheck=${false}
    inputmode=${field.type === "Int" ? "numeric" : field.type === "Float" ? "decimal" : undefined} value=${text} onInput=${input} />`;
}

export function ListField({ id, field, texts, changed, disabled, onChange }) {
  const move = (/** @type {number} */ at, /** @type {number} */ by) => {
    const next = [...texts];
    [next[at], next[at + by]] = [next[at + by], next[at]];
    onChange(next);
  };
  return html`<div class="list-rows" role="group" aria-label=${field.name}>
    ${texts.map((/** @type {string} */ text, /** @type {number} */ n) => html`<div class="row" key=${n}><input id=${n === 0 ? id : undefined} class=${`input${changed ? " changed" : ""}`} aria-label=${`${field.name}, element ${n + 1}`} readonly=${Boolean(disabled)} value=${text} onInput=${(event) => onChange(texts.map((/** @type {string} */ one, /** @type {number} */ m) => (m === n ? event.target.value : one)))} />
      ${!disabled && html`<button class="btn plain icon low" aria-label=${`Move element ${n + 1} up`} disabled=${n === 0} onClick=${() => move(n, -1)}><${Icon} name="up" small /></button>
      <button class="btn plain icon low" aria-label=${`Remove element ${n + 1}`} onClick=${() => onChange(texts.filter((/** @type {string} */ _, /** @type {number} */ m) => m !== n))}><${Icon} name="x" small /></button>`}</div>`)}
    ${!disabled && html`<div><button class="btn plain low" id=${texts.length === 0 ? id : undefined} onClick=${() => onChange([...texts, ""])}><${Icon} name="plus" small />Add</button></div>`}
  </div>`;
}

/** The members of a custom type, one below the other. `texts`: what is typed by name; a member without one is absent.
 * @param {{ id: string, field: Field, texts: Record<string, string>, changed: boolean, disabled: any, wrong: Record<string, string>, onChange: (texts: Record<string, string>) => void }} props */
export function CustomField({ id, field, texts, changed, disabled, wrong, onChange }) {
  return html`<div class=${`members${changed ? " changed" : ""}`} role="group" aria-label=${field.name}>${(field.fields ?? []).map((member, n) => html`<div key=${member.name}>
    <label class="row" for=${n === 0 ? id : `${id}-${member.name}`}><span class="mono nm">${member.name}</span><span class="ty">${typeText(member)}</span></label>
    <${ScalarField} id=${n === 0 ? id : `${id}-${member.name}`} field=${member} text=${texts[member.name] ?? ""} mark=${texts[member.name] === undefined ? "not set" : ""} changed=${false} disabled=${disabled} isNew=${false} bad=${Boolean(wrong[member.name])} described=${wrong[member.name] ? `${id}-${member.name}-wrong` : undefined}
      onInput=${(/** @type {string} */ text) => onChange(text === "" && member.type !== "String" ? Object.fromEntries(Object.entries(texts).filter(([name]) => name !== member.name)) : { ...texts, [member.name]: text })} />
    ${wrong[member.name] && html`<p class="wrong" id=${`${id}-${member.name}-wrong`}>${wrong[member.name]}</p>`}</div>`)}</div>`;
}
