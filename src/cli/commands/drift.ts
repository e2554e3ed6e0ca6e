import { drift as findDrift } from "../../library/drift.ts";
import { invalidSetting, suggest } from "../../library/error.ts";
import type { LockOptions } from "../../library/log.ts";
import { basisOf } from "../../library/plan.ts";
import { formatLockHolder } from "../../log/lock-holder.ts";
import { stopwatch } from "../../ports/clock.ts";
import { reportedItems } from "../../report/document/drift.ts";
import { safe } from "../../report/safe.ts";
import { type Flags, readDeadline } from "../flags.ts";
import { applyAndFollow } from "../follow-run.ts";
import { readLockOptions } from "../log.ts";
import { openPlanning, type Planning } from "../open.ts";
import { accessDrawer, shownAs } from "../planning.ts";
import { type Command, planAgain } from "../run-command.ts";
import { notifyDrift, readWebhook } from "../webhook.ts";

/** Locks the log only to remember what it saw, and only where it can. With classes to repair it is an apply of these. */
export async function drift(command: Command, paths: readonly string[], given: Flags): Promise<void> {
  const { host } = command;
  const elapsed = stopwatch(host.clock);
  // A drift reads all users: a command that it prints need not say so.
  const flags = { ...given, unmanaged: true, planAgain: planAgain(paths, given, host) };
  command.tell({ tells: "what-remains" });
  const webhook = readWebhook(host);
  const limit = readDeadline(flags) ?? Number.POSITIVE_INFINITY;
  command.afterwards(async (ended) => {
    const attempts = elapsed() >= limit ? "one" : "several";
    if (webhook !== undefined) await notifyDrift(webhook, ended, { flags, host, attempts });
  });
  const lock = readLockOptions(flags, host);
  const repair = readRepairClasses(flags);
  const planning = await openPlanning(command, paths, flags);
  if (repair === undefined) return reportDrift(command, planning, flags, lock);
  await applyAndFollow(command, planning, { flags, lock, webhook, repair });
}

async function reportDrift(
  command: Command,
  { options, observer }: Planning,
  flags: Flags,
  lock: LockOptions,
): Promise<void> {
  const { policy, roster: loaded } = options;
  const found = await findDrift({
    ...options,
    ...lock,
    record: flags.record === false ? "nothing" : "log",
    holder(holder) {
      const held = safe(formatLockHolder(holder));
      const shown = `The log is locked ${held}. Calls in progress show as pending, and later ones as not applied.\n`;
      command.host.stderr.write(shown);
    },
    planned: ({ plan }) => observer.planned(plan),
  });
  const { plan, reading, refusal, drift, tasks, record, head } = found;
  // A plan that guards refuse is reported all the same.
  const warnings = (refusal?.diagnostics ?? []).map((one) => ({ ...one, severity: "warning" }) as const);
  const shows = flags.onlyNew === true ? "what-is-new" : "everything";
  const report = { drift, tasks, record, shows } as const;
  const drawn = await accessDrawer(flags);
  const access = drawn?.(basisOf(found), {}, { ...drift, items: reportedItems(report) });
  command.tell({
    plan,
    reading,
    access: access && { ...access, head },
    diagnostics: [...loaded.warnings, ...warnings],
    ...shownAs(flags, policy),
    drift: report,
    head,
  });
}

const repairable = ["tampered", "unapplied"] as const;

function readRepairClasses(flags: Flags): readonly (typeof repairable)[number][] | undefined {
  const { repair, record, autoApprove, onlyNew } = flags;
  const wrong = (message: string, hint = "Remove one of the two flags.") => invalidSetting("usage", message, hint);
  if (repair === undefined && autoApprove === true)
    throw wrong("--auto-approve needs --repair.", "Add the class to repair, such as --repair tampered.");
  if (repair === undefined) return undefined;
  if (record === false) throw wrong("--repair records its calls, and --no-record records nothing.");
  if (onlyNew === true) throw wrong("--only-new limits the report, but --repair applies all drift of a class.");
  const words = new Set(repair.flatMap((text) => text.split(",")).map((text) => text.trim()));
  return [...words].map((word) => {
    const known = repairable.find((name) => name === word);
    if (known !== undefined) return known;
    const forms = "Write --repair tampered (changed by others) or --repair unapplied (never applied).";
    const hint = suggest(word, repairable, forms);
    throw invalidSetting("bad-flag-value", `--repair: roster cannot repair "${word}".`, hint);
  });
}
