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

/** The edition's files by their path below the roster's directory. */
export function filesOf(edition: Edition): ReadonlyMap<string, string> {
  const files = new Map<string, string>();
  const write = (file: string, section: string, lines: readonly string[]) => {
    if (lines.length === 0) return;
    const before = files.get(file) ?? "version: 1\naccount: acc-1\n";
    files.set(file, `${before}${section}:\n${lines.map((line) => `  ${line}\n`).join("")}`);
  };
  write(
    "roles.yaml",
    "roleSets",
    Object.entries(edition.roleSets).map(([name, roles]) => `${name}: ${list(roles)}`),
  );
  for (const file of new Set(edition.users.map((user) => user.file))) {
    write(file, "users", edition.users.filter((user) => user.file === file).map(userLine));
  }
  write("leavers.yaml", "leavers", edition.leavers.map(leaverLine));
  write(
    "groups.yaml",
    "groups",
    edition.teams.filter(({ byGroup }) => byGroup).map((team) => `${groupName(team)}: ${list(usual(team))}`),
  );
  for (const team of edition.teams) write(teamFile(team.id), "teams", teamLines(team));
  return files;
}

function userLine({ email, firstName, lastName, previously, distinctFrom, until }: EditionUser): string {
  const more = [
    ...(previously.length === 0 ? [] : [`previously: ${list(previously)}`]),
    ...(distinctFrom.length === 0 ? [] : [`distinctFrom: ${list(distinctFrom)}`]),
    ...(until === undefined ? [] : [`until: ${until}`]),
  ];
  return `- { ${[`email: ${email}`, `firstName: ${firstName}`, `lastName: ${lastName}`, ...more].join(", ")} }`;
}

function leaverLine({ email, since }: EditionLeaver): string {
  return `- { email: ${email}${since === undefined ? "" : `, since: ${since}`} }`;
}

function groupName({ id }: EditionTeam): string {
  return `of-team-${id}`;
}

function usual({ members }: EditionTeam): readonly string[] {
  return members.filter(({ roles }) => roles === undefined).map(({ email }) => email);
}

function teamLines(team: EditionTeam): readonly string[] {
  const { name, previously, admin, roles, onRemoval, byGroup, members } = team;
  const single = byGroup ? members.filter((member) => member.roles !== undefined) : members;
  return [
    `- name: ${name}`,
    ...(previously.length === 0 ? [] : [`  previously: ${list(previously)}`]),
    `  admin: ${admin}`,
    ...(onRemoval === "report" ? [] : [`  onRemoval: ${onRemoval}`]),
    ...(roles === undefined
      ? []
      : [`  roles: ${list([...roles.sets.map((set) => `{ set: ${set} }`), ...roles.names])}`]),
    "  members:",
    ...(byGroup && usual(team).length > 0 ? [`    - { group: ${groupName(team)} }`] : []),
    ...single.map((member) => `    - { user: ${member.email}${differing(member)} }`),
  ];
}

function differing({ roles }: EditionMember): string {
  return roles === undefined ? "" : `, roles: ${list(roles)}`;
}

function list(items: readonly string[]): string {
  return `[${items.join(", ")}]`;
}
