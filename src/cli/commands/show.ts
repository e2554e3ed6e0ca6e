import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { text } from "node:stream/consumers";
import { decodePlanDocument } from "../../codec/plan-document.ts";
import { isPlanFile } from "../../codec/plan-file-text.ts";
import { problem, type Result, success } from "../../model/result.ts";
import type { Host } from "../host.ts";
import { type Conclusion, conclude } from "../output/conclude.ts";
import type { OutputFlags } from "../output/output-flags.ts";
import { unseenView } from "../output/view-flag.ts";
import { readPlanFile, toldOf } from "../plan-file/read-plan-file.ts";
import { invalidSetting, type Stop } from "../stop.ts";

/** Shows a saved plan. Reads nothing but the file. */
export async function show(file: string, flags: OutputFlags, host: Host): Promise<number> {
  const { view } = flags;
  const base: Conclusion = {
    command: "show",
    tells: "success-only",
    diagnostics: [],
    ...(view === undefined ? {} : { view }),
  };
  const unseen = unseenView(flags, { asks: "nobody" });
  if (unseen !== undefined) return conclude({ ...base, stop: unseen }, flags, host);
  const saved = await readSaved(file, host);
  if (!saved.ok) return conclude({ ...base, stop: saved.error }, flags, host);
  if (isPlanFile(saved.value)) return conclude(showPlanFile(base, file, saved.value, host), flags, host);
  const decoded = decodePlanDocument(saved.value);
  if (decoded.ok) return conclude({ ...base, plan: decoded.value.plan }, flags, host);
  const stop = invalidSetting("bad-plan-file", `${file} is not a plan: ${decoded.error}`, savedHow);
  return conclude({ ...base, stop }, flags, host);
}

function showPlanFile(base: Conclusion, path: string, text: string, host: Host): Conclusion {
  const read = readPlanFile({ path, text });
  if (!read.ok) return { ...base, stop: read.error };
  const file = read.value;
  const is = host.clock.now() < Date.parse(file.expiresAt) ? "shown" : "shown-expired";
  return { ...base, ...toldOf(file), plan: file.plan, planFile: { path, file, is } };
}

const savedHow = "A plan is saved with `roster plan --out FILE` or `roster plan --format json > FILE`.";

async function readSaved(file: string, host: Host): Promise<Result<string, Stop>> {
  try {
    return success(file === "-" ? await text(host.stdin) : await readFile(resolve(host.cwd, file), "utf8"));
  } catch (error) {
    const why = error instanceof Error && "code" in error ? String(error.code) : String(error);
    return problem(invalidSetting("unreadable-plan-file", `${file} cannot be read: ${why}.`, savedHow));
  }
}
