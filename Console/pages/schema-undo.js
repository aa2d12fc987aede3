// Takes back one change of a draft: the text of a field or a type as it was deployed, byte for byte, where it stood.

import { toastError } from "../kit/toast.js";
import { allDefinitions, lineEnd } from "./schema-text.js";
import { relationOf } from "./schema-model.js";

/** @typedef {import("./schema-draft.js").Draft} Draft */

/** @param {Record<string, string>} files @param {string} type @param {string} [member] */
function find(files, type, member) {
  for (const definition of allDefinitions(files)) {
    if (definition.name !== type) continue;
    if (member === undefined) return { definition, member: null, text: files[definition.file] };
    const found = definition.members.find((one) => one.name === member);
    if (found) return { definition, member: found, text: files[definition.file] };
  }
  return null;
}

/** Undoes what a draft did to a field. @param {Draft} draft @param {any} type @param {any} field */
export async function undoField(draft, type, field) {
  const path = `${type.name}.${field.name}`;
  const label = `Undo the change of ${path}`;
  if (draft.changes.fields.get(path) === "added") {
    const relation = relationOf(draft.model, type.name, field.name);
    const edit = relation ? { kind: "removeRelationship", type: type.name, field: field.name, removeReverse: draft.changes.fields.get(`${relation.target}.${relation.reverseField}`) === "added", removeKey: true } : { kind: "removeField", type: type.name, field: field.name };
    return draft.edit(edit, label).catch((error) => toastError(error, "Not undone"));
  }
  const was = draft.changes.was.get(path);
  const [old, now] = [find(draft.base.files, (draft.changes.was.get(type.name) ?? type).name, was?.name ?? field.name), find(draft.files, type.name, field.name)];
  if (!old?.member || !now?.member) return;
  draft.change([{ file: now.definition.file, start: now.member.start, end: now.member.end, text: old.text.slice(old.member.start, old.member.end) }], {
    label, renames: draft.renames.filter((one) => !(one.field && one.type === type.name && one.to === field.name)),
  });
  await draft.checkNow();
}

/** Puts a removed field back, after the sibling that it followed. @param {Draft} draft @param {any} type @param {any} field of the deployed schema */
export async function restoreField(draft, type, field) {
  const was = draft.changes.was.get(type.name) ?? type;
  const old = find(draft.base.files, was.name, field.name);
  const now = find(draft.files, type.name);
  if (!old?.member || !now) return;
  const siblings = old.definition.members.slice(0, old.definition.members.indexOf(old.member));
  const before = siblings.reverse().map((one) => now.definition.members.find((each) => each.name === one.name)).find(Boolean);
  const { text } = now;
  const brace = text.indexOf("{", now.definition.nameStart);
  const anchor = before ? before.end : brace + 1;
  const rest = /^[^\r\n]*/.exec(text.slice(anchor))?.[0] ?? "";
  const oneLine = /[^\s,]/.test(rest.replace(/#.*$/, ""));
  const own = old.text.slice(old.member.start, old.member.end);
  const lead = /[^\r\n]*$/.exec(old.text.slice(0, old.member.start))?.[0] ?? "";
  const insert = oneLine ? ` ${own}` : `${lineEnd(text)}${/^\s*$/.test(lead) ? lead : "  "}${own}`;
  const at = oneLine ? anchor : anchor + rest.length;
  draft.change([{ file: now.definition.file, start: at, end: at, text: insert }], { label: `Restore ${type.name}.${field.name}` });
  await draft.checkNow();
}

/** Puts a removed type back, after the definition that it followed. @param {Draft} draft @param {any} type of the deployed schema */
export async function restoreType(draft, type) {
  const old = find(draft.base.files, type.name);
  if (!old) return;
  const all = allDefinitions(draft.base.files).filter((one) => one.file === old.definition.file);
  const siblings = all.slice(0, all.findIndex((one) => one.name === type.name)).reverse();
  const present = allDefinitions(draft.files).filter((one) => one.file === old.definition.file);
  const before = siblings.map((one) => present.find((each) => each.name === one.name)).find(Boolean);
  const text = draft.files[old.definition.file] ?? "";
  const end = lineEnd(text || old.text);
  const own = old.text.slice(old.definition.start, old.definition.end);
  const rest = before ? /^[^\r\n]*/.exec(text.slice(before.end))?.[0].length ?? 0 : 0;
  const at = before ? before.end + rest : 0;
  draft.change([{ file: old.definition.file, start: at, end: at, text: before ? end + end + own : own + end + (text ? end : "") }], { label: `Restore ${type.name}` });
  await draft.checkNow();
}

/** Makes a changed type what it was. @param {Draft} draft @param {any} type */
export async function undoType(draft, type) {
  if (draft.changes.types.get(type.name) === "added") {
    const { removeType } = await import("./schema-actions.js");
    return removeType(draft, type);
  }
  const was = draft.changes.was.get(type.name);
  const [old, now] = [find(draft.base.files, was.name), find(draft.files, type.name)];
  if (!old || !now) return;
  draft.change([{ file: now.definition.file, start: now.definition.start, end: now.definition.end, text: old.text.slice(old.definition.start, old.definition.end) }], {
    label: `Undo the changes of ${type.name}`, renames: draft.renames.filter((one) => (one.field ? one.type !== type.name : one.to !== type.name)),
  });
  await draft.checkNow();
}
