// Tabs and segmented controls: one stop of the Tab key, arrows within.

import { html, useRef } from "../preact-htm.js";

/** @param {{ label: string, value: any, options: { value: any, text: any, title?: string }[], onChange: (value: any) => void, look?: "tabs" | "seg", id?: string }} props */
export function Tabs({ label, value, options, onChange, look = "tabs", id = "tabs" }) {
  const list = useRef(/** @type {any} */ (null));
  const keyDown = (/** @type {KeyboardEvent} */ event) => {
    const at = options.findIndex((option) => option.value === value);
    const step = { ArrowRight: 1, ArrowLeft: -1, Home: -at, End: options.length - 1 - at }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = (at + step + options.length) % options.length;
    onChange(options[next].value);
    list.current.children[next].focus();
  };
  return html`<div ref=${list} class=${look} role="tablist" aria-label=${label} onKeyDown=${keyDown}>
    ${options.map((option) => html`<button key=${option.value} type="button" role="tab" id=${`${id}-${option.value}`} aria-selected=${option.value === value ? "true" : "false"}
      aria-controls=${`${id}-panel`} tabindex=${option.value === value ? 0 : -1} title=${option.title} onClick=${() => onChange(option.value)}>${option.text}</button>`)}
  </div>`;
}
/** What a tab shows. @param {{ id?: string, value: any, class?: string, children?: any }} props */
export function TabPanel({ id = "tabs", value, class: more = "", children }) {
  return html`<div role="tabpanel" id=${`${id}-panel`} aria-labelledby=${`${id}-${value}`} class=${more}>${children}</div>`;
}
