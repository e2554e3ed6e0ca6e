import type { Action } from "../model/action.ts";
import type { PlanRefusal } from "../model/plan.ts";
import { type Result, success } from "../model/result.ts";
import { chooseCreations } from "./chosen.ts";
import { planCreations } from "./creations.ts";
import type { Draft } from "./draft.ts";
import { findExtraMembers } from "./extra-members.ts";
import { chooseFounders, type Founders } from "./founding/founders.ts";
import type { ManagedKey } from "./guards/guard.ts";
import type { Wished } from "./key-wishes.ts";
import { wishListedKey } from "./listed-key-wishes.ts";
import { planMemberships } from "./memberships.ts";
import { inOrder } from "./order.ts";
import { wishOwnKey } from "./own-key-wishes.ts";
import { identifyPeople } from "./people.ts";
import { compareProfiles } from "./profiles.ts";
import type { Question } from "./question.ts";
import { findRecorded } from "./recorded-facts.ts";
import { planReplacements } from "./replacements.ts";
import { rolesBefore } from "./roles-before.ts";
import type { Selection } from "./selection.ts";
import type { Teams } from "./team-identity.ts";
import { wishTeamKey } from "./team-key-wishes.ts";
import { identifyTeams } from "./teams.ts";
import { findUnfitRoles } from "./unfit-roles.ts";
import { findUnmanaged } from "./unmanaged.ts";

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
  const wished = [
    ...memberships.seats.map((seat) => wishTeamKey(seat, creations.sent)),
    ...[...people.values()].map((person) => wishOwnKey(person, chosen.creations)),
    ...roster.keys.map((entry) => wishListedKey(entry, question, people)),
  ];
  const replacements = planReplacements(wished, question, selection);
  return success({
    actions: inOrder([...creations.actions, ...memberships.actions, ...replacements.actions]),
    findings: [
      ...aboutPeople,
      ...compareProfiles(people),
      ...aboutTeams,
      ...founders.findings,
      ...chosen.findings,
      ...creations.findings,
      ...memberships.findings,
      ...findExtraMembers(teams, question),
      ...findUnfitRoles(roster, question.facts),
      ...replacements.findings,
      ...findRecorded(memberships.seats, wished, question),
      ...findUnmanaged(question),
    ],
    teams,
    founders,
    managedKeys: managedKeys(wished, question),
  });
}

function managedKeys(wished: readonly Wished[], { state }: Question): readonly ManagedKey[] {
  const keys = wished.flatMap((wish) =>
    wish?.is === "known" ? [{ prefix: wish.key.value, before: rolesBefore(wish.key, state) }] : [],
  );
  return [...new Map(keys.map((key) => [key.prefix, key])).values()];
}
