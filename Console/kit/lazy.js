// What is loaded when it is first shown: the stylesheets of single pages, and components with their modules.

import { html, useEffect, useState } from "../preact-htm.js";

/** The address below which the files of this build lie. */
export const assets = document.documentElement.dataset.assets ?? "";

/** @type {Map<string, Promise<any>>} */
const loaded = new Map();
/** @param {string} name */
export function styles(name) {
  let one = loaded.get(name);
  if (!one) {
    one = new Promise((resolve) => {
      const element = document.createElement("link");
      element.rel = "stylesheet";
      element.href = `${assets}/${name}`;
      element.onload = element.onerror = resolve;
      document.head.append(element);
    });
    loaded.set(name, one);
  }
  return one;
}
/** A module, when its stylesheets are loaded too. @param {Promise<any>} module @param {string[]} sheets */
export const styled = async (module, ...sheets) => (await Promise.all([module, ...sheets.map(styles)]))[0];

/** @param {() => Promise<any>} load @param {string} name of the module's component */
export function lazy(load, name) {
  /** @type {any} */ let found = null;
  return function Lazy(props) {
    const [, ready] = useState(false);
    useEffect(() => {
      let gone = false;
      if (!found) load().then((module) => {
        found = module[name];
        if (!gone) ready(true);
      });
      return () => void (gone = true);
    }, []);
    return found && html`<${found} ...${props} />`;
  };
}
