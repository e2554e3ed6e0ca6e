import { describe, expect, test } from "vitest";
import type { ObservedKey } from "../../../src/model/key.ts";
import { emptyState } from "../../../src/model/state.ts";
import { teamKeyOf } from "../../../src/model/team.ts";
import type { AddMembersResponse, CreateUserResponse } from "../../../src/ports/account-service.ts";
import {
  contradictsAddition,
  contradictsCreation,
  contradictsReplacement,
  newTeamKey,
  showsEarlierUser,
} from "../../../src/run/answers.ts";
import { RunKnowledge } from "../../../src/run/knowledge.ts";
import { aCreation, aPlan, person, teamRef } from "../../support/action-builders.ts";
import { addressOf, emailOf } from "../../support/roster-builders.ts";

const recordedAt = Date.parse("2026-11-20T09:00:00.000Z");

/** Root is there with the key in use, bo with an own key and one in Ops; carl is recorded only, as is the team Lab. */
function everybodyKnown(former: readonly string[] = []) {
  const ops = { identifier: "t-ops", name: "Ops" };
  const root = { email: emailOf("root"), address: addressOf("root"), identifier: "u-1", by: "list" };
  const bo = { email: emailOf("bo"), address: addressOf("bo"), identifier: "u-2", by: "list" };
  const carl = {
    address: addressOf("carl"),
    email: emailOf("carl"),
    account: "acc-1",
    identifier: "u-3",
    key: "k-carl",
    createdAt: new Date(recordedAt).toISOString(),
  };
  const lab = {
    team: teamKeyOf("acc-1", "Lab"),
    name: "Lab",
    account: "acc-1",
    identifier: "t-lab",
    at: carl.createdAt,
  };
  const state = { ...emptyState("l"), users: new Map([[carl.address, carl]]), teams: new Map([[lab.team, lab]]) };
  const knowledge = new RunKnowledge({
    plan: aPlan([]),
    run: "r1",
    shown: [
      { ...root, keys: [{ prefix: "k-use" }] },
      {
        ...bo,
        keys: [
          { prefix: "k-bo", team: "none" },
          { prefix: "k-bo-ops", team: ops },
        ],
      },
    ],
    session: { state, now: () => state },
    former: new Set(former.map(addressOf)),
  });
  return { knowledge, forbiddenKeys: new Set(["k-use"]) };
}

const profile = {};

describe("an answer to a creation is misunderstood where it shows", () => {
  const ada = aCreation("ada");
  const firstMember = aCreation("ada", { createsTeam: "Science" });
  const cases: readonly [string, CreateUserResponse, string | undefined][] = [
    ["another address", { profile, email: emailOf("root") }, "it shows the user root@acme.example"],
    [
      "the identifier of somebody who was read",
      { profile, identifier: "u-2" },
      "it shows the identifier of bo@acme.example",
    ],
    [
      "the identifier of somebody who is recorded",
      { profile, identifier: "u-3" },
      "it shows the identifier of carl@acme.example",
    ],
    ["a key that was read", { profile, shownKeys: [{ prefix: "k-bo" }] }, "it shows the key k-bo of bo@acme.example"],
    [
      "a key that is recorded",
      { profile, shownKeys: [{ prefix: "k-carl" }] },
      "it shows the key k-carl of carl@acme.example",
    ],
    [
      "one such key of several",
      { profile, shownKeys: [{ prefix: "k-new" }, { prefix: "k-bo" }] },
      "it shows the key k-bo of bo@acme.example",
    ],
    ["the key in use", { profile, shownKeys: [{ prefix: "k-use" }] }, "it shows the key k-use, which a guard protects"],
  ];
  test.each(cases)("%s", (_, answer, why) => {
    expect(contradictsCreation(ada, answer, everybodyKnown())).toBe(why);
  });

  test.each<[string, CreateUserResponse, string | undefined]>([
    ["another team", { profile, team: { name: "Ops" } }, "it shows the team Ops"],
    [
      "a team that was there",
      { profile, team: { identifier: "t-ops" } },
      "it shows the team t-ops, which existed before",
    ],
  ])("%s", (_, answer, why) => {
    expect(contradictsCreation(firstMember, answer, everybodyKnown())).toBe(why);
  });

  test("and is not where the address is written otherwise, is a former one, or nothing is known of what it shows", () => {
    const renamed = { ...firstMember, formerly: [addressOf("eda")] };
    const shown = {
      profile,
      identifier: "u-9",
      shownKeys: [{ prefix: "k-9" }],
      team: { identifier: "t-9", name: "SCIENCE " },
    };
    for (const email of ["ADA@acme.example", "ada@ACME.example", "eda@acme.example"]) {
      expect(contradictsCreation(renamed, { ...shown, email }, everybodyKnown())).toBeUndefined();
    }
    expect(contradictsCreation(ada, { profile }, everybodyKnown())).toBeUndefined();
  });
});

describe("an answer of success shows that the user was there before", () => {
  const bo = aCreation("bo");
  test.each<[string, CreateUserResponse, string | undefined]>([
    [
      "by a date of creation more than five minutes ago",
      { profile, age: 300_001 },
      "the answer shows an earlier creation date",
    ],
    ["not by a date of the last five minutes", { profile, age: 300_000 }, undefined],
    ["by an identifier that was read", { profile, identifier: "u-2" }, "the user u-2 existed before"],
    ["by a key that was read", { profile, shownKeys: [{ prefix: "k-bo" }] }, "the key k-bo existed before"],
    ["not by what nobody has seen", { profile, identifier: "u-9", shownKeys: [{ prefix: "k-9" }] }, undefined],
  ])("%s", (_, answer, why) => {
    expect(showsEarlierUser(bo, answer, everybodyKnown())).toBe(why);
  });
});

describe("a service that started anew gives the identifiers and keys of before once more", () => {
  const carls = { profile, identifier: "u-3", shownKeys: [{ prefix: "k-carl" }] };
  const inLab = { profile, team: { identifier: "t-lab", name: "Science" } };
  const [ada, carl, firstMember] = [aCreation("ada"), aCreation("carl"), aCreation("ada", { createsTeam: "Science" })];
  /** Answered an hour after what is recorded. */
  const later = { ...everybodyKnown(), answeredAt: recordedAt + 3_600_000 };

  test.each<[string, number | undefined, boolean]>([
    ["a moment ago", 0, true],
    ["a little later than the record", 3_597_999, true],
    ["at the time of the record, as far as clocks can tell", 3_598_000, false],
    ["before the record", 3_600_001, false],
    ["at a time that is not shown", undefined, false],
  ])("somebody who was created %s", (_, age, isNew) => {
    const aged = age === undefined ? {} : { age };
    const answers = [
      contradictsCreation(ada, { ...carls, ...aged }, later),
      contradictsCreation(firstMember, { ...inLab, ...aged }, later),
    ];
    const told = ["it shows the identifier of carl@acme.example", "it shows the team t-lab, which existed before"];
    expect(answers).toEqual(isNew ? [undefined, undefined] : told);
  });

  test("to the same person, who is the recorded one only if they were created by then", () => {
    const twoMinutesLater = { ...everybodyKnown(), answeredAt: recordedAt + 120_000 };
    const judge = (age?: number) =>
      showsEarlierUser(carl, age === undefined ? carls : { ...carls, age }, twoMinutesLater);
    expect([judge(0), judge(120_000), judge()]).toEqual([
      undefined,
      "the user u-3 existed before",
      "the user u-3 existed before",
    ]);
  });

  test("and what is recorded of somebody who is known to be gone says nothing, whatever the answer shows", () => {
    const gone = everybodyKnown(["carl"]);
    expect([contradictsCreation(ada, carls, gone), showsEarlierUser(carl, carls, gone)]).toEqual([
      undefined,
      undefined,
    ]);
  });

  test("while what a read of this run has shown counts, whenever it was created", () => {
    const bos = { profile, identifier: "u-2", shownKeys: [{ prefix: "k-bo" }], age: 0 };
    expect(contradictsCreation(ada, bos, later)).toBe("it shows the identifier of bo@acme.example");
    expect(showsEarlierUser(aCreation("bo"), bos, later)).toBe("the user u-2 existed before");
  });
});

describe("an answer to an addition is misunderstood where", () => {
  const team = teamRef("Ops", "t-ops");
  const named = [
    { person: person("bo", "u-2"), names: ["u-2", emailOf("bo")] },
    { person: person("di", "u-4"), names: ["u-4", emailOf("di")] },
  ] as const;
  const judge = (answer: AddMembersResponse) =>
    contradictsAddition(named, answer, { team: { ...team, identifier: "t-ops" }, ...everybodyKnown() });

  test.each<[string, AddMembersResponse, string | undefined]>([
    ["it shows another team", { team: { identifier: "t-9" }, members: [] }, "it shows the team t-9"],
    ["it shows a team of another name", { team: { name: "Red" }, members: [] }, "it shows the team Red"],
    ["it names nobody who was sent", { members: [{ email: emailOf("root") }] }, "it names other users than the call"],
    [
      "it names somebody else by identifier",
      { members: [{ identifier: "u-1" }] },
      "it names other users than the call",
    ],
    [
      "it refuses somebody else, and one who was sent",
      {
        members: ["u-1", "u-4"].map((identifier) => ({
          identifier,
          failure: { code: "not-found", message: "not found" },
        })),
      },
      "it names other users than the call",
    ],
    [
      "it shows a sent person with another's key",
      { members: [{ identifier: "u-4", keys: { are: "named", shown: [{ prefix: "k-bo" }] } }] },
      "it shows the key k-bo of bo@acme.example",
    ],
    [
      "it shows one key for two users",
      {
        members: ["u-2", "u-4"].map((identifier) => ({
          identifier,
          keys: { are: "named", shown: [{ prefix: "k-new" }] },
        })),
      },
      "it shows the key k-new for two users",
    ],
    [
      "it shows other people's keys alone",
      { members: [], keys: [{ prefix: "k-carl" }] },
      "it shows the key k-carl of carl@acme.example",
    ],
  ])("%s", (_, answer, why) => {
    expect(judge(answer)).toBe(why);
  });

  test("and is not where it shows the whole team, or only some of those who were sent", () => {
    expect(judge({ members: [{ identifier: "u-1" }, { identifier: "u-4" }] })).toBeUndefined();
    expect(judge({ team: { identifier: "t-ops", name: "Old name" }, members: [] })).toBeUndefined();
    expect(judge({ members: [{ email: "BO@acme.example" }] })).toBeUndefined();
    expect(judge({ members: [], keys: [{ prefix: "k-carl" }, { prefix: "k-new" }] })).toBeUndefined();
  });
});

test("an answer to a replacement is misunderstood where it shows another key", () => {
  expect(contradictsReplacement("k-1", { prefix: "k-2" })).toBe("it shows the key k-2");
  expect(contradictsReplacement("k-1", { prefix: "k-1" })).toBeUndefined();
  expect(contradictsReplacement("k-1", {})).toBeUndefined();
});

describe("of the keys in an answer to an addition, the new one is", () => {
  const team = { ...teamRef("Red", "t-red"), identifier: "t-red" };
  const red = { identifier: "t-red", name: "Red" };
  const choose = (keys: readonly ObservedKey[], are: "named" | "listed", teamsOnKeys: "shown" | "hidden" = "shown") => {
    const kinds = teamsOnKeys === "shown" ? "tell-own-keys" : "unclear";
    const choice = { team, teamsOnKeys, kinds, ...everybodyKnown() } as const;
    return newTeamKey(addressOf("bo"), { keys: { are, shown: keys } }, choice)?.prefix;
  };

  test.each<[string, readonly ObservedKey[], "named" | "listed", string | undefined]>([
    ["the one of the team", [{ prefix: "k-bo" }, { prefix: "k-9", team: red }], "listed", "k-9"],
    ["the only one that was not there before", [{ prefix: "k-bo" }, { prefix: "k-9" }], "listed", "k-9"],
    ["none where the only one was there before", [{ prefix: "k-bo" }], "listed", undefined],
    ["none where the only one was there before, even if it is named", [{ prefix: "k-bo" }], "named", undefined],
    [
      "none where the only one is of another team",
      [{ prefix: "k-9", team: { identifier: "t-ops" } }],
      "named",
      undefined,
    ],
    [
      "none where the only one has no team, since keys show their teams",
      [{ prefix: "k-9", team: "none" }],
      "named",
      undefined,
    ],
    ["none where the only one is the key in use", [{ prefix: "k-use", team: red }], "listed", undefined],
    ["none where two may be it", [{ prefix: "k-8" }, { prefix: "k-9" }], "listed", undefined],
    ["none where it is a project's", [{ prefix: "k-9", kind: "project" }], "named", undefined],
  ])("%s", (_, keys, are, prefix) => {
    expect(choose(keys, are)).toBe(prefix);
  });

  test("the only one without a team, where this service shows no teams on keys", () => {
    expect(choose([{ prefix: "k-9", team: "none" }], "named", "hidden")).toBe("k-9");
  });

  test("the only one of a user, where this service does not say which keys are teams'", () => {
    expect(choose([{ prefix: "k-9", kind: "user" }], "named", "hidden")).toBe("k-9");
    expect(choose([{ prefix: "k-9", kind: "user" }], "named", "shown")).toBeUndefined();
    expect(choose([{ prefix: "k-9", kind: "project" }], "named", "hidden")).toBeUndefined();
  });

  test("none of a list, where the keys that the person had before were never read", () => {
    const known = everybodyKnown();
    const choice = { team, teamsOnKeys: "shown", kinds: "tell-own-keys", ...known } as const;
    expect(
      newTeamKey(addressOf("eve"), { keys: { are: "listed", shown: [{ prefix: "k-9" }] } }, choice),
    ).toBeUndefined();
    expect(newTeamKey(addressOf("eve"), { keys: { are: "named", shown: [{ prefix: "k-9" }] } }, choice)?.prefix).toBe(
      "k-9",
    );
  });
});
