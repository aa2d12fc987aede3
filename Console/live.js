// The live channel: one WebSocket, opened when the first topic is followed, and opened again when it closes.

import { currentCSRF, hasLive } from "./api.js";

const FIRST_PAUSE = 500;
const LAST_PAUSE = 15_000;
/** Milliseconds without a connection after which the page says so. */
const PATIENCE = 3_000;

/** @type {Map<string, Set<(message: any) => void>>} */
const topics = new Map();
const watchers = new Set();
/** @type {WebSocket | null} */
let socket = null;
let ready = false;
let last = 0;
let pause = FIRST_PAUSE;
/** @type {any} */ let retry = null;
/** @type {any} */ let patience = null;
/** @type {"off" | "connecting" | "connected" | "reconnecting" | "signedOut"} */
let state = "off";

/** @param {"off" | "connecting" | "connected" | "reconnecting" | "signedOut"} next */
function become(next) {
  if (next === state) return;
  state = next;
  for (const watcher of watchers) watcher(state);
}
export const liveState = () => state;
/** @param {(state: string) => void} watcher */
export function watchLive(watcher) {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

/** Follows a topic until the returned function is called. `listener` gets `{topic, n, data}` or `{topic, gap}`.
 * @param {string} topic @param {(message: any) => void} listener */
export function follow(topic, listener) {
  let set = topics.get(topic);
  if (!set) topics.set(topic, (set = new Set()));
  set.add(listener);
  if (set.size === 1) announce();
  open();
  return () => {
    set?.delete(listener);
    if (set?.size === 0) {
      topics.delete(topic);
      announce();
      if (topics.size === 0) setTimeout(() => topics.size === 0 && close(), 1000);
    }
  };
}

let announcing = false;
function announce() {
  if (announcing) return;
  announcing = true;
  queueMicrotask(() => {
    announcing = false;
    if (ready && socket && topics.size) socket.send(JSON.stringify({ follow: [...topics.keys()], since: last || undefined }));
  });
}

function open() {
  if (socket || retry || !hasLive() || !currentCSRF() || topics.size === 0) return;
  if (state !== "reconnecting") become("connecting");
  const url = new URL("/operators/v1/live", location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  const opened = new WebSocket(url, "syncline.live.v1");
  socket = opened;
  patience ??= setTimeout(() => become("reconnecting"), PATIENCE);
  opened.onopen = () => {
    opened.send(JSON.stringify({ csrf: currentCSRF() }));
    ready = true;
    announce();
    pause = FIRST_PAUSE;
    clearTimeout(patience);
    patience = null;
    become("connected");
  };
  opened.onmessage = (event) => {
    let message;
    try {
      message = JSON.parse(event.data);
    } catch {
      return;
    }
    if (typeof message.n === "number") last = message.n;
    for (const listener of topics.get(message.topic) ?? []) listener(message);
  };
  opened.onclose = (event) => {
    if (socket !== opened) return;
    socket = null;
    ready = false;
    if (event.code === 4401) {
      become("signedOut");
      return;
    }
    if (topics.size === 0) return become("off");
    patience ??= setTimeout(() => become("reconnecting"), PATIENCE);
    const wait = pause * (0.75 + Math.random() / 2);
    pause = Math.min(pause * 2, LAST_PAUSE);
    retry = setTimeout(() => {
      retry = null;
      open();
    }, wait);
  };
}

function close() {
  clearTimeout(retry);
  clearTimeout(patience);
  retry = patience = null;
  const closing = socket;
  socket = null;
  ready = false;
  closing?.close();
  become("off");
}

/** After a sign-in: opens again with the new session's secret. */
export function resumeLive() {
  close();
  open();
}
