// Plan, deploy, done: one dialog. A failure at any step leaves the draft as it is.

import { html, useEffect, useRef, useState } from "../preact-htm.js";
import { get, post, queryString, remove } from "../api.js";
import { theSession } from "../console.js";
import { Dialog } from "../kit/dialog.js";
import { Command, CopyButton } from "../kit/command.js";
import { withCommands } from "../kit/code.js";
import { Icon } from "../kit/icons.js";
import { Failure, Skeleton } from "../kit/resource.js";
import { count, milliseconds, plural } from "../kit/format.js";
import { toast, toastError } from "../kit/toast.js";
import { environment } from "./schema-draft.js";
import { Lines } from "./schema-dialogs.js";
import { differenceLines } from "./schema-text.js";

const RISKS = { additive: ["plus", "tone-moss"], index: ["key", "tone-accent"], needsValues: ["warn", "tone-ochre"], destructive: ["trash", "tone-brick"], impossible: ["lock", "tone-brick"] };
const STEP_WORDS = { check: "Check the schema", backup: "Back up the data", write: "Write the files", migrate: "Migrate the tables", switch: "Switch the API", verify: "Verify with a query of each changed model" };
/** Milliseconds between looks at a job. */
const LOOK = 120;

/** @param {any} step */
function timeWords(step) {
  if (step.time === "instant") return "instant";
  return step.seconds >= 1 ? `about ${step.seconds >= 90 ? plural(Math.round(step.seconds / 60), "minute") : plural(Math.round(step.seconds), "second")}` : step.time;
}
/** A value for items that lack one, as its type has it. @param {string} text @param {string} type @returns {{ value?: any, error?: string }} */
export function backfillValue(text, type) {
  const bare = type.replace(/[!]/g, "");
  if (bare.startsWith("[")) {
    try {
      const value = JSON.parse(text);
      return Array.isArray(value) ? { value } : { error: "A list, as JSON: [1, 2]" };
    } catch {
      return { error: "A list, as JSON: [1, 2]" };
    }
  }
  if (bare === "Int" || bare === "AWSTimestamp") return /^-?\d+$/.test(text) ? { value: Number(text) } : { error: "A whole number." };
  if (bare === "Float") return text !== "" && Number.isFinite(Number(text)) ? { value: Number(text) } : { error: "A number." };
  if (bare === "Boolean") return /^(true|false)$/.test(text) ? { value: text === "true" } : { error: "true or false." };
  return { value: text };
}

/** @param {{ draft: import("./schema-draft.js").Draft, onClose: () => void, onMerge: () => void, onShow: (place: any) => void }} props */
export function Deploy({ draft, onClose, onMerge, onShow }) {
  const [state, setState] = useState(/** @type {any} */ ({ phase: "loading" }));
  const [accepted, setAccepted] = useState(/** @type {string[]} */ ([]));
  const [values, setValues] = useState(/** @type {Record<string, string>} */ ({}));
  const [typed, setTyped] = useState("");
  const [notice, setNotice] = useState("");
  const alive = useRef(true);
  useEffect(() => () => void (alive.current = false), []);
  const isServe = theSession().mode === "serve";
  const name = environment();

  const load = async () => {
    setState({ phase: "loading" });
    try {
      const plan = await post("/schema/plan", { files: draft.files, renames: draft.renames }, { deadline: 60_000 });
      if (alive.current) setState({ phase: "plan", plan });
    } catch (error) {
      if (alive.current) setState({ phase: "refused", error });
    }
  };
  useEffect(() => void load(), []);
  const [pull, setPull] = useState("");
  useEffect(() => void get("/connect", { query: { client: "swift" }, quiet: true }).then((answer) => alive.current && setPull(answer.pull ?? ""), () => {}), []);
  // The button appears after the dialog took the focus.
  useEffect(() => {
    if (state.phase === "plan" || state.phase === "done") /** @type {any} */ (document.querySelector("dialog.deploy footer .btn"))?.focus();
  }, [state.phase]);

  const { plan } = state;
  const waiting = (plan?.steps ?? []).filter((/** @type {any} */ step) => (step.risk === "destructive" && !accepted.includes(step.id)) || (step.risk === "needsValues" && !accepted.includes(step.id) && !values[step.id]));
  const wrong = (plan?.steps ?? []).find((/** @type {any} */ step) => values[step.id] && backfillValue(values[step.id], step.type ?? "String").error);
  const impossible = plan?.summary.impossible > 0;
  const destructive = (plan?.steps ?? []).some((/** @type {any} */ step) => step.risk === "destructive");
  const blocked = impossible || waiting.length > 0 || Boolean(wrong) || (isServe && destructive && typed !== name);

  const deploy = async () => {
    if (blocked || plan.canDeploy === false) return;
    setNotice("");
    const before = { files: draft.base.files, renames: draft.renames };
    setState({ phase: "running", plan, job: null });
    try {
      const backfill = Object.fromEntries(plan.steps.filter((/** @type {any} */ step) => step.risk === "needsValues" && values[step.id]).map((/** @type {any} */ step) => [`${step.model}.${step.field}`, backfillValue(values[step.id], step.type ?? "String").value]));
      const { job } = await post("/schema/deploy", { files: draft.files, renames: draft.renames, base: draft.base.hash, planHash: plan.planHash, ...(accepted.length ? { accept: accepted } : {}), ...(Object.keys(backfill).length ? { backfill } : {}) }, { deadline: 60_000 });
      const ended = await watch(job);
      const grown = ended.error?.code === "conflict" && ended.error.details?.plan;
      if (grown) return again(grown);
      if (ended.state !== "done") {
        if (alive.current) setState({ phase: "plan", plan, job: ended, error: ended.error ?? { code: "cancelled", message: "The deployment was cancelled." } });
        await draft.look();
        return;
      }
      await remove("/schema/draft").catch(() => {});
      draft.reset(await get("/schema"));
      if (alive.current) setState({ phase: "done", plan, job: ended, before });
    } catch (error) {
      const { details = {}, code } = /** @type {any} */ (error);
      if (code === "conflict" && details.plan) again(details.plan);
      else {
        await draft.look();
        if (alive.current) setState({ phase: "plan", plan, error, diverged: code === "conflict" && details.hash });
      }
    }
  };
  /** More would be lost, or more items lack a value, than was seen. @param {any} next */
  const again = (next) => {
    setNotice("The data changed, and the plan with it. Look at it again.");
    setAccepted([]);
    if (alive.current) setState({ phase: "plan", plan: next });
  };
  /** Looks at the job until it ends; a server that is away is asked again. @param {any} job */
  const watch = async (job) => {
    for (;;) {
      if (alive.current) setState((/** @type {any} */ old) => ({ ...old, job, away: false }));
      if (job.state !== "running") return job;
      await new Promise((resolve) => setTimeout(resolve, LOOK));
      try {
        const answer = await get(`/jobs/${encodeURIComponent(job.id)}`, { quiet: true });
        job = answer.job ?? answer;
      } catch (error) {
        if (!["offline", "timeout", "unavailable"].includes(/** @type {any} */ (error).code)) throw error;
        if (alive.current) setState((/** @type {any} */ old) => ({ ...old, away: true }));
        await new Promise((resolve) => setTimeout(resolve, 1000));
      }
    }
  };
  const undo = async () => {
    const { before } = state;
    // The server knows whether something was changed since, and what would be lost.
    const { undo: known } = await get(`/schema/deployments/${state.job.result.deployment}`).catch(() => ({}));
    if (known === null) return toast("This deployment cannot be undone: something was deployed or changed since, or values would be lost. Versions bring its text back.", { error: true });
    if (known) {
      draft.replace(known.files, "Undo the deployment", known.renames);
      return load();
    }
    const renames = before.renames.map((/** @type {any} */ one) => (one.field ? { type: one.type, field: one.to, to: one.field } : { type: one.to, to: one.type })).reverse();
    draft.replace(before.files, "Undo the deployment", renames);
    load();
  };
  const optional = async (/** @type {any} */ step) => {
    try {
      await draft.edit({ kind: "changeField", type: step.model, field: step.field, change: { required: false } }, `Make ${step.model}.${step.field} optional`);
      await load();
    } catch (error) {
      toastError(error, "Not changed");
    }
  };
  const accept = (/** @type {string} */ id, /** @type {boolean} */ yes) => setAccepted(yes ? [...accepted, id] : accepted.filter((one) => one !== id));

  if (state.phase === "done") {
    const { result } = state.job;
    return html`<${Dialog} title=${`Deployed to ${name} in ${milliseconds(result.milliseconds ?? 0)}`} lead=${`Deployment ${result.deployment}. The API serves it now.`} wide class="deploy" onClose=${onClose}
      footer=${html`<button class="btn main" type="button" data-first onClick=${onClose}>Close</button>${state.plan.reversible && html`<button class="btn" type="button" onClick=${undo}>Undo deployment…</button>`}`}>
      <h3 class="next">Next, in your app’s folder</h3><${Command} text=${result.pull} label="Copy command" />
      ${result.endedSubscriptions > 0 && html`<p class="quiet small hint">${plural(result.endedSubscriptions, "subscription")} ended, because their fields changed. Clients subscribe again.</p>`}
      <${Steps} job=${state.job} /><//>`;
  }
  const lead = state.phase === "running" ? "The API goes on serving the old schema until the last step." : "Writes the schema file, migrates the tables, then switches the API. If any step fails, nothing changes.";
  const canDeploy = plan ? plan.canDeploy !== false : draft.schema.canDeploy !== false;
  const text = () => Object.values(draft.files).join("\n");
  const footer = state.phase === "running" ? html`<span class="quiet row" role="status"><span class="turning"><${Icon} name="sync" small /></span>${state.away ? "The server does not answer. Waiting for it." : "Deploying"}</span>`
    : !plan ? html`<button class="btn" type="button" onClick=${onClose}>Close</button>`
    : canDeploy ? html`<button class=${`btn ${destructive ? "danger-main" : "main"}`} type="submit" data-first aria-disabled=${blocked ? "true" : undefined}>Deploy</button><button class="btn" type="button" onClick=${onClose}>Cancel</button><span class="grow"></span>${waiting.length > 0 && html`<span class="small quiet">${plural(waiting.length, "step")} to decide</span>`}`
    : html`<${CopyButton} words="Copy text" label="Copy text" text=${text} /><button class="btn" type="button" onClick=${onClose}>Close</button>`;
  return html`<${Dialog} title=${canDeploy ? `Deploy to ${name}` : `Plan for ${name}`} lead=${canDeploy ? lead : `${plan?.reason ?? draft.schema.reason ?? "This server does not deploy from the console."}`} wide class="deploy" onClose=${state.phase === "running" ? () => {} : onClose} onSubmit=${deploy} footer=${footer}>
    ${notice && html`<p class="notice" role="status">${notice}</p>`}
    ${state.phase === "loading" && html`<${Skeleton} lines=${5} phase="loading" />`}
    ${state.phase === "refused" && html`<${Refused} error=${state.error} retry=${load} onShow=${(/** @type {any} */ one) => { onClose(); onShow({ file: one.file ?? draft.mainFile, line: one.line }); }} />`}
    ${state.error && plan && html`<${Failed} error=${state.error} diverged=${state.diverged} onMerge=${onMerge} />`}
    ${(state.phase === "running" || state.error) && state.job && html`<${Steps} job=${state.job} />`}
    ${plan && state.phase === "plan" && html`<${Plan} plan=${plan} draft=${draft} accepted=${accepted} values=${values} onAccept=${accept} onValue=${(/** @type {string} */ id, /** @type {string} */ value) => setValues({ ...values, [id]: value })} onOptional=${optional} />
      ${canDeploy && pull && html`<h3 class="next">Next, in your app’s folder</h3><${Command} text=${pull} label="Copy command" />`}
      ${canDeploy ? isServe && destructive && html`<label class="field typed"><span>Type <b class="mono">${name}</b> to go on</span><input class="input" value=${typed} autocomplete="off" onInput=${(event) => setTyped(event.target.value)} /></label>`
        : html`<h3 class="next">On the machine of the server</h3><${Command} text="syncline migrate" label="Copy command" />`}`}
  <//>`;
}

function Refused({ error, retry, onShow }) {
  const list = error.details?.diagnostics ?? [];
  return html`<${Failure} compact error=${error} retry=${list.length ? undefined : retry} />${list.length > 0 && html`<ul class="samples">${list.slice(0, 10).map((/** @type {any} */ one, /** @type {number} */ n) => html`<li key=${n}>${one.line && html`<button class="link" type="button" onClick=${() => onShow(one)}>Line ${one.line}</button> `}${one.message}</li>`)}</ul>`}`;
}
function Failed({ error, diverged, onMerge }) {
  const step = error.details?.step;
  return html`<div class="failure compact" role="alert"><${Icon} name="warn" /><div class="grow"><b>${diverged ? "Not deployed: the files changed on disk." : step ? `Not deployed: “${STEP_WORDS[step] ?? step}” failed.` : "Not deployed."}</b><p>${error.message}${error.hint && html` <span class="quiet">${error.hint}</span>`}</p>
    ${!diverged && html`<p class="small">Files, tables and the API are as before. The draft is kept.</p>`}</div>${diverged && html`<button class="btn" type="button" onClick=${onMerge}>Compare and merge</button>`}</div>`;
}
/** The steps of a job as they go. */
function Steps({ job }) {
  const icons = { done: ["check", "tone-moss"], failed: ["x", "tone-brick"], running: ["sync", "tone-accent"], waiting: ["clock", "faint"], skipped: ["right", "faint"] };
  const words = { done: "done", failed: "failed", running: "under way", waiting: "waiting", skipped: "not needed" };
  return html`<ol class="plan running" aria-label="Steps">${job.steps.map((/** @type {any} */ step) => html`<li key=${step.name} class=${step.state}><span class=${`${icons[step.state]?.[1]}${step.state === "running" ? " turning" : ""}`}><${Icon} name=${icons[step.state]?.[0] ?? "clock"} small /></span><div>${STEP_WORDS[step.name] ?? step.name}</div><span class="faint small num">${step.state === "done" && step.milliseconds !== null ? milliseconds(step.milliseconds) : words[step.state]}</span></li>`)}</ol>
    ${job.progress?.total > 0 && job.state === "running" && html`<progress class="progress" max=${job.progress.total} value=${job.progress.done} aria-label="Progress"></progress>`}`;
}

function Plan({ plan, draft, accepted, values, onAccept, onValue, onOptional }) {
  const { clients } = plan;
  const files = Object.keys(draft.files);
  return html`<ul class="plan" aria-label="Steps">
      ${plan.steps.map((/** @type {any} */ step) => {
        const [icon, tone] = RISKS[step.risk] ?? ["plus", ""];
        const value = values[step.id] ?? "";
        const type = step.type ?? typeOfStep(draft, step);
        const error = value ? backfillValue(value, type).error : "";
        return html`<li key=${step.id} class=${step.risk}><span class=${tone}><${Icon} name=${icon} small /></span><div>${sentence(step)}
          ${step.hint && html`<p>${step.hint}</p>`}
          ${!step.hint && step.items > 0 && step.risk === "additive" && html`<p>${step.field ? html`${plural(step.items, "existing item")} ${step.items === 1 ? "stays as it is" : "stay as they are"}${step.kind === "addColumn" && html`, without <code>${step.field}</code>`}` : plural(step.items, "item")}</p>`}
          ${step.lostValues > 0 && html`<p>${plural(step.lostValues, "stored value")} would be lost.</p>`}${step.removedItems > 0 && html`<p>${plural(step.removedItems, "item")} would be removed.</p>`}
          ${step.risk === "needsValues" && html`<div class="decide"><label class="field"><span>Fill ${count(step.items)} ${step.items === 1 ? "item" : "items"} with</span><input class=${`input mono${error ? " bad" : ""}`} placeholder=${type.replace("!", "")} aria-describedby=${error ? `wrong-${step.id}` : undefined} value=${value} onInput=${(event) => onValue(step.id, event.target.value)} /></label>
            <button class="btn" type="button" onClick=${() => onOptional(step)}>Make it optional</button>
            ${error && html`<p class="wrong" id=${`wrong-${step.id}`} role="alert">${error}</p>`}
            ${!value && html`<label class="row check-row"><input class="check" type="checkbox" checked=${accepted.includes(step.id)} onChange=${(event) => onAccept(step.id, event.target.checked)} />Leave them without: clients get a field error</label>`}</div>`}
          ${step.risk === "destructive" && html`<div class="decide"><label class="row check-row"><input class="check" type="checkbox" checked=${accepted.includes(step.id)} onChange=${(event) => onAccept(step.id, event.target.checked)} />I accept the loss</label>${step.model && step.items > 0 && html`<a class="btn low" download=${`${step.model}.jsonl`} href=${`/operators/v1/data/${encodeURIComponent(step.model)}/export${queryString({ format: "jsonl" })}`}>Download first</a>`}</div>`}
        </div><span class="faint small">${step.risk === "impossible" ? html`<span class="chip brick">not possible</span>` : timeWords(step)}</span></li>`;
      })}
      ${plan.steps.length === 0 && html`<li><span class="tone-moss"><${Icon} name="check" small /></span><div>The tables stay as they are<p>Only the API and the text change.</p></div><span class="faint small">instant</span></li>`}
      <li><${Icon} name="phone" small /><div>${clients.compatible ? "Existing app builds keep working" : "Existing app builds break"}
        ${clients.breaking.length ? html`<ul class="breaks">${clients.breaking.slice(0, 8).map((/** @type {string} */ one) => html`<li key=${one}>${one}</li>`)}</ul>${clients.breaking.length > 8 && html`<p>${clients.breaking.length - 8} more.</p>`}` : html`<p>Nothing is removed or renamed, and no new input is required.</p>`}</div><span class=${`chip ${clients.compatible ? "moss" : "ochre"}`}>${clients.compatible ? "compatible" : "breaking"}</span></li>
    </ul>
    ${plan.possibleRenames?.length > 0 && html`<p class="hint small">${withCommands(plan.possibleRenames.join(" "))}</p>`}${plan.ownerless?.length > 0 && html`<p class="hint small">${plan.ownerless.join(" ")}</p>`}
    ${plan.leftovers?.length > 0 && html`<p class="hint small quiet">Kept, no longer served: ${plan.leftovers.join(", ")}. <code>syncline migrate drop</code> removes it.</p>`}
    <details><summary>Changes of the API</summary>${["added", "removed", "changed"].map((kind) => plan.api[kind].length > 0 && html`<h4 key=${kind}>${{ added: "Added", removed: "Removed", changed: "Changed" }[kind]}</h4><ul class="samples mono">${plan.api[kind].slice(0, 60).map((/** @type {string} */ one) => html`<li key=${one}>${one}</li>`)}</ul>`)}${["added", "removed", "changed"].every((kind) => plan.api[kind].length === 0) && html`<p class="quiet small">None.</p>`}</details>
    <details><summary>Changes of the ${files.length === 1 ? "file" : "files"}</summary>${files.map((file) => html`<${Lines} key=${file} label=${`Changes of ${file}`} lines=${differenceLines(draft.base.files[file] ?? "", draft.files[file])} />`)}</details>`;
}
/** @param {any} draft @param {any} step */
const typeOfStep = (draft, step) => {
  const field = draft.model?.types.find((/** @type {any} */ one) => one.name === step.model)?.fields.find((/** @type {any} */ one) => one.name === step.field);
  return field ? (field.list ? `[${field.type}]` : field.type) : "String";
};
/** A step's sentence, with its names as code. @param {any} step */
function sentence(step) {
  const names = [step.model && step.field && `${step.model}.${step.field}`, step.index, step.model].filter(Boolean);
  const at = names.map((name) => [name, step.sentence.indexOf(name)]).find(([, index]) => index >= 0);
  if (!at) return step.sentence;
  return html`${step.sentence.slice(0, at[1])}<code>${at[0]}</code>${step.sentence.slice(at[1] + at[0].length)}`;
}
