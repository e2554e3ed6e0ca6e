import { namesOf } from "./role-names.ts";
import { admins, type Person, roleSets } from "./year-company.ts";
import { type Edition, type EditionTeam, rolesOf } from "./year-edition.ts";
import type { Registry, ServiceKey, ServiceUser, Truth } from "./year-registry.ts";

/** The others that the company writes are mistakes. */
const knownRoles: readonly string[] = ["ACCOUNT_ADMIN", ...Object.values(roleSets).flat()];

/** Something that a roster asks for and the service does not have, or the other way round. */
export interface Unmet {
  readonly what: string;
  /** Words of which a finding about it names at least one. */
  readonly about: readonly string[];
  /** In small letters, the addresses of the people whom it is about. */
  readonly people: readonly string[];
  /** The team that it is about: which one of the company, and how the roster calls it. */
  readonly team?: { readonly id: number; readonly name: string };
}

export interface Judgement {
  /** The same for every run of one edition on one day. */
  readonly edition: Edition;
  /** As in `2026-11-20`. */
  readonly today: string;
  readonly registry: Registry;
  readonly truth: Truth;
  /** People of an edition that was applied before. */
  readonly applied: ReadonlySet<Person>;
}

/** What of an edition is not as it asks for, told from the service's own truth and without any of the program's code. */
export function unmetOf(judgement: Judgement): readonly Unmet[] {
  const { edition, today } = judgement;
  const leavers = leaversOf(edition, today);
  return [
    ...edition.users
      .filter(({ email }) => !leavers.has(email.toLowerCase()))
      .flatMap((user) => unmetUser(user.email, judgement)),
    ...edition.teams.flatMap((team) => unmetTeam(team, leavers, judgement)),
    ...[...leavers].flatMap((email) => remainsOf(email, judgement)),
    ...[...judgement.applied].flatMap((person) => unmetDropped(person, leavers, judgement)),
  ];
}

/** In small letters: the addresses of all who must hold nothing on that day. */
export function leaversOf({ users, leavers }: Edition, today: string): ReadonlySet<string> {
  const over = users.filter(({ until }) => until !== undefined && until <= today);
  const former = over.flatMap(({ previously }) => previously);
  return new Set([...[...leavers, ...over].map(({ email }) => email), ...former].map((email) => email.toLowerCase()));
}

/** The keys of leavers that still open something: of these a run that succeeds leaves none. */
export function armedLeavers({ edition, today, truth }: Judgement): readonly string[] {
  const leavers = leaversOf(edition, today);
  return truth.users.flatMap((user) => {
    if (!leavers.has(user.email.toLowerCase()) || isOff(user.status)) return [];
    const armed = user.accessKeys.filter(({ status, roles }) => !isOff(status) && roles.length > 0);
    return armed.map(({ prefix }) => `the key ${prefix} of the leaver ${user.email} has roles`);
  });
}

/** Keys that carry the administration without being among those that may. `known`: what people have done by hand. */
export function strayPrivileges({ users }: Truth, known: ReadonlySet<string>): readonly string[] {
  return users.flatMap(({ email, accessKeys }) =>
    accessKeys
      .filter(
        ({ prefix, roles }) => roles.some(({ identifier }) => identifier === "ACCOUNT_ADMIN") && !known.has(prefix),
      )
      .filter(() => !admins.some((admin) => admin === email))
      .map(({ prefix }) => `the key ${prefix} of ${email} carries ACCOUNT_ADMIN`),
  );
}

function isOff(status: string): boolean {
  return ["Inactive", "Deleted", "Disabled"].includes(status);
}

function userAt(email: string, { truth }: Pick<Judgement, "truth">): ServiceUser | undefined {
  return truth.users.find((user) => user.email.toLowerCase() === email.toLowerCase());
}

function unmetUser(email: string, judgement: Judgement): readonly Unmet[] {
  const user = userAt(email, judgement);
  const about = { about: [email.toLowerCase()], people: [email.toLowerCase()] };
  if (user === undefined) return [{ what: `the user ${email}`, ...about }];
  if (isOff(user.status)) return [{ what: `${email}, who is ${user.status}`, ...about }];
  const waits = user.status === "Invited" && daysSince(email, judgement) > 15;
  return waits ? [{ what: `an answer of ${email} to the invitation`, ...about }] : [];
}

function daysSince(email: string, { registry, truth, today }: Judgement): number {
  const person = registry.holderOf(userAt(email, { truth })?.identifier ?? "");
  const at = person === undefined ? undefined : registry.invitedAt(person);
  return at === undefined ? 0 : (Date.parse(today) - Date.parse(at.slice(0, 10))) / 86_400_000;
}

function remainsOf(email: string, judgement: Judgement): readonly Unmet[] {
  const user = userAt(email, judgement);
  if (user === undefined || isOff(user.status)) return [];
  return [{ what: `the end of the leaver ${email}`, about: [email], people: [email] }];
}

/** Whoever was in the roster, and is neither in it nor gone. */
function unmetDropped(person: Person, leavers: ReadonlySet<string>, { edition, registry, truth }: Judgement) {
  const { addresses } = person;
  const named = edition.users.some(({ email }) => addresses.has(email.toLowerCase()));
  const account = registry.accountOf(person, truth);
  if (named || account === undefined || [...leavers].some((email) => addresses.has(email))) return [];
  if (account.status === "Deleted") return [];
  return [{ what: `a word about ${person.email}, who was dropped`, about: [...addresses], people: [...addresses] }];
}

function unmetTeam(team: EditionTeam, leavers: ReadonlySet<string>, judgement: Judgement): readonly Unmet[] {
  const { registry, truth, edition } = judgement;
  const identifier = registry.teamIdentifier(team.id);
  const there = truth.teams.find((one) => one.identifier === identifier);
  const members = team.members.filter(({ email }) => !leavers.has(email.toLowerCase()));
  if (there === undefined) {
    const people = members.map(({ email }) => email.toLowerCase());
    return members.length === 0 ? [] : [{ what: `the team ${team.name}`, about: [team.name], people, team }];
  }
  const lacking = members.flatMap((member): readonly Unmet[] => {
    const email = member.email.toLowerCase();
    const key = userAt(email, judgement)?.accessKeys.find((one) => one.team?.identifier === identifier);
    const about = { about: [email], people: [email], team };
    if (key === undefined) return [{ what: `${email} in ${team.name}`, ...about }];
    const roles = rolesOf(member, team, edition);
    if (roles === undefined || hasJust(key, roles)) return [];
    const words = [email, key.prefix, ...roles.filter((role) => !knownRoles.includes(role))];
    return [{ what: `the roles of ${email} in ${team.name}`, ...about, about: words }];
  });
  return [...lacking, ...tooMany(team, there.members, judgement)];
}

/** Whoever is in a team that does not name them, under any address of theirs. */
function tooMany(team: EditionTeam, members: readonly string[], judgement: Judgement): readonly Unmet[] {
  const { edition, today, registry } = judgement;
  const named = new Set(team.members.map(({ email }) => email.toLowerCase()));
  const leavers = leaversOf(edition, today);
  return members.flatMap((email): readonly Unmet[] => {
    const user = userAt(email, judgement);
    const person = user === undefined ? undefined : registry.holderOf(user.identifier);
    const addresses = [email.toLowerCase(), ...(person?.addresses ?? [])];
    if (user === undefined || isOff(user.status) || addresses.some((one) => named.has(one) || leavers.has(one)))
      return [];
    const key = user.accessKeys.find((one) => one.team?.identifier === registry.teamIdentifier(team.id));
    if (team.onRemoval === "revoke" && key?.roles.length === 0) return [];
    return [{ what: `the end of ${email} in ${team.name}`, about: [email], people: [email.toLowerCase()], team }];
  });
}

function hasJust({ roles }: ServiceKey, wanted: readonly string[]): boolean {
  return namesOf(roles) === [...new Set(wanted)].sort().join();
}
