// What a schema means, in words: its changes against the deployed one, relationships, keys, rules and generated names. Pure.

import { allDefinitions } from "./schema-text.js";

/** @param {any} model @param {string} [name] */
export const typeOf = (model, name) => model?.types.find((/** @type {any} */ one) => one.name === name);
/** @param {any} model @param {string} kind */
export const typesOfKind = (model, kind) => (model?.types ?? []).filter((/** @type {any} */ one) => one.kind === kind);

/** A field's type as it is written. @param {any} field */
export function fieldType(field) {
  const inner = field.list ? `[${field.type}${field.elementRequired ? "!" : ""}]` : field.type;
  return inner + (field.required ? "!" : "");
}
/** @param {any} model @param {string} type @param {string} field */
export const relationOf = (model, type, field) => model?.relationships.find((/** @type {any} */ one) => one.type === type && one.field === field);
/** Whether a field is shown among the attributes: not a relationship. @param {any} model @param {any} type @param {any} field */
export const isAttribute = (model, type, field) => !relationOf(model, type.name, field.name) && !(field.kind === "model" && !field.stored);

/** `bookings` of `Booking`. @param {string} word */
export function pluralOf(word) {
  if (/[^aeiou]y$/i.test(word)) return `${word.slice(0, -1)}ies`;
  if (/(s|x|z|ch|sh)$/i.test(word)) return `${word}es`;
  return `${word}s`;
}
export const lowerFirst = (/** @type {string} */ word) => word.slice(0, 1).toLowerCase() + word.slice(1);
export const upperFirst = (/** @type {string} */ word) => word.slice(0, 1).toUpperCase() + word.slice(1);

/** Why a name cannot be used, or "". @param {string} name @param {string} what @param {string[]} [taken] */
export function wrongName(name, what, taken = []) {
  if (!name) return `${what} needs a name.`;
  if (!/^[_A-Za-z]\w*$/.test(name)) return "A name has letters, digits and underscores, and does not begin with a digit.";
  if (name.startsWith("__")) return "Names that begin with two underscores belong to GraphQL.";
  if (taken.includes(name)) return `${name} exists already.`;
  return "";
}

// Changes -------------------------------------------------------------------------------------------------------------

/** @typedef {"added" | "changed" | "removed"} Mark */
/** @typedef {{ mark: Mark, what: string, type: string, field?: string, stored?: boolean, renamed?: string }} Change */
/** @typedef {{ list: Change[], types: Map<string, Mark>, fields: Map<string, Mark>, was: Map<string, any>, gone: Map<string, any[]>, removedTypes: any[] }} Changes */

const refers = (/** @type {string[]} */ directives, /** @type {string} */ name) => {
  const one = directives.find((each) => new RegExp(`^@${name}\\b`).test(each));
  return one && /name\s*:\s*"([^"]*)"/.exec(one)?.[1];
};

/** The names that types and fields had in the base: from the draft's renames (version 1), or from what the text says (version 2).
 * @param {any} base @param {any} now @param {Record<string, string>} files @param {any[]} renames */
function formerNames(base, now, files, renames) {
  /** @type {Map<string, string>} */ const types = new Map();
  /** @type {Map<string, string>} */ const fields = new Map();
  for (const one of renames) {
    if (!one.field) {
      types.set(one.to, types.get(one.type) ?? one.type);
      types.delete(one.type);
      for (const [path, was] of [...fields]) {
        if (!path.startsWith(`${one.type}.`)) continue;
        fields.delete(path);
        fields.set(`${one.to}.${path.slice(one.type.length + 1)}`, was);
      }
    } else {
      fields.set(`${one.type}.${one.to}`, fields.get(`${one.type}.${one.field}`) ?? one.field);
      fields.delete(`${one.type}.${one.field}`);
    }
  }
  if (now.version === 2) {
    for (const definition of allDefinitions(files)) {
      const mapped = refers(definition.directives, "mapsTo");
      if (mapped && !typeOf(base, definition.name)) types.set(definition.name, mapped);
      const was = typeOf(base, types.get(definition.name) ?? definition.name);
      for (const member of definition.members) {
        const referred = refers(member.directives, "refersTo");
        if (referred && was && !was.fields.some((/** @type {any} */ one) => one.name === member.name)) fields.set(`${definition.name}.${member.name}`, referred);
      }
    }
  }
  return { types, fields };
}

const ruleTexts = (/** @type {any} */ one) => (one.rules ?? []).map((/** @type {any} */ rule) => rule.text).sort().join("\n");
const same = (a, b) => JSON.stringify(a ?? null) === JSON.stringify(b ?? null);

/** What a draft changes. @param {any} base the deployed model @param {any} now @param {Record<string, string>} files of the draft @param {any[]} renames @returns {Changes} */
export function changesOf(base, now, files, renames) {
  /** @type {Changes} */ const out = { list: [], types: new Map(), fields: new Map(), was: new Map(), gone: new Map(), removedTypes: [] };
  if (!now) return out;
  const former = formerNames(base, now, files, renames);
  const met = new Set();
  const kinds = { model: "model", enum: "enum", custom: "type", input: "input", interface: "interface", union: "union", scalar: "scalar" };
  for (const type of now.types) {
    const was = typeOf(base, former.types.get(type.name) ?? type.name);
    if (!was) {
      out.list.push({ mark: "added", what: `${kinds[type.kind] ?? "type"} ${type.name}`, type: type.name });
      out.types.set(type.name, "added");
      continue;
    }
    met.add(was.name);
    out.was.set(type.name, was);
    const before = out.list.length;
    if (was.name !== type.name) out.list.push({ mark: "changed", what: `${was.name} to ${type.name}`, renamed: was.name, type: type.name });
    const metFields = new Set();
    for (const field of type.fields) {
      const path = `${type.name}.${field.name}`;
      const old = was.fields.find((/** @type {any} */ one) => one.name === (former.fields.get(path) ?? field.name));
      if (!old) {
        out.list.push({ mark: "added", what: `field ${path}`, type: type.name, field: field.name });
        out.fields.set(path, "added");
        continue;
      }
      metFields.add(old.name);
      out.was.set(path, old);
      const renamedType = former.types.get(field.type) ?? field.type;
      const relation = relationOf(now, type.name, field.name);
      const oldRelation = relationOf(base, was.name, old.name);
      const differs = old.name !== field.name || fieldType({ ...field, type: renamedType }) !== fieldType(old) || !same(field.default, old.default) || !same(field.description, old.description) || ruleTexts(field) !== ruleTexts(old)
        || Boolean(relation) !== Boolean(oldRelation) || (relation && (relation.kind !== oldRelation.kind || relation.index !== oldRelation.index));
      if (!differs) continue;
      out.fields.set(path, "changed");
      out.list.push(old.name !== field.name ? { mark: "changed", what: `${was.name}.${old.name} to ${field.name}`, renamed: old.name, type: type.name, field: field.name } : { mark: "changed", what: path, type: type.name, field: field.name });
    }
    const gone = was.fields.filter((/** @type {any} */ one) => !metFields.has(one.name));
    if (gone.length) out.gone.set(type.name, gone);
    for (const field of gone) out.list.push({ mark: "removed", what: `${type.name}.${field.name}`, type: type.name, field: field.name, stored: field.stored && type.kind === "model" });
    const keysOf = (/** @type {any} */ one, back = (/** @type {string} */ name) => name) => one.keys.map((/** @type {any} */ key) => [key.name, key.fields.map(back), key.queryField]);
    if (!same(keysOf(type, (name) => former.fields.get(`${type.name}.${name}`) ?? name), keysOf(was))) out.list.push({ mark: "changed", what: `the keys of ${type.name}`, type: type.name });
    if (ruleTexts(type) !== ruleTexts(was)) out.list.push({ mark: "changed", what: `the rules of ${type.name}`, type: type.name });
    if (!same(type.arguments, was.arguments)) out.list.push({ mark: "changed", what: `the settings of ${type.name}`, type: type.name });
    if (!same(type.description, was.description)) out.list.push({ mark: "changed", what: `the description of ${type.name}`, type: type.name });
    const [values, oldValues] = [type.values, was.values].map((list) => list.map((/** @type {any} */ one) => one.name));
    for (const value of values) if (!oldValues.includes(value)) out.list.push({ mark: "added", what: `value ${type.name}.${value}`, type: type.name }), out.fields.set(`${type.name}.${value}`, "added");
    for (const value of oldValues) if (!values.includes(value)) out.list.push({ mark: "removed", what: `value ${type.name}.${value}`, type: type.name });
    if (out.list.length > before) out.types.set(type.name, "changed");
  }
  for (const type of base?.types ?? []) {
    if (met.has(type.name)) continue;
    out.removedTypes.push(type);
    out.list.push({ mark: "removed", what: `${kinds[type.kind] ?? "type"} ${type.name}`, type: type.name, stored: type.kind === "model" });
  }
  return out;
}

/** `a, b and c`, or `a, b and 4 more`. @param {string[]} list */
export function joined(list, limit = 3) {
  const shown = list.length > limit ? [...list.slice(0, limit - 1), `${list.length - limit + 1} more`] : list;
  return shown.length < 2 ? shown.join("") : `${shown.slice(0, -1).join(", ")} and ${shown[shown.length - 1]}`;
}
/** One or two sentences on a draft. @param {Changes} changes */
export function summaryOf(changes) {
  if (changes.list.length === 0) return "Only comments and layout differ.";
  const parts = [];
  const group = (/** @type {string} */ verb, /** @type {Change[]} */ list) => list.length && parts.push(`${parts.length ? lowerFirst(verb) : verb} ${joined(list.map((one) => one.what))}`);
  group("Adds", changes.list.filter((one) => one.mark === "added"));
  group("Renames", changes.list.filter((one) => one.renamed));
  group("Changes", changes.list.filter((one) => one.mark === "changed" && !one.renamed));
  group("Removes", changes.list.filter((one) => one.mark === "removed"));
  const lost = changes.list.filter((one) => one.mark === "removed" && one.stored);
  return `${joined(parts)}. ${lost.length ? `Data of ${joined(lost.map((one) => one.what.replace(/^model /, "")))} is no longer served.` : "No data loss."}`;
}

// Relationships -------------------------------------------------------------------------------------------------------

/** The relationships of a type, one entry for each pair. @param {any} model @param {string} name */
export function relationshipsOf(model, name) {
  const seen = new Set();
  return (model?.relationships ?? []).filter((/** @type {any} */ one) => {
    if (one.type !== name || seen.has(one.field)) return false;
    if (one.target === name && one.reverseField) seen.add(one.reverseField);
    return true;
  });
}
/** @param {string} count @param {string} target */
export const hasWords = (count, target) => (count === "many" ? `many ${pluralOf(target)}` : `one ${target}`);
/** The second sentence of a relationship: how it leads back. @param {any} one */
export function backSentence(one) {
  if (one.kind === "manyToMany") return `Each ${one.target} has many ${pluralOf(one.type)}${one.reverseField ? ", as " : "."}`;
  if (one.reverse === "none" || !one.reverseField) return `${pluralOf(one.target)} do not list their ${pluralOf(one.type)}.`;
  return `Each ${one.target} has ${hasWords(one.reverse, one.type)}, as `;
}

// Keys ----------------------------------------------------------------------------------------------------------------

/** Which requests a key serves, in words. @param {any} key @param {any} type */
export function keyServes(key, type) {
  const [partition, ...sort] = key.fields;
  if (key.primary) return sort.length ? `One ${type.name} by ${joined(key.fields)}; a list of one ${partition}, sorted by ${joined(sort)}.` : `One ${type.name} by ${partition}.`;
  return sort.length ? `All ${pluralOf(type.name)} of one ${partition}, sorted by ${joined(sort)}, and ranges of ${sort[0]}.` : `All ${pluralOf(type.name)} of one ${partition}.`;
}
/** The name of a key that serves the same. @param {any} key @param {any[]} keys */
export const sameKey = (key, keys) => keys.find((one) => one !== key && one.fields.slice(0, key.fields.length).join() === key.fields.join() && (one.fields.length > key.fields.length || keys.indexOf(one) < keys.indexOf(key)));

// Rules ---------------------------------------------------------------------------------------------------------------

export const OPERATIONS = ["create", "read", "update", "delete"];
/** Who a rule is for. @param {any} rule */
export function whoWords(rule) {
  const provider = rule.provider;
  switch (rule.allow) {
    case "public": return provider === "iam" || provider === "identityPool" ? "Guests (IAM)" : "Everyone with the API key";
    case "private": return provider === "iam" || provider === "identityPool" ? "Signed-in users (IAM)" : provider === "oidc" ? "Signed-in users (OpenID Connect)" : "Signed-in users";
    case "owner": return `The owner, by ${[rule.ownerField ?? "owner"].flat().join(", ")}`;
    case "groups": return rule.groupsField ? `The group in ${rule.groupsField}` : `Group ${[rule.groups ?? []].flat().join(", ")}`;
    case "custom": return "What the function decides";
    default: return rule.allow;
  }
}
/** The operations of a rule; without any, all. @param {any} rule */
export function operationsOf(rule) {
  if (!rule.operations && (rule.queries !== undefined || rule.mutations !== undefined)) return [...([rule.mutations ?? []].flat()), ...([rule.queries ?? []].flat().length ? ["read"] : [])];
  return rule.operations ? [rule.operations].flat() : OPERATIONS;
}
/** The kinds of rules that the page writes. */
export const WHO = [
  { value: "public", text: "Everyone with the API key", rule: { allow: "public" } },
  { value: "private", text: "Signed-in users", rule: { allow: "private" } },
  { value: "owner", text: "The owner of the item, by a field", rule: { allow: "owner" }, field: "ownerField", label: "Field with the owner", standard: "owner" },
  { value: "groups", text: "A group", rule: { allow: "groups" }, field: "groups", label: "Groups, separated by commas", list: true },
  { value: "groupsField", text: "A group that a field names", rule: { allow: "groups" }, field: "groupsField", label: "Field with the group", standard: "groups" },
  { value: "iamPublic", text: "Guests (IAM)", rule: { allow: "public", provider: "iam" } },
  { value: "iamPrivate", text: "Signed-in users (IAM)", rule: { allow: "private", provider: "iam" } },
  { value: "custom", text: "What a function decides", rule: { allow: "custom" } },
];
/** Which of `WHO` a rule is; null where the page cannot show it. @param {any} rule */
export function whoOf(rule) {
  if (rule.identityField || rule.identityClaim || rule.groupClaim || rule.queries !== undefined || rule.mutations !== undefined || (rule.ownerField && Array.isArray(rule.ownerField))) return null;
  const iam = rule.provider === "iam" || rule.provider === "identityPool";
  if (rule.provider && !iam && rule.provider !== "apiKey" && rule.provider !== "userPools") return null;
  if (rule.allow === "public") return iam ? "iamPublic" : "public";
  if (rule.allow === "private") return iam ? "iamPrivate" : "private";
  if (rule.allow === "groups") return rule.groupsField ? "groupsField" : "groups";
  return ["owner", "custom"].includes(rule.allow) ? rule.allow : null;
}

// Generated API -------------------------------------------------------------------------------------------------------

/** A copyable example of a generated field. @param {string} name @param {any} type @param {any} model */
export function example(name, type, model) {
  const fields = type.fields.filter((/** @type {any} */ one) => (one.kind === "scalar" || one.kind === "enum")).map((/** @type {any} */ one) => one.name);
  const selection = [...new Set(fields)].slice(0, 8).join(" ");
  const required = type.fields.filter((/** @type {any} */ one) => one.required && one.kind !== "model");
  const literal = (/** @type {any} */ field) => {
    const one = { Int: "1", Float: "1.5", Boolean: "true", AWSTimestamp: "1795347858", AWSDate: '"2026-12-05"', AWSTime: '"14:30"', AWSDateTime: '"2026-12-05T14:30:00Z"', AWSEmail: '"ada@example.com"', AWSURL: '"https://example.com"', AWSPhone: '"+44 20 7946 0018"', AWSJSON: '"{}"', AWSIPAddress: '"192.168.1.20"' }[field.type]
      ?? (field.kind === "enum" ? typeOf(model, field.type)?.values[0]?.name ?? "VALUE" : field.kind === "custom" ? "{ }" : '"…"');
    return field.list ? `[${one}]` : one;
  };
  const keys = type.keys.find((/** @type {any} */ one) => one.primary)?.fields ?? ["id"];
  const fieldOf = (/** @type {string} */ wanted) => type.fields.find((/** @type {any} */ one) => one.name === wanted) ?? { name: wanted, type: "ID" };
  const pairs = (/** @type {any[]} */ list) => list.map((one) => `${one.name}: ${literal(one)}`).join(", ");
  const kind = type.api?.mutations.includes(name) ? "mutation" : type.api?.subscriptions.includes(name) ? "subscription" : "query";
  if (kind === "subscription") return `subscription {\n  ${name} { ${selection} }\n}`;
  if (kind === "mutation") {
    const isDelete = /^delete/.test(name);
    const input = isDelete ? keys.map(fieldOf) : required.filter((/** @type {any} */ one) => /^create/.test(name) ? one.name !== "id" : true);
    return `mutation {\n  ${name}(input: { ${pairs(input)} }) { ${selection} }\n}`;
  }
  const key = type.keys.find((/** @type {any} */ one) => one.queryField === name);
  if (key) return `query {\n  ${name}(${pairs([fieldOf(key.fields[0])])}) {\n    items { ${selection} }\n    nextToken\n  }\n}`;
  if (/^get/.test(name)) return `query {\n  ${name}(${pairs(keys.map(fieldOf))}) { ${selection} }\n}`;
  if (/^sync/.test(name)) return `query {\n  ${name}(limit: 100) {\n    items { ${selection} _version _lastChangedAt _deleted }\n    nextToken\n    startedAt\n  }\n}`;
  return `query {\n  ${name}(limit: 20) {\n    items { ${selection} }\n    nextToken\n  }\n}`;
}
