// Query: GraphiQL between our header and the Explain panel. In a document of its own, because GraphiQL's documentation
// pane sets innerHTML, which the policy of the other pages refuses.

import { html, useEffect, useMemo, useRef, useState } from "../preact-htm.js";
import { endpoint, get, send } from "../api.js";
import { Head, itemsOf, lacks } from "../console.js";
import { CopyButton, copy } from "../kit/command.js";
import { Dialog } from "../kit/dialog.js";
import { Failure, Skeleton, useResource } from "../kit/resource.js";
import { Icon } from "../kit/icons.js";
import { Menu } from "../kit/menu.js";
import { bytes, milliseconds, plural } from "../kit/format.js";
import { command } from "../kit/keys.js";
import { saveFile } from "../kit/save.js";
import { chosenTheme, recall, remember } from "../kit/storage.js";
import { assets, styles } from "../kit/lazy.js";
import { HOW_TO_LEAVE, lettingTabLeave } from "../kit/tab-leaves.js";
import { toast } from "../kit/toast.js";
import { toGraphQL } from "../kit/filter-code.js";
import { documentHash, sharedDocument } from "./document-link.js";
import { Explain } from "./explain.js";
import { IDENTITIES, identityText } from "./identities.js";
import { SNIPPETS } from "./snippets.js";
import { subscribe } from "./subscription.js";

/** Bytes of an answer above which it is offered as a download. */
const SHOWN_MAX = 5_000_000;
const HISTORY_MAX = 200;

/** @param {string} name */
const script = (name) => new Promise((resolve, reject) => {
  const element = document.createElement("script");
  element.src = `${assets}/${name}`;
  element.async = false;
  element.onload = resolve;
  element.onerror = () => reject(new Error(`${name} is missing. Run scripts/console-assets and build again.`));
  document.head.append(element);
});
/** GraphiQL and what it needs, once. @type {Promise<any> | null} */
let loaded = null;
const loadGraphiQL = () => (loaded ??= Promise.all([
  ...["react.js", "react-dom.js", "graphiql.js", "graphiql-explorer.js"].map(script), styles("graphiql.css"), styles("graphiql-explorer.css"),
]).then(() => styles("query.css")).then(() => /** @type {any} */ (window)));

/** GraphiQL's own storage, separate for each server. Headers are never kept. */
function storage() {
  const all = recall("graphiql", /** @type {Record<string, string>} */ ({}));
  const save = () => remember("graphiql", all);
  return {
    getItem: (/** @type {string} */ name) => all[name] ?? null,
    setItem: (/** @type {string} */ name, /** @type {string} */ value) => {
      if (/headers/i.test(name) && !/should/i.test(name)) return;
      all[name] = value;
      save();
    },
    removeItem: (/** @type {string} */ name) => { delete all[name]; save(); },
    clear: () => { for (const name of Object.keys(all)) delete all[name]; save(); },
    get length() { return Object.keys(all).length; },
  };
}

/** Opens a document in a tab of its own, before GraphiQL starts. @param {any} store @param {any} shared */
function addTab(store, shared) {
  const variables = shared.variables && Object.keys(shared.variables).length ? JSON.stringify(shared.variables, null, 2) : "";
  /** @type {any} */ let state = { tabs: [], activeTabIndex: 0 };
  try {
    state = JSON.parse(store.getItem("graphiql:tabState") ?? "") ?? state;
  } catch {
    // None yet.
  }
  const tabs = state.tabs.filter((tab) => tab.query?.trim());
  const id = `t${Date.now().toString(36)}`;
  tabs.push({ id, hash: [shared.query, variables, ""].join("|"), title: /(?:query|mutation|subscription)\s+(\w+)/.exec(shared.query)?.[1] ?? "<untitled>", query: shared.query, variables, headers: null, operationName: null, response: null });
  store.setItem("graphiql:tabState", JSON.stringify({ tabs, activeTabIndex: tabs.length - 1 }));
  store.setItem("graphiql:query", shared.query);
  store.setItem("graphiql:variables", variables);
  return id;
}

export default function Query({ session }) {
  const host = useRef(/** @type {any} */ (null));
  const store = useMemo(storage, []);
  const tabsNow = useRef(/** @type {any} */ ({ id: "", query: "", variables: "", headers: "" }));
  const [identities, setIdentities] = useState(recall("identities", /** @type {Record<string, string>} */ ({})));
  const [tab, setTab] = useState("");
  const [tabs, setTabs] = useState(/** @type {any[]} */ ([]));
  const [result, setResult] = useState(/** @type {any} */ (null));
  const [events, setEvents] = useState(/** @type {import("./subscription.js").Subscription | null} */ (null));
  const running = events?.running ?? false;
  const [open, setOpen] = useState(recall("explain", true));
  const [asking, setAsking] = useState(/** @type {"" | keyof typeof ASKED} */ (""));
  const identity = identities[tab] ?? identities.last ?? "admin";
  const calls = useRef(/** @type {any} */ ({}));
  calls.current = { identity };
  const parts = useResource(["graphiql"], loadGraphiQL);
  const sources = useResource(session.capabilities.includes("data") ? ["data"] : null, (signal) => get("/data", { signal }));
  const keys = useResource(["keys"], (signal) => get("/api-keys", { signal, quiet: true }).catch(() => ({ items: [] })));
  // Roles of an identity pool, groups and custom claims need it; every server takes keys, users and none.
  const hasIdentities = session.capabilities.includes("identities");
  const users = useResource(session.capabilities.includes("users") ? ["users"] : null, (signal) => get("/users", { query: { limit: 100 }, signal, quiet: true }).catch(() => ({ items: [] })));
  const ready = parts.data && (sources.data !== undefined || sources.error || !session.capabilities.includes("data"));

  const choose = (/** @type {string} */ as) => {
    const next = { ...identities, [tab]: as, last: as };
    setIdentities(next);
    // Claims are typed by the operator and not kept.
    remember("identities", Object.fromEntries(Object.entries(next).filter(([, value]) => !value.startsWith("claims:")).slice(-50)));
  };

  useEffect(() => {
    if (!ready) return;
    const { React, ReactDOM, GraphiQL, GraphiQLPluginExplorer } = parts.data;
    const shared = sharedDocument(location.hash);
    if (shared) {
      const id = addTab(store, shared);
      if (shared.as) setIdentities((old) => ({ ...old, [id]: shared.as }));
      history.replaceState(null, "", location.pathname + location.search);
    }
    const dark = () => chosenTheme() === "dark" || (chosenTheme() === "" && matchMedia("(prefers-color-scheme: dark)").matches);
    store.setItem("graphiql:theme", dark() ? "dark" : "light");
    const paint = () => {
      document.body.classList.toggle("graphiql-dark", dark());
      document.body.classList.toggle("graphiql-light", !dark());
    };
    addEventListener("themechange", paint);
    const media = matchMedia("(prefers-color-scheme: dark)");
    media.addEventListener("change", paint);
    const first = itemsOf(sources.data).find((one) => one.kind !== "join");
    const fetcher = async (params, options) => {
      const isIntrospection = params.operationName === "IntrospectionQuery";
      const as = isIntrospection ? "admin" : calls.current.identity;
      let kind = "query";
      let filters = {};
      setEvents(null);
      try {
        const document = GraphiQL.GraphQL.parse(params.query);
        const operations = document.definitions.filter((one) => one.kind === "OperationDefinition");
        const operation = operations.find((one) => one.name?.value === params.operationName) ?? operations[0];
        kind = operation?.operation ?? "query";
        filters = filteredFields(operation, params.variables);
      } catch {
        // The server reports where the syntax error is.
      }
      if (kind !== "query" && lacks("editor")) return { errors: [{ message: `${lacks("editor")} to send a ${kind}.` }] };
      if (kind === "subscription") {
        setResult({ live: true });
        return subscribe(params, as, setEvents);
      }
      const started = performance.now();
      try {
        const answer = await send("POST", "/graphql", { body: { query: params.query, variables: params.variables, operationName: params.operationName }, headers: { ...options?.headers, "x-syncline-as": as, ...(isIntrospection ? {} : { "x-syncline-explain": "1" }) }, deadline: 60_000 });
        if (isIntrospection) return answer.value;
        const { extensions, ...value } = answer.value ?? {};
        const { syncline: explain, ...others } = extensions ?? {};
        if (Object.keys(others).length) value.extensions = others;
        setResult({ status: answer.status, milliseconds: performance.now() - started, bytes: answer.text.length, items: itemCount(value.data), explain, filters, headers: [...answer.headers.entries()], text: JSON.stringify(value, null, 2) });
        if (answer.text.length > SHOWN_MAX) {
          saveFile("answer.json", answer.text, "application/json");
          return { note: `The answer has ${bytes(answer.text.length)} and was saved as answer.json.` };
        }
        return value;
      } catch (error) {
        const problem = /** @type {any} */ (error);
        setResult({ status: problem.status || "failed", milliseconds: performance.now() - started, failure: problem });
        return { errors: [{ message: problem.message, hint: problem.hint, requestId: problem.requestId }] };
      }
    };
    const root = ReactDOM.createRoot(host.current);
    root.render(React.createElement(GraphiQL, {
      fetcher, storage: store, plugins: [GraphiQLPluginExplorer.explorerPlugin({ showAttribution: false })], defaultEditorToolsVisibility: matchMedia("(max-width: 720px)").matches ? false : "variables", shouldPersistHeaders: false, maxHistoryLength: HISTORY_MAX,
      defaultQuery: first ? toGraphQL(first, null) : "{\n  __typename\n}\n", showPersistHeadersSettings: false, defaultTheme: dark() ? "dark" : "light",
      onTabChange: (state) => {
        const active = state.tabs[state.activeTabIndex];
        tabsNow.current = active;
        setTab(active.id);
        setTabs(state.tabs);
      },
      onEditQuery: (/** @type {string} */ text) => { tabsNow.current = { ...tabsNow.current, query: text }; },
      onEditVariables: (/** @type {string} */ text) => { tabsNow.current = { ...tabsNow.current, variables: text }; },
    }));
    // GraphiQL reports its tabs only when they change: the first state comes from its storage.
    setTimeout(() => {
      try {
        const state = JSON.parse(store.getItem("graphiql:tabState") ?? "null");
        if (state?.tabs[state.activeTabIndex]) {
          tabsNow.current = state.tabs[state.activeTabIndex];
          setTab(tabsNow.current.id);
          setTabs(state.tabs);
        }
      } catch {
        // Nothing stored.
      }
      paint();
      label(host.current);
      follow();
    }, 0);
    // Our line above the answer follows GraphiQL's panes.
    const follow = () => {
      const answer = host.current?.querySelector(".graphiql-response");
      const body = host.current?.parentElement;
      if (!answer || !body) return;
      const [inner, outer] = [answer.getBoundingClientRect(), body.getBoundingClientRect()];
      body.style.setProperty("--answer-left", `${inner.left - outer.left + 1}px`);
      body.style.setProperty("--answer-top", `${inner.top - outer.top + 1}px`);
      body.style.setProperty("--sessions-left", `${host.current.querySelector(".graphiql-sessions").getBoundingClientRect().left - outer.left}px`);
      body.style.setProperty("--answer-width", `${inner.width - 1}px`);
    };
    const sizes = new ResizeObserver(follow);
    setTimeout(() => {
      for (const one of host.current?.querySelectorAll(".graphiql-response, .graphiql-sessions") ?? []) sizes.observe(one);
    }, 50);
    return () => {
      sizes.disconnect();
      removeEventListener("themechange", paint);
      media.removeEventListener("change", paint);
      root.unmount();
    };
  }, [ready]);

  useEffect(() => {
    const body = host.current?.parentElement;
    const name = body?.querySelector(".query-name");
    if (name) body.style.setProperty("--name-width", `${name.offsetWidth + 14}px`);
  }, [tabs, ready]);
  const editor = () => host.current?.querySelector(".graphiql-query-editor .CodeMirror")?.CodeMirror;
  const run = () => {
    const cm = editor();
    // On a phone, where it fills the page, an open pane gives way to the answer.
    if (matchMedia("(max-width: 720px)").matches) host.current.querySelector(".graphiql-sidebar button.active")?.click();
    cm?.state.keyMaps.find((map) => map["Ctrl-Enter"])?.["Ctrl-Enter"]();
  };
  const press = (/** @type {RegExp} */ name) => {
    const button = [...host.current.querySelectorAll(".graphiql-sidebar button")].find((one) => name.test(one.getAttribute("aria-label") ?? ""));
    button?.click();
    // GraphiQL names a key of a Mac, which opens the palette here.
    requestAnimationFrame(() => host.current?.querySelector(".graphiql-doc-explorer-search input")?.setAttribute("placeholder", "Find"));
  };
  const copyAs = async (/** @type {string} */ language) => {
    const text = editor()?.getValue() ?? tabsNow.current.query ?? "";
    let variables = {};
    try {
      variables = JSON.parse(tabsNow.current.variables || "{}");
    } catch {
      toast("The variables are not JSON, and were left out.");
    }
    if (await copy(SNIPPETS[language]({ endpoint: await endpoint(), query: text, variables }))) toast(`Copied as ${language}.`);
  };
  const share = async () => (await copy(location.origin + location.pathname + documentHash({ query: editor()?.getValue() ?? "", variables: safe(tabsNow.current.variables) }))) && toast("Copied a link to this document.");
  const toggle = (/** @type {boolean} */ next) => { setOpen(next); remember("explain", next); };

  return html`
    <${Head} title="Query" plain>
      <${Menu} label=${`Identity of the request: ${identityText(identity)}`} search="Search identities" button=${html`<${Icon} name="key" small /><span class="no-phone">as</span> <span class="cut who">${identityText(identity)}</span><${Icon} name="down" small />`} entries=${() => [
        ...IDENTITIES.slice(0, 1).map(([value, text, detail]) => ({ text, detail, name: text, checked: value === identity, run: () => choose(value) })),
        { heading: "API keys" }, ...[...new Set(["default", ...itemsOf(keys.data).map((one) => one.name ?? one.id)])].map((name) => ({ text: name, checked: `key:${name}` === identity, icon: "key", run: () => choose(`key:${name}`) })),
        itemsOf(users.data).length > 0 && { heading: "Users" }, ...itemsOf(users.data).map((one) => ({ text: one.username, checked: `user:${one.username}` === identity, icon: "user", run: () => choose(`user:${one.username}`) })),
        { heading: "Others" }, ...IDENTITIES.slice(1).filter(([value]) => value === "none" || hasIdentities).map(([value, text, detail]) => ({ text, detail, checked: value === identity, run: () => choose(value) })),
        { text: "A user by name…", icon: "user", run: () => setAsking("user") },
        hasIdentities && { text: "Groups…", checked: identity.startsWith("group:"), run: () => setAsking("group") },
        hasIdentities && { text: "Custom claims…", checked: identity.startsWith("claims:"), disabled: lacks("owner"), run: () => setAsking("claims") },
      ]} />
      <span class="no-phone"><${Menu} button=${html`<${Icon} name="terminal" small />Copy as<${Icon} name="down" small />`} entries=${[...Object.keys(SNIPPETS).map((language) => ({ text: language, run: () => copyAs(language) })), { line: true }, { text: "Link to this document", icon: "link", run: share }]} /></span>
      <button class="btn main" onClick=${run}><${Icon} name=${running ? "stop" : "play"} small />${running ? "Stop" : "Run"}<span class="kbd-in no-phone">${command("↵")}</span></button>
    <//>
    <div class=${`body query${tabs.length < 2 ? " single" : ""}${running ? " running" : ""}`}>
      ${parts.error ? html`<div class="grow"><${Failure} what="GraphiQL could not be loaded." error=${{ code: "offline", message: parts.error.message, hint: "" }} retry=${() => { loaded = null; parts.retry(); }} /></div>` : !ready ? html`<div class="grow"><${Skeleton} lines=${6} phase=${parts.phase} /></div>` : ""}
      <div class="graphiql-host" ref=${host} hidden=${!ready || Boolean(parts.error)}></div>
      ${ready && tabs.length < 2 && html`<span class="query-name cut">${running && html`<i class="dot tone-ochre"></i>`}${tabs[0]?.title && tabs[0].title !== "<untitled>" ? tabs[0].title : "Operation"}</span>`}
      ${ready && html`<div class="query-tools"><button class="btn plain" onClick=${() => press(/GraphiQL Explorer/)}><${Icon} name="list" small />Explorer</button><button class="btn plain" onClick=${() => press(/Documentation/i)}><${Icon} name="book" small />Docs</button>
        <button class="btn plain" onClick=${() => press(/History/i)}><${Icon} name="clock" small />History</button>${!open && html`<button class="btn plain no-phone" onClick=${() => toggle(true)}>Explain</button>`}</div>
        <div class="query-status" role="status">${result?.live ? html`<span class=${`chip ${running ? "ochre" : ""}`}>${running && html`<span class="dot"></span>`}${running ? (events?.paused ? "paused" : "listening") : "stopped"}</span><span class="faint small num">${events?.running || events?.number ? plural(events.number, "event") : ""}</span>${running && html`<button class="btn plain low" aria-pressed=${events?.paused ? "true" : "false"} onClick=${() => events?.pause(!events.paused)}><${Icon} name=${events?.paused ? "play" : "pause"} small />${events?.paused ? "Go on" : "Pause"}</button><button class="btn plain low" onClick=${() => events?.clear()}>Clear</button>`}` : result ? html`<span class=${`chip ${result.status === 200 ? "moss" : "brick"}`}>${result.status}</span><span class="faint small num cut">${[milliseconds(result.milliseconds), result.bytes !== undefined && plural(result.bytes, "byte"), result.items !== null && result.items !== undefined && plural(result.items, "item")].filter(Boolean).join(" · ")}</span>` : html`<span class="faint small">No answer yet</span>`}
          <span class="grow"></span>${result?.text && html`<${CopyButton} text=${result.text} label="Copy answer" />`}</div>`}
      ${open && html`<aside class="expl no-phone" aria-label="Explain"><header><h2 class="grow">Explain</h2><button class="btn plain icon" aria-label="Close explain" onClick=${() => toggle(false)}><${Icon} name="x" small /></button></header>
        <div class="expl-body" tabindex="0" role="region" aria-label="Explain, steps">${result?.explain ? html`<${Explain} explain=${result.explain} bytes=${result.bytes} logs=${session.capabilities.includes("logs")} models=${itemsOf(sources.data)} filters=${result.filters} />` : html`<p class="quiet small">${result?.live ? "Events of a subscription are not explained." : result?.failure ? "The request was refused before it was executed, or did not arrive." : "Run a query to see the rule that allows it, the index it reads and the time it takes."}</p>`}</div></aside>`}
    </div>
    ${asking && html`<${IdentityDialog} key=${asking} kind=${asking} value=${identity.startsWith(`${asking}:`) ? identity.slice(asking.length + 1) : ""} onClose=${() => setAsking("")} onDone=${(/** @type {string} */ text) => { setAsking(""); choose(`${asking}:${text}`); }} />`}`;
}

/** @param {string | null | undefined} text */
function safe(text) {
  try {
    return JSON.parse(text || "{}");
  } catch {
    return {};
  }
}
/** How many items an answer lists. @param {any} data @returns {number | null} */
export function itemCount(data) {
  if (!data || typeof data !== "object") return null;
  let sum = 0;
  let found = false;
  for (const value of Object.values(data)) {
    if (Array.isArray(/** @type {any} */ (value)?.items)) {
      found = true;
      sum += /** @type {any} */ (value).items.length;
    } else if (Array.isArray(value)) {
      found = true;
      sum += value.length;
    }
  }
  return found ? sum : null;
}
/** Names for GraphiQL's fields that have none. @param {HTMLElement} host */
function label(host) {
  const names = { ".graphiql-query-editor textarea": "Operation", ".graphiql-editor-tool:not(.hidden) textarea": "Variables", ".graphiql-response textarea": "Answer" };
  for (const [selector, name] of Object.entries(names)) for (const area of host.querySelectorAll(selector)) area.setAttribute("aria-label", area.getAttribute("aria-label") ?? name);
  for (const area of host.querySelectorAll(".CodeMirror")) {
    lettingTabLeave(area.CodeMirror);
    area.CodeMirror.getInputField().setAttribute("aria-description", HOW_TO_LEAVE);
  }
}

/** What each kind of identity that is typed is made of. */
const ASKED = {
  user: { title: "As a user", lead: "The request goes through the rules as after a sign-in of this user.", label: "User name", verb: "Use this user", first: "" },
  group: { title: "As a member of groups", lead: "The request goes through the rules as a signed-in user of these groups.", label: "Groups, separated by commas", verb: "Use these groups", first: "" },
  claims: { title: "Custom claims", lead: "The request goes through the rules as a token with these claims would.", label: "Claims", verb: "Use claims", first: '{\n  "sub": "ada",\n  "cognito:groups": ["admin"]\n}' },
};
function IdentityDialog({ kind, value, onClose, onDone }) {
  const asked = ASKED[kind];
  const [text, setText] = useState(value || asked.first);
  const [wrong, setWrong] = useState("");
  const submit = () => {
    if (kind === "claims") {
      try {
        const claims = JSON.parse(text);
        if (!claims || typeof claims !== "object" || Array.isArray(claims)) throw new Error("claims are an object");
        onDone(JSON.stringify(claims));
      } catch (error) {
        setWrong(`The claims are not JSON: ${/** @type {any} */ (error).message}`);
      }
      return;
    }
    const names = text.split(kind === "group" ? "," : "\n").map((/** @type {string} */ name) => name.trim()).filter(Boolean);
    if (names.length) onDone(names.join(","));
    else setWrong(kind === "group" ? "Name at least one group." : "Name a user.");
  };
  const more = { class: `input${kind === "claims" ? " mono" : ""}${wrong ? " bad" : ""}`, "data-first": true, spellcheck: false, autocomplete: "off", "aria-describedby": wrong ? "identity-wrong" : undefined, value: text, onInput: (/** @type {any} */ event) => { setText(event.target.value); setWrong(""); } };
  return html`<${Dialog} title=${asked.title} lead=${asked.lead} onClose=${onClose} onSubmit=${submit} footer=${html`<button class="btn main" type="submit">${asked.verb}</button><button class="btn" type="button" onClick=${onClose}>Cancel</button>`}>
    <label class="field"><span>${asked.label}</span>${kind === "claims" ? html`<textarea rows="7" ...${more}></textarea>` : html`<input ...${more} />`}</label>${wrong && html`<p class="wrong" id="identity-wrong" role="alert">${wrong}</p>`}<//>`;
}
/** The fields that the filter of each root field names, for an index that would help. @param {any} operation of a parsed document @param {any} variables */
function filteredFields(operation, variables) {
  /** @type {Record<string, { field: string, names: string[] }>} */ const found = {};
  for (const field of operation?.selectionSet?.selections ?? []) {
    const filter = field.arguments?.find((/** @type {any} */ one) => one.name.value === "filter")?.value;
    const names = filter?.kind === "ObjectValue" ? filter.fields.map((/** @type {any} */ one) => one.name.value) : filter?.kind === "Variable" ? Object.keys(variables?.[filter.name.value] ?? {}) : [];
    found[field.alias?.value ?? field.name?.value] = { field: field.name?.value, names: names.filter((/** @type {string} */ name) => !["and", "or", "not"].includes(name)) };
  }
  return found;
}
