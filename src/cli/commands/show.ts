import { resolve } from "node:path";
import { isPlanFile } from "../../codec/document.ts";
import { decodePlanDocument } from "../../codec/plan-document.ts";
import { readRegularFile, whyUnread } from "../../files/regular-file.ts";
import { problem, type Result, success } from "../../model/result.ts";
import { type CommandError, invalidSetting } from "../command-error.ts";
import { type Host, readStandardInput } from "../host.ts";
import { type CommandResult, finish } from "../output/finish.ts";
import { type OutputFlags, refuseUnusedView } from "../output/output-flags.ts";
import { largestPlan, readPlanFile, summaryOf } from "../plan-file/read-plan-file.ts";

/** Shows a saved plan. Reads nothing but the file. */
export async function show(file: string, flags: OutputFlags, host: Host): Promise<number> {
  const { view } = flags;
  const base: CommandResult = {
    command: "show",
    tells: "success-only",
    diagnostics: [],
    ...(view === undefined ? {} : { view }),
  };
  const unseen = refuseUnusedView(flags, { asks: "nobody" });
  if (unseen !== undefined) return finish({ ...base, stop: unseen }, flags, host);
  const saved = await readSaved(file, host);
  if (!saved.ok) return finish({ ...base, stop: saved.error }, flags, host);
  if (isPlanFile(saved.value)) return finish(await showPlanFile(base, file, saved.value, host), flags, host);
  const decoded = decodePlanDocument(saved.value);
  if (decoded.ok) return finish({ ...base, plan: decoded.value.plan }, flags, host);
  const stop = invalidSetting("bad-plan-file", `${file} is not a plan: ${decoded.error}`, savedHow);
  return finish({ ...base, stop }, flags, host);
}

async function showPlanFile(base: CommandResult, path: string, text: string, host: Host): Promise<CommandResult> {
  const read = await readPlanFile({ path, text });
  if (!read.ok) return { ...base, stop: read.error };
  const file = read.value;
  const is = host.clock.now() < Date.parse(file.expiresAt) ? "shown" : "shown-expired";
  return { ...base, ...summaryOf(file), plan: file.plan, planFile: { path, file, is } };
}

const savedHow = "A plan is saved with `roster plan --out FILE` or `roster plan --format json > FILE`.";

async function readSaved(file: string, host: Host): Promise<Result<string, CommandError>> {
  try {
    const bytes =
      file === "-"
        ? await readStandardInput(host, () => largestPlan)
        : await readRegularFile(resolve(host.cwd, file), largestPlan);
    return bytes.length > largestPlan
      ? problem(unreadable(file, "it is larger than 256 MiB"))
      : success(bytes.toString("utf8"));
  } catch (error) {
    return problem(unreadable(file, whyUnread(error)));
  }
}

function unreadable(file: string, why: string): CommandError {
  return invalidSetting("unreadable-plan-file", `${file} cannot be read: ${why}.`, savedHow);
}
