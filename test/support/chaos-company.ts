import fc from "fast-check";
import type { Seed } from "../../src/reference-server/seed.ts";
import type { ReferenceServer } from "../../src/reference-server/server.ts";

/** A company over several editions of its roster. Plain data, so that it shrinks. */
export interface CompanyDraw {
  readonly people: readonly PersonDraw[];
  readonly teams: readonly TeamDraw[];
}

interface PersonDraw {
  /** In the service before the first run. */
  readonly there: boolean;
  /** The edition of the roster that names them first. */
  readonly joins: number;
  /** The edition that names them no more. */
  readonly leaves: number | undefined;
  readonly ownKeyRoles: readonly string[] | undefined;
}

interface TeamDraw {
  readonly there: boolean;
  readonly joins: number;
  readonly members: readonly number[];
  readonly membersThere: readonly number[];
  /** By edition; the last one stays. */
  readonly roles: readonly (readonly string[] | undefined)[];
  readonly open: boolean;
}

export const people = 7;
const roles = fc.subarray(["TEAM_ROLE", "DEVELOPER", "DATA_SCIENTIST"], { minLength: 1 });
const maybe = <T>(value: fc.Arbitrary<T>, freq: number) => fc.option(value, { nil: undefined, freq });
const someone = fc.nat(people - 1);

export const companies: fc.Arbitrary<CompanyDraw> = fc.record({
  people: fc.array(
    fc.record({
      there: fc.nat(2).map((drawn) => drawn === 0),
      joins: fc.constantFrom(0, 0, 0, 1, 2),
      leaves: fc.constantFrom(undefined, undefined, undefined, undefined, undefined, 2),
      ownKeyRoles: maybe(roles, 1),
    }),
    { minLength: people, maxLength: people },
  ),
  teams: fc.array(
    fc.record({
      there: fc.boolean(),
      joins: fc.constantFrom(0, 0, 1),
      members: fc.uniqueArray(someone, { minLength: 1, maxLength: 5 }),
      membersThere: fc.uniqueArray(someone, { maxLength: 3 }),
      roles: fc.array(maybe(roles, 4), { minLength: 1, maxLength: 3 }),
      open: fc.boolean(),
    }),
    { minLength: 1, maxLength: 3 },
  ),
});

export function emailOf(person: number): string {
  return `p${person}@acme.example`;
}

export function teamNameOf(team: number): string {
  return `Team ${team}`;
}

/** The roster of an edition, as a program would want it. */
export interface Wanted {
  readonly people: readonly { readonly email: string; readonly ownKeyRoles: readonly string[] | undefined }[];
  readonly teams: readonly {
    readonly name: string;
    readonly members: readonly string[];
    readonly roles: readonly string[] | undefined;
    readonly open: boolean;
  }[];
}

export function wantedOf({ people: everybody, teams }: CompanyDraw, edition: number): Wanted {
  // Somebody always stays: whoever empties a roster is stopped, and means something else.
  const isIn = (person: number) => {
    if (person === 0) return true;
    const { joins = 0, leaves = Number.POSITIVE_INFINITY } = everybody[person] ?? {};
    return joins <= edition && edition < leaves;
  };
  return {
    people: everybody.flatMap(({ ownKeyRoles }, person) =>
      isIn(person) ? [{ email: emailOf(person), ownKeyRoles }] : [],
    ),
    teams: teams.flatMap(({ joins, members, roles: byEdition, open }, team) => {
      const own = members.filter(isIn).map(emailOf);
      if (joins > edition || own.length === 0) return [];
      return [
        { name: teamNameOf(team), members: own, roles: byEdition[Math.min(edition, byEdition.length - 1)], open },
      ];
    }),
  };
}

export function rosterText({ people: everybody, teams }: Wanted): string {
  const list = (items: readonly string[]) => `[${items.join(", ")}]`;
  const users = everybody.map(({ email, ownKeyRoles }) => {
    const own = ownKeyRoles === undefined ? "" : `, ownKeyRoles: ${list(ownKeyRoles)}`;
    return `  - { email: ${email}, firstName: ${email.slice(0, 2).toUpperCase()}, lastName: Test${own} }\n`;
  });
  const groups = teams.map(({ name, members, roles: wanted, open }) => {
    const key = wanted === undefined ? "" : `, roles: ${list(wanted)}`;
    const people_ = list(members.map((email) => `{ user: ${email} }`));
    return `  - { name: ${name}, admin: ${members[0]}, open: ${open}, members: ${people_}${key} }\n`;
  });
  const section = (name: string, lines: readonly string[]) => (lines.length === 0 ? "" : `${name}:\n${lines.join("")}`);
  return `version: 1\naccount: acc-1\n${section("users", users)}${section("teams", groups)}`;
}

/** The service as it is before the first run. */
export function seedOf({ people: everybody, teams }: CompanyDraw): Seed {
  const isThere = (person: number) => everybody[person]?.there === true;
  return {
    users: everybody.flatMap(({ there }, person) =>
      there ? [{ email: emailOf(person), firstName: emailOf(person).slice(0, 2).toUpperCase(), lastName: "Test" }] : [],
    ),
    teams: teams.flatMap(({ there, membersThere }, team) => {
      const own = membersThere.filter(isThere).map(emailOf);
      const [admin] = own;
      if (!there || admin === undefined) return [];
      return [{ identifier: `t-${team}`, name: teamNameOf(team), admin, members: own.map((user) => ({ user })) }];
    }),
  };
}

/** Something that the roster wants and the service does not have; `about`: the words that name it. */
export interface Unmet {
  readonly what: string;
  readonly about: readonly string[];
}

/** What of a roster the service does not have, told without the program's help. */
export function unmetOf(wanted: Wanted, { world }: Pick<ReferenceServer, "world">): readonly Unmet[] {
  const users = new Map(world.users.map((user) => [user.email, user]));
  const missing = wanted.people.flatMap(({ email, ownKeyRoles }): Unmet[] => {
    const user = users.get(email);
    if (user === undefined) return [{ what: `user ${email}`, about: [email] }];
    const own = user.accessKeys.find(({ kind }) => kind === "user");
    const isMet = ownKeyRoles === undefined || own === undefined || hasRoles(own, ownKeyRoles);
    return isMet ? [] : [{ what: `own key of ${email}`, about: [email, own.prefix] }];
  });
  const lacking = wanted.teams.flatMap(({ name, members, roles: wantedRoles }): Unmet[] => {
    const named = world.teams.filter((team) => team.name === name);
    const [team] = named;
    if (team === undefined || named.length > 1) return [{ what: `one team ${name}`, about: [name] }];
    return members.flatMap((email): Unmet[] => {
      const key = users.get(email)?.accessKeys.find((one) => one.team?.identifier === team.identifier);
      if (key === undefined) return [{ what: `${email} in ${name}`, about: [email, name] }];
      if (wantedRoles === undefined || hasRoles(key, wantedRoles)) return [];
      return [{ what: `roles of ${email} in ${name}`, about: [email, name, key.prefix] }];
    });
  });
  return [...missing, ...lacking];
}

function hasRoles(key: { readonly roles: readonly { readonly identifier: string }[] }, roles: readonly string[]) {
  const has = key.roles.map(({ identifier }) => identifier).sort();
  return has.join() === [...new Set(roles)].sort().join();
}
