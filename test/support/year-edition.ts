import { type Company, type Person, roleSets, type Team, untouchable } from "./year-company.ts";

/** A roster as somebody merged it: plain data, from which its files are written and what it asks for is judged. */
export interface Edition {
  readonly roleSets: Readonly<Record<string, readonly string[]>>;
  readonly users: readonly EditionUser[];
  readonly leavers: readonly EditionLeaver[];
  readonly teams: readonly EditionTeam[];
}

export interface EditionUser {
  /** The file where they stand, below the roster's directory. */
  readonly file: string;
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly previously: readonly string[];
  readonly distinctFrom: readonly string[];
  readonly until: string | undefined;
}

export interface EditionLeaver {
  readonly email: string;
  readonly since: string | undefined;
}

export interface EditionTeam {
  /** Which team of the company it is meant to be. */
  readonly id: number;
  readonly name: string;
  readonly previously: readonly string[];
  readonly admin: string;
  /** The names of role sets and of roles; absent where keys are not managed. */
  readonly roles: EditionRoles | undefined;
  readonly onRemoval: Team["onRemoval"];
  readonly byGroup: boolean;
  readonly members: readonly EditionMember[];
}

export interface EditionRoles {
  readonly sets: readonly string[];
  readonly names: readonly string[];
}

export interface EditionMember {
  readonly email: string;
  /** Where they differ from the team's. */
  readonly roles: readonly string[] | undefined;
}

/** What the company would write if nobody ever made a mistake. */
export function editionOf(company: Company): Edition {
  const users = company.people.filter(({ stage, email }) => stage === "user" && email !== untouchable);
  const leavers = company.people.filter(({ stage }) => stage === "leaver");
  return {
    roleSets,
    users: [...users, ...company.people.filter(({ email }) => email === untouchable)].map((person) =>
      userOf(person, company),
    ),
    leavers: leavers.map(({ email, since }) => ({ email, since })),
    teams: company.teams.filter(({ members }) => members.size > 0).map(teamOf),
  };
}

function userOf(person: Person, company: Company): EditionUser {
  const { email, firstName, lastName, previously, distinctFrom, until } = person;
  return { file: fileOf(person, company), email, firstName, lastName, previously, distinctFrom, until };
}

/** With their squad where they are in that alone, else in one of some files that people share. */
function fileOf(person: Person, company: Company): string {
  const [team, ...others] = company.teamsOf(person);
  if (team?.layout === "squad" && others.length === 0) return teamFile(team.id);
  return `people/group-${String(person.id % 12).padStart(2, "0")}.yaml`;
}

export function teamFile(id: number): string {
  return `teams/team-${String(id).padStart(2, "0")}.yaml`;
}

function teamOf({ id, name, previously, admin, roles, onRemoval, layout, members, differing }: Team): EditionTeam {
  return {
    id,
    name,
    previously,
    admin: admin.email,
    roles: roles === undefined ? undefined : { sets: [roles], names: [] },
    onRemoval,
    byGroup: layout === "group",
    members: [...members].map((person) => ({ email: person.email, roles: differing.get(person) })),
  };
}

/** The roles of a member's team key as the edition asks for them; absent where it does not manage them. */
export function rolesOf(
  { roles: own }: EditionMember,
  { roles }: EditionTeam,
  { roleSets: sets }: Edition,
): readonly string[] | undefined {
  if (own !== undefined) return own;
  return roles === undefined ? undefined : [...roles.sets.flatMap((name) => sets[name] ?? []), ...roles.names];
}

/** The edition's files by their path below the roster's directory. JSON is YAML, and leaves out what is undefined. */
export function filesOf({ roleSets: sets, users, leavers, teams }: Edition): ReadonlyMap<string, string> {
  const files = new Map<string, Readonly<Record<string, unknown>>>();
  const write = (file: string, section: string, entries: readonly unknown[] | Readonly<Record<string, unknown>>) => {
    if (Object.keys(entries).length === 0) return;
    files.set(file, { version: 1, account: "acc-1", ...files.get(file), [section]: entries });
  };
  write("roles.yaml", "roleSets", sets);
  for (const file of new Set(users.map((user) => user.file))) {
    const own = users.filter((user) => user.file === file);
    write(
      file,
      "users",
      own.map(({ file: _, ...user }) => user),
    );
  }
  write("leavers.yaml", "leavers", leavers);
  const groups = teams.filter(({ byGroup }) => byGroup).map((team) => [groupName(team), usual(team)] as const);
  write("groups.yaml", "groups", Object.fromEntries(groups));
  for (const team of teams) write(teamFile(team.id), "teams", [entryOf(team)]);
  return new Map([...files].map(([file, content]) => [file, JSON.stringify(content)]));
}

function groupName({ id }: EditionTeam): string {
  return `of-team-${id}`;
}

function usual({ members }: EditionTeam): readonly string[] {
  return members.filter(({ roles }) => roles === undefined).map(({ email }) => email);
}

function entryOf(team: EditionTeam): Readonly<Record<string, unknown>> {
  const { id: _, byGroup, members, roles, onRemoval, ...entry } = team;
  const single = byGroup ? members.filter((member) => member.roles !== undefined) : members;
  const group = byGroup && usual(team).length > 0 ? [{ group: groupName(team) }] : [];
  return {
    ...entry,
    onRemoval: onRemoval === "report" ? undefined : onRemoval,
    roles: roles && [...roles.sets.map((set) => ({ set })), ...roles.names],
    members: [...group, ...single.map(({ email, roles: own }) => ({ user: email, roles: own }))],
  };
}
