// A record: its fields, what is not set, links, the JSON, and two people's changes side by side.

import { html, useEffect, useRef, useState } from "../preact-htm.js";
import { get, itemPath, keyText, patch, post, remove } from "../api.js";
import { follow } from "../live.js";
import { RoleButton, lacks } from "../console.js";
import { Code } from "../kit/code.js";
import { CopyButton } from "../kit/command.js";
import { Dialog, confirm } from "../kit/dialog.js";
import { Failure, Loaded, Skeleton, useResource } from "../kit/resource.js";
import { Icon } from "../kit/icons.js";
import { Menu } from "../kit/menu.js";
import { Split } from "../kit/split.js";
import { TabPanel, Tabs } from "../kit/tabs.js";
import { ago, count, plural, stamp, timestampMilliseconds } from "../kit/format.js";
import { command, useKeys } from "../kit/keys.js";
import { go, guardLeaving, href, setQuery } from "../kit/router.js";
import { toast, toastError } from "../kit/toast.js";
import { cellText, check, choicesOf, complaint, editText, enumValues, isCollection, isCustom, isLink, isPlain, linkOf, primaryKeyOf, same, typeText, valueOf } from "../kit/values.js";

let pressed = performance.now();
addEventListener("pointerdown", () => (pressed = performance.now()), true);
addEventListener("keydown", () => (pressed = 0), true);
/** Whether the last thing done was a click or a tap. */
const pointer = () => performance.now() - pressed < 1500;

/** Marks an attribute that is to be removed. */
const UNSET = Symbol("unset");

/** What was typed and not saved, kept over a reload in this tab. @param {string} name */
function draftOf(name) {
  try {
    return JSON.parse(sessionStorage.getItem(name) ?? "{}");
  } catch {
    return {};
  }
}
/** @param {string} name @param {any} edits */
function keepDraft(name, edits) {
  try {
    if (Object.keys(edits).length) sessionStorage.setItem(name, JSON.stringify(edits));
    else sessionStorage.removeItem(name);
  } catch {
    // Storage is full or off.
  }
}

/** Edits: per field `{ text }`, `{ null: true }`, `{ unset: true }`, `{ link: { key, title } | null }` or `{ list: [texts] }`. */
export function Record({ source, all, itemKey, known, query, session, onClose, onStep, onChanged, onCreated, onDeleted }) {
  const isNew = itemKey === null;
  const path = isNew ? "" : itemPath(source.name, itemKey);
  const draft = `syncline.draft.${location.host}.${source.name}.${isNew ? "+new" : keyText(itemKey)}`;
  const resource = useResource(isNew ? null : ["item", path], async (signal) => {
    const answer = await get(path, { signal });
    return answer;
  });
  const item = isNew ? { key: [], values: {}, absent: [], links: {} } : resource.data ?? known;
  const [edits, setEdits] = useState(() => draftOf(draft));
  const [wrong, setWrong] = useState(/** @type {Record<string, string>} */ ({}));
  const [failure, setFailure] = useState(/** @type {any} */ (null));
  const [conflict, setConflict] = useState(/** @type {any} */ (null));
  const [busy, setBusy] = useState(false);
  const panel = useRef(/** @type {any} */ (null));
  const tab = isNew ? "record" : query.tab ?? "record";
  const changed = Object.keys(edits);
  const dirty = changed.length > 0;
  const title = isNew ? `New ${source.name}` : item ? titleOf(source, item) : itemKey.join(", ");

  useEffect(() => keepDraft(draft, edits), [edits]);
  useEffect(() => {
    guardLeaving(dirty ? () => confirm({ title: "Leave without saving?", lead: "What you typed is kept in this tab, and is there when you come back to the item.", verb: "Leave" }) : null);
    return () => guardLeaving(null);
  }, [dirty]);
  useEffect(() => {
    // A click in the grid keeps the focus there, and so does a cell that is being edited.
    if (!isNew && document.activeElement?.closest("[role=grid]") && (pointer() || document.activeElement.matches("input, select"))) return;
    panel.current?.querySelector(isNew ? ".scroll .input:not([readonly])" : "header h2")?.focus({ preventScroll: true });
  }, [isNew]);
  // A change by others: fields that are not being edited follow.
  useEffect(() => isNew ? undefined : follow(`changes:${source.name}`, (message) => {
    if (message.gap !== undefined || (message.data?.key && keyText(message.data.key) === keyText(itemKey))) resource.retry();
  }), [path]);

  const set = (/** @type {string} */ name, edit) => {
    setWrong((old) => ({ ...old, [name]: "" }));
    setFailure(null);
    setEdits((old) => {
      const next = { ...old };
      if (edit === null) delete next[name];
      else next[name] = edit;
      return next;
    });
  };
  const discard = () => {
    setEdits({});
    setWrong({});
    setFailure(null);
    setConflict(null);
  };
  /** The values that the edits make. */
  const compiled = () => {
    /** @type {any} */ const values = {};
    /** @type {Record<string, string>} */ const bad = {};
    for (const [name, edit] of Object.entries(edits)) {
      const field = source.fields.find((one) => one.name === name);
      if (!field) continue;
      if (edit.unset) values[name] = UNSET;
      else if (edit.null) values[name] = null;
      else if ("link" in edit) values[name] = edit.link;
      else if (edit.list) {
        values[name] = [];
        for (const text of edit.list) {
          const { value, error } = check({ ...field, list: false }, text);
          if (error) bad[name] = complaint({ ...field, list: false }, text);
          else values[name].push(value);
        }
      } else {
        const { value, error } = check(field, edit.text);
        if (error) bad[name] = complaint(field, edit.text);
        else values[name] = value;
      }
    }
    if (isNew) {
      const linked = source.fields.filter(isLink);
      for (const field of source.fields) {
        const byLink = linked.some((one) => one.keys?.includes(field.name) && values[one.name]);
        if (field.required && !field.readOnly && !isCollection(field) && !byLink && field.name !== "id" && (values[field.name] === undefined || values[field.name] === null) && !bad[field.name]) bad[field.name] = `${field.name} is required.`;
      }
    }
    return { values, bad };
  };
  const save = async () => {
    const reason = lacks("editor");
    if (reason) return toast(`${reason}.`);
    if ((!dirty && !isNew) || busy) return;
    const { values, bad } = compiled();
    if (Object.keys(bad).length) {
      setWrong(bad);
      document.getElementById(`f-${Object.keys(bad)[0]}`)?.focus();
      return;
    }
    /** @type {any} */ const body = { set: {}, unset: [] };
    /** @type {any} */ const before = {};
    for (const [name, value] of Object.entries(values)) {
      const field = source.fields.find((one) => one.name === name);
      if (isLink(field)) {
        const keys = field.keys?.length ? field.keys : [name];
        keys.forEach((/** @type {string} */ key, /** @type {number} */ n) => {
          if (value === null || value === UNSET) (field.required ? (body.set[key] = null) : body.unset.push(key));
          else body.set[key] = value.key[n];
          before[key] = item.values[key] ?? null;
        });
      } else {
        if (value === UNSET) body.unset.push(name);
        else body.set[name] = value;
        before[name] = item.values[name] ?? null;
      }
    }
    if (!body.unset.length) delete body.unset;
    setBusy(true);
    try {
      if (isNew) {
        const answer = await post(`/data/${encodeURIComponent(source.name)}/items`, body.set);
        keepDraft(draft, {});
        guardLeaving(null);
        setEdits({});
        toast(`Created ${titleOf(source, answer)}.`);
        onCreated(answer);
        return;
      }
      body.expect = item.version !== undefined && item.version !== null ? { version: conflict?.version ?? item.version } : { values: conflict ? Object.fromEntries(Object.keys(before).map((name) => [name, conflict.item.values[name] ?? null])) : before };
      const answer = await patch(path, body);
      const saved = answer;
      resource.set(saved);
      discard();
      onChanged(saved);
      toast("Saved.");
    } catch (error) {
      const problem = /** @type {any} */ (error);
      if (problem.code === "conflict" && problem.details?.item) {
        const theirs = problem.details.item;
        const differ = source.fields.filter((/** @type {any} */ one) => !one.readOnly && !same(item.values[one.name], theirs.values[one.name])).map((/** @type {any} */ one) => one.name);
        setConflict({ item: theirs, version: theirs.version, changed: [...(problem.details.changed ?? []), ...differ] });
        setFailure(problem);
      } else if (problem.code === "invalid" && (problem.field || problem.details?.fields)) {
        const fields = problem.details?.fields;
        const byField = Array.isArray(fields) ? Object.fromEntries(fields.map((one) => [one.field, one.message])) : fields ?? { [problem.field]: problem.message };
        setWrong(byField);
        document.getElementById(`f-${Object.keys(byField)[0]}`)?.focus();
      } else setFailure(problem);
    } finally {
      setBusy(false);
    }
  };
  const deleteItem = async () => {
    const yes = await confirm({ title: `Delete ${title}?`, lead: source.versioned ? "The item becomes a tombstone, and devices with DataStore remove it." : "It cannot be brought back.", verb: "Delete 1 item", danger: true, type: session.mode === "serve" ? session.environment : undefined });
    if (!yes) return;
    try {
      await remove(path, { body: item.version !== undefined && item.version !== null ? { expect: { version: item.version } } : {} });
      discard();
      toast(`Deleted ${title}.`);
      onDeleted();
    } catch (error) {
      toastError(error, "Not deleted");
    }
  };
  const duplicate = () => {
    const [partition] = primaryKeyOf(source);
    /** @type {any} */ const copy = {};
    for (const field of source.fields) {
      if (field.readOnly && field.name !== "id") continue;
      if (field.name === partition || isCollection(field)) continue;
      if (isLink(field)) {
        if (linkOf(item, field)) copy[field.name] = { link: linkOf(item, field) };
        continue;
      }
      if (source.fields.some((one) => isLink(one) && one.keys?.includes(field.name))) continue;
      const value = item.values[field.name];
      if (value === undefined || value === null) continue;
      copy[field.name] = field.list ? { list: value.map((one) => editText(one, { ...field, list: false })) } : { text: editText(value, field) };
    }
    keepDraft(`syncline.draft.${location.host}.${source.name}.+new`, copy);
    go(`/data/${encodeURIComponent(source.name)}/+new`);
  };
  useKeys([{ keys: "mod+s", what: "Save", run: () => void save() }]);

  const tabs = [{ value: "record", text: "Record" }, { value: "json", text: "JSON" }, session.capabilities.includes("history") && { value: "history", text: "History" }, session.capabilities.includes("access") && { value: "access", text: "Access" }].filter(Boolean);
  const gone = resource.error?.code === "not_found";
  return html`<aside class="panel" ref=${panel} aria-label=${isNew ? "New item" : "Item"} onKeyDown=${(/** @type {KeyboardEvent} */ event) => {
    if (event.key === "Escape" && !event.defaultPrevented) {
      event.preventDefault();
      event.stopPropagation();
      onClose();
    }
  }}>
    <${Split} name="record" label="Width of the item" />
    <header><div class="grow"><h2 class="cut" tabindex="-1" title=${title}>${title}</h2>${!isNew && html`<span class="mono faint">${itemKey.join(", ")}</span>`}</div>
      ${!isNew && html`<button class="btn plain icon" aria-label="Previous item" onClick=${() => onStep(-1)}><${Icon} name="left" /></button><button class="btn plain icon move" aria-label="Next item" onClick=${() => onStep(1)}><${Icon} name="right" /></button>`}
      <button class="btn plain icon" aria-label="Close" onClick=${onClose}><${Icon} name="x" /></button></header>
    ${!isNew && html`<${Tabs} id="record" label="Views of the item" value=${tab} options=${tabs} onChange=${(/** @type {string} */ value) => setQuery({ tab: value === "record" ? "" : value }, true)} />`}
    ${isNew ? html`<div class="scroll">${fields()}</div>` : html`<${TabPanel} id="record" value=${tab} class="scroll">
      ${gone ? html`<div class="empty"><p>This item does not exist. It may have been deleted.</p><div class="row"><button class="btn" onClick=${onClose}>Back to the items</button></div></div>`
        : item === undefined || item === null ? (resource.error ? html`<${Failure} what="The item could not be loaded." error=${resource.error} retry=${resource.retry} />` : html`<${Skeleton} lines=${7} phase=${resource.phase} />`)
        : tab === "json" ? html`<div class="json-head"><span class="small faint grow">As stored</span><${CopyButton} text=${() => JSON.stringify(item.values, null, 2)} label="Copy JSON" words="Copy" /></div><${Code} text=${JSON.stringify(item.values, null, 2)} language="json" label="JSON" />`
        : tab === "access" ? html`<${Access} path=${path} />` : fields()}<//>`}
    ${(isNew || (item && !gone && tab === "record")) && html`<footer>
      <${RoleButton} role="editor" class=${`btn${busy || (!dirty && !isNew) ? "" : " main"}`} onClick=${save}>${isNew ? "Create" : "Save"}<span class="kbd-in no-phone">${command("S")}</span><//>
      ${(dirty || isNew) && html`<button class="btn" onClick=${() => { discard(); if (isNew) onClose(); }}>Discard</button>`}<span class="grow"></span>
      ${!isNew && html`<${Menu} class="btn plain icon" label="More actions" button=${html`<${Icon} name="more" />`} entries=${() => [{ text: "Duplicate", icon: "copy", disabled: lacks("editor"), run: duplicate }, { text: "Copy link", icon: "link", run: () => navigator.clipboard?.writeText(location.href).then(() => toast("Copied the link.")) }, { text: "Open in a new tab", icon: "open", run: () => window.open(location.href, "_blank", "noopener") }]} />
      <${RoleButton} role="editor" class="btn plain icon danger" label="Delete item" onClick=${deleteItem}><${Icon} name="trash" /><//>`}</footer>`}
  </aside>`;

  function fields() {
    const linked = new Set(source.fields.filter(isLink).flatMap((field) => field.keys ?? []));
    const keys = new Set(primaryKeyOf(source));
    const isMeta = (field) => field.readOnly && field.name !== "id" && !isLink(field) && !isCollection(field);
    const editable = source.fields.filter((field) => !isMeta(field) && !isCollection(field) && (isNew ? !linked.has(field.name) : !linked.has(field.name) || keys.has(field.name)) && (isNew || !keys.has(field.name)));
    const isSet = (field) => (isLink(field) ? Boolean(linkOf(item, field)) : item.values[field.name] !== undefined);
    const shown = editable.filter((field) => isNew || isSet(field) || field.name in edits || item.problems?.some((one) => one.field === field.name));
    if (isNew) shown.sort((a, b) => Number(Boolean(b.required) && b.name !== "id") - Number(Boolean(a.required) && a.name !== "id"));
    else shown.sort((a, b) => Number(isLink(b)) - Number(isLink(a)));
    const unset = isNew ? [] : editable.filter((field) => !shown.includes(field));
    const collections = isNew ? [] : source.fields.filter(isCollection);
    const meta = isNew ? [] : source.fields.filter((field) => isMeta(field) && valueOf(item, field) !== undefined && field.name !== "_deleted");
    const entries = [];
    for (let n = 0; n < shown.length; n += 1) {
      const pair = shown[n].type === "AWSDate" && shown[n + 1]?.type === "AWSDate" && !shown[n].list && !shown[n + 1].list;
      if (pair) {
        entries.push(html`<div class="pair" key=${shown[n].name}>${field(shown[n])}${field(shown[n + 1])}</div>`);
        n += 1;
      } else entries.push(field(shown[n]));
    }
    return html`
      ${item.deleted && html`<p class="chip brick note">Deleted</p>`}
      ${failure && html`<div class="note"><${Failure} compact error=${failure} /></div>`}
      ${Object.values(wrong).filter(Boolean).length > 1 && html`<div class="failure compact" role="alert"><${Icon} name="warn" /><p>${plural(Object.values(wrong).filter(Boolean).length, "field")} cannot be saved.</p></div>`}
      ${entries}
      ${(unset.length > 0 || collections.length > 0) && html`<div class="unset"><h3>Not set</h3><ul>
        ${unset.map((one) => html`<li key=${one.name}><span class="mono nm">${one.name}</span><span class="ty">${typeText(one)}</span><${RoleButton} role="editor" class="btn plain end" label=${`Set ${one.name}`} onClick=${() => { set(one.name, isLink(one) ? { link: null } : one.list ? { list: [""] } : { text: choicesOf(one)?.[0] ?? "" }); setTimeout(() => document.getElementById(`f-${one.name}`)?.focus(), 0); }}><${Icon} name="plus" small />Set<//></li>`)}
        ${collections.map((one) => html`<${Collection} key=${one.name} field=${one} path=${path} all=${all} item=${item} source=${source} />`)}</ul></div>`}
      ${meta.length > 0 && html`<dl class="meta num">${meta.map((one) => html`<dt>${one.name}</dt><dd>${metaText(one, valueOf(item, one))}</dd>`)}${item.lastWriter && html`<dt>last writer</dt><dd>${item.lastWriter}</dd>`}</dl>`}`;
  }

  /** @param {any} one a field */
  function field(one) {
    const edit = edits[one.name];
    const id = `f-${one.name}`;
    const old = item.values[one.name];
    const problem = wrong[one.name] || item.problems?.find((each) => each.field === one.name)?.message;
    const described = [problem && `${id}-wrong`, edit && !isNew && `${id}-was`].filter(Boolean).join(" ") || undefined;
    const reason = lacks("editor");
    const theirs = conflict && (conflict.changed.includes(one.name) || (isLink(one) && one.keys?.some((/** @type {string} */ key) => conflict.changed.includes(key))));
    const body = isLink(one) ? html`<${LinkField} id=${id} field=${one} all=${all} value=${edit && "link" in edit ? edit.link : linkOf(item, one)} changed=${Boolean(edit)} disabled=${reason || item.deleted} onChange=${(link) => set(one.name, { link })} described=${described} />`
      : one.list && !isCustom(one) ? html`<${ListField} id=${id} field=${one} texts=${edit?.list ?? (Array.isArray(old) ? old.map((value) => editText(value, { ...one, list: false })) : [])} changed=${Boolean(edit)} disabled=${reason} onChange=${(/** @type {string[]} */ list) => set(one.name, { list })} />`
      : html`<${ScalarField} id=${id} field=${one} text=${edit?.text ?? (edit?.null || edit?.unset ? "" : editText(old, one))} mark=${edit?.null ? "null" : edit?.unset ? "not set" : !edit && old === null ? "null" : ""} changed=${Boolean(edit)} disabled=${reason || item.deleted || (!isNew && one.readOnly)} isNew=${isNew} described=${described} bad=${Boolean(wrong[one.name])}
          onInput=${(/** @type {string} */ text) => {
            if (isNew ? text === "" && !one.required : old !== undefined && old !== null && text === editText(old, one)) set(one.name, null);
            else set(one.name, { text });
          }} />`;
    const canClear = !isNew && !reason && !one.required && !isLink(one);
    return html`<div class="f" key=${one.name}><div class="row lb"><label class="row" for=${id}><span class="mono nm">${one.name}</span><span class="ty">${typeText(one)}</span></label>
        ${canClear && html`<span class="end"><${Menu} class="btn plain icon tiny" label=${`Clear ${one.name}`} button=${html`<${Icon} name="more" small />`} entries=${() => [
          { text: "Set to null", run: () => set(one.name, { null: true }) },
          { text: "Remove attribute", run: () => set(one.name, { unset: true }) },
          one.type === "String" && !one.list && { text: "Empty string", run: () => set(one.name, { text: "" }) },
          edit && { text: "Undo", icon: "undo", run: () => set(one.name, null) },
        ]} /></span>`}</div>
      ${body}
      ${problem && html`<p class="wrong" id=${`${id}-wrong`}>${problem}</p>`}
      ${edit && !isNew && !theirs && html`<p class="small was" id=${`${id}-was`}>Was ${isLink(one) ? linkOf(item, one)?.title ?? "not set" : old === undefined ? "not set" : old === null ? "null" : old === "" ? '""' : cellText(old)}</p>`}
      ${theirs && html`<fieldset class="versus"><legend class="vh">${one.name} changed meanwhile</legend>
        <label><span class="small">Yours</span><span class="row"><input type="radio" name=${`v-${one.name}`} checked=${Boolean(edit)} disabled=${!edit} />${edit ? editedText(one, edit) : "unchanged"}</span></label>
        <label><span class="small">Theirs</span><span class="row"><input type="radio" name=${`v-${one.name}`} checked=${!edit} onChange=${() => { set(one.name, null); resource.set(conflict.item); }} />${isLink(one) ? linkOf(conflict.item, one)?.title ?? "not set" : conflict.item.values[one.name] === undefined ? "not set" : cellText(conflict.item.values[one.name])}</span></label></fieldset>`}
    </div>`;
  }
}
/** @param {any} field @param {any} edit */
function editedText(field, edit) {
  if (edit.null) return "null";
  if (edit.unset) return "not set";
  if ("link" in edit) return edit.link?.title ?? "not set";
  return edit.list ? edit.list.join(", ") : edit.text === "" ? '""' : edit.text;
}
/** @param {any} source @param {any} item */
export function titleOf(source, item) {
  const text = (source.title ?? []).map((/** @type {string} */ name) => item.values[name]).filter((value) => value !== undefined && value !== null && value !== "").map(String).join(", ");
  return text || item.key.join(", ");
}
/** @param {any} field @param {any} value */
function metaText(field, value) {
  if (field.type === "AWSTimestamp") {
    const time = timestampMilliseconds(value);
    return `${stamp(time)}, ${ago(time)}`;
  }
  return field.type === "AWSDateTime" ? stamp(value).replace(/\.000$/, "") : cellText(value);
}

function ScalarField({ id, field, text, mark, changed, disabled, isNew, described, bad, onInput }) {
  const look = `input${changed ? " changed" : ""}${bad ? " bad" : ""}${["Int", "Float", "AWSDate", "AWSDateTime", "AWSTime", "AWSTimestamp"].includes(field.type) ? " num" : ""}`;
  const input = (event) => onInput(event.target.value);
  const values = disabled ? null : choicesOf(field);
  if (values) {
    return html`<select id=${id} class=${look} aria-describedby=${described} value=${text} onChange=${input}>${(!text || !values.includes(text)) && html`<option value=${text}>${text || mark || "Choose"}</option>`}${values.map((one) => html`<option key=${one} value=${one}>${one}</option>`)}</select>`;
  }
  const placeholder = mark || (isNew && field.name === "id" ? "Generated when left empty" : field.default !== undefined && isNew ? `Default: ${field.default}` : "");
  const long = isCustom(field) || field.type === "AWSJSON" || text.length > 60 || text.includes("\n");
  if (long) return html`<textarea id=${id} class=${`${look}${isCustom(field) || field.type === "AWSJSON" ? " mono" : ""}`} rows=${Math.min(12, Math.max(3, text.split("\n").length))} readonly=${Boolean(disabled)} aria-describedby=${described} aria-invalid=${bad ? "true" : undefined} placeholder=${placeholder} spellcheck=${false} value=${text} onInput=${input}></textarea>`;
  return html`<input id=${id} class=${look} readonly=${Boolean(disabled)} title=${typeof disabled === "string" ? disabled : undefined} aria-describedby=${described} aria-invalid=${bad ? "true" : undefined} placeholder=${placeholder} autocomplete="off" spellcheck=${false}
    inputmode=${field.type === "Int" ? "numeric" : field.type === "Float" ? "decimal" : undefined} value=${text} onInput=${input} />`;
}

function ListField({ id, field, texts, changed, disabled, onChange }) {
  const move = (/** @type {number} */ at, /** @type {number} */ by) => {
    const next = [...texts];
    [next[at], next[at + by]] = [next[at + by], next[at]];
    onChange(next);
  };
  return html`<div class="list-rows" role="group" aria-label=${field.name}>
    ${texts.map((/** @type {string} */ text, /** @type {number} */ n) => html`<div class="row" key=${n}><input id=${n === 0 ? id : undefined} class=${`input${changed ? " changed" : ""}`} aria-label=${`${field.name}, element ${n + 1}`} readonly=${Boolean(disabled)} value=${text} onInput=${(event) => onChange(texts.map((/** @type {string} */ one, /** @type {number} */ m) => (m === n ? event.target.value : one)))} />
      ${!disabled && html`<button class="btn plain icon low" aria-label=${`Move element ${n + 1} up`} disabled=${n === 0} onClick=${() => move(n, -1)}><${Icon} name="up" small /></button>
      <button class="btn plain icon low" aria-label=${`Remove element ${n + 1}`} onClick=${() => onChange(texts.filter((/** @type {string} */ _, /** @type {number} */ m) => m !== n))}><${Icon} name="x" small /></button>`}</div>`)}
    ${!disabled && html`<div><button class="btn plain low" id=${texts.length === 0 ? id : undefined} onClick=${() => onChange([...texts, ""])}><${Icon} name="plus" small />Add</button></div>`}
  </div>`;
}

function LinkField({ id, field, all, value, changed, disabled, onChange, described }) {
  const [open, setOpen] = useState(false);
  const target = all.find((one) => one.name === field.type);
  const where = value ? href(`/data/${encodeURIComponent(field.type)}/${keyText(value.key)}`) : "";
  return html`<div class="row"><button type="button" id=${id} class=${`input link-input${changed ? " changed" : ""}`} aria-haspopup="dialog" aria-describedby=${described} aria-label=${`${field.name}: ${value?.title ?? "not set"}`} disabled=${Boolean(disabled)} onClick=${() => setOpen(true)}>
      ${value ? html`<span class="ref"><${Icon} name="link" small />${value.title ?? value.key.join(", ")}</span><span class="faint mono grow cut">${value.key.join(", ")}</span>` : html`<span class="faint grow">not set</span>`}<${Icon} name="down" small class="faint" /></button>
    ${value && html`<a class="btn plain icon" href=${where} aria-label=${`Open ${value.title ?? value.key.join(", ")}`}><${Icon} name="open" small /></a>`}</div>
    ${open && html`<${Picker} target=${target} field=${field} value=${value} onClose=${() => setOpen(false)} onPick=${(link) => { setOpen(false); onChange(link); }} />`}`;
}

/** Chooses a linked item: by title or key. */
function Picker({ target, field, value, onClose, onPick }) {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const [asked, setAsked] = useState("");
  const [creating, setCreating] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(text), 150);
    return () => clearTimeout(timer);
  }, [text]);
  const titles = (target.title ?? []).filter((/** @type {string} */ name) => target.fields.some((one) => one.name === name && ["String", "ID", "AWSEmail"].includes(one.type)));
  const found = useResource([target.name, asked], async (signal) => {
    const by = titles.map((/** @type {string} */ name) => ({ [name]: { contains: asked } }));
    const filter = asked ? { or: [...by, { [primaryKeyOf(target)[0]]: { beginsWith: asked } }] } : null;
    const answer = await get(`/data/${encodeURIComponent(target.name)}/items`, { query: { filter, limit: 20, scan: asked ? true : undefined }, signal });
    return answer.items;
  });
  const items = found.data ?? [];
  useEffect(() => setAt(0), [found.data]);
  const pick = (item) => item && onPick({ key: item.key, title: titleOf(target, item) });
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
  if (creating) return html`<${CreateLinked} target=${target} text=${text} onClose=${() => setCreating(false)} onDone=${(item) => pick(item)} />`;
  return html`<${Dialog} title=${`Choose ${field.name}`} onClose=${onClose} class="picker" footer=${html`<${RoleButton} role="editor" class="btn" onClick=${() => setCreating(true)}><${Icon} name="plus" small />Create and link<//>${value && !field.required && html`<button class="btn" type="button" onClick=${() => onPick(null)}>Clear</button>`}<span class="grow"></span><button class="btn plain" type="button" onClick=${onClose}>Cancel</button>`}>
    <input data-first class="input" role="combobox" aria-expanded="true" aria-controls="picker-list" aria-autocomplete="list" aria-activedescendant=${items.length ? `pick-${at}` : undefined} aria-label=${`Search ${target.name}`} placeholder=${`Search by ${titles.join(", ") || "key"}`} autocomplete="off" value=${text} onInput=${(event) => setText(event.target.value)} onKeyDown=${keyDown} />
    <${Loaded} of=${found} what=${`${target.name} could not be searched.`} lines=${3}>${() => items.length === 0 ? html`<p class="quiet note">No ${target.name} matches${asked ? ` “${asked}”` : ""}.</p>` : html`<ul id="picker-list" role="listbox" aria-label=${target.name}>
      ${items.map((item, /** @type {number} */ n) => html`<li key=${keyText(item.key)} id=${`pick-${n}`} role="option" aria-selected=${n === at ? "true" : "false"} onMouseMove=${() => setAt(n)} onClick=${() => pick(item)}><span class="cut">${titleOf(target, item)}</span><span class="faint mono small cut">${item.key.join(", ")}</span></li>`)}</ul>`}<//>
  <//>`;
}

/** Makes the linked item from its required fields. */
function CreateLinked({ target, text, onClose, onDone }) {
  const required = target.fields.filter((field) => isPlain(field) && !field.readOnly && (field.required || target.title?.includes(field.name)) && field.name !== "id");
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
    if (Object.keys(bad).length) return;
    try {
      const answer = await post(`/data/${encodeURIComponent(target.name)}/items`, values);
      onDone(answer);
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

/** A has-many field: how many, and the way to them as a filtered grid. */
function Collection({ field, path, all, item, source }) {
  const links = useResource([path, field.name], (signal) => get(`${path}/links/${encodeURIComponent(field.name)}`, { query: { limit: 100 }, signal, quiet: true }));
  const target = all.find((one) => one.name === field.type);
  const back = target?.fields.find((one) => isLink(one) && one.type === source.name);
  const number = links.data ? links.data.count?.value ?? links.data.items.length : null;
  const more = links.data && !links.data.count && links.data.next;
  const words = number === null ? (links.error ? "open" : "…") : `${count(number)}${more ? "+" : ""} ${number === 1 ? "item" : "items"}`;
  const filter = back?.keys?.length ? { [back.keys[0]]: { eq: item.key[0] } } : null;
  return html`<li><span class="mono nm">${field.name}</span><span class="ty">${typeText(field)}</span>${target ? html`<a class="end small" href=${href(`/data/${encodeURIComponent(field.type)}`, { filter })}>${words}</a>` : html`<span class="end small">${words}</span>`}</li>`;
}

/** Which rule allows what, for an identity. */
function Access({ path }) {
  const [as, setAs] = useState("key:default");
  const access = useResource([path, as], (signal) => get(`${path}/access`, { query: { as }, signal }));
  return html`<label class="field"><span>Identity</span><input class="input mono" value=${as} spellcheck=${false} onChange=${(event) => setAs(event.target.value)} placeholder="user:ada" /></label>
    <${Loaded} of=${access} what="The rules could not be asked.">${(data) => html`<ul class="lines note">${["read", "update", "delete"].map((operation) => {
      const one = data[operation] ?? data.operations?.find((each) => each.operation === operation) ?? {};
      const yes = one.allowed ?? one.outcome === "allowed";
      return html`<li key=${operation}><span class=${`chip ${yes ? "moss" : "brick"}`}>${yes ? "allowed" : "denied"}</span><span>${operation}</span><span class="end small quiet">${one.rule ? html`<code>${one.rule}</code>` : one.why ?? ""}</span></li>`;
    })}</ul>`}<//>`;
}
