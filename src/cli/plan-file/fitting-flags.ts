import { type CommandError, invalidSetting } from "../stop.ts";

/** The flags that say how a plan file is applied. All others say what to plan, which the file has said already. */
const flagsForApply: ReadonlySet<string> = new Set([
  "format",
  "report",
  "title",
  "view",
  "endpoint",
  "parallelism",
  "consistency",
  "debug",
  "state",
  "lockTimeout",
  "takeDeadLock",
  "sequence",
  "deadline",
  "autoApprove",
]);

/** Refuses flags that would shape a plan: nothing that is said is passed over. */
export function refusedFlags(flags: object): CommandError | undefined {
  const strange = Object.entries(flags).flatMap(([name, said]) =>
    said === undefined || flagsForApply.has(name)
      ? []
      : [`--${name.replace(/[A-Z]/gu, (letter) => `-${letter.toLowerCase()}`)}`],
  );
  if (strange.length === 0) return undefined;
  return invalidSetting(
    "plan-file-has-said",
    `${strange.join(", ")} cannot be said of a plan file: what it does was settled when it was made.`,
    "Say it to `roster plan --out FILE`, and apply that file.",
  );
}
