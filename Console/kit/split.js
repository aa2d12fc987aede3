// The edge of a panel: dragged by the pointer, moved by the arrow keys, remembered.

import { html, useEffect, useRef, useState } from "../preact-htm.js";
import { recall, remember } from "./storage.js";

/** @param {{ name: string, label: string, min?: number, max?: number, initial?: number }} props */
export function Split({ name, label, min = 340, max = 720, initial = 408 }) {
  const [width, setWidth] = useState(() => recall(`width.${name}`, initial));
  const handle = useRef(/** @type {any} */ (null));
  const clamp = (/** @type {number} */ value) => Math.round(Math.max(min, Math.min(max, innerWidth * 0.7, value)));
  useEffect(() => {
    handle.current.parentElement.style.setProperty("--panel-width", `${clamp(width)}px`);
    remember(`width.${name}`, width);
  }, [width]);
  const down = (/** @type {PointerEvent} */ event) => {
    const start = event.clientX;
    const from = handle.current.parentElement.offsetWidth;
    const move = (/** @type {PointerEvent} */ moved) => setWidth(clamp(from + start - moved.clientX));
    const up = () => {
      removeEventListener("pointermove", move);
      document.body.classList.remove("resizing");
    };
    event.preventDefault();
    document.body.classList.add("resizing");
    addEventListener("pointermove", move);
    addEventListener("pointerup", up, { once: true });
  };
  return html`<div ref=${handle} class="split no-phone" role="separator" aria-orientation="vertical" tabindex="0" aria-label=${label}
    aria-valuenow=${width} aria-valuemin=${min} aria-valuemax=${max} onPointerDown=${down}
    onKeyDown=${(/** @type {KeyboardEvent} */ event) => {
      const step = { ArrowLeft: 16, ArrowRight: -16 }[event.key];
      if (step) {
        event.preventDefault();
        setWidth(clamp(width + step));
      }
    }}></div>`;
}
