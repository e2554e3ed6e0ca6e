import type { RosterKey } from "../../model/roster.ts";
import type { FindingDraft } from "../draft.ts";
import type { DesiredRolesResult, KnownKeyUpdate } from "../key-wishes.ts";
import type { PlanContext } from "../question.ts";
import type { TeamIdentities } from "../team-identity.ts";
import { locateLeavers } from "./found-leavers.ts";
import { resolveKeyConflicts } from "./give-way.ts";
import { teamOfKeyLookup } from "./team-of-key.ts";
import { reportLeaver } from "./tell-leavers.ts";
import { desiredLeaverRoles } from "./wish-leavers.ts";

export interface OffboardingPlan {
  readonly wishes: readonly KnownKeyUpdate[];
  /** What others wish for, as far as it does not keep a leaver's key in use. */
  readonly wished: readonly DesiredRolesResult[];
  readonly findings: readonly FindingDraft[];
}

/** Whoever is to hold nothing: what calls can do about it, and what only people can. */
export function planOffboarding(
  context: PlanContext,
  teams: TeamIdentities,
  wished: readonly DesiredRolesResult[],
): OffboardingPlan {
  const found = locateLeavers(context);
  const teamOf = found.length === 0 ? () => undefined : teamOfKeyLookup(teams, context);
  const wishes = found.flatMap((one) => desiredLeaverRoles(one, context, teamOf));
  const given = resolveKeyConflicts(wishes, wished);
  const told = found.flatMap((one) => reportLeaver(one, context));
  return { wishes, wished: given.wished, findings: [...told, ...given.findings] };
}

/** The keys of the roster's list, apart from those of leavers, which count as theirs: they have no roles, and may be gone. */
export function listedKeysInUse({ roster, facts }: PlanContext): readonly RosterKey[] {
  return roster.keys.filter(({ prefix, owner }) => {
    if (owner === undefined || !roster.leavers.has(owner.value)) return true;
    const holder = facts.keyPrefixed(prefix)?.holder.address;
    return holder !== undefined && holder !== owner.value;
  });
}
