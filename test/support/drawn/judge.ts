import type { Wanted, WantedTeam } from "./company.ts";
import type { DrawnSeed, DrawnService, LoggedWrite, WorldKey, WorldPerson, WorldTeam } from "./drawn-service.ts";

/** What is judged: the truth of a service, and what a roster wanted of it. Never what the program says of itself. */
export interface Judged {
  readonly wanted: Wanted;
  readonly seed: DrawnSeed;
  readonly service: Pick<DrawnService, "keyPrefix" | "writes" | "people" | "teams" | "mails">;
}

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
    const creation = creationOf(write);
    if (creation !== undefined) return wrongCreation(judged, creation);
    const addition = additionOf(write);
    if (addition !== undefined) return wrongAddition(judged, addition);
    const replacement = replacementOf(write);
    return replacement === undefined ? [] : wrongReplacement(judged, replacement);
  });
}

function wrongCreation({ wanted, seed, service }: Judged, { email, team, admin }: Creation): readonly string[] {
  const person = wanted.people.find((one) => one.email === email);
  const former = person?.previously.map(fold) ?? [];
  const isThere = seed.people.map((one) => fold(one.email)).some((one) => one === fold(email) || former.includes(one));
  const createdTeam = wanted.teams.find(({ name }) => name === team);
  const adminPerson = service.people.find(
    (one) => one.identifier === admin || fold(one.email) === fold(admin ?? email),
  );
  return [
    ...(person === undefined ? [`asks to create ${email}, whom the roster does not name`] : []),
    ...(isThere ? [`asks to create ${email}, who was there`] : []),
    ...(team === undefined ? [] : wrongTeamCreation({ team, email, createdTeam, admin: adminPerson?.email }, seed)),
  ];
}

function wrongTeamCreation(
  teamCreation: {
    readonly team: string;
    readonly email: string;
    readonly createdTeam: WantedTeam | undefined;
    readonly admin: string | undefined;
  },
  seed: DrawnSeed,
): readonly string[] {
  const { team, email, createdTeam, admin } = teamCreation;
  if (createdTeam === undefined) return [`asks to found ${team}, which the roster does not name`];
  return [
    ...(seed.teams.some(({ name }) => fold(name) === fold(team)) ? [`asks to found ${team}, which was there`] : []),
    ...(createdTeam.members.includes(email) ? [] : [`asks to found ${team} with ${email}, who is no member of it`]),
    ...(fold(admin ?? email) === fold(createdTeam.admin) ? [] : [`asks to found ${team} under ${admin ?? email}`]),
  ];
}

function wrongAddition(judged: Judged, { team, people }: Addition): readonly string[] {
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

function wrongReplacement(judged: Judged, { prefix, roles }: Replacement): readonly string[] {
  const { service } = judged;
  if (prefix === service.keyPrefix) return [`replaces the roles of the key in use by ${list(roles)}`];
  const holder = service.people.find(({ keys }) => keys.some((key) => key.prefix === prefix));
  const key = holder?.keys.find((one) => one.prefix === prefix);
  if (holder === undefined || key === undefined) return [`replaces the roles of ${prefix}, which is no key`];
  const wanted = wantedRoles(judged, holder, key);
  const which = `${holder.email}'s ${keyName(judged, key)}`;
  if (key.kind === "team" && isAsFounded(judged, holder, key, roles)) return [];
  if (wanted === undefined)
    return [`replaces the roles of ${which} by ${list(roles)}, of which the roster says nothing`];
  const mayKeep = key.kind === "project" ? ["PROJECT", "TEAM_ROLE"] : ["TEAM_ROLE"];
  return isAsked(roles, wanted, mayKeep)
    ? []
    : [`replaces the roles of ${which} by ${list(roles)}, not ${list(wanted)}`];
}

/** A first member's key may carry more than the creation of a team asked for, and is then made exact. */
function isAsFounded(
  judged: Judged,
  { email }: WorldPerson,
  { team = "" }: WorldKey,
  roles: readonly string[],
): boolean {
  const teamCreation = teamCreationBy(judged.service, email, nameOfTeam(judged, team));
  return teamCreation !== undefined && isAsked(roles, teamCreation.roles);
}

/** The roles that the roster wants on a key; undefined where it says nothing of them. */
export function wantedRoles(
  judged: Pick<Judged, "wanted" | "service">,
  { email }: WorldPerson,
  key: WorldKey,
): readonly string[] | undefined {
  const { wanted } = judged;
  if (wanted.leavers.some((leaver) => fold(leaver) === fold(email))) return [];
  const isHolder = (one: string) => fold(one) === fold(email) || formerly(judged, fold(email)).includes(fold(one));
  if (key.kind === "own") return wanted.people.find((person) => isHolder(person.email))?.ownKeyRoles;
  const name = key.team === undefined ? undefined : nameOfTeam(judged, key.team);
  const team = wanted.teams.find((one) => one.name === name);
  return team?.members.some(isHolder) === true ? team.roles : undefined;
}

/** Some services refuse a key without the role of its kind, or keep it whatever is asked for. */
export function isAsked(
  sent: readonly string[],
  wanted: readonly string[],
  mayKeep: readonly string[] = ["TEAM_ROLE"],
): boolean {
  return wanted.every((role) => sent.includes(role)) && sent.every((role) => [...mayKeep, ...wanted].includes(role));
}

interface Creation {
  readonly email: string;
  readonly team: string | undefined;
  readonly admin: string | undefined;
  /** For the key of the team that is created. */
  readonly roles: readonly string[];
}

interface CreationBody {
  readonly email: string;
  readonly team?: {
    readonly name?: string;
    readonly adminUserIdentifier?: string;
    readonly accessKeyRoles?: readonly string[];
  };
}

function creationOf({ method, path, body }: LoggedWrite): Creation | undefined {
  if (method !== "POST" || !/\/accounts\/[^/]+\/users$/u.test(path)) return undefined;
  const { email, team } = body as CreationBody;
  const name = team === undefined ? undefined : (team.name ?? "");
  return { email, team: name, admin: team?.adminUserIdentifier, roles: team?.accessKeyRoles ?? [] };
}

interface Addition {
  readonly team: string;
  readonly people: readonly string[];
}

function additionOf({ method, path, body }: LoggedWrite): Addition | undefined {
  const team = /\/teams\/([^/]+)\/members$/u.exec(path)?.[1];
  if (method !== "POST" || team === undefined) return undefined;
  return { team: decodeURIComponent(team), people: identifiersIn(body) };
}

export interface Replacement {
  readonly prefix: string;
  readonly roles: readonly string[];
}

export function replacementOf({ method, path, body }: LoggedWrite): Replacement | undefined {
  const prefix = /\/access-keys\/([^/]+)\/roles$/u.exec(path)?.[1];
  if (method !== "PUT" || prefix === undefined) return undefined;
  return { prefix: decodeURIComponent(prefix), roles: identifiersIn(body) };
}

function identifiersIn(body: unknown): readonly string[] {
  return (body as readonly { identifier: string | number }[]).map(({ identifier }) => String(identifier));
}

function personNamed({ people }: Judged["service"], name: string): WorldPerson | undefined {
  return people.find(({ identifier }) => identifier === name) ?? people.find(({ email }) => fold(email) === fold(name));
}

function formerly({ wanted }: Pick<Judged, "wanted">, email: string): readonly string[] {
  return wanted.people.filter(({ previously }) => previously.map(fold).includes(email)).map((one) => fold(one.email));
}

function nameOfTeam({ service }: Pick<Judged, "service">, team: string): string {
  return service.teams.find(({ identifier }: WorldTeam) => identifier === team)?.name ?? team;
}

function keyName(judged: Judged, { kind, team }: WorldKey): string {
  return team === undefined ? `${kind} key` : `key in ${nameOfTeam(judged, team)}`;
}

function list(roles: readonly string[]): string {
  return `[${roles.join(", ")}]`;
}

export function fold(text: string): string {
  return text.toLowerCase();
}
