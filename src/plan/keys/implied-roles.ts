import { distinctReasons, type Fact } from "../../model/fact.ts";
import { formatRoles, type RoleSet, roleSet, rolesWithout, sameRoles } from "../../model/role-set.ts";
import type { RecordedKey } from "../../model/state.ts";
import { keySubject, serviceSubject } from "../../model/subject.ts";
import type { PlanContext } from "../context.ts";
import { type FindingDraft, joinList } from "../finding-draft.ts";
import { rolesBasis } from "../identities.ts";
import type { KnownKeyUpdate } from "./desired-roles.ts";

/** A key on which the service keeps roles that the roster does not ask for, whatever is asked of it. */
export interface ImpliedRoles {
  /** The wishes that lead to the key; never empty. */
  readonly group: readonly KnownKeyUpdate[];
  readonly before: Fact<RoleSet>;
  /** What the key carries beyond what was asked for. */
  readonly beyond: RoleSet;
}

/** The service was asked for these roles before and made of them what it shows now, and it would do so again. */
export function impliedRoles(
  group: readonly KnownKeyUpdate[],
  before: Fact<RoleSet>,
  record: RecordedKey | undefined,
): ImpliedRoles | undefined {
  if (record?.readAs === undefined || before.known !== "observed") return undefined;
  const { put, readAs } = record;
  const isAsAsked = sameRoles(put, group[0]?.roles ?? []) && rolesWithout(put, readAs).length === 0;
  return isAsAsked && sameRoles(readAs, before.value)
    ? { group, before, beyond: rolesWithout(readAs, put) }
    : undefined;
}

/** One notice of what the service does to its keys; each key on which a privileged role stays is a matter of its own. */
export function reportImpliedRoles(
  implied: readonly ImpliedRoles[],
  { policy, snapshot }: PlanContext,
): readonly FindingDraft[] {
  const privileges = ({ beyond }: ImpliedRoles) => beyond.filter((role) => policy.privilegedRoles.includes(role));
  const harmless = implied.filter((one) => privileges(one).length === 0);
  return [
    ...implied.filter((one) => privileges(one).length > 0).map((one) => impliedPrivilegeFinding(one, privileges(one))),
    ...(harmless.length === 0 ? [] : [harmlessImpliedFinding(harmless, snapshot.service)]),
  ];
}

function impliedPrivilegeFinding({ group, before }: ImpliedRoles, privileges: RoleSet): FindingDraft {
  const subject = keySubject(impliedPrefix(group));
  const message =
    `The key ${impliedPrefix(group)} was given ${formatRoles(group[0]?.roles ?? [])} and still carries ${joinList(privileges)}: the service ` +
    "keeps that on it whatever is asked of it, so somebody holds access that the roster denies. Have it taken away by hand, or write it into the roster.";
  return {
    code: "roles-implied",
    subject,
    message,
    deniedAccess: true,
    because: groupReasons(group),
    restsOn: [rolesBasis(impliedPrefix(group), before)],
    concerns: group.map(({ concern }) => concern),
  };
}

function harmlessImpliedFinding(implied: readonly ImpliedRoles[], service: string): FindingDraft {
  const beyond = joinList(roleSet(implied.flatMap((one) => one.beyond)));
  const keys = implied.length === 1 ? "1 key reads" : `${implied.length} keys read`;
  const message =
    `The service keeps ${beyond} on keys by itself, whatever is asked of it: ${keys} the same as after our last replacement of their roles. ` +
    "Nothing is asked again; write these roles into the roster to silence this notice.";
  return {
    code: "roles-implied",
    subject: serviceSubject(service),
    message,
    because: groupReasons(implied.flatMap(({ group }) => group)),
    restsOn: implied.map(({ group, before }) => rolesBasis(impliedPrefix(group), before)),
    concerns: implied.flatMap(({ group }) => group.map(({ concern }) => concern)),
  };
}

function groupReasons(wishes: readonly KnownKeyUpdate[]): FindingDraft["because"] {
  return distinctReasons(wishes.flatMap(({ because }) => because));
}

function impliedPrefix(group: ImpliedRoles["group"]): string {
  return group[0]?.key.value ?? "";
}
