// Keys of the console. Single letters are ignored in fields and can be switched off (WCAG 2.1.4).

import { useEffect, useRef } from "../preact-htm.js";
import { recall } from "./storage.js";

const isApple = /mac|iphone|ipad/i.test(navigator.platform);
/** `⌘K`, or `Ctrl K`. @param {string} key */
export const command = (key) => (isApple ? `⌘${key}` : `Ctrl ${key}`);
/** `⌥↑`, or `Alt ↑`. @param {string} key */
export const option = (key) => (isApple ? `⌥${key}` : `Alt ${key}`);

/** @type {{ keys: string, what: string, run: (event: KeyboardEvent) => any }[][]} */
export const layers = [];

const inField = (target) => target?.closest?.("input:not([type=checkbox]), textarea, select, [contenteditable=true], .CodeMirror");
let prefix = "";
/** @type {any} */ let prefixTimer = null;

let pressed = -Infinity;
addEventListener("pointerdown", () => (pressed = performance.now()), true);
addEventListener("keydown", () => (pressed = -Infinity), true);
/** Whether the last thing done was a click or a tap. */
export const byPointer = () => performance.now() - pressed < 1500;

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
  if (!name || (single && (inField(event.target) || !recall("letters", /** @type {boolean} */ (true))))) return;
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
