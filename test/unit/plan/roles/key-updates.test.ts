import { expect, test } from "vitest";
import { planned } from "../../../support/plan-inputs.ts";
import { anyDigest } from "../../../support/refusal-builders.ts";
import { actionLines, partsOf, planLines, play, wholeFindings } from "../../../support/scenes.ts";

play("a team key", planLines)`
  there: {ada: {in: {Data: [TEAM_ROLE]}}}
  users: {ada}
  teams: {Data: {members: [ada], roles: [DEVELOPER]}}
that is as wanted, in whatever order, is left alone
  there: {ada: {in: {Data: [TEAM_ROLE, DEVELOPER]}}}
  teams: {Data: {roles: [DEVELOPER, TEAM_ROLE]}}
that differs is replaced
  > set k-ada-data (observed) to DEVELOPER
that the roster does not manage is left alone
  teams: {Data: {roles: gone}}
that the service changes by itself, as after our last replacement, is a notice
  there: {ada: {in: {Data: [TEAM_ROLE, DEVELOPER]}}}
  state: {keys: {k-ada-data: {setRoles: [DEVELOPER], observedRoles: [DEVELOPER, TEAM_ROLE]}}}
  > roles-kept-by-service: service https://simulated.example
whose roles are hidden, and as we put them, is left alone
  state: {keys: {k-ada-data: [DEVELOPER]}}
  hides: [roles]
whose roles are hidden, and nothing recorded, is replaced
  there: {ada: {in: {Data: [DEVELOPER]}}}
  hides: [roles]
  > set k-ada-data (observed) to DEVELOPER
that nobody can name is told
  teams: {Data: {identifier: t-data}}
  state: {members: {Data/ada: {}}}
  hides: [keys]
  > ! key-prefix-unknown: member ada of team acc-1/data
that wants a role which the service does not know is left alone
  teams: {Data: {roles: [DEVELOPER, DEVELOPPER]}}
  > ! unknown-role: role DEVELOPPER
that wants a role, where the service does not say which there are, is replaced
  teams: {Data: {roles: [DEVELOPPER]}}
  offers: []
  > set k-ada-data (observed) to DEVELOPPER
of a team whose identifier is unknown is kept as well
  hides: [team-identifiers]
  > set k-ada-data (observed) to DEVELOPER
  > ! team-identifier-unknown: team acc-1/data
`;

play("a key that no read shows is replaced, which rests on", actionLines)`
  there: {ada: {in: {Data}}}
  users: {ada}
  teams: {Data: {identifier: t-data, members: [ada], roles: [DEVELOPER]}}
  state: {members: {Data/ada: {prefix: k-rec}}}
  hides: [keys]
its prefix alone, where nothing else is recorded
  > replace-roles:k-rec (roles-unknown)
  > because member ada at 1
  > rests on roles of key k-rec: unknown, no read shows this key
  > rests on prefix of a key of ada: recorded, k-rec, 2026-11-01T00:00:00.000Z
what was asked for the last time
  state: {keys: {k-rec: [AUDITOR]}}
  > replace-roles:k-rec (roles-differ)
  > because member ada at 1
  > rests on roles of key k-rec: recorded, AUDITOR, 2026-11-01T00:00:00.000Z
  > rests on prefix of a key of ada: recorded, k-rec, 2026-11-01T00:00:00.000Z
`;

test("a key is replaced with all that is known of it", () => {
  const text =
    "{there: {ada: {in: {Data}}}, users: {ada}, teams: {Data: {members: [ada], roles: [DEVELOPER], line: 7}}}";
  expect(planned(partsOf(text)).actions).toMatchObject([
    {
      kind: "replace-roles",
      id: "replace-roles:k-ada-data",
      key: {
        of: "prefix",
        prefix: { known: "observed", value: "k-ada-data", by: "list" },
        address: "ada@acme.example",
        team: "acc-1/data",
      },
      before: { known: "observed", value: ["TEAM_ROLE"], by: "list" },
      roles: ["DEVELOPER"],
      ifInexact: false,
      dependsOn: [],
      request: anyDigest,
    },
  ]);
  expect(actionLines(partsOf(text))).toEqual([
    "replace-roles:k-ada-data (roles-differ)",
    "because member ada at 7",
    "rests on roles of key k-ada-data: observed, TEAM_ROLE, list",
  ]);
});

play("a user's own key", planLines)`
  there: {ada}
  users: {ada: {ownKeyRoles: [DEVELOPER]}}
is the only one without a team
  > set k-ada (observed) to DEVELOPER
is not a project key, nor one that is gone
  there: {ada: {keys: {k-1: {kind: project}, k-2: {kind: user, isDefault: true, status: deleted}}}}
  > set k-ada (observed) to DEVELOPER
is the default one among several
  there: {ada: {keys: {k-1: {kind: user}}}}
  > set k-ada (observed) to DEVELOPER
is not guessed among several
  there: {ada: {keys: {k-1: {kind: user, isDefault: true}}}}
  > ! key-prefix-unknown: user ada
is not a key whose team and kind are hidden
  hides: [key-kinds, teams]
  > ! key-prefix-unknown: user ada
is known by record where keys are hidden
  state: {users: {ada: {createdAt: RECORDED, key: k-own}}}
  hides: [keys]
  > set k-own (recorded) to DEVELOPER
is not the recorded key of whoever created a team
  state: {users: {ada: {createdAt: RECORDED, key: k-own, createdTeam: acc-1/data}}}
  hides: [keys]
  > ! key-prefix-unknown: user ada
is made exact after a creation
  there: {ada: gone}
  > create ada
  > set own key of ada to DEVELOPER after create-user:ada
`;

play("a key by its prefix", planLines)`
  there: {ada: {keys: {k-1: {roles: [AUDITOR]}}}, bo}
  users: {ada, bo}
that differs is replaced
  keys: {k-1: {owner: ada, roles: [DEVELOPER]}}
  > set k-1 (observed) to DEVELOPER
is found without its owner
  keys: {k-1: {roles: [DEVELOPER]}}
  > set k-1 (observed) to DEVELOPER
that is not among its owner's keys is unknown
  keys: {K-1: {owner: ada, roles: [DEVELOPER]}}
  > ! unknown-key: key K-1
that may be somebody's whose keys were not read is replaced
  keys: {k-elsewhere: {roles: [DEVELOPER]}}
  everyone: {read: not-read}
  > set k-elsewhere (declared) to DEVELOPER
that is also a user's own key with other roles is left alone
  users: {ada: {ownKeyRoles: [AUDITOR]}}
  keys: {k-ada: {owner: ada, roles: [DEVELOPER]}}
  > ! conflicting-roles: key k-ada
that is also a member's key with other roles is left alone
  there: {ada: {in: {Data}}}
  teams: {Data: {members: [ada], roles: [AUDITOR]}}
  keys: {k-ada-data: {owner: ada, roles: [DEVELOPER]}}
  > ! conflicting-roles: key k-ada-data
that is also a user's own key with the same roles is one action
  users: {ada: {ownKeyRoles: [AUDITOR]}}
  keys: {k-ada: {owner: ada, roles: [AUDITOR]}}
  > set k-ada (observed) to AUDITOR
`;

test("a key by its prefix alone belongs to whoever is shown to hold it, so that it can be read again", () => {
  const { actions, users } = planned(partsOf("{there: {eve}, keys: {k-eve: {roles: [DEVELOPER]}}}"));
  expect(actions).toMatchObject([{ key: { address: "eve@acme.example" } }]);
  expect([...users]).toEqual([
    ["eve@acme.example", { email: "eve@acme.example", identifier: { known: "observed", value: "u-eve", by: "list" } }],
  ]);
});

play("a role that the service does not know is told", (parts) =>
  wholeFindings(parts).filter((line) => !/^accept/u.test(line)),
)`
  there: {ada: {in: {Data}, keys: {k-1: {}}}}
once, with every place that asks for it
  users: {ada: {ownKeyRoles: [NOPE], line: 2}}
  teams: {Data: {members: [ada], roles: [NOPE], line: 9}}
  keys: {k-1: {roles: [NOPE, AUDITOR], line: 12}}
  > task unknown-role: role NOPE
  > The service does not know the role NOPE of roster.yaml:2:3. roster does not change keys that need it, and creates no
    team with it. The service offers ACCOUNT_ADMIN, AUDITOR, DATA_SCIENTIST, DEVELOPER, PLATFORM_ADMIN and TEAM_ROLE. Upper
    and lower case matter.
  > because own-key-roles at 2
  > because user at 2
  > because member ada at 9
  > because key at 12
  > rests on role NOPE: observed, not offered, roles
`;
