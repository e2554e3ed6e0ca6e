import { type Action, type ActionId, creationId, prefixOf } from "../../model/action.ts";
import type { EmailKey } from "../../model/address.ts";
import { factValue, unknown } from "../../model/fact.ts";
import type { Plan, PlanningEvent } from "../../model/plan.ts";
import type { TeamKey } from "../../model/recorded.ts";
import { formatCount } from "../phrases.ts";
import { actionLines, planNames } from "./actions.ts";
import { headed, type Line, type Piece, prose } from "./blocks.ts";

/** Every call with all that it sends, numbered in an order in which they can run, each with the calls that it waits for. */
export function callsView(plan: Plan): readonly (readonly Line[])[] {
  const names = planNames(plan);
  const numbers = callNumbers(plan);
  const width = `${plan.actions.length}`.length;
  const lines = plan.actions.flatMap((action) => {
    const [title, ...details] = actionLines(action, names);
    if (title?.kind !== "row") return details;
    const number = `${numbers.get(action.id) ?? 0}.`.padStart(width + 1);
    const request = prose(6, requestText(action, plan), "dim");
    return [
      { ...title, pieces: [`${number} `, ...title.pieces, ...afterPieces(action, numbers)] },
      request,
      ...details,
    ];
  });
  const title = `${formatCount(plan.actions.length, "call")}, in their order`;
  return [headed(title, lines)];
}

/** The number of each call, from 1 on. */
export function callNumbers({ actions }: Plan): ReadonlyMap<ActionId, number> {
  return new Map(actions.map(({ id }, index) => [id, index + 1]));
}

/** The numbers of the calls that must have ended before this one starts, in their order. */
export function dependencyNumbers({ dependsOn }: Action, numbers: ReadonlyMap<ActionId, number>): readonly number[] {
  const before = dependsOn.flatMap((id) => numbers.get(id) ?? []);
  return [...new Set(before)].sort((a, b) => a - b);
}

function afterPieces(action: Action, numbers: ReadonlyMap<ActionId, number>): readonly Piece[] {
  const before = dependencyNumbers(action, numbers);
  return before.length === 0 ? [] : [{ ink: "dim", text: `, after ${formatRanges(before)}` }];
}

/** `1, 4-9`: three and more in a row are a range. */
export function formatRanges(numbers: readonly number[]): string {
  const ranges: { readonly first: number; last: number }[] = [];
  for (const number of numbers) {
    const range = ranges.at(-1);
    if (range !== undefined && number === range.last + 1) range.last = number;
    else ranges.push({ first: number, last: number });
  }
  return ranges.map(formatRange).join(", ");
}

function formatRange({ first, last }: { readonly first: number; readonly last: number }): string {
  if (first === last) return `${first}`;
  return last === first + 1 ? `${first}, ${last}` : `${first}-${last}`;
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
    case "add-members":
      return `POST teams/${teamInCall(action.team, plan)}/members ${JSON.stringify(action.members.map(({ address }) => personName(address)))}`;
    case "replace-roles":
      return `PUT access-keys/${prefixOf(action) ?? "<prefix of this key>"}/roles ${JSON.stringify(action.roles)}`;
  }
}

function personInCall(address: EmailKey, plan: Plan): string {
  const { email, identifier } = plan.users.get(address) ?? { email: address, identifier: unknown<string>("") };
  const isCreated = planNames(plan).action(creationId(address)) !== undefined;
  return factValue(identifier) ?? (isCreated ? `<identifier of ${email}>` : email);
}

function teamInCall(team: TeamKey, plan: Plan): string {
  const names = planNames(plan);
  return names.identifier(team) ?? `<identifier of ${names.team(team)}>`;
}

/** What an apply of a plan file writes into the state besides the outcomes of its calls. */
export function recordedSection({ actions }: Plan, lessons: readonly PlanningEvent[]): readonly Line[] {
  const calls = actions.map((action) => prose(2, `${action.id}: ${JSON.stringify(recordedWith(action))}`));
  const others = lessons.map(({ type, ...lesson }) => prose(2, `${lessonTitles[type]}: ${JSON.stringify(lesson)}`));
  return headed("Recorded in the state by its apply", [...others, ...calls]);
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
