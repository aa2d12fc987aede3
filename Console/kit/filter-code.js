// A filter as a program: GraphQL for the Query page, a predicate for Amplify's Swift library. Pure.

import { isGroup } from "./filter.js";
import { enumValues } from "./values.js";

/** @typedef {import("./filter.js").Condition} Condition
 *  @typedef {import("./filter.js").Filter} Filter */

/** @param {any} value @param {Set<string>} enums */
function literal(value, enums) {
  if (Array.isArray(value)) return `[${value.map((one) => literal(one, enums)).join(", ")}]`;
  if (value && typeof value === "object") return `{ ${Object.entries(value).map(([name, one]) => `${name}: ${literal(one, enums)}`).join(", ")} }`;
  if (typeof value === "string" && enums.has(value)) return value;
  return JSON.stringify(value);
}
/** Amplify's names: listBookings. @param {any} source an entry of GET /data */
export function listField(source) {
  if (source.listField) return source.listField;
  const name = source.name;
  const plural = /[^aeiou]y$/i.test(name) ? `${name.slice(0, -1)}ies` : /(s|x|z|ch|sh)$/i.test(name) ? `${name}es` : `${name}s`;
  return `list${plural[0].toUpperCase()}${plural.slice(1)}`;
}
/** A filter without the fields of related models, which the API's filter inputs lack. @param {any} source @param {any} json @param {string[]} left names that are left out @returns {any} */
function ownFields(source, json, left) {
  if (!json || typeof json !== "object") return json;
  const links = new Set(source.fields.filter((field) => field.kind === "belongsTo" || field.kind === "hasOne").map((field) => field.name));
  /** @type {any} */ const out = {};
  for (const [name, value] of Object.entries(json)) {
    if (links.has(name)) left.push(...Object.keys(/** @type {any} */ (value)).map((one) => `${name}.${one}`));
    else if ((name === "and" || name === "or") && Array.isArray(value)) {
      const parts = value.map((one) => ownFields(source, one, left)).filter(Boolean);
      if (parts.length) out[name] = parts;
    } else if (name === "not") {
      const inner = ownFields(source, value, left);
      if (inner) out.not = inner;
    } else out[name] = value;
  }
  return Object.keys(out).length ? out : null;
}
/** Says what was left out. @param {string} mark of a comment @param {string[]} left */
const without = (mark, left) => (left.length ? `${mark} Without ${[...new Set(left)].join(", ")}: a filter of the API names fields of its own model only.\n` : "");

/** A query for the items that a filter shows. @param {any} source @param {any} all of the filter */
export function toGraphQL(source, all) {
  /** @type {string[]} */ const left = [];
  const json = ownFields(source, all, left);
  const enums = new Set(source.fields.filter((field) => field.kind === "enum").flatMap(enumValues));
  const fields = source.fields.filter((field) => field.kind === "scalar" || field.kind === "enum").map((field) => `      ${field.name}`);
  const filter = json ? `filter: ${literal(json, enums)}, ` : "";
  return `${without("#", left)}query ${source.name}Items {\n  ${listField(source)}(${filter}limit: 100) {\n    items {\n${fields.join("\n")}\n    }\n    nextToken\n  }\n}\n`;
}
const SWIFT = { eq: "==", ne: "!=", lt: "<", le: "<=", gt: ">", ge: ">=" };
/** A predicate for Amplify's Swift library. @param {any} source @param {Filter} filter */
export function toSwift(source, filter) {
  const model = source.name;
  const name = model[0].toLowerCase() + model.slice(1);
  /** @type {string[]} */ const left = [];
  /** @param {Condition} one */
  const text = ({ field, op, value }) => {
    const key = `${name}.${field}`;
    if (field.includes(".") || op === "size") return void left.push(op === "size" ? `the length of ${field}` : field);
    if (SWIFT[op]) return `${key} ${SWIFT[op]} ${value === null ? "nil" : JSON.stringify(value)}`;
    if (op === "between") return `${key}.between(start: ${JSON.stringify(value[0])}, end: ${JSON.stringify(value[1])})`;
    if (op === "attributeExists") return `${key}.attributeExists(${value})`;
    return `${key}.${op}(${JSON.stringify(value)})`;
  };
  /** @param {Filter} group @returns {string} */
  const join = (group) => group.conditions.map((one) => (isGroup(one) ? (({ length }, inner) => (length > 1 ? `(${inner})` : inner))(/** @type {Filter} */ (one).conditions, join(/** @type {Filter} */ (one))) : text(/** @type {Condition} */ (one)))).filter(Boolean).join(group.any ? " || " : " && ");
  const predicate = join(filter) || "QueryPredicateConstant.all";
  return `${left.length ? `// Without ${[...new Set(left)].join(", ")}: predicates name fields of their own model only.\n` : ""}let ${name} = ${model}.keys\nlet predicate: QueryPredicate = ${predicate}\n`;
}
