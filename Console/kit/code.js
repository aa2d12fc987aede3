// Coloured text of JSON, GraphQL, SQL and Swift. Text nodes only; no editor.

import { html } from "../preact-htm.js";

const RULES = {
  json: /("(?:[^"\\]|\\.)*")(\s*:)?|(-?\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b)|\b(true|false|null)\b/g,
  graphql: /("(?:[^"\\]|\\.)*")()|(\b\d+(?:\.\d+)?\b)|\b(query|mutation|subscription|fragment|on|true|false|null|type|enum|input|interface|union|scalar|directive|schema|extend|implements)\b|(\$\w+|@\w+)|(#[^\n]*)/g,
  sql: /('(?:[^']|'')*')()|(\b\d+\b)|\b(SELECT|FROM|WHERE|AND|OR|ORDER|BY|LIMIT|OFFSET|INSERT|INTO|VALUES|UPDATE|SET|DELETE|NOT|NULL|IS|IN|JOIN|ON|AS|DESC|ASC|CASE|WHEN|THEN|ELSE|END|RETURNING|CONFLICT|DO|LIKE|EXISTS|BETWEEN|INDEXED|WITH)\b/gi,
  code: /("(?:[^"\\]|\\.)*")()|(\b\d+(?:\.\d+)?\b)|\b(try|await|let|var|import|func|val|const|from|return|async|in|if|else|final)\b|(\b[A-Z]\w+)|(\/\/[^\n]*|^#[^\n]*)/gm,
};
/** Text above this is shown without colours. */
const PLAIN_BYTES = 200_000;

/** @param {string} text @param {keyof typeof RULES} language */
function coloured(text, language) {
  if (text.length > PLAIN_BYTES) return text;
  const out = [];
  let at = 0;
  for (const match of text.matchAll(RULES[language])) {
    const start = match.index ?? 0;
    if (start > at) out.push(text.slice(at, start));
    const [whole, string, colon, number, word, name, comment] = match;
    if (string) {
      out.push(html`<span class=${colon ? "d" : "s"}>${string}</span>`);
      if (colon) out.push(colon);
    } else out.push(html`<span class=${number ? "n" : word ? "k" : name ? (language === "graphql" ? "s" : "t") : comment ? "c" : ""}>${whole}</span>`);
    at = start + whole.length;
  }
  out.push(text.slice(at));
  return out;
}

/** @param {{ text: string, language: keyof typeof RULES, label?: string, class?: string }} props */
export function Code({ text, language, label, class: more = "" }) {
  return html`<pre class=${`code ${more}`} tabindex="0" role=${label ? "region" : undefined} aria-label=${label}>${coloured(text, language)}</pre>`;
}

/** A sentence of the server, with its commands, which are in quotes, as code. @param {string} text */
export const withCommands = (text) => text.split(/'(syncline [^']+)'/).map((part, n) => (n % 2 ? html`<code>${part}</code>` : part));
