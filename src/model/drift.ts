import type { FindingCode } from "../codes/findings.ts";
import { type AcceptEntry, acceptable, isAccepted } from "./accept.ts";
import { type Action, type ActionId, declaredOwnership } from "./action.ts";
import type { EmailKey } from "./address.ts";
import {
  anyOf,
  count,
  described,
  list,
  literal,
  object,
  oneOf,
  optional,
  type Static,
  string,
  typed,
} from "./declare.ts";
import { type Finding, type FindingClass, findingClasses } from "./finding.ts";
import { outsideChange } from "./outside-change.ts";
import { type RoleSet, roleSet } from "./role-set.ts";
import { subject } from "./subject.ts";

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

const address = typed<EmailKey>(string("Folded."));

const since = string("ISO 8601, when a recorded run first saw it. Absent if it is new.");
const owner = string("Who is to see to it: the owner, else the admin of the team or the holder of the key.");

const taskFields = {
  fingerprint: string("The same for the same matter in every run; that of the finding, where it is one."),
  code: typed<FindingCode | Action["kind"]>(string("The code of the finding, or the kind of the action.")),
  subject,
  since: optional(since),
  owner: optional(owner),
};

/** What is left to a person, in short. */
export const openTask = object(taskFields);

export type DriftItem = Static<typeof driftItem>;
export const driftItem = object({
  ...taskFields,
  class: typed<DriftClass>(
    string(
      "`tampered`: changed outside roster since roster last wrote or saw it; `outside` says how. `unapplied`: in the roster, but not applied yet. Otherwise the class of the finding, or `pending` if another run works on it.",
    ),
  ),
  counts: described(oneOf("change", "blocking", "nothing"), "How the exit code counts it if it is not accepted."),
  of: anyOf(
    typed<{ readonly is: "finding"; readonly finding: Finding }>(
      object("The finding of the plan with its fingerprint.", { is: literal("finding") }),
    ),
    object("An action of the plan, or the part of it that is one person's.", {
      is: literal("action"),
      action: typed<ActionId>(string()),
      person: optional(address),
    }),
  ),
  outside: optional(
    list(
      outsideChange,
      "What was changed in the service and not by roster, and privileged roles that the roster does not give. Items of other classes than `tampered` have it only for privileged roles.",
    ),
  ),
  ownership: optional(declaredOwnership),
  ...acceptable,
});

export function privilegesGained({ outside = [] }: DriftItem): RoleSet {
  return roleSet(outside.flatMap(({ privileged }) => privileged));
}

export type CoverageCount = Static<typeof covered>;
export const covered = object({
  shown: count("How many the service shows."),
  named: count("How many of them the roster names."),
});

export type Coverage = Static<typeof coverage>;
export const coverage = object(
  "How many of what the service shows the roster names. `teams` and `keys` are absent where the service does not show them.",
  {
    users: described(covered, "Of people who are not deleted."),
    teams: optional(described(covered, "Of teams that keys show.")),
    keys: optional(described(covered, "Of keys that are not deleted: those that the roster lists or leads to.")),
    without: optional(
      described(
        literal("owner-of-key-in-use"),
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

export type ClosedTask = Static<typeof closedTask>;
export const closedTask = object({
  fingerprint: string(),
  code: string(),
  subject: string(),
  since,
  owner: optional(owner),
});

/** Whether the drift is recorded in the state. `known`: there was nothing new to record. */
export type DriftRecording =
  | { readonly is: "recorded" | "known" | "not-wanted" }
  | { readonly is: "not-recorded"; readonly why: string };
