// The dialogs of Data: filter, columns, views. Those for many items have a module of their own.

import { html, useMemo, useState } from "../preact-htm.js";
import { Dialog } from "../kit/dialog.js";
import { Empty } from "../kit/resource.js";
import { Icon } from "../kit/icons.js";
import { OPERATORS, fromJSON, operatorsOf, toJSON } from "../kit/filter.js";
import { milliseconds, plural } from "../kit/format.js";
import { lazy } from "../kit/lazy.js";
import { hasPage } from "../console.js";
import { href, setQuery } from "../kit/router.js";
import { remember } from "../kit/storage.js";
import { toast } from "../kit/toast.js";
import { check, choicesOf, complaint, isLink } from "../kit/values.js";

const many = () => import("./data-many.js");
const [DeleteDialog, ChangeDialog] = ["DeleteDialog", "ChangeDialog"].map((name) => lazy(many, name));
const ImportDialog = lazy(() => import("./data-import.js"), "ImportDialog");
const GenerateDialog = lazy(() => import("./data-generate.js"), "GenerateDialog");

/** The dialog that is open. */
export function Dialogs({ dialog, source, all, session, columns, setColumns, setFilterJSON, filterJSON, query, views, onClose, onDone }) {
  switch (dialog.kind) {
    case "filter": return html`<${FilterDialog} source=${source} all=${all} related=${session.capabilities.includes("bulk")} condition=${dialog.condition} onClose=${onClose} onDone=${(condition) => {
      onClose();
      // A filter that the chips cannot show stays as it is, beside the new condition.
      const filter = fromJSON(filterJSON);
      if (!filter) return setFilterJSON({ and: [filterJSON, toJSON({ any: false, conditions: [condition] })] });
      const next = [...filter.conditions];
      next.splice(dialog.at ?? next.length, 1, condition);
      setFilterJSON(toJSON({ any: filter.any, conditions: next }));
    }} />`;
    case "json": return html`<${JSONDialog} json=${filterJSON} onClose=${onClose} onDone=${(json) => {
      onClose();
      setFilterJSON(json);
    }} />`;
    case "columns": return html`<${ColumnsDialog} source=${source} columns=${columns} onClose=${onClose} onDone=${setColumns} />`;
    case "view": return html`<${ViewDialog} onClose=${onClose} onDone=${(/** @type {string} */ name) => {
      remember(`views.${source.name}`, [...views.filter((one) => one.name !== name), { name, query }]);
      onClose();
      toast(`Saved the view “${name}” in this browser.`);
    }} />`;
    case "import": return html`<${ImportDialog} source=${source} onClose=${onClose} onDone=${onDone} />`;
    case "generate": return html`<${GenerateDialog} source=${source} onClose=${onClose} onDone=${onDone} />`;
    case "delete": return html`<${DeleteDialog} source=${source} all=${all} session=${session} chosen=${dialog.chosen} onClose=${onClose} onDone=${onDone} />`;
    default: return html`<${ChangeDialog} source=${source} chosen=${dialog.chosen} onClose=${onClose} onDone=${onDone} />`;
  }
}

/** The fields that a filter can name: those of the model, and one level of what it belongs to. @param {any} source @param {any[]} all @param {boolean} withRelated */
function filterFields(source, all, withRelated) {
  const own = source.fields.filter((field) => field.kind === "scalar" || field.kind === "enum");
  if (!withRelated) return own;
  const related = source.fields.filter(isLink).flatMap((link) => (all.find((one) => one.name === link.type)?.fields ?? [])
    .filter((field) => (field.kind === "scalar" || field.kind === "enum") && !field.list && !field.readOnly).map((field) => ({ ...field, name: `${link.name}.${field.name}` })));
  return [...own, ...related];
}

/** The control for a value of a condition, by the field's type. */
function ValueInput({ field, op, value, onInput, label, wrong }) {
  const id = wrong ? "filter-wrong" : undefined;
  const choices = op === "size" ? null : choicesOf(field);
  if (choices) {
    return html`<label class="field whole"><span>${label}</span><select class="input" value=${value} onChange=${(event) => onInput(event.target.value)}>${choices.map((one) => html`<option key=${one} value=${one}>${one}</option>`)}</select></label>`;
  }
  return html`<label class=${`field${op === "between" ? "" : " whole"}`}><span>${label}</span><input class=${`input${wrong ? " bad" : ""}`} value=${value} autocomplete="off" spellcheck=${false} aria-invalid=${wrong ? "true" : undefined} aria-describedby=${id}
    placeholder=${{ AWSDate: "2026-12-05", AWSDateTime: "2026-12-05T14:30:00.000Z", AWSTime: "14:30:00.000Z", AWSEmail: "ada@example.com" }[field.type] ?? ""} onInput=${(event) => onInput(event.target.value)} /></label>`;
}

function FilterDialog({ source, all, related, condition, onClose, onDone }) {
  const fields = useMemo(() => filterFields(source, all, related), [source, all, related]);
  const [name, setName] = useState(condition?.field ?? fields[0].name);
  const field = fields.find((one) => one.name === name) ?? fields[0];
  const operators = operatorsOf(field);
  const [op, setOp] = useState(condition?.op ?? operators[0]);
  const asText = (value) => (value === undefined || value === null ? "" : String(value));
  const first = (one) => choicesOf(one)?.[0] ?? "";
  const [values, setValues] = useState(() => (condition ? (Array.isArray(condition.value) ? condition.value : [typeof condition.value === "object" ? condition.value?.eq : condition.value]).map(asText) : [first(field), ""]));
  const [wrong, setWrong] = useState("");
  const choose = (/** @type {string} */ next) => {
    setName(next);
    const other = fields.find((one) => one.name === next);
    if (!operatorsOf(other).includes(op)) setOp(operatorsOf(other)[0]);
    setValues([first(other), ""]);
    setWrong("");
  };
  const number = OPERATORS[op].values;
  const submit = () => {
    if (op === "attributeExists") return onDone({ field: name, op, value: values[0] !== "false" });
    if (op === "size") {
      const length = Number(values[0]);
      if (!Number.isInteger(length) || values[0] === "") return setWrong("The length must be a whole number.");
      return onDone({ field: name, op, value: { eq: length } });
    }
    const partial = op === "beginsWith" || op === "contains" || op === "notContains";
    const out = [];
    for (const text of values.slice(0, number)) {
      const { value, error } = partial ? { value: text, error: text === "" ? `${name} needs a text.` : undefined } : check({ ...field, list: false }, text);
      if (error) return setWrong(partial ? error : complaint({ ...field, list: false }, text));
      out.push(value);
    }
    onDone({ field: name, op, value: op === "between" ? out : out[0] });
  };
  return html`<${Dialog} title=${condition ? "Change filter" : "Add a filter"} onClose=${onClose} onSubmit=${submit}
    footer=${html`<button class="btn main" type="submit">${condition ? "Change filter" : "Add filter"}</button><button class="btn" type="button" onClick=${onClose}>Cancel</button>`}>
    <div class="filter-form">
      <label class="field"><span>Field</span><select class="input mono" data-first value=${name} onChange=${(event) => choose(event.target.value)}>${fields.map((one) => html`<option key=${one.name} value=${one.name}>${one.name}</option>`)}</select></label>
      <label class="field"><span>Operator</span><select class="input" value=${op} onChange=${(event) => { setOp(event.target.value); setWrong(""); }}>${operators.map((one) => html`<option key=${one} value=${one}>${OPERATORS[one].words}</option>`)}</select></label>
      ${op === "attributeExists" ? html`<label class="field whole"><span>Value</span><select class="input" value=${values[0] === "false" ? "false" : "true"} onChange=${(event) => setValues([event.target.value])}><option value="true">is set</option><option value="false">is not set</option></select></label>`
        : html`<${ValueInput} field=${field} op=${op} label=${number === 2 ? "From" : op === "size" ? "Length" : "Value"} value=${values[0] ?? ""} wrong=${wrong} onInput=${(/** @type {string} */ text) => { setValues([text, values[1] ?? ""]); setWrong(""); }} />
          ${number === 2 && html`<${ValueInput} field=${field} op=${op} label="To" value=${values[1] ?? ""} wrong=${wrong} onInput=${(/** @type {string} */ text) => { setValues([values[0], text]); setWrong(""); }} />`}`}
    </div>
    ${wrong && html`<p class="wrong" id="filter-wrong" role="alert">${wrong}</p>`}
  <//>`;
}

function JSONDialog({ json, onClose, onDone }) {
  const [text, setText] = useState(json ? JSON.stringify(json, null, 2) : "");
  const [wrong, setWrong] = useState("");
  const submit = () => {
    try {
      const value = text.trim() ? JSON.parse(text) : null;
      if (value !== null && (typeof value !== "object" || Array.isArray(value))) throw new Error("A filter is an object.");
      onDone(value);
    } catch (error) {
      setWrong(`The filter is not JSON: ${/** @type {any} */ (error).message}`);
    }
  };
  return html`<${Dialog} title="Filter as JSON" lead="The API’s filter input, with fields of related models one level deep." wide onClose=${onClose} onSubmit=${submit}
    footer=${html`<button class="btn main" type="submit">Apply filter</button><button class="btn" type="button" onClick=${onClose}>Cancel</button>`}>
    <textarea class=${`input mono${wrong ? " bad" : ""}`} rows="9" aria-label="Filter" spellcheck=${false} aria-describedby=${wrong ? "json-wrong" : undefined} value=${text} onInput=${(event) => { setText(event.target.value); setWrong(""); }}></textarea>
    ${wrong && html`<p class="wrong" id="json-wrong" role="alert">${wrong}</p>`}
  <//>`;
}

function ColumnsDialog({ source, columns, onClose, onDone }) {
  const move = (/** @type {number} */ at, /** @type {number} */ by) => {
    const next = [...columns];
    [next[at], next[at + by]] = [next[at + by], next[at]];
    onDone(next);
  };
  const change = (/** @type {number} */ at, part) => onDone(columns.map((one, /** @type {number} */ n) => (n === at ? { ...one, ...part } : one)));
  return html`<${Dialog} title="Columns" lead=${`As ${source.name} is shown in this browser.`} onClose=${onClose} footer=${html`<button class="btn main" type="button" onClick=${onClose}>Close</button>`}>
    <ul class="cols">${columns.map((one, /** @type {number} */ n) => html`<li key=${one.name}>
      <label class="row grow"><input class="check" type="checkbox" checked=${one.shown} onChange=${(event) => change(n, { shown: event.target.checked })} /><span class="mono cut">${one.name}</span></label>
      <input class="input width" type="number" min="64" max="640" step="8" aria-label=${`Width of ${one.name}`} value=${Math.round(one.width)} onChange=${(event) => change(n, { width: Math.max(64, Math.min(640, Number(event.target.value) || 160)) })} />
      <span class="end"><button class="btn plain icon low" type="button" aria-label=${`Move ${one.name} up`} disabled=${n === 0} onClick=${() => move(n, -1)}><${Icon} name="up" small /></button>
      <button class="btn plain icon low flip" type="button" aria-label=${`Move ${one.name} down`} disabled=${n === columns.length - 1} onClick=${() => move(n, 1)}><${Icon} name="up" small /></button></span></li>`)}</ul>
  <//>`;
}

function ViewDialog({ onClose, onDone }) {
  const [name, setName] = useState("");
  return html`<${Dialog} title="Save this view" lead="Filter and order, under a name, in this browser." onClose=${onClose} onSubmit=${() => name.trim() && onDone(name.trim())}
    footer=${html`<button class="btn main" type="submit" disabled=${!name.trim()}>Save view</button><button class="btn" type="button" onClick=${onClose}>Cancel</button>`}>
    <label class="field"><span>Name</span><input class="input" value=${name} onInput=${(event) => setName(event.target.value)} /></label><//>`;
}

/** Over the grid: what a list without an index costs, before it is read. */
export function Scan({ error, query, source }) {
  const items = error.details.items;
  return html`<${Empty} text=${html`No index serves this ${query.order ? "order" : "filter"}. ${items !== undefined ? `Reading all ${plural(items, "item")} of ${source.name} takes about ${milliseconds(error.details.milliseconds ?? error.details.estimatedMilliseconds ?? 0)}.` : `${error.hint ?? ""}`}`}>
    ${items !== undefined && html`<button class="btn main" onClick=${() => setQuery({ scan: "true" })}>Read all items</button>`}
    ${hasPage("/schema") && html`<a class="btn" href=${href("/schema", { type: source.name, add: "key", fields: indexFields(query.filter, query.order).join(",") })}>Add an index</a>`}
    ${query.order ? html`<button class="btn" onClick=${() => setQuery({ order: "", direction: "" })}>Remove the order</button>` : html`<button class="btn" onClick=${() => setQuery({ filter: "" })}>Clear filter</button>`}<//>`;
}
/** The fields of an index that would help: one that the filter wants to equal a value, and the order. An order alone has none.
 * @param {string | undefined} text @param {string | undefined} order @returns {string[]} */
function indexFields(text, order) {
  try {
    const filter = fromJSON(JSON.parse(text ?? "null"));
    const partition = /** @type {any} */ ((filter?.conditions ?? []).find((one) => "op" in one && one.op === "eq" && !one.field.includes(".")))?.field;
    return partition ? [partition, ...(order && order !== partition ? [order] : [])] : [];
  } catch {
    return [];
  }
}
