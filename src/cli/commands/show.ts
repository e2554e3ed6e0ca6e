import { resolve } from "node:path";
import { readRegularFile, whyUnread } from "../../files/regular-file.ts";
import { invalidSetting, type RosterError } from "../../library/error.ts";
import { problem, type Result, success } from "../../model/result.ts";
import { sha256 } from "../../model/sha256.ts";
import { type Host, readStandardInput } from "../host.ts";
import { type CommandResult, finish } from "../output/finish.ts";
import { type OutputFlags, refuseUnusedView } from "../output/output-flags.ts";
import { largestPlan, summaryOf } from "../plan-file/plan-file.ts";
import { howToSave, type LoadedPlan, readSavedPlan } from "../plan-file/read-plan-file.ts";

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
  const read = await readSavedPlan({ path: file, text: saved.value });
  if (!read.ok) return finish({ ...base, stop: read.error }, flags, host);
  return finish({ ...base, ...shownPlan({ path: file, text: saved.value }, read.value, host) }, flags, host);
}

function shownPlan(
  { path, text }: { readonly path: string; readonly text: string },
  { plan, file }: LoadedPlan,
  host: Host,
): Partial<CommandResult> {
  if (file === undefined) return { plan };
  const is = host.clock.now() < Date.parse(file.expiresAt) ? "shown" : "shown-expired";
  return { ...summaryOf(file), plan, planFile: { path, file, digest: sha256(text), is } };
}

/** The text of a saved plan. */
export async function readSaved(file: string, host: Host): Promise<Result<string, RosterError>> {
  try {
    const bytes =
      file === "-"
        ? await readStandardInput(host.stdin(), () => largestPlan)
        : await readRegularFile(resolve(host.cwd, file), largestPlan);
    return bytes.length > largestPlan
      ? problem(unreadable(file, "it is larger than 256 MiB"))
      : success(bytes.toString("utf8"));
  } catch (error) {
    return problem(unreadable(file, whyUnread(error)));
  }
}

function unreadable(file: string, why: string): RosterError {
  return invalidSetting("unreadable-file", `${file} cannot be read: ${why}.`, howToSave);
}
