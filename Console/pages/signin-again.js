// The session ended: signs in over the page, and the work goes on.

import { html } from "../preact-htm.js";
import { Dialog } from "../kit/dialog.js";
import { SignIn } from "./signin.js";

/** @param {{ onDone: () => void }} props */
export function SignInAgain({ onDone }) {
  return html`<${Dialog} title="Signed out" lead="The session ended. What you typed is kept. Sign in to go on." onClose=${() => {}}><${SignIn} inDialog onDone=${onDone} /><//>`;
}
