import { invalidSetting } from "../../library/error.ts";
import { applyAndFollow } from "../apply/follow-run.ts";
import type { Flags } from "../flags.ts";
import type { Host } from "../host.ts";
import { readLockOptions } from "../log.ts";
import { openPlanning } from "../open.ts";
import { refuseUnusedView } from "../output/output-flags.ts";
import { findPlan } from "../plan-file/plan-file.ts";
import { appliedPart, type FinishedCommand, runCommand } from "../run-command.ts";
import { readWebhook } from "../webhook.ts";

/** Applies a roster, or a saved plan, which the content of the one path shows. */
export function apply(paths: readonly string[], flags: Flags, host: Host): Promise<FinishedCommand> {
  return runCommand(
    "apply",
    flags,
    host,
    async (command) => {
      if (flags.autoApprove === true) refuseUnusedView(flags);
      const lock = readLockOptions(flags, host);
      const sequence = readSequence(flags.sequence);
      const expected = readPlanId(flags.expectPlan);
      const webhook = readWebhook(host);
      const found = await findPlan(paths, host);
      const request = { flags, lock, sequence, expected, webhook };
      if (found.is === "plan") {
        const { applyPlanFile } = await import("../plan-file/apply-plan-file.ts");
        return applyPlanFile(command, found, request);
      }
      const planning = await openPlanning(command, paths, flags, found.stdin);
      await applyAndFollow(command, planning, request, (applied) => command.tell(appliedPart(applied)));
    },
    "what-remains",
  );
}

/** @internal */
export function readSequence(sequence: string | undefined): number | undefined {
  if (sequence === undefined) return undefined;
  const number = Number(sequence);
  if (/^\d+$/u.test(sequence) && Number.isSafeInteger(number)) return number;
  const hint = "Use a number that only grows, such as the run number of the pipeline.";
  throw invalidSetting("bad-flag-value", `--sequence ${sequence} is not a whole number.`, hint);
}

function readPlanId(id: string | undefined): string | undefined {
  if (id === undefined || /^[0-9a-f]{16}$/u.test(id)) return id;
  const hint = "Write the ID that the plan shows, such as 3f2a90c1d4e5b678.";
  throw invalidSetting("bad-flag-value", `--expect-plan ${id} is not the ID of a plan.`, hint);
}
