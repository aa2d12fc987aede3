// What the command palette offers: pages, models, fields and commands.

import { html, useMemo } from "../preact-htm.js";
import { get } from "../api.js";
import { THEMES, itemsOf, lacks } from "../console.js";
import { copy } from "../kit/command.js";
import { Palette } from "../kit/palette.js";
import { useResource } from "../kit/resource.js";
import { chooseTheme } from "../kit/storage.js";
import { toast, toastError } from "../kit/toast.js";

async function copyPull() {
  try {
    const connect = await get("/connect", { query: { client: "swift" } });
    toast((await copy(connect.pull)) ? `Copied: ${connect.pull}` : connect.pull);
  } catch (error) {
    toastError(error);
  }
}

/** @param {{ pages: any[], session: any, onKeys: () => void, onSignOut: () => void, onClose: () => void }} props */
export function Commands({ pages, session, onKeys, onSignOut, onClose }) {
  const has = (/** @type {string} */ name) => session.capabilities.includes(name);
  const sources = useResource(has("data") ? ["palette"] : null, (signal) => get("/data", { signal }));
  const entries = useMemo(() => {
    const models = itemsOf(sources.data);
    const at = (/** @type {any} */ model, rest = "") => `/data/${encodeURIComponent(model.name)}${rest}`;
    return [
      ...pages.map((one) => ({ text: one.name, detail: "Page", icon: one.icon, path: one.path })),
      ...models.map((model) => ({ text: model.name, detail: "Data", icon: "data", path: at(model) })),
      ...(lacks("editor") ? [] : models.map((model) => ({ text: `New ${model.name}`, detail: "Item", icon: "plus", path: at(model, "/+new") }))),
      ...models.flatMap((model) => model.fields.map((field) => ({ text: `${model.name}.${field.name}`, detail: field.target ?? field.type, icon: "list", path: at(model) }))),
      has("schema") && { text: "Deploy", detail: "Schema", icon: "schema", path: "/schema?deploy=1" },
      has("schema") && { text: "New model", detail: "Schema", icon: "plus", path: "/schema?add=model" },
      { text: "Copy pull command", detail: "Connect", icon: "copy", run: copyPull },
      ...THEMES.map(([value, name]) => ({ text: `${name} theme`, detail: "Appearance", icon: value === "dark" ? "moon" : "sun", run: () => chooseTheme(/** @type {any} */ (value)) })),
      { text: "Keys", detail: "Help", icon: "list", run: onKeys },
      { text: "Sign out", detail: session.operator, icon: "user", run: onSignOut },
    ].filter(Boolean);
  }, [sources.data]);
  return html`<${Palette} entries=${entries} loading=${has("data") && !sources.data && !sources.error} onClose=${onClose} />`;
}
