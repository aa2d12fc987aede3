// A link to Query that carries a document. Pure.

/** A document in the address: `#document=` with base64url of JSON. @param {string} hash */
export function sharedDocument(hash) {
  const text = /[#&]document=([\w-]+)/.exec(hash)?.[1];
  if (!text) return null;
  try {
    return JSON.parse(new TextDecoder().decode(Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0))));
  } catch {
    return null;
  }
}
/** @param {{ query: string, variables?: any, as?: string }} value */
export function documentHash(value) {
  const binary = String.fromCharCode(...new TextEncoder().encode(JSON.stringify(value)));
  return `#document=${btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "")}`;
}
