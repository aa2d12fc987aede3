// The files changed on disk while there was a draft: both differences, and what to do.

import { html, useState } from "../preact-htm.js";
import { post } from "../api.js";
import { Dialog } from "../kit/dialog.js";
import { plural } from "../kit/format.js";
import { toast } from "../kit/toast.js";
import { Lines } from "./schema-dialogs.js";
import { differenceLines, merge } from "./schema-text.js";

/** @param {{ draft: import("./schema-draft.js").Draft, onClose: () => void, onShow: (place: any) => void }} props */
export function Merge({ draft, onClose, onShow }) {
  const [state, setState] = useState(/** @type {any} */ ({}));
  const theirs = Object.fromEntries(draft.schema.files.map((/** @type {any} */ one) => [one.name, one.text]));
  const names = Object.keys({ ...theirs, ...draft.files });
  const difference = (/** @type {Record<string, string>} */ files) => names.map((name) => ({ name, lines: differenceLines(draft.base.files[name] ?? "", files[name] ?? "", 2) })).filter((one) => one.lines.length);
  const both = async () => {
    setState({ busy: true });
    try {
      const answer = await post("/schema/merge", { base: draft.base.files, files: draft.files });
      draft.rebase(answer.files, "Merge");
      toast("Merged. The draft goes on from the files on disk.");
      onClose();
    } catch (error) {
      const { code } = /** @type {any} */ (error);
      if (code !== "conflict" && code !== "not_found" && code !== "too_large") return setState({ error });
      // Edits of the same lines: both stand in the text, to be chosen from.
      const merged = names.map((name) => ({ name, ...merge(draft.base.files[name] ?? "", draft.files[name] ?? "", theirs[name] ?? "") }));
      const conflicts = merged.reduce((sum, one) => sum + one.conflicts, 0);
      draft.rebase(Object.fromEntries(merged.map((one) => [one.name, one.text])), "Merge");
      onClose();
      const first = merged.find((one) => one.conflicts);
      if (!first) return toast("Merged. The draft goes on from the files on disk.");
      toast(`${plural(conflicts, "conflict")} to decide, in the file.`);
      onShow({ file: first.name, line: first.text.slice(0, first.text.indexOf("<<<<<<< yours")).split("\n").length });
    }
  };
  const reload = () => {
    draft.reset(draft.schema);
    draft.save();
    toast("The draft is what is on disk.");
    onClose();
  };
  const keep = () => {
    draft.rebase(draft.files, "Keep mine");
    toast("The draft is kept. Deploying it overwrites the change on disk.");
    onClose();
  };
  const side = (/** @type {string} */ title, /** @type {Record<string, string>} */ files) => html`<section><h3>${title}</h3>${difference(files).map((one) => html`<${Lines} key=${one.name} label=${`${title}: ${one.name}`} lines=${one.lines} />`)}${difference(files).length === 0 && html`<p class="quiet small">No difference.</p>`}</section>`;
  return html`<${Dialog} title="The files changed on disk" lead="Your draft began from the version before. Both differences, against that version:" class="merge" onClose=${onClose} onSubmit=${both}
    footer=${html`<button class="btn main" type="submit" data-first disabled=${state.busy}>Merge</button><button class="btn" type="button" onClick=${keep}>Keep mine</button><button class="btn" type="button" onClick=${reload}>Reload theirs</button><span class="grow"></span><button class="btn plain" type="button" onClick=${onClose}>Cancel</button>`}>
    ${state.error && html`<p class="wrong" role="alert">${state.error.message}</p>`}
    <div class="sides">${side("On disk", theirs)}${side("Your draft", draft.files)}</div>
  <//>`;
}
