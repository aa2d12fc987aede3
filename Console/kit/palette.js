// The command palette: pages, models, fields and commands by a few letters.

import { html, useEffect, useMemo, useRef, useState } from "../preact-htm.js";
import { Dialog } from "./dialog.js";
import { Icon } from "./icons.js";
import { go } from "./router.js";
import { recall, remember } from "./storage.js";

const RESULTS = 20;

/** How well `text` is matched by the letters of `query`, in their order: higher is better, 0 is not at all. Pure.
 * @param {string} query @param {string} text */
export function rank(query, text) {
  const letters = query.toLowerCase().replace(/\s+/g, "");
  const whole = text.toLowerCase();
  if (!letters) return 1;
  const straight = whole.indexOf(query.toLowerCase().trim());
  if (straight === 0) return 1000 - whole.length;
  if (straight > 0) return (/[^a-z0-9]/.test(whole[straight - 1]) ? 800 : 500) - whole.length;
  let at = -1;
  let score = 200;
  for (const letter of letters) {
    const next = whole.indexOf(letter, at + 1);
    if (next < 0) return 0;
    const starts = next === 0 || /[^a-z0-9]/.test(whole[next - 1]) || (text[next] !== whole[next]);
    score -= starts || next === at + 1 ? 1 : 4 + (next - at);
    at = next;
  }
  return Math.max(1, score);
}

/** @typedef {{ text: string, detail?: string, icon: string, path?: string, run?: () => void }} Entry
 * @param {{ entries: Entry[], loading?: boolean, onClose: () => void }} props `loading`: more entries are to come */
export function Palette({ entries, loading = false, onClose }) {
  const [text, setText] = useState("");
  const [at, setAt] = useState(0);
  const list = useRef(/** @type {any} */ (null));
  const found = useMemo(() => {
    /** @type {string[]} */ const recent = recall("recent", []);
    return entries
      .map((entry, n) => ({ entry, score: rank(text, `${entry.text} ${entry.detail ?? ""}`), recent: recent.indexOf(entry.text), n }))
      .filter((one) => one.score > 0)
      .sort((a, b) => (text ? b.score - a.score : (a.recent < 0 ? 99 : a.recent) - (b.recent < 0 ? 99 : b.recent)) || a.n - b.n)
      .slice(0, RESULTS)
      .map((one) => one.entry);
  }, [text, entries]);
  useEffect(() => setAt(0), [text]);
  useEffect(() => list.current?.children[at]?.scrollIntoView({ block: "nearest" }), [at]);
  const pick = (/** @type {Entry | undefined} */ entry) => {
    if (!entry) return;
    remember("recent", [entry.text, ...recall("recent", []).filter((/** @type {string} */ one) => one !== entry.text)].slice(0, 10));
    onClose();
    if (entry.run) entry.run();
    else if (entry.path) go(entry.path);
  };
  // Enter was pressed before the models were there.
  const [waiting, setWaiting] = useState(false);
  useEffect(() => {
    if (waiting && !loading) pick(found[0]);
    setWaiting(waiting && loading);
  }, [waiting, loading, found]);
  const keyDown = (/** @type {KeyboardEvent} */ event) => {
    const step = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key];
    if (step) {
      event.preventDefault();
      setAt(Math.max(0, Math.min(found.length - 1, at + step)));
    } else if (event.key === "Enter") {
      event.preventDefault();
      if (found.length === 0 && loading) setWaiting(true);
      else pick(found[at]);
    }
  };
  return html`<${Dialog} title="Search" class="palette" onClose=${onClose}>
    <div class="seek"><${Icon} name="search" />
      <input data-first role="combobox" aria-expanded="true" aria-controls="palette-list" aria-autocomplete="list" aria-label="Search or run a command"
        aria-activedescendant=${found.length ? `palette-${at}` : undefined} placeholder="Search or run a command" autocomplete="off" spellcheck=${false} value=${text}
        onInput=${(event) => setText(event.target.value)} onKeyDown=${keyDown} /></div>
    <ul ref=${list} id="palette-list" role="listbox" aria-label="Results">
      ${found.map((entry, n) => html`<li key=${entry.text + entry.detail} id=${`palette-${n}`} role="option" aria-selected=${n === at ? "true" : "false"} onMouseMove=${() => setAt(n)} onClick=${() => pick(entry)}>
        <${Icon} name=${entry.icon} small /><span>${entry.text}</span><span class="faint small cut">${entry.detail}</span></li>`)}
    </ul>
    ${found.length === 0 && html`<p class="empty-line">${loading ? "Looking for models" : `Nothing matches “${text}”.`}</p>`}
  <//>`;
}
