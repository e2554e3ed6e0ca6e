import type { PlanFile } from "../../codec/plan-file-format.ts";
import { checkApproved } from "../../library/apply.ts";
import { invalidSetting, stopError } from "../../library/error.ts";
import { applySaved } from "../../library/saved-plan.ts";
import { readAllowanceCode } from "../../model/allowance.ts";
import { definedFields } from "../../model/collections.ts";
import type { Policy } from "../../model/policy.ts";
import { roleSet } from "../../model/role-set.ts";
import { sha256 } from "../../model/sha256.ts";
import type { PlanFileReport } from "../../report/json/document-format.ts";
import { renderPlan } from "../../report/text/text.ts";
import { type ApplyRequest, followRun } from "../apply/follow-run.ts";
import { textStyleOf } from "../host.ts";
import { openLog } from "../log.ts";
import { connectService, openReading } from "../open.ts";
import { isFollowed, shownAs } from "../output/output-flags.ts";
import { appliedPart, type Command } from "../run-command.ts";
import { checkPathTrust, planFile as guardedFile } from "../trust/file-trust.ts";
import { checkPlanService, guardsDigest, type SavedText, summaryOf } from "./plan-file.ts";
import { readPlanFile } from "./read-plan-file.ts";

/** Applies a plan file: faults of the file are found before the log is locked, stale facts after it. */
export async function applyPlanFile(
  command: Command,
  found: SavedText,
  { flags, lock, sequence, expected, webhook }: ApplyRequest,
): Promise<void> {
  const { host } = command;
  refuseFlags(flags);
  await checkPathTrust(found.path, guardedFile, host);
  const file = await readPlanFile(found);
  const { plan } = file;
  const planFile: PlanFileReport = { path: found.path, file, digest: sha256(found.text), is: "applied" };
  const { reading, ...summary } = summaryOf(file);
  command.tell({ reading, ...summary, planFile });
  const { settings, policy: usual, observer } = await openReading(command, flags);
  const log = command.closing(await openLog(settings, host));
  const service = command.closing(await connectService(settings, host, flags));
  checkPlanService(plan, service.address);
  checkApproved(plan, expected);
  checkGuards(file, usual);
  const policy = {
    ...usual,
    // Roles are privileged if the plan or this run says so.
    privilegedRoles: roleSet([...usual.privilegedRoles, ...file.policy.privilegedRoles]),
    // The file says what a person has allowed, not the environment of this run.
    allowed: (plan.allowed ?? []).flatMap(({ code }) => readAllowanceCode(code) ?? []),
    reason: plan.reason,
  };
  const { signal, deadline } = command.cancellation;
  const begins = () => {
    const shown = { reading, ...shownAs(flags, policy), planFile };
    if (isFollowed(flags)) host.stdout.write(`${renderPlan(plan, { ...textStyleOf(host.stdout), ...shown })}\n`);
    observer.planned(plan);
  };
  const options = { ...lock, service, log, policy, signal, deadline, sequence, file, progress: observer.read };
  const follow = { observer, policy, flags, webhook, begins };
  await followRun(
    command,
    follow,
    (hook) => applySaved({ ...options, begins: hook }),
    ({ warnings: diagnostics = [], ...applied }) => command.tell({ ...appliedPart(applied), diagnostics }),
  );
}

/** The flags that say how a plan file is applied. All others say what to plan, which the file has said already. */
const flagsForApply =
  "format report view endpoint parallelism debug state lockTimeout breakStaleLock sequence expectHead expectPlan deadline autoApprove";

function refuseFlags(flags: object): void {
  const strange = Object.keys(definedFields(flags)).filter((name) => !flagsForApply.split(" ").includes(name));
  if (strange.length === 0) return;
  const written = strange.map((name) => `--${name.replace(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`)}`);
  throw invalidSetting(
    "usage",
    `${written.join(", ")} cannot be used with a plan file. A plan file fixes what apply does.`,
    "Pass it to `roster plan --out FILE`, and apply that file.",
  );
}

/** Whether other guards would let a plan pass is known only when it is made anew. */
function checkGuards(file: PlanFile, policy: Policy): void {
  if (file.policy.guards === guardsDigest(policy)) return;
  const message = "the plan was made with other guards than the settings of this run have";
  const hint = "nothing was sent; use the settings of the plan here too, or plan again with `roster plan --out FILE`";
  throw stopError("refused", "stale", message, hint);
}
