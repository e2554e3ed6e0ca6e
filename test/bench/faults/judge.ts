import type { Wanted } from "./company.ts";

/** What the reference server holds, and what it has mailed. */
export interface ServiceState {
  readonly users: readonly ServiceUser[];
  readonly teams: readonly { readonly identifier: string; readonly name: string }[];
  readonly mails: readonly { readonly address: string; readonly team: string }[];
}

export interface ServiceUser {
  readonly email: string;
  readonly accessKeys: readonly ServiceKey[];
}

interface ServiceKey {
  readonly prefix: string;
  readonly team: { readonly identifier: string; readonly name: string } | null;
  readonly roles: readonly { readonly identifier: string }[];
}

/** The key prefixes that a tool has kept. */
export type KeptPrefixes = readonly { readonly team: string; readonly email: string; readonly prefix: string }[];

export interface Problem {
  /** Damage cannot be taken back by another run; what is missing can still be done. */
  readonly is: "damage" | "missing";
  /** As in "2 people twice". */
  readonly text: string;
}

export interface Evidence {
  readonly wanted: Wanted;
  readonly before: ServiceState;
  readonly after: ServiceState;
  readonly kept: KeptPrefixes;
}

/** Everything that is not as it was wanted, by what the service itself holds and has mailed. */
export function problemsOf(evidence: Evidence): readonly Problem[] {
  return [
    ...count("damage", peopleTwice(evidence), "person twice", "people twice"),
    ...count("damage", uninvited(evidence), "extra person", "extra people"),
    ...count("damage", teamsTwice(evidence), "team twice", "teams twice"),
    ...count("damage", mailsTwice(evidence), "invitation mailed twice", "invitations mailed twice"),
    ...count("damage", membersTooMany(evidence), "member too many", "members too many"),
    ...count("damage", otherKeysChanged(evidence), "other key changed", "other keys changed"),
    ...count("missing", peopleMissing(evidence), "person missing", "people missing"),
    ...count("missing", membersMissing(evidence), "member missing", "members missing"),
    ...count("missing", wrongRoles(evidence), "key with wrong roles", "keys with wrong roles"),
    ...count("missing", prefixesLost(evidence), "prefix lost", "prefixes lost"),
  ];
}

function count(is: Problem["is"], found: readonly unknown[], one: string, many: string): readonly Problem[] {
  return found.length === 0 ? [] : [{ is, text: `${found.length} ${found.length === 1 ? one : many}` }];
}

function peopleTwice({ after }: Evidence): readonly string[] {
  return repeated(after.users.map(({ email }) => email.toLowerCase()));
}

function uninvited({ wanted, before, after }: Evidence): readonly ServiceUser[] {
  const known = new Set([...wanted.users, ...before.users].map(({ email }) => email));
  return after.users.filter(({ email }) => !known.has(email));
}

function teamsTwice({ after }: Evidence): readonly string[] {
  return repeated(after.teams.map(({ name }) => name));
}

function mailsTwice({ after }: Evidence): readonly string[] {
  return repeated(after.mails.map(({ address, team }) => `${address} ${team}`));
}

function membersTooMany({ wanted, before, after }: Evidence): readonly string[] {
  const allowed = new Set([...membershipsOf(before), ...wantedMemberships(wanted)]);
  return membershipsOf(after).filter((membership) => !allowed.has(membership));
}

/** Keys that no file speaks of keep their roles; a new user's own key has TEAM_ROLE alone. */
function otherKeysChanged({ wanted, before, after }: Evidence): readonly string[] {
  const memberships = new Set(wantedMemberships(wanted));
  const roles = new Map(before.users.flatMap(({ accessKeys }) => accessKeys.map((key) => [key.prefix, rolesOf(key)])));
  return after.users.flatMap(({ email, accessKeys }) =>
    accessKeys
      .filter(({ team }) => team === null || !memberships.has(membership(team.name, email)))
      .filter((key) => rolesOf(key) !== (roles.get(key.prefix) ?? "TEAM_ROLE"))
      .map(({ prefix }) => prefix),
  );
}

function peopleMissing({ wanted, after }: Evidence): readonly string[] {
  const there = new Set(after.users.map(({ email }) => email));
  return wanted.users.flatMap(({ email }) => (there.has(email) ? [] : [email]));
}

function membersMissing({ wanted, after }: Evidence): readonly string[] {
  const there = new Set(membershipsOf(after));
  return wantedMemberships(wanted).filter((one) => !there.has(one));
}

function wrongRoles({ wanted, after }: Evidence): readonly string[] {
  return wanted.teams.flatMap(({ name, members, roles }) =>
    teamKeys(after, name)
      .filter(({ email }) => members.includes(email))
      .filter(({ key }) => rolesOf(key) !== [...roles].sort().join())
      .map(({ key }) => key.prefix),
  );
}

/** A new key of a member whose prefix the tool does not keep, or keeps as that of somebody else. */
function prefixesLost({ wanted, before, after, kept }: Evidence): readonly string[] {
  const known = new Set(kept.map(({ team, email, prefix }) => `${membership(team, email)} ${prefix}`));
  const old = new Set(before.users.flatMap(({ accessKeys }) => accessKeys.map(({ prefix }) => prefix)));
  return wanted.teams.flatMap(({ name, members }) =>
    teamKeys(after, name)
      .filter(({ email, key }) => members.includes(email) && !old.has(key.prefix))
      .map(({ email, key }) => `${membership(name, email)} ${key.prefix}`)
      .filter((one) => !known.has(one)),
  );
}

function teamKeys(
  { users }: ServiceState,
  name: string,
): readonly { readonly email: string; readonly key: ServiceKey }[] {
  return users.flatMap(({ email, accessKeys }) =>
    accessKeys.filter(({ team }) => team?.name === name).map((key) => ({ email, key })),
  );
}

function membershipsOf({ users }: ServiceState): readonly string[] {
  return users.flatMap(({ email, accessKeys }) =>
    accessKeys.flatMap(({ team }) => (team === null ? [] : [membership(team.name, email)])),
  );
}

function wantedMemberships({ teams }: Wanted): readonly string[] {
  return teams.flatMap(({ name, members }) => members.map((email) => membership(name, email)));
}

function membership(team: string, email: string): string {
  return `${team}: ${email}`;
}

function rolesOf({ roles }: ServiceKey): string {
  return roles
    .map(({ identifier }) => identifier)
    .sort()
    .join();
}

/** Each value that is there more than once, once. */
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
