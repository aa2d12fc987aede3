// Numbers, times and sizes as text. Pure.

const number = new Intl.NumberFormat("en");
export const count = (/** @type {number} */ value) => number.format(value);

/** `1,048,210`, or `10,000+` where counting stopped. @param {{ value: number, exact: boolean } | null | undefined} value */
export const countText = (value) => (value ? count(value.value) + (value.exact ? "" : "+") : "");

/** @param {number} n @param {string} one @param {string} [many] */
export const plural = (n, one, many = `${one}s`) => `${count(n)} ${n === 1 ? one : many}`;

/** @param {number} value */
export function bytes(value) {
  if (value < 1000) return `${value} ${value === 1 ? "byte" : "bytes"}`;
  const units = ["KB", "MB", "GB", "TB"];
  let unit = -1;
  do {
    value /= 1000;
    unit += 1;
  } while (value >= 999.5 && unit < units.length - 1);
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

/** @param {number} value */
export function milliseconds(value) {
  if (value < 0.05) return "< 0.1 ms";
  if (value < 10) return `${value.toFixed(1)} ms`;
  if (value < 1000) return `${Math.round(value)} ms`;
  return `${(value / 1000).toFixed(value < 10_000 ? 1 : 0)} s`;
}

const two = (/** @type {number} */ n) => String(n).padStart(2, "0");
/** @param {any} value a time as text, or milliseconds since 1970 */
function toDate(value) {
  const date = typeof value === "number" ? new Date(value) : new Date(String(value));
  return Number.isNaN(date.getTime()) ? null : date;
}
/** An AWSTimestamp, which is in seconds, or a `_lastChangedAt`, in milliseconds, as milliseconds since 1970. @param {any} value */
export const timestampMilliseconds = (value) => (Number(value) > 1e11 ? Number(value) : Number(value) * 1000);
/** `11:04`, or `11:04:18` with seconds. @param {any} value @param {boolean} [seconds] */
export function clock(value, seconds = false) {
  const date = toDate(value);
  return date ? `${two(date.getHours())}:${two(date.getMinutes())}${seconds ? `:${two(date.getSeconds())}` : ""}` : "";
}
/** `2026-11-22 11:04:18.207` in local time, or in UTC. @param {any} value @param {boolean} [utc] */
export function stamp(value, utc = false) {
  const date = toDate(value);
  if (!date) return String(value);
  if (utc) return date.toISOString().replace("T", " ").replace("Z", " UTC");
  const ms = String(date.getMilliseconds()).padStart(3, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${clock(date, true)}.${ms}`;
}
/** `now`, `2 min ago`, `yesterday`. @param {any} value @param {number} [now] */
export function ago(value, now = Date.now()) {
  const date = toDate(value);
  if (!date) return "";
  const seconds = Math.round((now - date.getTime()) / 1000);
  if (seconds < -5) return stamp(date).slice(0, 16);
  if (seconds < 10) return "now";
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`;
  const days = Math.floor(seconds / 86_400);
  if (days === 1) return "yesterday";
  return days < 30 ? `${days} days ago` : stamp(date).slice(0, 10);
}
