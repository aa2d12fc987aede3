// Paths and their state. Every view has a URL; Back closes a panel before it leaves the page.

import { useEffect, useState } from "../preact-htm.js";
import { queryString } from "../api.js";

const ROOT = "/console";

/** The parts of the path below /console, decoded, and the query. */
function parseRoute(/** @type {Location | URL} */ url = location) {
  const path = url.pathname.startsWith(ROOT) ? url.pathname.slice(ROOT.length) : url.pathname;
  // Keys keep their encoding: their parts are joined by commas that they may contain.
  const raw = path.split("/").filter(Boolean);
  const parts = raw.map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  });
  return { parts, raw, query: Object.fromEntries(new URLSearchParams(url.search)) };
}

const watchers = new Set();
/** @type {null | (() => Promise<boolean>)} resolves with whether the page may be left */
let guard = null;
/** Asks before the page is left while something is unsaved. @param {null | (() => Promise<boolean>)} ask */
export function guardLeaving(ask) {
  guard = ask;
}
addEventListener("beforeunload", (event) => {
  if (guard) event.preventDefault();
});
/** Asks, and goes if that is the answer. @param {() => void} leave */
function asking(leave) {
  const ask = guard;
  if (!ask) return leave();
  ask().then((yes) => {
    if (!yes) return;
    guard = null;
    leave();
  });
}

let current = location.href;
/** Query has a document of its own, with a policy of its own: links to and from it load a page. */
const isQuery = (/** @type {string} */ path) => new RegExp(`^${ROOT}/query(/|$)`).test(path);

/** @param {string} path below /console, with its query @param {{ replace?: boolean, force?: boolean }} options */
export function go(path, options = {}) {
  const { replace = false, force = false } = options;
  const url = new URL(ROOT + path, location.href);
  if (isQuery(url.pathname) !== isQuery(location.pathname)) {
    location.assign(url);
    return;
  }
  if (guard && !force && url.pathname !== location.pathname) return asking(() => go(path, { replace, force: true }));
  if (replace) history.replaceState(null, "", url);
  else if (url.href !== location.href) history.pushState(null, "", url);
  changed();
}
function changed() {
  current = location.href;
  for (const watcher of watchers) watcher();
}
addEventListener("popstate", () => {
  if (guard && new URL(current).pathname !== location.pathname) {
    const wanted = location.pathname.slice(ROOT.length) + location.search;
    history.pushState(null, "", current);
    asking(() => go(wanted, { force: true }));
    return;
  }
  changed();
});
document.addEventListener("click", (event) => {
  if (event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
  const link = /** @type {Element} */ (event.target).closest?.("a[href]");
  if (!(link instanceof HTMLAnchorElement) || link.target || link.hasAttribute("download")) return;
  const url = new URL(link.href);
  if (url.origin !== location.origin || !(url.pathname + "/").startsWith(ROOT + "/")) return;
  if (url.hash && url.pathname === location.pathname && url.search === location.search) return;
  event.preventDefault();
  go(url.pathname.slice(ROOT.length) + url.search + url.hash);
});

export function useRoute() {
  const [route, set] = useState(() => parseRoute());
  useEffect(() => {
    const watcher = () => set(parseRoute());
    watchers.add(watcher);
    return () => void watchers.delete(watcher);
  }, []);
  return route;
}

/** The address of a view. @param {string} path below /console @param {Record<string, any>} [query] */
export const href = (path, query) => ROOT + path + queryString(query);
/** Changes parts of the query of this view. @param {Record<string, any>} changes @param {boolean} [replace] */
export function setQuery(changes, replace = false) {
  const { query } = parseRoute();
  go(location.pathname.slice(ROOT.length) + queryString({ ...query, ...changes }), { replace });
}
