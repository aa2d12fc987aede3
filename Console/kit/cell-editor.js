// A field in a cell of the grid: Enter saves, Esc restores, a refused value stays with its reason.

/** @typedef {import("./grid.js").Grid} Grid */

/** @param {Grid} grid @param {any} place the cell, its item, column, editor, row and col */
export function beginEdit(grid, place) {
  const { cell, column, editor, row, col } = place;
  const input = document.createElement(editor.options ? "select" : "input");
  for (const option of editor.options ?? []) input.append(new Option(option.text, option.value));
  input.className = "in-cell";
  input.setAttribute("aria-label", `${column.name}, ${column.type}`);
  if (input instanceof HTMLInputElement) {
    input.autocomplete = "off";
    input.spellcheck = false;
  }
  input.value = editor.text;
  cell.classList.add("edit");
  cell.append(input);
  const session = { ...place, input, start: editor.text, busy: false, /** @type {HTMLElement | null} */ message: null };
  grid.editing = session;
  input.focus();
  if (input instanceof HTMLInputElement) input.select();
  input.addEventListener("keydown", (/** @type {any} */ event) => {
    event.stopPropagation();
    if (event.key === "Escape") {
      event.preventDefault();
      endEdit(grid, false);
      grid.setActive(row, col);
    } else if (event.key === "Enter" || event.key === "Tab") {
      event.preventDefault();
      commit(grid, event.key === "Tab" ? (event.shiftKey ? -1 : 1) : 0);
    }
  });
  input.addEventListener("input", () => say(grid, ""));
  input.addEventListener("blur", () => setTimeout(() => grid.editing === session && !session.busy && document.activeElement !== input && commit(grid, 0, false), 0));
}

/** Saves what is typed; the cell stays open with the reason if it cannot be. @param {Grid} grid @param {number} step @param {boolean} [focus] */
async function commit(grid, step, focus = true) {
  const session = grid.editing;
  if (!session || session.busy) return;
  const { input, item, column, editor, row, col } = session;
  const { keyOf, columns, save } = grid.options;
  const next = () => focus && grid.setActive(row, Math.max(grid.first, Math.min(columns.length - 1 + grid.first, col + step)));
  if (input.value === session.start) {
    endEdit(grid, false);
    next();
    return;
  }
  const checked = editor.check(input.value);
  if (checked.error) return say(grid, checked.error);
  session.busy = true;
  input.setAttribute("aria-busy", "true");
  try {
    const saved = await save?.(item, column, checked.value);
    if (grid.editing !== session) return;
    endEdit(grid, false);
    const at = saved ? grid.rows.find((one) => keyOf(one) === keyOf(item)) : -1;
    if (at >= 0) grid.rows.replace(at, saved);
    next();
  } catch (error) {
    session.busy = false;
    input.removeAttribute("aria-busy");
    if (grid.editing === session) say(grid, /** @type {any} */ (error).message);
  }
}

/** @param {Grid} grid @param {string} text */
function say(grid, text) {
  const session = grid.editing;
  if (!session) return;
  session.message?.remove();
  session.message = null;
  session.input.removeAttribute("aria-invalid");
  session.input.removeAttribute("aria-describedby");
  if (!text) return;
  const message = document.createElement("div");
  message.className = "cell-error";
  message.id = "cell-error";
  message.setAttribute("role", "alert");
  message.textContent = text;
  message.popover = "manual";
  session.cell.append(message);
  message.showPopover();
  const box = session.cell.getBoundingClientRect();
  message.style.top = `${box.bottom + message.offsetHeight > innerHeight ? box.top - message.offsetHeight : box.bottom}px`;
  message.style.left = `${Math.max(8, Math.min(box.left, innerWidth - message.offsetWidth - 8))}px`;
  session.message = message;
  session.input.setAttribute("aria-invalid", "true");
  session.input.setAttribute("aria-describedby", "cell-error");
  session.input.focus();
}

/** @param {Grid} grid @param {boolean} save */
export function endEdit(grid, save) {
  const session = grid.editing;
  if (save && session.input.value !== session.start) return void commit(grid, 0, false);
  grid.editing = null;
  session.message?.remove();
  session.input.remove();
  session.cell.classList.remove("edit");
  grid.rows.repaint();
}
