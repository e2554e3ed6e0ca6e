import { describe, expect, test } from "vitest";
import { observed, reasonAt } from "../../../src/model/fact.ts";
import type { Roster } from "../../../src/model/roster.ts";
import type { State } from "../../../src/model/state.ts";
import { decodeSubject } from "../../../src/model/subject.ts";
import type { ObservedUser } from "../../../src/model/user.ts";
import { stopsOf, withGuards } from "../../support/guards.ts";
import { aState, planned } from "../../support/plan-inputs.ts";
import { outcome } from "../../support/plan-words.ts";
import { addressOf, aKey, aLeaver, aRoster, aTeam, at, aUser } from "../../support/roster-builders.ts";
import { aShownKey, aShownUser, aSnapshot } from "../../support/snapshot-builders.ts";
import { recordedAt, remembering } from "../../support/state-builders.ts";

const red = { identifier: "t-red", name: "Red" };
const blue = { identifier: "t-blue", name: "Blue" };

type Key = NonNullable<ObservedUser["keys"]>[number];

/** People who are there, by name, each with the keys that the service shows of them; without keys where it shows none. */
type Shown = Readonly<Record<string, readonly Key[] | "hidden">>;

function snapshotWith(shown: Shown) {
  const users = Object.entries(shown).map(([name, keys]) =>
    aShownUser(name, { account: "acc-1", ...(keys === "hidden" ? {} : { keys }) }),
  );
  const isHidden = users.every(({ keys }) => keys === undefined);
  const snapshot = aSnapshot({
    users,
    absent: ["new"],
    roles: observed(
      ["ACCOUNT_ADMIN", "DEVELOPER", "TEAM_ROLE"].map((identifier) => ({ identifier })),
      "roles",
    ),
    accounts: new Map([["acc-1", { identifier: "acc-1", by: "account acc-1" }]]),
  });
  return {
    ...snapshot,
    capabilities: { ...snapshot.capabilities, ...(isHidden ? ({ keysOnUsers: "hidden" } as const) : {}) },
  };
}

const own = (prefix: string, roles: readonly string[] = ["TEAM_ROLE"]) =>
  aShownKey(prefix, "none", { kind: "user", roles });
const inRed = (prefix: string) => aShownKey(prefix, red, { kind: "team", roles: ["TEAM_ROLE"] });
const inBlue = (prefix: string) => aShownKey(prefix, blue, { kind: "team", roles: ["TEAM_ROLE"] });

/** Ada's own key is `p`, by the roster. */
const ownKey = aRoster({ users: [aUser("ada", { key: "p", ownKeyRoles: ["DEVELOPER"], line: 3 })] });
/** Ada's key in Red is `p`, by the roster. */
const teamKey = aRoster({
  users: [aUser("ada", { firstName: "Ada" })],
  teams: [
    aTeam("Red", { identifier: "t-red", open: true, members: [{ user: "ada", roles: ["DEVELOPER"], key: "p" }] }),
  ],
});
/** Ada has the key `p`, by the roster's list. */
const listedKey = aRoster({ users: [aUser("ada")], keys: [aKey("p", { owner: "ada", roles: ["DEVELOPER"] })] });
/** `p` is Ada's key, who is a leaver. */
const leaversKey = aRoster({ leavers: [aLeaver("ada", { key: "p" })] });

const recordedOwn = (name: string) => remembering({ users: { [name]: { key: "p", createdAt: recordedAt } } });

const recordedIn = (team: "Red" | "Blue", name: string) =>
  remembering({ users: { [name]: { createdAt: recordedAt } }, members: { [`${team}/${name}`]: { prefix: "p" } } });

/** What the service shows, what is planned and found, and what is recorded. */
type Case = readonly [sentence: string, shown: Shown, expected: readonly string[], state?: State];

const set = (prefix: string, known: string) => [`set ${prefix} (${known}) to DEVELOPER`];
const differs = ["! key-owner-differs: key p"];
const unknown = ["! unknown-key: key p"];
const remains = "! leaver-remains: user ada@acme.example";
const joins = ["add ada to Red", "set key of ada in Red to DEVELOPER after add-members:acc-1/red"];
const former = aRoster({ users: [aUser("ada", { key: "p", ownKeyRoles: ["DEVELOPER"], previously: ["old"] })] });
const twoAddresses = aRoster({
  leavers: ["ada", "old"].map((name) => aLeaver(name, { by: "until", key: "p", line: 7 })),
});

const declared: readonly (readonly [key: string, roster: Roster, cases: readonly Case[]])[] = [
  [
    "an own key that",
    ownKey,
    [
      ["is shown as somebody else's is left alone", { ada: [], bo: [own("p")] }, differs],
      [
        "is shown as somebody else's is left alone, and so is the one that is shown",
        { ada: [own("q")], bo: [own("p")] },
        differs,
      ],
      ["only records know as somebody else's is left alone", { ada: "hidden" }, differs, recordedOwn("bo")],
      ["records know as somebody's key in a team is left alone", { ada: "hidden" }, differs, recordedIn("Red", "bo")],
      [
        "is shown as the same person's, as records do not say, is made exact",
        { ada: [own("p"), own("q")] },
        set("p", "observed"),
        recordedOwn("bo"),
      ],
      ["is shown as the same person's key in a team is left alone", { ada: [inRed("p")] }, differs],
      [
        "records know as the same person's key in a team is left alone",
        { ada: "hidden" },
        differs,
        recordedIn("Red", "ada"),
      ],
      ["is shown as a project key is left alone", { ada: [aShownKey("p", "none", { kind: "project" })] }, differs],
      ["is shown is preferred to another one", { ada: [{ prefix: "p", roles: [] }, own("q")] }, set("p", "observed")],
      ["is not among those shown is unknown", { ada: [own("q"), own("r")] }, unknown],
      ["is not among those shown is unknown, where others show theirs", { ada: [inRed("q")], bo: [own("r")] }, unknown],
      [
        "no read can show beside team keys is as the roster says",
        { ada: [inRed("q")], bo: [inRed("r")] },
        set("p", "declared"),
      ],
      ["no read shows is as the roster says", { ada: "hidden" }, set("p", "declared")],
      ["is shown as deleted is unknown", { ada: [{ ...own("p"), status: "deleted" }] }, unknown],
    ],
  ],
  [
    "somebody who is to be created",
    aRoster({ users: [aUser("new", { key: "p" })] }),
    [["has no key yet", { ada: "hidden" }, ["create new", ...unknown]]],
  ],
  [
    "a person's former address",
    former,
    [["is the same person", { ada: "hidden" }, set("p", "declared"), recordedOwn("old")]],
  ],
  [
    "a team key that",
    teamKey,
    [
      [
        "is shown as somebody else's is left alone",
        { ada: "hidden", bo: [inRed("p")] },
        ["! unproven-absence: member ada@acme.example of team acc-1/red", ...differs],
      ],
      [
        "is shown in another team is left alone",
        { ada: [inRed("q"), inBlue("p")] },
        [...set("q", "observed"), ...differs],
      ],
      ["is shown in no team is left alone", { ada: [inRed("q"), own("p")] }, [...set("q", "observed"), ...differs]],
      [
        "records know in another team is left alone",
        { ada: "hidden" },
        [...joins, ...differs],
        recordedIn("Blue", "ada"),
      ],
      ["records know as the person's own is left alone", { ada: "hidden" }, [...joins, ...differs], recordedOwn("ada")],
      ["is not among those shown is unknown", { ada: [inRed("q")] }, [...set("q", "observed"), ...unknown]],
      [
        "no read can show beside own keys is as the roster says",
        { ada: [own("q")], bo: [own("r")] },
        set("p", "declared"),
      ],
    ],
  ],
  [
    "a listed key",
    listedKey,
    [
      ["that records know as somebody else's is left alone", { ada: "hidden" }, differs, recordedIn("Red", "bo")],
      ["of the owner may be of every kind", { ada: [inRed("p")] }, set("p", "observed")],
    ],
  ],
  [
    "a leaver's key that",
    leaversKey,
    [
      ["is shown as somebody else's is left alone", { ada: [], bo: [own("p")] }, [remains, ...differs]],
      [
        "only records know as somebody else's is left alone",
        { ada: "hidden" },
        [remains, ...differs],
        recordedOwn("bo"),
      ],
      ["may be gone is no mistake", { ada: [own("q", [])] }, [remains]],
    ],
  ],
  [
    "a leaver's key of two addresses",
    twoAddresses,
    [["is one person's", { ada: [own("p", [])], old: [] }, [remains, "! leaver-remains: user old@acme.example"]]],
  ],
];

for (const [key, roster, cases] of declared)
  describe(key, () => {
    for (const [sentence, shown, expected, state = aState()] of cases)
      test(sentence, () => {
        const plan = planned({ roster, snapshot: snapshotWith(shown), state });
        expect(outcome(plan)).toEqual(expected);
      });
  });

test("one prefix that two places name is one finding, with both places and whose key it is", () => {
  const roster = aRoster({
    users: [aUser("ada", { key: "p", ownKeyRoles: ["DEVELOPER"], line: 3 })],
    keys: [aKey("p", { roles: ["DEVELOPER"], owner: "ada", line: 9 })],
  });
  const plan = planned({ roster, snapshot: snapshotWith({ ada: [], bo: [own("p")] }) });
  expect(plan.findings.filter(({ code }) => code === "key-owner-differs")).toMatchObject([
    {
      kind: "task",
      subject: decodeSubject("key p"),
      message:
        "The service shows the key p as a key of no team of bo@acme.example. The roster names it as the own " +
        "key of ada@acme.example. The API cannot move keys. roster does not change its roles. Correct the " +
        "owner or the prefix in the roster.",
      because: [
        reasonAt(at(3), "known-prefix"),
        reasonAt(at(3), "user"),
        reasonAt(at(9), "key"),
        reasonAt(at(9), "key-owner", { name: "ada@acme.example" }),
      ],
      restsOn: [
        { about: decodeSubject("key p"), fact: { known: "observed", value: "key of bo@acme.example", by: "search 1" } },
      ],
    },
  ]);
});

test("a record says whose key and of which team it is, and when that was learned", () => {
  const [found] = planned({
    roster: ownKey,
    snapshot: snapshotWith({ ada: "hidden" }),
    state: recordedIn("Red", "bo"),
  }).findings;
  expect([found?.message, found?.restsOn]).toEqual([
    `The state has the key p as the key in team acc-1/red of bo@acme.example (${recordedAt}). The roster names it ` +
      "as the own key of ada@acme.example. The API cannot move keys. roster does not change its roles. " +
      "Correct the owner or the prefix in the roster.",
    [{ about: decodeSubject("key p"), fact: { known: "recorded", value: "key of bo@acme.example", at: recordedAt } }],
  ]);
});

describe("a privileged role on a declared key", () => {
  const guarded = withGuards({ privilegedRoles: { roles: ["ACCOUNT_ADMIN"], people: [addressOf("ada")] } });
  const roster = aRoster({ users: [aUser("ada", { key: "p", ownKeyRoles: ["ACCOUNT_ADMIN"] })] });
  const adaAdministers: Shown = { ada: [{ ...inRed("q"), roles: ["ACCOUNT_ADMIN"] }] };

  test.each<[string, Shown, State, readonly string[], readonly string[]]>([
    [
      "is held where only the roster names its holder, whatever that person holds or may hold",
      adaAdministers,
      aState(),
      [],
      ["! privileged-roles: key p"],
    ],
    [
      "is given where a record names its holder",
      { ada: "hidden" },
      recordedOwn("ada"),
      ["set p (recorded) to ACCOUNT_ADMIN"],
      [],
    ],
    [
      "is given where a read shows its holder",
      { ada: [own("p")] },
      aState(),
      ["set p (observed) to ACCOUNT_ADMIN"],
      [],
    ],
  ])("%s", (_, shown, state, done, held) => {
    const plan = planned({ roster, snapshot: snapshotWith(shown), state, policy: guarded });
    expect(outcome(plan)).toEqual([...done, ...held]);
  });

  test("is told as what it is", () => {
    const plan = planned({ roster, snapshot: snapshotWith(adaAdministers), policy: guarded });
    expect(plan.findings.find(({ code }) => code === "privileged-roles")?.message).toMatch(
      /^The holder of the key p \(only the roster says that this is ada@acme\.example\) would gain ACCOUNT_ADMIN on the key p\./u,
    );
  });

  test("makes nobody an administrator who is left", () => {
    const policy = withGuards({ minAdmins: { role: "ACCOUNT_ADMIN", count: 1 } });
    const people = aRoster({
      users: [
        aUser("ada", { key: "p", ownKeyRoles: ["ACCOUNT_ADMIN"] }),
        aUser("bo", { firstName: "Bo", key: "q", ownKeyRoles: ["DEVELOPER"] }),
      ],
    });
    const shown: Shown = { ada: "hidden", bo: [own("q", ["ACCOUNT_ADMIN"])] };
    expect(stopsOf({ roster: people, snapshot: snapshotWith(shown), policy })).toEqual([
      "min-admins: The plan removes ACCOUNT_ADMIN from bo@acme.example. After that, no user " +
        "of those that were read would have it. At least 1 must have it.",
    ]);
  });
});
