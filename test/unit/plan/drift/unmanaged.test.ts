import { describe, expect, test } from "vitest";
import type { Finding } from "../../../../src/model/finding.ts";
import { formatSubject } from "../../../../src/model/subject.ts";
import type { PlanFacts } from "../../../../src/plan/comparison.ts";
import { aPolicy, planned, unguarded } from "../../../support/plan-inputs.ts";
import { addressOf, aKey, aLeaver, aRoster, aTeam, aUser } from "../../../support/roster-builders.ts";
import { aShownKey, aShownUser, aSnapshot } from "../../../support/snapshot-builders.ts";
import { remembering } from "../../../support/state-builders.ts";

const red = { identifier: "t-1", name: "Red" };
const admin = { roles: ["ACCOUNT_ADMIN"] };
const policy = aPolicy({ reportUnmanaged: true });

/** Ada is in the team Red with a managed key; Bo too, but the roster leaves Bo's roles alone. */
const roster = aRoster({
  users: [aUser("ada", { ownKeyRoles: ["DEVELOPER"] }), aUser("bo")],
  leavers: [aLeaver("cy")],
  teams: [aTeam("Red", { members: [{ user: "ada", roles: ["ACCOUNT_ADMIN"] }, "bo"] })],
  keys: [aKey("listed", { roles: ["ACCOUNT_ADMIN"] })],
});

function found(parts: Partial<PlanFacts>): readonly string[] {
  const { findings } = planned({ roster, policy, ...parts });
  const told = ["unmanaged-privilege", "unmanaged", "incomplete-read", "not-observed"];
  const isTold = ({ code, subject, message }: Finding) =>
    told.includes(code) && subject.kind !== "user" && !message.startsWith("The service does not show everything");
  return findings.filter(isTold).map(line);
}

function line({ code, subject, kind }: Finding): string {
  return `${kind === "task" ? "!" : ""}${code} ${formatSubject(subject)}`;
}

const held: Readonly<
  Record<string, { readonly of: string; readonly key: ReturnType<typeof aShownKey>; readonly tells: readonly string[] }>
> = {
  "a team key whose roles the roster gives is nobody's surprise": {
    of: "ada",
    key: aShownKey("k", red, admin),
    tells: [],
  },
  "a listed key is nobody's surprise, whoever holds it": {
    of: "mal",
    key: aShownKey("listed", "none", admin),
    tells: [],
  },
  "a team key whose roles the roster leaves alone may not carry a privilege": {
    of: "bo",
    key: aShownKey("k", red, admin),
    tells: ["!unmanaged-privilege ACCOUNT_ADMIN on key k"],
  },
  "a team key whose roles the roster leaves alone is named all the same": {
    of: "bo",
    key: aShownKey("k", red, { roles: ["TEAM_ROLE"] }),
    tells: [],
  },
  "a person's own key whose roles the roster gives is managed": {
    of: "ada",
    key: aShownKey("k", "none", { kind: "user", roles: ["TEAM_ROLE"] }),
    tells: [],
  },
  "a privilege stays on a key whose roles the roster gives, since the service does not know these roles": {
    of: "ada",
    key: aShownKey("k", "none", { kind: "user", ...admin }),
    tells: ["!unmanaged-privilege ACCOUNT_ADMIN on key k"],
  },
  "a project key of somebody named is a notice": {
    of: "ada",
    key: aShownKey("k", "none", { kind: "project", roles: ["PROJECT"] }),
    tells: ["unmanaged key k"],
  },
  "a project key with two privileges is two matters": {
    of: "ada",
    key: aShownKey("k", "none", { kind: "project", roles: ["ACCOUNT_ADMIN", "SYSTEM_OWNER"] }),
    tells: ["!unmanaged-privilege ACCOUNT_ADMIN on key k", "!unmanaged-privilege SYSTEM_OWNER on key k"],
  },
  "a key in a team that the roster does not name is a notice": {
    of: "ada",
    key: aShownKey("k", { identifier: "t-9", name: "Blue" }, { roles: ["TEAM_ROLE"] }),
    tells: ["unmanaged key k"],
  },
  "a key of which nothing is shown is no notice": {
    of: "ada",
    key: { prefix: "k", roles: ["TEAM_ROLE"] },
    tells: [],
  },
  "the privileges of somebody unmanaged block": {
    of: "mal",
    key: aShownKey("k", "none", admin),
    tells: ["!unmanaged-privilege ACCOUNT_ADMIN on key k"],
  },
  "an unmanaged person's key without a privilege is told with the person alone": {
    of: "mal",
    key: aShownKey("k", "none", { roles: ["TEAM_ROLE"] }),
    tells: [],
  },
  "a key that is switched off opens nothing": {
    of: "mal",
    key: aShownKey("k", "none", { ...admin, status: "inactive" }),
    tells: [],
  },
  "a leaver's keys are the leaver's matter": { of: "cy", key: aShownKey("k", "none", admin), tells: [] },
};

describe("keys that the roster says nothing of, where everyone is read", () => {
  test.each(Object.entries(held))("%s", (_, { of, key, tells }) => {
    const users = [aShownUser(of, { account: "acc-1", keys: [key] })];
    expect(found({ snapshot: aSnapshot({ users }) })).toEqual(tells);
  });

  const mal = aSnapshot({ users: [aShownUser("mal", { keys: [aShownKey("k", "none", admin)] })] });

  test("tell the setting that lets somebody be privileged by the name it has in the settings", () => {
    const { findings } = planned({ roster, policy, snapshot: mal });
    const told = findings.find(({ code }) => code === "unmanaged-privilege");
    expect(told?.message).toContain(
      "mal@acme.example's key k has ACCOUNT_ADMIN. The roster names neither the user nor the key, so nobody " +
        "has reviewed this role. Remove the role in the service, or add the key with its roles to the " +
        "roster. Or list the user under `guards.privileged-roles.people` in the settings (in CI: outside the checkout).",
    );
  });

  test("are not looked at where nobody asks for them", () => {
    expect(found({ snapshot: mal, policy: aPolicy() })).toEqual([]);
  });

  test("do not count where it is the key in use", () => {
    expect(found({ snapshot: mal, keyInUse: "k" })).toEqual([]);
  });

  test("of a member too many are reported with that member, and not again", () => {
    const key = (prefix: string) => aShownKey(prefix, { identifier: "t-2", name: "Blue" }, { roles: ["TEAM_ROLE"] });
    const users = [
      aShownUser("ada", { account: "acc-1", keys: [key("k1")] }),
      aShownUser("bo", { account: "acc-1", keys: [key("k2")] }),
    ];
    const accounts = new Map([["acc-1", { identifier: "acc-1", status: "active", by: "account acc-1" }]]);
    const codesWith = (open: boolean) => {
      const teams = [aTeam("Blue", { identifier: "t-2", members: ["bo"], open })];
      const both = aRoster({ users: [aUser("ada"), aUser("bo")], teams });
      const { findings } = planned({ roster: both, policy, snapshot: aSnapshot({ users, accounts }) });
      return findings.map(({ code }) => code).filter((code) => ["extra-member", "unmanaged"].includes(code));
    };
    expect([codesWith(false), codesWith(true)]).toEqual([["extra-member"], ["unmanaged"]]);
  });

  test("nor is its owner a user that nobody manages; others are", () => {
    const users = [aShownUser("mal", { keys: [aShownKey("k", "none", admin)] }), aShownUser("eve")];
    const unmanaged = (keyInUse: string) =>
      planned({ roster, policy, snapshot: aSnapshot({ users }), keyInUse })
        .findings.filter(({ code }) => code === "unmanaged")
        .map(({ subject }) => formatSubject(subject));
    expect(unmanaged("k")).toEqual(["user eve@acme.example"]);
    expect(unmanaged("other")).toEqual(["user eve@acme.example", "user mal@acme.example"]);
  });

  test.each([
    ["among those who may be given them", { privilegedRoles: { roles: [], people: [addressOf("mal")] } }],
    ["among the required administrators", { requiredAdmins: [addressOf("mal")] }],
  ])("may be privileged where the settings name the person %s", (_, guards) => {
    expect(found({ snapshot: mal, policy: { ...policy, guards: { ...unguarded, ...guards } } })).toEqual([]);
  });

  test("of people who are barred open nothing", () => {
    const users = [aShownUser("mal", { status: "inactive", keys: [aShownKey("k", "none", admin)] })];
    expect(found({ snapshot: aSnapshot({ users }) })).toEqual([]);
  });

  test("are recognized by what is recorded, where the service does not show their teams", () => {
    const key = { prefix: "k", roles: ["ACCOUNT_ADMIN"] };
    const users = [aShownUser("ada", { account: "acc-1", keys: [key] })];
    const state = remembering({ members: { "Red/ada": { prefix: "k" } } });
    const snapshot = aSnapshot({ users });
    expect([found({ snapshot }), found({ snapshot, state })]).toEqual([
      ["!unmanaged-privilege ACCOUNT_ADMIN on key k"],
      [],
    ]);
  });
});

describe("what could not be read of everyone", () => {
  test("is told: a list that is not complete blocks", () => {
    const snapshot = aSnapshot({ everyone: { read: "incomplete", why: "it ended early" } });
    expect(found({ snapshot })).toEqual(["!incomplete-read service https://simulated.example"]);
  });

  test("is told: roles that are not shown are a notice", () => {
    const { capabilities, ...rest } = aSnapshot();
    const snapshot = { ...rest, capabilities: { ...capabilities, rolesOnKeys: "hidden" as const } };
    expect(found({ snapshot })).toEqual(["not-observed service https://simulated.example"]);
  });
});
