import type { Intent } from "../../../src/model/call.ts";
import type { AddedMember, LearnedOutcome, LogEvent } from "../../../src/model/event.ts";
import {
  foldEmail,
  foldTeamName,
  type KeyThere,
  type LoggedChange,
  type LoggedRequest,
  type ServiceLog,
  type Span,
  sameSet,
  type TeamThere,
  type UserThere,
} from "./service-log.ts";

export interface ToldCall {
  readonly intent: Intent;
  readonly requests: readonly LoggedRequest[];
  /** An event says that the service refused to create the user. */
  readonly isDeclined?: true;
}

/** What is said of a user, a team or a key. What is not said is not judged. */
interface SaidUser {
  readonly address: string;
  readonly identifier?: string | undefined;
  readonly account?: string | undefined;
}

interface SaidKey {
  readonly prefix: string;
  readonly address?: string | undefined;
  /** `none`: a key of no team. */
  readonly team?: ((team: TeamThere) => boolean) | "none" | undefined;
  readonly roles?: readonly string[] | undefined;
}

export function usersSaid(log: ServiceLog, said: SaidUser, span: Span): readonly UserThere[] {
  return log
    .users(span)
    .filter(
      ({ identifier, email, account }) =>
        foldEmail(email) === said.address &&
        (said.identifier === undefined || said.identifier === identifier) &&
        (said.account === undefined || said.account === account),
    );
}

export function keysSaid(log: ServiceLog, said: SaidKey, span: Span): readonly KeyThere[] {
  const { address, team, roles } = said;
  return log.keys(span).filter((key) => {
    if (key.prefix !== said.prefix) return false;
    if (address !== undefined && !isHeldBy(log, key, address, span)) return false;
    if (team === "none" && key.team !== undefined) return false;
    if (typeof team === "function" && !log.teams(span).some((one) => one.identifier === key.team && team(one)))
      return false;
    return roles === undefined || sameSet(roles, key.roles);
  });
}

function isHeldBy(log: ServiceLog, { user }: KeyThere, address: string, span: Span): boolean {
  return usersSaid(log, { address, identifier: user }, span).length > 0;
}

function membershipsOf(log: ServiceLog, team: string, address: string, span: Span): readonly KeyThere[] {
  return log.keys(span).filter((key) => key.team === team && isHeldBy(log, key, address, span));
}

/** All that a call has done, of these people where it is about several. */
export function effectsOf(log: ServiceLog, { intent, requests }: ToldCall, people?: readonly string[]) {
  const isEffect = ({ now, isNew, position }: LoggedChange): boolean => {
    switch (intent.kind) {
      case "create-user":
        return now.is === "user" && isNew;
      case "add-members": {
        if (now.is !== "key" || now.team !== intent.identifier || !isNew) return false;
        const span = { from: 0, to: position };
        return people === undefined || people.some((one) => isHeldBy(log, now, one, span));
      }
      case "replace-roles":
        return now.is === "key" && now.prefix === intent.prefix;
    }
  };
  return requests.flatMap(({ did }) => did.filter(isEffect));
}

/** Why it is not true that a call was done so; undefined where it is. `seen`: when what it learned may have been read. */
export function doneObjection(log: ServiceLog, told: ToldCall, learned: LearnedOutcome, seen: Span) {
  const { intent } = told;
  if (learned.kind === "create-user" && intent.kind === "create-user")
    return creationObjection(log, told, learned, seen);
  if (learned.kind === "add-members" && intent.kind === "add-members") {
    return first(learned.members, (member) => memberObjection(log, told, member, seen));
  }
  if (learned.kind === "replace-roles" && intent.kind === "replace-roles") {
    const { prefix, roles } = learned;
    const done = effectsOf(log, told).some(({ position }) => position <= seen.to);
    const since = told.requests[0]?.position ?? seen.from;
    const span = { from: Math.min(since, seen.from), to: seen.to };
    if (prefix !== intent.prefix) return `it is about the key ${prefix}`;
    const wasThere = keysSaid(log, { prefix, roles: intent.roles }, span).length > 0;
    if (!done && !wasThere && !isBelieved(log, told, learned, span)) return "no call replaced the roles";
    return roles === undefined || keysSaid(log, { prefix, roles }, span).length > 0
      ? undefined
      : `the key ${prefix} never had the roles ${roles.join(", ")}`;
  }
  return "it tells of another kind of call";
}

/**
 * An event without roles repeats an answer of success that showed none. Of a service that keeps roles whatever is asked for nobody could
 * tell more; but the key has to have all that was asked for.
 */
function isBelieved(
  log: ServiceLog,
  { intent, requests }: ToldCall,
  { prefix, roles }: Extract<LearnedOutcome, { readonly kind: "replace-roles" }>,
  span: Span,
): boolean {
  const answer = requests.at(-1)?.answered?.answer;
  if (roles !== undefined || intent.kind !== "replace-roles" || typeof answer !== "number" || answer >= 300)
    return false;
  return keysSaid(log, { prefix }, span).some((key) => intent.roles.every((role) => key.roles.includes(role)));
}

function first<T>(items: readonly T[], objection: (item: T) => string | undefined): string | undefined {
  return items.map(objection).find((one) => one !== undefined);
}

function creationObjection(
  log: ServiceLog,
  told: ToldCall,
  learned: Extract<LearnedOutcome, { readonly kind: "create-user" }>,
  seen: Span,
): string | undefined {
  const { intent } = told;
  const { address, was, identifier, roles, teamIdentifier } = learned;
  const prefix = learned.provisional ? undefined : learned.prefix;
  const made = effectsOf(log, told);
  // Some services say that a user is there already although they have just created them: then the event repeats what they said.
  if (was === "there-before" && made.length > 0 && told.isDeclined !== true) return `the call created ${address}`;
  if (was === undefined && !made.some(({ position }) => position <= seen.to)) return `no call created ${address}`;
  if (intent.kind !== "create-user" || intent.address !== address) return `it is about ${address}`;
  const span = { from: Math.min(seen.from, ...made.map(({ position }) => position)), to: seen.to };
  const created = made.flatMap(({ now }) => (now.is === "user" ? [now.identifier] : []));
  const found = usersSaid(log, { address, identifier }, span).filter(
    (one) => was !== undefined || created.includes(one.identifier),
  );
  if (found.length === 0) return `${address} does not have the identifier ${identifier}`;
  const { createsTeam, account } = intent;
  const isFounded = (team: TeamThere) =>
    team.account === account && foldTeamName(team.name) === foldTeamName(createsTeam?.name ?? "");
  const team = createsTeam === undefined ? ("none" as const) : isFounded;
  if (prefix !== undefined && keysSaid(log, { prefix, address, team }, span).length === 0) {
    return `${prefix} is not the prefix of the key of ${address}${createsTeam === undefined ? "" : ` in ${createsTeam.name}`}`;
  }
  if (prefix !== undefined && roles !== undefined && keysSaid(log, { prefix, roles }, span).length === 0) {
    return `the key ${prefix} never had the roles ${roles.join(", ")}`;
  }
  if (teamIdentifier === undefined) return undefined;
  const isShown = log.teams(span).some((one) => one.identifier === teamIdentifier && isFounded(one));
  return isShown ? undefined : `${teamIdentifier} is not the team ${createsTeam?.name}`;
}

function memberObjection(
  log: ServiceLog,
  told: ToldCall,
  { address, outcome, prefix, roles, provisional }: AddedMember,
  seen: Span,
): string | undefined {
  const { intent } = told;
  if (intent.kind !== "add-members") return undefined;
  const { identifier } = intent;
  if (!outcome.added) {
    if (effectsOf(log, told, [address]).length > 0) return `the call added ${address}`;
    const isTrue = prefix === undefined || provisional || keysSaid(log, { prefix, address }, seen).length > 0;
    return isTrue ? undefined : `${prefix} is not the prefix of a key of ${address}`;
  }
  const since = told.requests[0]?.position ?? seen.from;
  const span = { from: Math.min(since, seen.from), to: seen.to };
  const held = membershipsOf(log, identifier, address, span);
  if (held.length === 0) return `${address} is no member`;
  if (provisional) return undefined;
  if (prefix !== undefined && !held.some((key) => key.prefix === prefix)) {
    return `${prefix} is not the prefix of the key of ${address}`;
  }
  return roles === undefined || held.some((key) => key.prefix === prefix && sameSet(roles, key.roles))
    ? undefined
    : `the key of ${address} never had the roles ${roles.join(", ")}`;
}

/** What is untrue of an event that tells what roster saw or learned. `seen`: when that may have been. */
export function seenObjections(log: ServiceLog, event: LogEvent, seen: Span, teams: TeamNames): readonly string[] {
  const ever = { ...seen, from: 0 };
  const key = (said: SaidKey, span = seen) => objection(keysSaid(log, said, span), `the key ${said.prefix}`);
  const user = (said: SaidUser) => objection(usersSaid(log, said, seen), said.address);
  switch (event.type) {
    case "unneeded":
      return event.shown === undefined ? [] : key(event.shown);
    case "key-learned": {
      const { prefix, address, team, provisional } = event;
      return provisional ? [] : key({ prefix, address, team: team === undefined ? "none" : teams.isNamed(team) }, ever);
    }
    case "key-read":
      return key({ prefix: event.prefix, roles: event.roles });
    case "team-identified":
      teams.learn(event);
      return objection(teamsSaid(log, event, ever), `the team ${event.name}`);
    case "users-observed":
      for (const team of event.teams) teams.learn(team);
      return [
        ...event.people.flatMap(user),
        ...event.teams.flatMap((team) => objection(teamsSaid(log, team, seen), `the team ${team.name}`)),
      ];
    case "access-seen":
      return [
        ...event.users.flatMap((address) => user({ address })),
        ...event.members.flatMap(({ team, ...member }) => key({ ...member, team: teams.isNamed(team) })),
        ...event.keys.flatMap((one) => key(one)),
      ];
    default:
      return [];
  }
}

function objection(found: readonly unknown[], what: string): readonly string[] {
  return found.length > 0 ? [] : [`${what} was not there so`];
}

function teamsSaid(
  log: ServiceLog,
  said: { readonly name: string; readonly account: string; readonly identifier?: string | undefined },
  span: Span,
): readonly TeamThere[] {
  return log
    .teams(span)
    .filter(
      ({ identifier, name, account }) =>
        account === said.account &&
        foldTeamName(name) === foldTeamName(said.name) &&
        (said.identifier === undefined || said.identifier === identifier),
    );
}

/** What of a call that was done is not in the service as it was asked for, at any time of the span. */
export function missingEffect(log: ServiceLog, { intent }: ToldCall, learned: LearnedOutcome, span: Span) {
  switch (intent.kind) {
    case "create-user":
      return usersSaid(log, { address: intent.address }, span).length > 0
        ? undefined
        : `${intent.address} is not there`;
    case "add-members":
      return first(learned.kind === "add-members" ? learned.members : [], ({ address, outcome }) => {
        const isMissing = outcome.added && membershipsOf(log, intent.identifier, address, span).length === 0;
        return isMissing ? `${address} is no member of ${intent.name}` : undefined;
      });
    case "replace-roles":
      return keysSaid(log, { prefix: intent.prefix, roles: intent.roles }, span).length > 0
        ? undefined
        : `the key ${intent.prefix} has other roles`;
  }
}

/** Which teams of the service the keys of teams in events stand for. */
interface TeamNames {
  learn(said: Intent | { readonly team: string; readonly identifier?: string | undefined }): void;
  isNamed(team: string): (one: TeamThere) => boolean;
}

export function teamNames(): TeamNames {
  const identifiers = new Map<string, Set<string>>();
  return {
    learn(said) {
      if (!("identifier" in said) || said.identifier === undefined) return;
      identifiers.set(said.team, (identifiers.get(said.team) ?? new Set()).add(said.identifier));
    },
    isNamed: (team) => (one) => {
      const key = `${one.account}/${foldTeamName(one.name)}`;
      const isNamed = team === key || team === `${key} ID ${one.identifier}`;
      return isNamed || identifiers.get(team)?.has(one.identifier) === true;
    },
  };
}
