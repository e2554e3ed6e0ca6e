import type { Action, ActionId, PersonRef, TeamRef } from "../model/action.ts";
import type { FoldedAddress } from "../model/address.ts";
import { factValue } from "../model/fact.ts";
import type { Plan } from "../model/plan.ts";
import type { TeamKey } from "../model/team.ts";

/** What a plan calls its people, teams and actions, for reports that know only their keys. */
export interface PlanNames {
  action(id: ActionId): Action | undefined;
  /** The address as it is written in the roster; folded where the plan does not name this person. */
  email(address: FoldedAddress): string;
  team(team: TeamKey): string;
}

/** What `read` makes of a thing, read once of each, however often it is asked for. */
export function onceOfEach<Key extends object, Value extends object>(read: (key: Key) => Value): (key: Key) => Value {
  const known = new WeakMap<Key, Value>();
  return (key) => {
    const value = known.get(key) ?? read(key);
    known.set(key, value);
    return value;
  };
}

export const planNames = onceOfEach(readNames);

/** The names of a run whose plan is not at hand. */
export const noNames: PlanNames = { action: () => undefined, email: (address) => address, team: (team) => team };

function readNames(plan: Plan): PlanNames {
  const actions = new Map<ActionId, Action>(plan.actions.map((action) => [action.id, action]));
  const emails = new Map<FoldedAddress, string>();
  const teams = new Map<TeamKey, string>();
  for (const action of plan.actions) {
    for (const person of peopleOf(action)) emails.set(person.address, person.email);
    const team = teamOfAction(action);
    if (team !== undefined) teams.set(team.team, team.name);
  }
  return {
    action: (id) => actions.get(id),
    email: (address) => emails.get(address) ?? address,
    team: (team) => teams.get(team) ?? team,
  };
}

function peopleOf(action: Action): readonly Pick<PersonRef, "address" | "email">[] {
  switch (action.kind) {
    case "create-user":
      return [{ address: action.address, email: action.user.email }];
    case "add-members":
      return action.members;
    case "replace-roles":
      return action.owner === undefined ? [] : [action.owner];
  }
}

/** A team as an action names it. */
export interface ActionTeam extends Pick<TeamRef, "team" | "name" | "account"> {
  /** The service's own identifier, where it is known. */
  readonly identifier?: string;
}

/** The team that an action is about. */
export function teamOfAction(action: Action): ActionTeam | undefined {
  switch (action.kind) {
    case "create-user": {
      const { founds, account } = action;
      return founds && { team: founds.team, name: founds.name, account };
    }
    case "add-members":
      return knownTeam(action.team);
    case "replace-roles":
      return action.key.of === "own-key" ? undefined : action.key.team && knownTeam(action.key.team);
  }
}

function knownTeam({ team, name, account, identifier }: TeamRef): ActionTeam {
  const value = factValue(identifier);
  return { team, name, account, ...(value === undefined ? {} : { identifier: value }) };
}
