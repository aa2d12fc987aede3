// Import of a file: its first rows, where each column goes, a check, progress, and the rows that were rejected.

import { html, useEffect, useRef, useState } from "../preact-htm.js";
import { Dialog } from "../kit/dialog.js";
import { preview, toCSV } from "../kit/csv.js";
import { bytes, count, plural } from "../kit/format.js";
import { runJob } from "../kit/jobs.js";
import { Failure } from "../kit/resource.js";
import { download, saveFile } from "../kit/save.js";
import { check, complaint, editText, isCustom, primaryKeyOf, typeText } from "../kit/values.js";
import { Progress } from "./data-many.js";

const TYPES = { csv: "text/csv", json: "application/json", jsonl: "application/x-ndjson" };
/** Bytes of a file that are read for the preview; JSON is read whole. Rejects that are listed. */
const PREVIEW = 1_000_000;
const LISTED_MAX = 20;
const OUT = "";

const plain = (/** @type {string} */ name) => name.toLowerCase().replace(/[^a-z0-9]/g, "");
/** The field that a column is for, by its name. @param {any[]} fields @param {string} column */
const guess = (fields, column) => (fields.find((one) => one.name === column) ?? fields.find((one) => plain(one.name) === plain(column)))?.name ?? OUT;

/** What is wrong with a cell of the preview. @param {any} field @param {string} text @param {string} kind */
function problem(field, text, kind) {
  if (text === "") return field.required && field.name !== "id" ? `${field.name} is required.` : "";
  if (field.list || isCustom(field) || (field.type === "AWSJSON" && kind !== "csv")) {
    try {
      JSON.parse(text);
      return "";
    } catch {
      return `${field.name} must be JSON.`;
    }
  }
  return check(field, text).error ? complaint(field, text) : "";
}

/** @param {{ source: any, onClose: () => void, onDone: () => void }} props */
export function ImportDialog({ source, onClose, onDone }) {
  const [file, setFile] = useState(/** @type {any} */ (null));
  const [mapping, setMapping] = useState(/** @type {Record<string, string>} */ ({}));
  const [mode, setMode] = useState("create");
  const [state, setState] = useState(/** @type {any} */ ({ phase: "choose" }));
  const [over, setOver] = useState(false);
  const abort = useRef(/** @type {AbortController | null} */ (null));
  useEffect(() => () => abort.current?.abort(), []);
  const fields = source.fields.filter((/** @type {any} */ field) => field.kind === "scalar" || field.kind === "enum" || isCustom(field)).filter((/** @type {any} */ field) => !field.readOnly || primaryKeyOf(source).includes(field.name));
  const choose = async (/** @type {File | undefined} */ chosen) => {
    setOver(false);
    if (!chosen) return;
    const kind = /\.csv$/i.test(chosen.name) ? "csv" : /\.(jsonl|ndjson)$/i.test(chosen.name) ? "jsonl" : "json";
    try {
      const whole = kind === "json" || chosen.size <= PREVIEW;
      let text = await (whole ? chosen : chosen.slice(0, PREVIEW)).text();
      if (!whole) text = text.slice(0, text.lastIndexOf("\n") + 1);
      const found = preview(text, kind);
      if (!found.columns.length) throw new Error("It has no rows.");
      setFile({ chosen, kind, ...found });
      setMapping(Object.fromEntries(found.columns.map((column) => [column, guess(fields, column)])));
      setState({ phase: "preview" });
    } catch (error) {
      setFile(null);
      setState({ phase: "choose", error: { code: "invalid", message: `${chosen.name} cannot be read as ${kind === "csv" ? "CSV" : kind === "json" ? "JSON" : "JSON lines"}.`, hint: /** @type {any} */ (error).message } });
    }
  };
  const run = async (/** @type {boolean} */ dryRun) => {
    abort.current = new AbortController();
    setState({ phase: "running", dryRun });
    const changed = file.columns.filter((/** @type {string} */ column) => mapping[column] !== column);
    const columns = changed.length ? Object.fromEntries(changed.map((/** @type {string} */ column) => [column, mapping[column] || null])) : undefined;
    try {
      const job = await runJob(`/data/${encodeURIComponent(source.name)}/import`, { query: { mode, dryRun: dryRun || undefined, columns }, raw: file.chosen, headers: { "Content-Type": TYPES[file.kind] }, signal: abort.current.signal }, (now) => setState({ phase: "running", dryRun, progress: now.progress }));
      const result = { ...job.progress, ...job.result };
      const rejected = result.rejected ?? 0;
      setState({ phase: dryRun && job.state === "done" ? "checked" : "done", job: job.id, cancelled: job.state === "cancelled", accepted: result.accepted ?? (result.done ?? 0) - rejected, created: result.created, updated: result.updated, skipped: result.skipped, rejected, rejects: result.rejects ?? [] });
      if (!dryRun) onDone();
    } catch (error) {
      setState(/** @type {any} */ (error).name === "AbortError" ? { phase: "preview" } : { phase: "preview", error });
    }
  };
  const problems = (/** @type {string} */ column, /** @type {number} */ n) => {
    const field = fields.find((/** @type {any} */ one) => one.name === mapping[column]);
    return field ? file.rows.map((/** @type {string[]} */ row) => problem(field, row[n] ?? "", file.kind)).filter(Boolean) : [];
  };
  const missing = file ? fields.filter((/** @type {any} */ field) => field.required && field.name !== "id" && !Object.values(mapping).includes(field.name)) : [];
  const double = file ? fields.filter((/** @type {any} */ field) => Object.values(mapping).filter((name) => name === field.name).length > 1) : [];
  const saveRejects = () => (state.job ? download(`/operators/v1/jobs/${encodeURIComponent(state.job)}/rejects`, `${source.name}-rejects.csv`) : saveFile(`${source.name}-rejects.csv`, toCSV(["line", "reason"], state.rejects.map((/** @type {any} */ one) => [one.line, one.reason])), TYPES.csv));
  const again = html`<button class="btn" type="button" onClick=${() => setState({ phase: "preview" })}>Back</button>`;
  const stopped = double.length > 0 || (mode !== "upsert" && missing.length > 0);
  const footer = { choose: null, preview: html`<button class="btn main" type="button" disabled=${stopped} onClick=${() => run(false)}>Import</button><button class="btn" type="button" disabled=${double.length > 0} onClick=${() => run(true)}>Check only</button>`, running: html`<button class="btn" type="button" onClick=${() => abort.current?.abort()}>Cancel</button>`,
    checked: html`<button class="btn main" type="button" disabled=${!state.accepted} onClick=${() => run(false)}>Import ${plural(state.accepted ?? 0, "item")}</button>${again}`, done: html`<button class="btn main" type="button" onClick=${onClose}>Close</button>` }[/** @type {"choose"} */ (state.phase)];
  const parts = [state.created && `${count(state.created)} created`, state.updated && `${count(state.updated)} changed`, state.skipped && `${count(state.skipped)} skipped`].filter(Boolean);
  return html`<${Dialog} title=${`Import into ${source.name}`} class="broad" onClose=${() => (state.phase === "running" ? abort.current?.abort() : onClose())} footer=${footer}>
    ${state.error && html`<${Failure} compact error=${state.error} />`}
    ${(state.phase === "choose" || state.phase === "preview") && html`<div class=${`drop${over ? " over" : ""}`} onDragOver=${(/** @type {Event} */ event) => { event.preventDefault(); setOver(true); }} onDragLeave=${() => setOver(false)} onDrop=${(event) => { event.preventDefault(); choose(event.dataTransfer.files[0]); }}>
      <label class="field"><span>${file ? html`<b>${file.chosen.name}</b>, ${bytes(file.chosen.size)}. Drop or choose another file.` : "CSV, JSON or JSON lines. Drop a file here, or choose one."}</span><input data-first class="input" type="file" accept=".csv,.json,.jsonl,.ndjson" onChange=${(event) => choose(event.target.files[0])} /></label></div>`}
    ${file && state.phase === "preview" && html`<label class="field note"><span>Items that exist already</span><select class="input" value=${mode} onChange=${(event) => setMode(event.target.value)}><option value="create">Reject them</option><option value="upsert">Change them</option><option value="skip">Skip them</option></select></label>
      ${missing.length > 0 && html`<p class="small note row"><span class=${`chip ${mode === "upsert" ? "ochre" : "brick"}`}>required</span> ${missing.map((/** @type {any} */ field) => field.name).join(", ")} ${missing.length === 1 ? "has" : "have"} no column.</p>`}
      ${double.length > 0 && html`<p class="small note row"><span class="chip brick">twice</span> ${double.map((/** @type {any} */ field) => field.name).join(", ")}</p>`}
      <div class="preview" tabindex="0" role="region" aria-label="The first rows"><table><thead><tr>${file.columns.map((/** @type {string} */ column, /** @type {number} */ n) => {
        const wrong = problems(column, n);
        return html`<th key=${column}><span class="mono">${column}</span><select class="input" aria-label=${`Field for ${column}`} value=${mapping[column]} onChange=${(event) => setMapping({ ...mapping, [column]: event.target.value })}><option value=${OUT}>Leave out</option>${fields.map((/** @type {any} */ field) => html`<option key=${field.name} value=${field.name}>${field.name}  ${typeText(field)}</option>`)}</select>
          ${mapping[column] === OUT ? html`<span class="chip">${guess(fields, column) === OUT ? "no such field" : "left out"}</span>` : wrong.length > 0 ? html`<span class="chip brick" title=${wrong[0]}>${plural(wrong.length, "problem")}</span>` : html`<span class="chip moss">fits</span>`}</th>`;
      })}</tr></thead><tbody>${file.rows.map((/** @type {string[]} */ row, /** @type {number} */ n) => html`<tr key=${n}>${file.columns.map((/** @type {string} */ column, /** @type {number} */ m) => {
        const field = fields.find((/** @type {any} */ one) => one.name === mapping[column]);
        const wrong = field ? problem(field, row[m] ?? "", file.kind) : "";
        return html`<td key=${m} class=${wrong ? "bad" : field ? "" : "faint"} title=${wrong || undefined}>${editText(row[m], { name: column, type: "String", kind: "scalar" })}</td>`;
      })}</tr>`)}</tbody></table></div>
      <p class="small faint note">The first ${plural(file.rows.length, "row")}. The server checks all of them.</p>`}
    ${state.phase === "running" && html`<${Progress} words=${state.dryRun ? "Checking" : "Importing"} done=${state.progress?.done ?? 0} total=${state.progress?.total ?? null} />`}
    ${(state.phase === "checked" || state.phase === "done") && html`<p role="status"><b>${state.cancelled ? "Cancelled. " : ""}${state.phase === "done" ? `${plural(state.accepted, "item")} imported` : `${plural(state.accepted, "item")} can be imported`}${state.rejected ? `, ${count(state.rejected)} rejected` : ""}.</b>${parts.length > 1 || state.skipped ? ` ${parts.join(", ")}.` : ""}</p>
      ${state.rejects.length > 0 && html`<ul class="samples">${state.rejects.slice(0, LISTED_MAX).map((/** @type {any} */ one) => html`<li key=${one.line}>Line ${count(one.line)}: ${one.reason}</li>`)}${state.rejected > LISTED_MAX && html`<li class="faint">and ${count(state.rejected - LISTED_MAX)} more</li>`}</ul><button class="btn" type="button" onClick=${saveRejects}>Save the rejects</button>`}`}
  <//>`;
}
