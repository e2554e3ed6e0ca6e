import fc from "fast-check";
import { aWorld, newKey, putTeam, putUser, type World, type WorldUser } from "./simulated-world.ts";

/** What a service may hold that nobody has set up with a roster in mind. Plain data, so that it shrinks. */
export interface WorldDraw {
  readonly people: readonly PersonDraw[];
  readonly teams: readonly TeamDraw[];
  readonly closedAccount: boolean;
}

interface PersonDraw {
  readonly email: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly title: string | undefined;
  readonly externalIdentifier: string | undefined;
  readonly source: string | undefined;
  readonly status: string;
  readonly secondAccount: boolean;
  readonly ownRoles: readonly string[];
  readonly otherKeys: readonly KeyDraw[];
}

interface KeyDraw {
  readonly prefix: string | undefined;
  readonly kind: "project" | "user";
  readonly roles: readonly string[];
  readonly status: string;
  readonly isDefault: boolean;
}

interface TeamDraw {
  readonly name: string;
  readonly identifier: string | undefined;
  readonly secondAccount: boolean;
  readonly members: readonly MemberDraw[];
}

interface MemberDraw {
  readonly person: number;
  readonly roles: readonly string[];
  readonly status: string;
  readonly twice: boolean;
}

/** Texts that YAML, a terminal or a file system would take for something else. */
const hostileText = fc.oneof(
  fc.constantFrom("Ada", "O'Brien", "no", "012", "1e3", "null", "~", "@ada", "#1", "a: b", "a #b", "- x", "[x]", "{x}"),
  fc.constantFrom(
    "x ",
    " x",
    "a\nb",
    "a\u0007",
    "",
    "\u202ex",
    "Søren",
    "数据",
    "2026-01-01",
    "CON",
    "../up",
    "a/b",
    "%x",
    "!t",
  ),
  fc.string({ unit: "grapheme", minLength: 1, maxLength: 6 }),
);
const name = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom("Ada", "Bo", "Cy") },
  { weight: 1, arbitrary: hostileText },
);
const maybe = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined, freq: 2 });
const seldom = fc.nat(6).map((drawn) => drawn === 0);
const roles = fc.oneof(
  { weight: 5, arbitrary: fc.subarray(["TEAM_ROLE", "DEVELOPER", "AUDITOR"]) },
  { weight: 1, arbitrary: fc.constantFrom(["UNLISTED"], ["yes", "Developer"], [" x"]) },
);
const keyStatus = fc.constantFrom("active", "active", "active", "inactive", "deleted");
const email = fc.oneof(
  { weight: 8, arbitrary: fc.nat(9).map((index) => `p${index}@acme.example`) },
  { weight: 1, arbitrary: fc.nat(3).map((index) => `P${index}@ACME.example`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("no", "'q'@x.example", "a+b=c@x.example", "!x@x.example", "é@münchen.example"),
  },
);

const person: fc.Arbitrary<PersonDraw> = fc.record({
  email,
  firstName: name,
  lastName: name,
  title: maybe(hostileText),
  externalIdentifier: maybe(hostileText),
  source: maybe(fc.constantFrom("hr", "hr", "gitops")),
  status: fc.constantFrom("active", "active", "Active", "invited", "inactive", "Rejected", "deleted"),
  secondAccount: seldom,
  ownRoles: roles,
  otherKeys: fc.array(
    fc.record({
      prefix: maybe(fc.constantFrom("same", "012", "a b", "x ")),
      kind: fc.constantFrom("project" as const, "project" as const, "user" as const),
      roles,
      status: keyStatus,
      isDefault: fc.boolean(),
    }),
    { maxLength: 2 },
  ),
});

const team: fc.Arbitrary<TeamDraw> = fc.record({
  name: fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom("Data", "data", "Data  Science", "Platform", "Ops") },
    { weight: 1, arbitrary: hostileText },
  ),
  identifier: maybe(fc.constantFrom("t-1", "T-1", "007", "no", " t", "x: y")),
  secondAccount: seldom,
  members: fc.array(fc.record({ person: fc.nat(9), roles, status: keyStatus, twice: seldom }), { maxLength: 6 }),
});

export const worldDraws: fc.Arbitrary<WorldDraw> = fc.record({
  people: fc.array(person, { minLength: 1, maxLength: 10 }),
  teams: fc.uniqueArray(team, {
    maxLength: 5,
    comparator: (a, b) => a.identifier !== undefined && a.identifier === b.identifier,
  }),
  closedAccount: seldom,
});

/** The world of a draw, in the accounts `acc-1` and `acc-2`. */
export function drawnWorld(draw: WorldDraw): World {
  const world = aWorld({
    accounts: ["acc-1", "acc-2"],
    roles: ["TEAM_ROLE", "DEVELOPER", "AUDITOR", "yes", "Developer"],
  });
  const second = world.accounts.get("acc-2");
  if (second !== undefined && draw.closedAccount) second.status = "inactive";
  const people = draw.people.map((one) => putPerson(world, one));
  for (const one of draw.teams) putDrawnTeam(world, one, people);
  return world;
}

function putPerson(world: World, draw: PersonDraw): WorldUser {
  const { secondAccount, ownRoles, otherKeys, title, externalIdentifier, source, ...rest } = draw;
  const user = putUser(world, {
    ...rest,
    account: secondAccount ? "acc-2" : "acc-1",
    ...(title === undefined ? {} : { title }),
    ...(externalIdentifier === undefined ? {} : { externalIdentifier }),
    ...(source === undefined ? {} : { source }),
  });
  for (const key of user.keys) key.roles = [...ownRoles].sort();
  for (const { prefix, kind, roles: held, status, isDefault } of otherKeys) {
    const key = newKey(world, { kind, roles: held, isDefault });
    user.keys.push({ ...key, status, ...(prefix === undefined ? {} : { prefix }) });
  }
  return user;
}

function putDrawnTeam(world: World, draw: TeamDraw, people: readonly WorldUser[]): void {
  const identifier = draw.identifier === undefined ? {} : { identifier: draw.identifier };
  const made = putTeam(world, { name: draw.name, account: draw.secondAccount ? "acc-2" : "acc-1", ...identifier });
  for (const { person: index, roles: held, status, twice } of draw.members) {
    const user = people[index % people.length];
    if (user === undefined || (!twice && user.keys.some((key) => key.team === made.identifier))) continue;
    user.keys.push({
      ...newKey(world, { kind: "team", team: made.identifier, roles: held, isDefault: false }),
      status,
    });
  }
}
