import type { FoldedAddress } from "../../model/address.ts";
import type { Basis } from "../../model/fact.ts";
import { foldName, type TeamKey, teamKeyOf } from "../../model/names.ts";
import { byCodeUnit } from "../../model/role-set.ts";
import { accountStatus, type ObservedUser } from "../../model/snapshot.ts";
import type { State } from "../../model/state.ts";
import { accountShownFor, type HeldKey } from "../facts.ts";
import type { Question } from "../question.ts";
import { remembered, seen, teamSubject } from "../subjects.ts";
import type { Teams } from "../team-identity.ts";

/** A team that is there, or was, and that no team of the roster is. */
export interface LeftTeam {
  readonly account: string;
  readonly name: string;
  readonly identifier?: string;
  readonly members: ReadonlySet<FoldedAddress>;
  readonly basis: Basis;
  readonly known: "recorded" | "shown";
}

/** Recorded teams first; a team that is shown as well is the recorded one, with those who are shown in it. */
export function teamsLeft(question: Question, teams: Teams): readonly LeftTeam[] {
  const { state } = question;
  const wanted = wantedTeams(teams);
  const shown = shownTeams(question, wanted);
  const recorded = recordedTeams(state, wanted).map((team) => {
    const members = shown.filter((one) => isSameTeam(one, team)).flatMap((one) => [...one.members]);
    return { ...team, members: new Set([...team.members, ...members]) };
  });
  return [...recorded, ...shown.filter((team) => !recorded.some((one) => isSameTeam(one, team)))];
}

function isSameTeam(one: LeftTeam, other: LeftTeam): boolean {
  if (one.identifier !== undefined && one.identifier === other.identifier) return true;
  return teamKeyOf(one.account, one.name) === teamKeyOf(other.account, other.name);
}

/** How the roster's teams are recorded and shown, under their former names as well. */
interface WantedTeams {
  readonly keys: ReadonlySet<TeamKey>;
  readonly identifiers: ReadonlySet<string>;
  readonly names: ReadonlySet<TeamKey>;
}

function wantedTeams(teams: Teams): WantedTeams {
  const all = [...teams.values()];
  return {
    keys: new Set(all.flatMap(({ recordKeys }) => recordKeys)),
    identifiers: new Set(all.flatMap((one) => (one.is === "known" ? [one.identifier] : []))),
    names: new Set(all.flatMap(({ team, names }) => [...names].map((name) => teamKeyOf(team.account, name)))),
  };
}

function recordedTeams({ teams, memberships }: State, wanted: WantedTeams): readonly LeftTeam[] {
  const members = new Map<TeamKey, Set<FoldedAddress>>();
  for (const { team, address } of memberships.values()) {
    members.set(team, (members.get(team) ?? new Set()).add(address));
  }
  const left = [...teams.values()].filter(
    ({ team, identifier }) =>
      !wanted.keys.has(team) && (identifier === undefined || !wanted.identifiers.has(identifier)),
  );
  return left
    .sort((a, b) => byCodeUnit(a.team, b.team))
    .map(({ team, account, name, identifier, at }) => ({
      account,
      name,
      ...(identifier === undefined ? {} : { identifier }),
      members: members.get(team) ?? new Set(),
      basis: remembered(teamSubject(team), "present", at),
      known: "recorded",
    }));
}

/** The teams of keys that are not gone, in the order of their names. */
function shownTeams(question: Question, wanted: WantedTeams): readonly LeftTeam[] {
  const { facts } = question;
  const left = new Map<string, LeftTeam & { readonly members: Set<FoldedAddress> }>();
  const held = [...facts.byTeamName].sort(([a], [b]) => byCodeUnit(a, b)).flatMap(([, keys]) => keys);
  for (const one of held) {
    const team = leftTeamOf(one, question, wanted);
    if (team === undefined) continue;
    const id = JSON.stringify([team.account, team.identifier ?? foldName(team.name)]);
    const known = left.get(id) ?? { ...team, members: new Set() };
    known.members.add(one.holder.address);
    left.set(id, known);
  }
  return [...left.values()];
}

function leftTeamOf({ holder, key }: HeldKey, question: Question, wanted: WantedTeams): LeftTeam | undefined {
  const { team } = key;
  const account = accountOf(holder, question);
  if (team === undefined || team === "none" || team.name === undefined || account === undefined) return undefined;
  const { name, identifier } = team;
  const isWanted =
    identifier === undefined ? wanted.names.has(teamKeyOf(account, name)) : wanted.identifiers.has(identifier);
  if (accountStatus(key.status) === "deleted" || isWanted) return undefined;
  const basis = seen(teamSubject(teamKeyOf(account, name)), "present", holder.by);
  const left = { account, name, members: new Set<FoldedAddress>(), basis, known: "shown" } as const;
  return identifier === undefined ? left : { ...left, identifier };
}

/** Where the service does not show the accounts of users, the one that the roster or our records give them. */
function accountOf(holder: ObservedUser, { facts, roster, state }: Question): string | undefined {
  const { address } = holder;
  return accountShownFor(holder, facts) ?? roster.users.get(address)?.account ?? state.users.get(address)?.account;
}
