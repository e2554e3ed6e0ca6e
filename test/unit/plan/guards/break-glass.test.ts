import { describe, expect, test } from "vitest";
import type { Acknowledgement } from "../../../../src/model/drift.ts";
import type { GivenAccess } from "../../../../src/model/event.ts";
import { createFinding } from "../../../../src/model/finding.ts";
import { roleSet } from "../../../../src/model/role-set.ts";
import type { RecordedBreakGlass, State } from "../../../../src/model/state.ts";
import { teamKeyOf } from "../../../../src/model/team.ts";
import type { FindingDraft } from "../../../../src/plan/finding-draft.ts";
import {
  accessGiven,
  closedBreakGlass,
  findBreakGlassAccess,
  takenBackByRun,
} from "../../../../src/plan/guards/break-glass.ts";
import {
  aCreation,
  addId,
  anAddition,
  createId,
  newPerson,
  newTeam,
  rolesOfAdded,
  rolesOfFounder,
} from "../../../support/action-builders.ts";
import { aState, sha256 } from "../../../support/plan-inputs.ts";
import { addressOf, aRoster, aTeam, aUser } from "../../../support/roster-builders.ts";
import { snapshotOf } from "../../../support/simulated-snapshot.ts";
import { aWorld, giveTeamKey, putTeam, putUser } from "../../../support/simulated-world.ts";
import type { Hidden } from "../../../support/visibility.ts";

const team = { key: teamKeyOf("acc-1", "Red"), name: "Red" };
const bo = addressOf("bo");
const at = "2026-11-20T09:00:00.000Z";
const until = "2026-11-20T13:00:00.000Z";

/** Bo, whose key in Red has these roles. */
function scene(roles: readonly string[], status = "active") {
  const world = aWorld();
  const user = putUser(world, { email: "bo@acme.example", status });
  putTeam(world, { name: "Red", identifier: "t-red" });
  const { prefix } = giveTeamKey(world, user, "t-red", roles);
  return { world, user, prefix };
}

interface Circumstances {
  readonly roles?: readonly string[];
  readonly status?: string;
  readonly readAt?: string;
  readonly hides?: readonly Hidden[];
  readonly state?: Partial<State>;
  /** The roles of Bo in the roster; no roles where Bo is not in it. */
  readonly wanted?: readonly string[] | "none";
}

function record(gives: readonly GivenAccess[], more: Partial<RecordedBreakGlass> = {}): RecordedBreakGlass {
  const actor = { name: "olga", source: "os" };
  return { at, run: "r1", plan: "p1", reason: "INC-42", until, actor, allowed: [], gives, ...more };
}

function known(gives: readonly GivenAccess[], circumstances: Circumstances) {
  const { roles = ["ACCOUNT_ADMIN", "DEVELOPER"], status, readAt = until, hides = [], state, wanted } = circumstances;
  const { world } = scene(roles, status);
  const members = wanted === "none" ? [] : [{ user: "bo", roles: wanted ?? ["DEVELOPER"] }];
  const roster = aRoster({
    users: wanted === "none" ? [] : [aUser("bo", { firstName: "Ada", lastName: "Lovelace" })],
    teams: [aTeam("Red", { members })],
  });
  const snapshot = snapshotOf(world, { roster, readAt, hides, alsoAsked: [bo] });
  return { roster, snapshot, state: aState({ breakGlass: new Map([["r1", record(gives)]]), ...state }) };
}

const ofRoles: GivenAccess = { what: "roles", address: bo, team, roles: roleSet(["ACCOUNT_ADMIN"]) };

/** Each finding as whether it blocks, and its message. */
function found(gives: readonly GivenAccess[], circumstances: Circumstances = {}) {
  return findBreakGlassAccess({ ...known(gives, circumstances), digest: sha256 }).map((draft) => {
    return [findingOf(draft).blocking, draft.message] as const;
  });
}

function findingOf({ allow: _, ...draft }: FindingDraft) {
  return createFinding({ ...draft, restsOn: [] }, sha256);
}

const gaveIt = `olga gave it at ${at}: "INC-42".`;
const accept =
  /To accept it for some days, run `roster drift`, then `roster drift acknowledge [0-9a-f]{16} --until DATE --reason TEXT`\.$/u;

describe("access of an emergency", () => {
  test("is a notice until it ends", () => {
    const readAt = "2026-11-20T12:59:59.999Z";
    expect(found([ofRoles], { readAt, wanted: ["ACCOUNT_ADMIN"] })).toEqual([
      [
        false,
        `Break-glass access of bo@acme.example ends at ${until}: ACCOUNT_ADMIN in Red. ${gaveIt} To take it back, remove it from the roster and run \`roster apply\`.`,
      ],
    ]);
  });

  test("blocks from then on, and says how it is taken back and accepted", () => {
    const [[blocking, message] = []] = found([ofRoles], { wanted: ["ACCOUNT_ADMIN"] });
    expect(blocking).toBe(true);
    expect(message).toContain(`ended at ${until}: ACCOUNT_ADMIN in Red. ${gaveIt} To take it back, remove it from`);
    expect(message).toMatch(accept);
  });

  test("that the roster does not give is taken back by an apply", () => {
    const [[, message] = []] = found([ofRoles]);
    expect(message).toContain(
      `${gaveIt} The roster does not give these roles. Run \`roster apply\`, or remove them in the service.`,
    );
  });

  test("that no call takes is taken back in the service", () => {
    const gives: readonly GivenAccess[] = [
      { what: "user", address: bo },
      { what: "member", address: bo, team },
    ];
    const [[blocking, message] = []] = found(gives, { wanted: "none" });
    expect([blocking, message]).toEqual([true, expect.stringContaining("the new user and the membership in Red.")]);
    expect(message).toContain("The API cannot remove users or members. Remove them in the service.");
  });

  test("that a reviewed file accepts is a notice again", () => {
    const input = { ...known([ofRoles], {}), digest: sha256 };
    const [draft] = findBreakGlassAccess(input);
    if (draft === undefined) throw new Error("nothing is found");
    const { fingerprint } = findingOf(draft);
    const by: Acknowledgement = {
      fingerprint,
      code: draft.code,
      subject: "",
      until: "2026-11-27",
      reason: "migration",
      by: "eda",
      at: "2026-11-20",
      place: { file: "f", line: 1, column: 1 },
    };
    const [accepted] = findBreakGlassAccess({ ...input, accepted: new Map([[fingerprint, by]]) });
    expect([accepted?.deniedAccess, accepted?.message]).toEqual([
      undefined,
      expect.stringMatching(/eda accepted it until 2026-11-27: "migration"\.$/u),
    ]);
  });

  test.each<[string, readonly GivenAccess[], Circumstances]>([
    ["the role is gone", [ofRoles], { roles: ["DEVELOPER"] }],
    ["the membership has no roles", [{ what: "member", address: bo, team }], { roles: [] }],
    ["the user is disabled", [ofRoles, { what: "user", address: bo }], { status: "inactive" }],
    ["the user is deleted", [ofRoles], { status: "deleted" }],
    ["the key is gone", [{ ...ofRoles, prefix: "elsewhere" }], {}],
    ["nobody holds the key", [{ what: "roles", prefix: "elsewhere", roles: ["ACCOUNT_ADMIN"] }], {}],
  ])("is taken back where %s", (_, gives, circumstances) => {
    expect(found(gives, circumstances)).toEqual([]);
  });

  test("counts as there where the service does not show it, unless a later call of ours has taken it", () => {
    const [[blocking, message] = []] = found([ofRoles], { hides: ["roles"] });
    expect([blocking, message]).toEqual([true, expect.stringContaining("roster cannot see all of it.")]);
    const { prefix } = scene([]);
    const put = (when: string) => ({
      keys: new Map([[prefix, { prefix, put: roleSet(["DEVELOPER"]), at: when }]]),
    });
    expect(found([ofRoles], { hides: ["roles"], state: put("2026-11-20T08:00:00.000Z") }).length).toBe(1);
    expect(found([ofRoles], { hides: ["roles"], state: put("2026-11-20T10:00:00.000Z") })).toEqual([]);
    expect(found([ofRoles], { hides: ["keys"] }).length).toBe(1);
  });
});

describe("what was given is closed", () => {
  const times = { at: "2026-11-20T12:00:00.000Z", consistency: 60_000 };
  const closed = (more: Partial<RecordedBreakGlass>, circumstances: Circumstances) =>
    closedBreakGlass(
      known([], { ...circumstances, state: { breakGlass: new Map([["r1", record([ofRoles], more)]]) } }),
      times,
    );
  const endedAt = "2026-11-20T09:01:00.000Z";

  test("by a read that shows it to be gone", () => {
    const gone = [{ type: "break-glass-closed", at: times.at, run: "r1", gone: [ofRoles] }];
    expect(closed({ endedAt }, { roles: ["DEVELOPER"], readAt: "2026-11-20T09:02:00.000Z" })).toEqual(gone);
  });

  test.each<[string, Partial<RecordedBreakGlass>, Circumstances]>([
    ["that shows it", { endedAt }, {}],
    ["that may be too early", { endedAt }, { roles: [], readAt: "2026-11-20T09:01:59.999Z" }],
    ["while its run may still work", {}, { roles: [] }],
  ])("not by a read %s", (_, more, circumstances) => {
    expect(closed(more, circumstances)).toEqual([]);
  });

  test("at once by the run that takes it back", () => {
    const before = known([ofRoles], {});
    const after = { ...before, snapshot: known([ofRoles], { roles: ["DEVELOPER"] }).snapshot };
    const event = { type: "break-glass-closed", at: times.at, run: "r1", gone: [ofRoles] };
    expect(takenBackByRun(before, after, times.at)).toEqual([event]);
    expect(takenBackByRun(before, before, times.at)).toEqual([]);
    expect(takenBackByRun(after, after, times.at)).toEqual([]);
  });
});

describe("a plan gives in an emergency", () => {
  const red = newTeam("Red", "ada");
  const inRed = { key: red.team, name: "Red" };
  const actions = [
    aCreation("ada", { founds: "Red" }),
    aCreation("bo", { after: [createId("ada")] }),
    anAddition(red, [newPerson("bo"), newPerson("cy")]),
    rolesOfFounder("ada", red, ["DEVELOPER"]),
    rolesOfAdded("bo", red, ["ACCOUNT_ADMIN", "DEVELOPER"]),
  ];

  test("all of it, where guards refuse it", () => {
    expect(accessGiven(actions, [])).toEqual([
      { what: "user", address: addressOf("ada") },
      { what: "member", address: addressOf("ada"), team: inRed },
      { what: "user", address: bo },
      { what: "member", address: bo, team: inRed },
      { what: "member", address: addressOf("cy"), team: inRed },
      { what: "roles", address: addressOf("ada"), team: inRed, roles: ["DEVELOPER"] },
      { what: "roles", address: bo, team: inRed, roles: ["ACCOUNT_ADMIN", "DEVELOPER"] },
    ]);
  });

  test("only what guards would hold of it", () => {
    const guarded = [
      ...actions.filter(({ id }) => id !== addId("Red")).slice(0, -1),
      anAddition(red, [newPerson("bo")]),
      rolesOfAdded("bo", red, ["DEVELOPER"]),
    ];
    expect(accessGiven(actions, guarded)).toEqual([
      { what: "member", address: addressOf("cy"), team: inRed },
      { what: "roles", address: bo, team: inRed, roles: ["ACCOUNT_ADMIN"] },
    ]);
    expect(accessGiven(actions, actions)).toEqual([]);
  });
});
