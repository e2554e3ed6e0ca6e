import type { RefusedPart } from "../../model/refusal.ts";
import type { State } from "../../model/state.ts";
import { plain } from "../outcome.ts";
import { table } from "../table.ts";
import { counted } from "../words.ts";
import { type Line, prose, renderLines, row, stacked } from "./lines.ts";

/** What a state records, for people. */
export function renderState(state: State, address: string): string {
  return renderLines(
    stacked([
      headLines(state, address),
      section("Users", ["person", "account", "identifier", "key", "created"], userRows(state)),
      section("Teams", ["team", "account", "identifier", "founder"], teamRows(state)),
      section("Memberships", ["person", "team", "how", "prefix"], membershipRows(state)),
      section("Keys whose roles were replaced", ["prefix", "roles", "at", "read as"], keyRows(state)),
      section("Refused requests, not sent again as they are", ["request", "at", "why"], refusalRows(state)),
      section("Calls whose outcome is not known", ["action", "at", "run"], openRows(state)),
    ]),
    plain,
  );
}

function lastRoster({ applied }: State): readonly Line[] {
  if (applied === undefined) return [];
  const people = counted(applied.people.size, "person", "people");
  return [prose(0, `The last roster that was applied, at ${applied.at}, is about ${people}.`)];
}

function lastFile({ planFiles }: State): readonly Line[] {
  const [id, begun] = [...(planFiles ?? [])].at(-1) ?? [];
  return begun === undefined ? [] : [prose(0, `The last plan file that was applied is ${id}, begun at ${begun.at}.`)];
}

type Rows = readonly (readonly string[])[];

const nothing = "-";

function headLines(state: State, address: string): readonly Line[] {
  const service =
    state.service === undefined ? "No run has learned anything of a service yet." : `For ${state.service}.`;
  return [
    row(0, [{ ink: "strong", text: `State ${address}` }]),
    prose(0, `Lineage ${state.lineage}, serial ${state.serial}. ${service}`),
    ...(state.moved === undefined
      ? []
      : [prose(0, `It was moved to ${state.moved.to} at ${state.moved.at}, and is no longer used here.`, "alarm")]),
    ...(state.sequence === undefined
      ? []
      : [prose(0, `The highest sequence that an apply has named is ${state.sequence}.`)]),
    ...lastRoster(state),
    ...lastFile(state),
  ];
}

function section(title: string, head: readonly string[], rows: Rows): readonly Line[] {
  if (rows.length === 0) return [];
  return [row(0, [{ ink: "strong", text: `${title} (${rows.length})` }]), ...table(head, rows)];
}

function userRows({ users, teams }: State): Rows {
  return [...users.values()].map((user) => {
    const founded = user.founded === undefined ? undefined : (teams.get(user.founded)?.name ?? user.founded);
    const key = founded === undefined ? user.key : `${user.key ?? nothing} (team ${founded})`;
    return [user.email, user.account, user.identifier ?? nothing, key ?? nothing, user.createdAt ?? "met"];
  });
}

function teamRows({ teams, users }: State): Rows {
  return [...teams.values()].map((team) => {
    const founder = team.founder === undefined ? nothing : (users.get(team.founder)?.email ?? team.founder);
    return [team.name, team.account, team.identifier ?? nothing, founder];
  });
}

function refusalRows({ refusals, users }: State): Rows {
  return [...refusals.values()].map(({ part, at, failure: { message, serviceSays } }) => [
    partWords(part, users),
    at,
    serviceSays === undefined ? message : `${message}: ${serviceSays}`,
  ]);
}

function partWords(part: RefusedPart, users: State["users"]): string {
  switch (part.of) {
    case "creation":
      return `create ${part.email}`;
    case "founding":
      return `found ${part.name} with ${part.email}`;
    case "addition":
      return `add ${users.get(part.address)?.email ?? part.address} to ${part.name}`;
    case "roles":
      return `key ${part.prefix}: ${rolesWords(part.roles)}`;
  }
}

function membershipRows({ memberships, users, teams }: State): Rows {
  return [...memberships.values()].map(({ address, team, how, prefix }) => [
    users.get(address)?.email ?? address,
    teams.get(team)?.name ?? team,
    how,
    prefix ?? nothing,
  ]);
}

function keyRows({ keys }: State): Rows {
  return [...keys.values()].map(({ prefix, put, at, readAs }) => [
    prefix,
    rolesWords(put),
    at,
    readAs === undefined ? nothing : rolesWords(readAs),
  ]);
}

function openRows({ open }: State): Rows {
  return open.map(({ action, at, run }) => [action, at, run]);
}

function rolesWords(roles: readonly string[]): string {
  return roles.length === 0 ? "none" : roles.join(", ");
}
