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
/** A query for the items that a filter shows. @param {any} source @param {any} json */
export function toGraphQL(source, json) {
  const enums = new Set(source.fields.filter((field) => field.kind === "enum").flatMap(enumValues));
  const fields = source.fields.filter((field) => field.kind === "scalar" || field.kind === "enum").map((field) => `      ${field.name}`);
  const filter = json ? `filter: ${literal(json, enums)}, ` : "";
  return `query ${source.name}Items {\n  ${listField(source)}(${filter}limit: 100) {\n    items {\n${fields.join("\n")}\n    }\n    nextToken\n  }\n}\n`;
}
const SWIFT = { eq: "==", ne: "!=", lt: "<", le: "<=", gt: ">", ge: ">=" };
/** A predicate for Amplify's Swift library. @param {string} model @param {Filter} filter */
export function toSwift(model, filter) {
  const name = model[0].toLowerCase() + model.slice(1);
  /** @param {Condition} one */
  const text = ({ field, op, value }) => {
    const key = `${name}.${field}`;
    if (SWIFT[op]) return `${key} ${SWIFT[op]} ${JSON.stringify(value)}`;
    if (op === "between") return `${key}.between(start: ${JSON.stringify(value[0])}, end: ${JSON.stringify(value[1])})`;
    if (op === "attributeExists") return `${key}.attributeExists(${value})`;
    if (op === "size") return `/* the length of ${field} has no predicate */`;
    return `${key}.${op}(${JSON.stringify(value)})`;
  };
  /** @param {Filter} group @returns {string} */
  const join = (group) => group.conditions.map((one) => (isGroup(one) ? `(${join(/** @type {Filter} */ (one))})` : text(/** @type {Condition} */ (one)))).join(group.any ? " || " : " && ");
  return `let ${name} = ${model}.keys\nlet predicate: QueryPredicate = ${join(filter) || "QueryPredicateConstant.all"}\n`;
}
