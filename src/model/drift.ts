import type { FindingCode } from "../codes/findings.ts";
import type { EmailKey } from "./address.ts";
import * as t from "./declare.ts";
import { subject } from "./fact.ts";
import {
  type AcceptEntry,
  acceptable,
  type Finding,
  type FindingClass,
  findingClasses,
  isAccepted,
  outsideChange,
} from "./finding.ts";
import type { Action, ActionId } from "./plan.ts";
import { declaredOwnership, type RoleSet, roleSet } from "./values.ts";

/**
 * Why the service differs from the roster. `tampered`: it was changed outside roster since roster last wrote or saw it.
 * `unapplied`: it is in the roster, and nobody has ever done it. The others are those of findings.
 */
export type DriftClass = "tampered" | "unapplied" | FindingClass;

export const driftClasses: readonly DriftClass[] = ["tampered", "unapplied", ...findingClasses];

export function byDriftClass<T>(of: (name: DriftClass) => T): Readonly<Record<DriftClass, T>> {
  return {
    tampered: of("tampered"),
    unapplied: of("unapplied"),
    blocked: of("blocked"),
    pending: of("pending"),
    unmanaged: of("unmanaged"),
    information: of("information"),
  };
}

export interface Drift {
  /** One for each finding, each action, and each person of an addition of members. Privileged gains first, then actions and findings in the order of the plan. */
  readonly items: readonly DriftItem[];
  readonly coverage: Coverage;
  /** Entries under `accept:` that fit nothing: the finding is closed, or it never was. */
  readonly unusedAccepts: readonly AcceptEntry[];
}

const address = t.typed<EmailKey>(t.string("Folded."));

const since = t.string("ISO 8601, when a recorded run first saw it. Absent if it is new.");
const owner = t.string("Who is to see to it: the owner, else the admin of the team or the holder of the key.");

const taskFields = {
  fingerprint: t.string("The same for the same matter in every run; that of the finding, where it is one."),
  code: t.typed<FindingCode | Action["kind"]>(t.string("The code of the finding, or the kind of the action.")),
  subject,
  since: t.optional(since),
  owner: t.optional(owner),
};

/** What is left to a person, in short. */
export const openTask = t.object(taskFields);

export type DriftItem = t.Static<typeof driftItem>;
export const driftItem = t.object({
  ...taskFields,
  class: t.typed<DriftClass>(
    t.string(
      "`tampered`: changed outside roster since roster last wrote or saw it; `outside` says how. `unapplied`: in the roster, but not applied yet. Otherwise the class of the finding, or `pending` if another run works on it.",
    ),
  ),
  counts: t.described(t.oneOf("change", "blocking", "nothing"), "How the exit code counts it if it is not accepted."),
  of: t.anyOf(
    t.typed<{ readonly is: "finding"; readonly finding: Finding }>(
      t.object("The finding of the plan with its fingerprint.", { is: t.literal("finding") }),
    ),
    t.object("An action of the plan, or the part of it that is one person's.", {
      is: t.literal("action"),
      action: t.typed<ActionId>(t.string()),
      person: t.optional(address),
    }),
  ),
  outside: t.optional(
    t.list(
      outsideChange,
      "What was changed in the service and not by roster, and privileged roles that the roster does not give. Items of other classes than `tampered` have it only for privileged roles.",
    ),
  ),
  ownership: t.optional(declaredOwnership),
  ...acceptable,
});

export function privilegesGained({ outside = [] }: DriftItem): RoleSet {
  return roleSet(outside.flatMap(({ privileged }) => privileged));
}

export type CoverageCount = t.Static<typeof covered>;
export const covered = t.object({
  shown: t.count("How many the service shows."),
  named: t.count("How many of them the roster names."),
});

export type Coverage = t.Static<typeof coverage>;
export const coverage = t.object(
  "How many of what the service shows the roster names. `teams` and `keys` are absent where the service does not show them.",
  {
    users: t.described(covered, "Of people who are not deleted."),
    teams: t.optional(t.described(covered, "Of teams that keys show.")),
    keys: t.optional(t.described(covered, "Of keys that are not deleted: those that the roster lists or leads to.")),
    without: t.optional(
      t.described(
        t.literal("owner-of-key-in-use"),
        "The roster does not name the owner of the API key in use. That user and key are not counted.",
      ),
    ),
  },
);

export type CountingItem = DriftItem & { readonly counts: "change" | "blocking" };

export function countsInExitCode(item: DriftItem): item is CountingItem {
  return item.counts !== "nothing" && !isAccepted(item);
}

export interface Tasks {
  /** Findings, oldest first. Without what is accepted. */
  readonly open: readonly DriftItem[];
  /** What recorded runs saw, and what this read proves to be gone. */
  readonly closed: readonly ClosedTask[];
}

export type ClosedTask = t.Static<typeof closedTask>;
export const closedTask = t.object({
  fingerprint: t.string(),
  code: t.string(),
  subject: t.string(),
  since,
  owner: t.optional(owner),
});

/** Whether the drift is recorded in the state. `known`: there was nothing new to record. */
export type DriftRecording =
  | { readonly is: "recorded" | "known" | "not-wanted" }
  | { readonly is: "not-recorded"; readonly why: string };
