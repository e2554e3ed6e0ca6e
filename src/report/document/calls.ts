import { formatCount } from "../../codes/message.ts";
import { type Action, creationId, prefixOf, teamOf } from "../../model/action.ts";
import type { EmailKey } from "../../model/address.ts";
import type { Group } from "../../model/collections.ts";
import { factValue, unknown } from "../../model/fact.ts";
import type { Plan, PlanningEvent } from "../../model/plan.ts";
import { runsOf } from "../phrases.ts";
import { actionEntry, actionName, type PlanNames, planNames } from "./actions.ts";
import { type Entry, inked, part, type Section, sentence, words } from "./tree.ts";

/** The calls of a plan, numbered in an order in which they can run. `whole`: each with all that it sends and changes. */
export function callsSection(plan: Plan, is: "whole" | "names"): Section {
  const names = planNames(plan);
  const numbers = new Map(plan.actions.map(({ id }, index) => [id, index + 1]));
  const groups =
    is === "whole"
      ? plan.actions.map((action) => [action] as const)
      : runsOf(plan.actions, (one, next) => groupKey(one) === groupKey(next));
  const entries = groups.map((group): Entry => {
    const own = group.map(({ id }) => numbers.get(id) ?? 0);
    const before = new Set(group.flatMap(({ dependsOn }) => dependsOn.flatMap((id) => numbers.get(id) ?? [])));
    const others = [...before].filter((number) => !own.includes(number)).sort((one, other) => one - other);
    const after = others.length === 0 ? [] : [inked("dim", `, after ${formatRanges(others)}`)];
    const number = `${formatRanges(own)}. `;
    const { mark, what, notes, ...entry } = actionEntry(group[0], names);
    const actions = group.map(({ id }) => id);
    if (is === "names")
      return { mark, about: [], what: [number, groupName(group, names), ...after], notes: [], labels: [], actions };
    const request = sentence(requestText(group[0], plan), "dim");
    return { ...entry, mark, what: [number, ...what, ...after], notes: [request, ...notes] };
  });
  const title = words(`Calls in their order (${plan.actions.length})`);
  const blocks: Section["blocks"] =
    entries.length === 0 ? [] : [{ kind: "entries", as: "changes", notes: [], entries }];
  return { title, is: is === "whole" ? "open" : "extra", blocks };
}

/** Calls of one kind for one team that follow each other are shown together, but for those that create a team. */
function groupKey(action: Action): string {
  const isTeam = action.kind === "create-user" && action.createsTeam !== undefined;
  return isTeam ? action.id : `${action.kind} ${teamOf(action) ?? ""}`;
}

function groupName([first, ...others]: Group<Action>, names: PlanNames): string {
  const count = others.length + 1;
  if (first.kind === "create-user" && first.createsTeam !== undefined)
    return `create user ${first.user.email} and team ${first.createsTeam.name}`;
  if (count === 1) return actionName(first, names);
  if (first.kind === "create-user") return `create ${formatCount(count, "user")}`;
  const team = teamOf(first);
  return `replace the roles of ${formatCount(count, "key")}${team === undefined ? "" : ` in team ${names.team(team)}`}`;
}

/** `1, 4-9`: three and more in a row are a range. */
function formatRanges(numbers: readonly number[]): string {
  const texts = runsOf(numbers, (one, next) => next === one + 1).map((run) =>
    run.length < 3 ? run.join(", ") : `${run[0]}-${run.at(-1)}`,
  );
  return texts.join(", ");
}

/**
 * The request of an action, with all that it sends. What only the run learns stands in angle brackets. People are named by their
 * identifiers; a service that does not take these gets their addresses.
 */
function requestText(action: Action, plan: Plan): string {
  const personName = (address: EmailKey) => personInCall(address, plan);
  switch (action.kind) {
    case "create-user": {
      const { email, firstName, lastName, title, externalIdentifier, source } = action.user;
      const { createsTeam } = action;
      const team = createsTeam && {
        name: createsTeam.name,
        adminUserIdentifier: createsTeam.admin && personName(createsTeam.admin),
        accessKeyRoles: createsTeam.accessKeyRoles,
      };
      const body = { email, firstName, lastName, title, externalIdentifier, source, team };
      return `POST accounts/${action.account}/users ${JSON.stringify(body)}`;
    }
    case "add-members": {
      const names = planNames(plan);
      const team = names.identifier(action.team) ?? `<identifier of ${names.team(action.team)}>`;
      return `POST teams/${team}/members ${JSON.stringify(action.members.map(({ address }) => personName(address)))}`;
    }
    case "replace-roles":
      return `PUT access-keys/${prefixOf(action) ?? "<prefix of this key>"}/roles ${JSON.stringify(action.roles)}`;
  }
}

function personInCall(address: EmailKey, plan: Plan): string {
  const { email, identifier } = plan.users.get(address) ?? { email: address, identifier: unknown<string>("") };
  const isCreated = planNames(plan).action(creationId(address)) !== undefined;
  return factValue(identifier) ?? (isCreated ? `<identifier of ${email}>` : email);
}

/** What an apply of a plan file writes into the log besides the outcomes of its calls. */
export function recordedSection({ actions }: Plan, lessons: readonly PlanningEvent[]): Section {
  const calls = actions.map((action) => `${action.id}: ${JSON.stringify(recordedWith(action))}`);
  const others = lessons.map(({ type, ...lesson }) => `${lessonTitles[type]}: ${JSON.stringify(lesson)}`);
  const blocks = [...others, ...calls].map((text) => sentence(text));
  return part(words("Recorded in the log by its apply"), blocks);
}

function recordedWith(action: Action) {
  switch (action.kind) {
    case "create-user":
      return { ownership: action.ownership, request: action.request };
    case "add-members": {
      return { team: action.team, ownership: action.ownership, members: action.members };
    }
    case "replace-roles":
      return { key: action.key, ownership: action.ownership, request: action.request };
  }
}

const lessonTitles: Readonly<Record<PlanningEvent["type"], string>> = {
  "roster-applied": "the roster that was applied",
  "records-moved": "users and teams with new names",
  "epoch-started": "that the service starts anew: users, teams, members and keys of before are forgotten",
  "users-observed": "users and teams of the service",
  "service-learned": "what the service shows",
};
