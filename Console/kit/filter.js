// Filters: a list of conditions ↔ the JSON of the API's filter inputs ↔ GraphQL and Swift. Pure.

/** The API's operators with the words of the chips. `values`: how many the operator takes. */
export const OPERATORS = {
  eq: { words: "is", values: 1 }, ne: { words: "is not", values: 1 }, lt: { words: "<", values: 1 }, le: { words: "≤", values: 1 }, gt: { words: ">", values: 1 }, ge: { words: "≥", values: 1 },
  between: { words: "between", values: 2 }, beginsWith: { words: "starts with", values: 1 }, contains: { words: "contains", values: 1 }, notContains: { words: "does not contain", values: 1 },
  attributeExists: { words: "is set", values: 1 }, size: { words: "length", values: 1 },
};
const TEXT = ["eq", "ne", "beginsWith", "contains", "notContains", "lt", "le", "gt", "ge", "between", "attributeExists", "size"];
const NUMBER = ["eq", "ne", "lt", "le", "gt", "ge", "between", "attributeExists"];

/** @typedef {{ field: string, op: string, value: any }} Condition
 *  @typedef {{ any: boolean, conditions: (Condition | Filter)[] }} Filter */

/** The operators that a field takes. @param {import("./values.js").Field} field */
export function operatorsOf(field) {
  if (field.list) return ["contains", "notContains", "attributeExists", "size"];
  if (field.type === "Boolean" || field.kind === "enum") return ["eq", "ne", "attributeExists"];
  return field.type === "Int" || field.type === "Float" || field.type === "AWSTimestamp" ? NUMBER : TEXT;
}

export const isGroup = (/** @type {any} */ one) => "conditions" in one;

/** @param {Condition} condition */
function conditionJSON({ field, op, value }) {
  const parts = field.split(".");
  return parts.reduceRight((/** @type {any} */ inside, name) => ({ [name]: inside }), { [op]: value });
}
/** @param {Filter} filter @returns {any} null without conditions */
export function toJSON(filter) {
  const parts = filter.conditions.map((one) => (isGroup(one) ? toJSON(/** @type {Filter} */ (one)) : conditionJSON(/** @type {Condition} */ (one)))).filter(Boolean);
  if (parts.length === 0) return null;
  if (parts.length === 1) return parts[0];
  return filter.any ? { or: parts } : { and: parts };
}

/** @param {any} json @returns {Filter | null} null if it has what the chips cannot show */
export function fromJSON(json, depth = 0) {
  if (json === null || json === undefined) return { any: false, conditions: [] };
  if (typeof json !== "object" || Array.isArray(json)) return null;
  const names = Object.keys(json);
  if (names.length === 1 && (names[0] === "and" || names[0] === "or")) {
    if (!Array.isArray(json[names[0]])) return null;
    /** @type {(Condition | Filter)[]} */ const conditions = [];
    for (const part of json[names[0]]) {
      const inner = fromJSON(part, depth + 1);
      if (!inner) return null;
      if (inner.conditions.length === 1) conditions.push(inner.conditions[0]);
      else if (depth > 0) return null;
      else conditions.push(inner);
    }
    return { any: names[0] === "or", conditions };
  }
  /** @type {Condition[]} */ const conditions = [];
  for (const name of names) {
    if (name === "and" || name === "or" || name === "not") return null;
    for (const [op, value] of Object.entries(json[name] ?? {})) {
      if (op in OPERATORS) {
        if (op === "size" && typeof value === "object" && value) conditions.push({ field: name, op, value });
        else conditions.push({ field: name, op, value });
      } else if (value && typeof value === "object") {
        for (const [inner, last] of Object.entries(value)) {
          if (!(inner in OPERATORS)) return null;
          conditions.push({ field: `${name}.${op}`, op: inner, value: last });
        }
      } else return null;
    }
  }
  return { any: false, conditions };
}

/** @param {any} value */
export function valueText(value) {
  if (Array.isArray(value)) return value.map(valueText).join(" and ");
  if (value && typeof value === "object") return Object.entries(value).map(([op, one]) => `${OPERATORS[op]?.words ?? op} ${valueText(one)}`).join(", ");
  if (value === true) return "yes";
  if (value === false) return "no";
  if (value === null) return "null";
  return value === "" ? '""' : String(value);
}
/** Words of a chip. @param {Condition} condition */
export function conditionWords({ field, op, value }) {
  if (op === "attributeExists") return { field, op: value === false ? "is not set" : "is set", value: "" };
  return { field, op: OPERATORS[op]?.words ?? op, value: valueText(value) };
}

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
  const enums = new Set(source.fields.filter((/** @type {any} */ field) => field.kind === "enum").flatMap((/** @type {any} */ field) => field.values ?? field.enumValues ?? []));
  const fields = source.fields.filter((/** @type {any} */ field) => field.kind === "scalar" || field.kind === "enum").map((/** @type {any} */ field) => `      ${field.name}`);
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
