import { systemClock, systemRandomness } from "../../src/library/environment.ts";
import { fileStore } from "../../src/log/file/store.ts";
import { callOf } from "./auditor/calls.ts";
import type { PassedRequest } from "./fault-proxy.ts";
import { namesOf } from "./role-names.ts";
import { documentOf } from "./run-document.ts";
import type { Ran } from "./stage.ts";
import { rolesInLog } from "./whole-log.ts";
import type { Registry, ServiceUser, Truth, Year } from "./year.ts";
import {
  admins,
  type Company,
  domain,
  type Edition,
  type EditionTeam,
  type Person,
  roleSets,
  rolesOf,
  untouchable,
} from "./year-company.ts";

/** The others that the company writes are mistakes. */
const knownRoles: readonly string[] = ["ACCOUNT_ADMIN", ...Object.values(roleSets).flat()];

/** Something that a roster asks for and the service does not have, or the other way round. */
interface Unmet {
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
function unmetOf(judgement: Judgement): readonly Unmet[] {
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
function leaversOf({ users, leavers }: Edition, today: string): ReadonlySet<string> {
  const over = users.filter(({ until }) => until !== undefined && until <= today);
  const former = over.flatMap(({ previously }) => previously);
  return new Set([...[...leavers, ...over].map(({ email }) => email), ...former].map((email) => email.toLowerCase()));
}

/** The keys of leavers that still open something: of these a run that succeeds leaves none. */
function armedLeavers({ edition, today, truth }: Judgement): readonly string[] {
  const leavers = leaversOf(edition, today);
  return truth.users.flatMap((user) => {
    if (!leavers.has(user.email.toLowerCase()) || isOff(user.status)) return [];
    const armed = user.accessKeys.filter(({ status, roles }) => !isOff(status) && roles.length > 0);
    return armed.map(({ prefix }) => `the key ${prefix} of the leaver ${user.email} has roles`);
  });
}

/** Keys that carry the administration without being among those that may. `known`: what people have done by hand. */
function strayPrivileges({ users }: Truth, known: ReadonlySet<string>): readonly string[] {
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
    if (roles === undefined || namesOf(key.roles) === [...new Set(roles)].sort().join()) return [];
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

/** Exit code 0 says that the roster is reached. */
export function judgeSuccess(judgement: Judgement): readonly string[] {
  return unmetOf(judgement).map(({ what }) => `exit code 0 without ${what}`);
}

/** What an apply that nothing disturbed leaves: only what waits for somebody is missing, and each of it is told. */
export function judgeCalm(ran: Ran, judgement: Judgement, year: Year): readonly string[] {
  const { findings = [], run } = documentOf(ran);
  const failed = (run?.outcomes ?? []).filter(({ outcome }) => outcome !== "succeeded" && outcome !== "unneeded");
  const blocking = [...findings, ...(run?.findings ?? [])].filter((finding) => finding.blocking);
  const told = JSON.stringify([...blocking, ...failed]).toLowerCase();
  const isTold = ({ about, team }: Unmet) =>
    [...about, ...(isBusy(team, year) ? [team?.name ?? ""] : [])].some((word) => told.includes(word.toLowerCase()));
  const codes = [...new Set(blocking.map(({ code }) => code))].join(", ");
  const unmet = unmetOf(judgement);
  return [
    ...unmet.filter((one) => !isTold(one)).map(({ what }) => `${what} is missing, and nothing says so`),
    ...unmet.filter((one) => !waits(one, year)).map(({ what }) => `${what} is missing for no reason (${codes})`),
    ...armedLeavers(judgement),
    ...strayPrivileges(judgement.truth, year.privileged),
  ];
}

/** Whether something is known to be out of order about the people or the team in question. */
function waits({ people, team }: Unmet, year: Year): boolean {
  const { matters } = year;
  const busy = new Set(matters.flatMap((matter) => matter.people.flatMap(({ addresses }) => [...addresses])));
  const strangers = new Set(matters.flatMap((matter) => matter.strangers ?? []));
  if (isBusy(team, year)) return true;
  return people.length > 0 && people.every((email) => busy.has(email) || strangers.has(email));
}

function isBusy(team: Unmet["team"], { matters }: Year): boolean {
  return team !== undefined && matters.some(({ teams = [] }) => teams.some(({ id }) => id === team.id));
}

/** Under what a run is watched. */
interface Watched {
  readonly editions: readonly Edition[];
  readonly today: string;
}

/** Looks at each call right before the service does, and says what must never be asked for. */
export interface Watch {
  begin(watched: Watched): void;
  see(request: PassedRequest): void;
  readonly writes: readonly string[];
  /** One sentence each. */
  readonly breaches: string[];
}

interface Creation {
  readonly email: string;
  readonly team?: { readonly accessKeyRoles?: readonly string[] };
}

export function watchOf(company: Company, registry: Registry): Watch {
  const breaches: string[] = [];
  const writes: string[] = [];
  let watched: Watched = { editions: [], today: "" };

  /** Whoever is a leaver in every edition that the run may have worked from. */
  function isLeaver(email: string): boolean {
    const { editions, today } = watched;
    const person = company.personOf(email);
    return editions.every((edition) =>
      [...leaversOf(edition, today)].some((one) => one === email || company.personOf(one) === person),
    );
  }

  function judge(email: string, what: string): void {
    if (!email.endsWith(`@${domain}`)) breaches.push(`${what}: ${email} is a stranger`);
    if (email === untouchable) breaches.push(`${what}: ${email} is protected`);
    if (isLeaver(email)) breaches.push(`${what}: ${email} is a leaver`);
  }

  function judgeRoles(holder: string, roles: readonly string[], what: string): void {
    if (roles.includes("ACCOUNT_ADMIN") && !admins.some((admin) => admin === holder)) {
      breaches.push(`${what}: ${holder} would be an administrator`);
    }
  }

  function seeCreation({ email, team }: Creation): void {
    judge(email.toLowerCase(), `creates ${email}`);
    judgeRoles(email.toLowerCase(), team?.accessKeyRoles ?? [], `creates ${email}`);
  }

  function seeAddition(team: string, people: readonly string[], { users, teams }: Truth): void {
    for (const identifier of people) {
      const email = users.find((user) => user.identifier === identifier)?.email ?? identifier;
      judge(email.toLowerCase(), `adds ${email} to ${teams.find((one) => one.identifier === team)?.name}`);
    }
  }

  function seeRoles(prefix: string, roles: readonly string[], { users }: Truth): void {
    const holder = users.find(({ accessKeys }) => accessKeys.some((key) => key.prefix === prefix));
    if (holder === undefined) return;
    const email = holder.email.toLowerCase();
    const what = `gives the key ${prefix} of ${email} ${roles.join(", ") || "nothing"}`;
    judgeRoles(email, roles, what);
    if (email === untouchable) breaches.push(`${what}: they are protected`);
    const person: Person | undefined = registry.holderOf(holder.identifier);
    if (roles.length > 0 && (isLeaver(email) || (person !== undefined && isLeaver(person.email)))) {
      breaches.push(`${what}: they are a leaver`);
    }
  }

  return {
    breaches,
    writes,
    begin(next) {
      watched = next;
      writes.length = 0;
    },
    see({ method, url, body, isWrite }) {
      if (!isWrite) return;
      writes.push(`${method} ${url} ${body}`);
      const call = callOf({ method, path: url, body: JSON.parse(body) });
      if (call.is === "add-members") seeAddition(call.team, call.identifiers, registry.truth());
      else if (call.is === "replace-roles") seeRoles(call.prefix, call.roles, registry.truth());
      else if (call.is === "create-user") seeCreation(call.body as unknown as Creation);
      else breaches.push(`asks for ${method} ${url}, which the interface does not have`);
    },
  };
}

/**
 * In what the log of a year differs from the service, in one sentence each: the roles of every team key that the roster
 * manages and that a run has made or changed.
 */
export async function auditTroubles({ stage, registry }: Year, edition: Edition): Promise<readonly string[]> {
  const path = (stage.keeping.env["ROSTER_STATE"] ?? "").slice("file:".length);
  const recorded = await rolesInLog(fileStore({ path, clock: systemClock, randomness: systemRandomness }));
  if (typeof recorded === "string") return [recorded];
  const { users } = registry.truth();
  const compared = edition.teams.flatMap((team) =>
    team.members.flatMap((member) => {
      const user = users.find(({ email }) => email.toLowerCase() === member.email.toLowerCase());
      const identifier = registry.teamIdentifier(team.id);
      const key = user?.accessKeys.find((one) => one.team?.identifier === identifier);
      const told = key === undefined ? undefined : recorded.get(key.prefix);
      if (key === undefined || told === undefined || rolesOf(member, team, edition) === undefined) return [];
      return [{ told, shown: namesOf(key.roles), where: `${member.email} in ${team.name}` }];
    }),
  );
  const differing = compared.filter(({ told, shown }) => told !== shown);
  return [
    ...differing.map(({ told, shown, where }) => `the log says ${told} of ${where}, who has ${shown}`),
    ...(compared.length < 10 ? [`only ${compared.length} keys are in the log`] : []),
  ];
}
