import fc from "fast-check";
import { expect, test } from "vitest";
import type { DrawnService } from "../../support/drawn/drawn-service.ts";
import { type SecondStage, secondStage } from "../../support/drawn/second-stage.ts";
import {
  allWays,
  arePassing,
  arePlain,
  everyWay,
  fewWays,
  type SecondWays,
  usualWays,
} from "../../support/drawn/second-ways.ts";
import { runs } from "../../support/property-runs.ts";

test("every value of every way is drawn, and few ways differ from the usual in three at most", () => {
  const lines = (ways: SecondWays) => Object.entries(ways).map(([way, value]) => `${way}: ${value}`);
  const every = everyWay.map(({ way, value }) => `${way}: ${value}`);
  const drawn = new Set(fc.sample(allWays, { numRuns: 400, seed: 1 }).flatMap(lines));
  expect(every.filter((line) => !drawn.has(line))).toEqual([]);
  const usual = new Set(lines(usualWays));
  const changed = fc
    .sample(fewWays, { numRuns: 4_000, seed: 1 })
    .map((ways) => lines(ways).filter((line) => !usual.has(line)));
  expect(new Set(changed.map(({ length }) => length))).toEqual(new Set([1, 2, 3]));
  const unusual = new Set(changed.flat());
  expect(every.filter((line) => !unusual.has(line)).toSorted()).toEqual([...usual].toSorted());
});

test("a failing draw shrinks to the ways that it needs", () => {
  const property = fc.property(allWays, (ways) => ways.listLag === 0 || ways.keyTeams !== "hidden");
  const { counterexample } = fc.check(property, { numRuns: 500, seed: 1 });
  expect(counterexample).toEqual([{ ...usualWays, listLag: 2_000, keyTeams: "hidden" }]);
});

test("ways pass as long as what they delay, refuse or fail is over in time", () => {
  expect(
    arePassing({ ...usualWays, errors: "html", listLag: 2_000, cachedAnswer: "first-addition", throttled: "429" }),
  ).toBe(true);
  expect(arePassing({ ...usualWays, listLag: 2_000, keyTeams: "flat-name" })).toBe(false);
});

test("ways are plain as long as no value is hard", () => {
  expect(arePlain(usualWays)).toBe(true);
  expect(arePlain({ ...usualWays, errors: "html", envelope: "hal", pageBase: "zero" })).toBe(true);
  expect(arePlain({ ...usualWays, listLag: 2_000 })).toBe(false);
  expect(arePlain({ ...usualWays, keyTeams: "flat-name" })).toBe(false);
});

type Step =
  | { readonly is: "create" | "found"; readonly who: number }
  | { readonly is: "add"; readonly who: number; readonly team: number }
  | { readonly is: "put"; readonly who: number; readonly key: number; readonly role: string }
  | { readonly is: "wait"; readonly seconds: number };

const few = fc.nat({ max: 4 });
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ is: fc.constantFrom("create", "found"), who: few }),
  fc.record({ is: fc.constant("add"), who: few, team: few }),
  fc.record({
    is: fc.constant("put"),
    who: fc.integer({ min: 1, max: 5 }),
    key: few,
    role: fc.constantFrom("DEVELOPER", "AUDITOR"),
  }),
  fc.record({ is: fc.constant("wait"), seconds: fc.constantFrom(1, 10, 60) }),
);

function take({ call, service, wait }: SecondStage, taken: Step): void {
  switch (taken.is) {
    case "wait":
      wait(taken.seconds * 1_000);
      return;
    case "create":
    case "found": {
      const team = taken.is === "found" ? { team: { name: `New ${taken.who}` } } : {};
      const email = `New.${taken.who}@acme.example`;
      call("POST", "accounts/acc-1/users", { firstName: "New", lastName: "One", email, ...team });
      return;
    }
    case "add": {
      const person = service.people[taken.who];
      const team = service.teams[taken.team];
      call("POST", `teams/${team?.identifier}/members`, [{ identifier: person?.identifier ?? "nobody" }]);
      return;
    }
    case "put": {
      const prefix = service.people[taken.who]?.keys[taken.key]?.prefix ?? "none";
      call("PUT", `access-keys/${encodeURIComponent(prefix)}/roles`, [{ identifier: taken.role }]);
    }
  }
}

/** The teams of each person by their keys, and the people of each team by its members, as lines that must be the same. */
function memberships({ people, teams }: DrawnService): readonly (readonly string[])[] {
  const byKeys = people.flatMap(({ identifier, keys }) =>
    keys.flatMap(({ kind, team }) => (kind === "team" ? [`${team} ${identifier}`] : [])),
  );
  const byTeams = teams.flatMap(({ identifier, members }) => members.map((member) => `${identifier} ${member}`));
  return [byKeys.toSorted(), byTeams.toSorted()];
}

test("however a service is drawn, its world is what its log says, and nobody and no key is there twice", () => {
  fc.assert(
    fc.property(fc.oneof(fewWays, allWays), fc.array(step, { maxLength: 12 }), (ways, steps) => {
      const stage = secondStage(ways);
      const { service } = stage;
      for (const taken of steps) {
        const before = [service.people, service.teams, service.mails.length];
        const count = service.writes.length;
        take(stage, taken);
        const write = service.writes[count];
        if (write?.tookEffect === false) expect([service.people, service.teams, service.mails.length]).toEqual(before);
      }
      const creations = service.writes.filter(({ path, tookEffect }) => path.endsWith("/users") && tookEffect);
      const createdTeam = creations.filter(({ body }) => JSON.stringify(body).includes("team"));
      expect([service.people.length - 3, service.teams.length - 2]).toEqual([creations.length, createdTeam.length]);
      expect(new Set(service.people.map(({ email }) => email.toLowerCase())).size).toBe(service.people.length);
      const [byKeys = [], byTeams] = memberships(service);
      expect(byTeams).toEqual(byKeys);
      expect(new Set(byKeys).size).toBe(byKeys.length);
    }),
    { numRuns: runs(300) },
  );
});

test("however a service is drawn, a search finds everybody after the longest lag", () => {
  fc.assert(
    fc.property(fc.oneof(fewWays, allWays), fc.array(step, { maxLength: 8 }), (drawn, steps) => {
      const ways: SecondWays = { ...drawn, disturbedReads: "never", searches: "sound" };
      const stage = secondStage(ways);
      for (const taken of steps) take(stage, taken);
      stage.wait(1_810_000);
      for (const { email } of stage.service.people) {
        const stored = ways.addresses === "lowered" ? email.toLowerCase() : email;
        const { body } = stage.call("POST", "users/search", { identifiers: [stored] });
        expect(JSON.stringify(body)).toContain(`"${ways.addressField}":"${stored}"`);
      }
    }),
    { numRuns: runs(300) },
  );
});
