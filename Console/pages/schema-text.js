// Texts of a schema: edits of bytes and characters, differences by lines, three-way merge, and where definitions stand. Pure.

/** @typedef {{ file: string, start: number, end: number, text: string }} TextEdit an edit of UTF-16 code units */
/** @typedef {Record<string, string>} Files */

/** Offsets in UTF-8 bytes of one text, as offsets of characters; asked in any order. @param {string} text */
export function byteOffsets(text) {
  if (/^[\x00-\x7f]*$/.test(text)) return (/** @type {number} */ offset) => Math.min(offset, text.length);
  /** @type {number[]} */ const bytes = [0];
  for (let n = 0; n < text.length; n += 1) {
    const code = text.charCodeAt(n);
    // The first half of a pair counts nothing, the second all four bytes: no offset is between them.
    bytes.push(bytes[n] + (code < 0x80 ? 1 : code < 0x800 ? 2 : code >= 0xd800 && code < 0xdc00 ? 0 : code >= 0xdc00 && code < 0xe000 ? 4 : 3));
  }
  return (/** @type {number} */ offset) => {
    let low = 0;
    let high = text.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (bytes[middle] < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

/** The server's edits, whose offsets are UTF-8 bytes, as edits of characters. @param {Files} files @param {any[]} edits @returns {TextEdit[]} */
export function fromBytes(files, edits) {
  const offsets = new Map();
  return edits.map((one) => {
    if (!offsets.has(one.file)) offsets.set(one.file, byteOffsets(files[one.file] ?? ""));
    const at = offsets.get(one.file);
    return { file: one.file, start: at(one.start), end: at(one.end), text: one.text };
  });
}

/** Applies edits of the same state, and says what undoes them. @param {Files} files @param {TextEdit[]} edits
 * @returns {{ files: Files, inverse: TextEdit[] }} */
export function applyEdits(files, edits) {
  const after = { ...files };
  /** @type {TextEdit[]} */ const inverse = [];
  for (const name of new Set(edits.map((one) => one.file))) {
    const text = files[name] ?? "";
    let out = "";
    let at = 0;
    for (const one of edits.filter((each) => each.file === name).sort((a, b) => a.start - b.start || a.end - b.end)) {
      out += text.slice(at, one.start);
      inverse.push({ file: name, start: out.length, end: out.length + one.text.length, text: text.slice(one.start, one.end) });
      out += one.text;
      at = one.end;
    }
    after[name] = out + text.slice(at);
  }
  return { files: after, inverse };
}

/** The one edit that makes a text into another: without what both begin and end with. @param {string} file @param {string} from @param {string} to @returns {TextEdit[]} */
export function differenceEdit(file, from, to) {
  if (from === to) return [];
  const limit = Math.min(from.length, to.length);
  let start = 0;
  while (start < limit && from[start] === to[start]) start += 1;
  let tail = 0;
  while (tail < limit - start && from[from.length - 1 - tail] === to[to.length - 1 - tail]) tail += 1;
  return [{ file, start, end: from.length - tail, text: to.slice(start, to.length - tail) }];
}

/** The lines of a text with their ends. @param {string} text */
export const linesOf = (text) => text.match(/[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/g) ?? [];
/** The line (from 0) and the column of an offset. @param {string} text @param {number} offset */
export function placeOf(text, offset) {
  const before = text.slice(0, offset).split(/\r\n|\r|\n/);
  return { line: before.length - 1, ch: before[before.length - 1].length };
}
/** The offset of a line (from 0) and a column. @param {string} text @param {number} line @param {number} ch */
export function offsetOf(text, line, ch) {
  let offset = 0;
  for (const one of linesOf(text).slice(0, line)) offset += one.length;
  return Math.min(text.length, offset + ch);
}
/** How the lines of a text end. @param {string} text */
export const lineEnd = (text) => /\r\n|\r|\n/.exec(text)?.[0] ?? "\n";

// Differences -------------------------------------------------------------------------------------------------------

/** Differing lines beyond which two texts count as wholly different. */
const DIFFERENCES_MAX = 4000;

/** Where two lists of lines differ, as ranges of both. E. W. Myers, "An O(ND) Difference Algorithm and Its Variations", 1986.
 * @param {string[]} a @param {string[]} b @returns {{ a: [number, number], b: [number, number] }[]} */
export function hunks(a, b) {
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let tail = 0;
  while (tail < a.length - start && tail < b.length - start && a[a.length - 1 - tail] === b[b.length - 1 - tail]) tail += 1;
  const n = a.length - start - tail;
  const m = b.length - start - tail;
  if (n === 0 && m === 0) return [];
  const whole = [{ a: /** @type {[number, number]} */ ([start, start + n]), b: /** @type {[number, number]} */ ([start, start + m]) }];
  if (n === 0 || m === 0) return whole;
  const limit = Math.min(n + m, DIFFERENCES_MAX);
  /** @type {Map<number, number>[]} */ const trace = [];
  let front = new Map([[1, 0]]);
  let found = -1;
  for (let d = 0; d <= limit && found < 0; d += 1) {
    trace.push(new Map(front));
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && (front.get(k - 1) ?? -1) < (front.get(k + 1) ?? -1));
      let x = down ? front.get(k + 1) ?? 0 : (front.get(k - 1) ?? 0) + 1;
      let y = x - k;
      while (x < n && y < m && a[start + x] === b[start + y]) (x += 1), (y += 1);
      front.set(k, x);
      if (x >= n && y >= m) {
        found = d;
        break;
      }
    }
  }
  if (found < 0) return whole;
  /** @type {[number, number][]} the pairs of equal lines */ const equal = [];
  let x = n;
  let y = m;
  for (let d = found; d >= 0; d -= 1) {
    const before = trace[d];
    const k = x - y;
    const down = k === -d || (k !== d && (before.get(k - 1) ?? -1) < (before.get(k + 1) ?? -1));
    const previous = down ? k + 1 : k - 1;
    const px = before.get(previous) ?? 0;
    const py = px - previous;
    while (x > Math.max(px, 0) && y > Math.max(py, 0) && (d === 0 || x > (down ? px : px + 1) || y > (down ? py + 1 : py))) {
      if (a[start + x - 1] !== b[start + y - 1]) break;
      x -= 1;
      y -= 1;
      equal.push([x, y]);
    }
    if (d > 0) (x = px), (y = py);
  }
  equal.reverse();
  const out = [];
  let [i, j] = [0, 0];
  for (const [p, q] of [...equal, /** @type {[number, number]} */ ([n, m])]) {
    if (p > i || q > j) out.push({ a: /** @type {[number, number]} */ ([start + i, start + p]), b: /** @type {[number, number]} */ ([start + j, start + q]) });
    (i = p + 1), (j = q + 1);
  }
  return out;
}

/** The lines of a difference, with some equal ones around. `kind`: "" for an equal line, "+", "-", or "…" where lines are left out.
 * @param {string} before @param {string} after @param {number} [around] */
export function differenceLines(before, after, around = 3) {
  const [a, b] = [linesOf(before), linesOf(after)];
  const bare = (/** @type {string} */ line) => line.replace(/[\r\n]+$/, "");
  /** @type {{ kind: string, text: string, line: number | null }[]} */ const out = [];
  const found = hunks(a, b);
  let at = 0;
  found.forEach((hunk, index) => {
    const from = Math.max(at, hunk.b[0] - around);
    if (from > at) out.push({ kind: "…", text: "", line: null });
    for (let n = from; n < hunk.b[0]; n += 1) out.push({ kind: "", text: bare(b[n]), line: n + 1 });
    for (let n = hunk.a[0]; n < hunk.a[1]; n += 1) out.push({ kind: "-", text: bare(a[n]), line: null });
    for (let n = hunk.b[0]; n < hunk.b[1]; n += 1) out.push({ kind: "+", text: bare(b[n]), line: n + 1 });
    at = Math.min(hunk.b[1] + around, found[index + 1]?.b[0] ?? b.length, b.length);
    for (let n = hunk.b[1]; n < at; n += 1) out.push({ kind: "", text: bare(b[n]), line: n + 1 });
  });
  if (found.length && at < b.length) out.push({ kind: "…", text: "", line: null });
  return out;
}
/** How many lines are added and removed. @param {string} before @param {string} after */
export function differenceCount(before, after) {
  let [added, removed] = [0, 0];
  for (const hunk of hunks(linesOf(before), linesOf(after))) {
    added += hunk.b[1] - hunk.b[0];
    removed += hunk.a[1] - hunk.a[0];
  }
  return { added, removed };
}

export const MARKS = { ours: "<<<<<<< yours", middle: "=======", theirs: ">>>>>>> theirs" };

/** Merges two changes of a text by lines. Where both changed the same lines differently, both stand between marks.
 * @param {string} base @param {string} ours @param {string} theirs @returns {{ text: string, conflicts: number }} */
export function merge(base, ours, theirs) {
  const [o, a, b] = [linesOf(base), linesOf(ours), linesOf(theirs)];
  const end = lineEnd(base || theirs);
  const [left, right] = [hunks(o, a), hunks(o, b)];
  const out = [];
  let conflicts = 0;
  let [i, j, at, shiftA, shiftB] = [0, 0, 0, 0, 0];
  while (i < left.length || j < right.length) {
    // The next group of changes that touch each other.
    const first = Math.min(left[i]?.a[0] ?? Infinity, right[j]?.a[0] ?? Infinity);
    let last = first;
    const [fromI, fromJ] = [i, j];
    let grown = true;
    while (grown) {
      grown = false;
      if (left[i] && (left[i].a[0] < last || (left[i].a[0] === first && fromI === i) || (left[i].a[0] === last && j > fromJ))) (last = Math.max(last, left[i].a[1])), (i += 1), (grown = true);
      if (right[j] && (right[j].a[0] < last || (right[j].a[0] === first && fromJ === j) || (right[j].a[0] === last && i > fromI))) (last = Math.max(last, right[j].a[1])), (j += 1), (grown = true);
    }
    out.push(...o.slice(at, first));
    const sizeOf = (/** @type {any[]} */ list) => list.reduce((sum, hunk) => sum + (hunk.b[1] - hunk.b[0]) - (hunk.a[1] - hunk.a[0]), 0);
    const [growA, growB] = [sizeOf(left.slice(fromI, i)), sizeOf(right.slice(fromJ, j))];
    const mine = a.slice(first + shiftA, last + shiftA + growA);
    const others = b.slice(first + shiftB, last + shiftB + growB);
    shiftA += growA;
    shiftB += growB;
    if (j === fromJ || mine.join("") === others.join("")) out.push(...mine);
    else if (i === fromI) out.push(...others);
    else {
      conflicts += 1;
      const closed = (/** @type {string[]} */ lines) => lines.map((line) => (/[\r\n]$/.test(line) ? line : line + end));
      out.push(MARKS.ours + end, ...closed(mine), MARKS.middle + end, ...closed(others), MARKS.theirs + end);
    }
    at = last;
  }
  out.push(...o.slice(at));
  return { text: out.join(""), conflicts };
}

/** The conflicts that stand in a text: the range of each, and its two sides. @param {string} text */
export function conflictsOf(text) {
  const found = [];
  const pattern = /^<<<<<<< yours\r?\n([\s\S]*?)^=======\r?\n([\s\S]*?)^>>>>>>> theirs(?:\r?\n|$)/gm;
  for (const match of text.matchAll(pattern)) found.push({ start: match.index ?? 0, end: (match.index ?? 0) + match[0].length, ours: match[1], theirs: match[2] });
  return found;
}

// Where definitions stand ---------------------------------------------------------------------------------------------

/** @typedef {{ name: string, start: number, end: number, nameStart: number, directives: string[] }} Member `start` includes the description and the comments above; `directives`: as they are written */
/** @typedef {{ kind: string, name: string, start: number, end: number, nameStart: number, members: Member[], directives: string[], file: string }} Definition */

const TOKEN = /("""(?:\\"""|[^])*?"""|"(?:[^"\\\r\n]|\\.)*"?)|([_A-Za-z][_0-9A-Za-z]*)|(#[^\r\n]*)|(-?\d[\d.eE+-]*)|([{}()[\]:=|&@!$]|\.{3})|([\s,\uFEFF]+)|([^])/g;
const KINDS = new Set(["type", "enum", "input", "interface", "union", "scalar", "directive", "schema"]);

/** The definitions of a text, also of one with errors. It finds places; what they mean is the server's model. @param {string} text @param {string} [file] @returns {Definition[]} */
export function definitionsOf(text, file = "") {
  /** @type {{ kind: string, text: string, start: number, end: number, lead: number }[]} */ const tokens = [];
  let lead = -1;
  let lineBreaks = 0;
  for (const match of text.matchAll(TOKEN)) {
    const start = match.index ?? 0;
    const end = start + match[0].length;
    if (match[6]) {
      // A blank line parts a comment from what follows. A comment behind a token belongs to that token's line.
      lineBreaks = (match[6].match(/\r\n|\r|\n/g) ?? []).length;
      if (lineBreaks > 1) lead = -1;
      continue;
    }
    if (match[3]) {
      if (lead < 0 && (lineBreaks > 0 || tokens.length === 0)) lead = start;
      lineBreaks = 0;
      continue;
    }
    tokens.push({ kind: match[1] ? "string" : match[2] ? "name" : match[4] ? "number" : "punctuator", text: match[0], start, end, lead: lead < 0 ? start : lead });
    lead = -1;
    lineBreaks = 0;
  }
  /** @type {Definition[]} */ const found = [];
  let at = 0;
  const is = (/** @type {string} */ wanted) => tokens[at]?.text === wanted && tokens[at].kind !== "string";
  const group = (/** @type {string} */ open, /** @type {string} */ close) => {
    if (!is(open)) return;
    let depth = 0;
    do {
      if (is(open)) depth += 1;
      if (is(close)) depth -= 1;
      at += 1;
    } while (depth > 0 && at < tokens.length);
  };
  const directives = () => {
    const names = [];
    while (is("@")) {
      const begin = tokens[at].start;
      at += 2;
      group("(", ")");
      names.push(text.slice(begin, tokens[Math.min(at, tokens.length) - 1].end));
    }
    return names;
  };
  while (at < tokens.length) {
    const begin = tokens[at].lead;
    if (tokens[at].kind === "string") at += 1;
    if (is("extend")) at += 1;
    if (!tokens[at] || tokens[at].kind !== "name" || !KINDS.has(tokens[at].text)) {
      at += 1;
      continue;
    }
    const kind = tokens[at].text;
    at += 1;
    if (kind === "directive") {
      while (at < tokens.length && !(tokens[at].kind === "name" && KINDS.has(tokens[at].text)) && tokens[at].kind !== "string") at += 1;
      continue;
    }
    const named = kind === "schema" ? null : tokens[at];
    if (named?.kind === "name") at += 1;
    while (at < tokens.length && !is("{") && !is("@") && !is("=") && !KINDS.has(tokens[at].text) && tokens[at].kind !== "string") at += 1;
    const whole = directives();
    /** @type {Member[]} */ const members = [];
    if (is("{")) {
      at += 1;
      while (at < tokens.length && !is("}")) {
        const start = tokens[at].lead;
        if (tokens[at].kind === "string") at += 1;
        const name = tokens[at];
        if (!name || name.kind !== "name") {
          at += 1;
          continue;
        }
        at += 1;
        group("(", ")");
        if (is(":")) {
          at += 1;
          while (is("[")) at += 1;
          if (tokens[at]?.kind === "name") at += 1;
          while (is("]") || is("!")) at += 1;
        }
        const own = directives();
        members.push({ name: name.text, start, end: tokens[at - 1].end, nameStart: name.start, directives: own });
      }
      at += 1;
    } else if (is("=")) {
      at += 1;
      while (is("|") || (tokens[at]?.kind === "name" && !KINDS.has(tokens[at].text))) at += 1;
    }
    found.push({ kind, name: named?.text ?? "schema", start: begin, end: tokens[Math.min(at, tokens.length) - 1].end, nameStart: named?.start ?? begin, members, directives: whole, file });
  }
  return found;
}
/** Of all files. @param {Files} files */
export const allDefinitions = (files) => Object.entries(files).flatMap(([name, text]) => definitionsOf(text, name));
