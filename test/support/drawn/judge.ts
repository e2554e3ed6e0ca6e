import { callOf } from "../auditor/calls.ts";
import { sameSet } from "../auditor/service-log.ts";
import type { CommandResult } from "../command.ts";
import type { RunDocument } from "../run-document.ts";
import type { Wanted } from "./company.ts";
import { type Draw, isInTime, isPassing, isPlain, type RunDraw } from "./draw.ts";
import type { DrawnSeed, DrawnService, LoggedWrite, WorldKey, WorldPerson, WorldTeam } from "./drawn-service.ts";
import { documentIn, printedWords } from "./printed-words.ts";

/** What is judged: the truth of a service, and what a roster wanted of it. Never what the program says of itself. */
export interface Judged {
  readonly wanted: Wanted;
  readonly seed: DrawnSeed;
  readonly service: Pick<DrawnService, "keyPrefix" | "writes" | "people" | "teams" | "mails">;
}

type Reach = Pick<Judged, "wanted" | "service">;

/** Everything that was done and that the roster does not want, in one sentence each. What is done twice, the auditor sees. */
export function judgeDeeds(judged: Judged): readonly string[] {
  return [...strangePeople(judged), ...strangeTeams(judged), ...wrongMails(judged), ...wrongWrites(judged)];
}

function strangePeople({ wanted, seed, service }: Judged): readonly string[] {
  const named = [
    ...wanted.people.flatMap(({ email, previously }) => [email, ...previously]),
    ...seed.people.map(({ email }) => email),
  ];
  const known = new Set(named.map(fold));
  const there = service.people.map(({ email }) => fold(email));
  return there.filter((email) => !known.has(email)).map((email) => `${email} was created, whom nobody named`);
}

function strangeTeams({ wanted, seed, service }: Judged): readonly string[] {
  const known = new Set([...wanted.teams, ...seed.teams].map(({ name }) => fold(name)));
  const names = service.teams.map(({ name }) => name);
  return names
    .filter((name) => !known.has(fold(name)))
    .map((name) => `the team ${name} was created, which nobody named`);
}

function wrongMails(judged: Judged): readonly string[] {
  const { wanted, service } = judged;
  return service.mails.flatMap(({ email: to, team: identifier }) => {
    const [email, team] = [fold(to), nameOfTeam(judged, identifier)];
    const members = wanted.teams.find(({ name }) => fold(name) === fold(team))?.members.map(fold) ?? [];
    const isMeant = [email, ...formerly(judged, email)].some((one) => members.includes(one));
    return isMeant ? [] : [`mailed without reason: ${email} for ${team}`];
  });
}

/** Whether somebody was a member before any addition: from the start, or as the first member. */
function wasIn({ seed, service }: Judged, team: string, email: string): boolean {
  const members = seed.teams.find(({ name }) => fold(name) === fold(team))?.members ?? [];
  return members.some((member) => fold(member.email) === email) || teamCreationBy(service, email, team) !== undefined;
}

function teamCreationBy({ writes }: Judged["service"], email: string, team: string): Creation | undefined {
  const creations = writes.flatMap((write) => (write.tookEffect ? [creationOf(write)] : []));
  return creations.find(
    (one) => one !== undefined && fold(one.email) === fold(email) && fold(one.team ?? "") === fold(team),
  );
}

function wrongWrites(judged: Judged): readonly string[] {
  return judged.service.writes.flatMap((write) => {
    const [call, creation] = [callOf(write), creationOf(write)];
    if (creation !== undefined) return wrongCreation(judged, creation);
    if (call.is === "add-members") return wrongAddition(judged, call.team, call.identifiers);
    return call.is === "replace-roles" ? wrongReplacement(judged, call.prefix, call.roles) : [];
  });
}

function wrongCreation({ wanted, seed, service }: Judged, { email, team, admin }: Creation): readonly string[] {
  const person = wanted.people.find((one) => one.email === email);
  const former = person?.previously.map(fold) ?? [];
  const isThere = seed.people.map((one) => fold(one.email)).some((one) => one === fold(email) || former.includes(one));
  const deeds = [
    ...(person === undefined ? [`asks to create ${email}, whom the roster does not name`] : []),
    ...(isThere ? [`asks to create ${email}, who was there`] : []),
  ];
  if (team === undefined) return deeds;
  const created = wanted.teams.find(({ name }) => name === team);
  if (created === undefined) return [...deeds, `asks to found ${team}, which the roster does not name`];
  const under = personNamed(service, admin ?? email)?.email ?? email;
  return [
    ...deeds,
    ...(seed.teams.some(({ name }) => fold(name) === fold(team)) ? [`asks to found ${team}, which was there`] : []),
    ...(created.members.includes(email) ? [] : [`asks to found ${team} with ${email}, who is no member of it`]),
    ...(fold(under) === fold(created.admin) ? [] : [`asks to found ${team} under ${under}`]),
  ];
}

function wrongAddition(judged: Judged, team: string, people: readonly string[]): readonly string[] {
  const { wanted, service } = judged;
  const name = service.teams.find(({ identifier }) => identifier === team)?.name;
  if (name === undefined) return [`asks to add people to ${team}, which is no team`];
  const members = wanted.teams.find((one) => fold(one.name) === fold(name))?.members.map(fold) ?? [];
  return people.flatMap((identifier) => {
    const person = personNamed(service, identifier);
    if (person === undefined) return [`asks to add ${identifier} to ${name}, who is nobody`];
    const email = fold(person.email);
    const isMeant = [email, ...formerly(judged, email)].some((one) => members.includes(one));
    return [
      ...(isMeant ? [] : [`asks to add ${email} to ${name}, where the roster does not want them`]),
      ...(wasIn(judged, name, email) ? [`asks to add ${email} to ${name}, who was a member`] : []),
    ];
  });
}

function wrongReplacement(judged: Judged, prefix: string, roles: readonly string[]): readonly string[] {
  const { service } = judged;
  if (prefix === service.keyPrefix) return [`replaces the roles of the key in use by ${list(roles)}`];
  const holder = service.people.find(({ keys }) => keys.some((key) => key.prefix === prefix));
  const key = holder?.keys.find((one) => one.prefix === prefix);
  if (holder === undefined || key === undefined) return [`replaces the roles of ${prefix}, which is no key`];
  const wanted = wantedRoles(judged, holder, key);
  const name = key.team === undefined ? `${key.kind} key` : `key in ${nameOfTeam(judged, key.team)}`;
  const which = `${holder.email}'s ${name}`;
  if (key.kind === "team" && isAsFounded(judged, holder, key, roles)) return [];
  if (wanted === undefined)
    return [`replaces the roles of ${which} by ${list(roles)}, of which the roster says nothing`];
  const mayKeep = key.kind === "project" ? ["PROJECT", "TEAM_ROLE"] : ["TEAM_ROLE"];
  return isAsked(roles, wanted, mayKeep)
    ? []
    : [`replaces the roles of ${which} by ${list(roles)}, not ${list(wanted)}`];
}

/** A first member's key may carry more than the creation of a team asked for, and is then made exact. */
function isAsFounded(judged: Judged, { email }: WorldPerson, { team = "" }: WorldKey, roles: readonly string[]) {
  const teamCreation = teamCreationBy(judged.service, email, nameOfTeam(judged, team));
  return teamCreation !== undefined && isAsked(roles, teamCreation.roles);
}

/** The roles that the roster wants on a key; undefined where it says nothing of them. */
function wantedRoles(judged: Reach, { email }: WorldPerson, key: WorldKey): readonly string[] | undefined {
  const { wanted } = judged;
  if (wanted.leavers.some((leaver) => fold(leaver) === fold(email))) return [];
  const isHolder = (one: string) => fold(one) === fold(email) || formerly(judged, fold(email)).includes(fold(one));
  if (key.kind === "own") return wanted.people.find((person) => isHolder(person.email))?.ownKeyRoles;
  const name = key.team === undefined ? undefined : nameOfTeam(judged, key.team);
  const team = wanted.teams.find((one) => one.name === name);
  return team?.members.some(isHolder) === true ? team.roles : undefined;
}

/** Some services refuse a key without the role of its kind, or keep it whatever is asked for. */
function isAsked(sent: readonly string[], wanted: readonly string[], mayKeep: readonly string[] = ["TEAM_ROLE"]) {
  return wanted.every((role) => sent.includes(role)) && sent.every((role) => [...mayKeep, ...wanted].includes(role));
}

interface Creation {
  readonly email: string;
  readonly team: string | undefined;
  readonly admin: string | undefined;
  /** For the key of the team that is created. */
  readonly roles: readonly string[];
}

function creationOf(write: LoggedWrite): Creation | undefined {
  const call = callOf(write);
  if (call.is !== "create-user") return undefined;
  const { email, team } = call.body as unknown as {
    readonly email: string;
    readonly team?: {
      readonly name?: string;
      readonly adminUserIdentifier?: string;
      readonly accessKeyRoles?: readonly string[];
    };
  };
  const name = team === undefined ? undefined : (team.name ?? "");
  return { email, team: name, admin: team?.adminUserIdentifier, roles: team?.accessKeyRoles ?? [] };
}

function personNamed({ people }: Judged["service"], name: string): WorldPerson | undefined {
  return people.find(({ identifier }) => identifier === name) ?? people.find(({ email }) => fold(email) === fold(name));
}

function formerly({ wanted }: Reach, email: string): readonly string[] {
  return wanted.people.filter(({ previously }) => previously.map(fold).includes(email)).map((one) => fold(one.email));
}

function nameOfTeam({ service }: Reach, team: string): string {
  return service.teams.find(({ identifier }: WorldTeam) => identifier === team)?.name ?? team;
}

function list(roles: readonly string[]): string {
  return `[${roles.join(", ")}]`;
}

export function fold(text: string): string {
  return text.toLowerCase();
}

export type Ran = Omit<CommandResult, "signal">;

export interface RunJudged {
  readonly judged: Judged;
  readonly draw: Draw;
  readonly ran: Ran;
  readonly index: number;
  readonly key: string;
}

/** Codes with which an apply may end here: the roster is valid, nobody else holds the state, nobody interrupts. */
const mayEndWith: readonly unknown[] = [0, 1, 4, 5, 6, 7, 9];

/** What should not be of the end of one run, in one sentence each. */
export function judgeRun({ judged, draw, ran, index, key }: RunJudged): readonly string[] {
  const { code, stdout, stderr } = ran;
  const missing = unmet(judged);
  const isPlainFirst = index === 0 && isPlain(draw) && isInTime(draw);
  return [
    ...(mayEndWith.includes(code) ? [] : [`exit code ${code}: ${stderr.trim().split("\n").at(-1)}`]),
    ...disagreements(ran, draw.runs[index]?.format),
    ...(/\binternal\b.*defect|defect of roster/u.test(`${stdout}${stderr}`) ? ["a defect of roster is told"] : []),
    ...(code === 0 && missing.length > 0 ? [`exit code 0, and ${missing.join(", ")}`] : []),
    ...(isPlainFirst && (code !== codeWhenReached(draw) || missing.length > 0)
      ? [`a service that shows everything is not reached in one run (${code}): ${missing.join(", ")}`]
      : []),
    ...vanishedFalsely(judged, stdout),
    ...(`${stdout}${stderr}`.includes(key.slice(key.indexOf("."))) ? ["the secret of the key is printed"] : []),
  ];
}

/** What should not be once the last run has ended, in one sentence each. */
export function judgeEnd(
  draw: Draw,
  { missing, codes }: { readonly missing: readonly string[]; readonly codes: readonly number[] },
): readonly string[] {
  if (missing.length === 0 || !isPassing(draw)) return [];
  return [`a service whose disturbances pass is not reached in the end (${codes.join(", ")}): ${missing.join(", ")}`];
}

/** No call deletes a leaver or changes an address: both stay blocking findings. */
function codeWhenReached({ company }: Draw): number {
  return company.hasLeaver || company.hasFormerAddress ? 9 : 0;
}

function disagreements({ code, stdout }: Ran, format: RunDraw["format"] | undefined): readonly string[] {
  const document = documentIn(stdout) as RunDocument | undefined;
  if (document === undefined) return format === "json" ? ["no document is printed"] : [];
  if (document.exit_code === code) return [];
  return [`exit code ${code}, and the document says ${document.exit_code}`];
}

/** Nobody goes from these services: whoever is said to be gone is there, and is not shown yet. */
function vanishedFalsely({ service }: Judged, output: string): readonly string[] {
  return printedWords(output).flatMap(({ what }) => {
    const [, address] = /^user-missing:(.*)$/su.exec(decodeURIComponent(what)) ?? [];
    const isThere = address !== undefined && service.people.some(({ email }) => fold(email) === fold(address));
    return isThere ? [`offers to recreate ${address}, who is there`] : [];
  });
}

/** What a roster wants and its service does not have, in a few words each; empty where the roster is reached. */
export function unmet(judged: Reach): readonly string[] {
  const { wanted } = judged;
  return [
    ...wanted.people.flatMap(({ email, previously }) => {
      const there = personAt(judged, [email, ...previously]);
      if (there === undefined) return [`${email} is not there`];
      const own = there.keys.filter(({ kind }) => kind === "own");
      return own.flatMap((key) => unmetRoles(judged, there, key, `own key of ${email}`));
    }),
    ...wanted.leavers.flatMap((email) => {
      const there = personAt(judged, [email]);
      return there?.keys.flatMap((key) => unmetRoles(judged, there, key, `key of the leaver ${email}`)) ?? [];
    }),
    ...wanted.teams.flatMap((team) => unmetOfTeam(judged, team)),
  ];
}

function unmetOfTeam(judged: Reach, team: Wanted["teams"][number]): readonly string[] {
  const { wanted, service } = judged;
  const named = service.teams.filter(({ name }) => fold(name) === fold(team.name));
  const [only] = named;
  if (only === undefined || named.length > 1) return [`there are ${named.length} teams ${team.name}`];
  return team.members.flatMap((email) => {
    const previously = wanted.people.find((person) => person.email === email)?.previously ?? [];
    const person = personAt(judged, [email, ...previously]);
    const key = person?.keys.find((one) => one.team === only.identifier);
    if (person === undefined || key === undefined || !only.members.includes(person.identifier)) {
      return [`${email} is not in ${team.name}`];
    }
    return unmetRoles(judged, person, key, `key of ${email} in ${team.name}`);
  });
}

/** A key whose roles were last asked to be exactly these is as far as its service lets anybody bring it. */
function unmetRoles(judged: Reach, holder: WorldPerson, key: WorldKey, what: string): readonly string[] {
  const wanted = wantedRoles(judged, holder, key);
  if (wanted === undefined || sameSet(key.roles, wanted)) return [];
  const asked = judged.service.writes
    .flatMap((write) => {
      const call = callOf(write);
      return write.tookEffect && call.is === "replace-roles" && call.prefix === key.prefix ? [call.roles] : [];
    })
    .at(-1);
  if (asked !== undefined && isAsked(asked, wanted)) return [];
  return [`the ${what} has [${key.roles.join(", ")}], not [${wanted.join(", ")}]`];
}

function personAt({ service }: Reach, emails: readonly string[]): WorldPerson | undefined {
  return service.people.find((person) => emails.some((email) => fold(email) === fold(person.email)));
}
