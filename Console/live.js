// The live channel: one WebSocket, opened when the first topic is followed, and opened again when it closes.

import { useEffect, useState } from "./preact-htm.js";
import { currentCSRF, get, hasLive, setSession, socketURL } from "./api.js";

const FIRST_PAUSE = 500;
const LAST_PAUSE = 15_000;
/** Milliseconds without a connection after which the page says so. */
const TIMEOUT = 3_000;
/** How a socket closes when its session ended, and when its secret is not that of the session. */
const ENDED = 4401;
const WRONG_SECRET = 4403;

/** @type {Map<string, Set<(message: any) => void>>} */
const topics = new Map();
const watchers = new Set();
/** @type {WebSocket | null} */
let socket = null;
let ready = false;
/** The newest message's number, and whether the next list of topics asks for what was missed since. */
let last = 0;
let resuming = false;
/** Whether the server has stopped to follow one of the topics. */
let ended = false;
let pause = FIRST_PAUSE;
/** @type {any} */ let retry = null;
/** @type {any} */ let timeout = null;
/** @typedef {"off" | "connecting" | "connected" | "reconnecting" | "signedOut"} State */
/** @type {State} */
let state = "off";

/** @param {State} next */
function become(next) {
  if (next === state) return;
  state = next;
  for (const watcher of watchers) watcher(state);
}
export const liveState = () => state;
/** @param {(state: State) => void} watcher */
export function watchLive(watcher) {
  watchers.add(watcher);
  return () => watchers.delete(watcher);
}

/** The state, for a component that shows it. */
export function useLive() {
  const [live, setLive] = useState(state);
  useEffect(() => watchLive(setLive), []);
  return live;
}

/** Follows a topic until the returned function is called. `listener` gets `{topic, n, data}`, `{topic, n, gap}`,
 * or `{topic, error}` where the server has stopped to follow the topic: as after a gap, what is shown is read again.
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
    if (!ready || !socket || topics.size === 0) return;
    // Of a topic that is new, everything before now is read from the server.
    socket.send(JSON.stringify({ follow: [...topics.keys()], since: (resuming && last) || undefined }));
    resuming = false;
  });
}

function open() {
  if (socket || retry || state === "signedOut" || !hasLive() || !currentCSRF() || topics.size === 0) return;
  if (state !== "reconnecting") become("connecting");
  const opened = new WebSocket(socketURL("/live"), "syncline.live.v1");
  socket = opened;
  timeout ??= setTimeout(() => become("reconnecting"), TIMEOUT);
  opened.onopen = () => {
    opened.send(JSON.stringify({ csrf: currentCSRF() }));
    ready = true;
    resuming = true;
    announce();
    clearTimeout(timeout);
    timeout = null;
    become("connected");
  };
  opened.onmessage = (event) => {
    let message;
    try {
      message = JSON.parse(event.data);
    } catch {
      return;
    }
    pause = FIRST_PAUSE;
    if (typeof message.n === "number") last = Math.max(last, message.n);
    if (message.error) ended = true;
    else if (ended && message.topic === "schema") {
      // The API may have the model again.
      ended = false;
      announce();
    }
    for (const listener of topics.get(message.topic) ?? []) listener(message);
  };
  opened.onclose = (event) => {
    if (socket !== opened) return;
    const wasOpen = ready;
    socket = null;
    ready = false;
    if (topics.size === 0) return become("off");
    timeout ??= setTimeout(() => state !== "signedOut" && become("reconnecting"), TIMEOUT);
    // A server refuses an upgrade without saying why, and closes with a code what it accepted: the session tells.
    if (!wasOpen || event.code === ENDED || event.code === WRONG_SECRET) renew();
    const wait = pause * (0.75 + Math.random() / 2);
    pause = Math.min(pause * 2, LAST_PAUSE);
    retry = setTimeout(() => {
      retry = null;
      open();
    }, wait);
  };
}

/** Asks for the session. If it ended, nothing is opened until `resumeLive`; its secret may be a new one, of a sign-in in another tab. */
async function renew() {
  try {
    setSession(await get("/session"));
  } catch (error) {
    if (/** @type {any} */ (error).code !== "signed_out" || socket) return;
    clearTimeout(retry);
    clearTimeout(timeout);
    retry = timeout = null;
    become("signedOut");
  }
}

function close() {
  clearTimeout(retry);
  clearTimeout(timeout);
  retry = timeout = null;
  const closing = socket;
  socket = null;
  ready = false;
  closing?.close();
  become("off");
}

/** After a sign-in: opens again with the new session's secret. What was missed meanwhile comes by its number. */
export function resumeLive() {
  close();
  pause = FIRST_PAUSE;
  open();
}
