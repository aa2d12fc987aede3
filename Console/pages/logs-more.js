// What else the server logs: calls of functions, and its own lines.

import { html, useEffect, useRef, useState } from "../preact-htm.js";
import { get } from "../api.js";
import { follow } from "../live.js";
import { Head } from "../console.js";
import { Code } from "../kit/code.js";
import { Empty, Failure, Skeleton, Stale, useResource } from "../kit/resource.js";
import { Icon } from "../kit/icons.js";
import { Menu } from "../kit/menu.js";
import { TabPanel } from "../kit/tabs.js";
import { bytes, clock, milliseconds, stamp } from "../kit/format.js";
import { useKeys } from "../kit/keys.js";
import { setQuery } from "../kit/router.js";
import { toastError } from "../kit/toast.js";

const PAGE = 100;
const ROWS_MAX = 1000;
/** Milliseconds between two questions for new entries, which have no topic of their own. */
const AGAIN = 3_000;

const KINDS = [["", "Any kind"], ["resolver", "Resolvers"], ["trigger", "Triggers"], ["authorizer", "Authorizers"], ["conflict", "Conflict handlers"], ["objectEvent", "Events of objects"]];
const LEVELS = [["", "Any level"], ["info", "info and above"], ["warning", "warning and above"], ["error", "error and above"]];
const SLOWER = ["", "20", "100", "1000"];
const TONES = { warning: "ochre", error: "brick", critical: "brick" };

/** @param {{ route: any, session: any, views: (session: any, now: string) => any }} props */
export function Others({ route, session, views }) {
  const { query } = route;
  const isCalls = query.view === "calls";
  const [paused, setPaused] = useState(false);
  const [text, setText] = useState(query.text ?? "");
  const search = useRef(/** @type {any} */ (null));
  const parameters = isCalls ? { function: query.text, kind: query.kind, errors: query.errors, slower: query.slower, limit: PAGE } : { level: query.level, text: query.text, limit: PAGE };
  const path = isCalls ? "/function-calls" : "/log";
  const key = JSON.stringify([path, parameters]);
  const list = useResource([key], (signal) => get(path, { query: parameters, signal }));
  const [older, setOlder] = useState(/** @type {{ key: string, rows: any[], next: string | null } | null} */ (null));
  const more = older?.key === key ? older : null;
  const rows = [...(list.data?.items ?? []), ...(more?.rows ?? [])];
  const next = more ? more.next : list.data?.next;
  const reload = useRef(() => {});
  // Entries that were asked for stay where they are.
  reload.current = () => !paused && !more && document.visibilityState === "visible" && list.retry();
  useEffect(() => {
    const timer = setInterval(() => reload.current(), AGAIN);
    // Calls are recorded while a page follows requests.
    const stop = follow("requests", () => {});
    return () => {
      clearInterval(timer);
      stop();
    };
  }, []);
  useEffect(() => setText(query.text ?? ""), [query.view]);
  useEffect(() => {
    const timer = setTimeout(() => text !== (query.text ?? "") && setQuery({ text }, true), 250);
    return () => clearTimeout(timer);
  }, [text]);
  const load = async () => {
    try {
      const answer = await get(path, { query: { ...parameters, after: next } });
      setOlder({ key, rows: [...(more?.rows ?? []), ...answer.items], next: answer.next });
    } catch (error) {
      toastError(error, "Not loaded");
    }
  };
  const toggle = () => {
    setPaused(!paused);
    if (paused) {
      setOlder(null);
      list.retry();
    }
  };
  useKeys([{ keys: "/", what: "Search", run: () => search.current?.focus() }, { keys: "p", what: "Pause or go on", run: toggle }]);
  const choice = (/** @type {string} */ label, /** @type {string} */ name, /** @type {string[][]} */ options) => {
    const chosen = options.find(([value]) => value === (query[name] ?? "")) ?? options[0];
    return html`<${Menu} class="btn low tall" label=${`${label}: ${chosen[1]}`} button=${html`${chosen[1]}<${Icon} name="down" small />`} entries=${options.map(([value, words]) => ({ text: words, checked: value === chosen[0], run: () => setQuery({ [name]: value }) }))} />`;
  };
  const filtered = ["text", "kind", "errors", "slower", "level"].some((name) => query[name]);
  const words = isCalls ? "Name of a function" : "Text of a line";
  return html`<${Head} title="Logs" more=${views(session, query.view)}><button class="btn" onClick=${toggle} aria-pressed=${paused ? "true" : "false"}><${Icon} name=${paused ? "play" : "pause"} small />${paused ? "Go on" : "Pause"}</button><//>
    <${TabPanel} id="kind" value=${query.view} class="body"><section class="work" aria-label=${isCalls ? "Function calls" : "Lines of the server"}>
      <div class="tools"><label class="input search"><${Icon} name="search" small class="faint" /><input ref=${search} type="search" aria-label=${words} placeholder=${words} value=${text} onInput=${(event) => setText(event.target.value)} /></label>
        ${isCalls ? html`${choice("Kind", "kind", KINDS)}${choice("Duration", "slower", SLOWER.map((value) => [value, value ? `Slower than ${value} ms` : "Any duration"]))}
          <label class="row toggle"><input class="check" type="checkbox" checked=${query.errors === "true"} onChange=${(event) => setQuery({ errors: event.target.checked ? "true" : "" })} />Errors only</label>` : choice("Level", "level", LEVELS)}</div>
      ${list.error && list.data && html`<${Stale} at=${list.at} error=${list.error} retry=${list.retry} />`}
      ${list.error && !list.data ? html`<${Failure} what="The entries could not be loaded." error=${list.error} retry=${list.retry} />`
        : !list.data ? html`<${Skeleton} lines=${8} phase=${list.phase} cancel=${list.cancel} />`
        : rows.length === 0 ? html`<${Empty} text=${filtered ? "No recent entry matches." : isCalls ? "No calls yet. They appear here while this page is open." : "No lines yet."}>${filtered && html`<button class="btn" onClick=${() => { setText(""); setQuery({ text: "", kind: "", errors: "", slower: "", level: "" }); }}>Clear filter</button>`}<//>`
        : html`<div class="entries" tabindex="0" role="region" aria-label="Entries"><ul>${rows.map((one, n) => html`<li key=${`${one.at} ${rows.length - n}`}>${isCalls ? html`<${Call} of=${one} />` : html`<${Line} of=${one} />`}</li>`)}</ul>
          ${next && rows.length < ROWS_MAX && html`<div class="older"><button class="btn" onClick=${load}>Show older</button></div>`}</div>`}
    </section><//>`;
}

function Call({ of: one }) {
  const bad = one.failed || one.error;
  return html`<details><summary><span class="faint num" title=${stamp(one.at)}>${clock(one.at, true)}</span><b class="cut">${one.function}</b><span class="quiet">${one.kind}</span><span class="mono small faint cut no-phone">${one.url}</span>
      <span>${bad ? html`<span class="chip brick">${one.status ?? "no answer"}</span>` : html`<span class="num quiet">${one.status}</span>`}</span><span class="num r">${milliseconds(one.milliseconds)}</span></summary>
    <dl class="kv"><dt>Time</dt><dd class="num">${stamp(one.at)}</dd><dt>URL</dt><dd class="mono">${one.url}</dd>${one.error && html`<dt>Error</dt><dd>${one.error}</dd>`}${typeof one.bytes === "number" && html`<dt>Answer</dt><dd>${bytes(one.bytes)}${one.answerIsCut ? ", cut" : ""}</dd>`}</dl>
    ${one.answer && html`<${Code} text=${one.answer} language="json" label="Answer" />`}</details>`;
}

function Line({ of: one }) {
  const fields = Object.entries(one.fields ?? {});
  return html`<div class="line"><span class="faint num" title=${stamp(one.at)}>${clock(one.at, true)}</span><span class=${`chip ${TONES[one.level] ?? ""}`}>${one.level}</span>
    <span class="grow">${one.message}${fields.length > 0 && html`<span class="mono small quiet fields">${fields.map(([name, value]) => html`<span key=${name}>${name}=${typeof value === "string" ? value : JSON.stringify(value)}</span>`)}</span>`}</span></div>`;
}
