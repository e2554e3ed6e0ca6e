import { drift as findDrift } from "../../library/drift.ts";
import { invalidSetting } from "../../library/error.ts";
import { basisOf } from "../../library/plan.ts";
import { closestMatch } from "../../model/address.ts";
import { formatLockHolder, type LockHolder } from "../../model/state.ts";
import { stopwatch } from "../../ports/clock.ts";
import { safe } from "../../report/safe.ts";
import { applyAndFollow } from "../apply/follow-run.ts";
import type { Flags } from "../flags.ts";
import type { Host } from "../host.ts";
import { readLockOptions } from "../log.ts";
import { openPlanning } from "../open.ts";
import { drawnAccess } from "../planning/access-map-of.ts";
import { appliedPart, type Command, type FinishedCommand, runCommand } from "../run-command.ts";
import { readDeadline } from "../time-limits.ts";
import { notifyDrift, readWebhook, type Webhook } from "../webhook.ts";

/** Locks the log only to remember what it saw, and only where it can. With classes to repair it is an apply of these. */
export async function drift(paths: readonly string[], flags: Flags, host: Host): Promise<FinishedCommand> {
  let webhook: Webhook | undefined;
  const elapsed = stopwatch(host.clock);
  let limit: number | undefined;
  const ended = await runCommand(
    "drift",
    flags,
    host,
    async (command) => {
      webhook = readWebhook(host);
      limit = readDeadline(flags);
      await checkAndRepair(command, paths, flags, webhook);
    },
    "what-remains",
  );
  const attempts = limit !== undefined && elapsed() >= limit ? "one" : "several";
  if (webhook !== undefined) await notifyDrift(webhook, ended, { flags, host, attempts });
  return ended;
}

async function checkAndRepair(
  command: Command,
  paths: readonly string[],
  given: Flags,
  webhook: Webhook | undefined,
): Promise<void> {
  const { host } = command;
  const lock = readLockOptions(given, host);
  const repair = readRepairClasses(given);
  const flags = { ...given, unmanaged: true };
  const planning = await openPlanning(command, paths, flags);
  const { options, observer } = planning;
  const { policy, roster: loaded } = options;
  if (repair !== undefined)
    return applyAndFollow(command, planning, { flags, lock, webhook, repair }, ({ found, ...applied }) =>
      command.tell({
        ...appliedPart(applied),
        drift: found && { ...found, shows: "everything", repairing: repair },
      }),
    );
  const found = await findDrift({
    ...options,
    ...lock,
    record: flags.record === false ? "nothing" : "log",
    holder: (holder) => reportHolder(holder, host),
    planned: ({ plan }) => observer.planned(plan),
  });
  const { plan, reading, refusal, drift, tasks, record, head } = found;
  // A plan that guards refuse is reported all the same.
  const warnings = (refusal?.diagnostics ?? []).map((one) => ({ ...one, severity: "warning" }) as const);
  const shows = flags.onlyNew === true ? "what-is-new" : "everything";
  const access = drawnAccess(flags, { loaded, policy, planned: basisOf(found) }, drift);
  command.tell({
    plan,
    reading,
    access: access && { ...access, head },
    diagnostics: [...loaded.warnings, ...warnings],
    privilegedRoles: policy.privilegedRoles,
    drift: { drift, tasks, record, shows },
    head,
  });
}

function reportHolder(holder: LockHolder, { stderr }: Host): void {
  const held = safe(formatLockHolder(holder));
  stderr.write(`The log is locked ${held}. Calls in progress show as pending, and later ones as not applied.\n`);
}

const repairable = ["tampered", "unapplied"] as const;

function readRepairClasses(flags: Flags): readonly (typeof repairable)[number][] | undefined {
  const { repair, record, autoApprove, onlyNew } = flags;
  if (repair === undefined && autoApprove === true)
    throw invalidSetting(
      "usage",
      "--auto-approve needs --repair.",
      "Add the class to repair, such as --repair tampered.",
    );
  if (repair === undefined) return undefined;
  const conflict = "Remove one of the two flags.";
  if (record === false)
    throw invalidSetting("usage", "--repair records its calls, and --no-record records nothing.", conflict);
  if (onlyNew === true)
    throw invalidSetting("usage", "--only-new limits the report, but --repair applies all drift of a class.", conflict);
  const words = repair.flatMap((text) => text.split(",")).map((text) => text.trim());
  return [...new Set(words.map(repairClass))];
}

function repairClass(word: string): (typeof repairable)[number] {
  const known = repairable.find((name) => name === word);
  if (known !== undefined) return known;
  const close = closestMatch(word, repairable);
  throw invalidSetting(
    "bad-flag-value",
    `--repair ${word} is not a class that roster can repair.`,
    close === undefined ? `Write --repair ${repairable.join(" or --repair ")}.` : `Did you mean ${close}?`,
  );
}
