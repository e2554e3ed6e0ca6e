import fc from "fast-check";
import { type Situation, situations, worldOf } from "./random-situations.ts";
import { giveTeamKey, newKey, putTeam, putUser, type World } from "./simulated-world.ts";

/** What a service may hold that nobody has set up with a roster in mind. Plain data, so that it shrinks. */
export interface WorldDraw {
  readonly situation: Situation;
  readonly oddities: readonly Oddity[];
}

interface Oddity {
  readonly is: (typeof oddityNames)[number];
  /** Which user, key or team, and which value. */
  readonly at: number;
  readonly text: string;
}

/** Texts that YAML, a terminal or a file system would take for something else. */
const hostileText = fc.oneof(
  fc.constantFrom("O'Brien", "no", "012", "1e3", "null", "~", "@ada", "#1", "a: b", "a #b", "- x", "[x]", "{x}", "x "),
  fc.constantFrom(
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

const addresses = ["P1@ACME.example", "no", "'q'@x.example", "a+b=c@x.example", "!x@x.example", "é@münchen.example"];
const identifiers = ["t-1", "T-1", "007", "no", " t", "x: y"];
const prefixes = ["same", "012", "a b", "x "];
const strangeRoles = [["UNLISTED"], ["yes", "Developer"], [" x"]];

const oddities = {
  name: ({ users }, { text, at }) =>
    Object.assign(oneOf(users, at), at % 2 === 0 ? { firstName: text } : { lastName: text }),
  title: ({ users }, { text, at }) => Object.assign(oneOf(users, at), { title: text }),
  externalIdentifier: ({ users }, { text, at }) => Object.assign(oneOf(users, at), { externalIdentifier: text }),
  source: ({ users }, { at }) => Object.assign(oneOf(users, at), { source: oneOf(["hr", "hr", "gitops"], at) }),
  status: ({ users }, { at }) =>
    Object.assign(oneOf(users, at), { status: oneOf(["Rejected", "inactive", "deleted"], at) }),
  address: (world, { at }) => putUser(world, { email: oneOf(addresses, at) }),
  "key status": (world, { at }) =>
    Object.assign(oneOf(keysIn(world), at), { status: oneOf(["inactive", "deleted"], at) }),
  "key roles": (world, { at }) => Object.assign(oneOf(keysIn(world), at), { roles: oneOf(strangeRoles, at) }),
  "another key": (world, { at }) => {
    const key = newKey(world, {
      kind: at % 3 === 0 ? "user" : "project",
      roles: ["DEVELOPER"],
      isDefault: at % 2 === 0,
    });
    oneOf(world.users, at).keys.push({ ...key, prefix: oneOf(prefixes, at) });
  },
  "team name": ({ teams }, { text, at }) =>
    teams.size > 0 && Object.assign(oneOf([...teams.values()], at), { name: text }),
  "another team": (world, { text, at }) => {
    const identifier = oneOf(identifiers, at);
    const account = at % 5 === 0 ? "acc-2" : "acc-1";
    if (!world.teams.has(identifier))
      putTeam(world, { name: text, identifier, account, members: [oneOf(world.users, at)] });
  },
  "a member twice": (world, { at }) => {
    const { team, roles } = oneOf(keysIn(world), at);
    if (team !== undefined) giveTeamKey(world, oneOf(world.users, at), team, roles);
  },
  "closed account": ({ accounts }) => Object.assign(accounts.get("acc-2") ?? {}, { status: "inactive" }),
} as const satisfies Readonly<Record<string, (world: World, oddity: Oddity) => unknown>>;

const oddityNames = Object.keys(oddities) as readonly (keyof typeof oddities)[];

function keysIn({ users }: World) {
  return users.flatMap(({ keys }) => keys);
}

function oneOf<T>(items: readonly T[], at: number): T {
  const item = items[at % items.length];
  if (item === undefined) throw new Error("there is none");
  return item;
}

export const worldDraws: fc.Arbitrary<WorldDraw> = fc.record({
  situation: situations,
  oddities: fc.array(fc.record({ is: fc.constantFrom(...oddityNames), at: fc.nat(40), text: hostileText }), {
    maxLength: 8,
  }),
});

/** The world of a draw, in the accounts `acc-1` and `acc-2`. */
export function drawnWorld({ situation, oddities: drawn }: WorldDraw): World {
  const world = worldOf(situation);
  world.roles.push("yes", "Developer");
  for (const oddity of drawn) oddities[oddity.is](world, oddity);
  return world;
}
