import { expect, test } from "vitest";
import type { RosterUser } from "../../../src/model/roster.ts";
import type { ObservedUser } from "../../../src/model/snapshot.ts";
import { holdersToRead } from "../../../src/observe/declared-holders.ts";
import { addressOf, aKey, aLeaver, aRoster, aTeam, aUser } from "../../support/roster-builders.ts";
import { aShownKey, aShownUser } from "../../support/snapshot-builders.ts";

const sensitive = { privilegedRoles: ["ACCOUNT_ADMIN"], protectedUsers: [addressOf("root")] };
const root = [{ address: addressOf("root"), sent: "root@acme.example" }];
const ada: ObservedUser = aShownUser("ada", { keys: [aShownKey("q", "none")] });

function withOwnKey(roles: readonly string[]): readonly RosterUser[] {
  return [aUser("ada", { key: "p", ownKeyRoles: roles })];
}

const member = { user: "ada", key: "p", roles: ["ACCOUNT_ADMIN"] };

test.each<[string, ReturnType<typeof aRoster>, readonly ObservedUser[], ReturnType<typeof holdersToRead>]>([
  ["an own key is to be privileged", aRoster({ users: withOwnKey(["ACCOUNT_ADMIN"]) }), [ada], "everyone"],
  ["a team key is to be privileged", aRoster({ teams: [aTeam("Red", { members: [member] })] }), [ada], "everyone"],
  ["a listed key is to be privileged", aRoster({ keys: [aKey("p", { roles: ["ACCOUNT_ADMIN"] })] }), [], "everyone"],
  ["an own key is to have other roles", aRoster({ users: withOwnKey(["DEVELOPER"]) }), [ada], root],
  ["a leaver's key is to have none", aRoster({ leavers: [aLeaver("ada", { key: "p" })] }), [ada], root],
  [
    "protected people were read",
    aRoster({ users: withOwnKey(["DEVELOPER"]) }),
    [ada, aShownUser("root", { keys: [] })],
    [],
  ],
  [
    "the key is shown",
    aRoster({ users: withOwnKey(["ACCOUNT_ADMIN"]) }),
    [aShownUser("ada", { keys: [aShownKey("p", "none")] })],
    [],
  ],
  ["no keys are shown", aRoster({ users: withOwnKey(["ACCOUNT_ADMIN"]) }), [aShownUser("ada")], []],
  ["the roster names no key whose roles it manages", aRoster({ users: [aUser("ada", { key: "p" })] }), [ada], []],
])("who is read for the keys that no read has shown, where %s", (_, roster, users, expected) => {
  expect(holdersToRead(roster, sensitive, users)).toEqual(expected);
});
