// A subscription of Query: an async iterable over the operators' WebSocket (graphql-transport-ws).

import { currentCSRF, get, socketURL } from "../api.js";

/** Events that are kept. */
const EVENTS_MAX = 100;
/** Milliseconds in which events are gathered before they are shown. */
const GATHER = 50;

/** @param {any} event a close event @param {boolean} accepted whether the server took the connection */
function reasonOf(event, accepted) {
  if (event.reason) return `The subscription was refused: ${event.reason}`;
  if (event.code === 4401) return "The session ended. Sign in, and run the subscription again.";
  if (event.code === 4403) return "The server refused this identity.";
  return accepted ? `The subscription ended: the connection closed with ${event.code}.` : "The server did not accept the connection. It may have no subscriptions for the console.";
}

/**
 * @typedef {{ running: boolean, number: number, paused: boolean, pause: (paused: boolean) => void, clear: () => void }} Subscription
 * @param {any} params the request @param {string} as the identity, as in `x-syncline-as`
 * @param {(state: Subscription) => void} onState
 */
export function subscribe(params, as, onState) {
  /** @type {any[]} */ let events = [];
  let number = 0;
  let paused = false;
  let accepted = false;
  let dirty = false;
  let ended = false;
  /** @type {any} */ let failure = null;
  /** @type {null | ((value: any) => void)} */ let wake = null;
  /** @type {any} */ let timer = null;
  const state = () => onState({ running: !ended, number, paused, pause, clear });
  const show = () => {
    dirty = true;
    wake?.(null);
    state();
  };
  const pause = (/** @type {boolean} */ next) => {
    paused = next;
    if (paused) state();
    else show();
  };
  const clear = () => {
    events = [];
    number = 0;
    show();
  };
  const end = () => {
    ended = true;
    show();
  };
  const socket = new WebSocket(socketURL("/graphql"), "graphql-transport-ws");
  socket.onopen = () => socket.send(JSON.stringify({ type: "connection_init", payload: { csrf: currentCSRF(), "x-syncline-as": as } }));
  socket.onmessage = (event) => {
    const message = JSON.parse(event.data);
    if (message.type === "connection_ack") {
      accepted = true;
      socket.send(JSON.stringify({ id: "1", type: "subscribe", payload: params }));
      show();
    } else if (message.type === "ping") socket.send(JSON.stringify({ type: "pong" }));
    else if (message.type === "next") {
      number += 1;
      events = [{ n: number, at: new Date().toISOString(), ...message.payload }, ...events].slice(0, EVENTS_MAX);
      timer ??= setTimeout(() => {
        timer = null;
        if (paused) state();
        else show();
      }, GATHER);
    } else if (message.type === "error") {
      failure = { errors: message.payload };
      end();
      socket.close(1000);
    } else if (message.type === "complete") end();
  };
  socket.onclose = (event) => {
    if (ended) return;
    failure = { errors: [{ message: reasonOf(event, accepted) }] };
    // An ended session opens the dialog.
    if (!accepted || event.code === 4401) get("/session").catch(() => {});
    end();
  };
  state();
  const value = () => failure ?? { status: number === 0 ? "Listening for events" : `${number} ${number === 1 ? "event" : "events"}`, events };
  return {
    [Symbol.asyncIterator]() {
      return this;
    },
    async next() {
      while (!dirty && !ended) await new Promise((resolve) => (wake = resolve));
      if (dirty) {
        dirty = false;
        return { done: false, value: value() };
      }
      return { done: true, value: undefined };
    },
    async return() {
      if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ id: "1", type: "complete" }));
      socket.onclose = null;
      socket.close(1000);
      clearTimeout(timer);
      ended = true;
      wake?.(null);
      state();
      return { done: true, value: undefined };
    },
  };
}
