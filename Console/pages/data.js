// Data: the sources on the left, the grid, the record. Data source → table → items → record.

import { html, useCallback, useEffect, useMemo, useRef, useState } from "../preact-htm.js";
import { get, itemPath, keyText, onAPI, patch, queryString } from "../api.js";
import { follow, useLive } from "../live.js";
import { Head, RoleButton, itemsOf, lacks, showKeys } from "../console.js";
import { copy } from "../kit/command.js";
import { AGAIN, Empty, Failure, Loaded, QUIET, SLOW, Skeleton, Stale, useResource } from "../kit/resource.js";
import { Grid } from "../kit/grid.js";
import { Icon } from "../kit/icons.js";
import { Menu } from "../kit/menu.js";
import { ago, count, countText, milliseconds, plural, stamp, timestampMilliseconds } from "../kit/format.js";
import { go, href, setQuery } from "../kit/router.js";
import { recall, remember } from "../kit/storage.js";
import { toast, toastError } from "../kit/toast.js";
import { cellText, check, choicesOf, editText, isCollection, isLink, isPlain, linkOf, primaryKeyOf, same, typeText, valueOf } from "../kit/values.js";
import { useKeys } from "../kit/keys.js";
import { lazy, styled } from "../kit/lazy.js";

const Record = lazy(() => styled(import("./record.js"), "record.css"), "Record");
const Cards = lazy(() => import("./data-cards.js"), "Cards");
const Scan = lazy(() => import("./data-dialogs.js"), "Scan");
const Chips = lazy(() => import("./data-filter.js"), "Chips");
const Dialogs = lazy(() => styled(import("./data-dialogs.js"), "record.css"), "Dialogs");
const actions = () => import("./data-actions.js");

export default function Data({ route, session }) {
  const sources = useResource(["data"], (signal) => get("/data", { signal }));
  const all = useMemo(() => itemsOf(sources.data).map((one) => ({ ...one, fields: one.fields.filter((/** @type {any} */ field) => field.kind !== "function").map((/** @type {any} */ field) => (field.target ? { ...field, type: field.target } : field)) })), [sources.data]);
  // A deployed schema: its models and fields appear by themselves.
  useEffect(() => follow("schema", sources.retry), []);
  const name = route.parts[1] ?? (sources.data ? recall("model", all[0]?.name) : undefined);
  const source = all.find((one) => one.name === name) ?? (route.parts[1] ? undefined : all[0]);
  useEffect(() => {
    if (source) remember("model", source.name);
  }, [source?.name]);
  if (!sources.data) return html`<${Head} title="Data" /><${Loaded} of=${sources} what="The data sources could not be loaded." lines=${8}>${() => null}<//>`;
  if (all.length === 0) {
    return html`<${Head} title="Data" /><${Empty} text="The schema has no models.">${session.capabilities.includes("schema") ? html`<a class="btn main" href=${href("/schema")}>Open Schema</a>` : html`<p>Add one to <code>schema.graphql</code>.</p>`}<//>`;
  }
  if (!source) {
    return html`<${Head} title="Not found" /><${Empty} text=${html`No data source is named <code>${name}</code>. It may have been renamed or removed.`}><a class="btn" href=${href("/data")}>All data sources</a><//>`;
  }
  return html`<${Source} key=${`${source.name} ${source.fields.map((/** @type {any} */ field) => `${field.name}:${field.type}`)}`} source=${source} all=${all} sources=${sources} route=${route} session=${session} />`;
}

function Source({ source, all, sources, route, session }) {
  // Import, export and the removal of several, and generated items: work that the server does in jobs.
  const bulk = session.capabilities.includes("bulk");
  const generates = session.capabilities.includes("generate");
  const { query } = route;
  const filterJSON = useMemo(() => {
    try {
      return query.filter ? JSON.parse(query.filter) : null;
    } catch {
      return null;
    }
  }, [query.filter]);
  const [columns, setColumns] = useColumns(source);
  const [utc, setUTC] = useState(recall("utc", false));
  const [dialog, setDialog] = useState(/** @type {any} */ (null));
  const [facts, setFacts] = useState(/** @type {any} */ ({ count: null, read: null, first: 0, last: -1, error: null, scan: null, empty: false, at: 0 }));
  const [selected, setSelected] = useState(/** @type {Map<string, any>} */ (new Map()));
  const [allMatching, setAllMatching] = useState(false);
  const [fresh, setFresh] = useState(0);
  const [said, setSaid] = useState("");
  const [phone, setPhone] = useState(matchMedia("(max-width: 720px)").matches);
  const grid = useRef(/** @type {any} */ (null));
  const live = useLive();
  const filtered = Boolean(filterJSON) || Boolean(query.deleted);
  const base = `/data/${encodeURIComponent(source.name)}`;
  const openKey = route.raw[2] ?? "";
  const key = openKey && openKey !== "+new" ? openKey.split(",").map(decodeURIComponent) : null;
  const listQuery = { filter: filterJSON, order: query.order, direction: query.direction, deleted: query.deleted, scan: query.scan === "true" || undefined };
  const listKey = JSON.stringify(listQuery);

  useEffect(() => {
    const media = matchMedia("(max-width: 720px)");
    const changed = () => setPhone(media.matches);
    media.addEventListener("change", changed);
    return () => media.removeEventListener("change", changed);
  }, []);

  const path = (/** @type {string} */ rest, /** @type {any} */ more = {}) => base + rest + queryString({ filter: query.filter, order: query.order, direction: query.direction, deleted: query.deleted, scan: query.scan, ...more });
  const openItem = (item) => go(path(`/${keyText(item.key)}`), { replace: Boolean(openKey) });
  const closePanel = useCallback(() => {
    go(path(""));
    queueMicrotask(() => grid.current?.focusRow?.(Math.max(0, grid.current.row)));
  }, [listKey]);
  const setFilterJSON = (json) => setQuery({ filter: json ? JSON.stringify(json) : "", scan: "" });
  const load = useRef(/** @type {any} */ (null));
  load.current = async (/** @type {number} */ offset, /** @type {number} */ limit, /** @type {AbortSignal} */ signal) => {
    const answer = await get(`${base}/items`, { query: { ...listQuery, limit, offset }, signal });
    const total = answer.count ?? (filtered ? null : source.count);
    if (total?.exact) grid.current?.setTotal(total.value);
    else if (total && total.value > (grid.current?.rows.total ?? 0)) grid.current?.setTotal(total.value);
    setFacts((old) => ({ ...old, count: old.count?.exact && !total?.exact ? old.count : total, read: answer.read ?? null, error: null, scan: null, empty: offset === 0 && answer.items.length === 0, at: Date.now() }));
    return { items: answer.items, end: answer.next === null || answer.items.length < limit };
  };
  const failed = (error) => setFacts((old) => (error.code === "needs_scan" ? { ...old, scan: error, error: null } : { ...old, error }));

  // Other filter or order: from the start. The table itself begins when it is made.
  const begun = useRef(false);
  useEffect(() => {
    if (!begun.current) return void (begun.current = true);
    setFacts({ count: null, read: null, first: 0, last: -1, error: null, scan: null, empty: false, at: 0 });
    setFresh(0);
    setSelected(new Map());
    setAllMatching(false);
    grid.current?.clearSelection?.();
    grid.current?.reset(filtered ? 0 : source.count?.value ?? 0);
  }, [listKey]);
  // What failed because the server was away is loaded again when it is back.
  useEffect(() => {
    if (!facts.error) return;
    const again = () => grid.current?.rows.again();
    const timer = setTimeout(again, AGAIN);
    const stop = onAPI("reachable", (yes) => yes && again());
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [facts.error]);

  /** Keys of items that were made on this page. */
  const made = useRef(/** @type {Set<string>} */ (new Set()));
  const shownFilter = useRef(filterJSON);
  shownFilter.current = filterJSON;
  useEffect(() => {
    // What applies them is loaded with the first change.
    /** @type {Promise<any> | null} */ let changes = null;
    const stop = follow(`changes:${source.name}`, async (message) => {
      changes ??= import("./data-live.js").then((module) => new module.Changes({ source, grid: () => grid.current, filter: () => shownFilter.current, isOwn: (/** @type {string} */ key) => made.current.has(key), onNew: (/** @type {number} */ number) => setFresh((/** @type {number} */ n) => n + number), say: setSaid }));
      (await changes).take(message);
    });
    return () => {
      stop();
      changes?.then((one) => one.stop());
    };
  }, [source.name]);
  const showFresh = () => {
    setFresh(0);
    sources.retry();
    grid.current?.rows.refresh();
  };

  // The grid's columns ----------------------------------------------------------------------------------------
  const shownColumns = useMemo(() => columns.filter((one) => one.shown).map((one) => {
    const field = source.fields.find((each) => each.name === one.name);
    const isKey = primaryKeyOf(source).includes(one.name);
    const numeric = ["Int", "Float"].includes(field.type) && !field.list;
    return {
      name: one.name, type: typeText(field), width: one.width, field, sticky: !phone && isKey, right: numeric,
      mono: field.type === "ID" && (one.name === primaryKeyOf(source)[0] || one.name.endsWith("ID")), link: isLink(field), sortable: isPlain(field),
      sort: query.order === one.name ? (query.direction === "desc" || query.direction === "descending" ? "descending" : "ascending") : null,
    };
  }), [columns, source, query.order, query.direction, phone]);

  const cell = useRef(/** @type {any} */ (null));
  cell.current = (item, column) => {
    const { field } = column;
    const value = valueOf(item, field);
    const problem = item.problems?.find((one) => one.field === field.name);
    if (isLink(field)) {
      const link = linkOf(item, field);
      if (!link) return { kind: "absent", text: "·" };
      return { kind: "link", text: link.title ?? link.key.join(", "), href: href(`/data/${encodeURIComponent(field.type)}/${keyText(link.key)}`) };
    }
    if (problem) return { kind: "null", text: value === undefined ? "missing" : cellText(value), title: problem.message, label: `${value === undefined ? "missing" : cellText(value)}. ${problem.message}` };
    if (value === undefined) return { kind: "absent", text: "·" };
    if (value === null) return { kind: "null", text: "null" };
    if (value === "") return { kind: "empty", text: '""' };
    if (field.name === "_lastChangedAt" || (field.type === "AWSTimestamp" && field.readOnly)) {
      const time = timestampMilliseconds(value);
      return { kind: "faint", text: ago(time), title: stamp(time, utc) };
    }
    if (field.type === "AWSDateTime") return { kind: "text", text: String(value), title: `${stamp(value, utc)}, ${ago(value)}` };
    if (field.kind === "enum" && !field.list) return { kind: "chip", text: String(value) };
    const text = cellText(value);
    if (column.mono && text.length > 12 && column.width < 200) return { kind: "text", text: `${text.slice(0, 8)}…`, title: text, label: text };
    return { kind: "text", text, title: text.length > 30 ? text : undefined };
  };
  const editor = (item, column) => {
    const { field } = column;
    if (lacks("editor") || item.deleted || field.readOnly || !isPlain(field) || field.type === "AWSJSON" || primaryKeyOf(source).includes(field.name)) return null;
    const value = item.values[field.name];
    const options = choicesOf(field)?.map((one) => ({ value: one, text: one }));
    if (options) {
      return { options: field.required ? options : [{ value: "", text: "null" }, ...options], text: value === undefined || value === null ? "" : String(value), check: (/** @type {string} */ text) => (text === "" ? { value: null } : check(field, text)) };
    }
    return { text: editText(value, field), check: (/** @type {string} */ text) => check(field, text) };
  };
  const save = async (item, column, value) => {
    const old = item.values[column.name];
    if (same(old, value)) return item;
    const expect = item.version !== undefined && item.version !== null ? { version: item.version } : { values: { [column.name]: old ?? null } };
    const answer = await patch(itemPath(source.name, item.key), { set: { [column.name]: value }, expect });
    grid.current.flash(keyText(item.key));
    return answer;
  };

  const sortBy = (column) => {
    const now = query.order === column.name ? (query.direction === "desc" ? "none" : "desc") : "asc";
    setQuery({ order: now === "none" ? "" : column.name, direction: now === "desc" ? "desc" : "", scan: "" });
  };
  const chosen = () => (allMatching ? { filter: filterJSON ?? {}, count: facts.count ?? source.count } : { items: [...selected.values()] });
  const onChosen = (/** @type {string} */ kind) => {
    if (!bulk && kind === "delete") return;
    const reason = lacks("editor");
    if (reason) return toast(`${reason}.`);
    setDialog({ kind, chosen: chosen() });
  };
  const bulkDone = () => {
    grid.current?.clearSelection?.();
    setAllMatching(false);
    showFresh();
  };
  const shownFields = () => columns.filter((one) => one.shown).map((one) => one.name);
  const exportAll = async (/** @type {string} */ format) => (await actions()).exportItems({ source, format, filter: filterJSON, deleted: query.deleted, fields: shownFields() });
  const exportChosen = async (/** @type {string} */ format) => (await actions()).exportItems({ source, format, fields: shownFields(), ...chosen(), deleted: query.deleted });
  const countAll = async () => {
    try {
      const total = await get(`${base}/count`, { query: { filter: filterJSON, exact: true, deleted: query.deleted }, deadline: 60_000 });
      setFacts((old) => ({ ...old, count: total }));
      grid.current?.setTotal(total.value);
    } catch (error) {
      toastError(error, "Not counted");
    }
  };
  const copyCode = async (/** @type {"copyGraphQL" | "copySwift" | "openInQuery"} */ verb) => (await actions())[verb](source, filterJSON);
  const newItem = () => go(path("/+new"));

  useKeys([
    { keys: "n", what: "New item", run: () => (lacks("editor") ? toast(`${lacks("editor")}.`) : newItem()) },
    { keys: "f", what: "Add a filter", run: () => setDialog({ kind: "filter" }) },
    { keys: "/", what: "Add a filter", run: () => setDialog({ kind: "filter" }) },
    { keys: "r", what: "Read again", run: () => grid.current?.rows.refresh() },
    { keys: "Delete", what: "", run: () => (bulk && selected.size ? onChosen("delete") : false) },
    { keys: "[", what: "Previous item", run: () => step(-1) },
    { keys: "]", what: "Next item", run: () => step(1) },
    { keys: "Escape", what: "Close the panel or clear the selection", run: () => (openKey ? closePanel() : selected.size ? grid.current?.clearSelection?.() : false) },
  ]);
  const indexOfOpen = () => (key ? grid.current?.rows.find((item) => keyText(item.key) === openKey) ?? -1 : -1);
  const step = (/** @type {number} */ by) => {
    if (!key) return false;
    const index = indexOfOpen();
    const next = grid.current?.rows.item(index + by);
    if (index < 0 || !next) return false;
    grid.current.rows.reveal(index + by);
    openItem(next);
  };

  const views = recall(`views.${source.name}`, /** @type {any[]} */ ([]));
  const total = facts.count ?? (filtered ? null : source.count);
  const nothing = facts.empty && !facts.error && !facts.scan;
  const gridProps = { source, shownColumns, cell, editor, save, openItem, sortBy, setSelected, setFacts, failed, load, deleteSelected: () => onChosen("delete"), openKey, setColumns, handle: grid, initial: filtered ? 0 : source.count?.value ?? 0, hidden: nothing, listKey };

  return html`
    <${Head} title=${source.name} more=${html`<span class="only-narrow"><${Menu} class="btn plain icon" label="Choose a model" button=${html`<${Icon} name="down" small />`} search=${all.length > 12 ? "Search models" : undefined}
          entries=${() => [...all.map((one) => ({ text: one.name, detail: countText(one.count), checked: one.name === source.name, href: href(`/data/${encodeURIComponent(one.name)}`) })), views.length > 0 && { heading: "Saved views" }, ...views.map((view) => ({ text: view.name, href: href(base, view.query) }))]} /></span>
        <span class="faint num small">${countText(source.count)}<span class="no-phone"> ${source.count?.value === 1 ? "item" : "items"}</span></span>${live === "connected" && html`<span class="chip moss no-phone"><span class="dot"></span>live</span>`}`}>
      <button class="btn no-phone" onClick=${() => setDialog({ kind: "columns" })}><${Icon} name="cols" small />Columns</button>
      ${bulk && html`<span class="no-phone"><${Menu} button=${html`Import or export<${Icon} name="down" small />`} entries=${() => [
        { text: "Import…", icon: "up", disabled: lacks("editor"), run: () => setDialog({ kind: "import" }) },
        generates && { text: "Generate items…", icon: "plus", disabled: lacks("editor"), run: () => setDialog({ kind: "generate" }) },
        { line: true }, { heading: filtered ? "Export what the filter shows" : "Export all items" },
        ...["csv", "json", "jsonl"].map((format) => ({ text: FORMATS[format], icon: "down", run: () => exportAll(format) })),
      ]} /></span>`}
      <${RoleButton} role="editor" class="btn main" onClick=${newItem}><${Icon} name="plus" small />New item<//>
    <//>
    <div class="body">
      <${Sources} all=${all} source=${source} views=${views} />
      <section class="work" aria-label="Items">
        <div class="tools">
          ${filterJSON && html`<${Chips} json=${filterJSON} onChange=${setFilterJSON} onEdit=${(/** @type {number} */ at, condition) => setDialog({ kind: "filter", at, condition })} onJSON=${() => setDialog({ kind: "json" })} />`}
          ${query.deleted && html`<span class="fl"><span class="op">deleted</span><span>${query.deleted === "only" ? "only" : "included"}</span><button class="shut" aria-label="Exclude deleted items" onClick=${() => setQuery({ deleted: "" })}><${Icon} name="x" small /></button></span>`}
          <button class="btn plain low" onClick=${() => setDialog({ kind: "filter" })}><${Icon} name="plus" small />Filter</button>
          <span class="end cards-first"><${Menu} class=${`btn${phone ? "" : " plain"} icon low`} label="Filter and view" button=${html`<${Icon} name=${phone ? "filter" : "more"} small />`} entries=${() => [
            filterJSON && { text: "Clear filter", icon: "x", run: () => setFilterJSON(null) },
            { text: "Edit as JSON…", icon: "list", run: () => setDialog({ kind: "json" }) },
            { text: "Copy as GraphQL", icon: "copy", run: () => copyCode("copyGraphQL") },
            { text: "Copy as Swift predicate", icon: "copy", run: () => copyCode("copySwift") },
            { text: "Open in Query", icon: "query", run: () => copyCode("openInQuery") },
            { text: "Save this view…", icon: "plus", run: () => setDialog({ kind: "view" }) },
            source.versioned && { heading: "Deleted items" },
            ...(source.versioned ? [["", "Excluded"], ["include", "Included"], ["only", "Only"]].map(([value, text]) => ({ text, checked: (query.deleted ?? "") === value, run: () => setQuery({ deleted: value }) })) : []),
            { heading: "Times" },
            { text: "Local", checked: !utc, run: () => { setUTC(false); remember("utc", false); grid.current?.rows.repaint(); } },
            { text: "UTC", checked: utc, run: () => { setUTC(true); remember("utc", true); grid.current?.rows.repaint(); } },
            phone && { line: true }, phone && { text: "Columns…", icon: "cols", run: () => setDialog({ kind: "columns" }) }, phone && bulk && { text: "Import…", icon: "up", disabled: lacks("editor"), run: () => setDialog({ kind: "import" }) }, phone && generates && { text: "Generate items…", icon: "plus", disabled: lacks("editor"), run: () => setDialog({ kind: "generate" }) },
          ]} /></span>
        </div>
        ${facts.error && facts.at > 0 && html`<${Stale} at=${facts.at} error=${facts.error} retry=${() => grid.current?.rows.again()} />`}
        ${selected.size > 0 && html`<div class="selbar" role="region" aria-label="Selection"><b class="num">${allMatching ? `All ${countText(total)}` : count(selected.size)} selected</b>
          ${!allMatching && total && total.value > selected.size && html`<button class="btn plain" onClick=${() => setAllMatching(true)}>Select all ${countText(total)}</button>`}
          <span class="grow"></span><button class="btn" onClick=${() => grid.current?.copy(grid.current.row, grid.current.col)}><${Icon} name="copy" small />Copy</button>
          <${Menu} button=${html`Export<${Icon} name="down" small />`} entries=${() => ["csv", "json", "jsonl"].map((format) => ({ text: FORMATS[format], icon: "down", disabled: !bulk && allMatching && "Needs a newer server", run: () => exportChosen(format) }))} />
          <${RoleButton} role="editor" onClick=${() => onChosen("change")}>Edit a field…<//>
          ${bulk && html`<${RoleButton} role="editor" class="btn danger" onClick=${() => onChosen("delete")}><${Icon} name="trash" small />Delete<//>`}
          <button class="btn plain" onClick=${() => { setAllMatching(false); grid.current?.clearSelection?.(); }}>Clear</button></div>`}
        ${fresh > 0 && html`<button class="btn news" onClick=${showFresh}><${Icon} name="up" small />${plural(fresh, "new item")}</button>`}
        <div class="gridbox">${phone ? html`<${Cards} ...${gridProps} />` : html`<${Table} ...${gridProps} />`}
          ${facts.at === 0 && !facts.error && !facts.scan && html`<${Waiting} key=${listKey} rows=${grid} />`}
          ${facts.error && facts.at === 0 && html`<div class="cover"><${Failure} what="The items could not be loaded." error=${facts.error} retry=${() => grid.current?.rows.again()} /></div>`}
          ${facts.scan && html`<div class="cover"><${Scan} error=${facts.scan} query=${query} source=${source} /></div>`}
          ${nothing && html`<div class="cover">${filtered
            ? html`<${Empty} text="No item matches the filter."><button class="btn" onClick=${() => setQuery({ filter: "", deleted: "" })}>Clear filter</button><//>`
            : html`<${Empty} text=${`${source.name} has no items.`}><${RoleButton} role="editor" class="btn main" onClick=${newItem}>New item<//>${bulk && html`<${RoleButton} role="editor" onClick=${() => setDialog({ kind: "import" })}>Import<//>`}${generates && html`<${RoleButton} role="editor" onClick=${() => setDialog({ kind: "generate" })}>Generate<//>`}<//>`}</div>`}
        </div>
        <div class="foot"><span class="num">${facts.at > 0 && facts.last >= 0 && total?.value ? `${count(facts.first + 1)}–${count(Math.min(facts.last + 1, total.value))} of ${countText(total)}` : total ? plural(total.value, "item") : ""}</span>
          ${total && !total.exact && html`<button class="link small" onClick=${countAll}>Count all</button>`}
          ${facts.read && html`<${Cost} read=${facts.read} />`}<span class="grow"></span>
          <span><kbd class="kbd">↵</kbd> edit</span><span><kbd class="kbd">space</kbd> select</span><button class="link small" onClick=${showKeys}><kbd class="kbd">?</kbd> all keys</button></div>
        <span class="vh" aria-live="polite">${said}</span>
      </section>
      ${openKey && html`<${Record} key=${openKey} source=${source} all=${all} itemKey=${key} known=${key ? grid.current?.rows.item(indexOfOpen()) : null} query=${query} session=${session}
        onClose=${closePanel} onStep=${step} onChanged=${(item) => { const at = indexOfOpen(); if (at >= 0) { grid.current.rows.replace(at, item); grid.current.flash(keyText(item.key)); } }}
        onCreated=${(item) => { made.current.add(keyText(item.key)); sources.retry(); grid.current?.rows.refresh(); go(path(`/${keyText(item.key)}`), { replace: true, force: true }); }}
        onDeleted=${() => { sources.retry(); grid.current?.rows.refresh(); go(path(""), { force: true }); }} />`}
    </div>
    ${dialog && html`<${Dialogs} key=${dialog.kind} ...${{ dialog, source, all, session, columns, setColumns, setFilterJSON, filterJSON, query, views }} onClose=${() => setDialog(null)} onDone=${bulkDone} />`}`;
}

/** Over an empty grid: skeleton lines, then that it takes long, with a way out. */
function Waiting({ rows }) {
  const [phase, setPhase] = useState("quiet");
  useEffect(() => {
    const timers = [setTimeout(() => setPhase("loading"), QUIET), setTimeout(() => setPhase("slow"), SLOW)];
    return () => timers.forEach(clearTimeout);
  }, []);
  const whole = rows.current?.rows.total > 0;
  if (phase === "quiet" || (whole && phase !== "slow")) return null;
  return html`<div class="cover"><${Skeleton} lines=${10} phase=${phase} cancel=${() => rows.current?.rows.cancel()} /></div>`;
}

/** @type {Record<string, string>} */
const FORMATS = { csv: "CSV", json: "JSON", jsonl: "JSON lines" };
const WIDTHS = { ID: 150, AWSDate: 132, AWSTime: 120, Boolean: 100, Int: 110, Float: 110, AWSTimestamp: 152, AWSDateTime: 216, AWSEmail: 210, AWSURL: 220 };
/** The columns of a source: order, width and whether shown, as chosen in this browser.
 * @param {any} source
 * @returns {[any[], (columns: any) => void]} */
function useColumns(source) {
  const name = `columns.${source.name}`;
  const [columns, set] = useState(/** @type {() => any[]} */ (() => {
    const keys = primaryKeyOf(source);
    const linked = new Set(source.fields.filter(isLink).flatMap((field) => field.keys ?? []));
    const defaults = source.fields.filter((field) => !isCollection(field)).map((field) => ({
      name: field.name, shown: !linked.has(field.name) || keys.includes(field.name),
      width: keys.includes(field.name) && field.type === "ID" ? 116 : Math.max(WIDTHS[field.type] ?? 168, 30 + field.name.length * 8.2),
    }));
    // Keys first; what only the server writes last, also where links are listed after it.
    const rank = (/** @type {any} */ field) => (keys.includes(field.name) ? 0 : field.readOnly && !isLink(field) ? 2 : 1);
    const ranks = new Map(source.fields.map((/** @type {any} */ field) => [field.name, rank(field)]));
    defaults.sort((a, b) => ranks.get(a.name) - ranks.get(b.name));
    /** @type {any[]} */ const saved = recall(name, []);
    const known = saved.filter((one) => defaults.some((each) => each.name === one.name));
    return [...known, ...defaults.filter((one) => !known.some((each) => each.name === one.name))];
  }));
  return [columns, (next) => set((/** @type {any[]} */ old) => {
    const chosen = typeof next === "function" ? next(old) : next;
    remember(name, chosen);
    return chosen;
  })];
}

/** The models on the left. */
function Sources({ all, source, views }) {
  const [text, setText] = useState("");
  const shown = all.filter((one) => one.name.toLowerCase().includes(text.toLowerCase()));
  const list = (/** @type {string} */ kind) => shown.filter((one) => (one.kind === "join") === (kind === "join")).map((one) => html`<a key=${one.name} href=${href(`/data/${encodeURIComponent(one.name)}`)} aria-current=${one.name === source.name ? "page" : undefined}><span class="cut">${one.name}</span><span class="num">${countText(one.count)}</span></a>`);
  const joins = list("join");
  return html`<nav class="side" aria-label="Data sources">
    ${all.length > 12 && html`<input class="input" type="search" aria-label="Search models" placeholder="Search" value=${text} onInput=${(event) => setText(event.target.value)} />`}
    <h2>Models</h2>${list("model")}
    ${joins.length > 0 && html`<h2>Join models</h2>${joins}`}
    ${views.length > 0 && html`<h2>Saved views</h2>${views.map((view) => html`<a key=${view.name} href=${href(`/data/${encodeURIComponent(source.name)}`, view.query)}><span class="cut">${view.name}</span></a>`)}`}
  </nav>`;
}

/** @param {{ read: any }} props */
function Cost({ read }) {
  return html`<span class=${`cost${read.scan ? " scan" : ""}`}><${Icon} name=${read.scan ? "warn" : "clock"} small />${read.scan ? "Full scan" : read.index && read.index !== "primary" ? html`<code>${read.index}</code>` : "Primary key"} read ${plural(read.items, "item")} in ${milliseconds(read.milliseconds)}</span>`;
}

/** The grid in a `ref`: created once per model; later changes are passed to it. */
function Table({ source, shownColumns, cell, editor, save, openItem, sortBy, setSelected, setFacts, failed, load, deleteSelected, openKey, setColumns, handle, initial, hidden, listKey }) {
  const host = useRef(/** @type {any} */ (null));
  const calls = useRef(/** @type {any} */ ({}));
  calls.current = { editor, save, openItem, sortBy, setSelected, setFacts, failed, deleteSelected, setColumns };
  useEffect(() => {
    const grid = new Grid(host.current, {
      label: source.name, columns: shownColumns, cell: (item, column) => cell.current(item, column), keyOf: (item) => keyText(item.key),
      load: (offset, limit, signal) => load.current(offset, limit, signal),
      onOpen: (item) => calls.current.openItem(item), onSort: (column) => calls.current.sortBy(column), onSelect: (selected) => calls.current.setSelected(new Map(selected)),
      onRange: (first, last) => calls.current.setFacts((old) => (old.first === first && old.last === last ? old : { ...old, first, last })),
      onError: (error) => calls.current.failed(error), onDelete: () => setTimeout(() => calls.current.deleteSelected(), 0),
      editor: (item, column) => calls.current.editor(item, column), save: (item, column, value) => calls.current.save(item, column, value),
      onResize: (column) => calls.current.setColumns((/** @type {any[]} */ old) => old.map((one) => (one.name === column.name ? { ...one, width: column.width } : one))),
      onCopy: async (text) => (await copy(text)) && toast(`Copied ${plural(text.split("\n").length, "row")}.`),
    });
    handle.current = grid;
    grid.reset(initial);
    return () => {
      handle.current = null;
      grid.destroy();
    };
  }, []);
  const skip = useRef(true);
  useEffect(() => {
    if (skip.current) skip.current = false;
    else handle.current?.setColumns(shownColumns.map((one) => ({ ...one })));
  }, [shownColumns]);
  useEffect(() => handle.current?.setOpen(openKey), [openKey]);
  return html`<div ref=${host} inert=${hidden ? true : undefined}></div>`;
}
