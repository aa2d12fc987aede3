// Explain: what the server did for a request, as steps. Shown by Query and by Logs.

import { html } from "../preact-htm.js";
import { hasPage } from "../console.js";
import { Code } from "../kit/code.js";
import { count, milliseconds, plural, bytes } from "../kit/format.js";
import { listField } from "../kit/filter-code.js";
import { href } from "../kit/router.js";

/** The tones of the phases in the bar. */
const TONES = { parse: "slate", plan: "slate", validate: "slate", authorize: "plum", execute: "accent", read: "accent", write: "accent", answer: "ochre", serialize: "ochre" };

/** The outcomes of a decision. A conditional one depends on the items or on the input. */
const OUTCOMES = { allowed: "Authorized", conditional: "Conditional", denied: "Denied" };

/** A decision about a field, and the rules that were asked. @param {any} one
 * @returns {{ path: string, subject: string, outcome: string, rule: string | null, place: string | null, reason: string | null, rules: { rule: string, reason: string, matches?: boolean }[] }} */
function decision(one) {
  const place = one.place && typeof one.place === "object" ? `${one.place.file}:${one.place.line}` : one.place;
  return { path: (one.path ?? "").replace(/^(Query|Mutation|Subscription)\./, ""), subject: one.subject ?? "", outcome: one.outcome, rule: one.rule ?? null, place, reason: one.reason ?? null,
    rules: [...(one.conditional ?? []), ...(one.unmet ?? [])].map((/** @type {any} */ each, /** @type {number} */ n) => ({ rule: each.rule, reason: each.why, matches: n < (one.conditional ?? []).length })) };
}

/** @param {{ explain: any, bytes?: number, logs?: boolean, models?: any[], filters?: Record<string, { field: string, names: string[] }> }} props `logs`: with the way to the entry in Logs; `models` and `filters`: what an index that would help is of */
export function Explain({ explain, bytes: size, logs = false, models = [], filters = {} }) {
  const phases = Object.entries(explain.milliseconds ?? {}).filter(([, value]) => typeof value === "number" && value > 0);
  const sum = phases.reduce((total, [, value]) => total + Number(value), 0) || 1;
  const time = (value) => (typeof value === "number" ? html` <span class="num">${milliseconds(value)}</span>` : "");
  const schema = hasPage("/schema");
  const decisions = (explain.authorization ?? []).map(decision);
  /** The way to a new index for a read that scanned. @param {any} read */
  const addIndex = (read) => {
    const root = String(read.path ?? "").split(".")[0];
    const asked = filters[root]?.field ?? root;
    const model = read.model ?? models.find((one) => listField(one) === asked || one.keys.some((key) => key.queryField === asked))?.name ?? models.find((one) => decisions.some(({ path, subject }) => [root, asked].includes(path) && subject === `list ${one.name}`))?.name;
    const fields = read.fields ?? filters[root]?.names ?? [];
    return schema && html` <a href=${href("/schema", { type: model, add: "key", fields: fields.join(",") })}>Add an index</a>`;
  };
  const place = (/** @type {string} */ at) => (schema ? html`<a href=${href("/schema", { at })}>${at}</a>` : html`<code>${at}</code>`);
  return html`<div class="ex">
    ${phases.length > 0 && html`<div class="tl" role="img" aria-label=${`Time by phase: ${phases.map(([name, value]) => `${name} ${milliseconds(Number(value))}`).join(", ")}`}>${phases.map(([name, value]) => html`<i key=${name} class=${`tone-${TONES[name] ?? "slate"}`} style=${{ flexGrow: Number(value) / sum, flexBasis: 0 }}></i>`)}</div>`}
    <ol class="steps">
      ${explain.plan && html`<li><h3><span>Plan</span>${time(explain.milliseconds?.plan)}</h3><p>${explain.plan.cached ? `Cached, used ${count(explain.plan.uses ?? 1)} ${explain.plan.uses === 1 ? "time" : "times"}.` : "Made for this request."}</p></li>`}
      ${decisions.map((one, n) => html`<li key=${`a${n}`} class=${{ denied: "bad", conditional: "odd" }[one.outcome] ?? ""}><h3><span>${OUTCOMES[one.outcome] ?? one.outcome}</span>${n === 0 && time(explain.milliseconds?.authorize)}</h3>
        <p>${one.rule && html`<code>${one.rule}</code> `}${one.path && html`on <code>${one.path}</code>`}${one.place && html`, ${place(one.place)}`}</p>
        ${one.reason ? html`<p>${one.reason}.</p>` : one.outcome === "conditional" && html`<p>It depends on each item, or on the input.</p>`}
        ${one.rules.map((each) => html`<p key=${each.rule}><code>${each.rule}</code>${each.matches ? html` <b>may allow it</b>` : ""}: ${each.reason}.</p>`)}</li>`)}
      ${(explain.reads ?? []).map((read, /** @type {number} */ n) => html`<li key=${`r${n}`} class=${read.scan ? "odd" : ""}><h3><span>${read.path?.includes(" ") ? read.model ?? read.path : read.path}</span>${time(read.milliseconds)}</h3>
        <p>${read.scan ? "Full scan" : read.index ? html`Index <code>${read.index}</code>` : "Primary key"}${read.itemsRead !== undefined && `, read ${plural(read.itemsRead, "item")}, kept ${count(read.itemsKept ?? read.itemsRead)}`}${read.rowCacheHits ? `, ${count(read.rowCacheHits)} from the row cache` : ""}.${read.scan && addIndex(read)}</p>
        ${read.sql && html`<${Code} text=${read.sql} language="sql" label=${`SQL of ${read.path}`} />`}</li>`)}
      ${(explain.writes ?? []).map((write, /** @type {number} */ n) => html`<li key=${`w${n}`} class=${write.conflict ? "odd" : ""}><h3><span>${write.path}</span>${time(write.milliseconds)}</h3>
        <p>Wrote version ${write.version ?? 1}${write.condition ? html`, condition <code>${typeof write.condition === "string" ? write.condition : JSON.stringify(write.condition)}</code>` : ""}${write.conflict ? `. Conflict: ${write.conflict}` : ""}.</p>${write.sql && html`<${Code} text=${write.sql} language="sql" label=${`SQL of ${write.path}`} />`}</li>`)}
      ${(explain.redacted ?? []).length > 0 && html`<li class="odd"><h3><span>Redacted</span></h3><p>${explain.redacted.map((/** @type {string} */ path) => html`<code key=${path}>${path}</code> `)} null, because no rule allows reading them.</p></li>`}
      ${(explain.events ?? []).map((event, /** @type {number} */ n) => html`<li key=${`e${n}`}><h3><span>${event.topic}</span></h3><p>${plural(event.subscriptions ?? 0, "subscription")}, ${count(event.delivered ?? 0)} delivered, ${count(event.filtered ?? 0)} filtered.</p></li>`)}
      ${(explain.warnings ?? []).map((warning, /** @type {number} */ n) => html`<li key=${`x${n}`} class="odd"><h3><span>Warning</span></h3><p>${warning.message ?? warning}${warning.kind === "scan" && !(explain.reads ?? []).some((read) => read.scan) && addIndex(warning)}</p></li>`)}
      <li><h3><span>Answer</span>${time(explain.milliseconds?.answer)}</h3><p>${size !== undefined && `${bytes(size)}. `}${explain.requestId && html`Request <code>${explain.requestId.slice(0, 8)}</code>${logs && html`, <a href=${href(`/logs/${explain.requestId}`)}>open in Logs</a>`}`}</p></li>
    </ol></div>`;
}
