// Home: connect an app, the last minutes, the models, and what is worth a look.

import { html, useEffect, useState } from "../preact-htm.js";
import { endpoint, get } from "../api.js";
import { follow, useLive } from "../live.js";
import { Head, THEMES, hasPage, itemsOf } from "../console.js";
import { Code, withCommands } from "../kit/code.js";
import { Command } from "../kit/command.js";
import { Icon, Mark } from "../kit/icons.js";
import { Loaded, useResource } from "../kit/resource.js";
import { Menu } from "../kit/menu.js";
import { Strata } from "../kit/chart.js";
import { TabPanel, Tabs } from "../kit/tabs.js";
import { ago, clock, count, countText, milliseconds, plural } from "../kit/format.js";
import { chooseTheme, chosenTheme, recall, remember } from "../kit/storage.js";
import { href } from "../kit/router.js";
import { isLink } from "../kit/values.js";

const CLIENTS = [
  { value: "swift", text: "Swift", folder: "Run this in your Xcode project’s folder.", configure: "Configure Amplify when the app starts", why: "The same lines as with AWS." },
  { value: "kotlin", text: "Kotlin", folder: "Run this in your app module’s folder.", configure: "Configure Amplify when the app starts", why: "The same lines as with AWS." },
  { value: "javascript", text: "JavaScript", folder: "Run this in your project’s folder.", configure: "Configure Amplify when the app starts", why: "The same lines as with AWS." },
  { value: "flutter", text: "Flutter", folder: "Run this in your project’s folder.", configure: "Configure Amplify when the app starts", why: "The same lines as with AWS." },
  { value: "curl", text: "curl", folder: "Nothing to install: the endpoint speaks GraphQL over HTTP.", configure: "Send a request", why: "With the key of the configuration." },
];
const REFRESH = 15_000;

export default function Home({ session }) {
  const status = useResource(["status"], (signal) => get("/status", { signal }));
  const api = useResource(["endpoint"], endpoint);
  const sources = useResource(session.capabilities.includes("data") ? ["data"] : null, (signal) => get("/data", { signal }));
  const models = itemsOf(sources.data).filter((one) => one.kind !== "join");
  const first = sources.data !== undefined && models.length === 0;
  const project = session.project ?? status.data?.project ?? "Syncline";
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === "visible" && status.retry(), REFRESH);
    const stop = follow("schema", () => {
      sources.retry();
      status.retry();
    });
    return () => {
      clearInterval(timer);
      stop();
    };
  }, []);
  return html`
    <${Head} title=${project} lead=${html`<span class="only-phone mark-phone"><${Mark} size=${26} /></span>`} more=${html`<span class=${`chip ${session.mode === "serve" ? "brick" : "ochre"} no-phone`}>${session.environment}</span>`}>
      <${Menu} class="btn plain icon" label="Theme" button=${html`<${Icon} name="sun" />`} entries=${() => THEMES.map(([value, text]) => ({ text, checked: chosenTheme() === value, run: () => chooseTheme(/** @type {any} */ (value)) }))} />
      <span class="no-phone row quiet"><${Icon} name="user" small />${session.operator === session.role ? session.role : `${session.operator}, ${session.role}`}</span>
    <//>
    <div class="home"><div class="wrap">
      <div class="hello"><div class="grow"><h2>${first ? "Start with a schema" : "Your backend is ready"}</h2>
        <p><code>${api.data ?? ""}</code>${status.data?.startedAt && html`<span class="faint"> · up since ${clock(status.data.startedAt)}${status.data.startMilliseconds !== undefined ? `, started in ${milliseconds(status.data.startMilliseconds).replace(".0", "")}` : ""}</span>`}</p></div>
        ${!first && html`<a class="btn" href=${href("/query")}><${Icon} name="query" small />Run a query</a>`}</div>
      ${first ? html`<${FirstRun} session=${session} />` : html`
      <div class="colm"><${Connect} session=${session} /><${Worth} status=${status} /></div>
      <div class="colm">${session.capabilities.includes("metrics") && html`<${Now} session=${session} status=${status} />`}
        ${session.capabilities.includes("data") && html`<section aria-labelledby="h-models"><header><h2 id="h-models" class="grow">Models</h2>${session.capabilities.includes("schema") && html`<a class="btn plain" href=${href("/schema")}><${Icon} name="schema" small />Schema</a>`}</header>
          <${Loaded} of=${sources} what="The models could not be loaded.">${() => html`<ul class="lines">${models.map((model) => html`<li key=${model.name}><a href=${href(`/data/${encodeURIComponent(model.name)}`)}>${model.name}</a>
            <span class="chips">${facts(model).map((fact) => html`<span key=${fact} class="chip">${fact}</span>`)}</span><span class="num end">${countText(model.count)}</span></li>`)}</ul>
            <${Deployment} status=${status.data} />`}<//></section>`}</div>`}
    </div></div>`;
}

/** Whether the server has no such part. @param {any} resource */
const lacking = (resource) => resource.error?.code === "not_found";

/** @param {any} model */
const facts = (model) => [
  ...model.fields.filter(isLink).map((field) => `belongs to ${field.type}`),
  ...model.keys.filter((key) => !key.primary && key.name && !model.fields.some((field) => isLink(field) && field.keys?.[0] === key.partition)).map((key) => key.name),
].slice(0, 2);

function Deployment({ status }) {
  const deployed = status?.lastDeployment ?? status?.deployment;
  if (!deployed) return null;
  return html`<p class="small quiet note">Deployed at ${clock(deployed.at)}${deployed.operator ? ` by ${deployed.operator}` : ""}${deployed.number ? ` · version ${deployed.number}` : ""}</p>`;
}

function Connect({ session }) {
  const [client, setClient] = useState(recall("client", "swift"));
  const hosts = session.hosts ?? [location.host];
  const [host, setHost] = useState(hosts[0]);
  const connect = useResource(["connect", client, host], (signal) => get("/connect", { query: { client, host: host.replace(/:\d+$/, "") }, signal }));
  const kind = CLIENTS.find((one) => one.value === client) ?? CLIENTS[0];
  useEffect(() => follow("connections", () => connect.retry()), []);
  if (lacking(connect)) return null;
  return html`<section aria-labelledby="h-connect"><header><h2 id="h-connect">Connect your app</h2></header>
    <${Tabs} id="client" look="seg" label="Client" value=${client} options=${CLIENTS} onChange=${(/** @type {string} */ value) => { setClient(value); remember("client", value); }} />
    <${TabPanel} id="client" value=${client}><${Loaded} of=${connect} what="How to connect could not be loaded." lines=${6}>${(data) => html`<ol class="steps">
      ${data.pull && client !== "curl" && html`<li class=${data.lastPull ? "done" : ""}><h3>Pull the configuration and the models</h3><p>${kind.folder}${data.lastPull && ` Last pulled ${ago(data.lastPull.at)}.`}</p>
        <${Command} text=${data.pull} />${data.files?.length > 0 && html`<p class="small after">Writes ${data.files.map((/** @type {string} */ file, n) => html`${n > 0 && (n === data.files.length - 1 ? " and " : ", ")}<code>${file}</code>`)}.</p>`}</li>`}
      ${data.snippet && html`<li><h3>${kind.configure}</h3><p>${kind.why}</p><div class="snippet"><${Code} text=${data.snippet} language="code" label="Code" /></div></li>`}
      <li><h3>Run it</h3><div><p>${data.connections !== undefined ? `${plural(data.connections, "connection")} now. ` : ""}To use a phone on your network, choose the address that it reaches:${" "}
        <${Menu} label="Address" class="btn low" button=${html`<${Icon} name="phone" small />${host.replace(/:\d+$/, "")}<${Icon} name="down" small />`}
          entries=${() => [...new Set([...hosts, ...(client === "kotlin" || client === "flutter" ? [`10.0.2.2${hosts[0].match(/:\d+$/)?.[0] ?? ""}`] : [])])].map((one) => ({ text: one.replace(/:\d+$/, ""), detail: detailOf(one), checked: one === host, run: () => setHost(one) }))} /></p>
        ${(data.notes ?? []).map((/** @type {string} */ note) => html`<p key=${note} class="small after">${withCommands(note)}</p>`)}</div></li>
    </ol>`}<//><//></section>`;
}
/** @param {string} host */
const detailOf = (host) => (/^(127\.|localhost|\[::1\])/.test(host) ? "this machine" : /^10\.0\.2\.2/.test(host) ? "Android emulator" : /^(192\.168|10\.|172\.)/.test(host) ? "local network" : "");

function Now({ session, status }) {
  const live = useLive();
  const metrics = useResource(["metrics"], (signal) => {
    const to = Date.now();
    return get("/metrics", { query: { from: new Date(to - 900_000).toISOString(), to: new Date(to).toISOString(), step: 15 }, signal });
  });
  useEffect(() => {
    const timer = setInterval(() => document.visibilityState === "visible" && metrics.retry(), REFRESH);
    const stop = follow("metrics", () => {});
    return () => {
      clearInterval(timer);
      stop();
    };
  }, []);
  if (lacking(metrics)) return null;
  return html`<section aria-labelledby="h-now"><header><h2 id="h-now">Last 15 minutes</h2>${live === "connected" && html`<span class="chip moss"><span class="dot"></span>live</span>`}</header>
    <${Loaded} of=${metrics} what="The figures could not be loaded." lines=${5}>${(data) => {
      const series = [["queries", "queries", "accent"], ["mutations", "mutations", "ochre"], ["events", "events sent", "slate"]].map(([id, name, tone]) => ({ name, tone, values: valuesOf(data, id) }));
      const sum = (/** @type {number[]} */ values) => values.reduce((a, b) => a + b, 0);
      const all = series.reduce((n, one) => n + sum(one.values), 0);
      const times = timesOf(data);
      const p95 = data.p95 ?? status.data?.p95;
      const devices = data.devices ?? status.data?.connections;
      return html`${all === 0 ? html`<p class="quiet">No requests in the last 15 minutes.</p>` : html`<${Strata} label=${`Requests of the last 15 minutes: ${series.map((one) => `${count(sum(one.values))} ${one.name}`).join(", ")}`} times=${times} series=${series} />`}
        <div class="leg num">${series.map((one) => html`<div key=${one.name}><b>${count(sum(one.values))}</b><span><i class=${`dot tone-${one.tone}`}></i>${one.name}</span></div>`)}
          ${devices !== undefined && html`<div><b>${count(devices)}</b><span>devices</span></div>`}${p95 !== undefined && p95 !== null && html`<div><b>${milliseconds(p95)}</b><span>p95</span></div>`}
          ${data.errors !== undefined && html`<div><b>${count(Array.isArray(data.errors) ? sum(data.errors) : data.errors)}</b><span>errors</span></div>`}</div>`;
    }}<//></section>`;
}
/** A series of an answer of GET /metrics, by name. @param {any} data @param {string} name @returns {number[]} */
function valuesOf(data, name) {
  const found = Array.isArray(data.series) ? data.series.find((one) => one.name === name)?.values : data.series?.[name];
  return found ?? [];
}
/** @param {any} data @returns {number[]} */
function timesOf(data) {
  if (data.times) return data.times.map((time) => new Date(time).getTime());
  const from = new Date(data.from).getTime();
  const step = (data.step ?? 15) * 1000;
  const length = Math.max(0, ...["queries", "mutations", "events"].map((name) => valuesOf(data, name).length));
  return Array.from({ length }, (_, n) => from + n * step);
}

function Worth({ status }) {
  const findings = status.data?.findings ?? [];
  return html`<section aria-labelledby="h-look"><header><h2 id="h-look">Worth a look</h2></header>
    <${Loaded} of=${status} what="The state of the server could not be loaded." lines=${3}>${() => findings.length === 0 ? html`<p class="quiet">Nothing needs attention.</p>` : html`<ul class="lines">
      ${findings.slice(0, 5).map((one) => html`<li key=${one.message}><${Icon} name=${{ scan: "warn", conflict: "sync", outbox: "mail", certificate: "lock" }[one.kind] ?? "warn"} small class="faint" /><span class="grow cut" title=${one.message}>${one.message}</span>
        ${one.path && hasPage(one.path) && html`<a href=${href(one.path)}>${one.action ?? "Review"}</a>`}</li>`)}</ul>`}<//></section>`;
}

function FirstRun({ session }) {
  const templates = ["todo", "booking", "chat", "landmarks", "cashflow"];
  const schema = session.capabilities.includes("schema");
  return html`<section class="hello" aria-label="Starting points"><div class="grow starts">
    <div class="card"><h3>New model</h3><p class="quiet">Describe one kind of item: its fields and their types.</p>${schema ? html`<a class="btn" href=${href("/schema", { add: "model" })}>New model</a>` : html`<p class="small">Write it to <code>schema.graphql</code>.</p>`}</div>
    <div class="card"><h3>Existing schema</h3><p class="quiet">Bring the GraphQL schema of an Amplify project.</p>${schema ? html`<a class="btn" href=${href("/schema", { view: "file" })}>Paste or upload</a>` : html`<p class="small">Copy it beside the server and start again.</p>`}</div>
    <div class="card"><h3>Template</h3><p class="quiet">Start from an example.</p><p>${templates.map((name) => (schema ? html`<a class="chip accent" key=${name} href=${href("/schema", { template: name })}>${name}</a>` : html`<code class="chip" key=${name}>${name}</code>`))}</p></div>
  </div></section>`;
}
