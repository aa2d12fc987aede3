// The file: CodeMirror with our mode. Its text is the draft's; line endings and every byte outside an edit stay as they are.

import { html, useEffect, useRef, useState } from "../preact-htm.js";
import { Icon } from "../kit/icons.js";
import { HOW_TO_LEAVE, lettingTabLeave } from "../kit/tab-leaves.js";
import { Tabs } from "../kit/tabs.js";
import { CopyButton } from "../kit/command.js";
import { Failure, Skeleton } from "../kit/resource.js";
import { plural } from "../kit/format.js";
import { toast } from "../kit/toast.js";
import { styles } from "../kit/lazy.js";
import { useDraft } from "./schema-draft.js";
import { addMode, colouredLine, completions, formatted, startState } from "./schema-sdl.js";
import { allDefinitions, byteOffsets, conflictsOf, hunks, lineEnd, linesOf, offsetOf, placeOf } from "./schema-text.js";

/** Milliseconds without a key after which marks are drawn. */
const PAUSE = 150;

/** @type {Promise<any> | null} */
let loading = null;
/** CodeMirror with our mode, once. */
function codeMirror() {
  loading ??= Promise.all([import(/** @type {any} */ ("../codemirror.js")), styles("codemirror.css")]).then(() => {
    const { CodeMirror } = /** @type {any} */ (globalThis);
    addMode(CodeMirror);
    return CodeMirror;
  });
  loading.catch(() => (loading = null));
  return loading;
}

/** @param {{ draft: import("./schema-draft.js").Draft, place: any, readOnly: boolean, why: string, onSelect?: (name: string) => void, phone: boolean }} props */
export function Editor({ draft, place, readOnly, why, onSelect, phone }) {
  useDraft(draft);
  const names = Object.keys(draft.files);
  const [file, setFile] = useState(place?.file && names.includes(place.file) ? place.file : names[0]);
  const shown = names.includes(file) ? file : names[0];
  useEffect(() => {
    if (place?.file && names.includes(place.file)) setFile(place.file);
  }, [place?.n]);
  const conflicts = conflictsOf(draft.files[shown] ?? "");
  return html`<section class="file-view" aria-label="File">
    ${names.length > 1 && html`<${Tabs} label="Files" id="files" value=${shown} options=${names.map((name) => ({ value: name, text: html`${name}${draft.files[name] !== draft.base.files[name] ? html` <span class="dot tone-moss"></span><span class="vh">changed</span>` : ""}` }))} onChange=${setFile} />`}
    ${readOnly && why && html`<p class="why small quiet">${why}</p>`}
    ${phone ? html`<${Plain} text=${draft.files[shown]} label=${shown} place=${place} />` : html`<${Code} key=${shown} draft=${draft} file=${shown} place=${place?.file === shown || !place?.file ? place : null} readOnly=${readOnly} onSelect=${onSelect} onFile=${setFile} />`}
    ${conflicts.length > 0 && html`<${Conflicts} draft=${draft} file=${shown} conflicts=${conflicts} />`}
    <${Diagnostics} draft=${draft} file=${shown} onFile=${setFile} readOnly=${readOnly} />
  </section>`;
}

/** A file that is only read. */
function Plain({ text, label, place }) {
  const box = useRef(/** @type {any} */ (null));
  const state = startState();
  useEffect(() => {
    if (place?.line) box.current?.children[place.line - 1]?.scrollIntoView({ block: "center" });
  }, [place?.n]);
  return html`<pre class="plain-file" tabindex="0" role="region" aria-label=${label} ref=${box}>${linesOf(text).map((line, n) => html`<div key=${n}><span class="no" aria-hidden="true">${n + 1}</span>${colouredLine(line.replace(/[\r\n]+$/, ""), state)}</div>`)}</pre>`;
}

function Code({ draft, file, place, readOnly, onSelect, onFile }) {
  const host = useRef(/** @type {any} */ (null));
  const editor = useRef(/** @type {any} */ (null));
  const [error, setError] = useState(/** @type {any} */ (null));
  const [ready, setReady] = useState(false);
  const [turn, setTurn] = useState(0);
  const calls = useRef(/** @type {any} */ ({}));
  calls.current = { onSelect, onFile, place };
  useEffect(() => {
    let gone = false;
    let cleanup = () => {};
    setError(null);
    codeMirror().then((CodeMirror) => {
      if (gone) return;
      const made = make(CodeMirror, host.current, draft, file, calls);
      editor.current = made.cm;
      cleanup = made.destroy;
      setReady(true);
    }, () => setError({ code: "offline", message: "The editor could not be loaded.", hint: "Run scripts/console-assets and build again, or try again." }));
    return () => {
      gone = true;
      cleanup();
      editor.current = null;
    };
  }, [turn]);
  useEffect(() => void editor.current?.setOption("readOnly", readOnly), [readOnly, ready]);
  useEffect(() => {
    const cm = editor.current;
    if (!cm || !place) return;
    const at = place.start !== undefined && place.start !== null ? cm.posFromIndex(place.start) : { line: (place.line ?? 1) - 1, ch: (place.column ?? 1) - 1 };
    cm.setCursor(at);
    cm.scrollIntoView(at, cm.getScrollInfo().clientHeight / 3);
    cm.focus();
  }, [place?.n, ready]);
  // Marks of what differs, and of what is wrong: in a pause, and never within a composition, which a changed line would end.
  const linted = useRef(/** @type {any} */ (null));
  useEffect(() => {
    /** @type {any} */ let timer = null;
    const show = () => {
      const cm = editor.current;
      if (!cm) return;
      if (isComposing(cm)) return void (timer = setTimeout(show, PAUSE));
      mark(cm, draft, file);
      if (linted.current !== draft.diagnostics) cm.performLint();
      linted.current = draft.diagnostics;
    };
    timer = setTimeout(show, ready && linted.current ? PAUSE : 0);
    return () => clearTimeout(timer);
  }, [draft.files, draft.base, draft.diagnostics, ready]);
  if (error) return html`<${Failure} error=${error} retry=${() => setTurn(turn + 1)} />`;
  return html`<div class="editor" ref=${host}>${!ready && html`<${Skeleton} lines=${8} phase="loading" />`}</div>`;
}

/** Whether a character is being composed, or was inserted by the system and is not read yet: a line that is drawn again loses it. @param {any} cm */
const isComposing = (cm) => Boolean(cm.display.input.composing || cm.display.input.readDOMTimeout);

/** Green, ochre and brick bars beside the lines that a draft adds, changes and removes. @param {any} cm @param {any} draft @param {string} file */
function mark(cm, draft, file) {
  const found = hunks(linesOf(draft.base.files[file] ?? ""), linesOf(draft.files[file] ?? ""));
  const text = JSON.stringify(found);
  if (cm.markedChanges === text) return;
  cm.markedChanges = text;
  cm.operation(() => {
    cm.clearGutter("change-bars");
    for (const hunk of found) {
      const kind = hunk.a[0] === hunk.a[1] ? "added" : hunk.b[0] === hunk.b[1] ? "removed" : "changed";
      for (let n = hunk.b[0]; n < Math.max(hunk.b[1], hunk.b[0] + 1); n += 1) {
        const bar = document.createElement("span");
        bar.className = `bar ${kind}`;
        bar.title = { added: "Added", changed: "Changed", removed: "Lines removed here" }[kind];
        cm.setGutterMarker(Math.min(n, cm.lineCount() - 1), "change-bars", bar);
      }
    }
  });
}

/** @param {any} CodeMirror @param {HTMLElement} host @param {import("./schema-draft.js").Draft} draft @param {string} file @param {{ current: any }} calls */
function make(CodeMirror, host, draft, file, calls) {
  const annotations = () => {
    const text = draft.files[file] ?? "";
    const at = byteOffsets(text);
    return draft.diagnostics.filter((one) => (one.file ?? file) === file && one.line).map((one) => {
      const from = one.start !== null && one.start !== undefined ? placeOf(text, at(one.start)) : { line: one.line - 1, ch: (one.column ?? 1) - 1 };
      const word = /^(?:@?[_A-Za-z]\w*|.)?/.exec(linesOf(text)[from.line]?.slice(from.ch) ?? "")?.[0] ?? "";
      return { from, to: { line: from.line, ch: from.ch + Math.max(1, word.length) }, severity: one.severity, message: one.help ? `${one.message} ${one.help}` : one.message };
    });
  };
  const hint = (/** @type {any} */ cm) => {
    const cursor = cm.getCursor();
    const before = cm.getRange({ line: 0, ch: 0 }, cursor);
    const model = draft.model;
    const found = completions(before, model?.version ?? draft.schema.transformerVersion ?? 1, (model?.types ?? []).map((/** @type {any} */ one) => one.name));
    const start = cursor.ch - (before.length - found.from);
    return { from: { line: cursor.line, ch: start }, to: cursor, list: found.words.map((one) => ({ text: one.text, render: (/** @type {Element} */ element) => {
      const kind = document.createElement("span");
      kind.className = "kind";
      kind.textContent = one.kind;
      element.append(one.text, kind);
    } })) };
  };
  // The list follows the text a frame later: a key that comes sooner is not for a word of the list before.
  const pick = (/** @type {any} */ cm, /** @type {any} */ list) => {
    if (CodeMirror.cmpPos(cm.getCursor(), list.data.to) === 0) return list.pick();
    list.close();
    return CodeMirror.Pass;
  };
  const complete = (/** @type {any} */ cm) => cm.showHint({ hint, completeSingle: false, closeCharacters: /[\s(){}[\]:,!"]/, extraKeys: { Enter: pick, Tab: pick } });
  const goTo = (/** @type {any} */ cm, at = cm.getCursor()) => {
    const word = cm.getRange(cm.findWordAt(at).anchor, cm.findWordAt(at).head);
    const found = allDefinitions(draft.files).find((one) => one.name === word);
    if (!found) return;
    if (found.file !== file) return calls.current.onFile(found.file);
    const target = placeOf(draft.files[file], found.nameStart);
    cm.setCursor(target);
    cm.scrollIntoView(target, 120);
  };
  const cm = CodeMirror((/** @type {Element} */ element) => host.append(element), {
    value: (draft.files[file] ?? "").replace(/\r\n|\r/g, "\n"), mode: "sdl", lineNumbers: true, inputStyle: "contenteditable", indentUnit: 2, tabSize: 2, lineWrapping: false, matchBrackets: true, autoCloseBrackets: true, styleActiveLine: true,
    gutters: ["CodeMirror-lint-markers", "CodeMirror-linenumbers", "change-bars", "CodeMirror-foldgutter"], foldGutter: { rangeFinder: CodeMirror.fold.brace }, lint: { getAnnotations: annotations, lintOnChange: false }, spellcheck: false, autocorrect: false, autocapitalize: false, viewportMargin: 60,
    screenReaderLabel: `Text of ${file}`,
    extraKeys: {
      Tab: (/** @type {any} */ one) => {
        if (one.somethingSelected()) one.indentSelection("add");
        else one.replaceSelection("  ", "end", "+input");
      },
      "Shift-Tab": "indentLess",
      "Ctrl-Space": complete, F12: goTo, "Ctrl-/": "toggleComment", "Cmd-/": "toggleComment", "Ctrl-Z": () => void draft.undo(), "Cmd-Z": () => void draft.undo(), "Shift-Ctrl-Z": () => void draft.redo(), "Shift-Cmd-Z": () => void draft.redo(), "Ctrl-Y": () => void draft.redo(),
    },
  });
  lettingTabLeave(cm, (change) => change.origin !== "draft");
  cm.getInputField().setAttribute("aria-label", `Text of ${file}. ${HOW_TO_LEAVE}`);
  cm.getInputField().setAttribute("role", "textbox");
  cm.getInputField().setAttribute("aria-multiline", "true");
  cm.on("change", (/** @type {any} */ _, /** @type {any} */ change) => {
    if (change.origin === "draft") return;
    // Each line of the editor is a line of the text, whatever it ends with.
    const text = draft.files[file] ?? "";
    const end = lineEnd(text);
    const edit = { file, start: offsetOf(text, change.from.line, change.from.ch), end: offsetOf(text, change.to.line, change.to.ch), text: change.text.join(end) };
    draft.change([edit], { label: change.origin === "paste" ? "Paste" : change.text.join("") ? "Typing" : "Delete text", typed: true, from: /** @type {any} */ (follow) });
    draft.checkSoon();
  });
  cm.on("inputRead", (/** @type {any} */ one, /** @type {any} */ change) => {
    const before = one.getLine(change.from.line).slice(0, change.from.ch + 1);
    if (change.origin === "+input" && !one.state.completionActive && /^[@\w]$/.test(change.text[0]) && /(@|:\s*\[?\w)\w*$/.test(before)) complete(one);
  });
  cm.on("cursorActivity", () => {
    const { onSelect } = calls.current;
    if (!onSelect || !cm.hasFocus()) return;
    const at = offsetOf(draft.files[file] ?? "", cm.getCursor().line, cm.getCursor().ch);
    const found = allDefinitions({ [file]: draft.files[file] ?? "" }).find((one) => one.start <= at && at <= one.end && draft.model?.types.some((/** @type {any} */ each) => each.name === one.name));
    if (found) onSelect(found.name);
  });
  cm.on("mousedown", (/** @type {any} */ one, /** @type {MouseEvent} */ event) => {
    if (!event.metaKey && !event.ctrlKey) return;
    const at = one.coordsChar({ left: event.clientX, top: event.clientY });
    event.preventDefault();
    goTo(one, at);
  });
  /** Changes made elsewhere, shown without moving the cursor more than needed. @param {import("./schema-text.js").TextEdit[]} edits */
  function follow(edits) {
    // The draft has the text after the edits already; what is shown is brought to it by the least change.
    if (!edits.some((one) => one.file === file)) return;
    const wanted = (draft.files[file] ?? "").replace(/\r\n|\r/g, "\n");
    const old = cm.getValue();
    if (wanted === old) return;
    let start = 0;
    while (start < Math.min(old.length, wanted.length) && old[start] === wanted[start]) start += 1;
    let tail = 0;
    while (tail < Math.min(old.length, wanted.length) - start && old[old.length - 1 - tail] === wanted[wanted.length - 1 - tail]) tail += 1;
    cm.replaceRange(wanted.slice(start, wanted.length - tail), cm.posFromIndex(start), cm.posFromIndex(old.length - tail), "draft");
    cm.clearHistory();
    if (!cm.hasFocus()) cm.scrollIntoView(cm.posFromIndex(start + Math.max(0, wanted.length - tail - start)), 80);
  }
  draft.editors.add(follow);
  /** @type {any} */ let resizing = null;
  const resized = () => {
    clearTimeout(resizing);
    if (isComposing(cm)) return void (resizing = setTimeout(resized, PAUSE));
    cm.refresh();
    // The list of diagnostics takes its place from below.
    if (cm.hasFocus()) cm.scrollIntoView(null, 48);
  };
  const resize = new ResizeObserver(resized);
  resize.observe(host);
  return {
    cm,
    destroy: () => {
      draft.editors.delete(follow);
      resize.disconnect();
      clearTimeout(resizing);
      cm.getWrapperElement().remove();
    },
  };
}

/** What a merge could not decide. */
function Conflicts({ draft, file, conflicts }) {
  const choose = (/** @type {any} */ one, /** @type {string} */ text, /** @type {string} */ label) => {
    draft.change([{ file, start: one.start, end: one.end, text }], { label });
    draft.checkNow();
  };
  return html`<div class="conflicts" role="region" aria-label="Conflicts"><h3>${plural(conflicts.length, "conflict")}</h3><ul>${conflicts.map((one, n) => html`<li key=${n}><span class="grow">Line ${placeOf(draft.files[file], one.start).line + 1}: both changed these lines.</span>
    <button class="btn low" onClick=${() => choose(one, one.ours, "Keep mine")}>Keep mine</button><button class="btn low" onClick=${() => choose(one, one.theirs, "Take theirs")}>Take theirs</button><button class="btn low" onClick=${() => choose(one, one.ours + one.theirs, "Keep both")}>Both</button></li>`)}</ul></div>`;
}

/** The list of what is wrong: code, line, help and a fix. */
function Diagnostics({ draft, file, onFile, readOnly }) {
  const list = draft.diagnostics;
  const errors = list.filter((one) => one.severity === "error").length;
  const show = (/** @type {any} */ one) => {
    if (one.file && one.file !== file) onFile(one.file);
    const cm = /** @type {any} */ (document.querySelector(".file-view .CodeMirror"))?.CodeMirror;
    if (!cm || !one.line) return;
    cm.setCursor({ line: one.line - 1, ch: (one.column ?? 1) - 1 });
    cm.scrollIntoView(null, 120);
    cm.focus();
  };
  const fix = (/** @type {any} */ one) => {
    const name = one.file ?? file;
    const text = draft.files[name] ?? "";
    const start = one.start !== null && one.start !== undefined ? byteOffsets(text)(one.start) : offsetOf(text, one.line - 1, one.column - 1);
    const word = /^@?\w+/.exec(text.slice(start))?.[0] ?? "";
    draft.change([{ file: name, start, end: start + word.length, text: (word.startsWith("@") && !one.suggestion.startsWith("@") ? "@" : "") + one.suggestion }], { label: `Use ${one.suggestion}` });
    draft.checkNow();
  };
  const format = () => {
    const text = draft.files[file] ?? "";
    if (formatted(text) === text) return toast("The file is formatted already.");
    draft.replace({ ...draft.files, [file]: formatted(text) }, `Format ${file}`);
  };
  return html`<div class="diagnostics" role="region" aria-label="Diagnostics">
    ${list.length === 0 ? html`<p class="row small"><span class="tone-moss"><${Icon} name="check" small /></span><span class="grow">No errors.</span>${!readOnly && html`<button class="btn plain low" onClick=${format}>Format</button>`}<span class="faint no-phone"><kbd class="kbd">Ctrl Space</kbd> completes · <kbd class="kbd">Ctrl F</kbd> searches · <kbd class="kbd">F12</kbd> goes to the definition</span></p>`
      : html`<h3>${[errors && plural(errors, "error"), list.length - errors && plural(list.length - errors, "warning")].filter(Boolean).join(", ")}</h3><ul>${list.slice(0, 50).map((one, n) => html`<li key=${n} class=${one.severity}><span class=${one.severity === "error" ? "tone-brick" : "tone-ochre"}><${Icon} name="warn" small /></span><span class="vh">${one.severity}: </span>
        ${one.line ? html`<button class="link num" onClick=${() => show(one)}>${one.file && Object.keys(draft.files).length > 1 ? `${one.file}:` : "Line "}${one.line}</button>` : ""}<span class="grow">${one.message}${one.help && html` <span class="quiet">${one.help}</span>`}</span>
        ${one.suggestion && !readOnly && html`<button class="btn low" onClick=${() => fix(one)}>Use ${one.suggestion}</button>`}<code class="faint no-phone">${one.code}</code></li>`)}</ul>`}
    ${draft.locked && html`<${CopyButton} words="Copy text" label="Copy text" text=${() => draft.files[file] ?? ""} />`}</div>`;
}
