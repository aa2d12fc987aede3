// The draft of a schema: one text, edited by the modeller and by the editor, with one stack of text edits to undo.

import { useEffect, useState } from "../preact-htm.js";
import { get, hasLive, onAPI, post, remove, send } from "../api.js";
import { follow } from "../live.js";
import { lacks, theSession } from "../console.js";
import { recall, remember } from "../kit/storage.js";
import { toast, toastError } from "../kit/toast.js";
import { applyEdits, differenceEdit, fromBytes } from "./schema-text.js";
import { changesOf } from "./schema-model.js";

/** Milliseconds after the last key until the text is checked, and until the draft is kept by the server. */
const CHECK = 80;
const SAVE = 500;
/** Milliseconds after the last key until the page follows the text. */
const SETTLE = 60;
/** Milliseconds between looks at the files on disk, where the server does not report changes. */
const LOOK = 15_000;
/** Edits that can be undone. */
const UNDO_MAX = 500;
/** Milliseconds within which keys are one step of undo. */
const TYPING = 800;

/** @typedef {import("./schema-text.js").Files} Files */
/** @typedef {import("./schema-text.js").TextEdit} TextEdit */
/** @typedef {{ label: string, forth: TextEdit[], back: TextEdit[], renames: any[], before: any[], at: number, typed: boolean }} Step */

const textsOf = (/** @type {any[]} */ files) => Object.fromEntries(files.map((one) => [one.name, one.text]));
export const equalFiles = (/** @type {Files} */ a, /** @type {Files} */ b) => Object.keys({ ...a, ...b }).every((name) => (a[name] ?? "") === (b[name] ?? ""));

export class Draft {
  /** @type {any} What the server deploys: GET /schema. */ schema = null;
  /** @type {{ files: Files, hash: string, model: any }} What the draft began from. */ base = { files: {}, hash: "", model: null };
  /** @type {Files} */ files = {};
  /** @type {any[]} */ renames = [];
  /** @type {any} The last text that could be read. */ model = null;
  /** @type {any[]} */ diagnostics = [];
  /** Whether the model is older than the text. */ stale = false;
  /** @type {"saved" | "saving" | "failed" | ""} */ saved = "";
  /** @type {any} the error of the last check, if the server could not be asked */ error = null;
  /** @type {Step[]} */ done = [];
  /** @type {Step[]} */ undone = [];
  version = 0;
  /** @type {Set<(edits: TextEdit[]) => void>} Editors that show the text. */ editors = new Set();
  watchers = new Set();
  /** @type {any} */ checkTimer = null;
  /** @type {any} */ saveTimer = null;
  /** @type {any} */ settleTimer = null;
  /** @type {any} a deployment that runs */ deploying = null;
  /** @type {Promise<any>} */ queue = Promise.resolve();
  /** @type {AbortController | null} */ checking = null;
  /** @type {any} */ cachedChanges = null;

  /** The reason why nothing may be edited, or "". */
  get locked() {
    return lacks("owner") || "";
  }
  get dirty() {
    return !equalFiles(this.files, this.base.files);
  }
  /** Whether the files on disk are no longer those that the draft began from. */
  get diverged() {
    return this.dirty && Boolean(this.schema) && this.schema.hash !== this.base.hash;
  }
  get errors() {
    return this.diagnostics.filter((one) => one.severity === "error");
  }
  /** @returns {import("./schema-model.js").Changes} */
  get changes() {
    // While the text cannot be read, what was read last counts.
    if (this.stale && this.cachedChanges) return this.cachedChanges.value;
    const key = [this.version, this.model, this.base.model];
    if (!this.cachedChanges || this.cachedChanges.key.some((/** @type {any} */ one, /** @type {number} */ n) => one !== key[n])) this.cachedChanges = { key, value: changesOf(this.base.model, this.model, this.files, this.renames) };
    return this.cachedChanges.value;
  }
  get mainFile() {
    return Object.keys(this.files)[0] ?? "schema.graphql";
  }

  notify() {
    for (const watcher of this.watchers) watcher();
  }

  // Loading -----------------------------------------------------------------------------------------------------------

  /** @param {AbortSignal} [signal] */
  async load(signal) {
    get("/jobs", { quiet: true }).then((answer) => (answer.items ?? []).filter((/** @type {any} */ one) => one.state === "running").forEach((/** @type {any} */ one) => this.follow(one)), () => {});
    const [schema, kept] = await Promise.all([get("/schema", { signal }), this.locked ? null : get("/schema/draft", { signal, quiet: true }).then((answer) => answer.draft, () => null)]);
    this.schema = schema;
    const local = this.locked ? null : recall("schema.draft", /** @type {any} */ (null));
    const draft = local ?? kept;
    this.base = { files: textsOf(schema.files), hash: schema.hash, model: schema.model };
    this.files = { ...this.base.files };
    this.model = schema.model;
    this.diagnostics = schema.diagnostics;
    // What was deployed meanwhile, by another tab or before a reload, is no draft any more.
    if (draft && equalFiles(draft.files, this.base.files)) remember("schema.draft", undefined);
    else if (draft && !equalFiles(draft.files, draft.baseFiles)) {
      this.files = draft.files;
      this.renames = draft.renames ?? [];
      if (draft.base !== schema.hash) {
        const checked = await post("/schema/check", { files: draft.baseFiles }, { signal });
        this.base = { files: draft.baseFiles, hash: draft.base, model: checked.model };
      }
      const checked = await post("/schema/check", { files: this.files }, { signal });
      this.take(checked);
      this.model ??= this.base.model;
      this.saved = local ? "" : "saved";
      if (local) this.keep();
    }
    this.version += 1;
    this.notify();
    return this;
  }

  /** A deployment that runs, by whomever. @param {any} job */
  async follow(job) {
    if (job.kind !== "schema.deploy" || this.deploying?.id === job.id) return;
    this.deploying = job;
    while (job.state === "running") {
      this.deploying = job;
      this.notify();
      await new Promise((resolve) => setTimeout(resolve, 300));
      job = await get(`/jobs/${encodeURIComponent(job.id)}`, { quiet: true }).then((answer) => answer.job ?? answer, (error) => (error.code === "not_found" ? { state: "gone" } : job));
    }
    this.deploying = null;
    await this.look();
    this.notify();
  }
  /** Looks whether the files on disk changed. A draft without changes follows them. */
  async look() {
    const schema = await get("/schema", { quiet: true }).catch(() => null);
    if (!schema) return;
    this.adopt(schema);
  }
  /** @param {any} schema */
  adopt(schema) {
    const before = this.schema;
    this.schema = schema;
    if (schema.hash === this.base.hash) {
      if (before?.hash !== schema.hash || before?.served !== schema.served || before?.deployment?.number !== schema.deployment?.number) this.notify();
      return;
    }
    if (!this.dirty || equalFiles(this.files, textsOf(schema.files))) this.reset(schema);
    this.notify();
  }
  /** Begins anew from what is on disk. @param {any} schema */
  reset(schema) {
    const files = textsOf(schema.files);
    const edits = Object.keys({ ...this.files, ...files }).flatMap((name) => differenceEdit(name, this.files[name] ?? "", files[name] ?? ""));
    this.schema = schema;
    this.base = { files, hash: schema.hash, model: schema.model };
    this.files = { ...files };
    this.renames = [];
    this.model = schema.model ?? this.model;
    this.stale = !schema.model;
    this.diagnostics = schema.diagnostics;
    this.done = [];
    this.undone = [];
    this.version += 1;
    this.saved = "";
    remember("schema.draft", undefined);
    clearTimeout(this.saveTimer);
    for (const editor of this.editors) editor(edits);
    this.notify();
  }

  /** @param {any} answer of a check or an edit */
  take(answer) {
    if (answer.model) this.model = answer.model;
    this.stale = !answer.model;
    this.diagnostics = answer.diagnostics;
    this.error = null;
  }

  // Changing ----------------------------------------------------------------------------------------------------------

  /** Applies text edits of the present state. @param {TextEdit[]} edits @param {{ label: string, renames?: any[], typed?: boolean, from?: any }} options `from`: the editor that made them */
  change(edits, { label, renames = this.renames, typed = false, from = undefined }) {
    const { files, inverse } = applyEdits(this.files, edits);
    const now = Date.now();
    const last = this.done[this.done.length - 1];
    const [edit] = edits;
    const joins = typed && last?.typed && now - last.at < TYPING && edits.length === 1 && last.forth.length === 1 && edit.file === last.forth[0].file
      && edit.start === edit.end && edit.start === last.forth[0].start + last.forth[0].text.length && !/[\r\n]/.test(edit.text);
    if (joins) {
      last.forth = [{ ...last.forth[0], text: last.forth[0].text + edit.text }];
      last.back = [{ ...last.back[0], end: last.back[0].end + edit.text.length }];
      last.at = now;
    } else this.done.push({ label, forth: edits, back: inverse, renames, before: this.renames, at: now, typed });
    if (this.done.length > UNDO_MAX) this.done.shift();
    this.undone = [];
    this.settle(files, edits, renames, from);
  }
  /** @param {Files} files @param {TextEdit[]} edits @param {any[]} renames @param {any} from */
  settle(files, edits, renames, from) {
    this.files = files;
    this.renames = renames;
    this.version += 1;
    for (const editor of this.editors) if (editor !== from) editor(edits);
    clearTimeout(this.settleTimer);
    const settled = () => {
      this.settleTimer = null;
      this.keep();
      this.notify();
    };
    // While someone types, the editor shows the text; the rest of the page follows in a pause.
    if (from) this.settleTimer = setTimeout(settled, SETTLE);
    else settled();
  }
  /** @returns {string} what was undone */
  undo() {
    return this.step(this.done, this.undone, "back");
  }
  redo() {
    return this.step(this.undone, this.done, "forth");
  }
  /** @param {Step[]} from @param {Step[]} to @param {"back" | "forth"} way */
  step(from, to, way) {
    const step = from.pop();
    if (!step) return "";
    const { files } = applyEdits(this.files, step[way]);
    to.push({ ...step, typed: false });
    this.settle(files, step[way], way === "back" ? step.before : step.renames, null);
    this.checkNow();
    return step.label;
  }
  /** Makes whole files of the draft. @param {Files} files @param {string} label @param {any[]} [renames] */
  replace(files, label, renames = this.renames) {
    const edits = Object.keys({ ...this.files, ...files }).flatMap((name) => differenceEdit(name, this.files[name] ?? "", files[name] ?? ""));
    if (edits.length) this.change(edits, { label, renames });
    this.checkNow();
  }

  /** One action of the modeller, made by the server as text edits. Errors are thrown.
   * @param {any} edit @param {string} label */
  edit(edit, label) {
    const run = this.queue.catch(() => {}).then(async () => {
      for (let attempt = 0; ; attempt += 1) {
        const version = this.version;
        const answer = await post("/schema/edit", { files: this.files, ...(Array.isArray(edit) ? { edits: edit } : { edit }) });
        if (version !== this.version && attempt < 3) continue;
        clearTimeout(this.checkTimer);
        const edits = fromBytes(this.files, answer.edits);
        this.take(answer);
        if (edits.length) this.change(edits, { label, renames: answer.renames?.length ? [...this.renames, ...answer.renames] : this.renames });
        else this.notify();
        return answer;
      }
    });
    this.queue = run;
    return run;
  }
  /** As `edit`; a refusal is shown. @param {any} edit @param {string} label @returns {Promise<boolean>} */
  async tryEdit(edit, label) {
    try {
      await this.edit(edit, label);
      return true;
    } catch (error) {
      toastError(error, "Not changed");
      return false;
    }
  }
  /** What an action would write, without writing it. @param {any} edit @param {AbortSignal} [signal] @returns {Promise<Files>} */
  async preview(edit, signal) {
    const files = this.files;
    const answer = await post("/schema/edit", { files, edit }, { signal, quiet: true });
    return applyEdits(files, fromBytes(files, answer.edits)).files;
  }

  // Checking and keeping ----------------------------------------------------------------------------------------------

  checkSoon() {
    clearTimeout(this.checkTimer);
    this.checkTimer = setTimeout(() => this.checkNow(), CHECK);
  }
  async checkNow() {
    clearTimeout(this.checkTimer);
    this.checking?.abort();
    const abort = new AbortController();
    this.checking = abort;
    const version = this.version;
    try {
      const answer = await post("/schema/check", { files: this.files }, { signal: abort.signal });
      if (version === this.version) this.take(answer);
    } catch (error) {
      if (/** @type {any} */ (error).name === "AbortError") return;
      this.error = error;
    }
    this.notify();
  }

  /** Keeps the draft: in this browser at once, by the server soon. */
  keep() {
    if (this.locked) return;
    remember("schema.draft", this.dirty ? this.body() : undefined);
    clearTimeout(this.saveTimer);
    this.saveTimer = setTimeout(() => this.save(), SAVE);
  }
  body() {
    return { files: this.files, base: this.base.hash, baseFiles: this.base.files, renames: this.renames };
  }
  async save() {
    clearTimeout(this.saveTimer);
    const version = this.version;
    this.saved = "saving";
    try {
      if (this.dirty) await send("PUT", "/schema/draft", { body: this.body() });
      else await remove("/schema/draft");
      if (version !== this.version) return;
      remember("schema.draft", undefined);
      this.saved = this.dirty ? "saved" : "";
    } catch {
      // It is kept in this browser, and sent again when the server answers.
      if (version === this.version) this.saved = "failed";
    }
    this.notify();
  }

  async discard() {
    this.replace(this.base.files, "Discard the draft", []);
    this.renames = [];
    this.keep();
    if (this.schema.hash !== this.base.hash) this.reset(this.schema);
  }
  /** Goes on from the files on disk, with the draft's text. @param {Files} files @param {string} label @param {any[]} [renames] */
  rebase(files, label, renames = this.renames) {
    const { schema } = this;
    this.base = { files: textsOf(schema.files), hash: schema.hash, model: schema.model };
    this.replace(files, label, renames);
    this.keep();
    this.notify();
  }

  /** Follows what happens elsewhere, until the returned function is called. */
  watch() {
    const look = () => document.visibilityState === "visible" && this.look();
    const stops = [onAPI("reachable", (yes) => yes && this.saved === "failed" && this.save()), follow("schema", look), follow("jobs", (message) => message.data?.state === "running" && this.follow(message.data))];
    const timer = hasLive() ? null : setInterval(look, LOOK);
    addEventListener("focus", look);
    const leaving = () => {
      if (this.settleTimer) this.keep();
      if (this.saveTimer && this.saved !== "saved") this.save();
    };
    addEventListener("pagehide", leaving);
    return () => {
      stops.forEach((stop) => stop());
      if (timer) clearInterval(timer);
      removeEventListener("focus", look);
      removeEventListener("pagehide", leaving);
    };
  }
}

/** Draws a component again when the draft changes. @param {Draft} draft */
export function useDraft(draft) {
  const [, set] = useState(0);
  useEffect(() => {
    const watcher = () => set((/** @type {number} */ n) => n + 1);
    draft.watchers.add(watcher);
    return () => void draft.watchers.delete(watcher);
  }, [draft]);
  return draft;
}

/** Whether something may be edited; says why not otherwise. @param {Draft} draft */
export function mayEdit(draft) {
  if (draft.locked) toast(`${draft.locked}.`);
  else if (draft.stale) toast("The file has an error. Correct it in File first.", { error: true });
  else return true;
  return false;
}
/** The name of the environment: `dev`. */
export const environment = () => theSession().environment;
