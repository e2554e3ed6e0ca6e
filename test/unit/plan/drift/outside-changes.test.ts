import { describe, expect, test } from "vitest";
import { type OutsideChange, privilegesGained } from "../../../../src/model/drift.ts";
import { membershipKeyOf } from "../../../../src/model/membership.ts";
import type { State } from "../../../../src/model/state.ts";
import { teamKeyOf } from "../../../../src/model/team.ts";
import { driftOfScene, type OutsideSceneName, outsideSceneNames } from "../../../support/outside-scenes.ts";
import { addressOf } from "../../../support/roster-builders.ts";

const olga = { person: { address: addressOf("olga"), email: "olga@acme.example" } };
const zed = { person: { address: addressOf("zed"), email: "zed@acme.example" } };
const keyOf = (name: string) => ({ key: { prefix: `k-${name}`, isOwn: false } });
const none = { gained: [], lost: [], privileged: [] };
const left = ["DEVELOPER", "TEAM_ROLE"];
const pricing = teamKeyOf("acc-1", "Pricing");

const changes: Readonly<Record<OutsideSceneName, readonly OutsideChange[]>> = {
  escalation: [
    {
      is: "roles-changed",
      ...olga,
      team: "Pricing",
      ...keyOf("olga"),
      gained: ["ACCOUNT_ADMIN"],
      lost: [],
      privileged: ["ACCOUNT_ADMIN"],
    },
  ],
  "escalation of a key that the roster leaves alone": [
    {
      is: "roles-changed",
      person: { address: addressOf("pat"), email: "pat@acme.example" },
      key: { prefix: "k-pat", isOwn: true },
      gained: ["ACCOUNT_ADMIN"],
      lost: [],
      privileged: ["ACCOUNT_ADMIN"],
    },
  ],
  loss: [{ is: "roles-changed", ...olga, team: "Pricing", ...keyOf("olga"), ...none, lost: ["DEVELOPER"] }],
  "removed member": [{ is: "member-removed", ...olga, team: "Pricing", ...keyOf("olga"), ...none, lost: left }],
  "added member": [{ is: "member-added", ...zed, team: "Pricing", ...keyOf("zed"), ...none, gained: ["AUDITOR"] }],
  "added administrator": [
    {
      is: "member-added",
      ...zed,
      team: "Pricing",
      ...keyOf("zed"),
      gained: ["ACCOUNT_ADMIN"],
      lost: [],
      privileged: ["ACCOUNT_ADMIN"],
    },
    {
      is: "privileged-roles-found",
      ...zed,
      team: "Pricing",
      ...keyOf("zed"),
      gained: ["ACCOUNT_ADMIN"],
      lost: [],
      privileged: ["ACCOUNT_ADMIN"],
    },
  ],
  "removed user": [{ is: "user-removed", ...olga, ...none, lost: left }],
  "renamed team": [{ is: "team-renamed", team: "Pricing", to: "Rates", ...none }],
  "changed address": [{ is: "email-changed", ...olga, to: "olga.b@acme.example", ...none }],
  "removed key": [{ is: "key-removed", key: { prefix: "k-gone", isOwn: false }, ...none, lost: left }],
  "nothing changed": [],
};

test.each(outsideSceneNames)("what was changed outside roster: %s", (name) => {
  const { items } = driftOfScene(name).drift;
  expect(items.flatMap(({ outside = [] }) => outside)).toEqual(changes[name]);
  expect(items.filter((item) => item.class === "tampered" && item.outside === undefined)).toEqual([]);
});

/** What Olga's key in Pricing had when roster last wrote or saw it, if it did. */
function known(roles: readonly string[] | undefined, by: "seen" | "written" = "seen"): Partial<State> {
  if (roles === undefined) return { keys: new Map() };
  const at = "2026-11-20T10:00:00.000Z";
  if (by === "written") return { keys: new Map([["k-olga", { prefix: "k-olga", setRoles: roles, at }]]) };
  return {
    keys: new Map(),
    seenKeys: new Map([["k-olga", { prefix: "k-olga", address: olga.person.address, roles, at }]]),
  };
}

describe("a privileged role that the roster does not give", () => {
  test.each([
    ["gained since roster saw the key", "escalation", known(left), "tampered", "roles-changed"],
    ["gained since roster wrote the key", "escalation", known(left, "written"), "tampered", "roles-changed"],
    ["on a key seen for the first time", "escalation", known(undefined), "tampered", "privileged-roles-found"],
    [
      "that the roster gave before",
      "escalation",
      known(["ACCOUNT_ADMIN", ...left], "written"),
      "unapplied",
      "privileged-roles-left",
    ],
    [
      "on a key that the roster leaves alone, seen for the first time",
      "escalation of a key that the roster leaves alone",
      { users: new Map(), keys: new Map() },
      "unmanaged",
      "privileged-roles-found",
    ],
  ] as const)("is a privileged gain and stands first: %s", (_, scene, state, ofClass, is) => {
    const { items } = driftOfScene(scene, { change: state }).drift;
    const [first] = items;
    expect([first?.class, first?.counts !== "nothing", first && privilegesGained(first)]).toEqual([
      ofClass,
      true,
      ["ACCOUNT_ADMIN"],
    ]);
    expect(first?.outside?.map((change) => change.is)).toEqual([is]);
  });
});

describe("what roster only saw", () => {
  test("a role that was removed from a seen key", () => {
    const [item] = driftOfScene("loss", { change: known(left) }).drift.items;
    expect([item?.class, item?.outside]).toEqual(["tampered", changes.loss]);
  });

  test("a member who was removed, with the roles of the key that was seen", () => {
    const seen = { team: pricing, address: olga.person.address, how: "seen", at: "2026-11-20T10:00:00.000Z" } as const;
    const memberships = new Map([[membershipKeyOf(pricing, olga.person.address), { ...seen, prefix: "k-olga" }]]);
    const users = new Map([
      [olga.person.address, { ...olga.person, account: "acc-1", identifier: "u-olga", seenAt: seen.at }],
    ]);
    const { items } = driftOfScene("removed member", { change: { ...known(left), memberships, users } }).drift;
    expect(items.filter(({ outside }) => outside !== undefined).map((item) => [item.class, item.outside])).toEqual([
      ["tampered", changes["removed member"]],
    ]);
  });

  test("a user who was removed, with the roles of the key that was seen", () => {
    const users = new Map([
      [
        olga.person.address,
        { ...olga.person, account: "acc-1", identifier: "u-olga", seenAt: "2026-11-20T10:00:00.000Z" },
      ],
    ]);
    const change = { ...known(left), memberships: new Map(), users };
    const [item] = driftOfScene("removed user", { change }).drift.items;
    expect([item?.class, item?.outside]).toEqual(["tampered", changes["removed user"]]);
  });

  test("a key that the roster lists and that is gone", () => {
    const key = { prefix: "k-gone", address: addressOf("pat"), roles: left, at: "2026-11-20T10:00:00.000Z" };
    const [item] = driftOfScene("removed key", { change: { keys: new Map(), seenKeys: new Map([["k-gone", key]]) } })
      .drift.items;
    expect([item?.class, item?.outside?.map(({ is, lost }) => [is, lost])]).toEqual([
      "tampered",
      [["key-removed", left]],
    ]);
  });

  test("a key that the roster leaves alone and that has other roles by now", () => {
    const at = "2026-11-20T10:00:00.000Z";
    const seen = { prefix: "k-pat", address: addressOf("pat"), roles: ["AUDITOR", "TEAM_ROLE"], at };
    const change = { seenKeys: new Map([["k-pat", seen]]) };
    const { items } = driftOfScene("escalation of a key that the roster leaves alone", { change }).drift;
    const told = items.filter(({ outside }) => outside !== undefined);
    expect(
      told.map(({ code, counts, class: of, outside }) => [
        code,
        counts,
        of,
        outside?.map(({ gained, lost }) => [gained, lost]),
      ]),
    ).toEqual([
      ["unmanaged-privilege", "blocking", "tampered", [[["ACCOUNT_ADMIN"], []]]],
      ["unmanaged-key-changed", "nothing", "tampered", [[[], ["AUDITOR"]]]],
    ]);
  });
});
