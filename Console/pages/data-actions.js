// What Data does on request: export, copied filters, and the same change to many items.

import { get, itemPath, patch, queryString } from "../api.js";
import { copy } from "../kit/command.js";
import { toCSV } from "../kit/csv.js";
import { toGraphQL, toSwift } from "../kit/filter-code.js";
import { fromJSON } from "../kit/filter.js";
import { go } from "../kit/router.js";
import { download, saveFile } from "../kit/save.js";
import { toast } from "../kit/toast.js";
import { valueOf } from "../kit/values.js";
import { documentHash } from "./document-link.js";

/** Items that one change may concern, items of one page of keys, and requests at a time. */
export const CHANGED_MAX = 10_000;
const PAGE = 500;
const AT_ONCE = 4;

const TYPES = { csv: "text/csv", json: "application/json", jsonl: "application/x-ndjson" };

/** Saves items as a file: those selected from here, all others from the server.
 * @param {{ source: any, format: string, filter?: any, deleted?: string, fields: string[], items?: any[] }} options */
export function exportItems({ source, format, filter, deleted, fields, items }) {
  const name = `${source.name}.${format}`;
  if (!items) return download(`/operators/v1/data/${encodeURIComponent(source.name)}/export${queryString({ format, filter, deleted, fields: fields.join(",") })}`, name);
  const columns = source.fields.filter((/** @type {any} */ field) => fields.includes(field.name) && (field.kind === "scalar" || field.kind === "enum" || field.kind === "custom"));
  const keys = source.fields.filter((/** @type {any} */ field) => field.kind === "belongsTo").flatMap((/** @type {any} */ field) => field.keys ?? []);
  const names = [...new Set([...columns.map((/** @type {any} */ field) => field.name), ...keys])];
  const values = (/** @type {any} */ item) => names.map((one) => valueOf(item, source.fields.find((/** @type {any} */ field) => field.name === one) ?? { name: one }));
  if (format === "csv") return saveFile(name, toCSV(names, items.map(values)), TYPES.csv);
  const objects = items.map((item) => Object.fromEntries(values(item).map((/** @type {any} */ value, /** @type {number} */ n) => [names[n], value]).filter(([, value]) => value !== undefined)));
  saveFile(name, format === "json" ? JSON.stringify(objects, null, 2) : objects.map((one) => JSON.stringify(one) + "\n").join(""), TYPES[format]);
}

/** @param {any} source @param {any} json */
export const copyGraphQL = async (source, json) => (await copy(toGraphQL(source, json))) && toast("Copied.");
/** @param {any} source @param {any} json */
export async function copySwift(source, json) {
  const filter = fromJSON(json);
  if (!filter) return toast("This filter has no predicate: it uses what only its JSON form can say.");
  if (await copy(toSwift(source, filter))) toast("Copied.");
}
/** @param {any} source @param {any} json */
export const openInQuery = (source, json) => go(`/query${documentHash({ query: toGraphQL(source, json) })}`);

/** The items that a filter shows. @param {any} source @param {any} filter @param {AbortSignal} signal @param {(number: number) => void} progress */
export async function itemsOfFilter(source, filter, signal, progress) {
  const items = [];
  let after = null;
  do {
    /** @type {any} */ const page = await get(`/data/${encodeURIComponent(source.name)}/items`, { query: { filter, limit: PAGE, after, scan: true }, signal, deadline: 60_000 });
    items.push(...page.items);
    after = page.next;
    progress(items.length);
  } while (after && items.length < CHANGED_MAX);
  return items.slice(0, CHANGED_MAX);
}

/**
 * Makes the same change to each item, as long as it is as it was seen.
 * @param {any} source @param {any[]} items @param {{ set?: any, unset?: string[] }} change
 * @param {AbortSignal} signal @param {(done: number) => void} progress
 */
export async function changeItems(source, items, change, signal, progress) {
  const names = [...Object.keys(change.set ?? {}), ...(change.unset ?? [])];
  /** @type {{ key: string[], reason: string }[]} */ const rejects = [];
  let next = 0;
  let done = 0;
  const worker = async () => {
    while (next < items.length && !signal.aborted) {
      const item = items[next];
      next += 1;
      const expect = item.version !== undefined && item.version !== null ? { version: item.version } : { values: Object.fromEntries(names.map((name) => [name, item.values[name] ?? null])) };
      try {
        await patch(itemPath(source.name, item.key), { ...change, expect });
      } catch (error) {
        const reason = /** @type {any} */ (error);
        if (reason.code === "signed_out" || reason.code === "offline") throw error;
        rejects.push({ key: item.key, reason: reason.message });
      }
      done += 1;
      progress(done);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, worker));
  return { changed: done - rejects.length, rejects, cancelled: done < items.length };
}
