import { type FindingCode, findings } from "../codes/findings.ts";
import type { FindingKind } from "../codes/row.ts";
import type { EmailKey } from "./address.ts";
import { definedFields } from "./collections.ts";
import * as t from "./declare.ts";
import { basis, because, formatSubject, place, subject } from "./fact.ts";
import { sha256 } from "./json.ts";
import { declaredOwnership, name, roleList, time } from "./values.ts";

export type AcceptEntry = t.Static<typeof acceptEntry>;
export const acceptEntry = t.object({
  code: t.string("As in `extra-member:data/cy@acme.example#7f3a90c1d4e5`."),
  reason: t.string(),
  until: t.string("The last day on which it counts, as in `2026-12-31` (UTC)."),
  place,
});

export const accept = t.object(
  "An entry that accepts it under `accept` in a roster file, together with a `reason`. Absent where nobody can.",
  { code: t.string("As in `extra-member:data/cy@acme.example#7f3a90c1d4e5`."), until: t.string("In 30 days.") },
);

export const guarded = t.described(
  t.literal(true),
  "A privileged role or a guard is involved: it can be accepted for at most 30 days. Otherwise absent: 366 days.",
);

/** The first counts, of several entries. */
export const acceptStatuses = ["in-force", "over", "too-long", "other-facts"] as const;

const acceptStatus = t.described(
  t.oneOf(...acceptStatuses),
  "`in-force`: it is accepted. Otherwise it is reported as if there were no entry. `over`: the last day has passed. `too-long`: the last day is too far ahead. `other-facts`: the digits are those of other facts, of another service or of another log.",
);

export const accepted = t.described(
  t.extended({ is: acceptStatus }, acceptEntry),
  "The entry in the roster about it. Absent where the roster has none.",
);

export type Acceptable = t.ObjectOf<typeof acceptable>;
export const acceptable = { accept: t.optional(accept), guarded: t.optional(guarded), accepted: t.optional(accepted) };

export function isAccepted({ accepted }: Acceptable): boolean {
  return accepted?.is === "in-force";
}

export function maxAcceptDays({ guarded }: Acceptable): number {
  return guarded === true ? 30 : 366;
}

export type OutsideChange = t.Static<typeof outsideChange>;
export const outsideChange = t.object(
  "One change that roster did not make. It compares the service with what roster last wrote or saw.",
  {
    is: t.described(
      t.oneOf(
        "roles-changed",
        "privileged-roles-found",
        "privileged-roles-left",
        "key-removed",
        "member-added",
        "member-removed",
        "user-removed",
        "user-replaced",
        "email-changed",
        "account-changed",
        "profile-changed",
        "team-renamed",
      ),
      "What happened. `privileged-roles-found`: the key has privileged roles that the roster does not give; roster never saw the key before. `privileged-roles-left`: the roster gave these roles before, and no longer does. `user-replaced`: another user has the address now.",
    ),
    person: t.optional(
      t.object({ address: t.typed<EmailKey>(t.string("Folded.")), email: t.string() }),
      "The user whose access or account was changed.",
    ),
    team: t.optional(t.string("The name of the team that it is about.")),
    key: t.optional(
      t.object({ prefix: t.string(), isOwn: t.boolean("Whether it is the user's own key.") }),
      "The key that it is about.",
    ),
    gained: t.described(
      roleList,
      "Roles that the service shows now and that roster neither wrote nor saw. Or privileged roles that the roster does not give.",
    ),
    lost: t.described(roleList, "Roles that roster last wrote or saw, and that the service does not show any more."),
    privileged: t.described(roleList, "Those of `gained` that let their holder administer others."),
    to: t.optional(t.string("The new address, account or team name.")),
    fields: t.optional(t.list(t.string(), "The changed fields of a profile.")),
  },
);

export const removals: readonly OutsideChange["is"][] = ["key-removed", "member-removed", "user-removed"];

export const recordedChange = t.inPlace(outsideChange);

export type SeenFinding = t.Static<typeof seenFinding>;
export const seenFinding = t.object({
  fingerprint: name,
  code: name,
  subject: name,
  task: t.optional(t.literal(true)),
  outside: t.optional(t.list(recordedChange, "How it was changed by others.")),
});

/** Whether a call that sets the roles of a key ends what others made of it. A task, or what is about more than this key, is left to the next drift. */
export function isEndedOnKey({ task, outside = [] }: SeenFinding, prefix: string): boolean {
  return task !== true && outside.length > 0 && outside.every(({ key }) => key?.prefix === prefix);
}

/** Something that differed from the roster when a run looked, and still does as far as is known: since when, and under which fingerprint. */
export const openFinding = t.extended({ since: time }, seenFinding);
export type OpenFinding = t.Static<typeof openFinding>;

const findingFields = {
  code: t.typed<FindingCode>(
    t.string("Stable name of the matter, such as `cannot-create-team`. New codes may be added."),
  ),
  fingerprint: t.string("The same across runs for the same matter."),
  subject,
  roles: t.optional(roleList, "Present where it names roles that its subject does not name."),
  message: t.string("What, why and what a person can do."),
  because,
  restsOn: t.list(basis, "The facts it rests on."),
  ownership: t.optional(declaredOwnership),
  suggestedYaml: t.optional(t.string("YAML to paste, where that is a way out.")),
  allow: t.optional(
    t.list(
      t.string(),
      "Present where a person can allow it: the codes for `--allow`, as in `near-duplicate:bo@acme.example#7f3a90c1d4e5`.",
    ),
  ),
  ...acceptable,
};

/** What a person has to know or do, because no call of the interface can. */
export interface Finding extends t.ObjectOf<typeof findingFields> {
  readonly kind: FindingKind;
}

export const findingClasses = ["blocked", "pending", "unmanaged", "information"] as const;

export type FindingClass = (typeof findingClasses)[number];

export interface FindingInput extends Omit<Finding, "kind" | "fingerprint" | keyof Acceptable> {
  readonly kind?: FindingKind | undefined;
  /** Tells it apart from other findings of its code about the same. */
  readonly aspect?: string | undefined;
}

export function createFinding({ kind, aspect, roles, suggestedYaml, ...input }: FindingInput): Finding {
  const { code, subject } = input;
  const matter = [code, formatSubject(subject), aspect ?? (kind === "notice" ? kind : [])].flat();
  return {
    kind: kind ?? findings[code].kind,
    fingerprint: sha256(JSON.stringify(matter)).slice(0, 16),
    ...input,
    ...definedFields({ roles: roles?.length === 0 ? undefined : roles, suggestedYaml }),
  };
}

export function isOpenProblem(finding: Finding): boolean {
  return finding.kind === "task" && !isAccepted(finding);
}

/** A map: a saved plan may name any code, also one that every object has, such as `__proto__`. */
const otherClasses: ReadonlyMap<FindingCode, FindingClass> = new Map([
  ["invitation-pending", "pending"],
  ["write-pending", "pending"],
  ["unmanaged", "unmanaged"],
  ["unmanaged-privilege", "unmanaged"],
  ["unmanaged-key-changed", "unmanaged"],
]);

export function findingClass({ code, kind }: Pick<Finding, "code" | "kind">): FindingClass {
  return otherClasses.get(code) ?? (kind === "task" ? "blocked" : "information");
}

/** A member too many has to be removed, also where nothing is left to that member. */
export function isTask({ code, kind }: Pick<Finding, "code" | "kind">): boolean {
  return code === "extra-member" || (kind === "task" && code !== "write-pending");
}

const writtenFinding = t.object("Tasks, which the API cannot do, and notices.", {
  class: t.oneOf(...findingClasses),
  blocking: t.boolean(
    "True if the service cannot get what the roster asks for, or if a person has access that it denies.",
  ),
  ...findingFields,
});
export const finding = t.converted<Finding, t.Static<typeof writtenFinding>>(
  writtenFinding,
  ({ kind, ...finding }) => ({
    ...finding,
    class: findingClass({ code: finding.code, kind }),
    blocking: kind === "task",
  }),
  ({ class: _, blocking, ...finding }) => ({ ...finding, kind: blocking ? "task" : "notice" }),
);

/** A change that was made by others, and that a later run did not see any more. Times are in ISO 8601. */
export interface EndedChange {
  readonly change: OutsideChange;
  readonly since: string;
  readonly endedAt: string;
  /** `repaired`: a call of that run changed it back. `in-roster`: the roster has it now. `gone`: roster sent no call about it. */
  readonly how: "repaired" | "in-roster" | "gone";
  readonly run: string;
  readonly by: string | undefined;
}
