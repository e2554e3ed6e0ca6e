import type { Action, ReplaceRoles } from "../model/action.ts";
import { factValue } from "../model/fact.ts";
import type { PlanRefusal } from "../model/plan.ts";
import { type Result, success } from "../model/result.ts";
import { chooseCreations } from "./chosen.ts";
import { planCreations } from "./creations.ts";
import { findMistakenKeys } from "./declared-keys.ts";
import type { Draft } from "./draft.ts";
import { findDropped } from "./dropped.ts";
import { findEmptied } from "./emptied-keys.ts";
import { extraMembers, findExtraMembers } from "./extra-members.ts";
import { chooseFounders, type Founders } from "./founding/founders.ts";
import type { ManagedKey } from "./guards/guard.ts";
import type { KnownKeyWish, Wished } from "./key-wishes.ts";
import { disarmLeavers, listedKeys } from "./leavers/disarm-leavers.ts";
import { wishListedKey } from "./listed-key-wishes.ts";
import { planMemberships } from "./memberships.ts";
import { inOrder } from "./order.ts";
import { wishOwnKey } from "./own-key-wishes.ts";
import { identifyPeople } from "./people.ts";
import { compareProfiles } from "./profiles.ts";
import type { Question } from "./question.ts";
import { findRecorded } from "./recorded-facts.ts";
import { wishRemovals } from "./removals.ts";
import { planReplacements } from "./replacements.ts";
import { rolesBefore } from "./roles-before.ts";
import type { Selection } from "./selection.ts";
import type { Teams } from "./team-identity.ts";
import { wishTeamKey } from "./team-key-wishes.ts";
import { identifyTeams } from "./teams.ts";
import { findUnfitRoles } from "./unfit-roles.ts";
import { findUnmanaged } from "./unmanaged.ts";
import { findLeavingSoon } from "./until-soon.ts";

/** All that the roster asks for and calls can do, apart from what guards hold already. */
export interface DraftedPlan {
  /** Each after those that it depends on. */
  readonly actions: readonly Action[];
  readonly findings: readonly Draft[];
  readonly teams: Teams;
  readonly founders: Founders;
  readonly managedKeys: readonly ManagedKey[];
}

/** Compares what is wanted with what was read, step by step. */
export function draftPlan(question: Question, selection: Selection): Result<DraftedPlan, PlanRefusal> {
  const { roster } = question;
  const { people, findings: aboutPeople } = identifyPeople(question);
  const { teams, findings: aboutTeams } = identifyTeams(question);
  const founders = chooseFounders(teams, people, question);
  const choice = chooseCreations(roster, people, founders, selection);
  if (!choice.ok) return choice;
  const chosen = choice.value;

  const creations = planCreations(question, people, chosen);
  const memberships = planMemberships(teams, { question, people, founders, chosen, selection });
  const extra = extraMembers(teams, question);
  const leavers = disarmLeavers(question, teams, [
    ...memberships.seats.map((seat) => wishTeamKey(seat, creations.sent)),
    ...[...people.values()].map((person) => wishOwnKey(person, chosen.creations, question)),
    ...listedKeys(question).map((entry) => wishListedKey(entry, question, people)),
  ]);
  const disarming = [...leavers.wishes, ...wishRemovals(extra, teams, question)];
  const wished = [...disarming, ...leavers.wished];
  const replacements = planReplacements(wished, question, selection);
  const [disarms, others] = parted(replacements.actions, disarming);
  return success({
    actions: inOrder([...disarms, ...creations.actions, ...memberships.actions, ...others]),
    findings: [
      ...leavers.findings,
      ...findDropped(question),
      ...aboutPeople,
      ...findLeavingSoon(question),
      ...compareProfiles(people),
      ...aboutTeams,
      ...founders.findings,
      ...chosen.findings,
      ...creations.findings,
      ...memberships.findings,
      ...findExtraMembers(extra, question),
      ...findUnfitRoles(roster, question.facts),
      ...findMistakenKeys(people, teams, question),
      ...replacements.findings,
      ...findEmptied({ people, seats: memberships.seats, wished, question }),
      ...findRecorded(memberships.seats, wished, question),
      ...findUnmanaged(question),
    ],
    teams,
    founders,
    managedKeys: managedKeys(wished, question),
  });
}

/** Whoever is to hold nothing comes first: nothing that the roster asks for waits for that. */
function parted(
  actions: readonly ReplaceRoles[],
  disarming: readonly KnownKeyWish[],
): readonly [readonly ReplaceRoles[], readonly ReplaceRoles[]] {
  const prefixes = new Set(disarming.map(({ key }) => key.value));
  const isFirst = ({ key }: ReplaceRoles) => key.of === "prefix" && prefixes.has(factValue(key.prefix) ?? "");
  return [actions.filter(isFirst), actions.filter((action) => !isFirst(action))];
}

function managedKeys(wished: readonly Wished[], { state }: Question): readonly ManagedKey[] {
  const keys = wished.flatMap((wish) =>
    wish?.is === "known" ? [{ prefix: wish.key.value, before: rolesBefore(wish.key, state) }] : [],
  );
  return [...new Map(keys.map((key) => [key.prefix, key])).values()];
}
