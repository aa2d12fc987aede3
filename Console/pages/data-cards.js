// Data on a phone: two lines for each item.

import { html, useEffect, useRef } from "../preact-htm.js";
import { keyText } from "../api.js";
import { Rows } from "../kit/rows.js";
import { href } from "../kit/router.js";
import { primaryKeyOf } from "../kit/values.js";

const CARD = 69;

export function Cards({ source, cell, openItem, setFacts, failed, load, handle, initial, shownColumns, hidden }) {
  const host = useRef(/** @type {any} */ (null));
  const calls = useRef(/** @type {any} */ ({}));
  const summary = (item) => {
    const text = (column) => cell.current(item, { ...column, width: 400, mono: false });
    const [partition] = primaryKeyOf(source);
    const rest = shownColumns.filter((column) => column.name !== partition && !column.field.readOnly && text(column).kind !== "absent");
    const lead = rest.find((one) => one.link) ?? rest.find((one) => source.title?.includes(one.name)) ?? rest[0];
    const dates = rest.filter((one) => one !== lead && one.field.type === "AWSDate").slice(0, 2).map((one) => text(one).text);
    const fact = dates.length === 2 ? `${dates[0]} → ${dates[0].slice(0, 5) === dates[1].slice(0, 5) ? dates[1].slice(5) : dates[1]}` : dates[0] ?? "";
    const second = rest.find((one) => one !== lead && one.field.type !== "AWSDate");
    const third = rest.find((one) => one !== lead && one !== second && one.field.type !== "AWSDate");
    const key = item.key.join(", ");
    return [lead ? text(lead).text : key, fact || (third ? text(third).text : ""), second ? text(second).text : "", key.length > 12 ? `${key.slice(0, 8)}…` : key];
  };
  calls.current = { openItem, setFacts, failed, summary };
  useEffect(() => {
    const viewport = host.current;
    const body = document.createElement("div");
    body.setAttribute("role", "presentation");
    viewport.replaceChildren(body);
    /** @type {Map<string, any>} */ const flashing = new Map();
    const rows = new Rows({
      viewport, body, rowHeight: CARD, headHeight: 0, load: (offset, limit, signal) => load.current(offset, limit, signal),
      onRange: (first, last) => calls.current.setFacts((old) => (old.first === first && old.last === last ? old : { ...old, first, last })),
      onError: (error) => calls.current.failed(error),
      make: () => {
        const row = document.createElement("div");
        row.setAttribute("role", "listitem");
        row.className = "card-row";
        const link = document.createElement("a");
        for (const tag of ["b", "span", "span", "span"]) link.append(document.createElement(tag));
        link.children[3].className = "mono";
        link.children[1].className = "num";
        row.append(link);
        return row;
      },
      fill: (row, index, item) => {
        const link = /** @type {HTMLAnchorElement} */ (row.firstElementChild);
        link.className = `rec${item?.deleted ? " gone" : ""}${item && flashing.has(keyText(item.key)) ? " live" : ""}`;
        row.setAttribute("aria-posinset", String(index + 1));
        row.setAttribute("aria-setsize", String(rows.total));
        if (item) link.href = href(`/data/${encodeURIComponent(source.name)}/${keyText(item.key)}`) + location.search;
        const texts = item ? calls.current.summary(item) : ["", "", "", ""];
        texts.forEach((/** @type {string} */ text, /** @type {number} */ n) => {
          if (link.children[n].textContent !== text) link.children[n].textContent = text;
        });
      },
    });
    handle.current = {
      rows, row: 0, col: 0, reset: (/** @type {number} */ total) => rows.reset(total), setTotal: (/** @type {number} */ total) => rows.setTotal(total), clearSelection: () => {},
      flash: (/** @type {string} */ key) => {
        clearTimeout(flashing.get(key));
        flashing.set(key, setTimeout(() => { flashing.delete(key); rows.repaint(); }, 1200));
        rows.repaint();
      },
    };
    rows.reset(initial);
    return () => {
      handle.current = null;
      flashing.forEach(clearTimeout);
      rows.destroy();
      viewport.replaceChildren();
    };
  }, []);
  return html`<div ref=${host} class="cards" role="list" tabindex="0" aria-label=${source.name} inert=${hidden ? true : undefined}></div>`;
}
