// Deleting what is selected: asked with its number and samples, done as a job.

import { finished, post } from "../api.js";
import { confirm } from "../kit/dialog.js";
import { plural } from "../kit/format.js";
import { toast, toastError } from "../kit/toast.js";
import { titleOf } from "./record.js";

/** Items above which the model's name is typed before they are deleted. */
const TYPE_ABOVE = 100;

/** @param {any} source @param {any} session @param {any} body `{keys}` or `{filter, expectCount}` @returns {Promise<boolean>} whether they were deleted */
export async function deleteItems(source, session, body) {
  const path = `/data/${encodeURIComponent(source.name)}/delete`;
  try {
    const dry = await post(path, { ...body, dryRun: true });
    const number = dry.count?.value ?? dry.count ?? body.keys.length;
    const samples = (dry.samples ?? []).map((one) => (typeof one === "string" ? one : titleOf(source, one)));
    const lead = `${source.versioned ? "Each becomes a tombstone, and devices with DataStore remove it." : "They cannot be brought back."}${dry.references ? ` ${dry.references}` : ""}`;
    const type = session.mode === "serve" ? session.environment : number > TYPE_ABOVE ? source.name : undefined;
    if (!(await confirm({ title: `Delete ${plural(number, "item")} of ${source.name}?`, lead, samples, verb: `Delete ${plural(number, "item")}`, danger: true, type }))) return false;
    const answer = await post(path, body);
    const job = answer.job ? await finished(answer.job) : null;
    if (job?.state === "failed") throw job.error ?? new Error("The job failed.");
    toast(`Deleted ${plural(job?.progress?.done ?? number, "item")}.`);
    return true;
  } catch (error) {
    toastError(error, "Not deleted");
    return false;
  }
}
