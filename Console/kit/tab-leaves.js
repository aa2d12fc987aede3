// Tab leaves a text editor until something is typed in it, and after Esc, so that it holds nobody who has no pointer.

const LEAVING = { Tab: false, "Shift-Tab": false };
export const HOW_TO_LEAVE = "Tab leaves until something is typed, Esc then Tab leaves always.";

/** @param {any} cm an editor of CodeMirror 5 @param {(change: any) => boolean} [isTyped] */
export function lettingTabLeave(cm, isTyped = (change) => change.origin !== "setValue") {
  const leaves = (/** @type {boolean} */ yes) => {
    cm.removeKeyMap(LEAVING);
    if (yes) cm.addKeyMap(LEAVING);
  };
  leaves(true);
  cm.addKeyMap({ Esc: () => {
    leaves(true);
    return cm.constructor.Pass;
  } }, true);
  // GraphiQL also signals changes that say nothing.
  cm.on("change", (/** @type {any} */ _, /** @type {any} */ change) => change && isTyped(change) && leaves(false));
  cm.on("blur", () => leaves(true));
}
