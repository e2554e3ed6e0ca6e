import fc from "fast-check";
import { expect, test } from "vitest";
import { foldAddress } from "../../src/model/address.ts";
import type { Roster } from "../../src/model/roster.ts";
import { roleSet } from "../../src/model/values.ts";
import type { BuildResult } from "../../src/roster/build.ts";
import { always } from "../support/always.ts";
import { runs } from "../support/property-runs.ts";
import { rosterFrom } from "../support/roster-text.ts";

const settings = { seed: 20_261_120, numRuns: runs(9000) };
const people = ["a@x", "b@x", "c@x"];
const someRoles = fc.option(fc.subarray(["R", "S"]), { nil: undefined });

interface Entry {
  readonly user?: string;
  readonly group?: string;
  readonly roles?: readonly string[] | undefined;
}

const entry: fc.Arbitrary<Entry> = fc.oneof(
  fc.record({ user: fc.constantFrom(...people), roles: someRoles }),
  fc.record({ group: fc.constantFrom("g", "h", "i"), roles: someRoles }),
);
const memberships = fc.record({
  groups: fc.record({ g: fc.subarray(people), h: fc.subarray(people), i: fc.subarray(people) }),
  teamRoles: someRoles,
  members: fc.array(entry, { maxLength: 5 }),
});

interface World {
  readonly groups: Readonly<Record<string, readonly string[]>>;
  readonly teamRoles: readonly string[] | undefined;
  readonly members: readonly Entry[];
}

/** What the format says, person by person, without any of the decoder's short cuts. */
function expected({ groups, teamRoles, members }: World) {
  const names = members.map(({ user, group }) => user ?? group);
  if (new Set(names).size < names.length) return "refused";
  const found = new Map<string, readonly string[] | undefined>();
  for (const person of people) {
    const direct = members.filter(({ user }) => user === person);
    const through = members.filter(({ group }) => group !== undefined && groups[group]?.includes(person));
    if (direct.length + through.length === 0) continue;
    const ofDirect = direct.flatMap(({ roles }) => (roles === undefined ? [] : [roleSet(roles)]));
    const ofGroups = through.flatMap(({ roles }) => (roles === undefined ? [] : [roleSet(roles)]));
    if (ofDirect.length === 0 && new Set(ofGroups.map((roles) => roles.join())).size > 1) return "refused";
    found.set(person, ofDirect[0] ?? ofGroups[0] ?? (teamRoles && roleSet(teamRoles)));
  }
  return found;
}

const usersText = people.map((email) => `  - { email: ${email}, firstName: F, lastName: L }\n`).join("");

test("every member has the roles that rank highest, and equal ranks that differ are refused", () => {
  const verdicts = { made: 0, refused: 0 };
  always(settings, memberships, (made) => {
    const team = { name: "T", members: made.members, ...(made.teamRoles && { roles: made.teamRoles }) };
    const text = `version: 1\naccount: a\nusers:\n${usersText}groups: ${JSON.stringify(made.groups)}\nteams: ${JSON.stringify([team])}\n`;
    const { roster } = rosterFrom({ "f.yaml": text });
    const members = roster?.teams[0]?.members.map(({ address, roles }) => [address, roles] as const);
    const wanted = expected(made);
    verdicts[wanted === "refused" ? "refused" : "made"] += 1;
    expect(members === undefined ? "refused" : new Map<string, unknown>(members)).toEqual(wanted);
  });
  expect(verdicts.made).toBeGreaterThan(settings.numRuns / 4);
  expect(verdicts.refused).toBeGreaterThan(settings.numRuns / 4);
});

test("one roster is the same in one file and spread over several, whatever their order", () => {
  const sections = [
    `users:\n${usersText}`,
    "roleSets: { s: [R] }\n",
    "groups: { g: [a@x, b@x] }\n",
    "teams: [{ name: T, roles: [{ set: s }], members: [{ group: g }, c@x] }]\n",
    "keys: [{ prefix: p, owner: a@x, roles: [{ set: s }] }]\n",
  ];
  const withoutPlaces = (files: Readonly<Record<string, string>>) => {
    const { roster, diagnostics } = rosterFrom(files);
    expect(diagnostics).toEqual([]);
    return JSON.stringify({ ...roster, accounts: 0, users: [...(roster?.users ?? [])] }, (name, value) =>
      name === "place" || name === "because" ? undefined : value,
    );
  };
  const together = withoutPlaces({ "f.yaml": `version: 1\naccount: a\n${sections.join("")}` });
  always(
    { seed: 20_261_120, numRuns: 60 },
    fc.shuffledSubarray(sections, { minLength: sections.length }),
    (shuffled) => {
      const files = shuffled.map((section, index) => [`${index}.yaml`, `version: 1\naccount: a\n${section}`] as const);
      expect(withoutPlaces(Object.fromEntries(files))).toBe(together);
    },
  );
});

const names = ["a@x", "b@x", "c@x", "d@x"];
const days = ["2026-11-19", "2026-11-20", "2026-11-21", "2026-11-22"];
const some = fc.subarray(names);
const one = fc.option(fc.constantFrom(...names), { nil: undefined, freq: 2 });

const team = fc.record({
  members: some,
  groups: fc.subarray(["g", "h"]),
  admin: one,
  firstMember: one,
  open: fc.boolean(),
});

const world = fc.record({
  untils: fc.tuple(...names.map(() => fc.option(fc.constantFrom(...days), { nil: undefined }))),
  leavers: fc.subarray(["d@x", "l@x"]),
  groups: fc.record({ g: some, h: some }),
  teams: fc.tuple(team, team),
  owners: fc.array(fc.constantFrom(...names, "l@x"), { maxLength: 2 }),
});

function rosterOf(
  { untils, leavers, groups, teams, owners }: typeof world extends fc.Arbitrary<infer T> ? T : never,
  today: string,
): BuildResult {
  const people = names.filter((email) => !leavers.includes(email));
  const document = {
    version: 1,
    account: "acc-1",
    users: people.map((email) => {
      const until = untils[names.indexOf(email)];
      return { email, firstName: "F", lastName: "L", ...(until === undefined ? {} : { until }) };
    }),
    leavers: leavers.map((email) => ({ email })),
    groups,
    teams: teams.map(({ members, groups: through, admin, firstMember, open }, index) => ({
      name: `T${index}`,
      open,
      members: [...members, ...through.map((group) => ({ group }))],
      ...(admin === undefined ? {} : { admin }),
      ...(firstMember === undefined ? {} : { firstMember }),
    })),
    keys: owners.map((owner, index) => ({ prefix: `p${index}`, owner, roles: ["A"] })),
  };
  return rosterFrom({ "f.yaml": JSON.stringify(document) }, { today });
}

function holders({ users, teams, keys }: Roster): ReadonlySet<string> {
  return new Set([
    ...users.keys(),
    ...teams.flatMap(({ members, admin, firstMember }) => [
      ...members.map(({ address }) => address),
      ...[admin, firstMember].flatMap((person) => person?.value ?? []),
    ]),
    ...keys.flatMap(({ owner, roles }) => (roles.length === 0 ? [] : (owner?.value ?? []))),
  ]);
}

function without({ users, teams, keys }: Roster, gone: ReadonlySet<string>): unknown {
  const stays = (address: string | undefined) => (address === undefined || gone.has(address) ? undefined : address);
  return {
    users: [...users.keys()].filter(stays),
    teams: teams.map(({ name, members, admin, firstMember }) => [
      name,
      members.filter(({ address }) => stays(address)),
      stays(admin?.value),
      stays(firstMember?.value),
    ]),
    keys: keys.map(({ prefix, owner, roles }) => [prefix, gone.has(owner?.value ?? "") ? [] : roles]),
  };
}

test("a day that passes makes no roster invalid, and takes everything from leavers and nothing from others", () => {
  const verdicts = { valid: 0, invalid: 0, left: 0 };
  always({ seed: 20_261_120, numRuns: runs(1500) }, world, fc.constantFrom(...days), (drawn, today) => {
    const before = rosterOf(drawn, "2000-01-01");
    const { roster, diagnostics } = rosterOf(drawn, today);
    expect(roster === undefined).toBe(before.roster === undefined);
    const errors = diagnostics.filter(({ severity }) => severity === "error");
    expect(errors).toEqual(before.diagnostics);
    verdicts[roster === undefined ? "invalid" : "valid"] += 1;
    if (roster === undefined || before.roster === undefined) return;
    const left = names.filter((email, index) => {
      return before.roster?.users.has(foldAddress(email)) && (drawn.untils[index] ?? "9999") <= today;
    });
    verdicts.left += left.length;
    expect([...roster.leavers.keys()]).toEqual([...drawn.leavers, ...left]);
    expect([...roster.leavers.keys()].filter((email) => holders(roster).has(email))).toEqual([]);
    expect(without(roster, new Set())).toEqual(without(before.roster, new Set(left)));
    expect(diagnostics.length > 0).toBe(left.length > 0);
  });
  expect(Math.min(verdicts.valid, verdicts.invalid, verdicts.left)).toBeGreaterThan(runs(300));
});
