// Files that the browser saves.

/** Milliseconds for which the browser may read what the page made. */
const READABLE = 10_000;

/** @param {string} url @param {string} name */
export function download(url, name) {
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
}
/** @param {string} name @param {string} text @param {string} type */
export function saveFile(name, text, type) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  download(url, name);
  setTimeout(() => URL.revokeObjectURL(url), READABLE);
}
