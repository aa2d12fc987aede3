// Signing in: by a one-time link, or by name and password where operators have passwords.

import { html, useState } from "../preact-htm.js";
import { signIn } from "../api.js";
import { Command } from "../kit/command.js";

const TEXT = {
  lead: "Sign-in links come from the terminal of the server. Each works once.",
  link: "Link", placeholder: "Paste the link", verb: "Sign in",
  how: "Run this on the server to print a link:",
  password: "Sign in with a name and password",
  wrongLink: "That is not a link of this console. It looks like …/console/#link=K7….",
};

/** The part after `#link=`, or the whole text if that is all that was pasted; null if it is no link. @param {string} text */
export function linkOf(text) {
  const trimmed = text.trim();
  const match = /#(?:.*&)?link=([^&\s]+)/.exec(trimmed);
  if (match) return decodeURIComponent(match[1]);
  return /^[A-Za-z0-9_-]{16,}={0,2}$/.test(trimmed) ? trimmed : null;
}

/** @param {any} error */
function words(error) {
  if (error.code === "limited") return `${error.message}${error.retryAfter ? ` Try again in ${error.retryAfter} s.` : ""}`;
  return `${error.message}${error.hint ? ` ${error.hint}` : ""}`;
}

/** @param {{ error?: any, onDone: () => void, inDialog?: boolean }} props */
export function SignIn({ error, onDone, inDialog = false }) {
  const [text, setText] = useState("");
  const [name, setName] = useState("");
  const [password, setPassword] = useState("");
  const [byPassword, setByPassword] = useState(false);
  const [wrong, setWrong] = useState(error ? words(error) : "");
  const [busy, setBusy] = useState(false);
  const submit = async (/** @type {Event} */ event) => {
    event.preventDefault();
    const link = linkOf(text);
    if (!byPassword && !link) {
      setWrong(TEXT.wrongLink);
      document.getElementById("signin-link")?.focus();
      return;
    }
    setBusy(true);
    try {
      await signIn(byPassword ? { name, password } : { link: /** @type {string} */ (link) });
      onDone();
    } catch (reason) {
      setWrong(words(reason));
      document.getElementById(byPassword ? "signin-password" : "signin-link")?.focus();
    } finally {
      setBusy(false);
    }
  };
  const described = wrong ? "signin-wrong" : undefined;
  return html`
    ${!inDialog && html`<p class="quiet">${TEXT.lead}</p>`}
    <form onSubmit=${submit} novalidate>
      ${byPassword
        ? html`<label class="field"><span>Name</span><input class="input" data-first autocomplete="username" value=${name} onInput=${(e) => setName(e.target.value)} /></label>
          <label class="field"><span>Password</span><input id="signin-password" class=${`input${wrong ? " bad" : ""}`} type="password" autocomplete="current-password" aria-describedby=${described} value=${password} onInput=${(e) => setPassword(e.target.value)} /></label>`
        : html`<label class="field"><span>${TEXT.link}</span><input id="signin-link" data-first class=${`input${wrong ? " bad" : ""}`} placeholder=${TEXT.placeholder} autocomplete="off" spellcheck=${false}
            aria-invalid=${wrong ? "true" : undefined} aria-describedby=${described} value=${text} onInput=${(e) => { setText(e.target.value); setWrong(""); }} /></label>`}
      ${wrong && html`<p class="wrong" id="signin-wrong" role="alert">${wrong}</p>`}
      <button class="btn main" type="submit" disabled=${busy}>${TEXT.verb}</button>
    </form>
    <p class="small quiet">${TEXT.how}</p>
    <${Command} text="syncline console --print" />
    <p class="small note"><button class="link" type="button" onClick=${() => { setByPassword(!byPassword); setWrong(""); }}>${byPassword ? "Sign in with a link" : TEXT.password}</button></p>`;
}
