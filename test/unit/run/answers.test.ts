import { describe, expect, test } from "vitest";
import type { ObservedKey } from "../../../src/model/key.ts";
import { contradictsAddition, newTeamKey } from "../../../src/run/addition-answer.ts";
import { contradictsCreation, showsEarlierUser } from "../../../src/run/create-user.ts";
import { contradictsReplacement } from "../../../src/run/replace-roles.ts";
import { openSession } from "../../../src/run/session.ts";
import type { AddMemberResult, AddMembersResponse, CreateUserResponse } from "../../../src/service/port.ts";
import { aCreation, anAddition, aPlan, person, teamRef } from "../../support/action-builders.ts";
import { emptyService } from "../../support/apply-run.ts";
import { clockAt } from "../../support/fixed-ports.ts";
import { memorySession } from "../../support/memory-session.ts";
import { aPeopleReader } from "../../support/people-reader.ts";
import { addressOf, emailOf } from "../../support/roster-builders.ts";
import { recordedAt, remembering } from "../../support/state-builders.ts";

const keys = (...prefixes: readonly string[]) => prefixes.map((prefix) => ({ prefix }));

/** Root is there with the key in use, bo with an own key and one in Ops; carl is recorded only, as is the team Lab. */
function everybodyKnown(former: readonly string[] = [], at = recordedAt) {
  const shown = (name: string, identifier: string, held: readonly ObservedKey[]) => {
    return { email: emailOf(name), address: addressOf(name), identifier, by: "list", keys: held };
  };
  const state = remembering({
    users: { carl: { identifier: "u-3", key: "k-carl", createdAt: recordedAt } },
    teams: { Lab: { identifier: "t-lab" } },
  });
  const ofOps = { prefix: "k-bo-ops", team: { identifier: "t-ops", name: "Ops" } };
  const input = {
    plan: { ...aPlan([]), forbids: { keys: ["k-use"], people: [] } },
    run: "r1",
    privilegedRoles: [],
    shown: [shown("root", "u-1", keys("k-use")), shown("bo", "u-2", [{ prefix: "k-bo", team: "none" }, ofOps])],
    former: former.map(addressOf),
  };
  const service = emptyService();
  const [people, session, clock] = [aPeopleReader(service), memorySession(state), clockAt(at)];
  return openSession(input, { service, people, session, clock, parallelism: 1 });
}

const [ada, bo, carl] = [aCreation("ada"), aCreation("bo"), aCreation("carl")];
const founder = aCreation("ada", { createsTeam: "Science" });
const answer = (parts: Omit<CreateUserResponse, "profile">): CreateUserResponse => ({ profile: {}, ...parts });
const shownKeys = (...prefixes: readonly string[]) => answer({ shownKeys: keys(...prefixes) });

describe("an answer to a creation is misunderstood where it shows", () => {
  test.each<[string, CreateUserResponse, string]>([
    ["another address", answer({ email: emailOf("root") }), "the user root@acme.example"],
    ["the identifier of somebody who was read", answer({ identifier: "u-2" }), "the identifier of bo@acme.example"],
    ["that of somebody who is recorded", answer({ identifier: "u-3" }), "the identifier of carl@acme.example"],
    ["a key that was read", shownKeys("k-bo"), "the key k-bo of bo@acme.example"],
    ["a key that is recorded", shownKeys("k-carl"), "the key k-carl of carl@acme.example"],
    ["one such key of several", shownKeys("k-new", "k-bo"), "the key k-bo of bo@acme.example"],
    ["the key in use", shownKeys("k-use"), "the key k-use, which a guard protects"],
    ["another team", answer({ team: { name: "Ops" } }), "the team Ops"],
    ["a team that was there", answer({ team: { identifier: "t-ops" } }), "the team t-ops, which existed before"],
  ])("%s", (_, shown, why) => {
    expect(contradictsCreation(shown.team === undefined ? ada : founder, shown, everybodyKnown())).toBe(
      `it shows ${why}`,
    );
  });

  test("and is not where the address is written otherwise, is a former one, or nothing is known of what it shows", () => {
    const renamed = { ...founder, formerly: [addressOf("eda")] };
    const fresh = { ...shownKeys("k-9"), identifier: "u-9", team: { identifier: "t-9", name: "SCIENCE " } };
    for (const email of ["ADA@acme.example", "ada@ACME.example", "eda@acme.example"])
      expect(contradictsCreation(renamed, { ...fresh, email }, everybodyKnown())).toBeUndefined();
    expect(contradictsCreation(ada, answer({}), everybodyKnown())).toBeUndefined();
  });
});

test.each<[string, CreateUserResponse, string | undefined]>([
  ["by a date more than five minutes ago", answer({ age: 300_001 }), "the answer shows an earlier creation date"],
  ["not by a date of the last five minutes", answer({ age: 300_000 }), undefined],
  ["by an identifier that was read", answer({ identifier: "u-2" }), "the user u-2 existed before"],
  ["by a key that was read", shownKeys("k-bo"), "the key k-bo existed before"],
  ["not by what nobody has seen", { ...shownKeys("k-9"), identifier: "u-9" }, undefined],
])("an answer of success shows that the user was there before %s", (_, shown, why) => {
  expect(showsEarlierUser(bo, shown, everybodyKnown())).toBe(why);
});

describe("a service that started anew gives the identifiers and keys of before once more", () => {
  const carls = { ...shownKeys("k-carl"), identifier: "u-3" };
  const inLab = answer({ team: { identifier: "t-lab", name: "Science" } });
  const aged = (shown: CreateUserResponse, age: number | undefined) => (age === undefined ? shown : { ...shown, age });
  /** Answered so long after what is recorded. */
  const answeredAfter = (milliseconds: number) =>
    everybodyKnown([], new Date(Date.parse(recordedAt) + milliseconds).toISOString());
  const anHour = answeredAfter(3_600_000);

  test.each([
    ["a moment ago", 0, true],
    ["a little later than the record", 3_597_999, true],
    ["at the time of the record, as far as clocks can tell", 3_598_000, false],
    ["before the record", 3_600_001, false],
    ["at a time that is not shown", undefined, false],
  ])("somebody who was created %s", (_, age, isNew) => {
    const told = ["it shows the identifier of carl@acme.example", "it shows the team t-lab, which existed before"];
    expect([
      contradictsCreation(ada, aged(carls, age), anHour),
      contradictsCreation(founder, aged(inLab, age), anHour),
    ]).toEqual(isNew ? [undefined, undefined] : told);
  });

  test("to the same person, who is the recorded one only if they were created by then", () => {
    const judge = (age?: number) => showsEarlierUser(carl, aged(carls, age), answeredAfter(120_000));
    const before = "the user u-3 existed before";
    expect([judge(0), judge(120_000), judge()]).toEqual([undefined, before, before]);
  });

  test("and what is recorded of somebody who is known to be gone says nothing, whatever the answer shows", () => {
    const gone = everybodyKnown(["carl"]);
    const told = [contradictsCreation(ada, carls, gone), showsEarlierUser(carl, carls, gone)];
    expect(told).toEqual([undefined, undefined]);
  });

  test("while what a read of this run has shown counts, whenever it was created", () => {
    const bos = { ...shownKeys("k-bo"), identifier: "u-2", age: 0 };
    expect(contradictsCreation(ada, bos, anHour)).toBe("it shows the identifier of bo@acme.example");
    expect(showsEarlierUser(bo, bos, anHour)).toBe("the user u-2 existed before");
  });
});

describe("an answer to an addition", () => {
  const action = anAddition(teamRef("Ops", "t-ops"), []);
  const addition = { action, team: { ...teamRef("Ops", "t-ops"), identifier: "t-ops" } };
  const named = ["bo u-2", "di u-4"].map((text) => {
    const [name = "", identifier = ""] = text.split(" ");
    return { person: person(name, identifier), names: [identifier, emailOf(name)] as const };
  });
  const others = "it names other users than the call";
  const failure = { code: "not-found", message: "not found" } as const;
  const members = (...shown: readonly AddMemberResult[]): AddMembersResponse => ({ members: shown });
  const holding = (identifier: string, prefix: string): AddMemberResult => {
    return { identifier, keys: { are: "named", shown: keys(prefix) } };
  };

  test.each<[string, AddMembersResponse, string | undefined]>([
    ["it shows another team", { ...members(), team: { identifier: "t-9" } }, "it shows the team t-9"],
    ["it shows a team of another name", { ...members(), team: { name: "Red" } }, "it shows the team Red"],
    ["it names nobody who was sent", members({ email: emailOf("root") }), others],
    ["it names somebody else by identifier", members({ identifier: "u-1" }), others],
    [
      "it refuses somebody else, and one who was sent",
      members({ identifier: "u-1", failure }, { identifier: "u-4", failure }),
      others,
    ],
    [
      "it shows a sent person with another's key",
      members(holding("u-4", "k-bo")),
      "it shows the key k-bo of bo@acme.example",
    ],
    [
      "it shows one key for two users",
      members(holding("u-2", "k-new"), holding("u-4", "k-new")),
      "it shows the key k-new for two users",
    ],
    [
      "it shows other people's keys alone",
      { ...members(), keys: keys("k-carl") },
      "it shows the key k-carl of carl@acme.example",
    ],
    ["not where it shows the whole team", members({ identifier: "u-1" }, { identifier: "u-4" }), undefined],
    [
      "not where it shows the team by a former name",
      { ...members(), team: { identifier: "t-ops", name: "Old" } },
      undefined,
    ],
    ["not where it shows some of those who were sent", members({ email: "BO@acme.example" }), undefined],
    ["not where one of its keys is new", { ...members(), keys: keys("k-carl", "k-new") }, undefined],
  ])("is misunderstood where %s", (_, shown, why) => {
    expect(contradictsAddition(addition, named, shown, everybodyKnown())).toBe(why);
  });
});

test("an answer to a replacement is misunderstood where it shows another key", () => {
  const judged = [{ prefix: "k-2" }, { prefix: "k-1" }, {}].map((shown) => contradictsReplacement("k-1", shown));
  expect(judged).toEqual(["it shows the key k-2", undefined, undefined]);
});

describe("of the keys in an answer to an addition, the new one is", () => {
  const red = { identifier: "t-red", name: "Red" };
  const team = { ...teamRef("Red", "t-red"), identifier: "t-red" };
  const [own, k9] = [{ prefix: "k-bo" }, { prefix: "k-9" }];
  const [users, projects] = [
    { ...k9, kind: "user" },
    { ...k9, kind: "project" },
  ];

  test.each<[string, readonly ObservedKey[], "named" | "listed", "shown" | "hidden", string | undefined, string?]>([
    ["the one of the team", [own, { ...k9, team: red }], "listed", "shown", "k-9"],
    ["the only one that was not there before", [own, k9], "listed", "shown", "k-9"],
    ["none where the only one was there before", [own], "listed", "shown", undefined],
    ["none where the only one was there before, even if it is named", [own], "named", "shown", undefined],
    [
      "none where the only one is another team's",
      [{ ...k9, team: { identifier: "t-ops" } }],
      "named",
      "shown",
      undefined,
    ],
    [
      "none where the only one has no team, as keys show theirs",
      [{ ...k9, team: "none" }],
      "named",
      "shown",
      undefined,
    ],
    ["none where the only one is the key in use", [{ prefix: "k-use", team: red }], "listed", "shown", undefined],
    ["none where two may be it", [{ prefix: "k-8" }, k9], "listed", "shown", undefined],
    ["none where it is a project's", [projects], "named", "shown", undefined],
    ["none where it is a project's and keys show no teams", [projects], "named", "hidden", undefined],
    ["the only one without a team, where keys show no teams", [{ ...k9, team: "none" }], "named", "hidden", "k-9"],
    ["the only one of a user, where no key says that it is a team's", [users], "named", "hidden", "k-9"],
    ["none of a user, where keys say which are teams'", [users], "named", "shown", undefined],
    ["none of a list, where the keys of before were never read", [k9], "listed", "shown", undefined, "eve"],
    ["the one that is named, where the keys of before were never read", [k9], "named", "shown", "k-9", "eve"],
  ])("%s", (_, shown, are, teamsOnKeys, prefix, name = "bo") => {
    const kinds = teamsOnKeys === "shown" ? "tell-own-keys" : "unclear";
    const session = { ...everybodyKnown(), capabilities: { teamsOnKeys }, kinds } as const;
    expect(newTeamKey(addressOf(name), { keys: { are, shown } }, team, session)?.prefix).toBe(prefix);
  });
});
