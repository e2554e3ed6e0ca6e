import { type FindingCode, findings } from "../codes/findings.ts";
import type { FindingKind } from "../codes/row.ts";
import { acceptable, isAccepted } from "./accept.ts";
import { declaredOwnership } from "./action.ts";
import { definedFields } from "./collections.ts";
import * as t from "./declare.ts";
import { because } from "./fact.ts";
import { roleList } from "./role-set.ts";
import { sha256 } from "./sha256.ts";
import { basis, formatSubject, subject } from "./subject.ts";

const findingFields = {
  code: t.typed<FindingCode>(
    t.string("Stable name of the matter, such as `cannot-create-team`. New codes may be added."),
  ),
  fingerprint: t.string("The same across runs for the same matter."),
  subject,
  roles: t.optional(t.described(roleList, "Present where it names roles that its subject does not name.")),
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

export interface FindingInput
  extends Pick<Finding, "code" | "subject" | "roles" | "message" | "because" | "restsOn" | "allow" | "ownership"> {
  readonly suggestedYaml?: string | undefined;
  readonly kind?: FindingKind | undefined;
  /** Tells it apart from other findings of its code about the same: what was accepted of one was not of the other. */
  readonly aspect?: string | undefined;
}

export function createFinding({ kind, aspect, roles, suggestedYaml, ...input }: FindingInput): Finding {
  const { code, subject } = input;
  const apart = aspect ?? (kind === "notice" ? "notice" : undefined);
  const matter = [code, formatSubject(subject), ...(apart === undefined ? [] : [apart])];
  const fingerprint = sha256(JSON.stringify(matter)).slice(0, 16);
  const given = roles === undefined || roles.length === 0 ? undefined : roles;
  return {
    kind: kind ?? findings[code].kind,
    fingerprint,
    ...input,
    ...definedFields({ roles: given, suggestedYaml }),
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

/** Whether a finding is something that people have to do. A member too many has to be removed, also where nothing is left to that member. */
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
