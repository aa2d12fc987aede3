// The identities that a request can be sent as.

/** Those without a name: value, words, what it is. */
export const IDENTITIES = [["admin", "Administrator", "no rules apply"], ["iam:auth", "IAM, authenticated", ""], ["iam:guest", "Guest", "IAM, unauthenticated"], ["none", "No identity", ""]];
/** @param {string} as as `x-syncline-as` has it */
export function identityText(as) {
  const fixed = IDENTITIES.find(([value]) => value === as);
  if (fixed) return fixed[1];
  const [kind, ...rest] = as.split(":");
  const name = rest.join(":");
  if (kind === "key") return name === "default" ? "API key" : `key ${name}`;
  return kind === "group" ? `${name.includes(",") ? "groups" : "group"} ${name.replaceAll(",", ", ")}` : kind === "claims" ? "custom claims" : name;
}
