import fc from "fast-check";
import type { DrawnSeed, DrawnService } from "./drawn-service.ts";

/** What is there, and what a roster wants of it. Plain data, so that it shrinks. */
export interface CompanyDraw {
  /** How many people are to be created; the first ones can found the new teams. */
  readonly newPeople: number;
  readonly therePeople: number;
  readonly newTeams: readonly NewTeamDraw[];
  readonly oldTeam: OldTeamDraw | undefined;
  readonly ownKeyRoles:
    | { readonly of: "new" | "there"; readonly roles: Roles; readonly key: "declared" | "open" }
    | undefined;
  readonly hasLeaver: boolean;
  /** Somebody is there under an address that the roster calls a former one. */
  readonly hasFormerAddress: boolean;
  /** The holder of the key in use stands in the roster, as a member of the first new team. */
  readonly hasCaller: boolean;
  /** The settings protect somebody who is there, and their key. The roster does not name them. */
  readonly hasProtected: boolean;
  /** Whether somebody new is compared with everybody who is there: then the list of users is read, and agrees with the searches. */
  readonly nearDuplicates: "on" | "off";
  readonly writesCapitals: boolean;
}

interface NewTeamDraw {
  readonly admin: "firstMember" | "new" | "there";
  readonly members: readonly number[];
  readonly roles: Roles | undefined;
}

interface OldTeamDraw {
  readonly identifier: "declared" | "open";
  /** How many of the people who are there are in it. Where nobody is, somebody is whom the roster does not name. */
  readonly membersThere: number;
  readonly newMembers: readonly number[];
  readonly roles: Roles | undefined;
}

type Roles = readonly string[];

/** A roster as a program would want it, and as the judge compares it with the world. */
export interface Wanted {
  readonly people: readonly WantedPerson[];
  readonly leavers: readonly string[];
  readonly teams: readonly WantedTeam[];
}

interface WantedPerson {
  readonly email: string;
  readonly previously: readonly string[];
  readonly ownKeyRoles?: Roles;
}

interface WantedTeam {
  readonly name: string;
  readonly admin: string;
  readonly members: readonly string[];
  readonly roles?: Roles;
}

/** A company before its roster is written: identifiers and prefixes are known once there is a service. */
export interface Company {
  readonly seed: DrawnSeed;
  readonly wanted: Wanted;
  text(service: Pick<DrawnService, "people" | "teams">): string;
  settings(service: Pick<DrawnService, "people">): string | undefined;
}

const account = "acc-1";
export const callerEmail = "root@acme.example";
const oldTeamName = "Platform";
const newTeamNames = ["Ops", "Data Science", "Search"];
const leaver = "leo.marsh@acme.example";
const protectedPerson = "vic.stone@acme.example";
const unnamedMember = "stu.reed@acme.example";
const former = { email: "mia.novak@acme.example", previously: "mia.berg@old.example" };

const newNames = ["Ada Lovelace", "Bo Diaz", "Cyra Young", "Dov Okafor", "Eve Marchetti", "Finn Larsen"];
const thereNames = ["Gus Petrov", "Hana Sato", "Ivo Kranz", "June Whitfield"];
const namesOf: Readonly<Record<string, string>> = {
  [callerEmail]: "Root Keyholder",
  [leaver]: "Leo Marsh",
  [protectedPerson]: "Vic Stone",
  [unnamedMember]: "Stu Reed",
  [former.email]: "Mia Novak",
};

const roles: fc.Arbitrary<Roles> = fc.constantFrom(["DEVELOPER"], ["TEAM_ROLE"], ["DEVELOPER", "TEAM_ROLE"], []);
const maybe = <T>(value: fc.Arbitrary<T>, freq: number) => fc.option(value, { nil: undefined, freq });
const somebody = fc.nat(newNames.length + thereNames.length - 1);

const newTeam: fc.Arbitrary<NewTeamDraw> = fc.record({
  admin: fc.constantFrom("firstMember", "new", "new", "there"),
  members: fc.uniqueArray(somebody, { maxLength: 3 }),
  roles: maybe(roles, 3),
});

export const companies: fc.Arbitrary<CompanyDraw> = fc.record({
  newPeople: fc.integer({ min: 4, max: newNames.length }),
  therePeople: fc.constantFrom(1, 2, 3, 4, 4),
  newTeams: fc.array(newTeam, { maxLength: newTeamNames.length }),
  oldTeam: maybe(
    fc.record({
      identifier: fc.constantFrom("declared", "open"),
      membersThere: fc.constantFrom(0, 0, 1, 2),
      newMembers: fc.uniqueArray(somebody, { maxLength: 3 }),
      roles: maybe(roles, 3),
    }),
    3,
  ),
  ownKeyRoles: maybe(
    fc.record({
      of: fc.constantFrom("new", "there"),
      roles,
      key: fc.constantFrom("declared", "open"),
    }),
    2,
  ),
  hasLeaver: fc.nat(4).map((drawn) => drawn === 1),
  hasFormerAddress: fc.nat(4).map((drawn) => drawn === 1),
  hasCaller: fc.nat(4).map((drawn) => drawn === 1),
  hasProtected: fc.nat(2).map((drawn) => drawn === 1),
  nearDuplicates: fc.constantFrom("on", "off"),
  writesCapitals: fc.nat(4).map((drawn) => drawn === 1),
});

export function companyOf(draw: CompanyDraw): Company {
  const wanted = wantedOf(draw);
  return {
    seed: seedOf(draw),
    wanted,
    text: (service) => textOf(draw, wanted, service),
    settings: (service) => settingsOf(draw, service),
  };
}

function wantedOf(draw: CompanyDraw): Wanted {
  const { newTeams, oldTeam, ownKeyRoles, hasLeaver, hasFormerAddress, hasCaller } = draw;
  const own = ownKeyRoles === undefined ? undefined : { ...ownKeyRoles, email: ownKeyHolder(draw) };
  const emails = [...newEmails(draw), ...thereEmails(draw), ...(hasCaller ? [callerEmail] : [])];
  const people = emails.map((email): WantedPerson => {
    const person = { email, previously: [] };
    return email === own?.email ? { ...person, ownKeyRoles: own.roles } : person;
  });
  return {
    people: hasFormerAddress ? [...people, { email: former.email, previously: [former.previously] }] : people,
    leavers: hasLeaver ? [leaver] : [],
    teams: [
      ...newTeams.map((team, index) => newTeamOf(draw, team, index)),
      ...(oldTeam === undefined ? [] : [oldTeamOf(draw, oldTeam)]),
    ],
  };
}

/** The first member at hand is the new person of the same number, so that each team can be created. */
function newTeamOf(draw: CompanyDraw, { admin, members, roles: wanted }: NewTeamDraw, index: number): WantedTeam {
  const firstMember = newEmails(draw)[index] ?? "";
  const admins = { firstMember, new: newEmails(draw).at(-1) ?? "", there: thereEmails(draw)[0] ?? "" };
  const caller = draw.hasCaller && index === 0 ? [callerEmail] : [];
  return {
    name: newTeamNames[index] ?? "",
    admin: admins[admin],
    members: [...new Set([firstMember, admins[admin], ...caller, ...named(draw, members)])],
    ...(wanted === undefined ? {} : { roles: wanted }),
  };
}

function oldTeamOf(draw: CompanyDraw, team: OldTeamDraw): WantedTeam {
  const there = thereEmails(draw).slice(0, team.membersThere);
  const admin = there[0] ?? newEmails(draw).at(-1) ?? "";
  return {
    name: oldTeamName,
    admin,
    members: [...new Set([admin, ...there, ...named(draw, team.newMembers)])],
    ...(team.roles === undefined ? {} : { roles: team.roles }),
  };
}

function seedOf(draw: CompanyDraw): DrawnSeed {
  const { oldTeam, hasLeaver, hasFormerAddress } = draw;
  const gone = [...(hasLeaver ? [leaver] : []), ...(hasFormerAddress ? [former.previously] : [])];
  const membersThere =
    oldTeam?.membersThere === 0 ? [unnamedMember] : thereEmails(draw).slice(0, oldTeam?.membersThere ?? 0);
  const others = [
    ...(oldTeam?.membersThere === 0 ? [unnamedMember] : []),
    ...(draw.hasProtected ? [protectedPerson] : []),
  ];
  return {
    account,
    people: [callerEmail, ...thereEmails(draw), ...gone, ...others].map((email) => ({
      email,
      ...nameOf(email === former.previously ? former.email : email),
      ownRoles: email === callerEmail ? ["ACCOUNT_ADMIN"] : ["TEAM_ROLE"],
      ...(email === protectedPerson ? { isProtected: true } : {}),
      ...(email === unnamedMember ? { isNamed: false } : {}),
    })),
    teams:
      oldTeam === undefined
        ? []
        : [
            {
              name: oldTeamName,
              admin: membersThere[0] ?? "",
              members: membersThere.map((email) => ({ email, roles: ["TEAM_ROLE"] })),
            },
          ],
  };
}

function newEmails({ newPeople, writesCapitals }: CompanyDraw): readonly string[] {
  const emails = newNames.slice(0, newPeople).map(emailOf);
  return writesCapitals
    ? emails.map((email, index) => (index === 0 ? email.replace("ada.l", "Ada.L") : email))
    : emails;
}

function thereEmails({ therePeople }: CompanyDraw): readonly string[] {
  return thereNames.slice(0, therePeople).map(emailOf);
}

function emailOf(name: string): string {
  return `${name.toLowerCase().replace(" ", ".")}@acme.example`;
}

function nameOf(email: string): { readonly firstName: string; readonly lastName: string } {
  const known = [...newNames, ...thereNames].find((name) => emailOf(name) === email.toLowerCase());
  const [firstName = "", lastName = ""] = (known ?? namesOf[email] ?? "").split(" ");
  return { firstName, lastName };
}

function named(draw: CompanyDraw, people: readonly number[]): readonly string[] {
  const everybody = [...newEmails(draw), ...thereEmails(draw)];
  return people.map((person) => everybody[person % everybody.length] ?? "");
}

/** The last of the new people creates no team: the roster says what their own key carries. */
function ownKeyHolder({ ownKeyRoles, ...draw }: CompanyDraw): string {
  const holders = { new: newEmails({ ...draw, ownKeyRoles }).at(-1), there: thereEmails({ ...draw, ownKeyRoles })[0] };
  return holders[ownKeyRoles?.of ?? "new"] ?? "";
}

function textOf(draw: CompanyDraw, wanted: Wanted, service: Pick<DrawnService, "people" | "teams">): string {
  const users = wanted.people.map(({ email, previously, ownKeyRoles }) => {
    const holder = service.people.find((person) => person.email === email);
    const isDeclared = ownKeyRoles !== undefined && draw.ownKeyRoles?.key === "declared";
    const key = isDeclared ? holder?.keys.find(({ kind }) => kind === "own")?.prefix : undefined;
    return line({
      email,
      ...nameOf(email),
      previously: previously.length > 0 ? previously : undefined,
      ownKeyRoles,
      key,
    });
  });
  const teams = wanted.teams.map(({ name, admin, members, roles: wantedRoles }) => {
    const there = service.teams.find((team) => team.name === name);
    const identifier = draw.oldTeam?.identifier === "declared" ? there?.identifier : undefined;
    const entries = members.map((user) => ({ user }));
    const open = name === oldTeamName && draw.oldTeam?.membersThere === 0 ? true : undefined;
    return line({ name, identifier, admin, roles: wantedRoles, open, members: entries });
  });
  const leavers = wanted.leavers.map((email) => line({ email, since: "2026-11-01" }));
  const section = (name: string, lines: readonly string[]) => (lines.length === 0 ? "" : `${name}:\n${lines.join("")}`);
  return `version: 1\naccount: ${account}\n${section("users", users)}${section("leavers", leavers)}${section("teams", teams)}`;
}

function settingsOf({ hasProtected, nearDuplicates }: CompanyDraw, { people }: Pick<DrawnService, "people">) {
  const person = people.find(({ email }) => email === protectedPerson);
  const keys = person?.keys.map(({ prefix }) => prefix) ?? [];
  const settings = {
    ...(hasProtected ? { protect: { users: [protectedPerson], keys } } : {}),
    ...(nearDuplicates === "off" ? { guards: { "near-duplicate": "off" } } : {}),
  };
  return Object.keys(settings).length === 0 ? undefined : `${JSON.stringify(settings)}\n`;
}

/** JSON is YAML. */
function line(entry: Readonly<Record<string, unknown>>): string {
  return `  - ${JSON.stringify(entry)}\n`;
}

/** A company without old teams, leavers and anything else that a draw may add. */
export const ordinaryCompany = {
  oldTeam: undefined,
  ownKeyRoles: undefined,
  hasLeaver: false,
  hasFormerAddress: false,
  hasCaller: false,
  hasProtected: false,
  nearDuplicates: "on",
  writesCapitals: false,
} as const;
