// Short messages at the bottom. They disappear after six seconds; those of errors stay.

import { html, useEffect, useState } from "../preact-htm.js";
import { Icon } from "./icons.js";

const SECONDS = 6;
/** @type {any[]} */ let shown = [];
const watchers = new Set();
let next = 0;

/** @param {string} text @param {{ error?: boolean, hint?: string, action?: { text: string, run: () => void } }} [options] */
export function toast(text, options = {}) {
  const entry = { id: ++next, text, ...options };
  shown = [...shown.slice(-3), entry];
  watchers.forEach((watcher) => watcher(shown));
  if (!options.error) setTimeout(() => dismiss(entry.id), SECONDS * 1000);
}
/** @param {any} error @param {string} [what] */
export const toastError = (error, what) => toast(what ? `${what}: ${error.message}` : error.message, { error: true, hint: error.hint });
function dismiss(/** @type {number} */ id) {
  shown = shown.filter((entry) => entry.id !== id);
  watchers.forEach((watcher) => watcher(shown));
}

export function Toasts() {
  const [entries, setEntries] = useState(shown);
  useEffect(() => {
    watchers.add(setEntries);
    return () => void watchers.delete(setEntries);
  }, []);
  return html`<div class="toasts" role="status" aria-live="polite">
    ${entries.map((entry) => html`<div key=${entry.id} class=${`toast${entry.error ? " error" : ""}`}>
      <${Icon} name=${entry.error ? "warn" : "check"} small />
      <span class="grow">${entry.text}${entry.hint && html` <span class="quiet">${entry.hint}</span>`}</span>
      ${entry.action && html`<button class="btn plain" onClick=${() => { entry.action.run(); dismiss(entry.id); }}>${entry.action.text}</button>`}
      <button class="btn plain icon" aria-label="Dismiss" onClick=${() => dismiss(entry.id)}><${Icon} name="x" small /></button>
    </div>`)}
  </div>`;
}
