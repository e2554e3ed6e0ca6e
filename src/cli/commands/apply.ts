import { applySaved } from "../../library/apply.ts";
import { invalidSetting } from "../../library/error.ts";
import { policyForSaved } from "../../library/policy.ts";
import type { SavedText } from "../../library/saved-plan.ts";
import { definedFields } from "../../model/collections.ts";
import type { Plan } from "../../model/plan.ts";
import { renderPlan } from "../../report/text/text.ts";
import { type Flags, isFollowed, readCount, refuseUnusedView } from "../flags.ts";
import { type ApplyRequest, applyAndFollow, followRun } from "../follow-run.ts";
import { textStyleOf } from "../host.ts";
import { openLog, readLockOptions } from "../log.ts";
import { connectService, openPlanning, openReading } from "../open.ts";
import { findPlan, reportOfPlanFile } from "../plan-file.ts";
import { shownAs } from "../planning.ts";
import { type Command, planCommands } from "../run-command.ts";
import { checkPathTrust, planFile as guardedFile } from "../trust.ts";
import { readWebhook } from "../webhook.ts";

/** Applies a roster, or a saved plan, which the content of the one path shows. */
export async function apply(command: Command, paths: readonly string[], flags: Flags): Promise<void> {
  command.tell({ tells: "what-remains" });
  if (flags.autoApprove === true) refuseUnusedView(flags);
  const lock = readLockOptions(flags, command.host);
  const sequence = readCount("--sequence", flags.sequence, { least: 0, most: Number.MAX_SAFE_INTEGER });
  const { expectPlan: expected } = flags;
  if (expected !== undefined && !/^[0-9a-f]{16}$/u.test(expected)) {
    const hint = "Write the ID that the plan shows, such as 3f2a90c1d4e5b678.";
    throw invalidSetting("bad-flag-value", `--expect-plan ${expected} is not the ID of a plan.`, hint);
  }
  const request = { flags, lock: { ...lock, sequence }, expected, webhook: readWebhook(command.host) };
  const { saved, stdin } = await findPlan(paths, command.host);
  if (saved !== undefined) return applyPlanFile(command, saved, request);
  const planning = await openPlanning(command, paths, flags, stdin);
  await applyAndFollow(command, planning, request);
}

/** The flags that say how a plan file is applied. All others say what to plan, which the file has said already. */
const flagsForApply =
  "format report view endpoint parallelism debug state lockTimeout breakStaleLock sequence expectHead expectPlan deadline autoApprove";

/** Applies a plan file: faults of the file are found before the log is locked, stale facts after it. */
async function applyPlanFile(command: Command, found: SavedText, request: ApplyRequest): Promise<void> {
  const { host } = command;
  const { flags, lock, expected } = request;
  const strange = Object.keys(definedFields(flags)).filter((name) => !flagsForApply.split(" ").includes(name));
  if (strange.length > 0) {
    const written = strange.map((name) => `--${name.replace(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`)}`);
    const message = `${written.join(", ")} cannot be used with a plan file. A plan file fixes what apply does.`;
    throw invalidSetting("usage", message, "Pass it to `roster plan --out FILE`, and apply that file.");
  }
  await checkPathTrust(found.file, guardedFile, host);
  const { readSavedPlan } = await import("../../library/saved-plan.ts");
  const saved = await readSavedPlan(found);
  const { reading, planFile, ...summary } = reportOfPlanFile(found.file, saved, "applied");
  command.tell({ reading, planFile, ...summary });
  const { settings, policy: usual, observer } = await openReading(command, flags);
  const log = command.closing(await openLog(settings, host));
  const service = command.closing(await connectService(settings, host, flags));
  const policy = { ...policyForSaved(usual, saved.file), resolve: planCommands([], flags, host).resolve };
  const { signal, deadline } = command.cancellation;
  const begins = (plan: Plan) => {
    const shown = { reading, ...shownAs(flags, policy), planFile };
    if (isFollowed(flags)) host.stdout.write(`${renderPlan(plan, { ...textStyleOf(host.stdout), ...shown })}\n`);
    observer.planned(plan);
  };
  const approve = expected === undefined ? undefined : { id: expected };
  const options = { ...lock, saved, approve, service, log, policy, signal, deadline, progress: observer.read };
  await followRun(command, { ...request, observer, policy, begins }, (hook) =>
    applySaved({ ...options, begins: hook }),
  );
}
