import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { applyEvents } from "../../src/log/fold.ts";
import { recordsMoved } from "../../src/log/moved-records.ts";
import { rosterApplied } from "../../src/log/observed-events.ts";
import { foldAddress } from "../../src/model/address.ts";
import { byCodeUnit } from "../../src/model/collections.ts";
import type { Plan } from "../../src/model/plan.ts";
import type { Roster } from "../../src/model/roster.ts";
import type { State } from "../../src/model/state.ts";
import { formatSubject } from "../../src/model/subject.ts";
import type { DesiredUser } from "../../src/model/user.ts";
import { alwaysAsync } from "../support/always.ts";
import { noon } from "../support/event-builders.ts";
import { aState, planned } from "../support/plan-inputs.ts";
import { runPlan } from "../support/plan-runner.ts";
import { runs } from "../support/property-runs.ts";
import { anySituation, rosterOf, worldOf } from "../support/random-situations.ts";
import { aLeaver, aRoster, at, aUser } from "../support/roster-builders.ts";
import { simulatedService } from "../support/simulated-service.ts";
import { snapshotOf } from "../support/simulated-snapshot.ts";
import type { World, WorldKey, WorldUser } from "../support/simulated-world.ts";
import type { Hidden } from "../support/visibility.ts";

const hiddenThings: readonly (readonly Hidden[])[] = [[], [], ["keys"], ["roles"], ["teams"], ["user-identifiers"]];

const drawn = fc.record({
  situation: anySituation,
  hides: fc.constantFrom(...hiddenThings),
  sticky: fc.constantFrom<readonly string[]>([], [], ["TEAM_ROLE"]),
  /** Who leaves, or has another address, among the first eight people. */
  chosen: fc.uniqueArray(fc.nat(7), { minLength: 1, maxLength: 4 }),
});

// Slow machines may take their time; the number of runs is what is bounded.
/** Somebody who stays, so that no roster is empty. */
const root = aUser("root", { firstName: "Ada", lastName: "Lovelace" });

/** Teams are created although the service may not show whether they are there. */
const allows = ["unproven-absence:*"];

function withRoot(roster: Roster): Roster {
  return { ...roster, users: new Map([[root.address, root], ...roster.users]) };
}

/** A service in which the roster was applied once, and what is remembered of that. */
async function applied(draw: {
  situation: Parameters<typeof rosterOf>[0];
  sticky: readonly string[];
  hides: readonly Hidden[];
}) {
  const { situation, sticky, hides } = draw;
  const roster = withRoot(rosterOf(situation));
  const world = worldOf(situation);
  const service = simulatedService({ world, hides, sticky });
  const snapshot = snapshotOf(world, { roster, hides });
  const state = await runPlan(planned({ roster, snapshot, allows }), service, aState());
  const said = { at: noon, digest: "d", allowed: [] };
  const event = rosterApplied(roster, snapshot, state, said);
  return { roster, world, service, state: applyEvents(state, event === undefined ? [] : [event]) };
}

function leaving(roster: Roster, chosen: readonly number[]) {
  const names = new Set(chosen.map((index) => foldAddress(`p${index}@acme.example`)));
  const stays = ({ address }: { readonly address: DesiredUser["address"] }) => !names.has(address);
  const teams = roster.teams.map(({ admin, firstMember, ...team }) => ({
    ...team,
    members: team.members.filter(stays),
    ...(admin === undefined || names.has(admin.value) ? {} : { admin }),
    ...(firstMember === undefined || names.has(firstMember.value) ? {} : { firstMember }),
  }));
  const keys = roster.keys.filter(({ owner }) => owner === undefined || !names.has(owner.value));
  const users = [...roster.users.values()].filter(stays);
  return { names, rest: aRoster({ users, teams, keys }) };
}

function asLeavers({ names, rest }: ReturnType<typeof leaving>): Roster {
  const leavers = [...names].map((address) => aLeaver(address, { line: 500 }));
  return { ...rest, leavers: new Map(leavers.map((one) => [one.address, one])) };
}

function planOf(world: World, roster: Roster, state: State, hides: readonly Hidden[]) {
  const alsoAsked = state.applied?.people.keys() ?? [];
  return planned({ roster, state, allows, snapshot: snapshotOf(world, { roster, hides, alsoAsked }) });
}

function opens({ status }: WorldKey): boolean {
  return status === "active";
}

/** Keys of a user of which a run can know, by what is shown and what is remembered. */
function knownKeys(user: WorldUser, state: State, hides: readonly Hidden[]): readonly WorldKey[] {
  if (!hides.includes("keys")) return user.keys.filter(opens);
  const remembered = [...state.users.values(), ...state.memberships.values()].map((one) =>
    "key" in one ? one.key : "prefix" in one ? one.prefix : undefined,
  );
  return user.keys.filter((key) => opens(key) && remembered.includes(key.prefix));
}

/** Whoever a plan creates or adds to a team. */
function newcomers({ actions }: Plan) {
  const added = actions.flatMap((action) => (action.kind === "add-members" ? action.members : []));
  const created = actions.flatMap((action) => (action.kind === "create-user" ? [action.address] : []));
  return [...added.map(({ address }) => address), ...created];
}

describe("leavers", () => {
  test("are never created or added, and end without any role that can be taken, in two applies at the most", async () => {
    await alwaysAsync({ seed: 20261120, numRuns: runs(150) }, drawn, async ({ chosen, ...draw }) => {
      const { hides, sticky } = draw;
      const before = await applied(draw);
      const { world, service } = before;
      const roster = asLeavers(leaving(before.roster, chosen));
      const mails = service.outbox.length;
      let { state } = before;
      for (let turn = 1; turn <= 2; turn += 1) {
        const plan = planOf(world, roster, state, hides);
        expect(newcomers(plan).filter((address) => roster.leavers.has(address))).toEqual([]);
        state = await runPlan(plan, service, state);
      }
      expect(service.refusals).toEqual([]);
      expect(service.outbox.slice(mails).filter(({ email }) => roster.leavers.has(foldAddress(email)))).toEqual([]);
      const left = world.users.filter(
        (user) => roster.leavers.has(foldAddress(user.email)) && user.status !== "deleted",
      );
      const kept = left
        .flatMap((user) => knownKeys(user, state, hides))
        .flatMap((key) => key.roles.filter((role) => !sticky.includes(role)));
      expect(kept).toEqual([]);
      const last = planOf(world, roster, state, hides);
      const told = last.findings
        .filter(({ code }) => code.startsWith("leaver-"))
        .map(({ subject }) => formatSubject(subject));
      expect([...told].sort(byCodeUnit)).toEqual(
        left.map(({ email }) => `user ${foldAddress(email)}`).sort(byCodeUnit),
      );
      expect(last.actions).toEqual([]);
    });
  });
});

describe("people whom a roster drops", () => {
  test("are told one by one for as long as they are there, and nothing is done to anybody for it", async () => {
    await alwaysAsync({ seed: 4711, numRuns: runs(150) }, drawn, async ({ chosen, ...draw }) => {
      const { world, roster: whole, state } = await applied(draw);
      const { names, rest } = leaving(whole, chosen);
      const plan = planOf(world, rest, state, draw.hides);
      const there = world.users.filter(({ status, email }) => {
        const address = foldAddress(email);
        return status !== "deleted" && names.has(address) && whole.users.has(address);
      });
      const told = plan.findings.filter(({ code, subject }) => code === "user-removed" && subject.kind !== "other");
      expect(told.map(({ subject }) => formatSubject(subject)).sort(byCodeUnit)).toEqual(
        there.map(({ email }) => `user ${foldAddress(email)}`).sort(byCodeUnit),
      );
      const touched = plan.actions.flatMap((action) => (action.kind === "replace-roles" ? [action.key.address] : []));
      expect(touched.filter((address) => address !== undefined && names.has(address))).toEqual([]);
      const snapshot = snapshotOf(world, { roster: rest, alsoAsked: state.applied?.people.keys() ?? [] });
      const next = rosterApplied(rest, snapshot, state, { at: noon, digest: "d2", allowed: [] });
      const kept = next?.people.filter(({ address }) => names.has(address)).map(({ address }) => `user ${address}`);
      expect([...(kept ?? [])].sort(byCodeUnit)).toEqual(
        told.map(({ subject }) => formatSubject(subject)).sort(byCodeUnit),
      );
    });
  });
});

describe("people whose address was changed", () => {
  test("keep all that is remembered of them, and nobody is mailed or created for it", async () => {
    await alwaysAsync({ seed: 815, numRuns: runs(150) }, drawn, fc.boolean(), async ({ chosen, ...draw }, isSaid) => {
      const { hides } = draw;
      const { world, service, state, roster } = await applied(draw);
      const settled = planOf(world, roster, state, hides);
      const moving = chosen.map((index) => foldAddress(`p${index}@acme.example`));
      for (const user of world.users) if (moving.includes(foldAddress(user.email))) user.email = newEmail(user.email);
      const now = renamed(roster, moving, isSaid || hides.includes("user-identifiers"));
      const snapshot = snapshotOf(world, { roster: now, hides });
      const event = recordsMoved(now, snapshot, state, noon);
      const moved = applyEvents(state, event === undefined ? [] : [event]);
      expect(prefixesIn(moved)).toEqual(prefixesIn(state));
      const plan = planOf(world, now, moved, hides);
      const isThere = (address: string) => snapshot.users.some((user) => user.address === address);
      const joining = plan.actions.flatMap((action) => (action.kind === "add-members" ? action.members : []));
      const created = plan.actions.flatMap((action) => (action.kind === "create-user" ? [action.address] : []));
      const before = settled.actions.length;
      expect({
        before,
        joining: joining.filter(({ address }) => isThere(address)),
        created: created.filter(isThere),
      }).toEqual({
        before: 0,
        joining: [],
        created: [],
      });
      const mails = service.outbox.length;
      await runPlan(plan, service, moved);
      expect(service.refusals).toEqual([]);
      expect(service.outbox.length - mails).toBe(joining.length);
    });
  });
});

function newEmail(email: string): string {
  return email.replace("@", ".new@");
}

/** The same roster with new addresses; the former ones are named where that is said. */
function renamed(roster: Roster, moving: readonly string[], isSaid: boolean): Roster {
  const now = (address: DesiredUser["address"]) =>
    moving.includes(address) ? foldAddress(newEmail(address)) : address;
  const users = [...roster.users.values()].map((user) => {
    if (!moving.includes(user.address)) return user;
    const previously = isSaid ? [{ value: user.address, place: at(1) }] : [];
    return { ...user, address: now(user.address), email: newEmail(user.email), previously };
  });
  const teams = roster.teams.map(({ admin, firstMember, ...team }) => ({
    ...team,
    members: team.members.map((member) => ({ ...member, address: now(member.address) })),
    ...(admin === undefined ? {} : { admin: { ...admin, value: now(admin.value) } }),
    ...(firstMember === undefined ? {} : { firstMember: { ...firstMember, value: now(firstMember.value) } }),
  }));
  const keys = roster.keys.map(({ owner, ...key }) =>
    owner === undefined ? key : { ...key, owner: { ...owner, value: now(owner.value) } },
  );
  return { ...roster, users: new Map(users.map((user) => [user.address, user])), teams, keys };
}

function prefixesIn({ users, memberships }: State): readonly string[] {
  const prefixes = [
    ...[...users.values()].map(({ key }) => key),
    ...[...memberships.values()].map(({ prefix }) => prefix),
  ];
  return prefixes.filter((prefix) => prefix !== undefined).sort(byCodeUnit);
}
