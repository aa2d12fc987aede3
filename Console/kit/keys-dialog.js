// The list of all keys that `?` opens.

import { html, useState } from "../preact-htm.js";
import { Dialog } from "./dialog.js";
import { command, layers, option } from "./keys.js";
import { recall, remember } from "./storage.js";

const GRID = [
  ["←↑→↓", "Move"], ["Home End", "First or last column"], ["PgUp PgDn", "A screen up or down"], ["mod+Home | mod+End", "First or last row"], ["Enter", "Edit the cell"], ["o", "Open the item"],
  ["Space", "Select the row"], ["⇧ ↑↓", "Extend the selection"], ["mod+c", "Copy the cells as TSV"], ["Delete", "Delete the selected items"], ["alt+←→", "Narrower or wider, on a column's head"],
];
const WORDS = { Enter: "↵", Escape: "Esc", Delete: "Del", " ": "Space" };
/** @param {string} keys */
function shown(keys) {
  return keys.split(" | ").map((one, n) => html`${n > 0 && " or "}${one.split(" ").map((key) => html`<kbd class="kbd" key=${key}>${key.startsWith("mod+") ? command((WORDS[key.slice(4)] ?? key.slice(4)).replace(/^[a-z]$/, (c) => c.toUpperCase())) : key.startsWith("alt+") ? option(key.slice(4)) : WORDS[key] ?? key}</kbd> `)}`);
}

/** @param {{ onClose: () => void }} props */
export function KeysDialog({ onClose }) {
  const [letters, setLetters] = useState(recall("letters", true));
  const all = layers.flat().filter((binding) => binding.what);
  const grid = document.querySelector("[role=grid]");
  return html`<${Dialog} title="Keys" wide onClose=${onClose} footer=${html`<label class="row grow"><input class="switch" type="checkbox" role="switch" checked=${letters}
      onChange=${(event) => { setLetters(event.target.checked); remember("letters", event.target.checked); }} />Single-letter keys</label>
      <button class="btn main" type="button" onClick=${onClose}>Close</button>`}>
    <dl class="keys">${all.map((binding) => html`<div key=${binding.keys}><dt>${shown(binding.keys)}</dt><dd>${binding.what}</dd></div>`)}
      ${grid && GRID.map(([keys, what]) => html`<div key=${keys}><dt>${shown(keys)}</dt><dd>${what}</dd></div>`)}</dl>
  <//>`;
}
