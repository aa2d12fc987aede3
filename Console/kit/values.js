// Values of fields: how they are checked before they are sent, and how they are shown. Pure.

/** @typedef {{ name: string, type: string, kind: string, required?: boolean, list?: boolean, elementRequired?: boolean, target?: string, values?: string[], enumValues?: string[], readOnly?: boolean, keys?: string[], fields?: Field[] }} Field */

const DATE = /^[+-]?\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])$/;
const TIME = /^([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,9})?)?$/;
const ZONE = /(Z|[+-]([01]\d|2[0-3]):[0-5]\d(:[0-5]\d)?)$/;

/** @param {string} text */
function isDate(text) {
  const day = text.replace(ZONE, "");
  if (!DATE.test(day)) return false;
  const date = new Date(`${day.slice(-10)}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().slice(0, 10) === day.slice(-10);
}
/** @param {string} text */
function isURL(text) {
  try {
    return Boolean(new URL(text));
  } catch {
    return false;
  }
}
/** @param {string} text */
function isIPAddress(text) {
  const [address, length, more] = text.split("/");
  if (more !== undefined) return false;
  const isV4 = /^\d{1,3}(\.\d{1,3}){3}$/.test(address) && address.split(".").every((part) => Number(part) < 256 && String(Number(part)) === part);
  const isV6 = /^[0-9a-fA-F:.]+$/.test(address) && address.includes(":") && isURL(`http://[${address}]/`);
  if (!isV4 && !isV6) return false;
  return length === undefined || (/^\d{1,3}$/.test(length) && Number(length) <= (isV4 ? 32 : 128));
}

/** Each scalar's check: the value to send, or what is expected. @type {Record<string, (text: string) => any>} */
const SCALARS = {
  ID: (text) => text,
  String: (text) => text,
  Int: (text) => {
    const value = Number(text);
    if (!/^[+-]?\d+$/.test(text.trim()) || value < -2147483648 || value > 2147483647) throw "must be a whole number between −2,147,483,648 and 2,147,483,647";
    return value;
  },
  Float: (text) => {
    if (text.trim() === "" || !Number.isFinite(Number(text))) throw "must be a number like 12.5";
    return Number(text);
  },
  Boolean: (text) => {
    if (text !== "true" && text !== "false") throw "must be true or false";
    return text === "true";
  },
  AWSDate: (text) => {
    if (!isDate(text)) throw "must be a date like 2026-12-05";
    return text;
  },
  AWSTime: (text) => {
    if (!TIME.test(text.replace(ZONE, ""))) throw "must be a time like 14:30:00.000Z";
    return text;
  },
  AWSDateTime: (text) => {
    const [day, time = ""] = text.split("T");
    if (!isDate(day) || !ZONE.test(time) || !TIME.test(time.replace(ZONE, ""))) throw "must be a date and time like 2026-12-05T14:30:00.000Z";
    return text;
  },
  AWSTimestamp: (text) => {
    if (!/^-?\d+$/.test(text.trim())) throw "must be seconds since 1970, like 1795347858";
    return Number(text);
  },
  AWSJSON: (text) => {
    try {
      JSON.parse(text);
    } catch {
      throw "must be JSON";
    }
    return text;
  },
  AWSEmail: (text) => {
    if (!/^[^\s@<>]+@[^\s@<>]+\.[^\s@<>.]+$/.test(text)) throw "must be an e-mail address like ada@example.com";
    return text;
  },
  AWSURL: (text) => {
    if (!isURL(text)) throw "must be a URL like https://example.com";
    return text;
  },
  AWSPhone: (text) => {
    if (!/^\+?[\d\s\-().]+$/.test(text) || text.replace(/\D/g, "").length < 7 || text.replace(/\D/g, "").length > 15) throw "must be a phone number like +44 20 7946 0018";
    return text;
  },
  AWSIPAddress: (text) => {
    if (!isIPAddress(text)) throw "must be an address like 192.168.1.20 or 2001:db8::1";
    return text;
  },
};

export const enumValues = (/** @type {Field} */ field) => field.values ?? field.enumValues ?? [];
export const isLink = (/** @type {Field} */ field) => field.kind === "belongsTo" || (field.kind === "hasOne" && Boolean(field.keys?.length));
export const isCollection = (/** @type {Field} */ field) => field.kind === "hasMany" || field.kind === "manyToMany" || (field.kind === "hasOne" && !field.keys?.length);
export const isCustom = (/** @type {Field} */ field) => !isLink(field) && !isCollection(field) && field.kind !== "scalar" && field.kind !== "enum";

/** What a belongs-to field of an item leads to: its key, and its title where the server says it. @param {any} item @param {Field} field */
export function linkOf(item, field) {
  if (item.links?.[field.name]) return item.links[field.name];
  const key = (field.keys ?? []).map((name) => item.values[name]);
  return key.length && key.every((part) => part !== undefined && part !== null) ? { key: key.map(String), title: String(key[0]) } : null;
}
/** A stored value. The version and its time stand beside the values. @param {any} item @param {Field} field */
export function valueOf(item, field) {
  if (field.name in item.values) return item.values[field.name];
  if (field.name === "_version") return item.version;
  if (field.name === "_lastChangedAt") return item.changedAt && new Date(item.changedAt).getTime();
  return field.name === "_deleted" ? item.deleted : undefined;
}
export const isPlain = (/** @type {Field} */ field) => (field.kind === "scalar" || field.kind === "enum") && !field.list;

/** The choices of a field that has a few, else null. @param {Field} field @returns {string[] | null} */
export const choicesOf = (field) => (field.kind === "enum" ? enumValues(field) : field.type === "Boolean" ? ["true", "false"] : null);
/** The fields of a model's primary key: the partition key, then the sort keys. @param {any} source @returns {string[]} */
export function primaryKeyOf(source) {
  const primary = source.keys.find((one) => one.primary);
  return [primary.partition, ...(primary.sort ?? [])];
}

/** What a person recognizes an item by, or its key. @param {any} source @param {any} item @returns {string} */
export function titleOf(source, item) {
  const text = (source.title ?? []).map((/** @type {string} */ name) => item.values[name]).filter((value) => value !== undefined && value !== null && value !== "").map(String).join(", ");
  return text || item.key.join(", ");
}

/** `[AWSDate!]!`, or `→ Room`. @param {Field} field */
export function typeText(field) {
  if (isLink(field)) return `→ ${field.type}`;
  if (isCollection(field)) return field.kind === "hasOne" ? `→ ${field.type}` : `[${field.type}]`;
  return (field.list ? `[${field.type}${field.elementRequired ? "!" : ""}]` : field.type) + (field.required ? "!" : "");
}

/** Checks one value as typed. @param {Field} field @param {string} text @returns {{ value?: any, error?: string }} */
export function check(field, text) {
  try {
    if (field.kind === "enum") {
      if (!enumValues(field).includes(text)) throw `must be one of ${enumValues(field).join(", ")}`;
      return { value: text };
    }
    if (isCustom(field)) return { value: JSON.parse(text) };
    const scalar = SCALARS[field.type] ?? SCALARS.String;
    return { value: scalar(text) };
  } catch (reason) {
    const words = typeof reason === "string" ? reason : "must be JSON";
    return { error: `Not saved: ${field.name} ${words}.` };
  }
}
/** Without "Not saved:", for a form that is being filled in. @param {Field} field @param {string} text */
export function complaint(field, text) {
  const { error } = check(field, text);
  return error?.replace(/^Not saved: /, "") ?? "";
}

/** A value as the text of a field. @param {any} value @param {Field} field */
export function editText(value, field) {
  if (value === undefined || value === null) return "";
  if (typeof value === "object") return JSON.stringify(value, null, isCustom(field) ? 2 : 0);
  return String(value);
}

/** At most this many characters of a value are shown in a cell. */
const CELL_CHARACTERS = 200;
/** @param {any} value */
export function cellText(value) {
  const text = typeof value === "object" ? JSON.stringify(value) : String(value);
  return text.length > CELL_CHARACTERS ? `${text.slice(0, CELL_CHARACTERS)}…` : text;
}
/** @param {any} a @param {any} b */
export const same = (a, b) => a === b || JSON.stringify(a) === JSON.stringify(b);
