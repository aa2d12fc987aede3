// The schema language in colours: a mode for CodeMirror and a component for single lines, both from one function. Completion.

import { html } from "../preact-htm.js";

const KEYWORDS = /^(type|enum|input|interface|union|scalar|directive|schema|extend|implements|on|query|mutation|subscription|repeatable)$/;
const VALUES = /^(true|false|null)$/;
export const SCALARS = ["ID", "String", "Int", "Float", "Boolean", "AWSDate", "AWSTime", "AWSDateTime", "AWSTimestamp", "AWSEmail", "AWSJSON", "AWSURL", "AWSPhone", "AWSIPAddress"];

/** What a line is made of. `state.block` says whether a description is open; `state.depth` counts parentheses.
 * @typedef {{ block: boolean, depth: number, type: boolean }} State
 * @returns {State} */
export const startState = () => ({ block: false, depth: 0, type: false });
/**
 * The next token from a place of a line.
 * @param {string} line @param {number} at @param {State} state
 * @returns {[number, string]} where it ends, and its kind
 */
export function nextToken(line, at, state) {
  if (state.block) {
    const end = line.indexOf('"""', at);
    if (end >= 0) state.block = false;
    return [end < 0 ? line.length : end + 3, "string"];
  }
  const rest = line.slice(at);
  const space = /^[\s,]+/.exec(rest);
  if (space) return [at + space[0].length, ""];
  if (rest[0] === "#") return [line.length, "comment"];
  if (rest.startsWith('"""')) {
    const end = line.indexOf('"""', at + 3);
    state.block = end < 0;
    return [end < 0 ? line.length : end + 3, "string"];
  }
  const string = /^"(?:[^"\\]|\\.)*"?/.exec(rest);
  if (string) return [at + string[0].length, "string"];
  const directive = /^@[_A-Za-z]\w*/.exec(rest);
  if (directive) return [at + directive[0].length, "directive"];
  const number = /^-?\d[\d.eE+-]*/.exec(rest);
  if (number) return [at + number[0].length, "number"];
  const name = /^[_A-Za-z]\w*/.exec(rest);
  if (name) {
    const end = at + name[0].length;
    if (/^\s*:/.test(line.slice(end))) return [end, state.depth > 0 ? "argument" : "name"];
    const isType = state.type && state.depth === 0;
    state.type = false;
    if (isType) return [end, "type"];
    return [end, state.depth === 0 && KEYWORDS.test(name[0]) ? "keyword" : VALUES.test(name[0]) ? "keyword" : state.depth > 0 ? "value" : "name"];
  }
  if (rest[0] === "(") state.depth += 1;
  if (rest[0] === ")") state.depth = Math.max(0, state.depth - 1);
  if (rest[0] === ":") state.type = true;
  if (rest[0] === "!" && /^!/.test(rest)) return [at + 1, "type"];
  return [at + 1, "punctuation"];
}

const CLASSES = { comment: "c", string: "s", directive: "k", keyword: "k", type: "t", number: "n", argument: "d", value: "s" };
/** A line as coloured text. @param {string} line @param {State} [state] */
export function colouredLine(line, state = startState()) {
  const out = [];
  let at = 0;
  state.type = false;
  while (at < line.length) {
    const [end, kind] = nextToken(line, at, state);
    const text = line.slice(at, end);
    out.push(CLASSES[kind] ? html`<span class=${CLASSES[kind]}>${text}</span>` : text);
    at = end;
  }
  return out;
}

/** Adds the mode to CodeMirror. @param {any} CodeMirror */
export function addMode(CodeMirror) {
  CodeMirror.defineMode("sdl", (/** @type {any} */ options) => ({
    startState: () => ({ ...startState(), braces: 0 }),
    token(/** @type {any} */ stream, /** @type {any} */ state) {
      if (stream.sol()) state.type = false;
      const [end, kind] = nextToken(stream.string, stream.pos, state);
      if (kind === "punctuation" && stream.string[stream.pos] === "{") state.braces += 1;
      if (kind === "punctuation" && stream.string[stream.pos] === "}") state.braces = Math.max(0, state.braces - 1);
      stream.pos = end;
      return kind || null;
    },
    indent: (/** @type {any} */ state, /** @type {string} */ after) => (state.block ? CodeMirror.Pass : Math.max(0, state.braces + (state.depth ? 1 : 0) - (/^[})]/.test(after) ? 1 : 0)) * options.indentUnit),
    electricInput: /^\s*[})]$/, lineComment: "#", fold: "brace", closeBrackets: { pairs: '()[]{}""', triples: '"' },
  }));
  CodeMirror.defineMIME("text/x-graphql-sdl", "sdl");
}

/** A text with its lines indented anew, without spaces at their ends and without double blank lines. Only white space between
 * tokens changes; lines of block strings stay. @param {string} text */
export function formatted(text) {
  const state = startState();
  let depth = 0;
  let blank = 0;
  return text.replace(/[^\r\n]*(\r\n|\r|\n|$)/g, (whole, end) => {
    if (whole === "") return "";
    const line = whole.slice(0, whole.length - end.length);
    const inBlock = state.block;
    const bare = inBlock ? line : line.trim();
    const parens = state.depth;
    let [at, opened, closed, leads] = [0, 0, 0, true];
    while (at < bare.length) {
      const [next, kind] = nextToken(bare, at, state);
      const token = bare.slice(at, next);
      if (kind === "punctuation" && /[{[(]/.test(token)) (opened += 1), (leads = false);
      else if (kind === "punctuation" && /[}\])]/.test(token)) (closed += leads ? 1 : 0), (opened -= leads ? 0 : 1);
      else if (kind) leads = false;
      at = next;
    }
    state.type = false;
    if (inBlock) {
      depth = Math.max(0, depth - closed + opened);
      return whole;
    }
    depth = Math.max(0, depth - closed);
    blank = bare === "" ? blank + 1 : 0;
    const isContinued = parens === 0 && /^[@|&]/.test(bare);
    const out = bare === "" ? "" : "  ".repeat(depth + (isContinued ? 1 : 0)) + bare;
    depth = Math.max(0, depth + opened);
    return blank > 1 ? "" : out + end;
  });
}

// Completion ----------------------------------------------------------------------------------------------------------

/** The directives of each version, with their arguments. */
const DIRECTIVES = {
  1: { model: ["queries", "mutations", "subscriptions", "timestamps"], auth: ["rules"], key: ["name", "fields", "queryField"], connection: ["name", "keyName", "fields", "keyField", "sortField", "limit"], versioned: ["versionField", "versionInput"], function: ["name", "region"], deprecated: ["reason"] },
  2: { model: ["queries", "mutations", "subscriptions", "timestamps"], auth: ["rules"], primaryKey: ["sortKeyFields"], index: ["name", "sortKeyFields", "queryField"], hasOne: ["fields"], hasMany: ["indexName", "fields", "limit"], belongsTo: ["fields"], manyToMany: ["relationName", "limit"], default: ["value"], mapsTo: ["name"], refersTo: ["name"], function: ["name", "region"], deprecated: ["reason"] },
};
const RULE = ["allow", "provider", "ownerField", "identityClaim", "groups", "groupsField", "groupClaim", "operations"];
const RULE_VALUES = { allow: ["owner", "groups", "private", "public", "custom"], provider: ["apiKey", "iam", "oidc", "userPools", "function"], operations: ["create", "read", "update", "delete", "get", "list", "sync", "listen", "search"] };

/** What may be written at a place: the words, and where the word that is written begins.
 * @param {string} before the text up to the place @param {1 | 2} version @param {string[]} types the names that the schema defines
 * @returns {{ from: number, words: { text: string, kind: string }[] }} */
export function completions(before, version, types) {
  const word = /[_A-Za-z]\w*$/.exec(before)?.[0] ?? "";
  const from = before.length - word.length;
  const lead = before.slice(0, from);
  const starts = (/** @type {string[]} */ list, /** @type {string} */ kind) => list.filter((one) => one.toLowerCase().startsWith(word.toLowerCase()) && one !== word).map((text) => ({ text, kind }));
  const table = /** @type {any} */ (DIRECTIVES)[version] ?? DIRECTIVES[1];
  if (/@$/.test(lead)) return { from, words: starts(Object.keys(table), "directive") };
  const open = openDirective(lead);
  if (open) {
    const value = /(\w+)\s*:\s*\[?(?:[\w\s,]*,)?\s*$/.exec(lead);
    if (open.name === "auth" && value && RULE_VALUES[value[1]]) return { from, words: starts(RULE_VALUES[value[1]], "value") };
    if (open.name === "auth" && open.braces > 0) return { from, words: starts(RULE, "argument") };
    return { from, words: starts(table[open.name] ?? [], "argument") };
  }
  if (/:\s*\[*\s*$/.test(lead)) return { from, words: [...starts(types, "type"), ...starts(SCALARS, "scalar")] };
  const bare = lead.replace(/"(?:[^"\\\n]|\\.)*"|#[^\n]*/g, "");
  const depth = (bare.match(/\{/g) ?? []).length - (bare.match(/\}/g) ?? []).length;
  if (depth <= 0) return { from, words: starts(["type", "enum", "input", "interface", "union", "scalar", "extend"], "keyword") };
  return { from, words: [] };
}
/** The directive whose parentheses are open at the end of a text. @param {string} text */
function openDirective(text) {
  const at = text.lastIndexOf("@");
  const match = at < 0 ? null : /^@(\w+)\s*\(([^]*)$/.exec(text.slice(at));
  if (!match) return null;
  const bare = match[2].replace(/"(?:[^"\\]|\\.)*"/g, "");
  const depth = 1 + (bare.match(/\(/g) ?? []).length - (bare.match(/\)/g) ?? []).length;
  return depth > 0 ? { name: match[1], braces: (bare.match(/\{/g) ?? []).length - (bare.match(/\}/g) ?? []).length } : null;
}
