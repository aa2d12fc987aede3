// What the console remembers in this browser, separately for each server. Never credentials, headers or values of items.

let prefix = "syncline.";
export function setServer(/** @type {string} */ id) {
  prefix = `syncline.${id}.`;
}
/** @template T @param {string} name @param {T} fallback @returns {T} */
export function recall(name, fallback) {
  try {
    const text = localStorage.getItem(prefix + name);
    return text === null ? fallback : JSON.parse(text);
  } catch {
    return fallback;
  }
}
/** @param {string} name @param {any} value */
export function remember(name, value) {
  try {
    if (value === undefined) localStorage.removeItem(prefix + name);
    else localStorage.setItem(prefix + name, JSON.stringify(value));
  } catch {
    // Storage is full or off: the choice lasts as long as the page.
  }
}

/** @returns {"" | "light" | "dark"} */
export const chosenTheme = () => /** @type {any} */ (document.documentElement.dataset.theme ?? "");
/** @param {"" | "light" | "dark"} theme */
export function chooseTheme(theme) {
  document.documentElement.dataset.theme = theme;
  try {
    if (theme) localStorage.setItem("syncline.theme", theme);
    else localStorage.removeItem("syncline.theme");
  } catch {
    // As above.
  }
  dispatchEvent(new CustomEvent("themechange"));
}
