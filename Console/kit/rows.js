// A scroller for any number of rows: recycled elements, windows of items loaded as they come into sight, and a scroll
// height that is capped and scaled, because browsers stop at 33.5 million pixels.

/** Items of one request, windows that are kept, and pixels of the scroll height. */
const WINDOW = 100;
const WINDOWS_MAX = 30;
export const HEIGHT_MAX = 8_000_000;
/** Rows drawn beyond each edge, and rows before an edge from which the next window is loaded. */
const OVERSCAN = 5;
const AHEAD = 40;
/** Milliseconds of rest after which a jump loads, and after which a scaled bar is set right. */
const REST = 80;
const IDLE = 250;

/** The state of scaled scrolling, apart from the DOM. Positions in pixels.
 * `virtual` is the top of what is seen in the whole; `scroll` is the bar's. Small moves count one to one, jumps by ratio. */
export class Scale {
  virtual = 0;
  scroll = 0;
  whole = 0;
  shown = 0;
  view = 0;
  /** @param {number} whole @param {number} view */
  resize(whole, view) {
    this.whole = whole;
    this.view = view;
    this.shown = Math.min(whole, HEIGHT_MAX);
    this.virtual = Math.max(0, Math.min(this.virtual, whole - view));
    if (this.whole <= this.shown) this.scroll = this.virtual;
  }
  get scaled() {
    return this.whole > this.shown;
  }
  get scrollMax() {
    return Math.max(0, this.shown - this.view);
  }
  get virtualMax() {
    return Math.max(0, this.whole - this.view);
  }
  /** What is subtracted from a row's place in the whole. */
  get offset() {
    return this.virtual - this.scroll;
  }
  /** The bar moved to `scroll`. Returns whether it was a jump. @param {number} scroll */
  moved(scroll) {
    const by = scroll - this.scroll;
    this.scroll = scroll;
    const jump = Math.abs(by) > this.view * 2;
    if (!this.scaled) this.virtual = scroll;
    else if (scroll <= 0) this.virtual = 0;
    else if (scroll >= this.scrollMax - 1) this.virtual = this.virtualMax;
    else if (jump) this.virtual = (scroll / this.scrollMax) * this.virtualMax;
    else this.virtual = Math.max(0, Math.min(this.virtualMax, this.virtual + by));
    return jump;
  }
  /** Where the bar belongs for what is seen. */
  get settled() {
    if (!this.scaled) return this.virtual;
    return this.virtualMax ? (this.virtual / this.virtualMax) * this.scrollMax : 0;
  }
  /** Shows `virtual` at the top. Returns the bar's new place. @param {number} virtual */
  jump(virtual) {
    this.virtual = Math.max(0, Math.min(this.virtualMax, virtual));
    this.scroll = Math.round(this.settled);
    return this.scroll;
  }
}

/**
 * @typedef {{
 *   viewport: HTMLElement, body: HTMLElement, rowHeight: number, headHeight: number,
 *   make: () => HTMLElement, fill: (element: HTMLElement, index: number, item: any) => void,
 *   load: (offset: number, limit: number, signal: AbortSignal) => Promise<{ items: any[], end: boolean }>,
 *   onRange?: (first: number, last: number) => void, onError?: (error: any) => void, pinned?: () => number,
 * }} Options
 */
export class Rows {
  /** @param {Options} options */
  constructor(options) {
    this.options = options;
    this.scale = new Scale();
    this.total = 0;
    /** @type {Map<number, any[]>} */ this.windows = new Map();
    /** @type {Map<number, AbortController>} */ this.loading = new Map();
    /** @type {Map<number, HTMLElement>} */ this.shown = new Map();
    /** @type {HTMLElement[]} */ this.free = [];
    this.failed = new Set();
    this.stale = new Set();
    this.frame = 0;
    /** @type {any} */ this.rest = null;
    /** @type {any} */ this.idle = null;
    this.onScroll = () => this.scrolled();
    options.viewport.addEventListener("scroll", this.onScroll, { passive: true });
    this.observer = new ResizeObserver(() => this.resize());
    this.observer.observe(options.viewport);
  }
  destroy() {
    this.observer.disconnect();
    this.options.viewport.removeEventListener("scroll", this.onScroll);
    cancelAnimationFrame(this.frame);
    clearTimeout(this.rest);
    clearTimeout(this.idle);
    for (const abort of this.loading.values()) abort.abort();
  }
  /** Starts over: other items. @param {number} total */
  reset(total) {
    for (const abort of this.loading.values()) abort.abort();
    this.loading.clear();
    this.windows.clear();
    this.failed.clear();
    this.stale.clear();
    this.total = total;
    this.scale.virtual = this.scale.scroll = 0;
    this.options.viewport.scrollTop = 0;
    this.resize();
  }
  /** @param {number} total */
  setTotal(total) {
    if (total === this.total) return;
    this.total = total;
    this.resize();
  }
  /** Loads what is seen again; the old items stay until then. */
  refresh() {
    const [first, last] = this.visible();
    for (const at of this.windows.keys()) {
      if (at + WINDOW < first - AHEAD || at > last + AHEAD) this.windows.delete(at);
      else this.stale.add(at);
    }
    this.failed.clear();
    this.need();
  }
  /** @param {number} index */
  item(index) {
    const at = Math.floor(index / WINDOW) * WINDOW;
    return this.windows.get(at)?.[index - at] ?? null;
  }
  /** Items from `first` to `last`, also those that are not loaded. @param {number} first @param {number} last @returns {Promise<any[]>} */
  async range(first, last) {
    const out = [];
    const { signal } = new AbortController();
    for (let at = Math.floor(first / WINDOW) * WINDOW; at <= last; at += WINDOW) {
      const items = this.windows.get(at) ?? (await this.options.load(at, WINDOW, signal)).items;
      out.push(...items.slice(Math.max(0, first - at), last - at + 1));
    }
    return out;
  }
  /** @param {(item: any) => boolean} test */
  find(test) {
    for (const [at, items] of this.windows) {
      const n = items.findIndex((item) => item && test(item));
      if (n >= 0) return at + n;
    }
    return -1;
  }
  /** @param {number} index @param {any} item */
  replace(index, item) {
    const at = Math.floor(index / WINDOW) * WINDOW;
    const items = this.windows.get(at);
    if (items) items[index - at] = item;
    const element = this.shown.get(index);
    if (element) this.options.fill(element, index, item);
  }
  resize() {
    const { viewport, body, headHeight, rowHeight } = this.options;
    this.scale.resize(headHeight + this.total * rowHeight, viewport.clientHeight);
    body.style.height = `${Math.max(0, this.scale.shown - headHeight)}px`;
    this.draw();
    this.need();
  }
  /** The first and last index in sight. */
  visible() {
    const { rowHeight, headHeight, viewport } = this.options;
    const first = Math.max(0, Math.floor(this.scale.virtual / rowHeight));
    const last = Math.min(this.total - 1, Math.ceil((this.scale.virtual + viewport.clientHeight - headHeight) / rowHeight) - 1);
    return [first, last];
  }
  scrolled() {
    const jump = this.scale.moved(this.options.viewport.scrollTop);
    if (!this.frame) this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      this.draw();
    });
    clearTimeout(this.rest);
    if (!jump) this.need(true);
    this.rest = setTimeout(() => this.need(), REST);
    clearTimeout(this.idle);
    if (this.scale.scaled) this.idle = setTimeout(() => this.settle(), IDLE);
  }
  settle() {
    const wanted = Math.round(this.scale.settled);
    if (Math.abs(wanted - this.scale.scroll) < 2) return;
    this.scale.scroll = wanted;
    this.options.viewport.scrollTop = wanted;
    this.draw();
  }
  /** Brings a row into sight. @param {number} index */
  reveal(index) {
    const { rowHeight, headHeight, viewport } = this.options;
    const top = index * rowHeight;
    const height = viewport.clientHeight - headHeight;
    let virtual = this.scale.virtual;
    if (top < virtual) virtual = top;
    else if (top + rowHeight > virtual + height) virtual = top + rowHeight - height;
    else return;
    viewport.scrollTop = this.scale.jump(virtual);
    this.draw();
    this.need();
  }
  draw() {
    const { rowHeight, body, make, fill, pinned, onRange } = this.options;
    let [first, last] = this.visible();
    const range = [first, last];
    first = Math.max(0, first - OVERSCAN);
    last = Math.min(this.total - 1, last + OVERSCAN);
    const pin = pinned?.() ?? -1;
    const offset = this.scale.offset;
    for (const [index, element] of this.shown) {
      if ((index < first || index > last) && index !== pin) {
        this.shown.delete(index);
        this.free.push(element);
      } else if (element.dataset.offset !== String(offset)) {
        element.dataset.offset = String(offset);
        element.style.transform = `translateY(${index * rowHeight - offset}px)`;
      }
    }
    for (let index = first; index <= last; index += 1) {
      if (this.shown.has(index)) continue;
      let element = this.free.pop();
      if (!element) {
        element = make();
        body.append(element);
      }
      element.hidden = false;
      element.dataset.offset = String(offset);
      element.style.transform = `translateY(${index * rowHeight - offset}px)`;
      this.shown.set(index, element);
      fill(element, index, this.item(index));
    }
    for (const element of this.free) element.hidden = true;
    while (this.free.length > 12) this.free.pop()?.remove();
    onRange?.(range[0], range[1]);
  }
  /** Draws every row in sight again. */
  repaint() {
    for (const [index, element] of this.shown) this.options.fill(element, index, this.item(index));
  }
  /** Loads the windows in sight. @param {boolean} [gently] not those that are only near */
  need(gently = false) {
    const [first, last] = this.visible();
    if (this.total === 0 && this.windows.size && !this.stale.size) return;
    const from = Math.max(0, Math.floor((first - (gently ? 0 : AHEAD)) / WINDOW) * WINDOW);
    const to = Math.max(0, Math.min(this.total - 1, last + (gently ? 0 : AHEAD)));
    for (const [at, abort] of this.loading) {
      if (at + WINDOW < first - WINDOW || at > last + WINDOW) {
        abort.abort();
        this.loading.delete(at);
      }
    }
    for (let at = from; at <= to; at += WINDOW) {
      if ((this.windows.has(at) && !this.stale.has(at)) || this.loading.has(at) || this.failed.has(at)) continue;
      this.fetch(at);
    }
  }
  /** @param {number} at */
  fetch(at) {
    const abort = new AbortController();
    this.loading.set(at, abort);
    this.options.load(at, WINDOW, abort.signal).then(
      ({ items, end }) => {
        if (this.loading.get(at) !== abort) return;
        this.loading.delete(at);
        this.stale.delete(at);
        this.windows.set(at, items);
        while (this.windows.size > WINDOWS_MAX) {
          const [first] = this.visible();
          const farthest = [...this.windows.keys()].reduce((a, b) => (Math.abs(a - first) > Math.abs(b - first) ? a : b));
          this.windows.delete(farthest);
        }
        if (end && at + items.length < this.total) this.setTotal(at + items.length);
        else if (!end && at + items.length >= this.total) this.setTotal(at + items.length + WINDOW);
        for (const [index, element] of this.shown) if (index >= at && index < at + WINDOW) this.options.fill(element, index, this.item(index));
      },
      (error) => {
        if (this.loading.get(at) !== abort) return;
        this.loading.delete(at);
        if (error?.name === "AbortError") return;
        this.failed.add(at);
        this.options.onError?.(error);
      },
    );
  }
  /** Gives up what is being loaded. */
  cancel() {
    for (const [at, abort] of this.loading) {
      abort.abort();
      this.failed.add(at);
    }
    this.loading.clear();
    this.options.onError?.({ code: "cancelled", message: "Loading was cancelled." });
  }
  /** Tries the windows again that failed. */
  again() {
    this.failed.clear();
    this.need();
  }
}
