import { describe, expect, test } from "vitest";
import { applyEvents } from "../../../src/log/fold.ts";
import {
  type DriftObservation,
  findingsSeen,
  rebuildState,
  rosterApplied,
  serviceLearned,
  usersObserved,
} from "../../../src/log/observed-events.ts";
import type { Capabilities } from "../../../src/model/capabilities.ts";
import { decodeSubject } from "../../../src/model/fact.ts";
import type { DriftItem } from "../../../src/model/plan.ts";
import { emptyState, type State } from "../../../src/model/state.ts";
import { teamKeyOf } from "../../../src/model/team.ts";
import { noon } from "../../support/event-builders.ts";
import { aState } from "../../support/plan-inputs.ts";
import { addressOf, aLeaver, aRoster, aTeam, aUser, emailOf, type TeamWish } from "../../support/roster-builders.ts";
import { aShownKey, aShownUser, aSnapshot, everythingShown } from "../../support/snapshot-builders.ts";

const service = "https://s.example";
const empty = emptyState("l");

describe("what a look records", () => {
  function item(fingerprint: string, parts: Partial<DriftItem> = {}): DriftItem {
    const subject = decodeSubject(`user ${fingerprint}`);
    const about = { class: "unapplied", code: "create-user", subject, counts: "change" } as const;
    return { fingerprint, ...about, of: { is: "action", action: fingerprint }, ...parts };
  }

  function look(items: readonly DriftItem[], state: State, parts: Partial<DriftObservation> = {}) {
    const drift = { items, coverage: { users: { shown: 0, named: 0 } }, unusedAccepts: [] };
    return findingsSeen(drift, state, { at: noon, service, proves: () => true, ...parts });
  }

  const items = (...names: readonly string[]) => names.map((name) => item(name));
  const known = (...names: readonly string[]) => {
    const event = look(items(...names), empty);
    return applyEvents(empty, event === undefined ? [] : [event]);
  };
  const inWork = { class: "pending", counts: "nothing" } as const;
  const notice = item("notice", { class: "unmanaged", counts: "nothing" });
  const unproven = { proves: () => false };

  test.each<[string, readonly DriftItem[], State, Partial<DriftObservation>, string]>([
    ["is nothing where it saw just what was known", items("a", "b"), known("a", "b"), {}, "nothing"],
    ["is what is new and what is gone", items("b", "c"), known("a", "b"), {}, "seen c, gone a"],
    ["calls nothing gone that it may not have looked at", items("c"), known("a", "b"), unproven, "seen c, gone "],
    [
      "leaves out what the run itself has put right",
      items("a", "b", "c"),
      known("a"),
      { ...unproven, closed: new Set(["a", "b"]) },
      "seen c, gone a",
    ],
    [
      "leaves out what another run has in hand, and does not call it gone either",
      [item("a", inWork), item("b", inWork)],
      known("a"),
      {},
      "nothing",
    ],
    [
      "puts first what counts, tampering before all, so that it is what is remembered of too many",
      [notice, item("change"), item("tampered", { class: "tampered" })],
      empty,
      {},
      "seen tampered change notice, gone ",
    ],
  ])("%s", (_, shown, state, parts, expected) => {
    const event = look(shown, state, parts);
    const seen = event?.seen.map(({ fingerprint }) => fingerprint).join(" ");
    expect(event === undefined ? "nothing" : `seen ${seen}, gone ${event.gone.join(" ")}`).toBe(expected);
  });
});

test("who and what is seen first is told in the order of the roster, whatever the order of the reads", () => {
  const names = ["zoe", "ada", "yan", "bo"] as const;
  const teams = ["Red", "Blue"].map((name) => aTeam(name, { members: ["zoe"] }));
  const roster = aRoster({ users: [aUser("zoe"), aUser("ada")], leavers: [aLeaver("yan"), aLeaver("bo")], teams });
  const keys = ["Blue", "Red"].map((name) => aShownKey(`k-${name}`, { identifier: `t-${name}`, name }));
  const users = names.toSorted().map((name) => aShownUser(name, { account: "acc-1", ...(name === "zoe" && { keys }) }));
  expect(usersObserved(roster, aSnapshot({ users, service }), empty, { at: noon, allowed: [] })).toEqual({
    type: "users-observed",
    at: noon,
    service,
    people: names.map((name) => ({
      address: addressOf(name),
      email: emailOf(name),
      account: "acc-1",
      identifier: `u-${name}`,
    })),
    teams: ["Red", "Blue"].map((name) => ({
      team: teamKeyOf("acc-1", name),
      name,
      account: "acc-1",
      identifier: `t-${name}`,
    })),
  });
});

describe("the people of an applied roster", () => {
  const said = { at: noon, digest: "d-2", allowed: [] };
  const roster = aRoster({ users: [aUser("ada"), aUser("bo", { previously: ["bo.old"] })], leavers: [aLeaver("cy")] });
  const people = (...names: readonly string[]) =>
    names.map((name) => ({ address: addressOf(name), email: emailOf(name) }));
  const applied = (names: readonly string[], digest = "d-1") => {
    const before = new Map(people(...names).map((one) => [one.address, one]));
    return aState({ applied: { at: "before", digest, people: before } });
  };

  test("are its users, and neither its leavers nor former addresses", () => {
    const event = rosterApplied(roster, aSnapshot(), applied(["ada", "bo.old", "cy"]), said);
    expect(event).toEqual({ type: "roster-applied", at: noon, digest: "d-2", people: people("ada", "bo") });
  });

  const released = { code: "user-removed:dee@acme.example#7f3a90c1d4e5", covers: ["user dee@acme.example"] };

  test.each([
    ["is still shown", { users: [aShownUser("dee")] }, [], ["ada", "bo", "dee"]],
    ["is not proven to be gone", {}, [], ["ada", "bo", "dee"]],
    ["is gone", { absent: ["dee"] }, [], ["ada", "bo"]],
    ["is deleted", { users: [aShownUser("dee", { status: "Deleted" })] }, [], ["ada", "bo"]],
    ["is released by a person", { users: [aShownUser("dee")] }, [released], ["ada", "bo"]],
  ] as const)("and, or not, somebody dropped who %s", (_, shown, allowed, names) => {
    const event = rosterApplied(roster, aSnapshot(shown), applied(["ada", "dee"]), { ...said, allowed });
    expect(event?.people).toEqual(people(...names));
  });

  test.each([
    ["nothing, where the same roster was applied with the same people", ["ada", "bo"], "d-2", undefined],
    ["them, where the roster says something else", ["ada", "bo"], "d-1", people("ada", "bo")],
    ["them, where somebody has come", ["ada"], "d-2", people("ada", "bo")],
  ])("tell %s", (_, before, digest, expected) => {
    expect(rosterApplied(roster, aSnapshot(), applied(before, digest), said)?.people).toEqual(expected);
  });
});

describe("what a service shows", () => {
  const known: Capabilities = { ...everythingShown, totals: "hidden", paging: { firstPage: "1", largestPage: 20 } };
  const untold: Capabilities = {
    keysOnUsers: "unknown",
    rolesOnKeys: "unknown",
    teamsOnKeys: "unknown",
    titles: "unknown",
    totals: "unknown",
    paging: { firstPage: "unknown" },
  };
  const knowing: State = { ...empty, capabilities: { learned: known, at: "2026-11-01T12:00:00.000Z" } };

  test.each<[string, Capabilities, State, Capabilities | undefined]>([
    ["is remembered when it is first learned", known, empty, known],
    ["is nothing new where it is the same again", known, knowing, undefined],
    ["is nothing new where no answer could tell", untold, knowing, undefined],
    [
      "is new where pages are larger by now",
      { ...known, paging: { firstPage: "1", largestPage: 50 } },
      knowing,
      { ...known, paging: { firstPage: "1", largestPage: 50 } },
    ],
  ])("%s", (_, capabilities, state, learned) => {
    const event = learned && { type: "service-learned", at: noon, service, capabilities: learned };
    expect(serviceLearned({ service, capabilities }, state, noon)).toEqual(event);
  });
});

describe("where the state was lost, a team and its members are known again", () => {
  const science = teamKeyOf("acc-1", "Science");

  /** The keys of ada and bo show teams of these names; others of the roster have members too. */
  function rebuilt(wish: TeamWish, ada: string, bo: string, others: readonly string[]) {
    const team = aTeam("Science", { members: ["ada", "bo"], ...wish });
    const teams = [team, ...others.map((name) => aTeam(name, { members: ["ada"] }))];
    const users = Object.entries({ ada, bo }).map(([name, shownAs], index) =>
      aShownUser(name, { keys: [aShownKey(`k${index}`, { identifier: `t-${shownAs}`, name: shownAs })] }),
    );
    const roster = aRoster({ users: [aUser("ada"), aUser("bo")], teams });
    const known = applyEvents(empty, rebuildState(roster, aSnapshot({ users }), noon));
    const members = [...known.memberships.values()].filter((one) => one.team === science);
    return [known.teams.get(science)?.identifier, ...members.map(({ prefix }) => prefix)];
  }

  const formerly = (...previously: readonly string[]): TeamWish => ({ previously });

  test.each<[string, TeamWish, string, string, readonly string[], readonly (string | undefined)[]]>([
    ["by the name", {}, "Science", "Science", [], ["t-Science", "k0", "k1"]],
    [
      "by a former name, where the service has no other yet",
      formerly("Lab", "Research"),
      "Research",
      "Research",
      [],
      ["t-Research", "k0", "k1"],
    ],
    [
      "by the name first, where the service shows a former one too",
      formerly("Research"),
      "Research",
      "Science",
      [],
      ["t-Science", "k1"],
    ],
    [
      "but not by a former name that another team has now",
      formerly("Research"),
      "Research",
      "Research",
      ["Research"],
      [undefined],
    ],
  ])("%s", (_, wish, ada, bo, others, expected) => {
    expect(rebuilt(wish, ada, bo, others)).toEqual(expected);
  });
});
