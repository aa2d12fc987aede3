// Generated items: a generator for each field, samples first.

import { html, useEffect, useRef, useState } from "../preact-htm.js";
import { get, post } from "../api.js";
import { Dialog } from "../kit/dialog.js";
import { count, plural } from "../kit/format.js";
import { runJob } from "../kit/jobs.js";
import { Failure, Loaded, useResource } from "../kit/resource.js";
import { toast } from "../kit/toast.js";
import { cellText, check, typeText } from "../kit/values.js";
import { Progress } from "./data-many.js";

const COUNT_MAX = 10_000;
/** Words of the generators whose name is not one. */
const WORDS = { firstName: "first name", lastName: "last name", dateTime: "date and time", integer: "whole number", float: "number", uuid: "UUID", url: "URL", ip: "IP address", json: "JSON", email: "e-mail", link: "an existing item", enum: "one of the values", custom: "its fields", none: "nothing" };
/** What a generator can be given, with what is taken without it. @type {Record<string, Record<string, any>>} */
const OPTIONS = {
  integer: { min: 0, max: 100 }, float: { min: 0, max: 100, decimals: 2 }, price: { min: 5, max: 500 }, boolean: { share: 0.5 }, constant: { value: "" }, sequence: { prefix: "", start: 1 },
  date: { from: "2026-01-01", to: "2026-12-31" }, dateTime: { from: "2026-01-01T00:00:00.000Z", to: "2026-12-31T00:00:00.000Z" }, timestamp: { from: 1_767_225_600, to: 1_798_675_200 },
};
/** How many of a hundred items lack an optional field stands beside every generator. */
const LABELS = { min: "from", max: "to", from: "from", to: "to", share: "share of true", decimals: "decimals", value: "value", prefix: "prefix", start: "start", absent: "% without" };
const TEXTS = ["ID", "String"];

/** What is typed stays as it is typed. */
function Option({ words, name, first, size, number, onSet }) {
  const [text, setText] = useState(first);
  return html`<label class="row small"><span class="faint">${words}</span><input class="input" aria-label=${`${name}: ${words}`} size=${size} inputmode=${number ? "decimal" : undefined} value=${text} onInput=${(event) => { setText(event.target.value); onSet(event.target.value); }} /></label>`;
}

/** The generators' options in a row. @param {{ field: any, generator: any, onChange: (generator: any) => void }} props */
function Options({ field, generator, onChange }) {
  const inner = generator.generator === "list" ? generator.of ?? {} : generator;
  const isOption = (/** @type {string} */ one) => one in (OPTIONS[inner.generator] ?? {}) && (one !== "prefix" || TEXTS.includes(field.type));
  const names = Object.keys(LABELS).filter((one) => isOption(one) || (inner !== generator && (one === "min" || one === "max")) || (one === "absent" && !field.required && generator.generator !== "none"));
  return names.map((one) => {
    const from = isOption(one) ? inner : generator;
    const shown = from[one] ?? OPTIONS[from.generator]?.[one] ?? "";
    const text = one === "absent" ? String(Math.round(Number(shown || 0) * 100)) : String(shown);
    const number = one !== "value" && typeof (OPTIONS[from.generator]?.[one] ?? 0) === "number";
    const valueOf = (/** @type {string} */ text) => {
      // A constant is a value of its field.
      if (one === "value") return check({ ...field, list: false }, text).value ?? text;
      if (one === "absent") return Math.min(100, Math.max(0, Number(text) || 0)) / 100;
      return number && text !== "" && Number.isFinite(Number(text)) ? Number(text) : text;
    };
    const set = (/** @type {string} */ text) => {
      const next = { ...from, [one]: valueOf(text) };
      onChange(from === generator ? next : { ...generator, of: next });
    };
    return html`<${Option} key=${`${inner.generator} ${one}`} words=${LABELS[one]} name=${field.name} first=${text} size=${one === "absent" ? 1 : number ? 3 : one === "prefix" ? 8 : 11} number=${number} onSet=${set} />`;
  });
}

/** @param {{ source: any, onClose: () => void, onDone: () => void }} props */
export function GenerateDialog({ source, onClose, onDone }) {
  const path = `/data/${encodeURIComponent(source.name)}/generate`;
  const plan = useResource([path], (signal) => get(path, { signal, quiet: true }).catch((error) => {
    // A server that offers no choice generates by type and name.
    if (error.code === "not_found" || error.status === 405) return { fields: [] };
    throw error;
  }));
  const [number, setNumber] = useState("50");
  const [seed, setSeed] = useState(String(1 + (Date.now() % 99_999)));
  const [changes, setChanges] = useState(/** @type {Record<string, any>} */ ({}));
  const [state, setState] = useState(/** @type {any} */ ({ phase: "form" }));
  const abort = useRef(/** @type {AbortController | null} */ (null));
  useEffect(() => () => abort.current?.abort(), []);
  // On a phone they are below the fields.
  useEffect(() => state.samples && document.querySelector("dialog .preview")?.scrollIntoView({ block: "nearest" }), [state.samples]);
  const items = Number(number);
  const body = () => ({ count: items, seed: Number(seed) || 1, ...(Object.keys(changes).length ? { fields: changes } : {}) });
  const set = (/** @type {string} */ name, /** @type {any} */ generator) => {
    setChanges((/** @type {any} */ old) => ({ ...old, [name]: generator }));
    setState({ phase: "form" });
  };
  const wrong = () => (Number.isInteger(items) && items >= 1 && items <= COUNT_MAX ? "" : `The number must be between 1 and ${count(COUNT_MAX)}.`);
  const sample = async () => {
    if (wrong()) return setState({ phase: "form", wrong: wrong() });
    try {
      const answer = await post(path, { ...body(), dryRun: true }, { deadline: 30_000 });
      setState({ phase: "form", samples: answer.samples });
    } catch (error) {
      setState({ phase: "form", error });
    }
  };
  const submit = async () => {
    if (state.phase === "running") return;
    if (wrong()) return setState({ phase: "form", wrong: wrong() });
    abort.current = new AbortController();
    setState({ phase: "running" });
    try {
      const job = await runJob(path, { body: body(), signal: abort.current.signal }, (now) => setState({ phase: "running", progress: now.progress }));
      const result = { ...job.progress, ...job.result };
      onDone();
      if (job.state === "cancelled" || result.rejected) return setState({ phase: "ended", cancelled: job.state === "cancelled", created: result.created ?? result.done ?? 0, rejected: result.rejected ?? 0, rejects: result.rejects ?? [] });
      toast(`Generated ${plural(result.created ?? items, "item")}, seed ${result.seed ?? seed}.`);
      onClose();
    } catch (error) {
      setState(/** @type {any} */ (error).name === "AbortError" ? { phase: "form" } : { phase: "form", error });
    }
  };
  /** The field that an error is of: `address` of `address.city`. */
  const at = plan.data?.fields.find((/** @type {any} */ one) => one.name === state.error?.field?.split(".")[0])?.name;
  const running = state.phase === "running";
  const cancel = () => (running ? abort.current?.abort() : onClose());
  const known = (/** @type {any} */ field) => source.fields.find((/** @type {any} */ one) => one.name === field.name) ?? { ...field, kind: "scalar" };
  const names = state.samples?.length ? [...new Set(state.samples.flatMap((/** @type {any} */ one) => Object.keys(one)))] : [];
  return html`<${Dialog} title=${`Generate items of ${source.name}`} lead="Values by type and name of each field. The same seed makes the same items." class="broad" onClose=${cancel} onSubmit=${submit}
    footer=${state.phase === "ended" ? html`<button class="btn main" type="button" onClick=${onClose}>Close</button>` : html`<button class="btn main" type="submit" disabled=${running}>Generate</button>${plan.data?.fields.length > 0 && html`<button class="btn" type="button" disabled=${running} onClick=${sample}>Show samples</button>`}<button class="btn" type="button" onClick=${cancel}>Cancel</button>`}>
    ${state.error && !at && html`<${Failure} compact error=${state.error} />`}
    ${running ? html`<${Progress} words="Generating" done=${state.progress?.done ?? 0} total=${state.progress?.total ?? items} />`
      : state.phase === "ended" ? html`<p role="status"><b>${state.cancelled ? "Cancelled. " : ""}${plural(state.created, "item")} generated${state.rejected ? `, ${count(state.rejected)} rejected` : ""}.</b></p>${state.rejects.length > 0 && html`<ul class="samples">${state.rejects.slice(0, 10).map((/** @type {any} */ one, /** @type {number} */ n) => html`<li key=${n}>${one.item !== undefined && `Item ${one.item}: `}${one.reason}</li>`)}</ul>`}`
      : html`<div class="filter-form"><label class="field"><span>Number of items</span><input data-first class=${`input${state.wrong ? " bad" : ""}`} inputmode="numeric" aria-describedby=${state.wrong ? "generate-wrong" : undefined} value=${number} onInput=${(event) => { setNumber(event.target.value); setState({ phase: "form" }); }} /></label>
        <label class="field"><span>Seed</span><input class="input" inputmode="numeric" value=${seed} onInput=${(event) => { setSeed(event.target.value); setState({ phase: "form" }); }} /></label></div>
      ${state.wrong && html`<p class="wrong" id="generate-wrong" role="alert">${state.wrong}</p>`}
      <${Loaded} of=${plan} what="The generators could not be loaded." lines=${4}>${(data) => data.fields.length === 0 ? null : html`<ul class="gens">${data.fields.map((/** @type {any} */ field) => {
        const generator = changes[field.name] ?? field.generator;
        const inList = generator.generator === "list";
        const chosen = inList ? generator.of?.generator : generator.generator;
        const choices = [...new Set([chosen, ...(field.choices ?? []).filter((/** @type {string} */ one) => one !== "list")])].filter(Boolean);
        const pick = (/** @type {string} */ name) => set(field.name, inList && name !== "none" ? { ...generator, of: { generator: name, ...OPTIONS[name] } } : name === field.generator.generator ? field.generator : { generator: name, ...OPTIONS[name] });
        return html`<li key=${field.name}><span class="grow"><span class="mono nm">${field.name}</span> <span class="ty">${typeText(known(field))}</span></span>
          <select class="input" aria-label=${`Generator of ${field.name}`} value=${chosen} onChange=${(event) => pick(event.target.value)}>${choices.map((/** @type {string} */ one) => html`<option key=${one} value=${one}>${inList && one !== "none" ? "list of: " : ""}${WORDS[one] ?? one}</option>`)}</select>
          <span class="row opts"><${Options} field=${known(field)} generator=${generator} onChange=${(/** @type {any} */ next) => set(field.name, next)} /></span>
          ${at === field.name && html`<p class="wrong" role="alert">${state.error.message}${state.error.hint && ` ${state.error.hint}`}</p>`}</li>`;
      })}</ul>`}<//>
      ${state.samples && html`<div class="preview" tabindex="0" role="region" aria-label="Samples"><table><thead><tr>${names.map((name) => html`<th key=${name} class="mono">${name}</th>`)}</tr></thead><tbody>${state.samples.map((/** @type {any} */ one, /** @type {number} */ n) => html`<tr key=${n}>${names.map((name) => html`<td key=${name}>${one[name] === undefined ? html`<span class="absent">·</span>` : one[name] === null ? html`<span class="null">null</span>` : cellText(one[name])}</td>`)}</tr>`)}</tbody></table></div>`}`}
  <//>`;
}
