import type { EmailKey } from "../../model/address.ts";
import type { ReadName } from "../../model/fact.ts";
import type { Plan } from "../../model/plan.ts";
import type { ReadRecord } from "../../model/snapshot.ts";
import { subjectTeam } from "../../model/subject.ts";
import { foldName } from "../../model/team.ts";
import { type ActionTeam, planNames, teamsOfPlan } from "../document/actions.ts";
import {
  type ExplainContext,
  type ExplainedTarget,
  type ExplainedTeam,
  type ExplainTarget,
  type ExplanationSource,
  explainPlanPart,
  keyFilter,
  noStatements,
  personFilter,
  planPartsAbout,
  resolvePerson,
  roleFilter,
  teamFilter,
  unlessEmpty,
} from "./explanation.ts";
import { keyInRoster, keyInService, keyInState, keyUnmanaged } from "./key.ts";
import {
  missingSubjects,
  roleCarriers,
  roleGrantStatuses,
  roleInRoster,
  roleInService,
  roleInState,
  roleUnmanaged,
} from "./role.ts";
import { findTeams, teamInRoster, teamInService, teamInState, teamUnmanaged } from "./team.ts";
import { userInRoster, userInService, userInState, userUnmanaged } from "./user.ts";

/** A thing as the roster, the service, the state and the plan have it; nothing where none of them knows it. */
export function explainTarget(target: ExplainTarget, context: ExplainContext): readonly ExplainedTarget[] {
  switch (target.is) {
    case "user":
      return explainUser(resolvePerson(target.address, context.roster), context);
    case "team":
      return findTeams(target.written, context).map((team) => explainTeam(team, context));
    case "key":
      return explainKey(target.prefix, context);
    case "role":
      return explainRole(target.role, context);
    case "action":
    case "finding":
      return explainPlanPart(target, context.plan, serviceSource(context));
  }
}

function serviceSource({ snapshot, refused }: ExplainContext): ExplanationSource {
  return { from: "the service", readings: snapshot.readings, refused };
}

function explainUser(address: EmailKey, context: ExplainContext): readonly ExplainedTarget[] {
  const { roster, snapshot, state, plan, inSync } = context;
  const entry = roster.users.get(address) ?? roster.leavers.get(address);
  const shown = snapshot.users.find((user) => user.address === address);
  const explained: ExplainedTarget = {
    ...planPartsAbout(plan, personFilter(address, entry?.because[0]), address),
    ...serviceSource(context),
    is: "user",
    name: entry?.email ?? shown?.email ?? address,
    roster: userInRoster(address, context),
    service: userInService(address, context),
    state: userInState(address, context),
    inSync: inSync.filter((one) => one.address === address),
    unasked: userUnmanaged(address, context),
  };
  const isKnown = entry !== undefined || shown !== undefined || state.users.has(address);
  return isKnown || explained.roster.length > 0 ? [explained] : unlessEmpty(explained);
}

function explainTeam(team: ExplainedTeam, context: ExplainContext): ExplainedTarget {
  const inRoster = context.roster.teams.find(({ key }) => key === team.key);
  return {
    ...planPartsAbout(context.plan, teamFilter(team.key, inRoster?.because[0])),
    ...serviceSource(context),
    is: "team",
    name: team.name,
    roster: teamInRoster(team, context),
    service: teamInService(team, context),
    state: teamInState(team, context),
    inSync: context.inSync.filter((one) => one.team === team.key),
    unasked: teamUnmanaged(team, context),
  };
}

function explainKey(prefix: string, context: ExplainContext): readonly ExplainedTarget[] {
  const explained: ExplainedTarget = {
    ...planPartsAbout(context.plan, keyFilter(prefix)),
    ...serviceSource(context),
    is: "key",
    name: prefix,
    roster: keyInRoster(prefix, context),
    service: keyInService(prefix, context),
    state: keyInState(prefix, context),
    inSync: context.inSync.filter((one) => one.prefix === prefix),
    unasked: keyUnmanaged(prefix, context),
  };
  const isShown = context.snapshot.users.some(({ keys = [] }) => keys.some((key) => key.prefix === prefix));
  const isNamed = explained.roster.length + explained.state.length > 0;
  return isShown || isNamed ? [explained] : unlessEmpty(explained);
}

function explainRole(role: string, context: ExplainContext): readonly ExplainedTarget[] {
  const { plan, snapshot, roster } = context;
  const grants = roleGrantStatuses(role, context);
  const carriers = roleCarriers(role, context);
  const explained: ExplainedTarget = {
    ...planPartsAbout(plan, roleFilter(role, missingSubjects(grants))),
    ...serviceSource(context),
    is: "role",
    name: role,
    roster: roleInRoster(role, grants, context),
    service: roleInService(role, carriers, context),
    state: roleInState(role, context),
    inSync: [],
    unasked: roleUnmanaged(role, carriers, grants, context),
  };
  const isOffered = snapshot.roles.known === "observed" && snapshot.roles.value.some((one) => one.identifier === role);
  const isInSet = [...roster.roleSets.values()].some(({ value }) => value.includes(role));
  const isFound = grants.length + carriers.length + explained.state.length + explained.actions.length > 0;
  return isOffered || isInSet || isFound ? [explained] : [];
}

/** What a saved plan holds about a thing; nothing where it holds nothing. */
export function explainFromSavedPlan(target: ExplainTarget, plan: Plan): readonly ExplainedTarget[] {
  const source = { from: "a saved plan", readings: new Map<ReadName, ReadRecord>() } as const;
  const explain = (name: string, parts: ReturnType<typeof planPartsAbout>) =>
    unlessEmpty({ ...noStatements, ...source, ...parts, is: target.is, name });
  switch (target.is) {
    case "user": {
      const { address } = target;
      return explain(planNames(plan).email(address), planPartsAbout(plan, personFilter(address, undefined), address));
    }
    case "team":
      return findPlannedTeams(plan, target.written).flatMap(({ team, name }) =>
        explain(name, planPartsAbout(plan, teamFilter(team, undefined))),
      );
    case "key":
      return explain(target.prefix, planPartsAbout(plan, keyFilter(target.prefix)));
    case "role":
      return explain(target.role, planPartsAbout(plan, roleFilter(target.role)));
    case "action":
    case "finding":
      return explainPlanPart(target, plan, source);
  }
}

/** Teams that a plan names, by name or identifier. A finding names its team only in its reasons. */
function findPlannedTeams(plan: Plan, written: string): readonly Pick<ActionTeam, "team" | "name">[] {
  const isMeant = ({ name, identifier }: ActionTeam) => identifier === written || foldName(name) === foldName(written);
  const teams = teamsOfPlan(plan).filter(isMeant);
  if (teams.length > 0) return teams;
  const { findings } = plan;
  const names = findings.flatMap(({ because }) =>
    because.flatMap(({ as, name = "" }) => (as === "team" ? [name] : [])),
  );
  const name = names.find((one) => foldName(one) === foldName(written));
  if (name === undefined) return [];
  const keys = findings.flatMap(({ subject }) => subjectTeam(subject) ?? []);
  const team = keys.find((key) => key.endsWith(`/${foldName(name)}`));
  return team === undefined ? [] : [{ team, name }];
}
