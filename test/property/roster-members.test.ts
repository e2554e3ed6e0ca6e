import fc from "fast-check";
import { expect, test } from "vitest";
import { roleSet } from "../../src/model/role-set.ts";
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
const world = fc.record({
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
function expected({
  groups,
  teamRoles,
  members,
}: World): ReadonlyMap<string, readonly string[] | undefined> | "refused" {
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
  always(settings, world, (made) => {
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
