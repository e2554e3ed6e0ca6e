import { expect, test } from "vitest";
import { countingIdentifiers } from "../../../src/reference-server/identifiers.ts";
import type { Knobs } from "../../../src/reference-server/knobs/registry.ts";
import { World } from "../../../src/reference-server/world.ts";
import { boInAir, conversation, type Talk } from "./conversation.ts";

const minute = 60_000;

/** What the reads show of three writes: a new person, a membership, and new roles. */
async function shown(talk: Talk) {
  return {
    list: await talk("GET users?sort-by=email&per-page=2 | email accessKeys.roles.identifier"),
    search: await talk("search ada@acme.example bo@acme.example | email accessKeys.roles.identifier"),
    details: await talk("GET accounts/acc-1 | users.identifier"),
  };
}

const before = {
  list: "[bo@acme.example, root@reference.example] · [[[TEAM_ROLE]], [[SYSTEM_OWNER]]]",
  search: "[bo@acme.example] · [[[TEAM_ROLE]]]",
  details: "[u-1, u-2]",
};
const both = "[ada@acme.example, bo@acme.example]";
const everything = {
  list: `${both} · [[[TEAM_ROLE]], [[AUDITOR], [TEAM_ROLE]]]`,
  search: `${both} · [[[TEAM_ROLE]], [[AUDITOR], [TEAM_ROLE]]]`,
  details: "[u-1, u-2, u-3]",
};
const withoutKeys = `${both} · [[], [[TEAM_ROLE]]]`;

const kinds: readonly [keyof Knobs, object][] = [
  ["listLagMs", { list: before.list.replace("TEAM_ROLE", "AUDITOR") }],
  ["searchLagMs", { search: before.search.replace("TEAM_ROLE", "AUDITOR") }],
  ["detailLagMs", { details: before.details }],
  ["shownKeyLagMs", { list: withoutKeys, search: withoutKeys }],
];

test.each(kinds.flatMap(([knob, hidden]) => [0, 1, 30_000, 30 * minute].map((lag) => ({ knob, lag, hidden }))))(
  "$knob of $lag ms holds for its own reads alone",
  async ({ knob, lag, hidden }) => {
    const talk = await conversation(boInAir, { [knob]: lag });
    expect(await shown(talk)).toEqual(before);
    for (const write of ["create ada", "add u-1", "put own1 AUDITOR"]) await talk(write);
    const meanwhile = lag === 0 ? everything : { ...everything, ...hidden };
    expect(await shown(talk)).toEqual(meanwhile);
    await talk(`wait ${Math.max(0, lag - 1)}`);
    expect(await shown(talk)).toEqual(meanwhile);
    await talk("wait 1");
    expect(await shown(talk)).toEqual(everything);
  },
);

test("a key remembers former roles no longer than reads may show them", () => {
  const world = new World(countingIdentifiers(1));
  const account = world.addAccount("acc-1", "Acme", "Active");
  const key = world.addKey({
    kind: "user",
    owner: world.addUser({ email: "bo@acme.example", firstName: "Bo", lastName: "D", account }),
    roles: ["A"],
  });
  const kept = [1000, 1400, 1900, 2400].map((at) => {
    world.setRoles(key, [`of ${at}`], { at, lag: 1000 });
    return key.formerRoles.map(({ roles }) => roles.join());
  });
  expect(kept).toEqual([["A"], ["A", "of 1000"], ["A", "of 1000", "of 1400"], ["of 1400", "of 1900"]]);
  world.setRoles(key, [], { at: 2500, lag: 0 });
  expect(key.formerRoles).toEqual([]);
});
