// Schema: the types on the left, the diagram or the file, the inspector; one draft behind all of them.

import { html, useEffect, useMemo, useRef, useState } from "../preact-htm.js";
import { get, patch } from "../api.js";
import { Head, lacks } from "../console.js";
import { Icon } from "../kit/icons.js";
import { Menu } from "../kit/menu.js";
import { Empty, Loaded, useResource } from "../kit/resource.js";
import { confirm } from "../kit/dialog.js";
import { command, useKeys } from "../kit/keys.js";
import { CopyButton } from "../kit/command.js";
import { lazy } from "../kit/lazy.js";
import { TabPanel, Tabs } from "../kit/tabs.js";
import { plural } from "../kit/format.js";
import { go, href, setQuery } from "../kit/router.js";
import { recall, remember } from "../kit/storage.js";
import { toast } from "../kit/toast.js";
import { same } from "../kit/values.js";
import { Draft, mayEdit, useDraft } from "./schema-draft.js";
import { fieldType, summaryOf, typeOf, typesOfKind } from "./schema-model.js";
import { Inspector } from "./schema-inspector.js";
import { restoreType } from "./schema-undo.js";

const dialogs = () => import("./schema-dialogs.js");
const [AddType, EditField, KeyDialog, RelationshipDialog, RenameDialog, DescribeDialog, RuleDialog, SettingsDialog] = ["AddType", "EditField", "KeyDialog", "RelationshipDialog", "RenameDialog", "DescribeDialog", "RuleDialog", "SettingsDialog"].map((name) => lazy(dialogs, name));
const Deploy = lazy(() => import("./schema-deploy.js"), "Deploy");
const Merge = lazy(() => import("./schema-merge.js"), "Merge");
const Versions = lazy(() => import("./schema-versions.js"), "Versions");
const Editor = lazy(() => import("./schema-file.js"), "Editor");

const VIEWS = [{ value: "model", text: "Model" }, { value: "file", text: "File" }, { value: "both", text: "Both" }];
const GROUPS = [["model", "Models", "data"], ["enum", "Enums", "list"], ["custom", "Custom types", "query"], ["other", "Others", "schema"]];
const groupOf = (/** @type {any} */ type) => (["model", "enum", "custom"].includes(type.kind) ? type.kind : "other");
/** Milliseconds after a card was moved until its place is sent. */
const SAVE = 400;
const MARK_WORDS = { added: "new", changed: "changed", removed: "removed" };

/** One draft as long as the console is open: going to Data and back loses nothing, also not what can be undone. @type {Draft | null} */
let kept = null;
export const opened = () => kept;

export default function Schema({ route, session }) {
  const draft = useMemo(() => (kept ??= new Draft()), []);
  const loaded = useResource(["schema"], async (signal) => {
    if (draft.schema) await draft.look();
    else await draft.load(signal);
    return draft;
  });
  useEffect(() => draft.watch(), []);
  if (!loaded.data) return html`<${Head} title="Schema" /><${Loaded} of=${loaded} what="The schema could not be loaded." lines=${8}>${() => null}<//>`;
  if (route.parts[1] === "deployments") return html`<${Versions} draft=${draft} number=${route.parts[2]} />`;
  return html`<${Modeller} draft=${draft} route=${route} session=${session} />`;
}

function Modeller({ draft, route, session }) {
  useDraft(draft);
  const { query } = route;
  const [phone, setPhone] = useState(matchMedia("(max-width: 720px)").matches);
  const [dialog, setDialog] = useState(/** @type {any} */ (null));
  const [place, setPlace] = useState(/** @type {any} */ (null));
  const [said, setSaid] = useState("");
  useEffect(() => {
    const media = matchMedia("(max-width: 720px)");
    const changed = () => setPhone(media.matches);
    media.addEventListener("change", changed);
    return () => media.removeEventListener("change", changed);
  }, []);
  const view = phone ? (query.view === "file" ? "file" : "model") : query.view ?? (query.at ? "file" : recall("schema.view", "model"));
  const model = draft.model ?? { types: [], relationships: [], version: draft.schema.transformerVersion };
  const shown = model.types.filter((/** @type {any} */ one) => one.kind !== "root");
  const type = typeOf(model, query.type) ?? typeOf(model, recall("schema.type", "")) ?? typesOfKind(model, "model")[0] ?? shown[0];
  const { changes } = draft;
  useEffect(() => {
    if (type) remember("schema.type", type.name);
  }, [type?.name]);

  const select = (/** @type {string} */ name) => setQuery({ type: name, tab: "", at: "" });
  const chooseView = (/** @type {string} */ next) => {
    remember("schema.view", next);
    setQuery({ view: next, at: "" });
  };
  /** Shows a place of the file. @param {{ file: string, line?: number, start?: number }} where from 1 */
  const show = (where) => {
    if (view === "model") chooseView(phone ? "file" : "both");
    setPlace({ ...where, n: Math.random() });
  };
  const undo = () => {
    const label = draft.undo();
    if (label) setSaid(`Undone: ${label}`);
    return Boolean(label);
  };
  const redo = () => {
    const label = draft.redo();
    if (label) setSaid(`Done again: ${label}`);
    return Boolean(label);
  };
  const open = (/** @type {any} */ next) => mayEdit(draft) && setDialog(next);
  const review = () => {
    if (!draft.dirty) return toast("Nothing to deploy.");
    if (draft.errors.length) return toast("The schema has errors. Correct them first.", { error: true });
    setDialog({ kind: "deploy" });
  };
  // Links from elsewhere: /schema?at=schema.graphql:7, ?add=model, ?add=key&type=Booking&fields=guestId,checkInDate, ?template=booking, ?deploy=1
  useEffect(() => {
    if (query.at) {
      const [, file, line] = /^(.*?):(\d+)/.exec(query.at) ?? [];
      if (file) setPlace({ file: file in draft.files ? file : draft.mainFile, line: Number(line), n: Math.random() });
    }
    if (query.template && mayEdit(draft)) {
      import("./schema-templates.js").then((module) => {
        const text = module.TEMPLATES[query.template];
        if (text && !draft.files[draft.mainFile]?.trim()) draft.replace({ ...draft.files, [draft.mainFile]: text }, `Template ${query.template}`);
      });
    }
    if (query.add && mayEdit(draft)) setDialog({ kind: query.add === "key" ? "key" : "type", of: query.add, fields: query.fields ? query.fields.split(",") : undefined });
    if (query.deploy) lacks("owner") ? toast(`${lacks("owner")}.`) : review();
    if (query.add || query.template || query.deploy) setQuery({ add: "", fields: "", template: "", deploy: "" }, true);
  }, [query.at, query.add, query.template, query.deploy]);

  const inText = (/** @type {Event} */ event) => /** @type {Element} */ (event.target).closest?.("input:not([type=checkbox]), textarea, select");
  useKeys([
    { keys: "mod+z", what: "Undo, with Shift again", run: (event) => (inText(event) ? false : event.shiftKey ? redo() : undo()) },
    { keys: "mod+y", what: "", run: (event) => (inText(event) ? false : redo()) },
    { keys: "n", what: "Add a type", run: () => open({ kind: "type" }) },
    { keys: "a", what: "Add a field", run: () => { const button = /** @type {HTMLElement | null} */ (document.querySelector("[data-add-field]")); return button ? button.click() : false; } },
    { keys: "mod+Enter", what: "Review and deploy", run: review },
    { keys: "mod+s", what: "Keep the draft now", run: () => void draft.save() },
    { keys: "[", what: "Previous type", run: () => step(-1) },
    { keys: "]", what: "Next type", run: () => step(1) },
  ]);
  const step = (/** @type {number} */ by) => {
    const next = shown[shown.indexOf(type) + by];
    return next ? select(next.name) : false;
  };
  const discard = async () => {
    if (await confirm({ title: "Discard the draft?", lead: `${summaryOf(changes)} The files stay as they are.`, verb: "Discard draft", danger: true })) {
      await draft.discard();
      toast("The draft is discarded.", { action: { text: "Undo", run: () => void undo() } });
    }
  };
  const remove = async (/** @type {any} */ one) => {
    const { removeType } = await import("./schema-actions.js");
    if (mayEdit(draft)) await removeType(draft, one);
  };

  const typeMenu = () => [
    ...GROUPS.flatMap(([group, title]) => {
      const list = shown.filter((/** @type {any} */ one) => groupOf(one) === group);
      return list.length ? [{ heading: title }, ...list.map((/** @type {any} */ one) => ({ text: one.name, detail: MARK_WORDS[changes.types.get(one.name) ?? ""], checked: one === type, run: () => select(one.name) }))] : [];
    }),
    { line: true }, { text: "Add a type…", icon: "plus", disabled: draft.locked || undefined, run: () => open({ kind: "type" }) },
    phone && { text: view === "file" ? "Show the model" : "Show the file", icon: "schema", run: () => setQuery({ view: view === "file" ? "model" : "file" }) },
    phone && { text: "Versions", icon: "clock", run: () => go("/schema/deployments") },
  ];
  const empty = shown.length === 0 && view === "model";
  const inspector = view !== "file" && type && html`<${Inspector} key=${type.name} draft=${draft} type=${type} route=${route} session=${session} onDialog=${open} onShow=${show} onSelect=${select} onRemove=${remove} phone=${phone} />`;
  const editor = html`<${Editor} draft=${draft} place=${place} readOnly=${phone || Boolean(draft.locked)} why=${phone ? "The file is edited on a wider screen." : draft.locked} onSelect=${view === "both" ? select : undefined} phone=${phone} />`;
  return html`
    <${Head} title="Schema" more=${html`<span class="no-phone"><${Tabs} label="View" look="seg" id="view" value=${view} options=${VIEWS} onChange=${chooseView} /></span>
        <span class="only-narrow no-phone"><${Menu} class="btn plain" label="Choose a type" button=${html`${type?.name ?? "Types"}<${Icon} name="down" small />`} search=${shown.length > 12 ? "Search types" : undefined} entries=${typeMenu} /></span>`}>
      <button class="btn plain icon" aria-label="Undo" title=${`Undo${draft.done.length ? `: ${draft.done[draft.done.length - 1].label}` : ""} (${command("Z")})`} aria-disabled=${draft.done.length ? undefined : "true"} onClick=${undo}><${Icon} name="undo" small /></button>
      ${draft.undone.length > 0 && html`<button class="btn plain icon redo no-phone" aria-label="Redo" title=${`Redo: ${draft.undone[draft.undone.length - 1].label}`} onClick=${redo}><${Icon} name="undo" small /></button>`}
      <a class="btn no-phone" href=${href("/schema/deployments")}><${Icon} name="clock" small />Versions</a>
      <span class="only-phone"><${Menu} class="btn" button=${html`<span class="cut">${view === "file" ? "File" : type?.name ?? "Types"}</span><${Icon} name="down" small />`} search=${shown.length > 12 ? "Search types" : undefined} entries=${typeMenu} /></span>
    <//>
    <${Banners} draft=${draft} onMerge=${() => setDialog({ kind: "merge" })} onShow=${show} />
    <${TabPanel} id="view" value=${view} class=${`body schema view-${view}`}>
      <${Types} draft=${draft} model=${model} type=${type} onAdd=${() => open({ kind: "type" })} onSelect=${(/** @type {any} */ one) => (view === "file" && one.namePlace ? (select(one.name), show({ file: one.namePlace.file, line: one.namePlace.line })) : select(one.name))} />
      ${empty ? html`<div class="canvas"><${Empty} text="The schema has no types yet."><button class="btn main" aria-disabled=${draft.locked ? "true" : undefined} onClick=${() => open({ kind: "type" })}><${Icon} name="plus" small />Add a model</button><button class="btn no-phone" onClick=${() => chooseView("file")}>Paste a schema</button><//></div>`
        : view === "model" ? !phone && html`<${Canvas} draft=${draft} model=${model} type=${type} onSelect=${select} />` : editor}
      ${inspector}
    <//>
    <${Bar} draft=${draft} onDiscard=${discard} onReview=${review} />
    <span class="vh" role="status">${said}</span>
    ${dialog && html`<${Dialogs} draft=${draft} dialog=${dialog} type=${type} model=${model} onSelect=${select} onShow=${show} onClose=${() => setDialog(null)} onNext=${setDialog} />`}`;
}

function Dialogs({ draft, dialog, type, model, onSelect, onShow, onClose, onNext }) {
  const props = { draft, model, type: dialog.type ?? type, onClose, onSelect };
  switch (dialog.kind) {
    case "type": return html`<${AddType} ...${props} of=${dialog.of} />`;
    case "field": return html`<${EditField} ...${props} field=${dialog.field} />`;
    case "relationship": return html`<${RelationshipDialog} ...${props} target=${dialog.target} field=${dialog.field} required=${dialog.required} />`;
    case "rename": return html`<${RenameDialog} ...${props} field=${dialog.field} value=${dialog.value} />`;
    case "describe": return html`<${DescribeDialog} ...${props} member=${dialog.member} />`;
    case "key": return html`<${KeyDialog} ...${props} edited=${dialog.key} fields=${dialog.fields} />`;
    case "rule": return html`<${RuleDialog} ...${props} index=${dialog.index} field=${dialog.field} />`;
    case "settings": return html`<${SettingsDialog} ...${props} />`;
    case "deploy": return html`<${Deploy} draft=${draft} onClose=${onClose} onMerge=${() => onNext({ kind: "merge" })} onShow=${onShow} />`;
    case "merge": return html`<${Merge} draft=${draft} onClose=${onClose} onShow=${onShow} />`;
    default: return null;
  }
}

/** What must be known before going on: a file that changed on disk, errors, why nothing can be edited or deployed. */
function Banners({ draft, onMerge, onShow }) {
  const error = draft.errors[0];
  const job = draft.deploying;
  return html`
    ${job && html`<div class="banner accent" role="status"><span class="turning"><${Icon} name="sync" small /></span><span class="grow">${job.by ?? "Someone"} deploys: ${job.steps?.find((/** @type {any} */ one) => one.state === "running")?.name ?? "starting"}.</span></div>`}
    ${draft.diverged && html`<div class="banner ochre" role="status"><${Icon} name="warn" small /><span class="grow">The files changed on disk after this draft began.</span><button class="btn" onClick=${onMerge}>Compare and merge</button></div>`}
    ${!draft.diverged && !draft.dirty && draft.schema.served === false && draft.model?.types?.length > 0 && !error && html`<div class="banner ochre" role="status"><${Icon} name="warn" small /><span class="grow">The files on disk are not yet what the API serves.</span></div>`}
    ${draft.locked ? html`<div class="banner accent"><${Icon} name="lock" small /><span class="grow">Read only. ${draft.locked}.</span></div>` : draft.schema.canDeploy === false && html`<div class="banner accent"><${Icon} name="lock" small /><span class="grow">${draft.schema.reason ?? "This server does not deploy from the console."} A draft can be planned and copied.</span></div>`}
    ${draft.stale && error && html`<div class="banner brick-wash" role="status"><${Icon} name="warn" small /><span class="grow cut">${error.line ? `Line ${error.line}: ` : ""}${error.message}</span>${error.line && html`<button class="btn" onClick=${() => onShow({ file: error.file ?? draft.mainFile, line: error.line })}>Show</button>`}</div>`}
    ${draft.error && html`<div class="banner ochre" role="status"><${Icon} name="warn" small /><span class="grow">Not checked: ${draft.error.message}</span><button class="btn" onClick=${() => draft.checkNow()}>Retry</button></div>`}`;
}

function Types({ draft, model, type, onAdd, onSelect }) {
  const [text, setText] = useState("");
  const { changes } = draft;
  const shown = model.types.filter((/** @type {any} */ one) => one.kind !== "root");
  const matching = shown.filter((/** @type {any} */ one) => one.name.toLowerCase().includes(text.toLowerCase()) || (text.length > 1 && one.fields.some((/** @type {any} */ field) => field.name.toLowerCase().includes(text.toLowerCase()))));
  return html`<nav class="side types" aria-label="Types">
    ${shown.length > 12 && html`<input class="input" type="search" aria-label="Search types and fields" placeholder="Search" value=${text} onInput=${(event) => setText(event.target.value)} />`}
    ${GROUPS.map(([group, title, icon]) => {
      const list = matching.filter((/** @type {any} */ one) => groupOf(one) === group);
      const removed = changes.removedTypes.filter((one) => groupOf(one) === group);
      return (list.length || removed.length) > 0 && html`<h2>${title}</h2>
        ${list.map((/** @type {any} */ one) => {
          const mark = changes.types.get(one.name);
          return html`<a key=${one.name} href=${href("/schema", { type: one.name })} aria-current=${one === type ? "page" : undefined} onClick=${(/** @type {MouseEvent} */ event) => { if (event.metaKey || event.ctrlKey || event.shiftKey) return; event.preventDefault(); onSelect(one); }}>
            <${Icon} name=${icon} small /><span class="cut">${one.name}</span>${mark && html`<span class=${`tagd ${mark}`} title=${MARK_WORDS[mark]}></span><span class="vh">, ${MARK_WORDS[mark]}</span>`}</a>`;
        })}
        ${removed.map((one) => html`<div class="gone" key=${one.name}><${Icon} name=${icon} small /><span class="cut"><s>${one.name}</s></span><span class="vh"> removed</span><button class="btn plain icon" aria-label=${`Undo: restore ${one.name}`} title="Restore" onClick=${() => mayEdit(draft) && restoreType(draft, one)}><${Icon} name="undo" small /></button></div>`)}`;
    })}
    <button class="btn plain add" aria-disabled=${draft.locked ? "true" : undefined} title=${draft.locked || undefined} onClick=${onAdd}><${Icon} name="plus" small />Add a type</button>
  </nav>`;
}

/** Where the cards of the diagram are, as the server keeps it; null where it does not. @type {Record<string, [number, number]> | null} */
let onServer = null;
/** @type {any} */ let saving = null;
/** @returns {Promise<Record<string, [number, number]>>} */
async function keptPositions() {
  onServer = await get("/schema/diagram", { quiet: true }).then((answer) => answer.positions, () => null);
  return { ...recall("schema.positions", {}), ...onServer };
}
/** In this browser, and for all by an owner. @param {Record<string, [number, number]>} positions */
function keepPositions(positions) {
  remember("schema.positions", positions);
  if (!onServer || lacks("owner")) return;
  clearTimeout(saving);
  saving = setTimeout(async () => {
    const changed = Object.entries(positions).filter(([name, at]) => !same(onServer?.[name], at));
    const gone = Object.keys(onServer ?? {}).filter((name) => !(name in positions)).map((name) => [name, null]);
    if (!changed.length && !gone.length) return;
    // What is not kept for all is kept here.
    await patch("/schema/diagram", { positions: Object.fromEntries([...changed, ...gone]) }, { quiet: true }).then((answer) => (onServer = answer.positions), () => {});
  }, SAVE);
}

function Canvas({ draft, model, type, onSelect }) {
  const host = useRef(/** @type {any} */ (null));
  const diagram = useRef(/** @type {any} */ (null));
  const [zoom, setZoom] = useState(1);
  const choose = useRef(onSelect);
  choose.current = onSelect;
  const { changes } = draft;
  useEffect(() => {
    let gone = false;
    Promise.all([import("./diagram.js"), keptPositions()]).then(([{ Diagram, diagramOf }, positions]) => {
      if (gone) return;
      diagram.current = new Diagram(host.current, {
        positions, onMove: keepPositions, onSelect: (name) => choose.current(name), onView: setZoom,
        layout: async () => {
          await import(/** @type {any} */ ("../dagre.js"));
          return /** @type {any} */ (globalThis).dagre;
        },
      });
      diagram.current.of = diagramOf;
      show();
    });
    return () => {
      gone = true;
      diagram.current?.destroy();
      diagram.current = null;
    };
  }, []);
  const latest = useRef(/** @type {any} */ (null));
  latest.current = { model, changes, type };
  const show = async () => {
    const one = diagram.current;
    if (!one) return;
    const { cards, edges, summary } = one.of(latest.current.model, latest.current.changes, fieldType);
    one.selected = latest.current.type?.name ?? "";
    await one.update(cards, edges, summary);
  };
  useEffect(() => void show(), [model, changes]);
  useEffect(() => void diagram.current?.select(type?.name ?? ""), [type?.name]);
  const save = () => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([diagram.current.export()], { type: "image/svg+xml" }));
    link.download = "schema.svg";
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  return html`<div class="canvas" role="region" aria-label="Diagram"><div class="host" ref=${host}></div>
    <div class="zoom"><button class="btn icon" aria-label="Zoom out" onClick=${() => diagram.current?.setZoom(zoom / 1.2)}>−</button>
      <button class="btn num" aria-label=${`Zoom ${Math.round(zoom * 100)} %. Fit all`} title="Fit all" onClick=${() => diagram.current?.fit()}>${Math.round(zoom * 100)} %</button>
      <button class="btn icon" aria-label="Zoom in" onClick=${() => diagram.current?.setZoom(zoom * 1.2)}><${Icon} name="plus" small /></button>
      <button class="btn" onClick=${() => diagram.current?.auto()}>Auto-layout</button>
      <button class="btn icon" aria-label="Save the diagram as SVG" title="Save as SVG" onClick=${save}><${Icon} name="open" small /></button></div></div>`;
}

/** Counts and sums up what a draft changes, with what to do about it. */
function Bar({ draft, onDiscard, onReview }) {
  if (!draft.dirty) return null;
  const { changes } = draft;
  const number = changes.list.length;
  const risky = changes.list.some((one) => one.mark === "removed" && one.stored);
  const blocked = draft.errors.length > 0 || draft.stale;
  const why = draft.stale ? "The file has an error." : blocked ? `${plural(draft.errors.length, "error")}.` : "";
  const saved = { saved: "Draft kept", saving: "Keeping the draft…", failed: "Kept in this browser only", "": "" }[draft.saved];
  return html`<div class="changes" role="region" aria-label="Undeployed changes">
    <span class=${`dot no-phone ${blocked ? "tone-brick" : risky ? "tone-ochre" : "tone-moss"}`}></span>
    <span class="cut grow" title=${summaryOf(changes)}><b>${number ? `${plural(number, "undeployed change")}.` : "An undeployed change."}</b> <span class="quiet">${blocked ? `${why} ` : ""}${draft.stale ? "" : summaryOf(changes)}</span></span>
    <span class="small faint no-phone" role="status">${saved}</span>
    <button class="btn" onClick=${onDiscard}>Discard</button>
    ${lacks("owner") ? html`<${CopyButton} words="Copy text" label="Copy text" text=${() => Object.values(draft.files).join("\n")} />`
      : html`<button class="btn main" aria-disabled=${blocked ? "true" : undefined} title=${blocked ? why : undefined} onClick=${onReview}>${draft.schema.canDeploy === false ? "Review" : "Review and deploy"}${blocked ? html`<span class="vh">: ${why}</span>` : ""}</button>`}
  </div>`;
}
