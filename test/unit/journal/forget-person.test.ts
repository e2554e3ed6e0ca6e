import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeState, encodeState } from "../../../src/codec/state.ts";
import { hasRecords, recordedPeople, recordsOfPerson, withoutPerson } from "../../../src/journal/forget-person.ts";
import type { Sighting } from "../../../src/model/event.ts";
import { type RecordedRefusal, type RefusedPart, refusalKeyOf } from "../../../src/model/refusal.ts";
import { emptyState, type State } from "../../../src/model/state.ts";
import { membershipKeyOf, teamKeyOf } from "../../../src/model/team.ts";
import { arbitraryState } from "../../support/arbitrary-state.ts";
import { additionIntent, creationIntent, noon, openIntent, rolesIntent } from "../../support/event-builders.ts";
import { runs } from "../../support/property-runs.ts";
import { addressOf, emailOf } from "../../support/roster-builders.ts";

const red = teamKeyOf("acc-1", "Red");
const [ada, bo] = [addressOf("ada"), addressOf("bo")];

function refusal(part: RefusedPart, serviceSays?: string): RecordedRefusal {
  const failure = { code: "refused", message: "no", ...(serviceSays === undefined ? {} : { serviceSays }) } as const;
  return { part, request: { asks: "d" }, at: noon, failure };
}

const creation = (name: string): RefusedPart => ({
  of: "creation",
  address: addressOf(name),
  email: emailOf(name),
  account: "acc-1",
});

const refusals = [
  refusal(creation("ada")),
  refusal({ of: "roles", prefix: "ada-own", roles: [] }),
  refusal({ of: "roles", prefix: "x", roles: [], owner: ada }),
  refusal(creation("bo"), `like <${emailOf("ada").toUpperCase()}>, who exists`),
  refusal(creation("cy"), "no reason"),
];
const ofBo = { of: "roles", prefix: "bo-red", roles: [] } as const;

const person = (name: string) =>
  ({ address: addressOf(name), email: emailOf(name), account: "acc-1", key: `${name}-own` }) as const;
const membership = (name: string) =>
  ({ team: red, address: addressOf(name), how: "added", at: noon, prefix: `${name}-red` }) as const;
const put = (prefix: string) => [prefix, { prefix, put: ["DEVELOPER"], at: noon }] as const;
const seen = (subject: string): readonly [string, Sighting] => [subject, { since: noon, code: "dropped", subject }];

const state: State = {
  ...emptyState("ours"),
  serial: 7,
  gone: new Map([ada, bo].map((one) => [one, { since: noon }])),
  users: new Map([person("ada"), person("bo")].map((user) => [user.address, user])),
  teams: new Map([[red, { team: red, name: "Red", account: "acc-1", founder: ada, at: noon }]]),
  memberships: new Map([membership("ada"), membership("bo")].map((held) => [membershipKeyOf(red, held.address), held])),
  keys: new Map([put("ada-own"), put("ada-red"), put("bo-red"), put("nightly")]),
  refusals: new Map([...refusals, refusal(ofBo)].map((one) => [refusalKeyOf(one.part), one])),
  applied: { at: noon, digest: "d", people: new Map([ada, bo].map((one) => [one, { email: one }])) },
  sightings: new Map([
    seen(`user ${ada}`),
    seen(`member ${ada} of team acc-1/red`),
    seen("key ada-red"),
    seen(`user x${ada}`),
    seen(`user ${bo}`),
    ["limit", { ...seen("role ADMIN")[1], facts: [{ fact: `roles of key of ${ada}`, value: "ADMIN" }] }],
    ["owned", { ...seen("key x")[1], changed: { at: noon, changes: [{ fact: "owner", before: ada }] } }],
    ["kept", { ...seen("key y")[1], facts: [{ fact: "owner", value: bo }] }],
  ]),
};

describe("what a state records of a person", () => {
  test("is all that is theirs, and nothing of another", () => {
    expect(recordsOfPerson(state, ada)).toEqual({
      user: state.users.get(ada),
      memberships: [membership("ada")],
      prefixes: ["ada-own", "ada-red"],
      keys: [state.keys.get("ada-own"), state.keys.get("ada-red")],
      refusals: refusals.slice(0, 3),
      founded: ["Red"],
      sightings: [`user ${ada}`, `member ${ada} of team acc-1/red`, "key ada-red"],
      inLastRoster: true,
      goneSince: noon,
      open: [],
    });
    expect(hasRecords(recordsOfPerson(state, addressOf("nobody")))).toBe(false);
  });

  test.each([
    ["a creation of them", creationIntent("ada")],
    ["an addition of several", additionIntent("bo", "ada")],
    ["the roles of their key", rolesIntent("ada-red", "DEVELOPER")],
    ["the roles of a key that they own", { ...rolesIntent("other"), owner: ada }],
  ])("includes a call that is open: %s", (_name, intent) => {
    const open = [openIntent("r1", "a", intent), openIntent("r1", "b", creationIntent("cy"))];
    expect(recordsOfPerson({ ...state, open }, ada).open).toEqual([open[0]]);
  });
});

test("everybody is recorded of whom anything is", () => {
  const of = (part: Partial<State>) => recordedPeople({ ...emptyState("ours"), ...part });
  expect(recordedPeople(state)).toEqual([ada, bo, addressOf("cy")]);
  for (const { users, memberships, applied, gone } of [state]) {
    const parts = [{ users }, { memberships }, { gone }, ...(applied === undefined ? [] : [{ applied }])];
    expect(parts.map((part) => of(part as Partial<State>))).toEqual(parts.map(() => [ada, bo]));
  }
  expect(of({ refusals: state.refusals })).toEqual([ada, bo, addressOf("cy")]);
});

describe("a state without a person", () => {
  test("keeps teams and everything about others", () => {
    const [, , , ofBoCreation, ofCy] = refusals;
    const words = ofBoCreation === undefined ? [] : [{ ...ofBoCreation, failure: { code: "refused", message: "no" } }];
    expect(withoutPerson(state, ada)).toEqual({
      ...state,
      users: new Map([[bo, state.users.get(bo)]]),
      teams: new Map([[red, { team: red, name: "Red", account: "acc-1", at: noon }]]),
      memberships: new Map([[membershipKeyOf(red, bo), membership("bo")]]),
      keys: new Map([put("bo-red"), put("nightly")]),
      refusals: new Map(
        [...words, ofCy, refusal(ofBo)].flatMap((one) =>
          one === undefined ? [] : [[refusalKeyOf(one.part), one as RecordedRefusal]],
        ),
      ),
      applied: { at: noon, digest: "d", people: new Map([[bo, { email: bo }]]) },
      sightings: new Map([
        seen(`user x${ada}`),
        seen(`user ${bo}`),
        ["limit", seen("role ADMIN")[1]],
        ["owned", seen("key x")[1]],
        ["kept", { ...seen("key y")[1], facts: [{ fact: "owner", value: bo }] }],
      ]),
      gone: new Map([[bo, { since: noon }]]),
    });
  });

  test("that had seen nothing else has seen nothing", () => {
    const left = withoutPerson({ ...state, sightings: new Map([seen(`user ${ada}`)]) }, ada);
    expect("sightings" in left).toBe(false);
  });

  test("has no records of them, whatever it records, and forgets nobody else", () => {
    fc.assert(
      fc.property(arbitraryState, (known) => {
        for (const address of new Set([...known.users.keys(), ...(known.applied?.people.keys() ?? [])])) {
          const left = withoutPerson({ ...known, open: [] }, address);
          expect(hasRecords(recordsOfPerson(left, address))).toBe(false);
          expect(decodeState(encodeState(left), "state.json")).toEqual({ ok: true, value: left });
          expect([...left.users.keys()]).toEqual([...known.users.keys()].filter((one) => one !== address));
          expect([...left.teams.keys()]).toEqual([...known.teams.keys()]);
        }
      }),
      { seed: 20261123, numRuns: runs(300) },
    );
  });
});
