// Dialogs for many items: delete them, or change a field of all.

import { html, useEffect, useRef, useState } from "../preact-htm.js";
import { get, keyText, post } from "../api.js";
import { Dialog } from "../kit/dialog.js";
import { ScalarField } from "../kit/fields.js";
import { count, countText, plural } from "../kit/format.js";
import { runJob } from "../kit/jobs.js";
import { Failure, Skeleton, useResource } from "../kit/resource.js";
import { toast } from "../kit/toast.js";
import { check, choicesOf, complaint, isLink, isPlain, primaryKeyOf, titleOf, typeText } from "../kit/values.js";
import { CHANGED_MAX, changeItems, itemsOfFilter } from "./data-actions.js";

/** Items above which the model's name is typed before they are deleted; samples; keys for which references are counted. */
const TYPE_ABOVE = 100;
const SAMPLES = 10;
const REFERRED_MAX = 20;

/** How far the work is. @param {{ words: string, done: number, total: number | null }} props */
export function Progress({ words, done, total }) {
  return html`<p role="status">${words}${total ? `: ${count(done)} of ${count(total)}` : done ? `: ${count(done)}` : " …"}</p><progress class="progress" max=${total ?? undefined} value=${total ? done : undefined} aria-label=${words}></progress>`;
}
/** @param {{ rejects: { key: string[], reason: string }[], number: number, verb: string }} props */
function Rejects({ rejects, number, verb }) {
  return html`<p>${plural(number, "item")} could not be ${verb}:</p><ul class="samples">${rejects.slice(0, SAMPLES).map((one) => html`<li key=${keyText(one.key)}><code>${one.key.join(", ")}</code>: ${one.reason}</li>`)}</ul>`;
}

/** What belongs to these items in other models. @param {any} source @param {any[]} all @param {any[] | undefined} items */
async function references(source, all, items) {
  const key = primaryKeyOf(source);
  const found = [];
  for (const other of all) {
    for (const field of other.fields) {
      if (!isLink(field) || field.type !== source.name || field.keys?.length !== key.length) continue;
      let number = null;
      if (items && items.length <= REFERRED_MAX) {
        const filter = { or: items.map((item) => ({ and: field.keys.map((/** @type {string} */ name, /** @type {number} */ n) => ({ [name]: { eq: item.key[n] } })) })) };
        number = await get(`/data/${encodeURIComponent(other.name)}/count`, { query: { filter }, quiet: true }).catch(() => null);
        if (number?.value === 0) continue;
      }
      found.push(`${other.name}.${field.name}${number ? ` (${countText(number)} ${number.value === 1 ? "item" : "items"})` : ""}`);
    }
  }
  return found;
}

/** @param {{ source: any, all: any[], session: any, chosen: { items?: any[], filter?: any, count?: any }, onClose: () => void, onDone: () => void }} props */
export function DeleteDialog({ source, all, session, chosen, onClose, onDone }) {
  const [state, setState] = useState(/** @type {any} */ ({ phase: "ask" }));
  const [typed, setTyped] = useState("");
  const abort = useRef(new AbortController());
  const path = `/data/${encodeURIComponent(source.name)}/delete`;
  const dry = useResource([path, chosen.filter, chosen.items?.length], async (signal) => {
    const body = chosen.items ? { keys: chosen.items.map((item) => item.key) } : { filter: chosen.filter };
    /** @type {any} */ let answer;
    try {
      answer = await post(path, { ...body, ...(chosen.items || !chosen.count?.exact ? {} : { expectCount: chosen.count.value }), dryRun: true }, { signal, deadline: 60_000 });
    } catch (error) {
      // The filter finds another number by now: that number is asked about.
      const now = /** @type {any} */ (error).details?.count;
      if (chosen.items || !now) throw error;
      answer = await post(path, { ...body, expectCount: now.value, dryRun: true }, { signal, deadline: 60_000 });
    }
    const number = answer.count?.value ?? answer.count ?? chosen.items?.length ?? 0;
    return { body: chosen.items ? body : { ...body, expectCount: number }, number, samples: answer.samples ?? [], refers: await references(source, all, chosen.items) };
  });
  useEffect(() => () => abort.current.abort(), []);
  const typing = useRef(/** @type {any} */ (null));
  useEffect(() => typing.current?.focus(), [dry.data]);
  const number = dry.data?.number ?? 0;
  const verb = `Delete ${plural(number, "item")}`;
  const type = session.mode === "serve" ? session.environment : number > TYPE_ABOVE ? source.name : "";
  const submit = async () => {
    if (!dry.data || (type && typed !== type)) return;
    abort.current = new AbortController();
    setState({ phase: "running", progress: null });
    try {
      const job = await runJob(path, { body: dry.data.body, signal: abort.current.signal }, (now) => setState({ phase: "running", progress: now.progress }));
      const deleted = job.result?.deleted ?? job.progress?.done ?? number;
      onDone();
      if (job.state === "done" && !job.result?.rejected) {
        toast(`Deleted ${plural(deleted, "item")}.`);
        onClose();
      } else setState({ phase: "ended", cancelled: job.state === "cancelled", deleted, rejected: job.result?.rejected ?? 0, rejects: job.result?.rejects ?? [] });
    } catch (error) {
      setState(/** @type {any} */ (error).name === "AbortError" ? { phase: "ask" } : { phase: "ask", error });
      if (/** @type {any} */ (error).code === "conflict") dry.retry();
    }
  };
  const running = state.phase === "running";
  return html`<${Dialog} title=${dry.data ? `${verb} of ${source.name}?` : `Delete items of ${source.name}`} lead=${state.phase === "ask" ? (source.versioned ? "Each becomes a tombstone, and devices with DataStore remove it." : "They cannot be brought back.") : ""} onClose=${() => (running ? abort.current.abort() : onClose())} onSubmit=${submit}
    footer=${state.phase === "ended" ? html`<button class="btn main" type="button" onClick=${onClose}>Close</button>` : html`<button class="btn danger-main" type="submit" disabled=${!dry.data || running || number === 0 || Boolean(type && typed !== type)}>${dry.data ? verb : "Delete"}</button><button class="btn" type="button" onClick=${() => (running ? abort.current.abort() : onClose())}>Cancel</button>`}>
    ${state.error && html`<${Failure} compact error=${state.error} />`}
    ${running ? html`<${Progress} words="Deleting" done=${state.progress?.done ?? 0} total=${state.progress?.total ?? number} />`
      : state.phase === "ended" ? html`<p role="status"><b>${state.cancelled ? "Cancelled. " : ""}${plural(state.deleted, "item")} deleted.</b></p>${state.rejected > 0 && html`<${Rejects} rejects=${state.rejects} number=${state.rejected} verb="deleted" />`}`
      : !dry.data ? (dry.error ? html`<${Failure} compact what="What would be deleted could not be counted." error=${dry.error} retry=${dry.retry} />` : html`<${Skeleton} lines=${4} phase=${dry.phase} />`)
      : html`<ul class="samples">${dry.data.samples.slice(0, SAMPLES).map((/** @type {any} */ item) => html`<li key=${keyText(item.key)} class="row"><span class="cut">${titleOf(source, item)}</span>${titleOf(source, item) !== item.key.join(", ") && html`<span class="faint mono small end cut">${item.key.join(", ")}</span>`}</li>`)}${number > SAMPLES && html`<li class="faint">and ${count(number - Math.min(SAMPLES, dry.data.samples.length))} more</li>`}</ul>
        ${dry.data.refers.length > 0 && html`<p class="small quiet">Items that refer to them keep their links: ${dry.data.refers.join(", ")}.</p>`}
        ${type && html`<label class="field note"><span>Type <b class="mono">${type}</b> to go on</span><input ref=${typing} class="input" value=${typed} autocomplete="off" onInput=${(event) => setTyped(event.target.value)} /></label>`}`}
  <//>`;
}

/** @param {{ source: any, chosen: { items?: any[], filter?: any, count?: any }, onClose: () => void, onDone: () => void }} props */
export function ChangeDialog({ source, chosen, onClose, onDone }) {
  const key = primaryKeyOf(source);
  const fields = source.fields.filter((/** @type {any} */ field) => isPlain(field) && !field.readOnly && !key.includes(field.name));
  const [name, setName] = useState(fields[0]?.name ?? "");
  const [kind, setKind] = useState("value");
  const field = fields.find((/** @type {any} */ one) => one.name === name);
  const first = (/** @type {any} */ one) => (one ? choicesOf(one)?.[0] ?? "" : "");
  const [text, setText] = useState(first(field));
  const [state, setState] = useState(/** @type {any} */ ({ phase: "ask" }));
  const abort = useRef(new AbortController());
  useEffect(() => () => abort.current.abort(), []);
  const known = chosen.items?.length ?? chosen.count?.value ?? 0;
  const many = chosen.items ? plural(known, "item") : `${countText(chosen.count)} items`;
  const tooMany = !chosen.items && known > CHANGED_MAX;
  const submit = async () => {
    const { value, error } = kind === "value" ? check(field, text) : { value: null, error: undefined };
    if (error) return setState({ phase: "ask", wrong: complaint(field, text) });
    try {
      abort.current = new AbortController();
      const { signal } = abort.current;
      setState({ phase: "running", words: "Reading", done: 0, total: null });
      const items = chosen.items ?? (await itemsOfFilter(source, chosen.filter, signal, (done) => setState({ phase: "running", words: "Reading", done, total: known || null })));
      const change = kind === "unset" ? { unset: [name] } : { set: { [name]: value } };
      const result = await changeItems(source, items.filter((item) => !item.deleted), change, signal, (done) => setState({ phase: "running", words: "Changing", done, total: items.length }));
      onDone();
      if (result.rejects.length || result.cancelled) return setState({ phase: "ended", ...result });
      toast(`Changed ${name} of ${plural(result.changed, "item")}.`);
      onClose();
    } catch (error) {
      setState(/** @type {any} */ (error).name === "AbortError" ? { phase: "ask" } : { phase: "ask", error });
    }
  };
  const running = state.phase === "running";
  const cancel = () => (running ? abort.current.abort() : onClose());
  return html`<${Dialog} title=${`Edit a field of ${many}`} lead="Each change is a client’s mutation. Items that changed since they were read are left alone." onClose=${cancel} onSubmit=${() => !running && submit()}
    footer=${state.phase === "ended" ? html`<button class="btn main" type="button" onClick=${onClose}>Close</button>` : html`<button class="btn main" type="submit" disabled=${running || tooMany || !field}>Change ${many}</button><button class="btn" type="button" onClick=${cancel}>Cancel</button>`}>
    ${state.error && html`<${Failure} compact error=${state.error} />`}
    ${tooMany && html`<p class="wrong note">At most ${plural(CHANGED_MAX, "item")} can be changed at a time. Add a filter.</p>`}
    ${running ? html`<${Progress} words=${state.words} done=${state.done} total=${state.total} />`
      : state.phase === "ended" ? html`<p role="status"><b>${state.cancelled ? "Cancelled. " : ""}${plural(state.changed, "item")} changed.</b></p>${state.rejects.length > 0 && html`<${Rejects} rejects=${state.rejects} number=${state.rejects.length} verb="changed" />`}`
      : !field ? html`<p>${source.name} has no field that can be changed here.</p>`
      : html`<div class="filter-form"><label class="field"><span>Field</span><select data-first class="input" value=${name} onChange=${(event) => { setName(event.target.value); setText(first(fields.find((/** @type {any} */ one) => one.name === event.target.value))); setKind("value"); setState({ phase: "ask" }); }}>${fields.map((/** @type {any} */ one) => html`<option key=${one.name} value=${one.name}>${one.name}  ${typeText(one)}</option>`)}</select></label>
        <label class="field"><span>Becomes</span><select class="input" value=${kind} onChange=${(event) => setKind(event.target.value)}><option value="value">a value</option>${!field.required && html`<option value="null">null</option><option value="unset">not set</option>`}</select></label>
        ${kind === "value" && html`<div class="field whole"><label for="change-value"><span class="lb">Value</span></label><${ScalarField} id="change-value" field=${field} text=${text} mark="" changed=${false} disabled=${false} isNew=${false} bad=${Boolean(state.wrong)} described=${state.wrong ? "change-wrong" : undefined} onInput=${(/** @type {string} */ next) => { setText(next); setState({ phase: "ask" }); }} />${state.wrong && html`<p class="wrong" id="change-wrong" role="alert">${state.wrong}</p>`}</div>`}</div>`}
  <//>`;
}
