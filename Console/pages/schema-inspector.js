// The inspector: one type with its fields, relationships, keys, rules and generated API, and the text that says so.

import { html, useEffect, useMemo, useRef, useState } from "../preact-htm.js";
import { Icon } from "../kit/icons.js";
import { Menu } from "../kit/menu.js";
import { Split } from "../kit/split.js";
import { TabPanel, Tabs } from "../kit/tabs.js";
import { CopyButton } from "../kit/command.js";
import { option } from "../kit/keys.js";
import { lazy } from "../kit/lazy.js";
import { plural } from "../kit/format.js";
import { href, setQuery } from "../kit/router.js";
import { toastError } from "../kit/toast.js";
import { mayEdit } from "./schema-draft.js";
import { backSentence, fieldType, hasWords, isAttribute, relationOf, relationshipsOf, typesOfKind, wrongName } from "./schema-model.js";
import { SCALARS, colouredLine, startState } from "./schema-sdl.js";
import { allDefinitions, differenceCount, hunks, linesOf, placeOf } from "./schema-text.js";
import { restoreField, undoField, undoType } from "./schema-undo.js";

const tabs = () => import("./schema-tabs.js");
const [Keys, Rules, API] = ["Keys", "Rules", "API"].map((name) => lazy(tabs, name));
const KINDS = { model: ["model", "accent"], enum: ["enum", "plum"], custom: ["custom type", "slate"], input: ["input", ""], interface: ["interface", "slate"], union: ["union", "slate"], scalar: ["scalar", ""] };
export const MARKS = { added: "new", changed: "changed", removed: "removed" };
const TONES = { added: "moss", changed: "ochre", removed: "brick" };
export const Grip = () => html`<svg class="i sm" viewBox="0 0 20 20" aria-hidden="true"><path d="M8 5.500h.01M8 10h.01M8 14.500h.01M12 5.500h.01M12 10h.01M12 14.500h.01" stroke-width="2" /></svg>`;
export const MarkChip = ({ mark }) => mark && html`<span class=${`chip ${TONES[mark]}`}>${MARKS[mark]}</span>`;

/** What each part of the inspector gets.
 * @typedef {{ draft: import("./schema-draft.js").Draft, type: any, route: any, session: any, onDialog: (dialog: any) => void, onShow: (place: any) => void, onSelect: (name: string) => void, onRemove: (type: any) => void, phone: boolean }} Props */

/** @param {Props} props */
export function Inspector(props) {
  const { draft, type, route, session, onDialog, onShow, onRemove } = props;
  const { changes } = draft;
  const [kind, tone] = KINDS[type.kind] ?? [type.kind, ""];
  const mark = changes.types.get(type.name);
  const [pending, setPending] = useState("");
  const isModel = type.kind === "model";
  const indexes = type.keys.filter((/** @type {any} */ key) => !key.primary).length;
  const options = [{ value: "fields", text: "Fields" }, ...(isModel ? [{ value: "keys", text: html`Keys <span class="faint num">${type.keys.length}</span>` }, { value: "rules", text: html`Rules <span class="faint num">${type.rules.length}</span>` }, { value: "api", text: "API" }] : [])];
  const tab = options.some((one) => one.value === route.query.tab) ? route.query.tab : "fields";
  const parts = { ...props, onPending: setPending };
  const count = isModel && draft.base.model && changes.was.get(type.name);
  const menu = () => [
    mark && { text: mark === "added" ? "Undo: remove it again" : "Undo the changes of this type", icon: "undo", run: () => mayEdit(draft) && void undoType(draft, type) },
    { text: "Rename…", icon: "query", disabled: draft.locked || undefined, run: () => onDialog({ kind: "rename" }) },
    { text: "Description…", icon: "book", disabled: draft.locked || undefined, run: () => onDialog({ kind: "describe" }) },
    isModel && { text: "What is generated…", icon: "list", disabled: draft.locked || undefined, run: () => onDialog({ kind: "settings" }) },
    type.namePlace && { text: "Show in the file", icon: "schema", run: () => onShow({ file: type.namePlace.file, line: type.namePlace.line }) },
    count && session.capabilities.includes("data") && { text: "Open in Data", icon: "data", href: href(`/data/${encodeURIComponent(count.name)}`) },
    { line: true },
    { text: `Remove ${type.name}…`, icon: "trash", danger: true, disabled: draft.locked || undefined, run: () => onRemove(type) },
  ];
  const others = !isModel && !["enum", "custom"].includes(type.kind);
  return html`<aside class="panel inspector" aria-label=${type.name}>
    <${Split} name="schema" label="Width of the inspector" min=${380} initial=${476} />
    <header><h2 class="cut">${type.name}</h2><span class=${`chip ${tone}`}>${kind}</span><${MarkChip} mark=${mark} /><span class="grow"></span>
      ${count && session.capabilities.includes("data") && html`<a class="btn plain no-phone" href=${href(`/data/${encodeURIComponent(count.name)}`)}>Open in Data</a>`}
      <${Menu} class="btn plain icon" label=${`More about ${type.name}`} button=${html`<${Icon} name="more" />`} entries=${menu} /></header>
    ${type.description && html`<p class="described quiet">${type.description}</p>`}
    ${isModel && html`<${Tabs} label=${`Parts of ${type.name}`} id="inspect" value=${tab} options=${options} onChange=${(/** @type {string} */ next) => setQuery({ tab: next === "fields" ? "" : next, type: type.name }, true)} />`}
    <${isModel ? TabPanel : "div"} id="inspect" value=${tab} class="scroll">
      ${tab === "keys" ? html`<${Keys} ...${parts} />` : tab === "rules" ? html`<${Rules} ...${parts} />` : tab === "api" ? html`<${API} ...${parts} />`
        : type.kind === "enum" ? html`<${Values} ...${parts} />`
        : others ? html`<p class="note quiet">This type is edited in the file.</p><p><button class="btn" onClick=${() => type.namePlace && onShow({ file: type.namePlace.file, line: type.namePlace.line })}>Show in the file</button></p>`
        : html`<${Fields} ...${parts} />${isModel && html`<${Relationships} ...${parts} />`}`}
      ${indexes >= 0 && html`<${FileFigure} draft=${draft} type=${type} pending=${pending} onShow=${onShow} />`}
    <//>
  </aside>`;
}

// Fields --------------------------------------------------------------------------------------------------------------

/** The types that a field may have. @param {any} model @param {(name: string) => void} choose @param {string} now @param {(name: string) => void} [relate] */
export function typeChoices(model, choose, now, relate) {
  const named = (/** @type {string[]} */ names) => names.map((name) => ({ text: name, checked: name === now, run: () => choose(name) }));
  const enums = typesOfKind(model, "enum").map((/** @type {any} */ one) => one.name);
  const custom = typesOfKind(model, "custom").map((/** @type {any} */ one) => one.name);
  const models = typesOfKind(model, "model").map((/** @type {any} */ one) => one.name);
  return [{ heading: "Scalars" }, ...named(SCALARS), enums.length && { heading: "Enums" }, ...named(enums), custom.length && { heading: "Custom types" }, ...named(custom),
    relate && models.length && { heading: "Relationships" }, ...(relate ? models.map((/** @type {string} */ name) => ({ text: `${name}…`, icon: "link", run: () => relate(name) })) : [])];
}

function Fields({ draft, type, onDialog, onPending, phone }) {
  const { model, changes } = draft;
  const [adding, setAdding] = useState(false);
  const shown = type.fields.filter((/** @type {any} */ field) => isAttribute(model, type, field));
  const gone = (changes.gone.get(type.name) ?? []).filter((field) => isAttribute(draft.base.model, changes.was.get(type.name), field));
  const list = useRef(/** @type {any} */ (null));
  const names = type.fields.map((/** @type {any} */ one) => one.name);
  // An empty type begins with its first field.
  const isNew = changes.types.get(type.name) === "added" && shown.length <= 1 && !draft.locked;
  useEffect(() => {
    if (isNew && !phone) setAdding(true);
  }, []);
  const order = reordering(draft, list, names, shown.map((/** @type {any} */ one) => one.name), (name, after) => draft.tryEdit({ kind: "moveField", type: type.name, field: name, after }, `Move ${type.name}.${name}`));
  const label = type.kind === "model" ? "Fields" : `Fields of ${type.name}`;
  return html`
    <div class="fh" aria-hidden="true"><span></span><span>Name</span><span class="ty-head">Type</span><span class="rq-head">Required</span><span></span></div>
    <ul class="fs" ref=${list} aria-label=${label}>
      ${shown.map((/** @type {any} */ field) => html`<${FieldRow} key=${field.name} draft=${draft} type=${type} field=${field} names=${names} onDialog=${onDialog} order=${order} />`)}
      ${gone.map((field) => html`<li key=${`-${field.name}`} class="removed"><span></span><span class="mono fn"><s>${field.name}</s><span class="vh"> removed</span></span><span class="mono gone-type">${fieldType(field)}</span><span></span><button class="btn plain icon" aria-label=${`Undo: restore ${field.name}`} title="Restore" onClick=${() => mayEdit(draft) && restoreField(draft, type, field)}><${Icon} name="undo" small /></button></li>`)}
      ${adding && html`<${NewField} draft=${draft} type=${type} names=${names} onPending=${onPending} onClose=${() => setAdding(false)} onRelate=${(/** @type {any} */ more) => { setAdding(false); onDialog({ kind: "relationship", ...more }); }} />`}
    </ul>
    ${!adding && html`<button class="btn plain add-field" data-add-field aria-disabled=${draft.locked ? "true" : undefined} title=${draft.locked || undefined} onClick=${() => mayEdit(draft) && setAdding(true)}><${Icon} name="plus" small />Add a field</button>`}`;
}

/** Members in another order: by Alt and an arrow, by the menu, or by dragging.
 * @param {import("./schema-draft.js").Draft} draft @param {{ current: any }} list of rows with `data-field` @param {string[]} names of all members @param {string[]} shown those with a row
 * @param {(name: string, after: string | null) => Promise<any>} edit */
function reordering(draft, list, names, shown, edit) {
  const place = async (/** @type {string} */ name, /** @type {string | null} */ after) => {
    if (mayEdit(draft) && (await edit(name, after))) list.current?.querySelector(`[data-field="${name}"] button:is(.fn, .more)`)?.focus();
  };
  const before = (/** @type {string} */ name) => names[names.indexOf(name) - 1] ?? null;
  const move = (/** @type {string} */ name, /** @type {number} */ by) => {
    const other = shown[shown.indexOf(name) + by];
    if (other) place(name, by > 0 ? other : before(other));
  };
  return {
    move,
    keyDown: (/** @type {KeyboardEvent} */ event, /** @type {string} */ name) => {
      const by = event.altKey ? { ArrowUp: -1, ArrowDown: 1 }[event.key] : undefined;
      if (!by) return;
      event.preventDefault();
      move(name, by);
    },
    drag: (/** @type {PointerEvent} */ event, /** @type {string} */ name) => {
      if (!mayEdit(draft)) return;
      event.preventDefault();
      const rows = /** @type {HTMLElement[]} */ ([...list.current.querySelectorAll("li[data-field]")]);
      /** @type {any} */ let target;
      const over = (/** @type {PointerEvent} */ at) => {
        rows.forEach((row) => row.classList.remove("drop-before", "drop-after"));
        const row = rows.find((one) => at.clientY < one.getBoundingClientRect().bottom) ?? rows[rows.length - 1];
        const box = row.getBoundingClientRect();
        const after = at.clientY > box.top + box.height / 2;
        row.classList.add(after ? "drop-after" : "drop-before");
        target = { name: row.dataset.field, after };
      };
      const end = () => {
        removeEventListener("pointermove", over);
        rows.forEach((row) => row.classList.remove("drop-before", "drop-after"));
        if (target && target.name !== name) place(name, target.after ? target.name : before(target.name));
      };
      addEventListener("pointermove", over);
      addEventListener("pointerup", end, { once: true });
    },
    entries: (/** @type {string} */ name) => [
      name !== shown[0] && { text: "Move up", icon: "up", detail: option("↑"), disabled: draft.locked || undefined, run: () => move(name, -1) },
      name !== shown[shown.length - 1] && { text: "Move down", icon: "down", detail: option("↓"), disabled: draft.locked || undefined, run: () => move(name, 1) },
    ],
  };
}

function FieldRow({ draft, type, field, names, onDialog, order }) {
  const path = `${type.name}.${field.name}`;
  const mark = draft.changes.fields.get(path);
  const { locked } = draft;
  const [renaming, setRenaming] = useState(false);
  const isFunction = field.functions?.length > 0;
  const change = (/** @type {any} */ part, /** @type {string} */ what) => mayEdit(draft) && draft.tryEdit({ kind: "changeField", type: type.name, field: field.name, change: part }, `${what} ${path}`);
  const text = field.list ? fieldType({ ...field, required: false }) : field.type;
  const remove = async () => {
    if (!mayEdit(draft)) return;
    const { removeField } = await import("./schema-actions.js");
    await removeField(draft, type, field);
  };
  const hints = [field.key && "Part of the primary key", field.default !== null && field.default !== undefined && `Default ${field.default}`, field.description, field.rules?.length > 0 && plural(field.rules.length, "field rule"), isFunction && `Function ${field.functions.join(", ")}`].filter(Boolean);
  return html`<li class=${mark ?? ""} data-field=${field.name} onKeyDown=${(/** @type {KeyboardEvent} */ event) => order.keyDown(event, field.name)}>
    <span class="grip-handle" aria-hidden="true" onPointerDown=${(/** @type {PointerEvent} */ event) => order.drag(event, field.name)}><${Grip} /></span>
    <span class="name-cell">${renaming ? html`<${Rename} draft=${draft} type=${type} field=${field} names=${names} onClose=${() => setRenaming(false)} />`
      : html`<button class="fn mono cut" aria-label=${`Rename ${field.name}`} title=${hints.length ? hints.join(". ") : undefined} aria-disabled=${locked ? "true" : undefined} onClick=${() => mayEdit(draft) && setRenaming(true)}>${field.name}</button>`}
      ${field.key && !renaming && html`<span class="faint" title="Part of the primary key"><${Icon} name="key" small /><span class="vh">Part of the primary key</span></span>`}
      ${mark && !renaming && html`<span class="vh">, ${MARKS[mark]}</span><button class="btn plain icon undo-change" aria-label=${`Undo the change of ${field.name}`} title="Undo this change" onClick=${() => mayEdit(draft) && undoField(draft, type, field)}><${Icon} name="undo" small /></button>`}</span>
    ${isFunction || field.kind === "unknown" ? html`<span class="mono cut gone-type">${fieldType(field)}</span>`
      : html`<${Menu} class="select mono" disabled=${Boolean(locked)} label=${`Type of ${field.name}: ${text}`} button=${html`<span class=${`cut kind-${field.kind}`}>${text}</span><span class="grow"></span><${Icon} name="down" small class="faint" />`} search="Search types"
          entries=${() => typeChoices(draft.model, (name) => name !== field.type && change({ type: name }, "Change the type of"), field.type)} />`}
    <label class="rq"><input class="switch" type="checkbox" role="switch" checked=${field.required} disabled=${locked || field.key || isFunction ? true : undefined} aria-label=${`${field.name} is required`} onChange=${async (event) => { const wanted = event.target.checked; if (!(await change({ required: wanted }, wanted ? "Require" : "Make optional"))) event.target.checked = field.required; }} /></label>
    <${Menu} class="btn plain icon" label=${`More about ${field.name}`} button=${html`<${Icon} name="more" small />`} entries=${() => [
      { text: "Edit…", icon: "list", disabled: locked || undefined, run: () => onDialog({ kind: "field", field }) },
      { text: "Rename", icon: "query", disabled: locked || undefined, run: () => mayEdit(draft) && setRenaming(true) },
      { text: "Description…", icon: "book", disabled: locked || undefined, run: () => onDialog({ kind: "describe", member: field }) },
      type.kind === "model" && { text: "Rules of this field…", icon: "lock", disabled: locked || undefined, run: () => onDialog({ kind: "rule", field }) },
      { line: true },
      ...order.entries(field.name),
      mark && { text: "Undo this change", icon: "undo", run: () => mayEdit(draft) && void undoField(draft, type, field) },
      { line: true },
      { text: "Remove", icon: "trash", danger: true, disabled: locked || undefined, run: remove },
    ]} /></li>`;
}

function Rename({ draft, type, field, names, onClose }) {
  const [text, setText] = useState(field.name);
  const input = useRef(/** @type {any} */ (null));
  const wrong = text === field.name ? "" : wrongName(text, "A field", names);
  useEffect(() => void input.current?.select(), []);
  const done = useRef(false);
  const end = async (/** @type {boolean} */ keep) => {
    if (done.current) return;
    if (keep && wrong) return;
    done.current = true;
    onClose();
    if (!keep || text === field.name) return;
    // A field that was never deployed has no values to keep.
    const keepingData = draft.changes.fields.get(`${type.name}.${field.name}`) !== "added" && type.kind === "model";
    await draft.tryEdit({ kind: "renameField", type: type.name, field: field.name, to: text, keepingData }, `Rename ${type.name}.${field.name} to ${text}`);
  };
  return html`<span class="grow rename"><input ref=${input} class=${`input mono${wrong ? " bad" : ""}`} value=${text} aria-label=${`New name of ${field.name}`} aria-describedby=${wrong ? "rename-wrong" : undefined} spellcheck=${false} autocomplete="off" onInput=${(event) => setText(event.target.value.trim())} onBlur=${() => end(!wrong)}
    onKeyDown=${(/** @type {KeyboardEvent} */ event) => {
      if (event.key === "Enter") end(true);
      else if (event.key === "Escape") end(false);
      else return;
      event.preventDefault();
      event.stopPropagation();
      if (!wrong || event.key === "Escape") setTimeout(() => /** @type {any} */ (document.querySelector(`[data-field="${text}"] .fn, [data-field="${field.name}"] .fn`))?.focus(), 120);
    }} />${wrong && html`<span class="wrong" id="rename-wrong" role="alert">${wrong}</span>`}</span>`;
}

/** The row in which a field is added; it stays for the next one. */
function NewField({ draft, type, names, onPending, onClose, onRelate }) {
  const [name, setName] = useState("");
  const [chosen, setChosen] = useState("String");
  const [required, setRequired] = useState(false);
  const [wrong, setWrong] = useState("");
  const input = useRef(/** @type {any} */ (null));
  const taken = name ? wrongName(name, "A field", names) : "";
  useEffect(() => {
    // After a dialog that closes has given the focus back.
    let turns = 0;
    const timer = setInterval(() => {
      turns += 1;
      if (document.querySelector("dialog[open]")) turns = 0;
      input.current?.focus();
      if (turns > 2) clearInterval(timer);
    }, 20);
    return () => {
      clearInterval(timer);
      onPending("");
    };
  }, []);
  useEffect(() => void onPending(name && !taken ? `${name}: ${chosen}${required ? "!" : ""}` : ""), [name, chosen, required, taken]);
  const add = async () => {
    if (!name) return setWrong("A field needs a name.");
    if (taken) return setWrong(taken);
    try {
      await draft.edit({ kind: "addField", type: type.name, field: { name, type: chosen, required, list: false } }, `Add field ${type.name}.${name}`);
      setName("");
      setChosen("String");
      setWrong("");
      input.current?.focus();
    } catch (error) {
      setWrong(`${/** @type {any} */ (error).message}${/** @type {any} */ (error).hint ? ` ${/** @type {any} */ (error).hint}` : ""}`);
    }
  };
  const keys = (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "Enter" && /** @type {Element} */ (event.target).tagName === "INPUT") {
      event.preventDefault();
      add();
    } else if (event.key === "Escape") {
      event.preventDefault();
      event.stopPropagation();
      onClose();
      setTimeout(() => /** @type {any} */ (document.querySelector("[data-add-field]"))?.focus(), 0);
    }
  };
  const message = wrong || taken;
  return html`<li class="new" onKeyDown=${keys}>
    <span></span><input ref=${input} class=${`input mono${message ? " bad" : ""}`} placeholder="name" aria-label="Name of the new field" aria-describedby=${message ? "new-wrong" : undefined} spellcheck=${false} autocomplete="off" autocapitalize="off" value=${name} onInput=${(event) => { setName(event.target.value.trim()); setWrong(""); }} />
    <${Menu} class="select mono" label=${`Type of the new field: ${chosen}`} button=${html`<span class="cut">${chosen}</span><span class="grow"></span><${Icon} name="down" small class="faint" />`} search="Search types" entries=${() => typeChoices(draft.model, setChosen, chosen, type.kind === "model" ? (target) => onRelate({ target, field: name, required }) : undefined)} />
    <label class="rq"><input class="switch" type="checkbox" role="switch" checked=${required} aria-label="The new field is required" onChange=${(event) => setRequired(event.target.checked)} /></label>
    <button class="btn plain icon" type="button" aria-label="Cancel the new field" onClick=${onClose}><${Icon} name="x" small /></button>
    <div class="new-more">${message && html`<p class="wrong" id="new-wrong" role="alert">${message}</p>`}<button class="btn low" type="button" onClick=${add}>Add field</button><span class="faint small no-phone"><kbd class="kbd">↵</kbd> adds it and begins the next</span></div></li>`;
}

// Relationships -------------------------------------------------------------------------------------------------------

function Relationships({ draft, type, onDialog, onSelect, onShow }) {
  const { model, changes } = draft;
  const list = relationshipsOf(model, type.name);
  const was = changes.was.get(type.name);
  const gone = (changes.gone.get(type.name) ?? []).filter((field) => was && relationOf(draft.base.model, was.name, field.name));
  const remove = async (/** @type {any} */ one) => {
    if (!mayEdit(draft)) return;
    const { removeRelationship } = await import("./schema-actions.js");
    await removeRelationship(draft, one);
  };
  const required = (/** @type {any} */ one, /** @type {boolean} */ wanted) => mayEdit(draft) && draft.tryEdit({ kind: "changeField", type: type.name, field: one.field, change: { required: wanted } }, `${wanted ? "Require" : "Make optional"} ${type.name}.${one.field}`);
  return html`<section class="blk" aria-labelledby="relations"><header><h3 class="grow" id="relations">Relationships</h3><button class="btn plain low" aria-disabled=${draft.locked ? "true" : undefined} title=${draft.locked || undefined} onClick=${() => onDialog({ kind: "relationship" })}><${Icon} name="plus" small />Add<span class="vh"> a relationship</span></button></header>
    ${list.length + gone.length === 0 && html`<p class="quiet small">None. A relationship leads from a ${type.name} to items of another model.</p>`}
    ${list.map((/** @type {any} */ one) => {
      const mark = changes.fields.get(`${type.name}.${one.field}`);
      const field = type.fields.find((/** @type {any} */ each) => each.name === one.field);
      const target = html`<a href=${href("/schema", { type: one.target })} onClick=${(/** @type {MouseEvent} */ event) => { if (event.metaKey || event.ctrlKey) return; event.preventDefault(); onSelect(one.target); }}>${one.has === "many" ? hasWords("many", one.target).slice(5) : one.target}</a>`;
      const back = backSentence(one);
      return html`<div key=${one.field} class=${`say ${mark ?? ""}`}><${Icon} name="link" small class="faint" />
        <span class="grow">Each ${type.name} has ${one.has === "many" ? "many" : "one"} ${target}, as <code>${one.field}</code>${one.required ? ", always" : ""}.<br />
          <span class="quiet">${one.index ? html`By key <code>${one.index}</code>. ` : one.keyFields.length ? html`By <code>${one.keyFields.join(", ")}</code>. ` : ""}${back}${back.endsWith("as ") ? html`<code>${one.reverseField}</code>.` : ""}</span></span>
        <${MarkChip} mark=${mark} />
        <${Menu} class="btn plain icon" label=${`More about ${one.field}`} button=${html`<${Icon} name="more" small />`} entries=${() => [
          one.has === "one" && { text: one.required ? "Make optional" : "Make required", icon: "check", disabled: draft.locked || undefined, run: () => required(one, !one.required) },
          { text: "Rename…", icon: "query", disabled: draft.locked || undefined, run: () => onDialog({ kind: "rename", field }) },
          { text: `Open ${one.target}`, icon: "data", run: () => onSelect(one.target) },
          field?.namePlace && { text: "Show in the file", icon: "schema", run: () => onShow({ file: field.namePlace.file, line: field.namePlace.line }) },
          { line: true }, { text: "Remove…", icon: "trash", danger: true, disabled: draft.locked || undefined, run: () => remove(one) },
        ]} /></div>`;
    })}
    ${gone.map((field) => html`<div key=${`-${field.name}`} class="say removed"><${Icon} name="link" small class="faint" /><span class="grow"><s><code>${field.name}</code></s> to ${field.type} is removed.</span><button class="btn plain icon" aria-label=${`Undo: restore ${field.name}`} onClick=${() => mayEdit(draft) && restoreField(draft, type, field)}><${Icon} name="undo" small /></button></div>`)}
  </section>`;
}

// Enums ---------------------------------------------------------------------------------------------------------------

function Values({ draft, type, onDialog, onPending }) {
  const { changes } = draft;
  const [name, setName] = useState("");
  const [wrong, setWrong] = useState("");
  const names = type.values.map((/** @type {any} */ one) => one.name);
  const taken = name ? wrongName(name, "A value", names) : "";
  useEffect(() => void onPending(name && !taken ? name : ""), [name, taken]);
  const add = async () => {
    if (!name) return;
    if (taken || !mayEdit(draft)) return setWrong(taken);
    try {
      await draft.edit({ kind: "addEnumValue", type: type.name, value: name }, `Add value ${type.name}.${name}`);
      setName("");
      setWrong("");
    } catch (error) {
      setWrong(/** @type {any} */ (error).message);
    }
  };
  const remove = (/** @type {string} */ value) => mayEdit(draft) && draft.edit({ kind: "removeEnumValue", type: type.name, value }, `Remove value ${type.name}.${value}`).catch((error) => toastError(error, "Not removed"));
  const message = wrong || taken;
  const list = useRef(/** @type {any} */ (null));
  const order = reordering(draft, list, names, names, (value, after) => draft.tryEdit({ kind: "moveEnumValue", type: type.name, value, after }, `Move ${type.name}.${value}`));
  return html`<ul class="fs values" ref=${list} aria-label=${`Values of ${type.name}`}>
      ${type.values.map((/** @type {any} */ one) => {
        const mark = changes.fields.get(`${type.name}.${one.name}`);
        return html`<li key=${one.name} class=${mark ?? ""} data-field=${one.name} onKeyDown=${(/** @type {KeyboardEvent} */ event) => order.keyDown(event, one.name)}>
          <span class="grip-handle" aria-hidden="true" onPointerDown=${(/** @type {PointerEvent} */ event) => order.drag(event, one.name)}><${Grip} /></span><span class="mono cut grow" title=${one.description ?? undefined}>${one.name}</span><${MarkChip} mark=${mark} /><${Menu} class="btn plain icon more" label=${`More about ${one.name}`} button=${html`<${Icon} name="more" small />`} entries=${() => [
          { text: "Rename…", icon: "query", disabled: draft.locked || undefined, run: () => onDialog({ kind: "rename", value: one }) }, { text: "Description…", icon: "book", disabled: draft.locked || undefined, run: () => onDialog({ kind: "describe", member: one }) },
          { line: true }, ...order.entries(one.name), { line: true }, { text: "Remove", icon: "trash", danger: true, disabled: draft.locked || undefined, run: () => remove(one.name) }]} /></li>`;
      })}
    </ul>
    ${!draft.locked && html`<form class="row add-value" onSubmit=${(/** @type {Event} */ event) => { event.preventDefault(); add(); }}><input class=${`input mono${message ? " bad" : ""}`} aria-label="New value" placeholder="NEW_VALUE" spellcheck=${false} autocomplete="off" aria-describedby=${message ? "value-wrong" : undefined} value=${name} onInput=${(event) => { setName(event.target.value.trim()); setWrong(""); }} /><button class="btn" type="submit"><${Icon} name="plus" small />Add value</button></form>`}
    ${message && html`<p class="wrong" id="value-wrong" role="alert">${message}</p>`}`;
}

// The text ------------------------------------------------------------------------------------------------------------

/** The definition in the file, with what the draft adds and removes. */
function FileFigure({ draft, type, pending, onShow }) {
  const { files, base } = draft;
  const found = useMemo(() => allDefinitions(files).find((one) => one.name === type.name), [files, type.name]);
  const lines = useMemo(() => {
    if (!found) return [];
    const text = files[found.file];
    const [a, b] = [linesOf(base.files[found.file] ?? ""), linesOf(text)];
    const [from, to] = [placeOf(text, found.start).line, placeOf(text, found.end).line];
    /** @type {{ kind: string, text: string, line: number | null }[]} */ const out = [];
    const differing = hunks(a, b);
    const bare = (/** @type {string} */ line) => line.replace(/[\r\n]+$/, "");
    for (let n = from; n <= to; n += 1) {
      const hunk = differing.find((one) => one.b[0] === n);
      // A removed definition that stood before this one is not part of it.
      if (hunk && n > from) for (let m = hunk.a[0]; m < hunk.a[1]; m += 1) out.push({ kind: "-", text: bare(a[m]), line: null });
      out.push({ kind: differing.some((one) => one.b[0] <= n && n < one.b[1]) ? "+" : "", text: bare(b[n] ?? ""), line: n + 1 });
    }
    return out;
  }, [files, base, found]);
  const box = useRef(/** @type {any} */ (null));
  useEffect(() => {
    const first = box.current?.querySelector(".pending, .add, .del");
    if (first) box.current.scrollTop = first.offsetTop - 66;
  }, [lines, pending]);
  const count = useMemo(() => differenceCount(Object.values(base.files).join("\n"), Object.values(files).join("\n")), [files, base]);
  if (!found) return null;
  const last = lines.length - 1;
  const path = draft.schema.files.find((/** @type {any} */ one) => one.name === found.file)?.path ?? found.file;
  const state = startState();
  const row = (/** @type {any} */ one, /** @type {any} */ key) => html`<div key=${key} class=${{ "+": "add", "-": "del" }[one.kind] ?? ""}><span class="no" aria-hidden="true">${one.kind === "-" ? "−" : one.kind}</span><span class="no" aria-hidden="true">${one.line ?? ""}</span>${colouredLine(one.text, one.kind === "-" ? startState() : state)}</div>`;
  const indent = /^\s*/.exec(lines[last - 1]?.text ?? "  ")?.[0] || "  ";
  const oneLine = lines.length === 1;
  return html`<figure class="file"><header><span class="grow cut" title=${path}>${shortPath(path)}</span>
      ${count.added > 0 && html`<span class="num tone-moss">+${count.added}</span>`}${count.removed > 0 && html`<span class="num tone-brick">−${count.removed}</span>`}
      <button class="btn plain icon" aria-label="Show in the file" title="Show in the file" onClick=${() => onShow({ file: found.file, line: placeOf(files[found.file], found.nameStart).line + 1 })}><${Icon} name="open" small /></button><${CopyButton} label="Copy the definition" text=${() => files[found.file].slice(found.start, found.end)} /></header>
    <pre tabindex="0" role="region" ref=${box} aria-label=${`${type.name} in ${found.file}`}>
      ${(oneLine ? lines : lines.slice(0, last)).map(row)}
      ${pending && html`<div class="add pending"><span class="no" aria-hidden="true">+</span><span class="no"></span>${colouredLine(indent + pending)}</div>`}
      ${!oneLine && lines[last] && row(lines[last], "last")}
    </pre></figure>`;
}
/** The last two parts of a path. @param {string} path */
const shortPath = (path) => path.split("/").slice(-2).join("/");
