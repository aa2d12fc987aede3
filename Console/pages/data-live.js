// Live changes of a table: rows in sight are read again and flash, new items wait for a click, nothing moves.

import { get, itemPath, keyText } from "../api.js";
import { follow } from "../live.js";
import { plural } from "../kit/format.js";
import { recall } from "../kit/storage.js";
import { primaryKeyOf } from "../kit/values.js";

/** Milliseconds in which changes are gathered, and between two announcements. */
const GATHER = 200;
const ANNOUNCE = 5_000;
/** New items that are asked for at once whether the filter shows them; of more, all are counted. */
const ASKED_MAX = 50;
/** Gaps wait while a cell is edited. */
const LATER = 500;

/**
 * @param {{ source: any, grid: () => any, filter: () => any, onNew: (number: number) => void, say: (text: string) => void }} options
 * @returns {() => void} stops
 */
export function followChanges({ source, grid, filter, onNew, say }) {
  /** @type {Map<string, any>} */ const changes = new Map();
  /** @type {any} */ let timer = null;
  /** @type {any} */ let refreshing = null;
  let said = 0;
  let stopped = false;
  const refresh = () => {
    refreshing = null;
    if (stopped) return;
    if (grid()?.editing) refreshing = setTimeout(refresh, LATER);
    else grid()?.rows.refresh();
  };
  /** How many of these the filter shows. @param {any[]} created */
  const matching = async (created) => {
    const wanted = filter();
    if (!wanted || created.length > ASKED_MAX) return created.length;
    const names = primaryKeyOf(source);
    const keys = created.map(({ key }) => ({ and: names.map((name, n) => ({ [name]: { eq: key[n] } })) }));
    const answer = await get(`/data/${encodeURIComponent(source.name)}/items`, { query: { filter: { and: [wanted, { or: keys }] }, limit: ASKED_MAX, scan: true }, quiet: true }).catch(() => null);
    return answer ? answer.items.length : created.length;
  };
  const apply = async () => {
    timer = null;
    const all = [...changes.values()];
    changes.clear();
    const created = [];
    let touched = 0;
    for (const change of all) {
      const text = keyText(change.key);
      const find = () => grid()?.rows.find((item) => keyText(item.key) === text) ?? -1;
      if (find() < 0) {
        if (change.kind === "create") created.push(change);
        continue;
      }
      const gone = change.kind === "delete" && !source.versioned;
      const item = gone ? null : await get(itemPath(source.name, change.key), { quiet: true }).catch(() => null);
      // It may have moved while it was read.
      const at = find();
      if (stopped || at < 0) continue;
      const known = grid().rows.item(at);
      touched += 1;
      if (item && known?.version !== undefined && known.version !== null && item.version < known.version) continue;
      grid().rows.replace(at, item ?? { ...known, deleted: true });
      grid().flash(text);
    }
    if (created.length) onNew(await matching(created));
    if (touched && !stopped && Date.now() - said > ANNOUNCE && recall("announce", true)) {
      said = Date.now();
      say(`${plural(touched, "item")} changed`);
    }
  };
  const unfollow = follow(`changes:${source.name}`, (message) => {
    if (message.gap !== undefined || !message.data) {
      refreshing ??= setTimeout(refresh, GATHER);
      return;
    }
    const text = keyText(message.data.key);
    const before = changes.get(text);
    changes.set(text, before?.kind === "create" && message.data.kind === "update" ? before : message.data);
    timer ??= setTimeout(apply, GATHER);
  });
  return () => {
    stopped = true;
    clearTimeout(timer);
    clearTimeout(refreshing);
    unfollow();
  };
}
