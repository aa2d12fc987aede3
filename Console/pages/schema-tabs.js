// The inspector's tabs Keys, Rules and API.

import { html, useState } from "../preact-htm.js";
import { Icon } from "../kit/icons.js";
import { Menu } from "../kit/menu.js";
import { Code } from "../kit/code.js";
import { CopyButton } from "../kit/command.js";
import { toast } from "../kit/toast.js";
import { href } from "../kit/router.js";
import { documentHash } from "./document-link.js";
import { mayEdit } from "./schema-draft.js";
import { OPERATIONS, example, keyServes, operationsOf, sameKey, whoWords } from "./schema-model.js";

export function Keys({ draft, type, onDialog, onShow }) {
  const was = draft.changes.was.get(type.name);
  const isNew = (/** @type {any} */ key) => was && !was.keys.some((/** @type {any} */ one) => JSON.stringify([one.name, one.fields, one.queryField]) === JSON.stringify([key.name, key.fields, key.queryField]));
  const remove = async (/** @type {any} */ key) => {
    if (!mayEdit(draft)) return;
    try {
      await draft.edit({ kind: "removeKey", type: type.name, name: key.name }, `Remove key ${type.name}.${key.name ?? "primary"}`);
    } catch (error) {
      const list = /** @type {any} */ (error).details?.references;
      toast(`Not removed: ${/** @type {any} */ (error).message}${list ? ` ${list.map((/** @type {any} */ one) => one.subject).join(", ")}.` : ""}`, { error: true, hint: /** @type {any} */ (error).hint });
    }
  };
  return html`<ul class="says" aria-label="Keys">
    ${type.keys.map((/** @type {any} */ key) => {
      const double = sameKey(key, type.keys);
      const mark = isNew(key) ? (was.keys.some((/** @type {any} */ one) => one.name === key.name) ? "changed" : "added") : "";
      return html`<li key=${key.name ?? "primary"} class=${`say ${mark}`}><${Icon} name="key" small class="faint" />
        <span class="grow"><b>${key.primary ? "Primary key" : html`<code>${key.name}</code>`}</b> <code class="quiet">${key.fields.join(", ")}</code><br /><span class="quiet">${keyServes(key, type)}${key.queryField ? html` Query <code>${key.queryField}</code>.` : key.primary ? "" : " No query of its own."}</span>
        ${double && html`<br /><span class="tone-ochre small">${double.primary ? "The primary key" : double.name} serves the same requests.</span>`}</span>
        ${mark && html`<span class=${`chip ${mark === "added" ? "moss" : "ochre"}`}>${mark === "added" ? "new" : mark}</span>`}
        <${Menu} class="btn plain icon" label=${`More about ${key.name ?? "the primary key"}`} button=${html`<${Icon} name="more" small />`} entries=${() => [
          { text: "Edit…", icon: "list", disabled: draft.locked || undefined, run: () => onDialog({ kind: "key", key }) },
          key.place && { text: "Show in the file", icon: "schema", run: () => onShow({ file: key.place.file, line: key.place.line }) },
          key.place && { line: true }, key.place && { text: key.primary ? "Remove: use id" : "Remove", icon: "trash", danger: true, disabled: draft.locked || undefined, run: () => remove(key) },
        ]} /></li>`;
    })}</ul>
    <button class="btn plain add-field" aria-disabled=${draft.locked ? "true" : undefined} title=${draft.locked || undefined} onClick=${() => onDialog({ kind: "key" })}><${Icon} name="plus" small />Add an index</button>
    <p class="quiet small hint">A list by an index reads only the items that it returns. The partition field selects them, sort fields order them.</p>`;
}

export function Rules({ draft, type, onDialog }) {
  const remove = (/** @type {number} */ index) => mayEdit(draft) && draft.tryEdit({ kind: "setRules", type: type.name, rules: type.rules.filter((_, /** @type {number} */ n) => n !== index).map((/** @type {any} */ one) => one.rule) }, `Remove a rule of ${type.name}`);
  const fields = type.fields.filter((/** @type {any} */ one) => one.rules?.length);
  const ofFields = (type.access ?? []).filter((/** @type {any} */ one) => one.field);
  const table = type.access?.length ? type.access.filter((/** @type {any} */ one) => !one.field) : type.rules.map((/** @type {any} */ one) => ({ identity: whoWords(one.rule), operations: operationsOf(one.rule) }));
  const was = draft.changes.was.get(type.name);
  return html`
    ${type.rules.length === 0 && html`<p class="quiet note">${type.meaning ?? `No rule: everyone who may call the API may create, read, update and delete each ${type.name}.`}</p>`}
    <ul class="says" aria-label="Rules">${type.rules.map((/** @type {any} */ one, /** @type {number} */ index) => {
      const mark = was && !was.rules.some((/** @type {any} */ each) => each.text === one.text) ? "added" : "";
      const operations = operationsOf(one.rule);
      return html`<li key=${index} class=${`say ${mark}`}><${Icon} name="lock" small class="faint" /><span class="grow"><b>${whoWords(one.rule)}</b><br /><span class="quiet">may ${operations.length === OPERATIONS.length ? "create, read, update and delete" : operations.join(", ") || "do nothing"}.</span></span>
        ${mark && html`<span class="chip moss">new</span>`}
        <${Menu} class="btn plain icon" label=${`More about rule ${index + 1}`} button=${html`<${Icon} name="more" small />`} entries=${() => [{ text: "Edit…", icon: "list", disabled: draft.locked || undefined, run: () => onDialog({ kind: "rule", index }) }, { line: true }, { text: "Remove", icon: "trash", danger: true, disabled: draft.locked || undefined, run: () => remove(index) }]} /></li>`;
    })}</ul>
    <button class="btn plain add-field" aria-disabled=${draft.locked ? "true" : undefined} title=${draft.locked || undefined} onClick=${() => onDialog({ kind: "rule" })}><${Icon} name="plus" small />Add a rule</button>
    ${table.length > 0 && html`<section class="blk"><header><h3 id="access-title">Who may do what</h3></header><div class="access"><table aria-labelledby="access-title"><thead><tr><th scope="col">Identity</th>${OPERATIONS.map((one) => html`<th scope="col" key=${one}>${one}</th>`)}</tr></thead>
      <tbody>${table.map((/** @type {any} */ one, /** @type {number} */ n) => html`<tr key=${n}><th scope="row">${one.identity}</th>${OPERATIONS.map((operation) => {
        const yes = one.operations.includes(operation) || (operation === "read" && one.operations.some((/** @type {string} */ each) => ["get", "list", "sync", "listen", "search"].includes(each)));
        return html`<td key=${operation}>${yes ? html`<span class="tone-moss"><${Icon} name="check" small /></span><span class="vh">yes</span>` : html`<span class="faint" aria-hidden="true">·</span><span class="vh">no</span>`}</td>`;
      })}</tr>`)}</tbody></table></div></section>`}
    ${fields.length > 0 && html`<section class="blk"><header><h3>Rules of single fields</h3></header><ul class="says">${fields.map((/** @type {any} */ field) => html`<li key=${field.name} class="say"><span class="grow"><code>${field.name}</code><br /><span class="quiet">${ofFields.some((/** @type {any} */ one) => one.field === field.name) ? ofFields.filter((/** @type {any} */ one) => one.field === field.name).map((/** @type {any} */ one) => `${one.identity}: ${one.operations.join(", ")}`).join("; ") : field.rules.map((/** @type {any} */ one) => `${whoWords(one.rule)}: ${operationsOf(one.rule).join(", ")}`).join("; ")}.</span></span><button class="btn plain low" aria-disabled=${draft.locked ? "true" : undefined} onClick=${() => onDialog({ kind: "rule", field })}>Edit</button></li>`)}</ul></section>`}`;
}

export function API({ draft, type, onDialog }) {
  const [open, setOpen] = useState("");
  if (!type.api) return html`<p class="quiet note">The names are known when the schema has no errors.</p>`;
  const was = draft.changes.was.get(type.name);
  const group = (/** @type {string} */ title, /** @type {string[]} */ names, /** @type {string[]} */ before) => names.length > 0 && html`<section class="blk"><header><h3 class="grow">${title}</h3></header><ul class="names">${names.map((name) => html`<li key=${name}>
    <div class="row"><button class="link mono grow" aria-expanded=${open === name ? "true" : "false"} onClick=${() => setOpen(open === name ? "" : name)}>${name}</button>${was && !before.includes(name) && html`<span class="chip moss">new</span>`}<${CopyButton} label=${`Copy an example of ${name}`} text=${() => example(name, type, draft.model)} /></div>
    ${open === name && html`<${Code} text=${example(name, type, draft.model)} language="graphql" label=${`Example of ${name}`} />${was && before.includes(name) && html`<div class="row"><a class="btn low" href=${href("/query") + documentHash({ query: example(name, type, draft.model) })}>Open in Query</a></div>`}`}</li>`)}</ul></section>`;
  const times = type.arguments.timestamps;
  return html`
    ${group("Queries", type.api.queries, was?.api?.queries ?? [])}${group("Mutations", type.api.mutations, was?.api?.mutations ?? [])}${group("Subscriptions", type.api.subscriptions, was?.api?.subscriptions ?? [])}
    <section class="blk"><header><h3 class="grow">Times</h3></header><p class="quiet">${times === null ? "No timestamps." : html`<code>${times?.createdAt ?? "createdAt"}</code> and <code>${times?.updatedAt ?? "updatedAt"}</code> are set by the server.`}</p></section>
    <p class="api-end"><button class="btn" aria-disabled=${draft.locked ? "true" : undefined} onClick=${() => onDialog({ kind: "settings" })}>What is generated…</button></p>`;
}
