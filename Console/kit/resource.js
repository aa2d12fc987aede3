// Data from the server with the states of every page: loading, slow, failed, stale. The last good data stays.

import { html, useCallback, useEffect, useRef, useState } from "../preact-htm.js";
import { onAPI } from "../api.js";
import { clock } from "./format.js";
import { Icon } from "./icons.js";
import { CopyButton } from "./command.js";

/** Milliseconds of loading before skeleton lines are shown, and before "Still loading". */
export const QUIET = 150;
export const SLOW = 3_000;
/** Milliseconds until a page that lost the server asks again. */
export const AGAIN = 2_000;

/**
 * Loads when `key` changes.
 * @template T
 * @param {any} key null: nothing is loaded
 * @param {(signal: AbortSignal) => Promise<T>} load
 * @returns {{ data: T | undefined, error: any, phase: "idle" | "quiet" | "loading" | "slow" | "done" | "failed", at: number, retry: () => void, cancel: () => void, set: (data: T) => void }}
 */
export function useResource(key, load) {
  const id = key === null ? null : JSON.stringify(key);
  const [state, setState] = useState(/** @type {any} */ ({ id: null, data: undefined, error: null, phase: "idle", at: 0 }));
  const [turn, setTurn] = useState(0);
  const abort = useRef(/** @type {AbortController | null} */ (null));
  const loader = useRef(load);
  loader.current = load;

  useEffect(() => {
    if (id === null) return;
    const controller = new AbortController();
    abort.current = controller;
    setState((old) => ({ ...old, data: old.id === id ? old.data : undefined, id, error: null, phase: "quiet" }));
    const phase = (/** @type {string} */ name) => setState((old) => (controller.signal.aborted || old.phase === "done" || old.phase === "failed" ? old : { ...old, phase: name }));
    const timers = [setTimeout(() => phase("loading"), QUIET), setTimeout(() => phase("slow"), SLOW)];
    loader.current(controller.signal).then(
      (data) => {
        if (!controller.signal.aborted) setState({ id, data, error: null, phase: "done", at: Date.now() });
      },
      (error) => {
        if (error?.name === "AbortError") {
          setState((old) => (old.id === id && controller.signal.aborted && abort.current === controller ? { ...old, phase: "failed", error: { code: "cancelled", message: "Loading was cancelled." } } : old));
        } else if (!controller.signal.aborted) setState((old) => ({ ...old, error, phase: "failed" }));
      },
    ).finally(() => timers.forEach(clearTimeout));
    return () => {
      timers.forEach(clearTimeout);
      abort.current = null;
      controller.abort();
    };
  }, [id, turn]);

  const retry = useCallback(() => setTurn((n) => n + 1), []);
  const cancel = useCallback(() => abort.current?.abort(), []);
  // What failed because the server was away is loaded again when it is back.
  useEffect(() => {
    if (state.error?.code !== "offline" && state.error?.code !== "timeout" && state.error?.code !== "unavailable") return;
    const timer = setTimeout(retry, AGAIN);
    const stop = onAPI("reachable", (yes) => yes && setTimeout(retry, 50));
    return () => {
      clearTimeout(timer);
      stop();
    };
  }, [state.error]);
  const matches = state.id === id;
  return {
    data: matches ? state.data : undefined, error: matches ? state.error : null, phase: matches ? state.phase : "quiet", at: state.at,
    retry, cancel, set: (data) => setState((old) => ({ ...old, data, phase: "done", error: null })),
  };
}

/** Lines in place of content that loads. @param {{ lines?: number, phase?: string, cancel?: () => void }} props */
export function Skeleton({ lines = 4, phase = "loading", cancel }) {
  if (phase === "quiet" || phase === "idle") return html`<div class="skeleton" aria-hidden="true"></div>`;
  return html`<div class="skeleton" role="status">
    <span class="vh">Loading</span>
    ${Array.from({ length: lines }, (_, n) => html`<i key=${n} class=${`w${(n * 7) % 4}`}></i>`)}
    ${phase === "slow" && html`<p class="row small quiet">Still loading ${cancel && html`<button class="btn plain" onClick=${cancel}>Cancel</button>`}</p>`}
  </div>`;
}

/** What failed, why, what to do. @param {{ error: any, retry?: () => void, what?: string, compact?: boolean }} props */
export function Failure({ error, retry, what, compact = false }) {
  const cancelled = error.code === "cancelled";
  return html`<div class=${`failure${compact ? " compact" : ""}`} role=${cancelled ? "status" : "alert"}>
    <${Icon} name=${error.code === "forbidden" ? "lock" : "warn"} />
    <div class="grow">
      ${what && html`<b>${what}</b>`}
      <p>${error.message}${error.hint && html` <span class="quiet">${error.hint}</span>`}</p>
      ${error.requestId && html`<p class="small faint row">Request <code>${error.requestId}</code><${CopyButton} text=${error.requestId} label="Copy request id" /></p>`}
    </div>
    ${retry && error.code !== "forbidden" && html`<button class="btn" onClick=${retry}>Retry</button>`}
  </div>`;
}

/** Says that shown data is old. @param {{ at: number, error: any, retry: () => void }} props */
export function Stale({ at, error, retry }) {
  return html`<div class="banner ochre" role="status">
    <${Icon} name="warn" small />
    <span class="grow">Showing data from ${clock(at)}. ${error.message}</span>
    <button class="btn" onClick=${retry}>Retry</button>
  </div>`;
}

/** One sentence and the action that ends the emptiness. @param {{ text: any, children?: any }} props */
export function Empty({ text, children }) {
  return html`<div class="empty"><p>${text}</p>${children && html`<div class="row">${children}</div>`}</div>`;
}

/** A resource's content in each of its states.
 * @param {{ of: ReturnType<typeof useResource>, what: string, lines?: number, children: (data: any) => any }} props */
export function Loaded({ of, what, lines, children }) {
  const body = /** @type {any} */ (Array.isArray(children) ? children[0] : children);
  if (of.data !== undefined) return html`${of.error && html`<${Stale} at=${of.at} error=${of.error} retry=${of.retry} />`}${body(of.data)}`;
  if (of.error) return html`<${Failure} error=${of.error} retry=${of.retry} what=${what} />`;
  return html`<${Skeleton} lines=${lines} phase=${of.phase} cancel=${of.cancel} />`;
}
