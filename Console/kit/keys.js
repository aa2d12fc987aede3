// Keys of the console. Single letters are ignored in fields and can be switched off (WCAG 2.1.4).

import { html, useEffect, useRef, useState } from "../preact-htm.js";
import { Dialog } from "./dialog.js";
import { recall, remember } from "./storage.js";

export const isApple = /mac|iphone|ipad/i.test(navigator.platform);
/** `⌘K`, or `Ctrl K`. @param {string} key */
export const command = (key) => (isApple ? `⌘${key}` : `Ctrl ${key}`);

/** @type {{ keys: string, what: string, run: (event: KeyboardEvent) => any }[][]} */
const layers = [];

const inField = (/** @type {any} */ target) => target?.closest?.("input:not([type=checkbox]), textarea, select, [contenteditable=true], .CodeMirror");
let prefix = "";
/** @type {any} */ let prefixTimer = null;

/** The name of a key press: `mod+k`, `g`, `?`. @param {KeyboardEvent} event */
function nameOf(event) {
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  if (isApple ? event.metaKey : event.ctrlKey) return `mod+${key}`;
  return event.altKey || event.metaKey || event.ctrlKey ? "" : key;
}

addEventListener("keydown", (event) => {
  if (event.defaultPrevented || event.isComposing) return;
  const name = nameOf(event);
  const single = name.length === 1 || name === "Delete";
  if (!name || (single && (inField(event.target) || recall("letters", true) === false))) return;
  if (document.querySelector("dialog[open]") && name !== "mod+s") return;
  const wanted = prefix ? `${prefix} ${name}` : name;
  clearTimeout(prefixTimer);
  prefix = "";
  if (wanted === "g") {
    prefix = "g";
    prefixTimer = setTimeout(() => (prefix = ""), 1200);
    return;
  }
  for (const layer of layers.slice().reverse()) {
    for (const binding of layer) {
      if (!binding.keys.split(" | ").includes(wanted)) continue;
      if (binding.run(event) !== false) {
        event.preventDefault();
        return;
      }
    }
  }
});

/** Binds keys while the component is there. @param {{ keys: string, what: string, run: (event: KeyboardEvent) => any }[]} bindings */
export function useKeys(bindings) {
  const layer = useRef(/** @type {typeof bindings} */ ([])).current;
  layer.splice(0, layer.length, ...bindings.filter(Boolean));
  useEffect(() => {
    layers.push(layer);
    return () => void layers.splice(layers.indexOf(layer), 1);
  }, []);
}

const GRID = [
  ["←↑→↓", "move"], ["Home End", "first or last column"], ["PgUp PgDn", "a screen up or down"], ["mod+Home | mod+End", "first or last row"], ["Enter", "edit the cell"], ["o", "open the item"],
  ["Space", "select the row"], ["⇧ ↑↓", "extend the selection"], ["mod+c", "copy the cells as TSV"], ["Delete", "delete the selected items"], ["⌥ ←→", "narrower or wider, on a column's head"],
];
const WORDS = { Enter: "↵", Escape: "Esc", Delete: "Del", " ": "Space" };
/** @param {string} keys */
function shown(keys) {
  return keys.split(" | ").map((one, n) => html`${n > 0 && " or "}${one.split(" ").map((key) => html`<kbd class="kbd" key=${key}>${key.startsWith("mod+") ? command((WORDS[key.slice(4)] ?? key.slice(4)).replace(/^[a-z]$/, (c) => c.toUpperCase())) : WORDS[key] ?? key}</kbd> `)}`);
}

/** The list that `?` opens. @param {{ onClose: () => void }} props */
export function KeysDialog({ onClose }) {
  const [letters, setLetters] = useState(recall("letters", true));
  const all = layers.flat().filter((binding) => binding.what);
  const grid = document.querySelector("[role=grid]");
  return html`<${Dialog} title="Keys" wide onClose=${onClose} footer=${html`<label class="row grow"><input class="switch" type="checkbox" role="switch" checked=${letters}
      onChange=${(/** @type {any} */ event) => { setLetters(event.target.checked); remember("letters", event.target.checked); }} />Single-letter keys</label>
      <button class="btn main" type="button" onClick=${onClose}>Close</button>`}>
    <dl class="keys">${all.map((binding) => html`<div key=${binding.keys}><dt>${shown(binding.keys)}</dt><dd>${binding.what}</dd></div>`)}
      ${grid && GRID.map(([keys, what]) => html`<div key=${keys}><dt>${shown(keys)}</dt><dd>${what}</dd></div>`)}</dl>
  <//>`;
}
