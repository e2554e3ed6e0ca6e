import { describe, expect, test } from "vitest";
import { applyEvents } from "../../../../src/log/fold.ts";
import type { EventOf } from "../../../../src/model/event.ts";
import { defaultPrivilegedRoles } from "../../../../src/model/role-set.ts";
import type { State } from "../../../../src/model/state.ts";
import { teamKeyOf } from "../../../../src/model/team.ts";
import type { ObservedUser } from "../../../../src/model/user.ts";
import { accessSeen } from "../../../../src/plan/drift/seen.ts";
import { aState } from "../../../support/plan-inputs.ts";
import { addressOf, aKey, aRoster, aTeam, aUser } from "../../../support/roster-builders.ts";
import { aShownKey, aShownUser, aSnapshot } from "../../../support/snapshot-builders.ts";
import { remembering } from "../../../support/state-builders.ts";

const at = "2026-11-20T12:00:00.000Z";
const before = "2026-11-20T10:00:00.000Z";
const team = teamKeyOf("acc-1", "Pricing");
const free = teamKeyOf("acc-1", "Free");
const roles = ["DEVELOPER", "TEAM_ROLE"];
const roster = aRoster({
  users: [aUser("olga"), aUser("pat")],
  teams: [aTeam("Pricing", { members: ["olga"], roles }), aTeam("Free", { members: ["pat"] })],
  keys: [aKey("k-batch", { roles: ["DEVELOPER"] })],
});

function inTeam(
  name: string,
  teamName: string,
  held: readonly string[] | undefined,
  prefix = `k-${name}`,
): ObservedUser {
  const shown = held === undefined ? {} : { roles: held };
  return aShownUser(name, { account: "acc-1", keys: [aShownKey(prefix, { name: teamName }, shown)] });
}

function seen(users: readonly ObservedUser[], state: State = aState(), moving: readonly string[] = []) {
  const event = accessSeen({
    roster,
    snapshot: aSnapshot({ users }),
    state,
    privilegedRoles: defaultPrivilegedRoles,
    moving: new Set(moving),
    at,
  });
  const { keys = [], members = [], users: made = [] }: Partial<EventOf<"access-seen">> = event ?? {};
  return {
    keys: keys.map(({ prefix, roles: held }) => `${prefix} ${held.join("+")}`),
    members: members.map(({ address, team: of }) => `${address} in ${of}`),
    users: made,
  };
}

const member = (name: string, of: string) => `${addressOf(name)} in ${of}`;
const olga = { members: [member("olga", team)], users: [] };
const pat = { members: [member("pat", free)], users: [] };

describe("a clean read makes known", () => {
  test("a key that has the roles of the roster, and its member", () => {
    expect(seen([inTeam("olga", "Pricing", roles)])).toEqual({ ...olga, keys: ["k-olga DEVELOPER+TEAM_ROLE"] });
  });

  test("a key whose roles the roster leaves alone", () => {
    expect(seen([inTeam("pat", "Free", ["AUDITOR"])])).toEqual({ ...pat, keys: ["k-pat AUDITOR"] });
  });

  test("a key that the roster lists", () => {
    const holder = aShownUser("zed", {
      keys: [aShownKey("k-batch", "none", { kind: "project", roles: ["DEVELOPER"] })],
    });
    const owner = aShownUser("pat", { keys: holder.keys ?? [] });
    expect(seen([owner])).toEqual({ members: [], users: [], keys: ["k-batch DEVELOPER"] });
  });

  test.each([
    ["fewer roles than the roster gives", inTeam("olga", "Pricing", ["TEAM_ROLE"]), olga],
    ["a privileged role that the roster does not give", inTeam("olga", "Pricing", [...roles, "ACCOUNT_ADMIN"]), olga],
    ["a privileged role, though the roster leaves the key alone", inTeam("pat", "Free", ["SYSTEM_OWNER"]), pat],
    ["roles that are not shown", inTeam("olga", "Pricing", undefined), olga],
  ])("no key with %s", (_, user, others) => {
    expect(seen([user])).toEqual({ ...others, keys: [] });
  });

  test("nothing of people and keys that the roster does not name", () => {
    const stranger = inTeam("zed", "Pricing", roles);
    const spare = aShownUser("olga", { keys: [aShownKey("k-spare", "none", { kind: "project", roles: ["AUDITOR"] })] });
    expect(seen([stranger, spare])).toEqual({ keys: [], members: [], users: [] });
  });

  test("nothing of what a run works on", () => {
    const moving = ["key k-olga", `member ${addressOf("olga")} of ${team}`];
    const all = seen([inTeam("olga", "Pricing", roles)], aState(), moving);
    expect([all.keys, all.users]).toEqual([[], []]);
  });

  test("nothing of another user who has the address now", () => {
    const state = remembering({ users: { olga: { identifier: "u-former" } } });
    expect(seen([inTeam("olga", "Pricing", roles)], state)).toEqual({ keys: [], members: [], users: [] });
  });
});

describe("what is known", () => {
  const address = addressOf("olga");
  test("stays as a run wrote it while a read equals it, and is dated where a read first shows it", () => {
    const state = remembering({
      users: { olga: { createdAt: before } },
      members: { "Pricing/olga": { at: before, prefix: "k-olga" } },
      keys: { "k-olga": { setRoles: roles, at: before } },
    });
    const now = [inTeam("olga", "Pricing", roles)];
    const first = accessSeen({
      roster,
      snapshot: aSnapshot({ users: now }),
      state,
      privilegedRoles: defaultPrivilegedRoles,
      moving: new Set(),
      at,
    });
    expect(first).toEqual({
      type: "access-seen",
      at,
      service: "https://simulated.example",
      users: [address],
      members: [{ team, address, prefix: "k-olga" }],
      keys: [{ prefix: "k-olga", address, roles }],
    });
    const later = applyEvents(state, first === undefined ? [] : [first]);
    expect(seen(now, later)).toEqual({ keys: [], members: [], users: [] });
  });

  test("moves to a read that equals the roster, and to no other", () => {
    const state = remembering({
      members: { "Pricing/olga": { how: "seen", prefix: "k-olga" } },
      seenKeys: new Map([["k-olga", { prefix: "k-olga", address, roles: ["TEAM_ROLE"], at: before }]]),
    });
    const nothing = { keys: [], members: [], users: [] };
    expect(seen([inTeam("olga", "Pricing", roles)], state)).toEqual({
      ...nothing,
      keys: ["k-olga DEVELOPER+TEAM_ROLE"],
    });
    expect(seen([inTeam("olga", "Pricing", ["AUDITOR"])], state)).toEqual(nothing);
  });

  test("of a key that the roster leaves alone does not move", () => {
    const key = { prefix: "k-pat", address: addressOf("pat"), roles: ["AUDITOR"], at: before };
    const state = aState({ seenKeys: new Map([["k-pat", key]]) });
    expect(seen([inTeam("pat", "Free", ["DEVELOPER"])], state)).toEqual({ ...pat, keys: [] });
  });
});
