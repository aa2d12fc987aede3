// The data grid: role="grid" on recycled rows, one stop of the Tab key, text nodes only. Imperative, inside a `ref`.

import { Rows } from "./rows.js";

const ROW = 34;
const HEAD = 46;
const PICK = 40;
const FLASH = 1200;
/** Items of one selected range. */
const PICKED_MAX = 5000;
/** The cell's editor, which is loaded when the grid gets the focus. @type {any} */
let cellEditor = null;
const loadEditor = () => import("./cell-editor.js").then((module) => (cellEditor = module));
/** No active row. The head is -1. */
const NONE = -2;

/**
 * @typedef {{ name: string, type: string, width: number, sticky?: boolean, right?: boolean, mono?: boolean, sort?: "ascending" | "descending" | null, sortable?: boolean, link?: boolean, editable?: boolean }} Column
 * @typedef {{ kind: "text" | "absent" | "null" | "empty" | "link" | "chip" | "faint", text: string, title?: string, href?: string, label?: string }} Cell
 * @typedef {{
 *   label: string, columns: Column[], selectable?: boolean,
 *   cell: (item: any, column: Column) => Cell, keyOf: (item: any) => string,
 *   load: (offset: number, limit: number, signal: AbortSignal) => Promise<{ items: any[], end: boolean }>,
 *   onOpen: (item: any, index: number, column: Column | null) => void, onSort?: (column: Column) => void, onResize?: (column: Column) => void,
 *   onSelect?: (selected: Map<string, any>) => void, onRange?: (first: number, last: number) => void, onError?: (error: any) => void, onDelete?: () => void,
 *   editor?: (item: any, column: Column) => null | { options?: { value: string, text: string }[], text: string, check: (text: string) => { value?: any, error?: string } },
 *   save?: (item: any, column: Column, value: any) => Promise<any>, onCopy?: (text: string) => void,
 * }} Options
 */
export class Grid {
  /** @param {HTMLElement} host @param {Options} options */
  constructor(host, options) {
    this.host = host;
    this.options = options;
    this.row = NONE;
    this.col = 0;
    this.open = "";
    /** @type {Map<string, any>} */ this.selected = new Map();
    this.anchor = -1;
    /** @type {Map<string, number>} */ this.flashing = new Map();
    /** @type {any} */ this.editing = null;
    this.first = options.selectable === false ? 0 : 1;

    host.setAttribute("role", "grid");
    host.setAttribute("aria-label", options.label);
    host.classList.add("grid");
    this.head = document.createElement("div");
    this.head.setAttribute("role", "rowgroup");
    this.head.className = "grid-head";
    this.body = document.createElement("div");
    this.body.setAttribute("role", "rowgroup");
    this.body.className = "grid-body";
    host.replaceChildren(this.head, this.body);
    this.rows = new Rows({
      viewport: host, body: this.body, rowHeight: ROW, headHeight: HEAD, make: () => this.makeRow(), fill: (element, index, item) => this.fill(element, index, item),
      load: options.load, onRange: options.onRange, onError: options.onError, pinned: () => (host.contains(document.activeElement) || this.editing ? this.row : -1),
    });
    host.addEventListener("keydown", (event) => this.keyDown(event));
    host.addEventListener("click", (event) => this.clicked(event));
    host.addEventListener("dblclick", (event) => {
      const [row, col] = this.cellOf(event.target);
      if (row >= 0 && col >= this.first) this.edit(row, col);
    });
    host.addEventListener("focusin", (event) => {
      if (!cellEditor) loadEditor();
      const [row, col] = this.cellOf(event.target);
      if (col >= 0) this.setActive(row, col, false);
    });
    this.layout();
  }
  destroy() {
    this.flashing.forEach(clearTimeout);
    this.rows.destroy();
    this.host.replaceChildren();
  }
  /** @param {Column[]} columns */
  setColumns(columns) {
    this.options.columns = columns;
    this.layout();
  }
  /** Other items from the start. @param {number} total */
  reset(total) {
    this.row = NONE;
    this.stopEditing(false);
    this.rows.reset(total);
    this.host.setAttribute("aria-rowcount", String(total + 1));
  }
  /** @param {number} total */
  setTotal(total) {
    this.rows.setTotal(total);
    this.host.setAttribute("aria-rowcount", String(this.rows.total + 1));
  }

  // Drawing ---------------------------------------------------------------------------------------------------

  layout() {
    const { columns } = this.options;
    const focused = this.host.contains(document.activeElement);
    this.host.setAttribute("aria-colcount", String(columns.length + this.first));
    let left = this.first ? PICK : 0;
    let width = left;
    this.lefts = columns.map((column) => {
      const at = column.sticky ? left : -1;
      if (column.sticky) left += column.width;
      width += column.width;
      return at;
    });
    this.host.style.scrollPaddingLeft = `${left}px`;
    this.head.style.width = this.body.style.width = `max(100%, ${width}px)`;
    const row = document.createElement("div");
    row.setAttribute("role", "row");
    row.setAttribute("aria-rowindex", "1");
    row.className = "gr";
    if (this.first) {
      const pick = pickCell("columnheader");
      pick.firstElementChild?.setAttribute("aria-label", "Select the rows in sight");
      row.append(pick);
    }
    columns.forEach((column, n) => {
      const cell = document.createElement("div");
      cell.setAttribute("role", "columnheader");
      cell.setAttribute("aria-colindex", String(n + 1 + this.first));
      if (column.sort) cell.setAttribute("aria-sort", column.sort);
      cell.className = `gc${column.right ? " r" : ""}${column.sortable ? " sortable" : ""}`;
      cell.tabIndex = -1;
      this.sizeCell(cell, n);
      const name = document.createElement("span");
      name.className = "nm cut";
      name.textContent = column.name;
      if (column.sort) {
        const mark = document.createElement("span");
        mark.className = "sorted";
        mark.textContent = column.sort === "ascending" ? " ↑" : " ↓";
        mark.setAttribute("aria-hidden", "true");
        name.append(mark);
      }
      const type = document.createElement("span");
      type.className = "ty cut";
      type.textContent = column.type;
      const grip = document.createElement("span");
      grip.className = "grip";
      grip.addEventListener("pointerdown", (event) => this.dragWidth(event, n));
      cell.append(name, type, grip);
      row.append(cell);
    });
    this.head.replaceChildren(row);
    for (const element of this.body.querySelectorAll("[role=row]")) element.remove();
    this.rows.shown.clear();
    this.rows.free = [];
    this.rows.draw();
    if (focused && this.row !== NONE) this.setActive(this.row, this.col);
    else this.roving();
  }
  /** @param {HTMLElement} cell @param {number} n */
  sizeCell(cell, n) {
    const last = n === this.options.columns.length - 1;
    cell.style.flex = `${last ? 1 : 0} 0 ${this.options.columns[n].width}px`;
    const left = this.lefts?.[n] ?? -1;
    if (left >= 0) {
      cell.classList.add("stick");
      cell.style.left = `${left}px`;
    }
  }
  makeRow() {
    const row = document.createElement("div");
    row.setAttribute("role", "row");
    row.className = "gr";
    if (this.first) row.append(pickCell("gridcell"));
    this.options.columns.forEach((column, n) => {
      const cell = document.createElement("div");
      cell.setAttribute("role", "gridcell");
      cell.setAttribute("aria-colindex", String(n + 1 + this.first));
      cell.className = `gc${column.right ? " r" : ""}${column.mono ? " mono" : ""}`;
      cell.tabIndex = -1;
      this.sizeCell(cell, n);
      const inside = document.createElement(column.link ? "a" : "span");
      if (column.link) inside.tabIndex = -1;
      cell.append(inside);
      row.append(cell);
    });
    return row;
  }
  /** @param {HTMLElement} row @param {number} index @param {any} item */
  fill(row, index, item) {
    row.setAttribute("aria-rowindex", String(index + 2));
    row.dataset.row = String(index);
    const key = item ? this.options.keyOf(item) : "";
    const picked = this.selected.has(key);
    row.className = `gr${item ? "" : " wait"}${key && key === this.open ? " on" : ""}${item?.deleted ? " gone" : ""}${picked ? " picked" : ""}${this.flashing.has(key) ? " live" : ""}`;
    row.setAttribute("aria-selected", String(picked || (Boolean(key) && key === this.open)));
    if (this.first) {
      const box = /** @type {HTMLInputElement} */ (row.firstElementChild?.firstElementChild);
      box.checked = picked;
      box.disabled = !item;
      box.setAttribute("aria-label", item ? `Select ${key}` : "Select");
    }
    this.options.columns.forEach((column, n) => {
      const cell = /** @type {HTMLElement} */ (row.children[n + this.first]);
      if (this.editing?.cell === cell) return;
      const inside = /** @type {HTMLElement} */ (cell.firstElementChild);
      if (!item) {
        inside.className = "bar";
        inside.textContent = "";
        inside.removeAttribute("href");
        cell.removeAttribute("aria-label");
        cell.removeAttribute("title");
        return;
      }
      const value = this.options.cell(item, column);
      inside.className = { absent: "absent", null: "null", empty: "null", chip: "chip", link: "ref", faint: "faint", text: "" }[value.kind];
      if (inside.textContent !== value.text) inside.textContent = value.text;
      if (value.href) inside.setAttribute("href", value.href);
      else inside.removeAttribute("href");
      const label = value.label ?? { absent: "not set", null: "null", empty: "empty string" }[value.kind];
      const state = `${item.deleted ? ", deleted" : ""}${this.flashing.has(key) ? ", changed" : ""}`;
      if (label || state) cell.setAttribute("aria-label", `${label ?? value.text}${state}`);
      else cell.removeAttribute("aria-label");
      if (value.title) cell.title = value.title;
      else cell.removeAttribute("title");
    });
    if (index === this.row) this.roving();
  }
  /** Marks a changed row for a moment. @param {string} key */
  flash(key) {
    clearTimeout(this.flashing.get(key));
    this.flashing.set(key, Number(setTimeout(() => {
      this.flashing.delete(key);
      this.repaint(key);
    }, FLASH)));
    this.repaint(key);
  }
  /** @param {string} key */
  repaint(key) {
    for (const [index, element] of this.rows.shown) {
      const item = this.rows.item(index);
      if (item && this.options.keyOf(item) === key) this.fill(element, index, item);
    }
  }
  /** @param {string} key */
  setOpen(key) {
    if (key === this.open) return;
    this.open = key;
    this.rows.repaint();
  }

  // The active cell -------------------------------------------------------------------------------------------

  /** @param {any} target @returns {[number, number]} row (-1 is the head) and column, or -2 */
  cellOf(target) {
    const cell = target?.closest?.(".gc");
    if (!cell || !this.host.contains(cell)) return [-2, -1];
    const row = cell.parentElement;
    return [row.dataset.row === undefined ? -1 : Number(row.dataset.row), [...row.children].indexOf(cell)];
  }
  /** @param {number} row @param {number} col */
  cellAt(row, col) {
    const element = row < 0 ? this.head.firstElementChild : this.rows.shown.get(row);
    return /** @type {HTMLElement | undefined} */ (element?.children[col]);
  }
  roving() {
    for (const cell of this.host.querySelectorAll(".gc[tabindex='0']")) cell.setAttribute("tabindex", "-1");
    const row = this.row === NONE ? (this.rows.total ? this.rows.visible()[0] : -1) : this.row;
    const col = this.row === NONE ? this.first : this.col;
    (this.cellAt(row, col) ?? this.cellAt(-1, this.first))?.setAttribute("tabindex", "0");
  }
  /** @param {number} row @param {number} col @param {boolean} [focus] */
  setActive(row, col, focus = true) {
    const moved = row !== this.row || col !== this.col;
    this.row = row;
    this.col = col;
    if (focus) {
      if (row >= 0) this.rows.reveal(row);
      const cell = this.cellAt(row, col);
      this.roving();
      cell?.focus({ preventScroll: true });
      cell?.scrollIntoView({ inline: "nearest", block: "nearest" });
    } else if (moved) this.roving();
  }
  /** @param {number} index */
  focusRow(index) {
    this.setActive(index, Math.max(this.col, this.first));
  }
  get active() {
    return this.row >= 0 ? this.rows.item(this.row) : null;
  }

  // Selection -------------------------------------------------------------------------------------------------

  /** @param {number} from @param {number} to @param {boolean} on */
  pick(from, to, on) {
    const [first, last] = from < to ? [from, to] : [to, from];
    const items = [];
    for (let index = first; index <= last; index += 1) items.push(this.rows.item(index));
    this.mark(items, on);
    // What was scrolled past and given up is loaded again.
    if (on && last - first < PICKED_MAX && items.includes(null)) this.rows.range(first, last).then((all) => this.mark(all, on), (error) => this.options.onError?.(error));
  }
  /** @param {any[]} items @param {boolean} on */
  mark(items, on) {
    for (const item of items) {
      if (!item) continue;
      const key = this.options.keyOf(item);
      if (on) this.selected.set(key, item);
      else this.selected.delete(key);
    }
    this.rows.repaint();
    this.options.onSelect?.(this.selected);
  }
  clearSelection() {
    this.selected.clear();
    this.anchor = -1;
    this.rows.repaint();
    const all = this.head.querySelector("input");
    if (all) all.checked = false;
    this.options.onSelect?.(this.selected);
  }

  // Events ----------------------------------------------------------------------------------------------------

  /** @param {MouseEvent} event */
  clicked(event) {
    const target = /** @type {HTMLElement} */ (event.target);
    if (this.editing && this.editing.cell.contains(target)) return;
    const [row, col] = this.cellOf(target);
    if (col < 0) return;
    if (this.editing) this.stopEditing(true);
    if (row < 0) {
      if (target.classList.contains("grip")) return;
      if (this.first && col === 0) {
        const box = /** @type {HTMLInputElement} */ (this.head.querySelector("input"));
        if (target !== box) box.checked = !box.checked;
        const [first, last] = this.rows.visible();
        this.pick(first, last, box.checked);
      } else if (this.options.columns[col - this.first]?.sortable) this.options.onSort?.(this.options.columns[col - this.first]);
      return;
    }
    const item = this.rows.item(row);
    if (!item) return;
    if (target instanceof HTMLAnchorElement && target.href) return;
    if (this.first && col === 0) {
      const on = !this.selected.has(this.options.keyOf(item));
      this.pick(event.shiftKey && this.anchor >= 0 ? this.anchor : row, row, on);
      this.anchor = row;
    } else this.options.onOpen(item, row, this.options.columns[col - this.first]);
    this.setActive(row, col);
  }
  /** @param {KeyboardEvent} event */
  keyDown(event) {
    if (this.editing || event.defaultPrevented) return;
    const [row, col] = this.cellOf(event.target);
    if (col < 0) return;
    const columns = this.options.columns.length + this.first;
    const page = Math.max(1, Math.floor((this.host.clientHeight - HEAD) / ROW) - 1);
    const end = this.rows.total - 1;
    const mod = event.ctrlKey || event.metaKey;
    const to = (/** @type {number} */ r, /** @type {number} */ c) => {
      event.preventDefault();
      this.setActive(Math.max(-1, Math.min(end, r)), Math.max(0, Math.min(columns - 1, c)));
    };
    const column = this.options.columns[col - this.first];
    if (event.altKey && row < 0 && column && (event.key === "ArrowLeft" || event.key === "ArrowRight")) {
      event.preventDefault();
      this.setWidth(col - this.first, column.width + (event.key === "ArrowRight" ? 16 : -16));
      this.setActive(-1, col);
      return;
    }
    if (event.altKey) return;
    switch (event.key) {
      case "ArrowDown": case "ArrowUp": {
        const next = row + (event.key === "ArrowDown" ? 1 : -1);
        if (event.shiftKey && row >= 0 && next >= 0 && next <= end) {
          if (this.anchor < 0) this.anchor = row;
          this.pick(this.anchor, next, true);
        }
        return to(next, col);
      }
      case "ArrowRight": return to(row, col + 1);
      case "ArrowLeft": return to(row, col - 1);
      case "PageDown": return to(row + page, col);
      case "PageUp": return to(Math.max(0, row - page), col);
      case "Home": return mod ? to(0, col) : to(row, 0);
      case "End": return mod ? to(end, col) : to(row, columns - 1);
      case " ":
        event.preventDefault();
        if (row < 0) return;
        this.pick(row, row, !this.selected.has(this.options.keyOf(this.rows.item(row) ?? {})));
        this.anchor = row;
        return;
      case "Enter":
        event.preventDefault();
        if (row < 0) {
          if (column?.sortable) this.options.onSort?.(column);
        } else if (col >= this.first && !this.edit(row, col)) this.options.onOpen(this.rows.item(row), row, column);
        return;
      case "o":
        if (mod || row < 0 || !this.rows.item(row)) return;
        event.preventDefault();
        this.options.onOpen(this.rows.item(row), row, null);
        return;
      case "Delete":
        if (row < 0) return;
        event.preventDefault();
        if (!this.selected.size) this.pick(row, row, true);
        this.options.onDelete?.();
        return;
      case "c":
        if (!mod || String(getSelection())) return;
        event.preventDefault();
        this.copy(row, col);
        return;
      default:
    }
  }
  /** @param {number} row @param {number} col */
  copy(row, col) {
    const items = this.selected.size ? [...this.selected.values()] : [this.rows.item(row)];
    const columns = this.selected.size ? this.options.columns : [this.options.columns[col - this.first]];
    const text = (item, /** @type {Column} */ column) => {
      const value = this.options.cell(item, column);
      return value.kind === "absent" || value.kind === "empty" ? "" : (value.label ?? value.text).replace(/[\t\r\n]+/g, " ");
    };
    const lines = items.filter(Boolean).map((item) => columns.filter(Boolean).map((column) => text(item, column)).join("\t"));
    this.options.onCopy?.(lines.join("\n"));
  }

  // Widths ----------------------------------------------------------------------------------------------------

  /** @param {number} n @param {number} width */
  setWidth(n, width) {
    const column = this.options.columns[n];
    column.width = Math.max(64, Math.min(640, Math.round(width)));
    this.layout();
    this.options.onResize?.(column);
  }
  /** @param {PointerEvent} event @param {number} n */
  dragWidth(event, n) {
    event.preventDefault();
    const start = event.clientX;
    const from = this.options.columns[n].width;
    const move = (/** @type {PointerEvent} */ moved) => this.setWidth(n, from + moved.clientX - start);
    addEventListener("pointermove", move);
    addEventListener("pointerup", () => removeEventListener("pointermove", move), { once: true });
  }

  // Editing in the cell --------------------------------------------------------------------------------------

  /** @param {number} row @param {number} col @returns {boolean} whether the cell can be edited */
  edit(row, col) {
    const item = this.rows.item(row);
    const column = this.options.columns[col - this.first];
    const editor = item && column ? this.options.editor?.(item, column) : null;
    if (!editor) return false;
    this.setActive(row, col);
    const cell = this.cellAt(row, col);
    if (!cell) return false;
    const begin = () => this.cellAt(row, col) === cell && cellEditor.beginEdit(this, { cell, item, column, editor, row, col });
    if (cellEditor) begin();
    else loadEditor().then(begin);
    return true;
  }
  /** @param {boolean} save */
  stopEditing(save) {
    if (this.editing) cellEditor.endEdit(this, save);
  }
}

/** The cell with the checkbox that selects. @param {"columnheader" | "gridcell"} role */
function pickCell(role) {
  const cell = document.createElement("div");
  cell.tabIndex = -1;
  cell.setAttribute("role", role);
  cell.setAttribute("aria-colindex", "1");
  cell.className = "gc pick";
  const box = document.createElement("input");
  box.type = "checkbox";
  box.className = "check";
  box.tabIndex = -1;
  cell.append(box);
  return cell;
}
