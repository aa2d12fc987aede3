// A request as a program of another language. Pure.

/** @typedef {{ endpoint: string, query: string, variables: any, operationName?: string, signedIn?: boolean }} Request `signedIn`: with a token in place of the API key */

const shell = (/** @type {string} */ text) => `'${text.replaceAll("'", `'\\''`)}'`;
const indented = (/** @type {string} */ text, /** @type {string} */ by) => text.trim().split("\n").map((line) => by + line).join("\n");
const hasVariables = (variables) => variables && Object.keys(variables).length > 0;

/** @type {Record<string, (request: Request) => string>} */
export const SNIPPETS = {
  curl: ({ endpoint, query, variables, operationName, signedIn }) => `curl ${shell(endpoint)} \\\n  -H 'content-type: application/json' \\\n  -H ${signedIn ? '"authorization: $TOKEN"' : '"x-api-key: $API_KEY"'} \\\n  -d ${shell(JSON.stringify({ query: query.trim(), ...(hasVariables(variables) ? { variables } : {}), ...(operationName ? { operationName } : {}) }))}\n`,
  Swift: ({ query, variables }) => `let request = GraphQLRequest<JSONValue>(\n    document: """\n${indented(query, "        ")}\n        """,\n${hasVariables(variables) ? `    variables: ${swift(variables)},\n` : ""}    responseType: JSONValue.self\n)\nlet result = try await Amplify.API.query(request: request)\n`,
  Kotlin: ({ query, variables }) => `val request = SimpleGraphQLRequest<String>(\n    """\n${indented(query, "        ").replaceAll("$", "${'$'}")}\n    """.trimIndent(),\n    ${kotlin(variables ?? {})},\n    String::class.java,\n    GsonVariablesSerializer()\n)\nAmplify.API.query(request, { println(it.data) }, { println(it) })\n`,
  TypeScript: ({ query, variables }) => `import { generateClient } from "aws-amplify/api"\n\nconst client = generateClient()\nconst result = await client.graphql({\n  query: \`\n${indented(query, "    ").replaceAll("`", "\\`").replaceAll("${", "\\${")}\n  \`,\n${hasVariables(variables) ? `  variables: ${JSON.stringify(variables, null, 2).replaceAll("\n", "\n  ")},\n` : ""}})\n`,
  Python: ({ endpoint, query, variables }) => `import json, os, urllib.request\n\nbody = {"query": """\n${indented(query, "    ")}\n""", "variables": ${python(variables ?? {})}}\nrequest = urllib.request.Request(${JSON.stringify(endpoint)}, json.dumps(body).encode(),\n    {"content-type": "application/json", "x-api-key": os.environ["API_KEY"]})\nprint(json.load(urllib.request.urlopen(request)))\n`,
};

/** @param {any} value @returns {string} */
function swift(value) {
  if (value === null) return "nil";
  if (Array.isArray(value)) return `[${value.map(swift).join(", ")}]`;
  if (typeof value === "object") return Object.keys(value).length ? `[${Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${swift(one)}`).join(", ")}]` : "[:]";
  return JSON.stringify(value);
}
/** @param {any} value @returns {string} */
function kotlin(value) {
  if (Array.isArray(value)) return `listOf(${value.map(kotlin).join(", ")})`;
  if (value && typeof value === "object") return `mapOf(${Object.entries(value).map(([name, one]) => `${JSON.stringify(name)} to ${kotlin(one)}`).join(", ")})`;
  return typeof value === "string" ? JSON.stringify(value).replaceAll("$", "\\$") : JSON.stringify(value);
}
/** @param {any} value @returns {string} */
function python(value) {
  if (value === null) return "None";
  if (value === true) return "True";
  if (value === false) return "False";
  if (Array.isArray(value)) return `[${value.map(python).join(", ")}]`;
  if (typeof value === "object") return `{${Object.entries(value).map(([name, one]) => `${JSON.stringify(name)}: ${python(one)}`).join(", ")}}`;
  return JSON.stringify(value);
}
