// A command to copy, and the button that copies.

import { html, useEffect, useRef, useState } from "../preact-htm.js";
import { Icon } from "./icons.js";

/** @param {string} text */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // Without the permission, or over clear text from another machine: the older way.
    const area = document.createElement("textarea");
    area.value = text;
    area.className = "vh";
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

/** @param {{ text: string | (() => string), label: string, words?: string }} props `words`: the visible text; without it there is only an icon */
export function CopyButton({ text, label, words }) {
  const [done, setDone] = useState(/** @type {null | boolean} */ (null));
  const timer = useRef(/** @type {any} */ (null));
  useEffect(() => () => clearTimeout(timer.current), []);
  const press = async () => {
    setDone(await copy(typeof text === "function" ? await text() : text));
    clearTimeout(timer.current);
    timer.current = setTimeout(() => setDone(null), 2000);
  };
  const said = done === null ? "" : done ? "Copied" : "Not copied: select the text instead";
  return html`<button class=${`btn plain copy${words ? "" : " icon"}`} type="button" aria-label=${words ? undefined : label} onClick=${press}>
    <${Icon} name=${done ? "check" : "copy"} small />${words && html`<span>${done ? "Copied" : words}</span>`}
    <span class="vh" role="status">${said}</span>
    ${!words && done !== null && html`<span class="tip" aria-hidden="true">${said}</span>`}
  </button>`;
}

/** @param {{ text: string, label?: string }} props */
export function Command({ text, label = "Copy command" }) {
  return html`<div class="cmd"><span class="p mono" aria-hidden="true">$</span><code tabindex="0">${text}</code><${CopyButton} text=${text} label=${label} /></div>`;
}
