// Logs: recent requests, newest first, live. One request with its headers, its explanation and its answer.

import { html, useCallback, useEffect, useRef, useState } from "../preact-htm.js";
import { endpoint, get, post, queryString } from "../api.js";
import { follow, useLive } from "../live.js";
import { Head, RoleButton, lacks } from "../console.js";
import { Code } from "../kit/code.js";
import { CopyButton } from "../kit/command.js";
import { Empty, Failure, Loaded, Skeleton, Stale, useResource } from "../kit/resource.js";
import { Icon } from "../kit/icons.js";
import { lazy } from "../kit/lazy.js";
import { Menu } from "../kit/menu.js";
import { Split } from "../kit/split.js";
import { TabPanel, Tabs } from "../kit/tabs.js";
import { bytes, clock, count, milliseconds, stamp } from "../kit/format.js";
import { useKeys } from "../kit/keys.js";
import { go, href, setQuery } from "../kit/router.js";
import { toastError } from "../kit/toast.js";
import { documentHash } from "./document-link.js";
import { Explain } from "./explain.js";
import { SNIPPETS } from "./snippets.js";

/** Rows that are kept on the page, and in one request. */
const ROWS_MAX = 1000;
const PAGE = 100;
/** Milliseconds in which announcements of requests are gathered, and seconds for which an owner may record. */
const GATHER = 400;
const RECORD = [60, 300, 900];

/** @param {any} identity */
export function identityText(identity) {
  if (!identity) return "none";
  if (identity.mode === "apiKey") return identity.name && identity.name !== "default" ? `key ${identity.name}` : "API key";
  if (identity.mode === "iam") return identity.role === "guest" ? "guest" : "IAM";
  if (identity.mode === "admin") return identity.name ? `operator ${identity.name}` : "operator";
  if (identity.as) return identity.username ?? identity.as.replace(/^group:/, "group ");
  return identity.username ?? identity.name ?? { oidc: "OpenID Connect", lambda: "function" }[/** @type {string} */ (identity.mode)] ?? identity.mode;
}
/** The value of `x-syncline-as` for an identity that was logged; null for one that cannot be taken on. @param {any} identity */
export function asOf(identity) {
  if (!identity) return "none";
  if (identity.as) return identity.as;
  if (identity.mode === "apiKey") return `key:${identity.name ?? "default"}`;
  if (identity.mode === "iam") return `iam:${identity.role === "guest" ? "guest" : "auth"}`;
  if (identity.username) return `user:${identity.username}`;
  return identity.mode === "admin" ? "admin" : null;
}
/** What finds the requests of an identity. @param {any} identity @returns {string} */
const filterOf = (identity) => identity?.username ?? identity?.as ?? (identity?.mode === "apiKey" ? identity.name ?? "apiKey" : identity?.role ?? identity?.mode ?? "");
const readsOf = (one) => one.explain?.reads ?? [];
const scanned = (one) => one.scan ?? readsOf(one).some((read) => read.scan);
const itemsRead = (one) => one.itemsRead ?? readsOf(one).reduce((/** @type {number} */ sum, read) => sum + (read.itemsRead ?? 0), 0);
/** How items were found, "Room by byCity" for each kind of read. @param {any} one @returns {string[]} */
const accessOf = (one) => one.access ?? [];
/** Types of errors that are the server's own, in words. */
const ERRORS = { request: "invalid request" };
/** @param {any} one */
const errorOf = (one) => ERRORS[one.errorTypes?.[0]] ?? one.errorTypes?.[0] ?? one.status;
const nameOf = (one) => one.operation?.name ?? one.operation?.fields?.[0] ?? (one.operation ? "unnamed" : one.path ?? "unnamed");
const failed = (one) => one.status >= 400 || one.errorTypes?.length > 0;

const Others = lazy(() => import("./logs-more.js"), "Others");

/** The kinds of entries that the server has. @param {any} session @param {string} now */
export function views(session, now) {
  const options = [{ value: "", text: "Requests" }, session.capabilities.includes("functionCalls") && { value: "calls", text: "Function calls" }, session.capabilities.includes("logLines") && { value: "lines", text: "Server" }].filter(Boolean);
  const choose = (/** @type {string} */ view) => go(`/logs${queryString({ view })}`);
  return options.length > 1 && html`<span class="no-phone"><${Tabs} label="Kind of entries" look="seg" id="kind" value=${now} options=${options} onChange=${choose} /></span>
    <span class="only-phone"><${Menu} class="btn plain" label="Kind of entries" button=${html`${options.find((/** @type {any} */ one) => one.value === now)?.text}<${Icon} name="down" small />`} entries=${options.map((/** @type {any} */ one) => ({ text: one.text, checked: one.value === now, run: () => choose(one.value) }))} /></span>`;
}

export default function Logs(props) {
  return props.route.query.view && !props.route.parts[1] ? html`<${Others} ...${props} views=${views} />` : html`<${Requests} ...${props} />`;
}

function Requests({ route, session }) {
  const { query } = route;
  const [rows, setRows] = useState(/** @type {any[]} */ ([]));
  const [next, setNext] = useState(/** @type {string | null} */ (null));
  const [paused, setPaused] = useState(false);
  const [waiting, setWaiting] = useState(0);
  const [more, setMore] = useState(false);
  const live = useLive();
  const [text, setText] = useState(query.text ?? "");
  const [seen, setSeen] = useState(/** @type {{ identities: Record<string, string>, errors: string[] }} */ ({ identities: {}, errors: [] }));
  const search = useRef(/** @type {any} */ (null));
  const table = useRef(/** @type {any} */ (null));
  const open = route.parts[1] ?? "";
  const parameters = { type: query.type, text: query.text, slower: query.slower, errors: query.errors, errorType: query.errorType, identity: query.identity, scans: query.scans, limit: PAGE };
  const key = JSON.stringify(parameters);
  const list = useResource(["requests", key], (signal) => get("/requests", { query: parameters, signal }));
  const shownKey = useRef("");
  useEffect(() => {
    if (!list.data) return;
    const fresh = list.data.items;
    const same = shownKey.current === key;
    shownKey.current = key;
    setWaiting(0);
    setSeen((/** @type {any} */ old) => seenWith(old, fresh));
    // Older requests that were asked for stay below the newest page.
    if (same && rows.length > PAGE && fresh.length) {
      const ids = new Set(fresh.map((/** @type {any} */ one) => one.id));
      if (rows.some((one) => ids.has(one.id))) return setRows([...fresh, ...rows.filter((one) => !ids.has(one.id))].slice(0, ROWS_MAX));
    }
    setRows(fresh);
    setNext(list.data.next);
  }, [list.data]);
  const state = useRef({ paused, reload: () => {} });
  state.current = { paused, reload: list.retry };
  useEffect(() => {
    /** @type {any} */ let timer = null;
    const stop = follow("requests", () => {
      if (state.current.paused) setWaiting((n) => n + 1);
      else timer ??= setTimeout(() => {
        timer = null;
        state.current.reload();
      }, GATHER);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, []);
  useEffect(() => {
    const timer = setTimeout(() => text !== (query.text ?? "") && setQuery({ text }, true), 250);
    return () => clearTimeout(timer);
  }, [text]);
  const older = async () => {
    setMore(true);
    try {
      const answer = await get("/requests", { query: { ...parameters, after: next } });
      setRows((old) => [...old, ...answer.items.filter((/** @type {any} */ one) => !old.some((each) => each.id === one.id))].slice(0, ROWS_MAX));
      setNext(answer.next);
    } catch (error) {
      toastError(error, "Not loaded");
    } finally {
      setMore(false);
    }
  };
  const show = (one) => go(`/logs/${encodeURIComponent(one.id)}${queryString(query)}`, { replace: Boolean(open) });
  const close = useCallback(() => {
    go(`/logs${queryString(query)}`);
    setTimeout(() => document.getElementById(`request-${open}`)?.focus(), 0);
  }, [open, key]);
  const step = (/** @type {number} */ by) => {
    const at = rows.findIndex((one) => one.id === open);
    if (!open || at < 0 || !rows[at + by]) return false;
    show(rows[at + by]);
  };
  const toggle = () => {
    if (paused) {
      setPaused(false);
      list.retry();
    } else setPaused(true);
  };
  useKeys([
    { keys: "/", what: "Search requests", run: () => search.current?.focus() },
    { keys: "p", what: "Pause or go on", run: toggle },
    { keys: "[", what: "Previous request", run: () => step(-1) },
    { keys: "]", what: "Next request", run: () => step(1) },
    { keys: "Escape", what: "Close the panel", run: () => (open ? close() : false) },
  ]);
  const recording = list.data?.recording ?? null;
  const record = async (/** @type {number} */ seconds) => {
    try {
      const answer = await post("/requests/record", { seconds });
      list.set({ ...list.data, recording: answer.recording });
    } catch (error) {
      toastError(error, "Not recorded");
    }
  };
  const filtered = ["type", "text", "slower", "errors", "errorType", "identity", "scans"].some((name) => query[name]);
  const outcome = query.errorType ?? (query.errors === "true" ? "Errors only" : "Any outcome");
  const kinds = [["", "All"], ["query", "Queries"], ["mutation", "Mutations"], ["subscription", "Subscriptions"], ["other", "Others"]];
  const keyDown = (/** @type {KeyboardEvent} */ event, one, /** @type {number} */ n) => {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (by) {
      event.preventDefault();
      table.current.querySelectorAll("tbody a")[n + by]?.focus();
    }
  };
  return html`
    <${Head} title="Logs" more=${html`${views(session, "")}<span class=${`chip no-phone ${paused ? "ochre" : live === "connected" ? "moss" : ""}`}>${(paused || live === "connected") && html`<span class="dot"></span>`}${paused ? `paused${waiting ? `, ${count(waiting)} new` : ""}` : live === "connected" ? "live" : "not live"}</span>`}>
      ${session.mode === "serve" && (recording
        ? html`<span class="chip brick no-phone"><span class="dot"></span>recording until ${clock(recording.until)}${recording.by !== session.operator ? `, by ${recording.by}` : ""}</span><${RoleButton} role="owner" onClick=${() => record(0)}><${Icon} name="stop" small />Stop recording<//>`
        : lacks("owner") ? html`<${RoleButton} role="owner" onClick=${() => {}}>Record<//>`
        : html`<${Menu} label="Record documents and variables" button=${html`Record<${Icon} name="down" small />`} entries=${() => [{ heading: "Documents, variables and answers are kept for" }, ...RECORD.map((seconds) => ({ text: seconds === 60 ? "1 minute" : `${seconds / 60} minutes`, run: () => record(seconds) }))]} />`)}
      <button class="btn" onClick=${toggle} aria-pressed=${paused ? "true" : "false"}><${Icon} name=${paused ? "play" : "pause"} small />${paused ? "Go on" : "Pause"}</button>
    <//>
    <${TabPanel} id="kind" value="" class="body"><section class="work" aria-label="Requests">
      <div class="tools">
        <label class="input search"><${Icon} name="search" small class="faint" /><input ref=${search} type="search" aria-label="Search by operation or request id" placeholder="Operation or id" value=${text} onInput=${(event) => setText(event.target.value)} /></label>
        <${Menu} class="btn low tall" label=${`Kind: ${kinds.find(([value]) => value === (query.type ?? ""))?.[1]}`} button=${html`${kinds.find(([value]) => value === (query.type ?? ""))?.[1] ?? "All"}<${Icon} name="down" small />`} entries=${kinds.map(([value, name]) => ({ text: name, checked: (query.type ?? "") === value, run: () => setQuery({ type: value }) }))} />
        <${Menu} class="btn low tall" label="Duration" button=${html`${query.slower ? `Slower than ${query.slower} ms` : "Any duration"}<${Icon} name="down" small />`} entries=${["", "5", "20", "100", "1000"].map((value) => ({ text: value ? `Slower than ${value} ms` : "Any duration", checked: (query.slower ?? "") === value, run: () => setQuery({ slower: value }) }))} />
        <${Menu} class="btn low tall" label=${`Identity: ${query.identity ?? "any"}`} search="Search identities" button=${html`<span class="cut who">${query.identity ? seen.identities[query.identity] ?? query.identity : "Any identity"}</span><${Icon} name="down" small />`} entries=${() => [{ text: "Any identity", checked: !query.identity, run: () => setQuery({ identity: "" }) }, ...Object.entries(seen.identities).map(([value, name]) => ({ text: name, checked: query.identity === value, run: () => setQuery({ identity: value }) }))]} />
        <${Menu} class="btn low tall" label=${`Outcome: ${outcome}`} button=${html`${outcome}<${Icon} name="down" small />`} entries=${() => [{ text: "Any outcome", checked: outcome === "Any outcome", run: () => setQuery({ errors: "", errorType: "" }) }, { text: "Errors only", checked: outcome === "Errors only", run: () => setQuery({ errors: "true", errorType: "" }) }, seen.errors.length > 0 && { heading: "Error types" }, ...seen.errors.map((name) => ({ text: name, checked: query.errorType === name, run: () => setQuery({ errors: "", errorType: name }) }))]} />
        <label class="row toggle"><input class="check" type="checkbox" checked=${query.scans === "true"} onChange=${(event) => setQuery({ scans: event.target.checked ? "true" : "" })} />Scans only</label>
      </div>
      ${list.error && list.data && html`<${Stale} at=${list.at} error=${list.error} retry=${list.retry} />`}
      ${list.error && !list.data && rows.length === 0 ? html`<${Failure} what="The requests could not be loaded." error=${list.error} retry=${list.retry} />`
        : rows.length === 0 && !list.data ? html`<${Skeleton} lines=${8} phase=${list.phase} cancel=${list.cancel} />`
        : rows.length === 0 ? (filtered ? html`<${Empty} text="No recent request matches."><button class="btn" onClick=${() => { setText(""); go("/logs"); }}>Clear filter</button><//>` : html`<${Empty} text="No requests yet. They appear here as clients send them."><a class="btn" href=${href("/query")}>Run a query</a><//>`)
        : html`<div class=${`logs${open ? " narrow" : ""}`} ref=${table}>
          <table class="no-phone"><thead><tr><th>Time</th><th>Operation</th><th>Type</th><th>Identity</th><th>Status</th><th class="r">ms</th><th class="r">Items read</th><th>Index</th><th class="r">Bytes</th></tr></thead><tbody>
            ${rows.map((one, n) => html`<tr key=${one.id} class=${one.id === open ? "on" : ""} onClick=${() => show(one)}>
              <td class="faint" title=${stamp(one.at)}>${clock(one.at, true)}</td><td><a id=${`request-${one.id}`} href=${href(`/logs/${encodeURIComponent(one.id)}`, query)} aria-current=${one.id === open ? "true" : undefined} onKeyDown=${(/** @type {KeyboardEvent} */ event) => keyDown(event, one, n)}>${nameOf(one)}</a></td><td class="quiet">${one.operation?.type ?? "other"}</td><td class="cut">${identityText(one.identity)}</td>
              <td>${failed(one) ? html`<span class="chip brick">${errorOf(one)}</span>` : html`<span class="num quiet">${one.status}</span>`}</td><td class="r">${one.milliseconds.toFixed(1)}</td><td class="r">${itemsRead(one) ? count(itemsRead(one)) : html`<span class="absent">·</span>`}</td>
              <td>${scanned(one) ? html`<span class="chip ochre">scan</span>` : one.index ? html`<code class="cut" title=${accessOf(one).join(", ")}>${one.index}</code>` : html`<span class="absent">·</span>`}</td><td class="r">${count(one.bytes)}</td></tr>`)}
          </tbody></table>
          <ul class="only-phone log-cards">${rows.map((one) => html`<li key=${one.id}><a class="rec flow" href=${href(`/logs/${encodeURIComponent(one.id)}`, query)}><b>${nameOf(one)}</b><span class="num">${clock(one.at, true)}</span><span>${one.operation?.type ?? "other"}, ${identityText(one.identity)}</span><span class=${failed(one) ? "tone-brick" : ""}>${failed(one) ? errorOf(one) : scanned(one) ? "scan" : milliseconds(one.milliseconds)}</span></a></li>`)}</ul>
          ${next && html`<div class="older"><button class="btn" disabled=${more || rows.length >= ROWS_MAX} onClick=${older}>Show older</button></div>`}
        </div>`}
    </section>
    ${open && html`<${Request} key=${open} id=${open} session=${session} onClose=${close} onStep=${step} tab=${query.tab ?? "request"} />`}<//>`;
}

function Request({ id, session, onClose, onStep, tab }) {
  const request = useResource(["request", id], (signal) => get(`/requests/${encodeURIComponent(id)}`, { signal }));
  const panel = useRef(/** @type {any} */ (null));
  useEffect(() => panel.current?.querySelector("h2")?.focus({ preventScroll: true }), []);
  const one = request.data;
  return html`<aside class="panel" ref=${panel} aria-label="Request"><${Split} name="request" label="Width of the request" initial=${476} />
    <header><div class="grow"><h2 class="cut" tabindex="-1">${one ? nameOf(one) : "Request"}</h2><span class="row mono faint">${id.slice(0, 13)}<${CopyButton} text=${id} label="Copy request id" /></span></div>
      <button class="btn plain icon" aria-label="Previous request" onClick=${() => onStep(-1)}><${Icon} name="left" /></button><button class="btn plain icon move" aria-label="Next request" onClick=${() => onStep(1)}><${Icon} name="right" /></button><button class="btn plain icon" aria-label="Close" onClick=${onClose}><${Icon} name="x" /></button></header>
    <${Tabs} id="request" label="Views of the request" value=${tab} options=${[{ value: "request", text: "Request" }, { value: "explain", text: "Explain" }, { value: "answer", text: "Answer" }]} onChange=${(/** @type {string} */ value) => setQuery({ tab: value === "request" ? "" : value }, true)} />
    <${TabPanel} id="request" value=${tab} class="scroll"><${Loaded} of=${request} what="The request could not be loaded." lines=${8}>${() => tab === "explain" ? html`<div class="blk">${one.explain ? html`<${Explain} explain=${one.explain} bytes=${one.bytes} />` : html`<p class="quiet">A client's request is not explained. Replay it in Query to see its rules, its reads and its times.</p>`}</div>`
      : tab === "answer" ? html`<div class="blk"><header><h3 class="grow">${bytes(one.bytes)}${one.answerIsCut ? ", the first 64 KB" : ""}</h3>${one.answer && html`<${CopyButton} text=${one.answer} label="Copy answer" words="Copy" />`}</header>${one.answer ? html`<${Code} text=${pretty(one.answer)} language="json" label="Answer" class="tall-code" />` : html`<p class="quiet">The answer was not kept.</p>`}</div>`
      : html`<div class="blk"><dl class="kv"><dt>Time</dt><dd class="num" title=${stamp(one.at, true)}>${stamp(one.at)}</dd><dt>Status</dt><dd><span class=${`chip ${failed(one) ? "brick" : "moss"}`}>${one.status}</span> ${(one.errorTypes ?? []).map((/** @type {string} */ type) => ERRORS[type] ?? type).join(", ")}</dd><dt>Duration</dt><dd class="num">${milliseconds(one.milliseconds)}</dd><dt>Identity</dt><dd>${identityText(one.identity)}</dd><dt>Client</dt><dd>${one.client ?? "unknown"}${one.address && html`<span class="faint">, ${one.address}</span>`}</dd><dt>Transport</dt><dd>${one.transport}${one.path && html`, <code>${one.method ?? ""} ${one.path}</code>`}</dd>${(accessOf(one).length > 0 || itemsRead(one) > 0) && html`<dt>Read</dt><dd>${count(itemsRead(one))} ${itemsRead(one) === 1 ? "item" : "items"}${accessOf(one).map((name) => html`, <code key=${name}>${name}</code>`)}${scanned(one) ? html` <span class="chip ochre">scan</span>` : ""}</dd>`}</dl></div>
        <div class="blk"><header><h3 class="grow">Document</h3></header>${one.operation?.document ? html`<${Code} text=${one.operation.document} language="graphql" label="Document" />` : html`<p class="quiet small">${one.operation ? "Documents and variables are kept only while an owner records." : "No operation could be read."}</p>`}</div>
        ${one.operation?.variables && Object.keys(one.operation.variables).length > 0 && html`<div class="blk"><header><h3 class="grow">Variables</h3></header><${Code} text=${JSON.stringify(one.operation.variables, null, 2)} language="json" label="Variables" /></div>`}
        <div class="blk"><header><h3 class="grow">Headers</h3></header><dl class="kv mono">${Object.entries(one.headers ?? {}).map(([name, value]) => html`<dt>${name}</dt><dd class="mono">${value}</dd>`)}</dl></div>`}<//><//>
    ${one?.operation?.document && html`<footer><a class="btn main" href=${href("/query") + documentHash({ query: one.operation.document, variables: one.operation.variables, as: asOf(one.identity) ?? undefined })}><${Icon} name="play" small />Replay in Query</a>
      <${CopyButton} text=${async () => SNIPPETS.curl({ endpoint: await endpoint(), query: one.operation.document, variables: one.operation.variables, operationName: one.operation.name ?? undefined, signedIn: one.identity && one.identity.mode !== "apiKey" })} label="Copy as curl" words="Copy as curl" /></footer>`}
  </aside>`;
}
/** The identities and error types that were seen, for the menus. @param {any} old @param {any[]} items */
function seenWith(old, items) {
  const identities = { ...old.identities };
  for (const one of items) if (filterOf(one.identity)) identities[filterOf(one.identity)] ??= identityText(one.identity);
  return { identities, errors: [...new Set([...old.errors, ...items.flatMap((one) => one.errorTypes ?? [])])].sort() };
}
/** @param {string} text */
function pretty(text) {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
