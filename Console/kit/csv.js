// Comma-separated values (RFC 4180). Pure.

/** @param {string} text @param {number} limit rows */
export function parseCSV(text, limit = Infinity) {
  /** @type {string[][]} */ const rows = [];
  let row = [];
  let cell = "";
  let quoted = false;
  for (let n = text.charCodeAt(0) === 0xfeff ? 1 : 0; n < text.length; n += 1) {
    const c = text[n];
    if (quoted) {
      if (c === '"' && text[n + 1] === '"') (cell += '"'), (n += 1);
      else if (c === '"') quoted = false;
      else cell += c;
    } else if (c === '"' && cell === "") quoted = true;
    else if (c === ",") (row.push(cell), (cell = ""));
    else if (c === "\n" || c === "\r") {
      if (c === "\r" && text[n + 1] === "\n") n += 1;
      row.push(cell);
      if (row.length > 1 || row[0] !== "") rows.push(row);
      (row = []), (cell = "");
      if (rows.length >= limit) return rows;
    } else cell += c;
  }
  if (cell !== "" || row.length) rows.push([...row, cell]);
  return rows;
}

/** A cell. A text that a spreadsheet would take for a formula gets an apostrophe. @param {any} value */
function cellOf(value) {
  if (value === undefined || value === null) return "";
  let text = typeof value === "object" ? JSON.stringify(value) : String(value);
  if (typeof value === "string" && /^[=+\-@\t\r]/.test(text)) text = `'${text}`;
  return text === "" || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
/** @param {string[]} columns @param {any[][]} rows */
export const toCSV = (columns, rows) => [columns, ...rows].map((row) => row.map(cellOf).join(",") + "\r\n").join("");

/** The first rows of a file. @param {string} text @param {string} kind @returns {{ columns: string[], rows: string[][] }} */
export function preview(text, kind, limit = 20) {
  if (kind === "csv") {
    const rows = parseCSV(text, limit + 1);
    return { columns: rows[0] ?? [], rows: rows.slice(1) };
  }
  let objects;
  if (kind === "json") objects = JSON.parse(text);
  else objects = text.split("\n").filter((line) => line.trim()).slice(0, limit).map((line) => JSON.parse(line));
  if (!Array.isArray(objects)) throw new Error("The file is not a list.");
  objects = objects.slice(0, limit);
  const columns = [...new Set(objects.flatMap((one) => Object.keys(one)))];
  return { columns, rows: objects.map((one) => columns.map((name) => (one[name] === undefined ? "" : typeof one[name] === "object" ? JSON.stringify(one[name]) : String(one[name])))) };
}
