import { distinctReasons } from "../../model/fact.ts";
import type { FindingDraft } from "../draft.ts";
import type { DesiredRolesResult, KnownKeyUpdate } from "../key-wishes.ts";
import { formatRoles, keySubject } from "../subjects.ts";

/** What is still wished for where a key is shown as a leaver's: nobody's wish for roles on it counts, and each is told. */
export interface ResolvedConflicts {
  readonly wished: readonly DesiredRolesResult[];
  readonly findings: readonly FindingDraft[];
}

/** Where only a record or the roster says whose a key is, the wishes contradict each other, and nothing is done. */
export function resolveKeyConflicts(
  leavers: readonly KnownKeyUpdate[],
  wished: readonly DesiredRolesResult[],
): ResolvedConflicts {
  const shown = new Map(
    leavers.filter(({ key }) => key.prefix.known === "observed").map((one) => [one.key.value, one]),
  );
  const kept: DesiredRolesResult[] = [];
  const findings: FindingDraft[] = [];
  for (const wish of wished) {
    const leaver = wish?.is === "known" ? shown.get(wish.key.value) : undefined;
    if (wish?.is !== "known" || leaver === undefined) kept.push(wish);
    else if (wish.roles.length > 0) findings.push(leaverKeyConflict(leaver, wish));
  }
  return { wished: kept, findings };
}

function leaverKeyConflict({ key, holder, because, concern }: KnownKeyUpdate, wish: KnownKeyUpdate): FindingDraft {
  const message =
    `The key ${key.value} is one of ${holder?.email ?? concern.address}, a leaver, and is to have ${formatRoles(wish.roles)} all the same. A leaver holds ` +
    "nothing, so it is given no roles: have a key of somebody else made for what it is used for, and take this one out of here.";
  return {
    code: "conflicting-roles",
    subject: keySubject(key.value),
    message,
    because: distinctReasons([...wish.because, ...because]),
    concerns: [concern, wish.concern],
  };
}
