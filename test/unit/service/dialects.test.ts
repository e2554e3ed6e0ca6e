import { describe, expect, test } from "vitest";
import { emptyState } from "../../../src/model/state.ts";
import { observe } from "../../../src/observe/observe.ts";
import type { Knobs } from "../../../src/reference-server/knobs/registry.ts";
import { startReferenceServer } from "../../../src/reference-server/server.ts";
import { httpAccountService } from "../../../src/service/client.ts";
import { ApiKey } from "../../../src/service/secrets.ts";
import { countingRandomness, timerBy } from "../../support/fixed-ports.ts";
import { addressOf, aRoster, aTeam, aUser } from "../../support/roster-builders.ts";

const clock = { ...timerBy(), wait: async () => undefined };
const names = Array.from({ length: 57 }, (_, at) => `p${at}`);
const users = names.map((name) => ({ email: `${name}@acme.example`, firstName: name, lastName: "Q" }));
const science = {
  name: "Science",
  admin: "p0@acme.example",
  members: [{ user: "p0@acme.example" }, { user: "p50@acme.example" }],
};

/** What a plan would know of a company of 57, five of whom it asks for, and of somebody who is not there. */
async function readingOf(knobs: Partial<Knobs>) {
  const server = await startReferenceServer({
    port: 0,
    seed: { users, teams: [science] },
    knobs: { maxPerPage: 20, ...knobs },
  });
  const connection = {
    endpoint: new URL(server.endpoint),
    key: new ApiKey(server.key),
    clock,
    randomness: countingRandomness(),
  };
  const service = httpAccountService({ ...connection, parallelism: 4 });
  const roster = aRoster({
    users: ["p0", "p1", "p50", "p56", "new"].map((name) => aUser(name)),
    teams: [aTeam("New", { members: ["new"] }), aTeam("Science", { members: ["p0", "p50"] })],
  });
  const question = { roster, state: emptyState("l"), everyone: "always", assumeAbsentTeams: [] } as const;
  const read = await observe(question, { service, clock, progress: () => undefined, parallelism: 4 });
  await service.close();
  await server.close();
  if (!read.ok) return read.error.code;
  const { everyone, absences, roles, users: shown } = read.value;
  return {
    everyone: everyone.read,
    users: shown.length,
    new: absences.get(addressOf("new"))?.proven,
    others: absences.size - 1,
    roles: roles.known === "unknown" ? 0 : roles.value.length,
    science: shown.filter(({ keys = [] }) => keys.some(({ team }) => team !== undefined && team !== "none")).length,
  };
}

const whole = { everyone: "complete", users: 58, new: true, others: 0, roles: 7, science: 2 };

function each<Name extends keyof Knobs>(name: Name, ...values: readonly Knobs[Name][]): [string, Partial<Knobs>][] {
  return values.map((value) => [`${name} ${String(value)}`, { [name]: value }]);
}

describe("whatever a service's way of answering, the same is read of it", () => {
  test.each([
    ...each("pageBase", "one-alias", "one-strict", "one-empty", "zero"),
    ...each("overMaxPerPage", "clamp", "reject", "ignore"),
    ...each("pastEnd", "400", "404", "empty", "last-again"),
    ...each("emptyPage", 2, 3),
    ...each(
      "link",
      "none",
      "always",
      "self-next",
      "zero-next",
      "http-inner-host",
      "relative",
      "drops-query",
      "evil-host",
    ),
    ...each("total", "header", "both", "none", "wrong-low"),
    ...each("envelope", "L2", "L3", "L4", "L5", "L6", "L7", "L8", "L9", "L10", "named"),
    ...each("laterEnvelope", "L5"),
    ...each("search", "S2", "S3", "S4", "S5", "S6", "S7"),
    ...each("searchMatch", "external", "fuzzy"),
    ...each("searchPages", "paged", "first-ten"),
    ...each("searchMaxIdentifiers", 3),
    ...each("accountDetails", "A2", "A2-identifiers", "A3", "A3-truncated", "A4", "A5", "A5-data", "no-users"),
    ...each("roleList", "R2", "R3"),
    ...each("showKeys", "listAccessKeys"),
    ...each("fields", "public"),
    ...each("showKeyRoles", "names", "null", "none"),
    ...each("showKeyKinds", "keyType", "none"),
    ...each("showTeams", "identifier", "name", "text"),
    ...each("userWords", "short", "long"),
    ...each("identifiers", "numbers"),
    ...each("statusCase", "lower", "upper"),
    ...each("oddities", "extra-fields", "nulls"),
  ])("%s", async (_name, knobs) => {
    expect(await readingOf(knobs)).toEqual(whole);
  });

  test("in several ways at once", async () => {
    const odd = {
      envelope: "L2",
      search: "S2",
      searchPages: "paged",
      searchMatch: "fuzzy",
      pageBase: "zero",
      link: "always",
    } as const;
    expect(await readingOf({ ...odd, maxPerPage: 7, userWords: "short", accountDetails: "A5" })).toEqual(whole);
  });
});

describe("and what cannot be read is never taken for nobody", () => {
  test.each([
    ["an unknown envelope", { envelope: "unknown" }, "misunderstood"],
    ["an unknown envelope in the middle", { laterEnvelope: "unknown" }, "misunderstood"],
  ] satisfies [string, Partial<Knobs>, string][])("%s is a failure", async (_name, knobs, code) => {
    expect(await readingOf(knobs)).toBe(code);
  });

  test.each([
    ["a page number that is ignored", { pageBase: "ignored" }],
    ["rows that stand in another order at each request", { order: "shuffle" }],
    ["a count of more rows than are shown", { total: "wrong-high", envelope: "L5" }],
    ["a list that lacks whom a search finds", { credentialScope: "team" }],
  ] satisfies [string, Partial<Knobs>][])("%s makes the list incomplete", async (_name, knobs) => {
    expect(await readingOf(knobs)).toMatchObject({ everyone: "incomplete", new: false, others: 0 });
  });
});
