// The shell: session, rail, pages, palette, keys. A page is a module that is loaded when it is first shown.

import { html, render, useEffect, useErrorBoundary, useState } from "./preact-htm.js";
import { APIError, get, hasLive, onAPI, remove, setSession, signIn } from "./api.js";
import { follow, liveState, resumeLive, watchLive } from "./live.js";
import { Failure, Skeleton, useResource } from "./kit/resource.js";
import { Icon, Mark, Sprite } from "./kit/icons.js";
import { command, useKeys } from "./kit/keys.js";
import { Menu } from "./kit/menu.js";
import { lazy, styled, styles } from "./kit/lazy.js";
import { Toasts, toast } from "./kit/toast.js";
import { chooseTheme, chosenTheme, setServer } from "./kit/storage.js";
import { clock } from "./kit/format.js";
import { go, href, useRoute } from "./kit/router.js";

/**
 * @typedef {{ operator: string, role: "viewer" | "editor" | "owner", csrf: string, environment: string, mode: "dev" | "serve", version: string, serverId: string, project?: string, expiresAt?: string, hosts?: string[], capabilities: string[] }} Session
 * @typedef {{ name: string, path: string, icon: string, key: string, capability: string | null, load: () => Promise<any>, group: number, phone?: boolean }} Page
 */

const page = (/** @type {string} */ name, /** @type {string[]} */ ...sheets) => styled(import(`./pages/${name}`), ...sheets);

/** Every page that is built. Those whose capability the server lacks are absent. @type {Page[]} */
const PAGES = [
  { name: "Home", path: "/", icon: "home", key: "h", capability: null, group: 0, load: () => page("home.js", "home.css") },
  { name: "Data", path: "/data", icon: "data", key: "d", capability: "data", group: 1, load: () => page("data.js") },
  { name: "Schema", path: "/schema", icon: "schema", key: "s", capability: "schema", group: 1, load: () => page("schema.js", "schema.css") },
  { name: "Query", path: "/query", icon: "query", key: "q", capability: null, group: 1, load: () => page("query.js", "logs.css") },
  { name: "Logs", path: "/logs", icon: "logs", key: "l", capability: "logs", group: 2, load: () => page("logs.js", "logs.css") },
];
const offered = (/** @type {Session} */ session) => PAGES.filter((page) => !page.capability || session.capabilities.includes(page.capability));
/** Whether a path leads to a page that this server has. @param {string} path */
export const hasPage = (path) => offered(theSession()).some((page) => page.path === "/" + path.split(/[/?#]/)[1]);
/** Milliseconds before the end of the session at which it is announced. */
const EXPIRY = 600_000;
/** Milliseconds between two questions whether the server is there, where it has no live channel. */
const ASK = 3_000;
/** Tabs of a phone's bar before "More". */
const BAR = 4;

const Commands = lazy(() => styled(import("./pages/commands.js"), "palette.css"), "Commands");
const KeysDialog = lazy(() => styled(import("./kit/keys-dialog.js"), "palette.css"), "KeysDialog");
const SignIn = lazy(() => import("./pages/signin.js"), "SignIn");
const SignInAgain = lazy(() => import("./pages/signin-again.js"), "SignInAgain");

/** @type {Session | null} */ let current = null;
/** @param {"viewer" | "editor" | "owner"} role @returns {string | false} the reason why not, or false */
export function lacks(role) {
  const ranks = ["viewer", "editor", "owner"];
  return ranks.indexOf(current?.role ?? "viewer") >= ranks.indexOf(role) ? false : `Needs the ${role} role`;
}
export const theSession = () => /** @type {Session} */ (current);

/** A button that is disabled with the reason where the role does not suffice.
 * @param {{ role: "editor" | "owner", class?: string, onClick: () => void, children?: any, label?: string }} props */
export function RoleButton({ role, class: more = "btn", onClick, children, label }) {
  const reason = lacks(role);
  return html`<button type="button" class=${more} aria-label=${label} aria-disabled=${reason ? "true" : undefined} title=${reason || undefined}
    onClick=${() => (reason ? toast(`${reason}.`) : onClick())}>${children}${reason && html`<span class="vh">. ${reason}</span>`}</button>`;
}

/** The bar above a page. @param {{ title: any, lead?: any, more?: any, children?: any, plain?: boolean }} props `more`: beside the title */
export function Head({ title, lead, more, children, plain = false }) {
  return html`<header class="head">${lead}<h1 class="cut">${title}</h1>${more}<span class="grow"></span>
    ${!plain && html`<button class="btn plain no-phone" aria-label="Search or run a command" onClick=${() => openPalette()}><${Icon} name="search" small />Search<span class="kbd">${command("K")}</span></button>`}
    ${children}</header>`;
}

let openPalette = () => {};
let openKeys = () => {};
export const showKeys = () => openKeys();

export const THEMES = [["", "System"], ["light", "Light"], ["dark", "Dark"]];

function Shell({ session, onSignOut }) {
  const route = useRoute();
  const [palette, setPalette] = useState(false);
  const [keys, setKeys] = useState(false);
  const [live, setLive] = useState(liveState());
  const [reachable, setReachable] = useState(true);
  const [signedOut, setSignedOut] = useState(false);
  const [ending, setEnding] = useState("");
  openPalette = () => setPalette(true);
  openKeys = () => setKeys(true);
  const [wasLive, setWasLive] = useState(false);
  useEffect(() => watchLive((/** @type {any} */ now) => { setLive(now); if (now === "connected") setWasLive(true); }), []);
  useEffect(() => onAPI("reachable", setReachable), []);
  useEffect(() => onAPI("signedOut", () => setSignedOut(true)), []);
  // The channel stays open on every page, and closes with the server. Without it the server is asked.
  useEffect(() => {
    if (hasLive()) return follow("schema", () => {});
    const timer = setInterval(() => document.visibilityState === "visible" && get("/session", { deadline: ASK }).catch(() => {}), ASK);
    return () => clearInterval(timer);
  }, []);
  // While the server is away it is asked every two seconds.
  useEffect(() => {
    if (reachable && (live !== "reconnecting" || !wasLive)) return;
    const timer = setInterval(() => get("/session", { deadline: 3000 }).catch(() => {}), 2000);
    return () => clearInterval(timer);
  }, [reachable, live, wasLive]);

  // The end of the session is announced, and one click extends the session.
  useEffect(() => {
    const look = () => setEnding(theSession().expiresAt && new Date(theSession().expiresAt ?? "").getTime() - Date.now() < EXPIRY ? clock(theSession().expiresAt) : "");
    look();
    const timer = setInterval(look, 30_000);
    return () => clearInterval(timer);
  }, [signedOut]);
  const stay = async () => {
    await loadSession().catch(() => null);
    setEnding("");
  };

  const pages = offered(session);
  const page = pages.find((one) => one.path.slice(1) === (route.parts[0] ?? ""));
  useKeys([
    { keys: "mod+k", what: "Search or run a command", run: () => setPalette(true) },
    { keys: "?", what: "All keys", run: () => setKeys(true) },
    ...pages.map((one) => ({ keys: `g ${one.key}`, what: `Go to ${one.name}`, run: () => go(one.path) })),
  ]);
  const production = session.mode === "serve";
  const lost = !reachable || (wasLive && live === "reconnecting");
  const bar = pages.slice(0, BAR);
  const current = (/** @type {Page} */ one) => (one === page ? "page" : undefined);
  return html`
    <${Sprite} />
    <a class="skip" href="#main" onClick=${(/** @type {Event} */ event) => { event.preventDefault(); document.querySelector("main")?.focus(); }}>Skip to content</a>
    ${production && html`<div class="line-prod"></div>`}
    <div class="shell">
      <nav class="rail" aria-label="Console">
        <a class="mark" href=${href("/")} aria-label="Syncline, home"><${Mark} /></a>
        ${pages.map((one, n) => html`${n > 0 && one.group !== pages[n - 1].group && html`<span class="gap"></span>`}
          <a key=${one.name} class="go" href=${href(one.path)} aria-current=${current(one)}><${Icon} name=${one.icon} />${one.name}</a>`)}
      </nav>
      <main class="page" id="main" tabindex="-1">
        ${lost && html`<div class="banner ochre" role="status"><${Icon} name="sync" small /><span class="grow">${reachable ? "Reconnecting. Live changes are not shown until then." : "The server does not answer. This page keeps its content and goes on when it does."}</span></div>`}
        ${ending && !signedOut && html`<div class="banner accent" role="status"><span class="grow">The session ends at ${ending}. What you type is kept.</span><button class="btn" onClick=${stay}>Stay signed in</button></div>`}
        <${Part} key=${page?.name ?? "none"} page=${page} route=${route} session=${session} />
      </main>
      <nav class="tabbar" aria-label="Console, short">
        ${bar.map((one) => html`<a key=${one.name} href=${href(one.path)} aria-current=${current(one)}><${Icon} name=${one.icon} />${one.name}</a>`)}
        <${Menu} class="more" button=${html`<${Icon} name="list" />More`} entries=${() => [
          ...pages.slice(BAR).map((one) => ({ text: one.name, icon: one.icon, href: href(one.path) })),
          { text: "Search", icon: "search", run: () => setPalette(true) },
          { line: true },
          { heading: "Theme" },
          ...THEMES.map(([value, name]) => ({ text: name, checked: chosenTheme() === value, run: () => chooseTheme(/** @type {any} */ (value)) })),
          { line: true },
          { text: "Sign out", icon: "user", run: onSignOut },
        ]} />
      </nav>
    </div>
    ${palette && html`<${Commands} pages=${pages} session=${session} onKeys=${() => setKeys(true)} onSignOut=${onSignOut} onClose=${() => setPalette(false)} />`}
    ${keys && html`<${KeysDialog} onClose=${() => setKeys(false)} />`}
    ${signedOut && html`<${SignInAgain} onDone=${async () => {
      if (!(await loadSession())) return;
      setSignedOut(false);
      toast("Signed in again.");
    }} />`}
    <${Toasts} />`;
}

/** The entries of a list, or of a bare array. @param {any} answer @returns {any[]} */
export const itemsOf = (answer) => (Array.isArray(answer) ? answer : answer?.items ?? answer?.sources ?? []);

/** A page: its module is loaded and shown, or the reason why that failed. */
function Part({ page, route, session }) {
  const module = useResource(page ? [page.name] : null, () => page.load());
  const [error, reset] = useErrorBoundary((reason) => console.error(reason));
  useEffect(() => {
    const project = session.project ?? "Syncline";
    document.title = [route.parts[0] === "data" && route.parts[1], page?.name ?? "Not found", project === "Syncline" ? null : project, "Syncline"].filter(Boolean).join(" · ");
  }, [page, route.parts[1]]);
  if (!page) {
    return html`<${Head} title="Not found" /><div class="empty"><p>Nothing is at <code class="mono">${location.pathname}</code> on this server.</p>
      <div class="row"><button class="btn" onClick=${() => openPalette()}><${Icon} name="search" small />Search</button><a class="btn" href=${href("/")}>Home</a></div></div>`;
  }
  if (error) {
    return html`<${Head} title=${page.name} /><${Failure} what="This page has an error of its own." error=${{ code: "internal", message: String(error.message ?? error), hint: "Try again, or reload the page." }} retry=${reset} />`;
  }
  if (module.data) return html`<${module.data.default} route=${route} session=${session} />`;
  return html`<${Head} title=${page.name} />${module.error ? html`<${Failure} what="This page could not be loaded." error=${{ code: "offline", message: "A file of the console is missing.", hint: "Reload after the server is back." }} retry=${module.retry} />` : html`<${Skeleton} phase=${module.phase} />`}`;
}

/** @returns {Promise<Session | null>} */
async function loadSession() {
  try {
    const session = await get("/session", { quiet: true });
    current = session;
    setSession(session);
    if (liveState() === "signedOut") resumeLive();
    setServer(session.serverId ?? location.host);
    return session;
  } catch (error) {
    if (error instanceof APIError && error.code === "signed_out") return null;
    throw error;
  }
}

function App() {
  const [state, setState] = useState(/** @type {{ phase: string, session?: any, error?: any }} */ ({ phase: "start" }));
  const start = async () => {
    try {
      const link = new URLSearchParams(location.hash.slice(1)).get("link");
      let failed = null;
      if (link) {
        // Removed from the address first: it works once, and must not stay in the history.
        history.replaceState(null, "", location.pathname + location.search);
        failed = await signIn({ link }).then(() => null, (error) => error);
      }
      const session = await loadSession();
      if (!session) await styles("signin.css");
      setState(session ? { phase: "in", session } : { phase: "out", error: failed });
    } catch (error) {
      await styles("signin.css");
      setState({ phase: "failed", error });
    }
  };
  useEffect(() => void start(), []);
  useEffect(() => {
    if (state.phase !== "failed") return;
    const timer = setTimeout(start, 2000);
    return () => clearTimeout(timer);
  }, [state]);
  if (state.phase === "start") return null;
  if (state.phase === "failed") return html`<${Sprite} /><div class="door"><main><${Mark} size=${36} /><h1>Syncline</h1><${Failure} error=${state.error} retry=${start} /></main></div>`;
  if (state.phase === "out") return html`<${Sprite} /><div class="door"><main><${Mark} size=${36} /><h1>Sign in to the console</h1><${SignIn} error=${state.error} onDone=${start} /></main></div>`;
  return html`<${Shell} session=${state.session} onSignOut=${async () => {
    try {
      await remove("/session");
    } finally {
      setSession(null);
      await styles("signin.css");
      setState({ phase: "out" });
    }
  }} />`;
}

render(html`<${App} />`, /** @type {any} */ (document.getElementById("root")));
