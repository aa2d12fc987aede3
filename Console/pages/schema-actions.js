// Actions of the modeller that ask first, because something else refers to what they remove.

import { confirm } from "../kit/dialog.js";
import { go } from "../kit/router.js";
import { toast, toastError } from "../kit/toast.js";

/** Whether a refusal says that other parts refer to it. @param {any} error */
const references = (error) => (error.details?.refusal === "referenced" ? (error.details.references ?? []).map((/** @type {any} */ one) => one.subject) : null);

/** @param {import("./schema-draft.js").Draft} draft @param {any} type */
export async function removeType(draft, type) {
  const label = `Remove ${type.name}`;
  const done = () => {
    go("/schema", { replace: true });
    toast(`Removed ${type.name} from the draft.`, { action: { text: "Undo", run: () => void draft.undo() } });
  };
  try {
    await draft.edit({ kind: "removeType", type: type.name }, label);
    done();
  } catch (error) {
    const subjects = references(error);
    if (!subjects) return toastError(error, "Not removed");
    if (!(await confirm({ title: `Remove ${type.name} and what refers to it?`, lead: "These parts of the schema are removed with it:", samples: subjects, verb: `Remove ${type.name}`, danger: true }))) return;
    try {
      await draft.edit({ kind: "removeType", type: type.name, removeReferences: true }, label);
      done();
    } catch (again) {
      toastError(again, "Not removed");
    }
  }
}

/** @param {import("./schema-draft.js").Draft} draft @param {any} type @param {any} field */
export async function removeField(draft, type, field) {
  try {
    await draft.edit({ kind: "removeField", type: type.name, field: field.name }, `Remove ${type.name}.${field.name}`);
  } catch (error) {
    const subjects = references(error);
    toast(`Not removed: ${/** @type {any} */ (error).message}${subjects ? ` ${subjects.join(", ")}.` : ""}`, { error: true, hint: /** @type {any} */ (error).hint });
  }
}

/** @param {import("./schema-draft.js").Draft} draft @param {any} relation */
export async function removeRelationship(draft, relation) {
  const both = Boolean(relation.reverseField);
  const lead = `${relation.sentence} ${both ? `${relation.target}.${relation.reverseField}, which leads back, is removed too. ` : ""}${relation.keyFields.length ? `${relation.keyFields.join(", ")} is removed if nothing else uses it.` : ""}`;
  if (!(await confirm({ title: `Remove ${relation.type}.${relation.field}?`, lead, verb: "Remove relationship", danger: true }))) return;
  await draft.tryEdit({ kind: "removeRelationship", type: relation.type, field: relation.field, removeReverse: both, removeKey: true }, `Remove ${relation.type}.${relation.field}`);
}
