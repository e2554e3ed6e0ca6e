import type { RefusedPart } from "../../model/refusal.ts";
import type { State } from "../../model/state.ts";
import { plain } from "../outcome.ts";
import { table } from "../table.ts";
import { formatCount } from "../words.ts";
import { joinSections, type Line, prose, renderLines, row } from "./lines.ts";

/** What a state records, for people. */
export function renderState(state: State, address: string): string {
  return renderLines(
    joinSections([
      stateHeadLines(state, address),
      stateSection("Users", ["person", "account", "identifier", "key", "created"], userRows(state)),
      stateSection("Teams", ["team", "account", "identifier", "founder"], teamRows(state)),
      stateSection("Memberships", ["person", "team", "how", "prefix"], membershipRows(state)),
      stateSection("Keys whose roles were replaced", ["prefix", "roles", "at", "read as"], keyRows(state)),
      stateSection("Refused requests, not sent again as they are", ["request", "at", "why"], refusalRows(state)),
      stateSection("Calls whose outcome is not known", ["action", "at", "run"], openRows(state)),
    ]),
    plain,
  );
}

function lastRosterLines({ applied }: State): readonly Line[] {
  if (applied === undefined) return [];
  const people = formatCount(applied.people.size, "person", "people");
  return [prose(0, `The last roster that was applied, at ${applied.at}, is about ${people}.`)];
}

function lastPlanFileLines({ planFiles }: State): readonly Line[] {
  const [id, begun] = [...(planFiles ?? [])].at(-1) ?? [];
  return begun === undefined ? [] : [prose(0, `The last plan file that was applied is ${id}, begun at ${begun.at}.`)];
}

type StateRows = readonly (readonly string[])[];

const noValue = "-";

function stateHeadLines(state: State, address: string): readonly Line[] {
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
    ...lastRosterLines(state),
    ...lastPlanFileLines(state),
  ];
}

function stateSection(title: string, head: readonly string[], rows: StateRows): readonly Line[] {
  if (rows.length === 0) return [];
  return [row(0, [{ ink: "strong", text: `${title} (${rows.length})` }]), ...table(head, rows)];
}

function userRows({ users, teams }: State): StateRows {
  return [...users.values()].map((user) => {
    const founded = user.founded === undefined ? undefined : (teams.get(user.founded)?.name ?? user.founded);
    const key = founded === undefined ? user.key : `${user.key ?? noValue} (team ${founded})`;
    return [user.email, user.account, user.identifier ?? noValue, key ?? noValue, user.createdAt ?? "met"];
  });
}

function teamRows({ teams, users }: State): StateRows {
  return [...teams.values()].map((team) => {
    const founder = team.founder === undefined ? noValue : (users.get(team.founder)?.email ?? team.founder);
    return [team.name, team.account, team.identifier ?? noValue, founder];
  });
}

function refusalRows({ refusals, users }: State): StateRows {
  return [...refusals.values()].map(({ part, at, failure: { message, serviceSays } }) => [
    formatRefusedPart(part, users),
    at,
    serviceSays === undefined ? message : `${message}: ${serviceSays}`,
  ]);
}

function formatRefusedPart(part: RefusedPart, users: State["users"]): string {
  switch (part.of) {
    case "creation":
      return `create ${part.email}`;
    case "founding":
      return `found ${part.name} with ${part.email}`;
    case "addition":
      return `add ${users.get(part.address)?.email ?? part.address} to ${part.name}`;
    case "roles":
      return `key ${part.prefix}: ${formatRoleList(part.roles)}`;
  }
}

function membershipRows({ memberships, users, teams }: State): StateRows {
  return [...memberships.values()].map(({ address, team, how, prefix }) => [
    users.get(address)?.email ?? address,
    teams.get(team)?.name ?? team,
    how,
    prefix ?? noValue,
  ]);
}

function keyRows({ keys }: State): StateRows {
  return [...keys.values()].map(({ prefix, put, at, readAs }) => [
    prefix,
    formatRoleList(put),
    at,
    readAs === undefined ? noValue : formatRoleList(readAs),
  ]);
}

function openRows({ open }: State): StateRows {
  return open.map(({ action, at, run }) => [action, at, run]);
}

function formatRoleList(roles: readonly string[]): string {
  return roles.length === 0 ? "none" : roles.join(", ");
}
