import type { Action, ReplaceRoles } from "../model/action.ts";
import { factValue } from "../model/fact.ts";
import type { PlanRefusal } from "../model/plan.ts";
import { type Result, success } from "../model/result.ts";
import { orderByDependencies } from "./actions.ts";
import type { PlanContext } from "./context.ts";
import { findUnmanagedUsers } from "./drift/unmanaged.ts";
import type { FindingDraft } from "./finding-draft.ts";
import { chooseFounders, type Founders } from "./founding/founders.ts";
import type { ManagedKey } from "./guards/guard-types.ts";
import { currentRoles, type TeamIdentities } from "./identities.ts";
import { findMistakenKeys } from "./keys/declared-keys.ts";
import {
  type DesiredRolesResult,
  desiredListedKeyRoles,
  desiredOwnKeyRoles,
  desiredTeamKeyRoles,
  findEmptiedKeys,
  type KnownKeyUpdate,
} from "./keys/desired-roles.ts";
import { findInvalidRoles } from "./keys/invalid-roles.ts";
import { planKeyUpdates } from "./keys/key-updates.ts";
import { desiredRemovalRoles, findExtraMembers, listExtraMembers } from "./memberships/extra-members.ts";
import { planMemberships } from "./memberships/memberships.ts";
import { findDroppedUsers, findUpcomingLeavers, listedKeysInUse, planOffboarding } from "./offboarding/offboarding.ts";
import { type Selection, selectCreations } from "./selection.ts";
import { identifyTeams } from "./teams/teams.ts";
import { findRecordedFacts } from "./unobserved.ts";
import { planCreations } from "./users/creations.ts";
import { compareProfiles, identifyUsers } from "./users/users.ts";

/** All that the roster asks for and calls can do, apart from what guards hold already. */
export interface PlanDraft {
  /** Each after those that it depends on. */
  readonly actions: readonly Action[];
  readonly findings: readonly FindingDraft[];
  readonly teams: TeamIdentities;
  readonly founders: Founders;
  readonly managedKeys: readonly ManagedKey[];
}

/** Compares what is wanted with what was read, step by step. */
export function draftPlan(context: PlanContext, selection: Selection): Result<PlanDraft, PlanRefusal> {
  const { roster } = context;
  const { people, findings: aboutPeople } = identifyUsers(context);
  const { teams, findings: aboutTeams } = identifyTeams(context);
  const founders = chooseFounders(teams, people, context);
  const choice = selectCreations(roster, people, founders, selection);
  if (!choice.ok) return choice;
  const chosen = choice.value;

  const creations = planCreations(context, people, chosen);
  const memberships = planMemberships(teams, { context, people, founders, chosen, selection });
  const extra = listExtraMembers(teams, context);
  const leavers = planOffboarding(context, teams, [
    ...memberships.seats.map((seat) => desiredTeamKeyRoles(seat, creations.sent)),
    ...[...people.values()].map((person) => desiredOwnKeyRoles(person, chosen.creations, context)),
    ...listedKeysInUse(context).map((entry) => desiredListedKeyRoles(entry, context, people)),
  ]);
  const disarming = [...leavers.wishes, ...desiredRemovalRoles(extra, teams, context)];
  const wished = [...disarming, ...leavers.wished];
  const replacements = planKeyUpdates(wished, context, selection);
  const [disarms, others] = partition(replacements.actions, disarming);
  return success({
    actions: orderByDependencies([...disarms, ...creations.actions, ...memberships.actions, ...others]),
    findings: [
      ...leavers.findings,
      ...findDroppedUsers(context),
      ...aboutPeople,
      ...findUpcomingLeavers(context),
      ...compareProfiles(people),
      ...aboutTeams,
      ...founders.findings,
      ...chosen.findings,
      ...creations.findings,
      ...memberships.findings,
      ...findExtraMembers(extra, context),
      ...findInvalidRoles(roster, context.facts),
      ...findMistakenKeys(people, teams, context),
      ...replacements.findings,
      ...findEmptiedKeys({ people, seats: memberships.seats, wished, context }),
      ...findRecordedFacts(memberships.seats, wished, context),
      ...findUnmanagedUsers(context),
    ],
    teams,
    founders,
    managedKeys: managedKeys(wished, context),
  });
}

/** Whoever is to hold nothing comes first: nothing that the roster asks for waits for that. */
function partition(
  actions: readonly ReplaceRoles[],
  disarming: readonly KnownKeyUpdate[],
): readonly [readonly ReplaceRoles[], readonly ReplaceRoles[]] {
  const prefixes = new Set(disarming.map(({ key }) => key.value));
  const isFirst = ({ key }: ReplaceRoles) => key.of === "prefix" && prefixes.has(factValue(key.prefix) ?? "");
  return [actions.filter(isFirst), actions.filter((action) => !isFirst(action))];
}

function managedKeys(wished: readonly DesiredRolesResult[], { state }: PlanContext): readonly ManagedKey[] {
  const keys = wished.flatMap((wish) =>
    wish?.is === "known" ? [{ prefix: wish.key.value, before: currentRoles(wish.key, state) }] : [],
  );
  return [...new Map(keys.map((key) => [key.prefix, key])).values()];
}
