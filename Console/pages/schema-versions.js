// Versions: the deployments, what each changed, and how to bring one back.

import { html, useEffect } from "../preact-htm.js";
import { get } from "../api.js";
import { Head } from "../console.js";
import { confirm } from "../kit/dialog.js";
import { Icon } from "../kit/icons.js";
import { Empty, Loaded, useResource } from "../kit/resource.js";
import { useKeys } from "../kit/keys.js";
import { ago, plural, stamp } from "../kit/format.js";
import { go, href } from "../kit/router.js";
import { toast, toastError } from "../kit/toast.js";
import { mayEdit, useDraft } from "./schema-draft.js";
import { colouredLine } from "./schema-sdl.js";

/** @param {any} summary */
const summaryWords = (summary) => {
  const words = { additive: "addition", index: "index", needsValues: "step that needed values", destructive: "removal" };
  const many = { index: "indexes" };
  const list = Object.entries(words).filter(([name]) => summary?.[name]).map(([name, word]) => plural(summary[name], word, many[name]));
  return list.join(", ") || "No change of the tables";
};

/** @param {{ draft: import("./schema-draft.js").Draft, number?: string }} props */
export function Versions({ draft, number }) {
  useDraft(draft);
  const list = useResource(["deployments", draft.schema.deployment?.number ?? 0], (signal) => get("/schema/deployments", { query: { limit: 100 }, signal }));
  const items = list.data?.items ?? [];
  const chosen = number ?? (items[0] ? String(items[0].number) : undefined);
  const one = useResource(chosen ? ["deployment", chosen] : null, (signal) => get(`/schema/deployments/${encodeURIComponent(chosen ?? "")}`, { signal }));
  useKeys([{ keys: "Escape", what: "Back to the schema", run: () => go("/schema") }]);
  useEffect(() => {
    if (number) document.querySelector(".versions [aria-current]")?.scrollIntoView({ block: "nearest" });
  }, [number]);
  /** The renames that make the draft the text before the last deployment: columns keep their values, and items their versions.
   * @param {any} version */
  const renamesTo = async (version) => {
    const { undo } = await get(`/schema/deployments/${items[0].number}`);
    const isBefore = undo && JSON.stringify(Object.entries(undo.files).sort()) === JSON.stringify(Object.entries(version.files).sort());
    return isBefore ? undo.renames : [];
  };
  const bring = async (/** @type {any} */ version) => {
    if (!mayEdit(draft)) return;
    if (draft.dirty && !(await confirm({ title: "Replace the draft?", lead: `The draft becomes deployment ${version.number}. Undo brings the present draft back.`, verb: "Replace draft" }))) return;
    try {
      draft.replace(version.files, `Bring back deployment ${version.number}`, await renamesTo(version));
    } catch (error) {
      return toastError(error, "Not brought back");
    }
    toast(draft.dirty ? `The draft is deployment ${version.number}. Review and deploy it.` : `Deployment ${version.number} is what is deployed.`);
    go("/schema");
  };
  return html`
    <${Head} title="Versions" lead=${html`<a class="btn plain icon back" href=${href("/schema")} aria-label="Back to the schema"><${Icon} name="left" /></a>`} />
    <${Loaded} of=${list} what="The versions could not be loaded." lines=${6}>${() => (items.length === 0 ? html`<${Empty} text="Nothing was deployed yet. Each deployment is kept here, with its text and what it changed."><a class="btn" href=${href("/schema")}>Back to the schema</a><//>` : html`<div class="body versions">
      <nav class="side" aria-label="Deployments"><h2>Deployments</h2>${items.map((/** @type {any} */ each) => html`<a key=${each.number} href=${href(`/schema/deployments/${each.number}`)} aria-current=${String(each.number) === chosen ? "page" : undefined}>
        <span class="num no">${each.number}</span><span class="grow"><span class="cut">${each.undoes ? `Undid ${each.undoes}` : summaryWords(each.summary)}</span><span class="small">${ago(each.at)} by ${each.by ?? "the file"}</span></span></a>`)}</nav>
      <section class="work" aria-label="Deployment">
        <${Loaded} of=${one} what="This deployment could not be loaded." lines=${8}>${(/** @type {any} */ version) => html`
          <div class="tools"><h2>Deployment ${version.number}</h2><span class="quiet small" title=${stamp(version.at, true)}>${stamp(version.at).slice(0, 16)}, by ${version.by ?? "the file"}, from ${version.source === "files" ? "the files" : "the console"}${version.undoes ? `. It undid deployment ${version.undoes}` : ""}</span><span class="grow"></span>
            <button class="btn" aria-disabled=${draft.locked ? "true" : undefined} title=${draft.locked || undefined} onClick=${() => bring(version)}><${Icon} name="undo" small />Bring back</button></div>
          <div class="scroll-all">${version.plan?.steps?.length > 0 && html`<ul class="plan">${version.plan.steps.map((/** @type {any} */ step) => html`<li key=${step.id}><span class=${step.risk === "destructive" ? "tone-brick" : "tone-moss"}><${Icon} name=${step.risk === "destructive" ? "trash" : "check"} small /></span><div>${step.sentence}</div><span class="faint small">${step.risk}</span></li>`)}</ul>`}
          ${(version.diff ?? []).map((/** @type {any} */ diff) => html`<figure class="file whole" key=${diff.file}><header><span class="grow">${diff.file}</span></header><${Unified} text=${diff.text} label=${`Changes of ${diff.file}`} /></figure>`)}
          ${(version.diff ?? []).length === 0 && html`<p class="quiet note">${version.number === 1 ? "The first deployment." : "The text is that of the deployment before."}</p>`}</div>`}<//>
      </section></div>`)}<//>`;
}

/** A unified difference. @param {{ text: string, label: string }} props */
function Unified({ text, label }) {
  const lines = text.replace(/\r/g, "").split("\n").filter((line, n, all) => !/^(---|\+\+\+) /.test(line) && !(line === "" && n === all.length - 1));
  return html`<pre class="diff" tabindex="0" role="region" aria-label=${label}>${lines.map((line, n) => html`<div key=${n} class=${{ "+": "add", "-": "del", "@": "skip" }[line[0]] ?? ""}>${line[0] === "@" ? html`<span class="faint">${line}</span>` : html`<span class="no" aria-hidden="true">${line[0] === "-" ? "−" : line[0]}</span>${colouredLine(line.slice(1))}`}</div>`)}</pre>`;
}
