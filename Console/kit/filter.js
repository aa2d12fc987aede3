// Filters: a list of conditions ↔ the JSON of the API's filter inputs. Pure.

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

export const isGroup = (one) => "conditions" in one;

/** @param {Condition} condition */
function conditionJSON({ field, op, value }) {
  const parts = field.split(".");
  return parts.reduceRight((inside, name) => ({ [name]: inside }), { [op]: value });
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
      if (op in OPERATORS) conditions.push({ field: name, op, value });
      else if (value && typeof value === "object") {
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
function valueText(value) {
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
