// The diagram of a schema: our own SVG, laid out by dagre. An illustration: list and inspector do the same without it.

const SVG = "http://www.w3.org/2000/svg";
const ROW = 25;
const HEAD = 34;
/** The width of one character of the identifiers, in pixels, and the narrowest and widest card. */
const CHARACTER = 7.1;
const [NARROW, WIDE] = [200, 300];
const [ZOOM_MIN, ZOOM_MAX] = [0.25, 2];
/** Types beyond which cards show their names only, until they are zoomed in. */
const MANY = 60;

/** @param {string} name @param {Record<string, any>} attributes @param {...(Element | string | null | false)} children */
function element(name, attributes, ...children) {
  const one = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) if (value !== undefined && value !== null && value !== false) one.setAttribute(key, String(value));
  for (const child of children) if (child) one.append(child);
  return one;
}
const cut = (/** @type {string} */ text, /** @type {number} */ characters) => (text.length > characters ? `${text.slice(0, Math.max(1, characters - 1))}…` : text);

/** @typedef {{ name: string, kind: string, rows: { name: string, type: string, kind: string, key: boolean, mark: string | null }[], mark: string | null, values: string[] }} Card */
/** @typedef {{ from: string, to: string, field: string, fromCount: string, toCount: string, soft: boolean, mark: string | null }} Edge */

export class Diagram {
  /**
   * @param {HTMLElement} host
   * @param {{ onSelect: (name: string) => void, onView: (zoom: number) => void, positions: Record<string, [number, number]>, onMove: (positions: Record<string, [number, number]>) => void, layout: () => Promise<any> }} options
   */
  constructor(host, options) {
    this.host = host;
    this.options = options;
    this.positions = { ...options.positions };
    /** @type {Card[]} */ this.cards = [];
    /** @type {Edge[]} */ this.edges = [];
    this.selected = "";
    this.zoom = 1;
    this.x = 0;
    this.y = 0;
    /** @type {Map<string, { x: number, y: number, width: number, height: number, full: number }>} `full`: the height with all lines */ this.boxes = new Map();
    this.world = element("g", {});
    this.svg = /** @type {SVGSVGElement} */ (/** @type {any} */ (element("svg", { role: "img", tabindex: "0", class: "diagram" }, this.world)));
    host.append(this.svg);
    this.svg.addEventListener("pointerdown", (event) => this.down(event));
    this.svg.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    this.svg.addEventListener("keydown", (event) => this.key(event));
    this.svg.addEventListener("dblclick", (event) => !this.cardAt(event) && this.fit());
    this.observer = new ResizeObserver(() => !this.placed && this.laid && this.fit());
    this.observer.observe(host);
    this.laid = false;
    this.placed = false;
    /** Whether the view was chosen by hand: it then stays as it is. */
    this.touched = false;
  }
  destroy() {
    this.observer.disconnect();
    this.svg.remove();
  }

  /** @param {Card[]} cards @param {Edge[]} edges @param {string} summary */
  async update(cards, edges, summary) {
    this.cards = cards;
    this.edges = edges;
    this.svg.setAttribute("aria-label", summary);
    this.measure();
    for (const name of [...this.boxes.keys()]) if (!cards.some((card) => card.name === name)) this.boxes.delete(name);
    const unplaced = cards.filter((card) => !this.positions[card.name]);
    if (unplaced.length) await this.lay(unplaced.length === cards.length);
    for (const [name, box] of this.boxes) [box.x, box.y] = this.positions[name] ?? [box.x, box.y];
    this.laid = true;
    this.draw();
    // One card alone stays in the middle as it grows. A view that was chosen by hand only moves if nothing of it is left.
    if (!this.placed || (!this.touched && (cards.length === 1 || this.isCut))) this.fit();
    else if (this.isGone) this.reveal(this.selected);
  }
  /** The sizes of the cards. */
  measure() {
    for (const card of this.cards) {
      const longest = Math.max(card.name.length + 4 + (card.mark ? 9 : 0), ...card.rows.map((row) => row.name.length + row.type.length + 3), ...(card.values.length ? [20] : []));
      const lines = card.values.length ? wrap(card.values, 25).length : card.rows.length;
      const old = this.boxes.get(card.name);
      const full = HEAD + (lines ? lines * ROW + 9 : 0);
      this.boxes.set(card.name, { x: old?.x ?? 0, y: old?.y ?? 0, width: Math.round(Math.max(NARROW, Math.min(WIDE, longest * CHARACTER + 28))), height: full, full });
      if (old && this.laid && full !== old.full) this.push(card.name, old, full - old.full);
    }
  }
  /** Whether a card is outside of what is seen. */
  get isCut() {
    const { left, top, width, height } = this.bounds();
    return left * this.zoom + this.x < 0 || top * this.zoom + this.y < 0 || (left + width) * this.zoom + this.x > this.host.clientWidth || (top + height) * this.zoom + this.y > this.host.clientHeight - 56;
  }
  /** Whether the selected card is outside of what is seen. */
  get isGone() {
    const box = this.boxes.get(this.selected);
    if (!box) return false;
    const [left, top] = [box.x * this.zoom + this.x, box.y * this.zoom + this.y];
    return left + box.width * this.zoom < 0 || top + box.height * this.zoom < 0 || left > this.host.clientWidth || top > this.host.clientHeight - 56;
  }
  /** What stands under a card that grew or shrank moves with its end. @param {string} name @param {{ x: number, y: number, width: number, full: number }} old @param {number} by */
  push(name, old, by) {
    for (const [other, box] of this.boxes) {
      const at = this.positions[other];
      if (other === name || !at || at[1] < old.y + old.full || at[0] >= old.x + old.width || old.x >= at[0] + box.width) continue;
      this.positions[other] = [at[0], at[1] + by];
    }
  }
  get isPlain() {
    return this.cards.length > MANY && this.zoom < 0.8;
  }

  /** Places cards that have no place: all anew, or the new ones beside what they belong to. @param {boolean} all */
  async lay(all) {
    const dagre = await this.options.layout();
    if (!this.svg.isConnected) return;
    const graph = new dagre.graphlib.Graph();
    graph.setGraph({ rankdir: "LR", nodesep: 44, ranksep: 88, marginx: 0, marginy: 0 });
    graph.setDefaultEdgeLabel(() => ({}));
    for (const [name, box] of this.boxes) graph.setNode(name, { width: box.width, height: box.full });
    const linked = new Set();
    for (const edge of this.edges) {
      // Enums and custom types stand under a model that has them: their lines say little about the order.
      if (edge.soft || edge.from === edge.to || !this.boxes.has(edge.from) || !this.boxes.has(edge.to)) continue;
      graph.setEdge(edge.from, edge.to);
      linked.add(edge.from).add(edge.to);
    }
    dagre.layout(graph);
    /** @type {Record<string, [number, number]>} */ const found = {};
    for (const [name, box] of this.boxes) {
      const node = graph.node(name);
      found[name] = [Math.round(node.x - box.width / 2), Math.round(node.y - box.full / 2)];
    }
    const loose = [...this.boxes.keys()].filter((name) => !linked.has(name));
    if (loose.length > 1 || linked.size) this.shelve(found, loose);
    if (!all) return this.nestle(found);
    this.positions = found;
    const parts = loose.filter((name) => this.edges.some((edge) => edge.soft && edge.to === name && !loose.includes(edge.from)));
    for (const name of parts) delete this.positions[name];
    this.nestle(found, 2);
  }
  /** Cards without lines stand in rows under the others. @param {Record<string, [number, number]>} found @param {string[]} loose */
  shelve(found, loose) {
    const tied = Object.keys(found).filter((name) => !loose.includes(name));
    const boxOf = (/** @type {string} */ name) => /** @type {any} */ (this.boxes.get(name));
    const bottom = Math.max(0, ...tied.map((name) => found[name][1] + boxOf(name).full)) + (tied.length ? 56 : 0);
    const width = Math.max(480, ...tied.map((name) => found[name][0] + boxOf(name).width));
    let [x, y, tallest] = [0, bottom, 0];
    for (const name of loose) {
      const box = boxOf(name);
      if (x > 0 && x + box.width > width) [x, y, tallest] = [0, y + tallest + 44, 0];
      found[name] = [x, y];
      x += box.width + 56;
      tallest = Math.max(tallest, box.full);
    }
  }
  /** New cards beside those that have a place. @param {Record<string, [number, number]>} found
   * @param {number} [weight] this many pixels to the side count as one down */
  nestle(found, weight = 8) {
    const taken = () => [...this.boxes].filter(([name]) => this.positions[name]).map(([name, box]) => ({ x: this.positions[name][0], y: this.positions[name][1], width: box.width, height: box.full }));
    for (const [name, box] of this.boxes) {
      if (this.positions[name]) continue;
      const neighbour = this.edges.map((edge) => (edge.from === name ? edge.to : edge.to === name ? edge.from : "")).find((one) => one && this.positions[one] && one !== name);
      const others = taken();
      const [nx, ny] = neighbour ? this.positions[neighbour] : [0, 0];
      // The highest free place under a card, and the nearest of equal ones.
      const places = others.map((one) => {
        const x = one.x;
        let y = one.y + one.height + 48;
        for (let n = 0; n < 200; n += 1) {
          const other = others.find((each) => x < each.x + each.width + 24 && each.x < x + box.width + 24 && y < each.y + each.height + 24 && each.y < y + box.height + 24);
          if (!other) break;
          y = other.y + other.height + 48;
        }
        return { x, y, far: y + Math.abs(x - nx) / weight + Math.abs(y - ny) / 4 };
      });
      places.sort((a, b) => a.far - b.far);
      this.positions[name] = places[0] ? [places[0].x, places[0].y] : found[name] ?? [0, 0];
    }
  }
  async auto() {
    await this.lay(true);
    for (const [name, box] of this.boxes) [box.x, box.y] = this.positions[name];
    this.options.onMove(this.positions);
    this.draw();
    this.fit();
  }

  // Drawing -----------------------------------------------------------------------------------------------------------

  draw() {
    const near = new Set([this.selected]);
    for (const edge of this.edges) {
      if (edge.from === this.selected) near.add(edge.to);
      if (edge.to === this.selected) near.add(edge.from);
    }
    this.world.replaceChildren(...this.edges.flatMap((edge) => this.line(edge) ?? []), ...this.cards.map((card) => this.card(card, near)));
    this.move();
  }
  /** @param {Card} card @param {Set<string>} near */
  card(card, near) {
    const box = /** @type {any} */ (this.boxes.get(card.name));
    const { width, height } = box;
    const plain = this.isPlain;
    const id = `c-${card.name}`;
    const group = element("g", { class: `m ${card.kind}${card.name === this.selected ? " on" : ""}${card.mark ? ` ${card.mark}` : ""}${this.selected && near.has(card.name) && card.name !== this.selected ? " near" : ""}`, transform: `translate(${box.x} ${box.y})`, "data-type": card.name },
      element("clipPath", { id }, element("rect", { width, height, rx: 9 })),
      element("rect", { class: "card", width, height, rx: 9 }),
      element("rect", { class: "bar", width: 4, height: HEAD, "clip-path": `url(#${id})` }),
      element("text", { class: "title", x: 14, y: 22 }, cut(card.name, 30)));
    if (card.mark && !plain) {
      const words = { added: "new", changed: "changed", removed: "removed" }[card.mark] ?? "";
      const at = 22 + card.name.length * 7.7;
      group.append(element("rect", { class: "mark", x: at, y: 7, width: words.length * 6.6 + 14, height: 20, rx: 5 }), element("text", { class: "mark-text", x: at + 7, y: 21 }, words));
    }
    if (plain) {
      // Only the name, as large as it can be.
      const title = /** @type {SVGElement} */ (group.querySelector(".title"));
      title.style.fontSize = `${Math.min(13.5 / this.zoom, (width - 26) / (card.name.length * 0.6))}px`;
      title.setAttribute("y", String(height / 2));
      title.setAttribute("dominant-baseline", "central");
      group.querySelector(".bar")?.setAttribute("height", String(height));
      return group;
    }
    if (card.rows.length || card.values.length) group.append(element("path", { class: "rule", d: `M0 ${HEAD}H${width}` }));
    wrap(card.values, 25).forEach((text, n) => group.append(element("text", { class: "fn", x: 14, y: HEAD + 21 + n * ROW }, cut(text, 26))));
    card.rows.forEach((row, n) => {
      const y = HEAD + 21 + n * ROW;
      const room = Math.floor((width - 36 - (row.key ? 16 : 0)) / CHARACTER);
      const type = cut(row.type, Math.max(6, room - Math.min(row.name.length, Math.floor(room * 0.6))));
      if (row.key) group.append(element("path", { class: "pk", transform: `translate(10 ${y - 12}) scale(.8)`, d: "M10.200 12.500a3.200 3.200 0 1 1-6.400 0a3.200 3.200 0 1 1 6.400 0M9.400 10.200l6.100-6.100M13 6.600l2 2" }));
      group.append(element("text", { class: `fn ${row.mark ?? ""}`, x: row.key ? 30 : 14, y }, cut(row.name, room - type.length - 1)), element("text", { class: `ft ${row.mark ?? ""} ${row.kind}`, x: width - 12, y, "text-anchor": "end" }, type));
    });
    return group;
  }
  /** @param {Edge} edge */
  line(edge) {
    const [a, b] = [this.boxes.get(edge.from), this.boxes.get(edge.to)];
    if (!a || !b) return null;
    const row = this.isPlain ? -1 : this.cards.find((card) => card.name === edge.from)?.rows.findIndex((one) => one.name === edge.field) ?? -1;
    const fromY = a.y + (row < 0 ? HEAD / 2 : HEAD + 17 + row * ROW);
    const toY = b.y + HEAD / 2;
    let d;
    let ends;
    const group = element("g", { class: `edge${edge.soft ? " soft" : ""}${edge.mark ? ` ${edge.mark}` : ""}${this.selected && (edge.from === this.selected || edge.to === this.selected) ? " hot" : ""}` });
    if (edge.from === edge.to) {
      const x = a.x + a.width;
      d = `M${x} ${fromY}C${x + 44} ${fromY} ${x + 44} ${a.y + 12} ${x} ${a.y + 12}`;
      ends = [[x + 8, fromY + 14, "start"], [x + 8, a.y + 8, "start"]];
    } else if (a.x < b.x + b.width + 24 && b.x < a.x + a.width + 24 && (b.y > a.y + a.height || a.y > b.y + b.height)) {
      // One above the other: around the left side, or straight down where they are near.
      const below = b.y > a.y;
      const x = Math.max(a.x, b.x) + Math.min(a.x + a.width, b.x + b.width) >> 1;
      const [top, bottom] = below ? [a.y + a.height, b.y] : [b.y + b.height, a.y];
      const blocked = [...this.boxes.values()].some((one) => one !== a && one !== b && one.x < x && one.x + one.width > x && one.y < bottom && one.y + one.height > top);
      if (!blocked && bottom - top < 420) {
        d = `M${x} ${top}V${bottom}`;
        ends = below ? [[x + 8, top + 15, "start"], [x + 8, bottom - 7, "start"]] : [[x + 8, bottom - 7, "start"], [x + 8, top + 15, "start"]];
      } else {
        const out = Math.min(a.x, b.x) - 34;
        d = `M${a.x} ${fromY}C${out} ${fromY} ${out} ${toY} ${b.x} ${toY}`;
        ends = [[a.x - 8, fromY - 7, "end"], [b.x - 8, toY - 7, "end"]];
      }
    } else {
      const right = b.x > a.x;
      const [x1, x2] = right ? [a.x + a.width, b.x] : [a.x, b.x + b.width];
      const bend = Math.max(40, Math.abs(x2 - x1) / 2) * (right ? 1 : -1);
      d = `M${x1} ${fromY}C${x1 + bend} ${fromY} ${x2 - bend} ${toY} ${x2} ${toY}`;
      ends = [[x1 + (right ? 8 : -8), fromY - 7, right ? "start" : "end"], [x2 + (right ? -8 : 8), toY - 7, right ? "end" : "start"]];
    }
    group.append(element("path", { d }));
    if (!edge.soft && !this.isPlain) [edge.fromCount, edge.toCount].forEach((text, n) => text && group.append(element("text", { x: ends[n][0], y: ends[n][1], "text-anchor": ends[n][2] }, text)));
    return group;
  }
  /** @param {string} name */
  select(name) {
    this.selected = name;
    this.draw();
    this.reveal(name);
  }
  /** Brings a card into sight. @param {string} name */
  reveal(name) {
    const box = this.boxes.get(name);
    if (!box || !this.placed) return;
    const { clientWidth: w, clientHeight: h } = this.host;
    const [left, top] = [box.x * this.zoom + this.x, box.y * this.zoom + this.y];
    const [bw, bh] = [box.width * this.zoom, box.height * this.zoom];
    if (left < 8) this.x += 24 - left;
    else if (left + bw > w - 8) this.x -= left + bw - w + 24;
    if (top < 8) this.y += 24 - top;
    else if (top + bh > h - 64) this.y -= Math.min(top - 24, top + bh - h + 72);
    this.move();
  }

  // View --------------------------------------------------------------------------------------------------------------

  move() {
    this.world.setAttribute("transform", `translate(${Math.round(this.x)} ${Math.round(this.y)}) scale(${this.zoom})`);
    const size = 20 * this.zoom;
    this.host.style.backgroundSize = `${size}px ${size}px`;
    this.host.style.backgroundPosition = `${this.x}px ${this.y}px`;
  }
  /** @param {number} zoom @param {number} [x] the place that stays @param {number} [y] */
  setZoom(zoom, x = this.host.clientWidth / 2, y = this.host.clientHeight / 2) {
    const plain = this.isPlain;
    const next = Math.max(ZOOM_MIN, Math.min(ZOOM_MAX, zoom));
    this.x = x - ((x - this.x) * next) / this.zoom;
    this.y = y - ((y - this.y) * next) / this.zoom;
    this.zoom = next;
    this.touched = true;
    if (plain || this.isPlain) this.draw();
    else this.move();
    this.options.onView(next);
  }
  bounds() {
    const all = [...this.boxes.values()];
    const left = Math.min(...all.map((box) => box.x)) - 36;
    const top = Math.min(...all.map((box) => box.y)) - 12;
    return { left, top, width: Math.max(...all.map((box) => box.x + box.width)) + 20 - left, height: Math.max(...all.map((box) => box.y + box.height)) + 12 - top };
  }
  fit() {
    const { clientWidth: w, clientHeight: h } = this.host;
    if (!w || !h || this.boxes.size === 0) return;
    const plain = this.isPlain;
    const { left, top, width, height } = this.bounds();
    this.zoom = Math.max(ZOOM_MIN, Math.min(1, (w - 48) / width, (h - 88) / height));
    this.x = Math.max(24, (w - width * this.zoom) / 2) - left * this.zoom;
    this.y = Math.max(24, (h - 40 - height * this.zoom) / 2) - top * this.zoom;
    this.placed = true;
    this.touched = false;
    if (plain || this.isPlain) this.draw();
    else this.move();
    if (this.isCut) this.reveal(this.selected);
    this.options.onView(this.zoom);
  }

  /** @param {Event} event */
  cardAt(event) {
    return /** @type {Element} */ (event.target).closest?.(".m")?.getAttribute("data-type") ?? "";
  }
  /** @param {PointerEvent} event */
  down(event) {
    if (event.button !== 0) return;
    const name = this.cardAt(event);
    const box = this.boxes.get(name);
    const start = { x: event.clientX, y: event.clientY, left: box?.x ?? this.x, top: box?.y ?? this.y };
    let moved = false;
    const move = (/** @type {PointerEvent} */ at) => {
      const [dx, dy] = [at.clientX - start.x, at.clientY - start.y];
      if (!moved && Math.hypot(dx, dy) < 4) return;
      moved = this.touched = true;
      this.host.classList.add("dragging");
      if (box) {
        box.x = Math.round(start.left + dx / this.zoom);
        box.y = Math.round(start.top + dy / this.zoom);
        this.positions[name] = [box.x, box.y];
        this.draw();
      } else {
        this.x = start.left + dx;
        this.y = start.top + dy;
        this.move();
      }
    };
    const up = () => {
      removeEventListener("pointermove", move);
      this.host.classList.remove("dragging");
      if (moved && box) this.options.onMove(this.positions);
      if (!moved && name) this.options.onSelect(name);
    };
    addEventListener("pointermove", move);
    addEventListener("pointerup", up, { once: true });
  }
  /** @param {WheelEvent} event */
  wheel(event) {
    event.preventDefault();
    this.touched = true;
    const box = this.host.getBoundingClientRect();
    if (event.ctrlKey || event.metaKey) this.setZoom(this.zoom * Math.exp(-event.deltaY / 300), event.clientX - box.left, event.clientY - box.top);
    else {
      this.x -= event.deltaX;
      this.y -= event.deltaY;
      this.move();
    }
  }
  /** @param {KeyboardEvent} event */
  key(event) {
    const step = { ArrowLeft: [48, 0], ArrowRight: [-48, 0], ArrowUp: [0, 48], ArrowDown: [0, -48] }[event.key];
    if (step) {
      this.touched = true;
      this.x += step[0];
      this.y += step[1];
      this.move();
    } else if (event.key === "+" || event.key === "=") this.setZoom(this.zoom * 1.2);
    else if (event.key === "-") this.setZoom(this.zoom / 1.2);
    else if (event.key === "0") this.fit();
    else return;
    event.preventDefault();
  }

  /** The diagram as a file of its own, in the colours of the page. */
  export() {
    const { left, top, width, height } = this.bounds();
    const copy = /** @type {SVGSVGElement} */ (this.svg.cloneNode(true));
    copy.setAttribute("xmlns", SVG);
    copy.setAttribute("viewBox", `${left} ${top} ${width} ${height}`);
    copy.setAttribute("width", String(Math.round(width)));
    copy.setAttribute("height", String(Math.round(height)));
    copy.removeAttribute("tabindex");
    copy.querySelector("g")?.removeAttribute("transform");
    const originals = this.svg.querySelectorAll("rect, path, text");
    copy.querySelectorAll("rect, path, text").forEach((one, n) => {
      const style = getComputedStyle(originals[n]);
      for (const name of ["fill", "stroke", "stroke-width", "stroke-dasharray", "font-family", "font-size", "font-weight"]) one.setAttribute(name, style.getPropertyValue(name));
    });
    return new XMLSerializer().serializeToString(copy);
  }
}

/** Names as lines of at most so many characters. @param {string[]} names @param {number} width */
function wrap(names, width) {
  /** @type {string[]} */ const lines = [];
  for (const name of names) {
    const last = lines[lines.length - 1];
    if (last !== undefined && last.length + name.length + 1 <= width) lines[lines.length - 1] = `${last} ${name}`;
    else lines.push(name);
  }
  return lines.length > 6 ? [...lines.slice(0, 5), `${lines.length - 5} more lines`] : lines;
}

/** What the diagram shows of a model. @param {any} model @param {import("./schema-model.js").Changes} changes @param {(field: any) => string} typeText
 * @returns {{ cards: Card[], edges: Edge[], summary: string }} */
export function diagramOf(model, changes, typeText) {
  const shown = model.types.filter((/** @type {any} */ one) => ["model", "enum", "custom"].includes(one.kind));
  /** @type {Card[]} */ const cards = shown.map((/** @type {any} */ one) => ({
    name: one.name, kind: one.kind, mark: changes.types.get(one.name) ?? null, values: one.values.map((/** @type {any} */ value) => value.name),
    rows: one.fields.map((/** @type {any} */ field) => ({ name: field.name, type: typeText(field), kind: field.kind, key: field.key && one.kind === "model", mark: changes.fields.get(`${one.name}.${field.name}`) ?? null })),
  }));
  /** @type {Edge[]} */ const edges = [];
  const seen = new Set();
  const count = { one: "1", many: "n", none: "" };
  for (const one of model.relationships) {
    if (seen.has(`${one.type}.${one.field}`)) continue;
    if (one.reverseField) seen.add(`${one.target}.${one.reverseField}`);
    // The count at an end says how many of that side the other has; a side that does not list the other may still have many.
    const single = one.has === "one" && one.reverse === "none";
    edges.push({ from: one.type, to: one.target, field: one.field, fromCount: single ? "n" : count[one.reverse] || "1", toCount: count[one.has], soft: false, mark: changes.fields.get(`${one.type}.${one.field}`) ?? null });
  }
  for (const type of shown) for (const field of type.fields) if ((field.kind === "enum" || field.kind === "custom") && shown.some((/** @type {any} */ one) => one.name === field.type)) edges.push({ from: type.name, to: field.type, field: field.name, fromCount: "", toCount: "", soft: true, mark: null });
  const of = (/** @type {string} */ kind, /** @type {string} */ word) => {
    const n = shown.filter((/** @type {any} */ one) => one.kind === kind).length;
    return `${n} ${word}${n === 1 ? "" : "s"}`;
  };
  const sentences = model.relationships.map((/** @type {any} */ one) => one.sentence).slice(0, 12).join(" ");
  return { cards, edges, summary: `Diagram of ${of("model", "model")}, ${of("enum", "enum")} and ${of("custom", "custom type")}. ${sentences} The list of types and the inspector show the same.` };
}
