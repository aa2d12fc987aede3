// Live changes of a table: rows in sight are read again and flash, new items wait for a click, nothing moves.

import { get, itemPath, keyText } from "../api.js";
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

export class Changes {
  /** @type {Map<string, any>} */ changes = new Map();
  /** @type {any} */ timer = null;
  /** @type {any} */ refreshing = null;
  said = 0;
  stopped = false;

  /** `isOwn`: whether this page made the item, and shows it anyway. @param {{ source: any, grid: () => any, filter: () => any, onNew: (number: number) => void, isOwn: (key: string) => boolean, say: (text: string) => void }} options */
  constructor(options) {
    this.options = options;
  }
  stop() {
    this.stopped = true;
    clearTimeout(this.timer);
    clearTimeout(this.refreshing);
  }
  /** A message of the live channel. One without a change is a gap, or an error: what is shown is read again. @param {any} message */
  take(message) {
    if (this.stopped) return;
    if (!message.data) {
      this.refreshing ??= setTimeout(() => this.refresh(), GATHER);
      return;
    }
    const text = keyText(message.data.key);
    const before = this.changes.get(text);
    this.changes.set(text, before?.kind === "create" && message.data.kind === "update" ? before : message.data);
    this.timer ??= setTimeout(() => this.apply(), GATHER);
  }
  refresh() {
    this.refreshing = null;
    const grid = this.options.grid();
    if (this.stopped) return;
    if (grid?.editing) this.refreshing = setTimeout(() => this.refresh(), LATER);
    else grid?.rows.refresh();
  }
  /** How many of these the filter shows. @param {any[]} created */
  async matching(created) {
    const { source, filter } = this.options;
    const wanted = filter();
    if (!wanted || created.length > ASKED_MAX) return created.length;
    const names = primaryKeyOf(source);
    const keys = created.map(({ key }) => ({ and: names.map((name, n) => ({ [name]: { eq: key[n] } })) }));
    const answer = await get(`/data/${encodeURIComponent(source.name)}/items`, { query: { filter: { and: [wanted, { or: keys }] }, limit: ASKED_MAX, scan: true }, quiet: true }).catch(() => null);
    return answer ? answer.items.length : created.length;
  }
  async apply() {
    const { source, grid, onNew, say, isOwn } = this.options;
    this.timer = null;
    const all = [...this.changes.values()];
    this.changes.clear();
    const created = [];
    let touched = 0;
    for (const change of all) {
      const text = keyText(change.key);
      const find = () => (this.stopped ? -1 : grid()?.rows.find((item) => keyText(item.key) === text) ?? -1);
      if (find() < 0) {
        if (change.kind === "create" && !isOwn(text)) created.push(change);
        continue;
      }
      const gone = change.kind === "delete" && !source.versioned;
      const item = gone ? null : await get(itemPath(source.name, change.key), { quiet: true }).catch(() => null);
      // It may have moved while it was read.
      const at = find();
      if (at < 0) continue;
      const known = grid().rows.item(at);
      touched += 1;
      if (item && known?.version !== undefined && known.version !== null && item.version < known.version) continue;
      grid().rows.replace(at, item ?? { ...known, deleted: true });
      grid().flash(text);
    }
    const number = created.length ? await this.matching(created) : 0;
    if (this.stopped) return;
    if (number) onNew(number);
    if (touched && Date.now() - this.said > ANNOUNCE && recall("announce", true)) {
      this.said = Date.now();
      say(`${plural(touched, "item")} changed`);
    }
  }
}
