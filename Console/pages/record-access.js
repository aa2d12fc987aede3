// Who may do what with an item: the rule that decides, for an identity that is chosen.

import { html, useState } from "../preact-htm.js";
import { get } from "../api.js";
import { lacks, theSession } from "../console.js";
import { Loaded, useResource } from "../kit/resource.js";
import { recall, remember } from "../kit/storage.js";
import { IDENTITIES } from "./identities.js";

/** Identities that are typed: the words, what is typed, an example. @type {Record<string, [string, string, string]>} */
const TYPED = {
  key: ["An API key", "Name of the key", "default"], user: ["A user", "User name", "ada"], group: ["Members of groups", "Groups, separated by commas", "admins"], claims: ["Custom claims", "Claims", '{"sub":"ada"}'],
};
const OPERATIONS = ["read", "update", "delete"];

/** @param {{ path: string }} props of the item */
export function Access({ path }) {
  const [as, setAs] = useState(recall("access.as", "key:default"));
  const [kind, setKind] = useState(as.split(":")[0] in TYPED ? as.split(":")[0] : as);
  const typed = TYPED[kind];
  const [text, setText] = useState(typed ? as.slice(kind.length + 1) : "");
  const access = useResource([path, as], (signal) => get(`${path}/access`, { query: { as }, signal }));
  const take = (/** @type {string} */ next) => {
    setAs(next);
    // Claims are not kept.
    if (!next.startsWith("claims:")) remember("access.as", next);
  };
  const choose = (/** @type {string} */ next) => {
    setKind(next);
    setText(TYPED[next]?.[2] ?? "");
    take(TYPED[next] ? `${next}:${TYPED[next][2]}` : next);
  };
  const others = theSession().capabilities.includes("identities");
  const kinds = Object.keys(TYPED).filter((one) => one === "key" || one === "user" || (others && (one !== "claims" || !lacks("owner"))));
  return html`<div class="access-of">
    <label class="field"><span>Identity</span><select class="input" value=${kind} onChange=${(event) => choose(event.target.value)}>
      ${kinds.map((one) => html`<option key=${one} value=${one}>${TYPED[one][0]}</option>`)}
      ${IDENTITIES.filter(([value]) => others || value === "admin" || value === "none").map(([value, words]) => html`<option key=${value} value=${value}>${words}</option>`)}</select></label>
    ${typed && html`<label class="field"><span>${typed[1]}</span><input class="input mono" value=${text} spellcheck=${false} autocomplete="off" onInput=${(event) => setText(event.target.value)} onChange=${(event) => take(`${kind}:${event.target.value.trim()}`)} /></label>`}
    <${Loaded} of=${access} what="The rules could not be asked.">${(data) => html`<ul class="lines">${OPERATIONS.map((operation) => html`<${Answer} key=${operation} operation=${operation} of=${data[operation] ?? {}} />`)}</ul>`}<//></div>`;
}

function Answer({ operation, of: one }) {
  return html`<li><div class="row"><b>${operation}</b><span class=${`chip end ${one.allowed ? "moss" : "brick"}`}>${one.allowed ? "allowed" : "denied"}</span></div>
    ${(one.text ?? one.rule) && html`<code class="small">${one.text ?? one.rule}</code>`}
    ${one.why && html`<p class="small quiet">${one.why}.</p>`}
    ${one.fields && html`<p class="small quiet">Only ${one.fields.length ? one.fields.map((/** @type {string} */ name, /** @type {number} */ n) => html`${n > 0 && ", "}<code>${name}</code>`) : "no field"}.</p>`}
    ${(one.unmet ?? []).map((/** @type {any} */ each) => html`<p key=${each.rule} class="small quiet"><code>${each.rule}</code>: ${each.why}.</p>`)}</li>`;
}
