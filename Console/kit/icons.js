// Our own icons: a grid of 20 px, lines of 1.5 px in the colour of the text. One sprite, drawn once by the shell.

import { html } from "../preact-htm.js";

/** @type {Record<string, () => any>} */
const SHAPES = {
  book: () => html`<path d="M4 4.5h4.5A1.5 1.5 0 0 1 10 6v10a1.5 1.5 0 0 0-1.5-1.5H4zM16 4.5h-4.5A1.5 1.5 0 0 0 10 6v10a1.5 1.5 0 0 1 1.5-1.5H16z"/>`,
  check: () => html`<path d="m4.5 10.5 3.5 3.500 7.500-8"/>`,
  clock: () => html`<circle cx="10" cy="10" r="6.7"/><path d="M10 6.3V10l2.5 1.7"/>`,
  cols: () => html`<rect x="3" y="4" width="14" height="12" rx="1.5"/><path d="M7.7 4v12M12.3 4v12"/>`,
  copy: () => html`<rect x="7" y="7" width="9" height="9.5" rx="1.5"/><path d="M13 7V5a1.5 1.5 0 0 0-1.5-1.5h-6A1.5 1.5 0 0 0 4 5v6.5A1.5 1.5 0 0 0 5.5 13H7"/>`,
  data: () => html`<rect x="3" y="4" width="14" height="12" rx="1.5"/><path d="M3 8h14M3 12h14M8 8v8"/>`,
  down: () => html`<path d="m6 8 4 4 4-4"/>`,
  filter: () => html`<path d="M3.5 5h13M6 10h8M8.5 15h3"/>`,
  home: () => html`<path d="M3.5 9.2 10 3.8l6.5 5.4v6.8a.8.8 0 0 1-.8.8H12v-4.4H8v4.4H4.3a.8.8 0 0 1-.8-.8z"/>`,
  key: () => html`<circle cx="7" cy="12.5" r="3.2"/><path d="m9.4 10.2 6.1-6.1M13 6.6l2 2"/>`,
  left: () => html`<path d="m12 6-4 4 4 4"/>`,
  link: () => html`<path d="M8.5 11.5a3 3 0 0 0 4.3 0l2.7-2.7a3 3 0 0 0-4.3-4.3l-.9.9M11.5 8.5a3 3 0 0 0-4.3 0l-2.7 2.7a3 3 0 0 0 4.3 4.3l.9-.9"/>`,
  list: () => html`<path d="M4 5.5h12M4 10h12M4 14.5h12"/>`,
  lock: () => html`<rect x="4.500" y="9" width="11" height="7.500" rx="1.500"/><path d="M7 9V6.800a3 3 0 0 1 6 0V9"/>`,
  logs: () => html`<path d="M4 5h12M4 8.4h7.5M4 11.7h12M4 15h5.5"/>`,
  mail: () => html`<rect x="3" y="4.5" width="14" height="11" rx="1.5"/><path d="m3.5 6 6.5 5 6.5-5"/>`,
  moon: () => html`<path d="M16 11.800A6.500 6.500 0 0 1 8.200 4a6.500 6.500 0 1 0 7.800 7.800z"/>`,
  more: () => html`<path d="M5 10h.01M10 10h.01M15 10h.01" stroke-width="2.4"/>`,
  open: () => html`<path d="M11 4h5v5M16 4l-7 7M14 12v3.500a.8.8 0 0 1-.8.8H4.800a.8.8 0 0 1-.8-.8V7.100a.8.8 0 0 1 .8-.8H8"/>`,
  pause: () => html`<path d="M7 5v10M13 5v10"/>`,
  phone: () => html`<rect x="6" y="2.8" width="8" height="14.4" rx="1.8"/><path d="M9 14.7h2"/>`,
  play: () => html`<path d="M6.5 4.5v11l9-5.5z" fill="currentColor"/>`,
  plus: () => html`<path d="M10 4.5v11M4.5 10h11"/>`,
  query: () => html`<path d="M7.4 3.6C5.5 3.6 5 4.4 5 5.9v1.8c0 1.3-.6 2-1.8 2.3C4.4 10.3 5 11 5 12.3v1.8c0 1.5.5 2.3 2.4 2.3M12.6 3.6c1.9 0 2.4.8 2.4 2.3v1.8c0 1.3.6 2 1.8 2.3-1.2.3-1.8 1-1.8 2.3v1.8c0 1.5-.5 2.3-2.4 2.3"/>`,
  right: () => html`<path d="m8 6 4 4-4 4"/>`,
  schema: () => html`<rect x="2.8" y="3.5" width="7" height="5" rx="1.2"/><rect x="10.2" y="11.5" width="7" height="5" rx="1.2"/><path d="M6.3 8.5V12a2 2 0 0 0 2 2h1.9"/>`,
  search: () => html`<circle cx="9" cy="9" r="5"/><path d="m12.8 12.8 4 4"/>`,
  stop: () => html`<rect x="5.500" y="5.500" width="9" height="9" rx="1" fill="currentColor"/>`,
  sun: () => html`<circle cx="10" cy="10" r="3.3"/><path d="M10 2.8v1.5M10 15.7v1.5M2.8 10h1.5M15.7 10h1.5M4.9 4.9 6 6M14 14l1.1 1.1M15.1 4.9 14 6M6 14l-1.1 1.1"/>`,
  sync: () => html`<path d="M4 8.6A6.3 6.3 0 0 1 15 6.5M15.3 3.3v3.4h-3.4M16 11.4A6.3 6.3 0 0 1 5 13.5M4.7 16.7v-3.4h3.4"/>`,
  terminal: () => html`<path d="m4 6 4 4-4 4M10 14.5h6"/>`,
  trash: () => html`<path d="M4 6h12M8 6V4.3a.8.8 0 0 1 .8-.8h2.4a.8.8 0 0 1 .8.8V6M5.5 6l.7 9.7a.8.8 0 0 0 .8.8h6a.8.8 0 0 0 .8-.8L14.5 6"/>`,
  undo: () => html`<path d="M4.5 7.5h7a4 4 0 0 1 0 8H8M7.3 4.5l-3 3 3 3"/>`,
  up: () => html`<path d="M10 15.5v-11M6 8.5l4-4 4 4"/>`,
  user: () => html`<circle cx="10" cy="7" r="3"/><path d="M4.5 16.5c0-3 2.4-5 5.5-5s5.5 2 5.5 5"/>`,
  warn: () => html`<path d="M10 3.8 2.8 16h14.4zM10 8.5v3.3M10 14h.01"/>`,
  x: () => html`<path d="m5.5 5.5 9 9M14.5 5.5l-9 9"/>`,
};

/** The symbols that `Icon` refers to. */
export function Sprite() {
  return html`<svg class="sprite" aria-hidden="true">
    ${Object.entries(SHAPES).map(([name, shape]) => html`<symbol id=${`i-${name}`} viewBox="0 0 20 20">${shape()}</symbol>`)}
  </svg>`;
}

/** @param {{ name: string, small?: boolean, class?: string }} props */
export function Icon({ name, small = false, class: more = "" }) {
  return html`<svg class=${`i${small ? " sm" : ""} ${more}`} aria-hidden="true"><use href=${`#i-${name}`} /></svg>`;
}

/** The mark: a fold of strata. @param {{ size?: number }} props */
export function Mark({ size = 30 }) {
  return html`<svg class="logo" width=${size} height=${size} viewBox="0 0 30 30" aria-hidden="true">
    <path d="M3 6.500c4 0 5.500 14.500 12 14.500S23 6.500 27 6.500" />
    <path d="M3 12.500c3 0 5.500 13 12 13s9-13 12-13" opacity=".55" />
    <path d="M8.500 5c1.500 3.500 2.500 10.500 6.500 10.500S20 8.500 21.500 5" opacity=".8" />
  </svg>`;
}
