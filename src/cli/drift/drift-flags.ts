import type { DriftClass } from "../../model/drift.ts";
import { problem, type Result, success } from "../../model/result.ts";
import { closestMatch } from "../../model/similarity.ts";
import type { PlanningFlags } from "../planning/prepare.ts";
import { type CommandError, invalidSetting } from "../stop.ts";
import type { LockFlags } from "../stores/lock-patience.ts";
import type { WebhookFlags } from "../webhook/read-webhook.ts";

export interface DriftFlags extends PlanningFlags, LockFlags, WebhookFlags {
  readonly onlyNew?: boolean;
  /** False where nothing is to be written. */
  readonly record?: boolean;
  readonly heal?: readonly string[];
  readonly autoApprove?: boolean;
}

const healable = ["tampered", "to-apply"] as const;

/** The classes to heal; undefined where none is. What calls cannot correct cannot be healed. */
export function readHealClasses(flags: DriftFlags): Result<ReadonlySet<DriftClass> | undefined, CommandError> {
  const { heal, record, autoApprove, onlyNew } = flags;
  if (heal === undefined) return autoApprove === true ? problem(nothingToApprove) : success(undefined);
  if (record === false) return problem(contradiction);
  if (onlyNew === true) return problem(partOfPart);
  const classes = new Set<DriftClass>();
  for (const word of heal.flatMap((text) => text.split(",")).map((text) => text.trim())) {
    const known = healable.find((name) => name === word);
    if (known === undefined) return problem(notHealable(word));
    classes.add(known);
  }
  return success(classes);
}

const contradiction = invalidSetting(
  "heal-without-record",
  "--heal makes calls, each of which is recorded before it is sent, and --no-record writes nothing.",
  "Leave one of them out.",
);

const partOfPart = invalidSetting(
  "heal-with-only-new",
  "--only-new is about what is told, and --heal applies what is of a class, new or not.",
  "Leave one of them out.",
);

const nothingToApprove = invalidSetting(
  "nothing-to-approve",
  "--auto-approve approves what --heal applies, and nothing is to be healed.",
  "Say what to heal, such as --heal tampered.",
);

function notHealable(word: string): CommandError {
  const close = closestMatch(word, healable);
  return invalidSetting(
    "not-healable",
    `--heal ${word} is not a class that calls can correct.`,
    close === undefined ? `Write --heal ${healable.join(" or --heal ")}.` : `Did you mean ${close}?`,
  );
}
