// The dialogs of the modeller. Each shows what it writes before it writes it, and keeps a refusal beside what was typed.

import { html, useEffect, useMemo, useRef, useState } from "../preact-htm.js";
import { Dialog } from "../kit/dialog.js";
import { Icon } from "../kit/icons.js";
import { Menu } from "../kit/menu.js";
import { OPERATIONS, WHO, fieldType, hasWords, joined, keyServes, lowerFirst, operationsOf, pluralOf, typesOfKind, upperFirst, whoOf, whoWords, wrongName } from "./schema-model.js";
import { typeChoices } from "./schema-inspector.js";
import { colouredLine } from "./schema-sdl.js";
import { differenceLines } from "./schema-text.js";

/** @typedef {{ draft: import("./schema-draft.js").Draft, model: any, type: any, onClose: () => void, onSelect: (name: string) => void }} Props */

/** An edit that is sent by a form, with the refusal to show. @param {import("./schema-draft.js").Draft} draft @param {() => void} onClose */
function useSending(draft, onClose) {
  const [state, setState] = useState(/** @type {any} */ ({}));
  const submit = async (/** @type {any} */ edit, /** @type {string} */ label, /** @type {() => void} */ then = () => {}) => {
    setState({ busy: true });
    try {
      await draft.edit(edit, label);
      onClose();
      then();
    } catch (error) {
      setState({ error });
    }
  };
  const fail = (/** @type {string} */ message) => setState({ error: { message } });
  return { busy: state.busy, error: state.error, submit, fail, clear: () => state.error && setState({}) };
}
const Wrong = ({ error }) => error && html`<p class="wrong sending" role="alert">${error.message}${error.hint && ` ${error.hint}`}${error.details?.place?.line ? ` (line ${error.details.place.line})` : ""}</p>`;
const Buttons = ({ verb, busy = false, onClose, disabled = false }) => html`<button class="btn main" type="submit" disabled=${busy || disabled}>${verb}</button><button class="btn" type="button" onClick=${onClose}>Cancel</button>`;

/** What an edit would write. @param {{ draft: import("./schema-draft.js").Draft, edit: any }} props */
function Preview({ draft, edit }) {
  const [state, setState] = useState(/** @type {any} */ ({ lines: [] }));
  const key = JSON.stringify(edit);
  useEffect(() => {
    if (!edit) return setState({ lines: [] });
    const abort = new AbortController();
    const timer = setTimeout(() => draft.preview(edit, abort.signal).then(
      (files) => setState({ lines: Object.keys(files).flatMap((name) => differenceLines(draft.files[name] ?? "", files[name], 1)) }),
      (error) => error.name !== "AbortError" && setState({ lines: [], error }),
    ), 120);
    return () => {
      clearTimeout(timer);
      abort.abort();
    };
  }, [key]);
  return html`<div class="writes" aria-live="polite"><h3>Writes</h3>${state.error ? html`<p class="wrong">${state.error.message}${state.error.hint && ` ${state.error.hint}`}</p>`
    : html`<${Lines} lines=${state.lines} label="What is written" />`}</div>`;
}
/** Lines of a difference. @param {{ lines: any[], label: string }} props */
export function Lines({ lines, label }) {
  return html`<pre class="diff" tabindex="0" role="region" aria-label=${label}>${lines.map((one, /** @type {number} */ n) => html`<div key=${n} class=${{ "+": "add", "-": "del", "…": "skip" }[one.kind] ?? ""}><span class="no" aria-hidden="true">${one.kind === "-" ? "−" : one.kind === "+" ? "+" : ""}</span>${one.kind === "…" ? html`<span class="faint">…</span>` : colouredLine(one.text)}</div>`)}</pre>`;
}

// Types ---------------------------------------------------------------------------------------------------------------

const KINDS = [["model", "Model", "Items with a table, an API and subscriptions."], ["enum", "Enum", "One of a few values."], ["custom", "Custom type", "A group of fields inside an item."]];
const ACCESS = [{ value: "public", text: "Everyone with the API key", rules: [{ allow: "public" }] }, { value: "private", text: "Signed-in users", rules: [{ allow: "private" }] }, { value: "owner", text: "Each item’s owner", rules: [{ allow: "owner" }] }, { value: "none", text: "No rule", rules: [] }];

/** @param {Props & { of?: string }} props */
export function AddType({ draft, model, onClose, onSelect, of }) {
  const [kind, setKind] = useState(KINDS.some(([value]) => value === of) ? of : "model");
  const [name, setName] = useState("");
  const [values, setValues] = useState("");
  const [first, setFirst] = useState("");
  const models = typesOfKind(model, "model");
  // A new model has the rules that the others have; the first one is public, as Amplify's Admin UI makes it.
  const common = useMemo(() => {
    const texts = models.map((/** @type {any} */ one) => JSON.stringify(one.rules.map((/** @type {any} */ rule) => rule.rule)));
    return texts.length && texts.every((/** @type {string} */ one) => one === texts[0]) ? JSON.parse(texts[0]) : null;
  }, []);
  const options = [...(common?.length && !ACCESS.some((one) => JSON.stringify(one.rules) === JSON.stringify(common)) ? [{ value: "common", text: `As the other models: ${joined(common.map(whoWords))}`, rules: common }] : []), ...ACCESS];
  const [access, setAccess] = useState(options.find((one) => JSON.stringify(one.rules) === JSON.stringify(common))?.value ?? "public");
  const sending = useSending(draft, onClose);
  const taken = model.types.map((/** @type {any} */ one) => one.name);
  const list = values.split(/[\s,]+/).filter(Boolean);
  const shown = upperFirst(name);
  const [touched, setTouched] = useState(false);
  const wrong = (touched || name) && wrongName(shown, "A type", taken);
  const edit = kind === "model" ? { kind: "addModel", name: shown, rules: options.find((one) => one.value === access)?.rules ?? [] } : kind === "enum" ? { kind: "addEnum", name: shown, values: list } : { kind: "addCustomType", name: shown, fields: [{ name: first, type: "String", required: false, list: false }] };
  const submit = () => {
    setTouched(true);
    if (wrongName(shown, "A type", taken)) return;
    if (kind === "enum" && list.length === 0) return sending.fail("An enum needs a value.");
    if (kind === "custom" && wrongName(first, "The first field")) return sending.fail(wrongName(first, "The first field"));
    sending.submit(edit, `Add ${kind === "custom" ? "custom type" : kind} ${shown}`, () => onSelect(shown));
  };
  return html`<${Dialog} title="Add a type" onClose=${onClose} onSubmit=${submit} footer=${html`<${Buttons} verb=${`Add ${kind === "custom" ? "custom type" : kind}`} busy=${sending.busy} onClose=${onClose} />`}>
    <fieldset class="picks"><legend class="vh">Kind of type</legend>${KINDS.map(([value, text, what]) => html`<label key=${value} class="pick"><input type="radio" name="kind" value=${value} checked=${kind === value} onChange=${() => { setKind(value); sending.clear(); }} /><span><b>${text}</b><br /><span class="quiet small">${what}</span></span></label>`)}</fieldset>
    <label class="field"><span>Name</span><input data-first class=${`input mono${wrong ? " bad" : ""}`} placeholder=${{ model: "Booking", enum: "RoomKind", custom: "Address" }[kind ?? "model"]} spellcheck=${false} autocomplete="off" aria-describedby=${wrong ? "type-wrong" : undefined} value=${name} onInput=${(event) => { setName(event.target.value.trim()); sending.clear(); }} /></label>
    ${wrong && html`<p class="wrong" id="type-wrong" role="alert">${wrong}</p>`}
    ${kind === "enum" && html`<label class="field"><span>Values, separated by spaces</span><input class="input mono" placeholder="SINGLE DOUBLE SUITE" spellcheck=${false} autocomplete="off" value=${values} onInput=${(event) => { setValues(event.target.value); sending.clear(); }} /></label>`}
    ${kind === "custom" && html`<label class="field"><span>First field</span><input class="input mono" placeholder="street" spellcheck=${false} autocomplete="off" value=${first} onInput=${(event) => { setFirst(event.target.value.trim()); sending.clear(); }} /></label>`}
    ${kind === "model" && html`<label class="field"><span>Who may read and change it</span><select class="input" value=${access} onChange=${(event) => setAccess(event.target.value)}>${options.map((one) => html`<option key=${one.value} value=${one.value}>${one.text}</option>`)}</select></label>`}
    <${Wrong} error=${sending.error} />
  <//>`;
}

/** Renames a type, a field or a value. @param {Props & { field?: any, value?: any }} props */
export function RenameDialog({ draft, model, type, field, value, onClose, onSelect }) {
  const subject = field ?? value ?? type;
  const [name, setName] = useState(subject.name);
  const sending = useSending(draft, onClose);
  const taken = field ? type.fields.map((/** @type {any} */ one) => one.name) : value ? type.values.map((/** @type {any} */ one) => one.name) : model.types.map((/** @type {any} */ one) => one.name);
  const wrong = name === subject.name ? "" : wrongName(name, value ? "A value" : field ? "A field" : "A type", taken);
  const isNew = draft.changes.types.get(type.name) === "added" || (field && draft.changes.fields.get(`${type.name}.${field.name}`) === "added");
  const keeps = type.kind === "model" && !value && (!field || field.stored);
  const submit = () => {
    if (wrong) return;
    if (name === subject.name) return onClose();
    if (value) return sending.submit({ kind: "renameEnumValue", type: type.name, value: value.name, to: name }, `Rename ${type.name}.${value.name}`);
    if (field) return sending.submit({ kind: "renameField", type: type.name, field: field.name, to: name, keepingData: keeps && !isNew }, `Rename ${type.name}.${field.name} to ${name}`);
    sending.submit({ kind: "renameType", type: type.name, to: name, keepingData: keeps && !isNew }, `Rename ${type.name} to ${name}`, () => onSelect(name));
  };
  const lead = isNew ? "It was never deployed: only the text changes." : value ? "Stored items keep the old value." : keeps ? `Items keep their ${field ? "values" : "data"}. App builds that use the old name break until they are built again.` : "App builds that use the old name break until they are built again.";
  return html`<${Dialog} title=${`Rename ${field ? `${type.name}.${field.name}` : subject.name}`} lead=${lead} onClose=${onClose} onSubmit=${submit} footer=${html`<${Buttons} verb="Rename" busy=${sending.busy} onClose=${onClose} />`}>
    <label class="field"><span>New name</span><input data-first class=${`input mono${wrong ? " bad" : ""}`} spellcheck=${false} autocomplete="off" aria-describedby=${wrong ? "name-wrong" : undefined} value=${name} onInput=${(event) => { setName(event.target.value.trim()); sending.clear(); }} /></label>
    ${wrong && html`<p class="wrong" id="name-wrong" role="alert">${wrong}</p>`}<${Wrong} error=${sending.error} /><//>`;
}

/** @param {Props & { member?: any }} props */
export function DescribeDialog({ draft, type, member, onClose }) {
  const subject = member ?? type;
  const [text, setText] = useState(subject.description ?? "");
  const sending = useSending(draft, onClose);
  const path = member ? `${type.name}.${member.name}` : type.name;
  return html`<${Dialog} title=${`Description of ${path}`} lead="For people who read the schema, and in the documentation of the API." onClose=${onClose}
    onSubmit=${() => sending.submit({ kind: "setDescription", type: type.name, ...(member ? { member: member.name } : {}), description: text.trim() ? text : null }, `Describe ${path}`)} footer=${html`<${Buttons} verb="Save description" busy=${sending.busy} onClose=${onClose} />`}>
    <textarea data-first class="input" rows="4" aria-label="Description" value=${text} onInput=${(event) => setText(event.target.value)}></textarea><${Wrong} error=${sending.error} /><//>`;
}

// Fields --------------------------------------------------------------------------------------------------------------

/** @param {Props & { field: any }} props */
export function EditField({ draft, model, type, field, onClose }) {
  const [part, setPart] = useState({ type: field.type, required: field.required, list: field.list, elementRequired: field.elementRequired, default: field.default ?? "" });
  const sending = useSending(draft, onClose);
  const set = (/** @type {any} */ more) => {
    setPart({ ...part, ...more });
    sending.clear();
  };
  const change = Object.fromEntries(Object.entries(part).filter(([name, value]) => value !== (name === "default" ? field.default ?? "" : field[name]) && !(name === "elementRequired" && !part.list)));
  if ("default" in change) change.default = part.default === "" ? null : part.default;
  const edit = { kind: "changeField", type: type.name, field: field.name, change };
  const path = `${type.name}.${field.name}`;
  const check = (/** @type {string} */ name, /** @type {string} */ text, disabled = false) => html`<label class="row check-row"><input class="check" type="checkbox" checked=${part[name]} disabled=${disabled || undefined} onChange=${(event) => set({ [name]: event.target.checked })} />${text}</label>`;
  return html`<${Dialog} title=${path} lead=${`${field.name}: ${fieldType({ ...field, ...part })}`} onClose=${onClose} onSubmit=${() => (Object.keys(change).length ? sending.submit(edit, `Change ${path}`) : onClose())} footer=${html`<${Buttons} verb="Change field" busy=${sending.busy} onClose=${onClose} />`}>
    <div class="field"><span id="field-type">Type</span><${Menu} class="select mono" label=${`Type: ${part.type}`} button=${html`<span>${part.type}</span><span class="grow"></span><${Icon} name="down" small class="faint" />`} search="Search types" entries=${() => typeChoices(model, (name) => set({ type: name }), part.type)} /></div>
    <div class="checks">${check("required", "Required: each item has a value", field.key)}${check("list", "A list of values", field.key)}${part.list && check("elementRequired", "Each element of the list has a value")}</div>
    ${model.version === 2 ? html`<label class="field"><span>Default</span><input class="input mono" value=${part.default} placeholder="none" onInput=${(event) => set({ default: event.target.value })} /></label>` : html`<p class="quiet small hint">Defaults need version 2 of the transformer.</p>`}
    <${Wrong} error=${sending.error} />${Object.keys(change).length > 0 && html`<${Preview} draft=${draft} edit=${edit} />`}
  <//>`;
}

// Relationships -------------------------------------------------------------------------------------------------------

/** Two questions, the sentence that they make, and the text. @param {Props & { target?: string, field?: string, required?: boolean }} props */
export function RelationshipDialog({ draft, model, type, target: wanted, field: named, required: needed, onClose }) {
  const models = typesOfKind(model, "model").map((/** @type {any} */ one) => one.name);
  const [target, setTarget] = useState(wanted ?? models.find((/** @type {string} */ one) => one !== type.name) ?? type.name);
  const [has, setHas] = useState("one");
  const [reverse, setReverse] = useState("none");
  const [field, setField] = useState(named ?? "");
  const [back, setBack] = useState("");
  const [required, setRequired] = useState(Boolean(needed));
  const [visible, setVisible] = useState(model.version === 2);
  const sending = useSending(draft, onClose);
  const self = target === type.name;
  const standard = lowerFirst(has === "many" ? pluralOf(target) : target);
  const standardBack = lowerFirst(reverse === "many" ? pluralOf(type.name) : type.name) + (self && reverse === has ? "Of" : "");
  const single = has === "one" || (has === "many" && reverse === "one");
  const canHide = has === "one" && reverse !== "many";
  const keyField = `${field || standard}ID`;
  const edit = { kind: "addRelationship", type: type.name, target, has, reverse, field: field || standard, ...(reverse !== "none" ? { reverseField: back || standardBack } : {}), ...(single && required ? { required: true } : {}), ...(canHide && visible ? { keyField, keyRequired: required } : {}) };
  const clear = sending.clear;
  const radio = (/** @type {string} */ name, /** @type {string} */ value, /** @type {string} */ now, /** @type {(value: any) => void} */ set, /** @type {any} */ text, first = false) => html`<label class="pick"><input type="radio" name=${name} value=${value} checked=${now === value} data-first=${first ? "" : undefined} onChange=${() => { set(value); clear(); }} /><span>${text}</span></label>`;
  const note = has === "one" && reverse === "one" ? "Two keys are stored, one on each side." : has === "many" && reverse === "many" ? (model.version === 2 ? `Items of a join table ${type.name}${target} lead to both sides.` : `A join model ${type.name}${target} is added, with a key to each side.`) : "";
  const asked = !field || wrongName(field, "A field");
  return html`<${Dialog} title=${`Add a relationship to ${type.name}`} wide onClose=${onClose} onSubmit=${() => sending.submit(edit, `Add relationship ${type.name}.${field || standard}`)} footer=${html`<${Buttons} verb="Add relationship" busy=${sending.busy} onClose=${onClose} />`}>
    <label class="field"><span>Leads to</span><select class="input" data-first value=${target} onChange=${(event) => { setTarget(event.target.value); clear(); }}>${models.map((/** @type {string} */ one) => html`<option key=${one} value=${one}>${one}</option>`)}</select></label>
    <div class="questions"><fieldset class="picks"><legend>Each ${type.name} has</legend>${radio("has", "one", has, setHas, hasWords("one", target))}${radio("has", "many", has, setHas, hasWords("many", target))}</fieldset>
    <fieldset class="picks"><legend>Each ${target} has</legend>${radio("reverse", "one", reverse, setReverse, hasWords("one", type.name))}${radio("reverse", "many", reverse, setReverse, hasWords("many", type.name))}${radio("reverse", "none", reverse, setReverse, "no reference")}</fieldset></div>
    <p class="sentence">Each ${type.name} has ${hasWords(has, target)}, as <code>${field || standard}</code>. ${reverse === "none" ? `A ${target} does not list its ${pluralOf(type.name)}.` : html`Each ${target} has ${hasWords(reverse, type.name)}, as <code>${back || standardBack}</code>.`}${note && ` ${note}`}</p>
    <div class="filter-form"><label class="field"><span>Field of ${type.name}</span><input class="input mono" placeholder=${standard} spellcheck=${false} autocomplete="off" value=${field} onInput=${(event) => { setField(event.target.value.trim()); clear(); }} /></label>
    ${reverse !== "none" && html`<label class="field"><span>Field of ${target}</span><input class="input mono" placeholder=${standardBack} spellcheck=${false} autocomplete="off" value=${back} onInput=${(event) => { setBack(event.target.value.trim()); clear(); }} /></label>`}</div>
    <div class="checks">${single && html`<label class="row check-row"><input class="check" type="checkbox" checked=${required} onChange=${(event) => { setRequired(event.target.checked); clear(); }} />Required: each ${has === "one" ? type.name : target} has one</label>`}
    ${canHide && html`<label class="row check-row"><input class="check" type="checkbox" checked=${visible} onChange=${(event) => { setVisible(event.target.checked); clear(); }} />Show its key as a field, <code>${keyField}</code></label>`}</div>
    <${Wrong} error=${sending.error} /><${Preview} draft=${draft} edit=${!field || !asked ? edit : null} />
  <//>`;
}

// Keys ----------------------------------------------------------------------------------------------------------------

/** @param {Props & { edited?: any, fields?: string[] }} props */
export function KeyDialog({ draft, model, type: given, edited, fields: wanted, onClose, onSelect }) {
  const models = typesOfKind(model, "model");
  const [name, setName] = useState(given?.kind === "model" ? given.name : models[0]?.name ?? "");
  const type = models.find((/** @type {any} */ one) => one.name === name);
  const usable = (type?.fields ?? []).filter((/** @type {any} */ one) => one.stored !== false && !one.list && (one.kind === "enum" || (one.kind === "scalar" && one.type !== "Boolean"))).map((/** @type {any} */ one) => one.name);
  const primary = Boolean(edited?.primary);
  const [fields, setFields] = useState(/** @type {string[]} */ (edited?.fields ?? (wanted ?? []).filter((one) => usable.includes(one))));
  const [index, setIndex] = useState(edited?.name ?? "");
  const [query, setQuery] = useState(edited?.queryField ?? "");
  const [hasQuery, setHasQuery] = useState(edited ? edited.queryField !== null : true);
  const sending = useSending(draft, onClose);
  if (!type) return html`<${Dialog} title="Add an index" lead="The schema has no model yet." onClose=${onClose} footer=${html`<button class="btn" type="button" onClick=${onClose}>Close</button>`} />`;
  const partition = fields[0] ?? usable.find((/** @type {string} */ one) => one !== "id") ?? usable[0];
  const chosen = [partition, ...fields.slice(1)].filter(Boolean);
  const standard = `by${chosen.map(upperFirst).slice(0, 2).join("And")}`;
  const standardQuery = `${lowerFirst(pluralOf(type.name))}By${chosen.map(upperFirst).slice(0, 2).join("And")}`;
  const key = primary ? { fields: chosen } : { name: index || standard, fields: chosen, queryField: hasQuery ? query || standardQuery : null };
  const edit = edited?.place || (edited && !primary) ? { kind: "changeKey", type: type.name, name: edited.name, key } : { kind: "addKey", type: type.name, key };
  const free = usable.filter((/** @type {string} */ one) => !chosen.includes(one));
  const done = () => {
    if (given?.name !== type.name) onSelect(type.name);
  };
  const select = (/** @type {string} */ label, /** @type {string} */ value, /** @type {string[]} */ list, /** @type {(value: string) => void} */ set, first = false) => html`<label class="field grow"><span>${label}</span><select class="input mono" data-first=${first ? "" : undefined} value=${value} onChange=${(event) => { set(event.target.value); sending.clear(); }}>${list.map((one) => html`<option key=${one} value=${one}>${one}</option>`)}</select></label>`;
  return html`<${Dialog} title=${edited ? `Edit ${primary ? "the primary key" : edited.name}` : `Add an index to ${type.name}`} wide onClose=${onClose} onSubmit=${() => sending.submit(edit, `${edited ? "Change" : "Add"} key ${type.name}.${key.name ?? "primary"}`, done)} footer=${html`<${Buttons} verb=${edited ? "Change key" : "Add index"} busy=${sending.busy} onClose=${onClose} />`}>
    ${!edited && models.length > 1 && select("Model", name, models.map((/** @type {any} */ one) => one.name), (value) => { setName(value); setFields([]); })}
    ${select(primary ? "Field" : "Items of one", partition, usable, (value) => setFields([value, ...chosen.slice(1).filter((one) => one !== value)]), true)}
    ${chosen.slice(1).map((one, n) => html`<div class="row sort" key=${one}>${select(n === 0 ? "Sorted by" : "Then by", one, [one, ...free], (value) => setFields(chosen.map((each, m) => (m === n + 1 ? value : each))))}<button class="btn plain icon" type="button" aria-label=${`Remove sort field ${one}`} onClick=${() => setFields(chosen.filter((each) => each !== one))}><${Icon} name="x" small /></button></div>`)}
    ${free.length > 0 && html`<button class="btn plain add-field" type="button" onClick=${() => setFields([...chosen, free[0]])}><${Icon} name="plus" small />Sort by a field</button>`}
    ${!primary && html`<div class="filter-form"><label class="field"><span>Name</span><input class="input mono" placeholder=${standard} spellcheck=${false} autocomplete="off" value=${index} onInput=${(event) => { setIndex(event.target.value.trim()); sending.clear(); }} /></label>
      <label class="field"><span>Query</span><input class="input mono" placeholder=${hasQuery ? standardQuery : "none"} disabled=${!hasQuery || undefined} spellcheck=${false} autocomplete="off" value=${query} onInput=${(event) => { setQuery(event.target.value.trim()); sending.clear(); }} /></label></div>
      <div class="checks"><label class="row check-row"><input class="check" type="checkbox" checked=${hasQuery} onChange=${(event) => setHasQuery(event.target.checked)} />Clients query it</label></div>`}
    <p class="sentence">Serves: ${lowerFirst(keyServes({ primary, fields: chosen }, type)).replace(/^all/, "all")}</p>
    <${Wrong} error=${sending.error} /><${Preview} draft=${draft} edit=${edit} />
  <//>`;
}

// Rules ---------------------------------------------------------------------------------------------------------------

/** @param {Props & { index?: number, field?: any }} props a rule of a type, or the only rule of a field */
export function RuleDialog({ draft, type, index, field, onClose }) {
  const all = (field ?? type).rules ?? [];
  const edited = field ? all[0] : index === undefined ? null : all[index];
  const old = edited?.rule;
  const oldWho = old ? whoOf(old) : null;
  const [who, setWho] = useState(oldWho ?? (old ? "as" : "owner"));
  const chosen = WHO.find((one) => one.value === who);
  const [value, setValue] = useState(old && chosen?.field ? [old[chosen.field] ?? ""].flat().join(", ") : "");
  const [operations, setOperations] = useState(/** @type {string[]} */ (old ? operationsOf(old) : OPERATIONS));
  const sending = useSending(draft, onClose);
  const every = OPERATIONS.every((one) => operations.includes(one));
  const base = who === "as" ? Object.fromEntries(Object.entries(old).filter(([name]) => name !== "operations")) : { ...chosen?.rule, ...(who === oldWho && old.provider ? { provider: old.provider } : {}) };
  const rule = { ...base, ...(chosen?.field && (value || !chosen.standard) ? { [chosen.field]: chosen.list ? value.split(",").map((one) => one.trim()).filter(Boolean) : value } : {}), ...(who === "groupsField" && !value ? { groupsField: "groups" } : {}), ...(every ? {} : { operations: [...OPERATIONS.filter((one) => operations.includes(one)), ...operations.filter((one) => !OPERATIONS.includes(one))] }) };
  const rules = field ? [rule, ...all.slice(1).map((/** @type {any} */ one) => one.rule)] : index === undefined ? [...all.map((/** @type {any} */ one) => one.rule), rule] : all.map((/** @type {any} */ one, /** @type {number} */ n) => (n === index ? rule : one.rule));
  const edit = { kind: "setRules", type: type.name, ...(field ? { field: field.name } : {}), rules };
  const subject = field ? `${type.name}.${field.name}` : type.name;
  const submit = () => {
    if (chosen?.list && !value.trim()) return sending.fail("Name a group.");
    if (operations.length === 0) return sending.fail("Choose an operation.");
    sending.submit(edit, `Set the rules of ${subject}`);
  };
  return html`<${Dialog} title=${old ? `Edit a rule of ${subject}` : `Add a rule to ${subject}`} wide onClose=${onClose} onSubmit=${submit} footer=${html`<${Buttons} verb=${old ? "Change rule" : "Add rule"} busy=${sending.busy} onClose=${onClose} />${field && old && html`<span class="grow"></span><button class="btn danger" type="button" onClick=${() => sending.submit({ ...edit, rules: [] }, `Remove the rules of ${subject}`)}>Remove its rules</button>`}`}>
    <label class="field"><span>Who</span><select data-first class="input" value=${who} onChange=${(event) => { setWho(event.target.value); setValue(""); sending.clear(); }}>${who === "as" && html`<option value="as">${whoWords(old)}, as written</option>`}${WHO.map((one) => html`<option key=${one.value} value=${one.value}>${one.text}</option>`)}</select></label>
    ${chosen?.field && html`<label class="field"><span>${chosen.label}</span><input class="input mono" placeholder=${chosen.standard ?? "Admins"} spellcheck=${false} autocomplete="off" value=${value} onInput=${(event) => { setValue(event.target.value); sending.clear(); }} /></label>`}
    <fieldset class="checks ops"><legend>may</legend>${OPERATIONS.map((one) => html`<label class="row check-row" key=${one}><input class="check" type="checkbox" checked=${operations.includes(one)} onChange=${(event) => { setOperations(event.target.checked ? [...operations, one] : operations.filter((each) => each !== one)); sending.clear(); }} />${one}</label>`)}</fieldset>
    ${!old && all.length === 0 && !field && html`<p class="quiet small hint">${type.name} has no rule yet, and is open to everyone who may call the API. With this rule, others may do nothing.</p>`}
    <${Wrong} error=${sending.error} /><${Preview} draft=${draft} edit=${operations.length && !(chosen?.list && !value.trim()) ? edit : null} />
  <//>`;
}

/** The arguments of @model. @param {Props} props */
export function SettingsDialog({ draft, type, onClose }) {
  const old = type.arguments ?? {};
  const stateOf = (/** @type {any} */ value) => (value === null ? "none" : "standard");
  const [mutations, setMutations] = useState(stateOf(old.mutations));
  const [queries, setQueries] = useState(stateOf(old.queries));
  const [subscriptions, setSubscriptions] = useState(old.subscriptions === null ? "off" : old.subscriptions?.level ?? "standard");
  const [created, setCreated] = useState(old.timestamps?.createdAt ?? "");
  const [updated, setUpdated] = useState(old.timestamps?.updatedAt ?? "");
  const [times, setTimes] = useState(old.timestamps === null ? "none" : "standard");
  const sending = useSending(draft, onClose);
  const timestamps = times === "none" ? null : created || updated ? { ...(created ? { createdAt: created } : {}), ...(updated ? { updatedAt: updated } : {}) } : undefined;
  const made = { queries: queries === "none" ? null : old.queries ?? undefined, mutations: mutations === "none" ? null : old.mutations ?? undefined, subscriptions: subscriptions === "off" ? null : subscriptions === "standard" ? (old.subscriptions?.level ? undefined : old.subscriptions ?? undefined) : { ...(old.subscriptions ?? {}), level: subscriptions }, timestamps };
  const edit = { kind: "setModelArguments", type: type.name, arguments: Object.fromEntries(Object.entries(made).filter(([, value]) => value !== undefined)) };
  const choose = (/** @type {string} */ label, /** @type {string} */ value, /** @type {(value: string) => void} */ set, /** @type {[string, string][]} */ options, first = false) => html`<label class="field"><span>${label}</span><select class="input" data-first=${first ? "" : undefined} value=${value} onChange=${(event) => { set(event.target.value); sending.clear(); }}>${options.map(([one, text]) => html`<option key=${one} value=${one}>${text}</option>`)}</select></label>`;
  return html`<${Dialog} title=${`What is generated for ${type.name}`} wide onClose=${onClose} onSubmit=${() => sending.submit(edit, `Set what is generated for ${type.name}`)} footer=${html`<${Buttons} verb="Save settings" busy=${sending.busy} onClose=${onClose} />`}>
    <div class="filter-form">${choose("Queries", queries, setQueries, [["standard", "get and list"], ["none", "None"]], true)}${choose("Mutations", mutations, setMutations, [["standard", "create, update and delete"], ["none", "None"]])}
    ${choose("Subscriptions", subscriptions, setSubscriptions, [["standard", "By the rules"], ["on", "On"], ["public", "Public"], ["off", "None"]])}${choose("Times", times, setTimes, [["standard", "Set by the server"], ["none", "None"]])}
    ${times !== "none" && html`<label class="field"><span>Field for the time of creation</span><input class="input mono" placeholder="createdAt" value=${created} onInput=${(event) => setCreated(event.target.value.trim())} /></label><label class="field"><span>Field for the time of the last change</span><input class="input mono" placeholder="updatedAt" value=${updated} onInput=${(event) => setUpdated(event.target.value.trim())} /></label>`}</div>
    <${Wrong} error=${sending.error} /><${Preview} draft=${draft} edit=${JSON.stringify(edit.arguments) === JSON.stringify(Object.fromEntries(Object.entries(old))) ? null : edit} />
  <//>`;
}
