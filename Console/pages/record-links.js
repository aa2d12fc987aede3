// Links of a record: the picker of a belongs-to field, the items that refer to the record, and many-to-many.

import { html, useEffect, useState } from "../preact-htm.js";
import { get, itemPath, keyText, patch, post, remove } from "../api.js";
import { RoleButton, lacks, theSession } from "../console.js";
import { Dialog } from "../kit/dialog.js";
import { Failure, Loaded, useResource } from "../kit/resource.js";
import { ScalarField } from "../kit/fields.js";
import { Icon } from "../kit/icons.js";
import { countText, plural } from "../kit/format.js";
import { href } from "../kit/router.js";
import { toast, toastError } from "../kit/toast.js";
import { check, complaint, enumValues, isLink, isPlain, linkOf, primaryKeyOf, same, titleOf, typeText } from "../kit/values.js";

/** Items that were picked last, per model, as long as the page is open. @type {Map<string, any[]>} */
const recent = new Map();
const RECENT_MAX = 5;
const FOUND_MAX = 20;
/** Linked items that are listed in the record; all are in the table. */
const LISTED_MAX = 10;

/** @param {{ id: string, field: any, all: any[], value: any, changed: boolean, disabled: any, described?: string, onChange: (link: any) => void }} props */
export function LinkField({ id, field, all, value, changed, disabled, onChange, described }) {
  const [open, setOpen] = useState(false);
  const target = all.find((one) => one.name === field.type);
  const where = value ? href(`/data/${encodeURIComponent(field.type)}/${keyText(value.key)}`) : "";
  const title = value && (value.title ?? value.key.join(", "));
  return html`<div class="row"><button type="button" id=${id} class=${`input link-input${changed ? " changed" : ""}`} aria-haspopup="dialog" aria-describedby=${described} aria-label=${`${field.name}: ${title ?? "not set"}`} disabled=${Boolean(disabled)} onClick=${() => setOpen(true)}>
      ${value ? html`<span class="ref cut"><${Icon} name="link" small /><span class="cut">${title}</span></span><span class="faint mono grow cut">${value.title ? value.key.join(", ") : ""}</span>` : html`<span class="faint grow">not set</span>`}<${Icon} name="down" small class="faint" /></button>
    ${value && html`<a class="btn plain icon" href=${where} aria-label=${`Open ${title}`}><${Icon} name="open" small /></a>`}</div>
    ${open && html`<${Picker} target=${target} title=${`Choose ${field.name}`} clear=${value && !field.required} onClose=${() => setOpen(false)} onPick=${(/** @type {any[]} */ picked) => { setOpen(false); onChange(picked[0] ? { key: picked[0].key, title: titleOf(target, picked[0]) } : null); }} />`}`;
}

/** Chooses linked items: by title or key. @param {{ target: any, title: string, clear?: boolean, several?: boolean, onClose: () => void, onPick: (items: any[]) => void }} props */
function Picker({ target, title, clear = false, several = false, onClose, onPick }) {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const [asked, setAsked] = useState("");
  const [creating, setCreating] = useState(false);
  const [chosen, setChosen] = useState(/** @type {any[]} */ ([]));
  useEffect(() => {
    const timer = setTimeout(() => setAsked(text), 150);
    return () => clearTimeout(timer);
  }, [text]);
  const titles = (target.title ?? []).filter((/** @type {string} */ name) => target.fields.some((one) => one.name === name && ["String", "ID", "AWSEmail"].includes(one.type)));
  const found = useResource([target.name, asked], async (signal) => {
    const by = titles.map((/** @type {string} */ name) => ({ [name]: { contains: asked } }));
    const filter = asked ? { or: [...by, ...primaryKeyOf(target).map((name) => ({ [name]: { beginsWith: asked } }))] } : null;
    const answer = await get(`/data/${encodeURIComponent(target.name)}/items`, { query: { filter, limit: FOUND_MAX, scan: asked ? true : undefined }, signal });
    if (asked) return answer.items;
    const first = recent.get(target.name) ?? [];
    return [...first, ...answer.items.filter((item) => !first.some((one) => keyText(one.key) === keyText(item.key)))];
  });
  const items = found.data ?? [];
  useEffect(() => setAt(0), [found.data]);
  const isChosen = (item) => chosen.some((one) => keyText(one.key) === keyText(item.key));
  const done = (/** @type {any[]} */ picked) => {
    for (const item of picked) recent.set(target.name, [item, ...(recent.get(target.name) ?? []).filter((one) => keyText(one.key) !== keyText(item.key))].slice(0, RECENT_MAX));
    onPick(picked);
  };
  const pick = (item) => {
    if (!item) return;
    if (!several) return done([item]);
    setChosen(isChosen(item) ? chosen.filter((one) => keyText(one.key) !== keyText(item.key)) : [...chosen, item]);
  };
  const keyDown = (/** @type {KeyboardEvent} */ event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      event.preventDefault();
      setAt(Math.max(0, Math.min(items.length - 1, at + step)));
    } else if (event.key === "Enter") {
      event.preventDefault();
      pick(items[at]);
    }
  };
  useEffect(() => document.getElementById(`pick-${at}`)?.scrollIntoView({ block: "nearest" }), [at]);
  if (creating) return html`<${CreateLinked} target=${target} text=${text} onClose=${() => setCreating(false)} onDone=${(item) => (several ? (setChosen([...chosen, item]), setCreating(false)) : done([item]))} />`;
  return html`<${Dialog} title=${title} onClose=${onClose} class="picker" footer=${html`
      ${several && html`<button class="btn main" type="button" disabled=${chosen.length === 0} onClick=${() => done(chosen)}>${chosen.length ? `Link ${plural(chosen.length, "item")}` : "Link"}</button>`}
      <${RoleButton} role="editor" class="btn" onClick=${() => setCreating(true)}><${Icon} name="plus" small />${several ? "New" : "Create and link"}<//>${clear && html`<button class="btn" type="button" onClick=${() => onPick([])}>Clear</button>`}<span class="grow"></span><button class="btn plain" type="button" onClick=${onClose}>Cancel</button>`}>
    <input data-first class="input" role="combobox" aria-expanded="true" aria-controls="picker-list" aria-autocomplete="list" aria-activedescendant=${items.length ? `pick-${at}` : undefined} aria-label=${`Search ${target.name}`} placeholder=${`Search by ${titles.join(", ") || "key"}`} autocomplete="off" value=${text} onInput=${(event) => setText(event.target.value)} onKeyDown=${keyDown} />
    <${Loaded} of=${found} what=${`${target.name} could not be searched.`} lines=${3}>${() => items.length === 0 ? html`<p class="quiet note">No ${target.name} matches${asked ? ` “${asked}”` : ""}.</p>` : html`<ul id="picker-list" role="listbox" aria-label=${target.name} aria-multiselectable=${several ? "true" : undefined}>
      ${items.map((item, /** @type {number} */ n) => html`<li key=${keyText(item.key)} id=${`pick-${n}`} role="option" class=${n === at ? "at" : ""} aria-selected=${(several ? isChosen(item) : n === at) ? "true" : "false"} onMouseMove=${() => setAt(n)} onClick=${() => pick(item)}>
        ${several && html`<span class=${`tick${isChosen(item) ? " on" : ""}`} aria-hidden="true">${isChosen(item) && html`<${Icon} name="check" small />`}</span>`}<span class="cut">${titleOf(target, item)}</span>${titleOf(target, item) !== item.key.join(", ") && html`<span class="faint mono small cut">${item.key.join(", ")}</span>`}</li>`)}</ul>`}<//>
  <//>`;
}

/** Makes the linked item from its required fields. */
function CreateLinked({ target, text, onClose, onDone }) {
  const key = primaryKeyOf(target);
  const required = target.fields.filter((field) => isPlain(field) && field.name !== "id" && (!field.readOnly || key.includes(field.name)) && (field.required || target.title?.includes(field.name)));
  const [texts, setTexts] = useState(() => Object.fromEntries(required.map((field) => [field.name, target.title?.[0] === field.name ? text : field.kind === "enum" ? enumValues(field)[0] : ""])));
  const [wrong, setWrong] = useState(/** @type {any} */ ({}));
  const [failure, setFailure] = useState(/** @type {any} */ (null));
  const submit = async () => {
    /** @type {any} */ const values = {};
    /** @type {any} */ const bad = {};
    for (const field of required) {
      if (texts[field.name] === "" && !field.required) continue;
      const { value, error } = check(field, texts[field.name]);
      if (error || (texts[field.name] === "" && field.required)) bad[field.name] = error ? complaint(field, texts[field.name]) : `${field.name} is required.`;
      else values[field.name] = value;
    }
    setWrong(bad);
    if (Object.keys(bad).length) return void document.getElementById(`c-${Object.keys(bad)[0]}`)?.focus();
    try {
      onDone(await post(`/data/${encodeURIComponent(target.name)}/items`, values));
    } catch (error) {
      setFailure(error);
    }
  };
  return html`<${Dialog} title=${`New ${target.name}`} onClose=${onClose} onSubmit=${submit} footer=${html`<button class="btn main" type="submit">Create and link</button><button class="btn" type="button" onClick=${onClose}>Back</button>`}>
    ${failure && html`<${Failure} compact error=${failure} />`}
    ${required.map((field) => html`<div class="f" key=${field.name}><label class="row" for=${`c-${field.name}`}><span class="mono nm">${field.name}</span><span class="ty">${typeText(field)}</span></label>
      <${ScalarField} id=${`c-${field.name}`} field=${field} text=${texts[field.name]} mark="" changed=${false} disabled=${false} isNew bad=${Boolean(wrong[field.name])} described=${wrong[field.name] ? `c-${field.name}-wrong` : undefined} onInput=${(/** @type {string} */ next) => setTexts({ ...texts, [field.name]: next })} />
      ${wrong[field.name] && html`<p class="wrong" id=${`c-${field.name}-wrong`}>${wrong[field.name]}</p>`}</div>`)}
  <//>`;
}

/** What refers to a record by a has-many field: how many, the way to them as a filtered table, and linking. */
export function Collection({ field, all, item, source }) {
  const target = all.find((one) => one.name === field.type);
  const backs = target?.fields.filter((one) => isLink(one) && one.type === source.name && one.keys?.length && (!field.keys?.length || same(one.keys, field.keys))) ?? [];
  const asked = theSession().capabilities.includes("bulk");
  if (!target || !(asked || backs.length)) return html`<li><span class="mono nm">${field.name}</span><span class="ty">${typeText(field)}</span></li>`;
  // Which of several links the field is the other end of is known to the server only.
  return html`<${Linked} field=${field} all=${all} item=${item} source=${source} target=${target} back=${backs.length === 1 ? backs[0] : null} asked=${asked} />`;
}

/** @param {any} props `back`: the link of the target that leads here, if it is known; `asked`: the server lists the linked items */
function Linked({ field, all, item, source, target, back, asked }) {
  const [open, setOpen] = useState(false);
  const [picking, setPicking] = useState(false);
  // Of a join model, what is linked is at its other side.
  const far = target.kind === "join" && back ? target.fields.find((one) => isLink(one) && one.name !== back.name) : null;
  const other = far ? all.find((one) => one.name === far.type) : target;
  const path = `/data/${encodeURIComponent(target.name)}`;
  const own = primaryKeyOf(source);
  const keyOf = (/** @type {number} */ n) => item.values[own[n]] ?? item.key[n];
  const conditions = (back?.keys ?? []).map((/** @type {string} */ name, /** @type {number} */ n) => ({ [name]: { eq: keyOf(n) } }));
  const filter = conditions.length === 1 ? conditions[0] : { and: conditions };
  const order = target.keys.find((one) => !one.primary && one.partition === back?.keys[0] && one.sort?.length)?.sort[0];
  const links = `${itemPath(source.name, item.key)}/links/${encodeURIComponent(field.name)}`;
  const number = useResource([asked ? links : path, filter, "count"], async (signal) => (asked ? (await get(links, { query: { limit: 1 }, signal, quiet: true })).count : get(`${path}/count`, { query: { filter }, signal, quiet: true })));
  const list = useResource(open ? [asked ? links : path, filter] : null, (signal) => (asked ? get(links, { query: { limit: LISTED_MAX }, signal }) : get(`${path}/items`, { query: { filter, order, limit: LISTED_MAX }, signal })));
  const again = () => {
    number.retry();
    list.retry();
  };
  const where = back && href(path, { filter, order });
  const words = number.data ? `${countText(number.data)} ${number.data.value === 1 ? "item" : "items"}` : number.error ? "open" : "…";
  const expectOf = (/** @type {any} */ one, /** @type {any} */ otherwise) => (one.version !== undefined && one.version !== null ? { version: one.version } : otherwise);
  const change = (/** @type {any} */ one, /** @type {any} */ body) => patch(itemPath(target.name, one.key), { ...body, expect: expectOf(one, { values: Object.fromEntries(back.keys.map((/** @type {string} */ name) => [name, one.values[name] ?? null])) }) });
  const keyValues = () => Object.fromEntries(back.keys.map((/** @type {string} */ name, /** @type {number} */ n) => [name, keyOf(n)]));
  const link = async (/** @type {any[]} */ picked) => {
    setPicking(false);
    try {
      for (const one of picked) {
        if (far) await post(`${path}/items`, { ...keyValues(), ...Object.fromEntries(far.keys.map((/** @type {string} */ name, /** @type {number} */ n) => [name, one.key[n]])) });
        else await change(one, { set: keyValues() });
      }
      toast(`Linked ${plural(picked.length, "item")}.`);
    } catch (error) {
      toastError(error, "Not linked");
    }
    setOpen(true);
    again();
  };
  const unlink = async (/** @type {any} */ one) => {
    try {
      if (far) {
        // The server lists the other side, with the item that joins the two.
        const join = one.join ? await get(itemPath(one.join.model, one.join.key)) : one;
        const expect = expectOf(join, null);
        await remove(itemPath(target.name, join.key), { body: expect ? { expect } : {} });
      } else await change(one, { unset: back.keys });
      toast(`Unlinked ${titleAt(one)}.`);
    } catch (error) {
      toastError(error, "Not unlinked");
    }
    again();
  };
  const throughJoin = (/** @type {any} */ one) => (far && !one.join ? linkOf(one, far) : null);
  const titleAt = (/** @type {any} */ one) => throughJoin(one)?.title ?? throughJoin(one)?.key.join(", ") ?? titleOf(far && one.join ? other : target, one);
  const keyAt = (/** @type {any} */ one) => throughJoin(one)?.key ?? one.key;
  const required = back && !far && (back.required || back.keys.some((/** @type {string} */ name) => target.fields.find((each) => each.name === name)?.required));
  const reason = lacks("editor") || (!back && `${target.name} has several links to ${source.name}: change it there`) || (required && `${target.name}.${back.name} is required: choose another item there, or delete it`);
  return html`<li class=${open ? "open" : ""}><button class="btn plain icon tiny" aria-expanded=${open ? "true" : "false"} aria-label=${`Show ${field.name}`} onClick=${() => setOpen(!open)}><${Icon} name=${open ? "down" : "right"} small /></button>
      <span class="mono nm">${field.name}</span><span class="ty cut">${typeText(field)}</span>
      ${where ? html`<a class="end small num" href=${where} aria-label=${`Open ${words === "open" ? field.name : `${words} of ${field.name}`}`}>${words}</a>
      <${RoleButton} role="editor" class="btn plain icon tiny" label=${`Link to ${field.name}`} onClick=${() => setPicking(true)}><${Icon} name="plus" small /><//>` : html`<span class="end small num quiet">${words}</span>`}</li>
    ${open && html`<li class="linked"><${Loaded} of=${list} what="The linked items could not be loaded." lines=${2}>${(data) => data.items.length === 0 ? html`<p class="small quiet">None.</p>` : html`<ul>${data.items.map((one) => html`<li key=${keyText(one.key)}><a class="cut" href=${href(`/data/${encodeURIComponent(other.name)}/${keyText(keyAt(one))}`)}>${titleAt(one)}</a>
      <button class="btn plain icon tiny end" aria-label=${`Unlink ${titleAt(one)}`} aria-disabled=${reason ? "true" : undefined} title=${reason || undefined} onClick=${() => (reason ? toast(`${reason}.`) : unlink(one))}><${Icon} name="x" small /></button></li>`)}</ul>
      ${data.next && where && html`<a class="small" href=${where}>All ${words}</a>`}`}<//></li>`}
    ${picking && html`<${Picker} target=${other} title=${`Link to ${field.name}`} several onClose=${() => setPicking(false)} onPick=${link} />`}`;
}
