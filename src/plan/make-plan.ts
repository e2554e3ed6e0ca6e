import type { Plan, PlanRefusal } from "../model/plan.ts";
import type { Policy } from "../model/policy.ts";
import { type Result, success } from "../model/result.ts";
import type { Roster } from "../model/roster.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { State } from "../model/state.ts";
import { judgeAccounts } from "./accounts.ts";
import { countCalls } from "./calls.ts";
import { chooseCreations } from "./chosen.ts";
import { planCreations } from "./creations.ts";
import { findExtraMembers } from "./extra-members.ts";
import { indexFacts } from "./facts.ts";
import { finishFindings } from "./finish-findings.ts";
import { chooseFounders } from "./founding/founders.ts";
import { refusedFoundings } from "./founding/refused-foundings.ts";
import { wishListedKey } from "./listed-key-wishes.ts";
import { planMemberships } from "./memberships.ts";
import { inOrder } from "./order.ts";
import { guardOwnKey } from "./own-key-guard.ts";
import { wishOwnKey } from "./own-key-wishes.ts";
import { identifyPeople } from "./people.ts";
import { planId } from "./plan-id.ts";
import { compareProfiles } from "./profiles.ts";
import type { Question } from "./question.ts";
import { findRecorded } from "./recorded-facts.ts";
import { planReplacements } from "./replacements.ts";
import { makeSelection } from "./selection.ts";
import { wishTeamKey } from "./team-key-wishes.ts";
import { identifyTeams } from "./teams.ts";
import { findUnfitRoles } from "./unfit-roles.ts";
import { findUnmanaged } from "./unmanaged.ts";

export interface PlanInput {
  readonly roster: Roster;
  readonly snapshot: Snapshot;
  /** With what could be settled of earlier runs already settled. */
  readonly state: State;
  readonly policy: Policy;
  readonly digest: (text: string) => string;
  /** The prefix of the key with which the plan would be applied, where it is known. */
  readonly keyInUse?: string | undefined;
}

/** Compares what is wanted with what was read: what calls can do about it, and what only people can. */
export function makePlan({ roster, snapshot, state, policy, digest, keyInUse }: PlanInput): Result<Plan, PlanRefusal> {
  const selected = makeSelection(roster, policy);
  if (!selected.ok) return selected;
  const selection = selected.value;

  const facts = indexFacts(snapshot);
  const accounts = judgeAccounts(roster, snapshot);
  const question: Question = { roster, snapshot, state, policy, facts, digest, closedAccounts: accounts.closed };

  const { people, findings: aboutPeople } = identifyPeople(question);
  const { teams, findings: aboutTeams } = identifyTeams(question);
  const founders = chooseFounders(teams, people, refusedFoundings(question));
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
  const guarded = guardOwnKey(replacements.actions, keyInUse, policy.privilegedRoles);

  const actions = inOrder([...creations.actions, ...memberships.actions, ...guarded.actions]);
  const drafts = [
    ...accounts.findings,
    ...aboutPeople,
    ...compareProfiles(people),
    ...aboutTeams,
    ...founders.findings,
    ...chosen.findings,
    ...creations.findings,
    ...memberships.findings,
    ...findExtraMembers(teams, question),
    ...findUnfitRoles(roster, facts),
    ...replacements.findings,
    ...guarded.findings,
    ...findRecorded(memberships.seats, wished, question),
    ...findUnmanaged(question),
  ];
  return success({
    id: planId(snapshot.service, actions, digest),
    service: snapshot.service,
    actions,
    findings: finishFindings(drafts, selection, digest),
    calls: countCalls(actions, snapshot.reads),
  });
}
