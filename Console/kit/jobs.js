// Work that the server does in jobs: started, watched, cancelled.

import { APIError, get, remove, send } from "../api.js";

const FIRST_PAUSE = 120;
const LAST_PAUSE = 1_000;
/** Milliseconds for a body to arrive, and bytes of a file whose upload is not broken off. */
const UPLOAD = 600_000;
const SHORT = 1_000_000;

/**
 * Starts a job and waits until it ends, by asking. A job has no deadline of its own. Aborting cancels it.
 * @param {string} path @param {NonNullable<Parameters<typeof send>[2]>} options
 * @param {(job: any) => void} [progress]
 * @returns {Promise<any>} the job, which is done or was cancelled
 */
export async function runJob(path, options, progress) {
  const { signal, ...others } = options;
  // A request that is broken off may have started its job nevertheless: it is answered first, and the job is cancelled then.
  const long = others.raw instanceof Blob && others.raw.size > SHORT;
  const { value } = await send("POST", path, { deadline: UPLOAD, ...others, ...(long ? { signal } : {}) });
  let job = value.job;
  let pause = FIRST_PAUSE;
  let cancelled = false;
  progress?.(job);
  while (job.state === "running") {
    if (!signal?.aborted || cancelled) await new Promise((resolve) => {
      const timer = setTimeout(resolve, pause);
      signal?.addEventListener("abort", () => (clearTimeout(timer), resolve(null)), { once: true });
    });
    pause = Math.min(pause * 1.5, LAST_PAUSE);
    const at = `/jobs/${encodeURIComponent(job.id)}`;
    if (signal?.aborted && !cancelled) {
      cancelled = true;
      await remove(at).catch(() => null);
    }
    const answer = await get(at).catch((error) => {
      if (error.code === "not_found" || error.code === "signed_out" || error.code === "forbidden") throw error;
      return job;
    });
    job = answer.job ?? answer;
    progress?.(job);
  }
  if (job.state === "failed") throw new APIError({ code: "internal", message: "The work failed.", ...job.error });
  return job;
}
