// A component whose module is loaded when it is first shown.

import { html, useEffect, useState } from "../preact-htm.js";

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
