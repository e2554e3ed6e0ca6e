import { namesOf } from "../../support/role-names.ts";
import type { Wanted } from "./company.ts";

/** What the reference server holds, and what it has mailed. */
export interface ServiceState {
  readonly users: readonly ServiceUser[];
  readonly teams: readonly { readonly identifier: string; readonly name: string }[];
  readonly mails: readonly { readonly address: string; readonly team: string }[];
}

export interface ServiceUser {
  readonly email: string;
  readonly accessKeys: readonly {
    readonly prefix: string;
    readonly team: { readonly identifier: string; readonly name: string } | null;
    readonly roles: readonly { readonly identifier: string }[];
  }[];
}

export type KeptPrefixes = readonly { readonly team: string; readonly email: string; readonly prefix: string }[];

export interface Problem {
  /** Damage cannot be taken back by another run; what is missing can still be done. */
  readonly is: "damage" | "missing";
  readonly text: string;
}

export interface Evidence {
  readonly wanted: Wanted;
  readonly before: ServiceState;
  readonly after: ServiceState;
  readonly kept: KeptPrefixes;
}

/** Everything that is not as it was wanted, by what the service itself holds and has mailed. */
export function problemsOf({ wanted, before, after, kept }: Evidence): readonly Problem[] {
  const emails = (users: readonly { readonly email: string }[]) => users.map(({ email }) => email);
  const [wantedEmails, there] = [emails(wanted.users), emails(after.users)];
  const wantedMembers = wanted.teams.flatMap(({ name, members }) => members.map((email) => membership(name, email)));
  const [oldKeys, keys] = [keysOf(before), keysOf(after)];
  const old = new Map(oldKeys.map(({ prefix, roles }) => [prefix, roles]));
  const known = new Set(kept.map(({ team, email, prefix }) => `${membership(team, email)} ${prefix}`));
  const rolesWanted = new Map(
    wanted.teams.flatMap(({ name, members, roles }) =>
      members.map((email) => [membership(name, email), [...roles].sort().join()] as const),
    ),
  );
  const members = keys.flatMap(({ member, ...key }) => (member === undefined ? [] : [{ ...key, member }]));
  const ofRoster = members.filter(({ member }) => rolesWanted.has(member));
  // Keys that no file speaks of keep their roles; a new user's own key has TEAM_ROLE alone.
  const others = keys.filter(({ member }) => member === undefined || !rolesWanted.has(member));
  return [
    ...count("damage", repeated(there.map((email) => email.toLowerCase())), "person twice", "people twice"),
    ...count("damage", without(there, [...wantedEmails, ...emails(before.users)]), "extra person", "extra people"),
    ...count("damage", repeated(after.teams.map(({ name }) => name)), "team twice", "teams twice"),
    ...count(
      "damage",
      repeated(after.mails.map(({ address, team }) => `${address} ${team}`)),
      "invitation mailed twice",
      "invitations mailed twice",
    ),
    ...count(
      "damage",
      without(
        members.map(({ member }) => member),
        [...wantedMembers, ...oldKeys.flatMap(({ member }) => member ?? [])],
      ),
      "member too many",
      "members too many",
    ),
    ...count(
      "damage",
      others.filter(({ prefix, roles }) => roles !== (old.get(prefix) ?? "TEAM_ROLE")),
      "other key changed",
      "other keys changed",
    ),
    ...count("missing", without(wantedEmails, there), "person missing", "people missing"),
    ...count(
      "missing",
      without(
        wantedMembers,
        members.map(({ member }) => member),
      ),
      "member missing",
      "members missing",
    ),
    ...count(
      "missing",
      ofRoster.filter(({ member, roles }) => roles !== rolesWanted.get(member)),
      "key with wrong roles",
      "keys with wrong roles",
    ),
    // A new key of a member whose prefix the tool does not keep, or keeps as that of somebody else.
    ...count(
      "missing",
      ofRoster.filter(({ member, prefix }) => !old.has(prefix) && !known.has(`${member} ${prefix}`)),
      "prefix lost",
      "prefixes lost",
    ),
  ];
}

function count(is: Problem["is"], found: readonly unknown[], one: string, many: string): readonly Problem[] {
  return found.length === 0 ? [] : [{ is, text: `${found.length} ${found.length === 1 ? one : many}` }];
}

/** Every key, with the membership that it stands for where it is a team's. */
function keysOf({ users }: ServiceState) {
  return users.flatMap(({ email, accessKeys }) =>
    accessKeys.map(({ prefix, team, roles }) => ({
      prefix,
      member: team === null ? undefined : membership(team.name, email),
      roles: namesOf(roles),
    })),
  );
}

function membership(team: string, email: string): string {
  return `${team}: ${email}`;
}

function without(values: readonly string[], others: readonly string[]): readonly string[] {
  const known = new Set(others);
  return values.filter((value) => !known.has(value));
}

function repeated(values: readonly string[]): readonly string[] {
  return [...new Set(values.filter((value, index) => values.indexOf(value) !== index))];
}

/** One run of a tool: how it ended, and what was not right after it. */
export interface Attempt {
  /** Null where it was killed or had to be ended. */
  readonly exitCode: number | null;
  readonly problems: readonly Problem[];
}

const ordinals = ["", " after a second run", " after a third run"];

/** What became of a tool under a fault, in words. What is wrong or not finished failed and said so, unless the words say that it said done. */
export function verdictOf(attempts: readonly Attempt[]): string {
  const last = attempts.at(-1);
  if (last === undefined) return "not run";
  const saysDone = last.exitCode === 0;
  if (last.problems.length > 0) {
    const isDamage = last.problems.some(({ is }) => is === "damage");
    const texts = last.problems.map(({ text }) => text).join(", ");
    return `${isDamage || saysDone ? "**wrong**" : "not finished"}: ${texts}.${saysDone ? " It says done." : ""}`;
  }
  const first = attempts.findLastIndex(({ problems }) => problems.length > 0) + 1;
  const claimed = attempts.slice(0, first).some(({ exitCode }) => exitCode === 0);
  const notes = [claimed ? "; a run before said done" : "", saysDone ? "" : "; still says that it failed"];
  return `right${ordinals[first] ?? ""}${notes.join("")}`;
}
