// The dialogs of Data: filter, columns, views, import, generated items.

import { html, useMemo, useRef, useState } from "../preact-htm.js";
import { finished, post, send } from "../api.js";
import { Dialog } from "../kit/dialog.js";
import { Empty, Failure } from "../kit/resource.js";
import { Icon } from "../kit/icons.js";
import { OPERATORS, operatorsOf } from "../kit/filter.js";
import { count, milliseconds, plural } from "../kit/format.js";
import { setQuery } from "../kit/router.js";
import { check, choicesOf, complaint, isCollection, isLink } from "../kit/values.js";

/** The fields that a filter can name: those of the model, and one level of what it belongs to. @param {any} source @param {any[]} all */
function filterFields(source, all) {
  const own = source.fields.filter((field) => field.kind === "scalar" || field.kind === "enum");
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

export function FilterDialog({ source, all, condition, onClose, onDone }) {
  const fields = useMemo(() => filterFields(source, all), [source, all]);
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

export function JSONDialog({ json, onClose, onDone }) {
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

export function ColumnsDialog({ source, columns, onClose, onDone }) {
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

export function ViewDialog({ onClose, onDone }) {
  const [name, setName] = useState("");
  return html`<${Dialog} title="Save this view" lead="Filter and order, under a name, in this browser." onClose=${onClose} onSubmit=${() => name.trim() && onDone(name.trim())}
    footer=${html`<button class="btn main" type="submit" disabled=${!name.trim()}>Save view</button><button class="btn" type="button" onClick=${onClose}>Cancel</button>`}>
    <label class="field"><span>Name</span><input class="input" value=${name} onInput=${(event) => setName(event.target.value)} /></label><//>`;
}

/** The first rows of a file. Pure. @param {string} text @param {string} kind @returns {{ columns: string[], rows: string[][] }} */
export function preview(text, kind, limit = 20) {
  if (kind === "csv") {
    const rows = parseCSV(text, limit + 1);
    return { columns: rows[0] ?? [], rows: rows.slice(1) };
  }
  let objects;
  if (kind === "json") objects = JSON.parse(text);
  else objects = text.split("\n").filter((line) => line.trim()).slice(0, limit).map((line) => JSON.parse(line));
  if (!Array.isArray(objects)) throw new Error("The file is not a list.");
  objects = objects.slice(0, limit);
  const columns = [...new Set(objects.flatMap((one) => Object.keys(one)))];
  return { columns, rows: objects.map((one) => columns.map((name) => (one[name] === undefined ? "" : typeof one[name] === "object" ? JSON.stringify(one[name]) : String(one[name])))) };
}
/** RFC 4180. @param {string} text @param {number} limit */
export function parseCSV(text, limit = Infinity) {
  /** @type {string[][]} */ const rows = [];
  let row = [];
  let cell = "";
  let quoted = false;
  for (let n = 0; n < text.length; n += 1) {
    const c = text[n];
    if (quoted) {
      if (c === '"' && text[n + 1] === '"') (cell += '"'), (n += 1);
      else if (c === '"') quoted = false;
      else cell += c;
    } else if (c === '"' && cell === "") quoted = true;
    else if (c === ",") (row.push(cell), (cell = ""));
    else if (c === "\n" || c === "\r") {
      if (c === "\r" && text[n + 1] === "\n") n += 1;
      row.push(cell);
      if (row.length > 1 || row[0] !== "") rows.push(row);
      (row = []), (cell = "");
      if (rows.length >= limit) return rows;
    } else cell += c;
  }
  if (cell !== "" || row.length) rows.push([...row, cell]);
  return rows;
}

const TYPES = { csv: "text/csv", json: "application/json", jsonl: "application/x-ndjson" };

export function ImportDialog({ source, onClose, onDone }) {
  const [file, setFile] = useState(/** @type {any} */ (null));
  const [mode, setMode] = useState("create");
  const [state, setState] = useState(/** @type {any} */ ({ phase: "choose" }));
  const abort = useRef(/** @type {AbortController | null} */ (null));
  const choose = async (/** @type {File | undefined} */ chosen) => {
    if (!chosen) return;
    const kind = /\.csv$/i.test(chosen.name) ? "csv" : /\.(jsonl|ndjson)$/i.test(chosen.name) ? "jsonl" : "json";
    try {
      const text = await (kind === "json" ? chosen : chosen.slice(0, 1_000_000)).text();
      setFile({ chosen, kind, ...preview(text, kind) });
      setState({ phase: "preview" });
    } catch (error) {
      setFile(null);
      setState({ phase: "choose", error: { code: "invalid", message: `${chosen.name} cannot be read as ${kind === "csv" ? "CSV" : "JSON"}.`, hint: /** @type {any} */ (error).message } });
    }
  };
  const run = async (/** @type {boolean} */ dryRun) => {
    abort.current = new AbortController();
    setState({ phase: "running", dryRun });
    try {
      const { value } = await send("POST", `/data/${encodeURIComponent(source.name)}/import`, { query: { mode, dryRun: dryRun || undefined }, raw: file.chosen, headers: { "Content-Type": TYPES[file.kind] }, deadline: 600_000, signal: abort.current.signal });
      const job = value.job ? await finished(value.job, (now) => setState({ phase: "running", dryRun, progress: now.progress }), abort.current.signal) : null;
      if (job?.state === "failed") throw job.error;
      const result = { ...(job?.progress ?? {}), ...(job?.result ?? value) };
      setState({ phase: dryRun ? "checked" : "done", accepted: result.accepted ?? (result.done ?? 0) - (result.rejected ?? 0), rejected: result.rejected ?? result.rejects?.length ?? 0, rejects: result.rejects ?? [] });
      if (!dryRun) onDone();
    } catch (error) {
      setState(/** @type {any} */ (error).name === "AbortError" ? { phase: "preview" } : { phase: "preview", error });
    }
  };
  const known = new Set(source.fields.map((field) => field.name));
  const saveRejects = () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([["line,reason", ...state.rejects.map((one) => `${one.line},"${String(one.reason).replaceAll('"', '""')}"`)].join("\r\n")], { type: "text/csv" }));
    link.download = `${source.name}-rejects.csv`;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  const footer = { choose: null, preview: html`<button class="btn main" type="button" onClick=${() => run(false)}>Import</button><button class="btn" type="button" onClick=${() => run(true)}>Check only</button>`, running: html`<button class="btn" type="button" onClick=${() => abort.current?.abort()}>Cancel</button>`,
    checked: html`<button class="btn main" type="button" onClick=${() => run(false)}>Import ${count(state.accepted ?? 0)} items</button>`, done: html`<button class="btn main" type="button" onClick=${onClose}>Close</button>` }[state.phase];
  return html`<${Dialog} title=${`Import into ${source.name}`} wide onClose=${onClose} footer=${footer}>
    ${state.error && html`<${Failure} compact error=${state.error} />`}
    ${(state.phase === "choose" || state.phase === "preview") && html`<div class="drop" onDragOver=${(/** @type {Event} */ event) => event.preventDefault()} onDrop=${(event) => { event.preventDefault(); choose(event.dataTransfer.files[0]); }}>
      <label class="field"><span>CSV, JSON or JSON lines. Drop a file here, or choose one.</span><input data-first class="input" type="file" accept=".csv,.json,.jsonl,.ndjson" onChange=${(event) => choose(event.target.files[0])} /></label></div>`}
    ${file && state.phase === "preview" && html`<label class="field"><span>Items that exist already</span><select class="input" value=${mode} onChange=${(event) => setMode(event.target.value)}><option value="create">Reject them</option><option value="upsert">Change them</option><option value="skip">Skip them</option></select></label>
      <div class="preview" tabindex="0" role="region" aria-label="The first rows"><table><thead><tr>${file.columns.map((/** @type {string} */ name) => html`<th key=${name}>${name}${!known.has(name) && html` <span class="chip brick">no such field</span>`}</th>`)}</tr></thead><tbody>${file.rows.map((/** @type {string[]} */ row, /** @type {number} */ n) => html`<tr key=${n}>${row.map((text, m) => html`<td key=${m}>${text}</td>`)}</tr>`)}</tbody></table></div>`}
    ${state.phase === "running" && html`<p role="status">${state.dryRun ? "Checking" : "Importing"}${state.progress ? `: ${count(state.progress.done)} of ${count(state.progress.total)}` : " …"}</p>${state.progress && html`<progress class="progress" max=${state.progress.total} value=${state.progress.done} aria-label="Progress"></progress>`}`}
    ${(state.phase === "checked" || state.phase === "done") && html`<p role="status"><b>${state.phase === "done" ? `${plural(state.accepted, "item")} imported` : `${plural(state.accepted, "item")} can be imported`}${state.rejected ? `, ${count(state.rejected)} rejected` : ""}.</b></p>
      ${state.rejects.length > 0 && html`<ul class="samples">${state.rejects.slice(0, 20).map((one) => html`<li key=${one.line}>Line ${one.line}: ${one.reason}</li>`)}</ul><button class="btn" type="button" onClick=${saveRejects}>Save the rejects</button>`}`}
  <//>`;
}

export function GenerateDialog({ source, onClose, onDone }) {
  const [number, setNumber] = useState("50");
  const [seed, setSeed] = useState(String(1 + (Date.now() % 99_999)));
  const [state, setState] = useState(/** @type {any} */ ({}));
  const submit = async () => {
    const items = Number(number);
    if (!Number.isInteger(items) || items < 1 || items > 10_000) return setState({ wrong: "The number must be between 1 and 10,000." });
    setState({ busy: true });
    try {
      const answer = await post(`/data/${encodeURIComponent(source.name)}/generate`, { count: items, seed: Number(seed) || 1 }, { deadline: 60_000 });
      const job = answer.job ? await finished(answer.job, (now) => setState({ busy: true, progress: now.progress })) : null;
      if (job?.state === "failed") throw job.error;
      onDone();
      onClose();
    } catch (error) {
      setState({ error });
    }
  };
  return html`<${Dialog} title=${`Generate items of ${source.name}`} lead="Values by type and name of each field. The same seed makes the same items." onClose=${onClose} onSubmit=${submit}
    footer=${html`<button class="btn main" type="submit" disabled=${state.busy}>Generate</button><button class="btn" type="button" onClick=${onClose}>Cancel</button>${state.progress && html`<span class="faint small num">${count(state.progress.done)} of ${count(state.progress.total)}</span>`}`}>
    ${state.error && html`<${Failure} compact error=${state.error} />`}
    <div class="filter-form"><label class="field"><span>Number of items</span><input class=${`input${state.wrong ? " bad" : ""}`} inputmode="numeric" aria-describedby=${state.wrong ? "generate-wrong" : undefined} value=${number} onInput=${(event) => setNumber(event.target.value)} /></label>
    <label class="field"><span>Seed</span><input class="input" inputmode="numeric" value=${seed} onInput=${(event) => setSeed(event.target.value)} /></label></div>
    ${state.wrong && html`<p class="wrong" id="generate-wrong" role="alert">${state.wrong}</p>`}
    <p class="small quiet note">${plural(source.fields.filter((field) => !isCollection(field) && !field.readOnly).length, "field")} get values.</p>
  <//>`;
}

/** Over the grid: what a list without an index costs, before it is read. */
export function Scan({ error, query, source }) {
  const items = error.details.items;
  return html`<${Empty} text=${html`No index serves this ${query.order ? "order" : "filter"}. ${items !== undefined ? `Reading all ${plural(items, "item")} of ${source.name} takes about ${milliseconds(error.details.milliseconds ?? error.details.estimatedMilliseconds ?? 0)}.` : `${error.hint ?? ""}`}`}>
    ${items !== undefined && html`<button class="btn main" onClick=${() => setQuery({ scan: "true" })}>Read all items</button>`}
    ${query.order ? html`<button class="btn" onClick=${() => setQuery({ order: "", direction: "" })}>Remove the order</button>` : html`<button class="btn" onClick=${() => setQuery({ filter: "" })}>Clear filter</button>`}<//>`;
}
