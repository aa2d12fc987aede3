// A button that opens a menu in the top layer. Arrows, Home, End and first letters move; Esc closes.

import { html, useLayoutEffect, useRef, useState } from "../preact-htm.js";
import { Icon } from "./icons.js";

/** Puts a popover under its opener, or over it where there is no room. @param {HTMLElement} popover @param {Element} opener */
export function place(popover, opener) {
  const box = opener.getBoundingClientRect();
  const { offsetWidth: width, offsetHeight: height } = popover;
  const below = box.bottom + 4;
  popover.style.top = `${Math.max(8, below + height > innerHeight - 8 && box.top - 4 - height > 8 ? box.top - 4 - height : Math.min(below, innerHeight - 8 - height))}px`;
  popover.style.left = `${Math.max(8, Math.min(box.left, innerWidth - 8 - width))}px`;
}

/**
 * @typedef {{ text?: any, icon?: string, detail?: any, run?: () => void, href?: string, checked?: boolean, danger?: boolean, disabled?: string | false, heading?: string, line?: boolean } | false | null | undefined} Entry
 * @param {{ label?: string, button: any, class?: string, entries: Entry[] | (() => Entry[]), search?: string, disabled?: boolean, id?: string }} props `search`: the label of a field that narrows a long menu
 */
export function Menu({ label, button, class: more = "btn", entries, search, disabled = false, id }) {
  const [open, setOpen] = useState(false);
  const [text, setText] = useState("");
  const opener = useRef(/** @type {any} */ (null));
  const popover = useRef(/** @type {any} */ (null));
  const close = (back = true) => {
    setOpen(false);
    setText("");
    if (back) opener.current?.focus();
  };
  const all = /** @type {any[]} */ (open ? (typeof entries === "function" ? entries() : entries) : []);
  const shown = all.filter(Boolean).filter((entry) => !text || (!entry.heading && !entry.line && String(entry.name ?? entry.text).toLowerCase().includes(text.toLowerCase())));

  useLayoutEffect(() => {
    if (!open) return;
    const element = popover.current;
    element.showPopover();
    place(element, opener.current);
    (element.querySelector("input") ?? element.querySelector("[role=menuitemradio][aria-checked=true]") ?? element.querySelector("[role^=menuitem]"))?.focus();
    const away = (event) => {
      if (!element.contains(event.target) && !opener.current.contains(event.target)) close(false);
    };
    const moved = () => place(element, opener.current);
    addEventListener("pointerdown", away, true);
    addEventListener("resize", moved);
    return () => {
      removeEventListener("pointerdown", away, true);
      removeEventListener("resize", moved);
    };
  }, [open]);

  const keyDown = (/** @type {KeyboardEvent} */ event) => {
    const items = /** @type {HTMLElement[]} */ ([...popover.current.querySelectorAll("[role^=menuitem]")]);
    const at = items.indexOf(/** @type {any} */ (document.activeElement));
    let next = -1;
    if (event.key === "ArrowDown") next = (at + 1) % items.length;
    else if (event.key === "ArrowUp") next = (at - 1 + items.length) % items.length;
    else if (event.key === "Home" && at >= 0) next = 0;
    else if (event.key === "End" && at >= 0) next = items.length - 1;
    else if (event.key === "Escape" || event.key === "Tab") close();
    else if (event.key === "Enter" && at < 0) {
      event.preventDefault();
      items.find((item) => item.getAttribute("aria-disabled") !== "true")?.click();
    } else if (event.key.length === 1 && at >= 0 && !event.metaKey && !event.ctrlKey) {
      next = items.findIndex((item, n) => n > at && item.textContent?.trim().toLowerCase().startsWith(event.key.toLowerCase()));
      if (next < 0) next = items.findIndex((item) => item.textContent?.trim().toLowerCase().startsWith(event.key.toLowerCase()));
    }
    event.stopPropagation();
    if (event.key === "Tab") return;
    if (next >= 0) {
      event.preventDefault();
      items[next]?.focus();
    } else if (event.key === "Escape") event.preventDefault();
  };
  return html`<span class="menu-host">
    <button ref=${opener} id=${id} class=${more} type="button" aria-haspopup="menu" aria-expanded=${open ? "true" : "false"} aria-label=${label} disabled=${disabled}
      onClick=${() => (open ? close() : setOpen(true))}
      onKeyDown=${(/** @type {KeyboardEvent} */ event) => event.key === "ArrowDown" && !open && (event.preventDefault(), setOpen(true))}>${button}</button>
    ${open && html`<div ref=${popover} popover="manual" class="menu" onKeyDown=${keyDown}>
      ${search && html`<input class="input" type="search" aria-label=${search} placeholder=${search} value=${text} onInput=${(event) => setText(event.target.value)} />`}
      <div role="menu" aria-label=${label ?? "Actions"}>
      ${shown.map((entry, n) => {
        if (entry.heading) return html`<div key=${n} role="presentation" class="heading">${entry.heading}</div>`;
        if (entry.line) return html`<div key=${n} role="separator"></div>`;
        const inside = html`${entry.icon && html`<${Icon} name=${entry.icon} small />`}<span class="grow">${entry.text}</span>
          ${entry.detail && html`<span class="faint small">${entry.detail}</span>`}${entry.checked && html`<${Icon} name="check" small />`}
          ${entry.disabled && html`<span class="faint small">${entry.disabled}</span>`}`;
        const role = entry.checked === undefined ? "menuitem" : "menuitemradio";
        if (entry.href) return html`<a key=${n} role=${role} tabindex="-1" href=${entry.href} aria-checked=${entry.checked === undefined ? undefined : String(entry.checked)} onClick=${() => close(false)}>${inside}</a>`;
        return html`<button key=${n} type="button" role=${role} tabindex="-1" class=${entry.danger ? "danger" : ""} aria-disabled=${entry.disabled ? "true" : undefined}
          aria-checked=${entry.checked === undefined ? undefined : String(entry.checked)} onClick=${() => {
            if (entry.disabled) return;
            close();
            entry.run?.();
          }}>${inside}</button>`;
      })}
      ${text && shown.length === 0 && html`<div class="heading" role="presentation">Nothing matches</div>`}
      </div>
    </div>`}
  </span>`;
}
