// A record: its fields, what is not set, links, the JSON, and two people's changes side by side.

import { html, useEffect, useRef, useState } from "../preact-htm.js";
import { get, itemPath, keyText, patch, post, remove } from "../api.js";
import { follow } from "../live.js";
import { RoleButton, lacks } from "../console.js";
import { Code } from "../kit/code.js";
import { CopyButton } from "../kit/command.js";
import { confirm } from "../kit/dialog.js";
import { CustomField, ListField, ScalarField } from "../kit/fields.js";
import { Failure, Loaded, Skeleton, useResource } from "../kit/resource.js";
import { Icon } from "../kit/icons.js";
import { lazy } from "../kit/lazy.js";
import { Menu } from "../kit/menu.js";
import { Split } from "../kit/split.js";
import { TabPanel, Tabs } from "../kit/tabs.js";
import { ago, plural, stamp, timestampMilliseconds } from "../kit/format.js";
import { byPointer, command, useKeys } from "../kit/keys.js";
import { go, guardLeaving, setQuery } from "../kit/router.js";
import { toast, toastError } from "../kit/toast.js";
import { cellText, check, choicesOf, complaint, editText, isCollection, isCustom, isLink, linkOf, primaryKeyOf, same, titleOf, typeText, valueOf } from "../kit/values.js";
import { Collection, LinkField } from "./record-links.js";

const Access = lazy(() => import("./record-access.js"), "Access");

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

/** Edits: per field `{ text }`, `{ null: true }`, `{ unset: true }`, `{ link: { key, title } | null }`, `{ list: [texts] }` or `{ form: { member: text } }`. */
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
    if (!isNew && document.activeElement?.closest("[role=grid]") && (byPointer() || document.activeElement.matches("input, select"))) return;
    panel.current?.querySelector(isNew ? ".scroll .input:not([readonly])" : "header h2")?.focus({ preventScroll: true });
  }, [isNew]);
  // A change by others: fields that are not being edited follow. Those that are edited keep what is typed, and both values are shown.
  const base = useRef(/** @type {any} */ (null));
  useEffect(() => {
    const now = resource.data;
    const before = base.current;
    base.current = now ?? before;
    if (isNew || !now || !before || now === before) return;
    const differ = Object.keys(edits).flatMap((name) => attributesOf(source.fields.find((one) => one.name === name), name)).filter((name) => !same(before.values[name], now.values[name]));
    if (!differ.length) return;
    setConflict((/** @type {any} */ old) => ({ item: now, version: now.version, changed: [...new Set([...(old?.changed ?? []), ...differ])] }));
    setFailure({ code: "conflict", message: "The item changed while you edit it.", hint: "Compare the values and choose." });
  }, [resource.data]);
  useEffect(() => isNew ? undefined : follow(`changes:${source.name}`, (message) => {
    if (!message.data || keyText(message.data.key) === keyText(itemKey)) resource.retry();
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
      else if (edit.form) {
        const [value, problems] = formValue(field, edit.form);
        if (Object.keys(problems).length) bad[name] = Object.values(problems)[0];
        else values[name] = value;
      } else if (edit.list) {
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
    <header><div class="grow"><h2 class="cut" tabindex="-1" title=${title}>${title}</h2>${!isNew && itemKey.join(", ") !== title && html`<span class="mono faint">${itemKey.join(", ")}</span>`}</div>
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
      ${unset.length > 0 && html`<div class="unset"><h3>Not set</h3><ul>
        ${unset.map((one) => html`<li key=${one.name}><span class="mono nm">${one.name}</span><span class="ty">${typeText(one)}</span><${RoleButton} role="editor" class="btn plain end" label=${`Set ${one.name}`} onClick=${() => { set(one.name, isLink(one) ? { link: null } : one.list && !isCustom(one) ? { list: [""] } : hasForm(one) ? { form: {} } : { text: choicesOf(one)?.[0] ?? "" }); setTimeout(() => document.getElementById(`f-${one.name}`)?.focus(), 0); }}><${Icon} name="plus" small />Set<//></li>`)}
        </ul></div>`}
      ${collections.length > 0 && html`<div class="unset refs"><h3>Items that refer to this one</h3><ul>${collections.map((one) => html`<${Collection} key=${one.name} field=${one} all=${all} item=${item} source=${source} />`)}</ul></div>`}
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
      : hasForm(one) ? html`<${CustomField} id=${id} field=${one} texts=${edit?.form ?? (edit ? {} : formTexts(one, old))} changed=${Boolean(edit)} disabled=${reason || item.deleted} wrong=${wrong[one.name] && edit?.form ? formValue(one, edit.form)[1] : {}} onChange=${(/** @type {any} */ form) => set(one.name, same(form, formTexts(one, old)) ? null : { form })} />`
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
/** The attributes that a field is stored in. @param {any} field @param {string} name @returns {string[]} */
const attributesOf = (field, name) => (field && isLink(field) && field.keys?.length ? field.keys : [name]);
/** Whether a custom type's members are known, so that each has a control. @param {any} field */
const hasForm = (field) => isCustom(field) && !field.list && field.fields?.length > 0 && field.fields.every((/** @type {any} */ one) => !one.list && (one.kind === "scalar" || one.kind === "enum"));
/** @param {any} field @param {any} value @returns {Record<string, string>} */
const formTexts = (field, value) => Object.fromEntries(field.fields.filter((/** @type {any} */ one) => value?.[one.name] !== undefined && value[one.name] !== null).map((/** @type {any} */ one) => [one.name, editText(value[one.name], one)]));
/** What a form makes, and what is wrong with its members. @param {any} field @param {Record<string, string>} texts @returns {[any, Record<string, string>]} */
function formValue(field, texts) {
  /** @type {any} */ const value = {};
  /** @type {Record<string, string>} */ const bad = {};
  for (const one of field.fields) {
    if (texts[one.name] === undefined) {
      if (one.required) bad[one.name] = `${field.name}.${one.name} is required.`;
      continue;
    }
    const found = check(one, texts[one.name]);
    if (found.error) bad[one.name] = complaint(one, texts[one.name]);
    else value[one.name] = found.value;
  }
  return [value, bad];
}
/** @param {any} field @param {any} edit */
function editedText(field, edit) {
  if (edit.null) return "null";
  if (edit.unset) return "not set";
  if ("link" in edit) return edit.link?.title ?? "not set";
  if (edit.form) return JSON.stringify(edit.form);
  return edit.list ? edit.list.join(", ") : edit.text === "" ? '""' : edit.text;
}
/** @param {any} field @param {any} value */
function metaText(field, value) {
  if (field.type === "AWSTimestamp") {
    const time = timestampMilliseconds(value);
    return `${stamp(time)}, ${ago(time)}`;
  }
  return field.type === "AWSDateTime" ? stamp(value).replace(/\.000$/, "") : cellText(value);
}
