// Modal dialogs on <dialog>: the browser traps the focus and makes the rest inert; focus returns to the opener.

import { html, render, useEffect, useRef, useState } from "../preact-htm.js";
import { Icon } from "./icons.js";

/** @param {{ title: string, lead?: any, onClose: () => void, wide?: boolean, children?: any, footer?: any, onSubmit?: () => void, class?: string }} props */
export function Dialog({ title, lead, onClose, wide = false, children, footer, onSubmit, class: more = "" }) {
  const element = useRef(/** @type {any} */ (null));
  const id = useRef(`d${Math.random().toString(36).slice(2)}`).current;
  useEffect(() => {
    const opener = /** @type {HTMLElement | null} */ (document.activeElement);
    const dialog = element.current;
    dialog.showModal();
    (dialog.querySelector("[data-first]") ?? dialog.querySelector(".in input:not([type=hidden]), .in select, .in textarea, footer .btn.main, footer .btn:not(.danger-main)"))?.focus();
    return () => {
      dialog.close();
      // The menu item that opened it may be gone: the focus goes where the menu was opened.
      if (opener?.isConnected && opener.getClientRects().length) opener.focus();
      else document.querySelector("main")?.focus();
    };
  }, []);
  const body = html`
    <header><div class="grow"><h2 id=${id}>${title}</h2>${lead && html`<p class="quiet">${lead}</p>`}</div>
      <button class="btn plain icon" type="button" aria-label="Close" onClick=${onClose}><${Icon} name="x" /></button></header>
    <div class="in">${children}</div>
    ${footer && html`<footer>${footer}</footer>`}`;
  return html`<dialog ref=${element} class=${`${wide ? "wide" : ""} ${more}`} aria-labelledby=${id}
    onCancel=${(/** @type {Event} */ event) => { event.preventDefault(); onClose(); }}
    onMouseDown=${(event) => event.target === element.current && onClose()}
    onKeyDown=${(/** @type {KeyboardEvent} */ event) => event.stopPropagation()}>
    ${onSubmit ? html`<form novalidate onSubmit=${(/** @type {Event} */ event) => { event.preventDefault(); onSubmit(); }}>${body}</form>` : html`<div class="form">${body}</div>`}
  </dialog>`;
}

/** Asks before something is done; resolves with whether it may be.
 * @param {{ title: string, lead?: any, verb: string, danger?: boolean, type?: string, samples?: string[] }} request `type`: a text to type first
 * @returns {Promise<boolean>} */
export const confirm = (request) => new Promise((resolve) => {
  const place = document.createElement("div");
  document.body.append(place);
  render(html`<${Confirmation} request=${request} onEnd=${(/** @type {boolean} */ answer) => {
    render(null, place);
    place.remove();
    resolve(answer);
  }} />`, place);
});

function Confirmation({ request, onEnd }) {
  const [typed, setTyped] = useState("");
  const blocked = request.type && typed !== request.type;
  return html`<${Dialog} title=${request.title} lead=${request.lead} onClose=${() => onEnd(false)} onSubmit=${() => !blocked && onEnd(true)}
    footer=${html`<button class=${`btn ${request.danger ? "danger-main" : "main"}`} type="submit" disabled=${blocked}>${request.verb}</button>
      <button class="btn" type="button" onClick=${() => onEnd(false)}>Cancel</button>`}>
    ${request.samples && html`<ul class="samples mono">${request.samples.map((/** @type {string} */ text) => html`<li key=${text} class="cut">${text}</li>`)}</ul>`}
    ${request.type && html`<label class="field"><span>Type <b class="mono">${request.type}</b> to go on</span>
      <input class="input" data-first value=${typed} autocomplete="off" onInput=${(event) => setTyped(event.target.value)} /></label>`}
  <//>`;
}
