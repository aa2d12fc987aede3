// The operators' API: one function for every request, with a deadline and errors of one shape.

const BASE = "/operators/v1";

/** Milliseconds until a request is given up. */
const DEADLINE = 10_000;

/** What went wrong, as the server said it, or as this page found it (`offline`, `timeout`). */
export class APIError extends Error {
  /** @param {{ code: string, message: string, hint?: string, field?: string, details?: any, requestId?: string, status?: number, retryAfter?: number }} fields */
  constructor(fields) {
    super(fields.message);
    this.name = "APIError";
    this.code = fields.code;
    this.hint = fields.hint;
    this.field = fields.field;
    this.details = fields.details ?? {};
    this.requestId = fields.requestId;
    this.status = fields.status ?? 0;
    this.retryAfter = fields.retryAfter;
  }
}

const MESSAGES = {
  offline: ["The server does not answer.", "Start it, or check the connection. The page tries again by itself."],
  timeout: ["The server did not answer within 10 seconds.", "Try again. Logs show what it is busy with."],
};

/** Whether the server has the live channel. */
let live = false;
/** The secret of the session that every request but GET carries. Kept in memory only. */
let csrf = "";
/** Uses the secret and the capabilities of a session. @param {{ csrf: string, capabilities: string[] } | null} session */
export function setSession(session) {
  csrf = session?.csrf ?? "";
  live = session?.capabilities.includes("live") ?? false;
}
export const currentCSRF = () => csrf;
export const hasLive = () => live;

/** Listeners for a session that ended and for an answer that arrived. */
const listeners = { signedOut: new Set(), reachable: new Set() };
/** @param {"signedOut" | "reachable"} event @param {(value?: any) => void} listener */
export function onAPI(event, listener) {
  listeners[event].add(listener);
  return () => listeners[event].delete(listener);
}
/** @param {"signedOut" | "reachable"} event @param {any} [value] */
function notify(event, value) {
  for (const listener of listeners[event]) listener(value);
}

/** @param {Record<string, any> | undefined} query */
export function queryString(query) {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query ?? {})) {
    if (value === undefined || value === null || value === "") continue;
    parameters.set(name, typeof value === "object" ? JSON.stringify(value) : String(value));
  }
  // A space is "%20" in a URL; "+" means one in forms only.
  const text = parameters.toString().replaceAll("+", "%20");
  return text ? `?${text}` : "";
}

/**
 * Sends a request and returns the response with its decoded body.
 * @param {string} method
 * @param {string} path below the API's base
 * @param {{ query?: Record<string, any>, body?: any, raw?: BodyInit, headers?: Record<string, string>, signal?: AbortSignal, deadline?: number, quiet?: boolean, again?: boolean }} [options]
 *   `raw`: a body that is not JSON; `quiet`: an ended session is an error like others, without the dialog; `again`: the second try
 */
export async function send(method, path, options = {}) {
  const abort = new AbortController();
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    abort.abort();
  }, options.deadline ?? DEADLINE);
  const cancel = () => abort.abort();
  options.signal?.addEventListener("abort", cancel);
  if (options.signal?.aborted) abort.abort();
  /** @type {Record<string, string>} */
  const headers = { Accept: "application/json", ...options.headers };
  if (method !== "GET") {
    headers["Content-Type"] ??= "application/json";
    if (csrf) headers["x-syncline-csrf"] = csrf;
  }
  try {
    const response = await fetch(BASE + path + queryString(options.query), {
      method, headers, signal: abort.signal, cache: "no-store", credentials: "same-origin",
      body: options.raw ?? (options.body === undefined ? undefined : JSON.stringify(options.body)),
    });
    const text = await response.text();
    notify("reachable", true);
    let value = null;
    const isJSON = /json/.test(response.headers.get("content-type") ?? "");
    if (isJSON && text) {
      try {
        value = JSON.parse(text);
      } catch {
        throw new APIError({ code: "internal", message: "The server's answer is not JSON.", status: response.status });
      }
    }
    if (!response.ok && !(value?.data !== undefined || value?.errors)) {
      if (response.status === 403 && method !== "GET" && !options.again && (await renewed())) return send(method, path, { ...options, again: true });
      throw failure(response, value, options.quiet ?? false);
    }
    return { status: response.status, headers: response.headers, value, text };
  } catch (error) {
    if (error instanceof APIError) throw error;
    if (options.signal?.aborted) throw new DOMException("cancelled", "AbortError");
    if (!late) notify("reachable", false);
    const code = late ? "timeout" : "offline";
    throw new APIError({ code, message: MESSAGES[code][0], hint: MESSAGES[code][1] });
  } finally {
    clearTimeout(timer);
    options.signal?.removeEventListener("abort", cancel);
  }
}

/** Whether the session has another secret than this page: somebody signed in again in another tab. */
async function renewed() {
  const before = csrf;
  const session = before ? await send("GET", "/session", { quiet: true }).catch(() => null) : null;
  if (session) setSession(session.value);
  return csrf !== before;
}

/** @param {Response} response @param {any} value @param {boolean} quiet */
function failure(response, value, quiet) {
  const fields = value?.error ?? { code: codeOf(response.status), message: `The server answered ${response.status}.` };
  const error = new APIError({ ...fields, status: response.status, retryAfter: Number(response.headers.get("retry-after")) || undefined });
  if (error.code === "signed_out" && !quiet) notify("signedOut");
  return error;
}

/** @param {number} status */
function codeOf(status) {
  return { 401: "signed_out", 403: "forbidden", 404: "not_found", 409: "conflict", 413: "too_large", 422: "invalid", 429: "limited", 503: "unavailable" }[status] ?? "internal";
}

/** @typedef {NonNullable<Parameters<typeof send>[2]>} Options */
export const get = async (/** @type {string} */ path, /** @type {Options} */ options = {}) => (await send("GET", path, options)).value;
export const post = async (/** @type {string} */ path, body, /** @type {Options} */ options = {}) => (await send("POST", path, { ...options, body: body ?? {} })).value;
export const patch = async (/** @type {string} */ path, body, /** @type {Options} */ options = {}) => (await send("PATCH", path, { ...options, body })).value;
export const remove = async (/** @type {string} */ path, /** @type {Options} */ options = {}) => (await send("DELETE", path, options)).value;

/** @param {{ link: string } | { name: string, password: string }} credentials */
export const signIn = (credentials) => post("/session", credentials, { quiet: true });

/** @type {Promise<string> | null} */ let asked = null;
/** The address of the GraphQL API: not this page's origin where the console has an address of its own. */
export const endpoint = () => (asked ??= get("/connect", { query: { client: "curl" }, quiet: true }).then((answer) => answer.endpoint, () => {
  asked = null;
  return `${location.origin}/graphql`;
}));

/** The address of one of the API's WebSockets. @param {string} path below the API's base */
export function socketURL(path) {
  const url = new URL(BASE + path, location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  return url;
}

/** The path of an item: key parts are percent-encoded and joined by a comma. @param {string} model @param {string[]} key */
export const itemPath = (model, key) => `/data/${encodeURIComponent(model)}/items/${keyText(key)}`;
/** @param {any[]} key */
export const keyText = (key) => key.map((part) => encodeURIComponent(String(part))).join(",");
