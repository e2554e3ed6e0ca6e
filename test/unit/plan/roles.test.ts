import { expect, test } from "vitest";
import { observed } from "../../../src/model/fact.ts";
import { planned } from "../../support/plan-inputs.ts";
import { anyDigest } from "../../support/refusal-builders.ts";
import { actionLines, type Parts, partsOf, planLines, play, wholeFindings } from "../../support/scenes.ts";

/** Ada was a leaver whose keys were emptied, and is a user and a member of Data again. */
play("of a key that an earlier run emptied nothing is told where", planLines)`
  there: {ada: {own: [], in: {Data: []}}}
  users: {ada}
  teams: {Data: {identifier: t-data, members: [ada]}}
  state: {keys: {k-ada: [], k-ada-data: []}}
the roster says that they have none
  users: {ada: {ownKeyRoles: []}}
  teams: {Data: {roles: []}}
the roster says which roles they have
  users: {ada: {ownKeyRoles: [TEAM_ROLE]}}
  teams: {Data: {roles: [DEVELOPER]}}
  > set k-ada-data (observed) to DEVELOPER
  > set k-ada (observed) to TEAM_ROLE
the list of keys and the team do
  keys: {k-ada: {roles: []}}
  teams: {Data: {roles: []}}
somebody gave them roles since
  there: {ada: {own: [AUDITOR], in: {Data: [AUDITOR]}}}
they are not there
  there: {ada: gone, root}
  > create ada
  > add ada to Data after create-user:ada
what the last run put on them was not nothing
  state: {keys: {k-ada: [AUDITOR], k-ada-data: [AUDITOR]}}
`;

play("a key that an earlier run emptied,", wholeFindings)`
  there: {ada: {own: [], in: {Data: []}}}
  state: {keys: {k-ada: [], k-ada-data: []}}
and whose roles the roster does not say, is told with what to write
  users: {ada: {line: 4}}
  teams: {Data: {identifier: t-data, members: [ada], line: 9}}
  > notice key-without-roles: key k-ada
  > At 2026-11-01T00:00:00.000Z, roster removed all roles of k-ada, the own key of ada. roster does not restore them by itself. If the key needs roles, add \`ownKeyRoles\` to the entry of the user. If not, add \`ownKeyRoles: []\`.
  > because user at 4
  > rests on roles of key k-ada: recorded, no roles, 2026-11-01T00:00:00.000Z
  > suggestedYaml # In the entry of the user:
  > suggestedYaml users:
  > suggestedYaml   - email: ada
  > suggestedYaml     ownKeyRoles: [ROLE]
  > notice key-without-roles: key k-ada-data
  > At 2026-11-01T00:00:00.000Z, roster removed all roles of k-ada-data, the key of ada in Data. roster does not restore them by itself. If the key needs roles, add \`roles\` to the entry of the member or of the team. If not, add \`roles: []\` to the entry of the member.
  > because member ada at 9
  > rests on roles of key k-ada-data: recorded, no roles, 2026-11-01T00:00:00.000Z
  > suggestedYaml # In the entry of the team:
  > suggestedYaml teams:
  > suggestedYaml   - name: Data
  > suggestedYaml     members:
  > suggestedYaml       - { user: ada, roles: [ROLE] }
`;

play("of what the service keeps on keys", (parts) => [...planLines(parts), ...wholeFindings(parts)])`
  there: {ada: {in: {Data: [DEVELOPER, TEAM_ROLE]}}, bo: {in: {Data: [DEVELOPER, TEAM_ROLE]}}}
  users: {ada, bo}
  teams: {Data: {members: [ada, bo], roles: [DEVELOPER], line: 7}}
  state:
    keys:
      k-ada-data: {setRoles: [DEVELOPER], observedRoles: [DEVELOPER, TEAM_ROLE]}
      k-bo-data: {setRoles: [DEVELOPER], observedRoles: [DEVELOPER, TEAM_ROLE]}
a harmless role is one notice of the service, with every place
  > roles-kept-by-service: service https://simulated.example
  > notice roles-kept-by-service: service https://simulated.example
  > The service still has TEAM_ROLE on 2 keys, although roster removed them. roster does not send this change again. To hide this notice, add these roles to the roster.
  > because member ada at 7
  > because member bo at 7
  > rests on roles of key k-ada-data: observed, DEVELOPER, TEAM_ROLE, list
  > rests on roles of key k-bo-data: observed, DEVELOPER, TEAM_ROLE, list
  > roles ["TEAM_ROLE"]
a privileged role blocks, key by key
  there: {ada: {in: {Data: [ACCOUNT_ADMIN, DEVELOPER]}}, bo: {in: {Data: [ACCOUNT_ADMIN, DEVELOPER]}}}
  state:
    keys:
      k-ada-data: {observedRoles: [ACCOUNT_ADMIN, DEVELOPER]}
      k-bo-data: {observedRoles: [ACCOUNT_ADMIN, DEVELOPER]}
  > ! roles-kept-by-service: key k-ada-data
  > ! roles-kept-by-service: key k-bo-data
  > task roles-kept-by-service: key k-ada-data
  > roster set the key k-ada-data to DEVELOPER, but the service kept ACCOUNT_ADMIN on it. The roster does not give this access. If the access is wrong, remove it in the service. If it is right, add these roles to the roster.
  > because member ada at 7
  > rests on roles of key k-ada-data: observed, ACCOUNT_ADMIN, DEVELOPER, list
  > roles ["ACCOUNT_ADMIN","DEVELOPER"]
  > accept {"code":"roles-kept-by-service:k-ada-data","until":"2026-12-20"}
  > guarded true
  > task roles-kept-by-service: key k-bo-data
  > roster set the key k-bo-data to DEVELOPER, but the service kept ACCOUNT_ADMIN on it. The roster does not give this access. If the access is wrong, remove it in the service. If it is right, add these roles to the roster.
  > because member bo at 7
  > rests on roles of key k-bo-data: observed, ACCOUNT_ADMIN, DEVELOPER, list
  > roles ["ACCOUNT_ADMIN","DEVELOPER"]
  > accept {"code":"roles-kept-by-service:k-bo-data","until":"2026-12-20"}
  > guarded true
a reading that lacks what was asked for tells nothing of the service: it is asked again
  there: {ada: {in: {Data: [TEAM_ROLE]}}, bo: {in: {Data: [TEAM_ROLE]}}}
  state: {keys: {k-ada-data: {observedRoles: [TEAM_ROLE]}, k-bo-data: {observedRoles: [TEAM_ROLE]}}}
  > set k-ada-data (observed) to DEVELOPER
  > set k-bo-data (observed) to DEVELOPER
`;

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
  > rests on roles of key k-rec: unknown, the service does not show this key
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
  > The service does not know the role NOPE of roster.yaml:2:3. roster does not change keys that need this role, and creates no team with it. Correct the role. Upper and lower case matter. The service offers ACCOUNT_ADMIN, AUDITOR, DATA_SCIENTIST, DEVELOPER, PLATFORM_ADMIN and TEAM_ROLE.
  > because own-key-roles at 2
  > because key at 12
  > because user at 2
  > because member ada at 9
  > rests on role NOPE: observed, not offered, roles
`;

/** A service that says of what type each role is. */
function typed(typeOf: (role: string) => string | undefined) {
  return (parts: Parts): Parts => {
    const { roles } = parts.snapshot;
    const offered = roles.known === "observed" ? roles.value : [];
    const told = offered.map(({ identifier }) => ({ identifier, type: typeOf(identifier) }));
    return { ...parts, snapshot: { ...parts.snapshot, roles: observed(told, "roles") } };
  };
}

const asItIs = typed((role) => (role === "SYSTEM_OWNER" ? "System" : "user"));

play("a role that does not fit a key", (parts) => planLines(asItIs(parts)))`
  offers: [DEVELOPER, TEAM_ROLE, PROJECT, SYSTEM_OWNER]
  there: {ada: {in: {Data}}}
  users: {ada}
  teams: {Data: {members: [ada]}}
is one of the type system on a team key, and not on others
  users: {ada: {ownKeyRoles: [SYSTEM_OWNER]}}
  teams: {Data: {roles: [SYSTEM_OWNER]}}
  > set k-ada (observed) to SYSTEM_OWNER
  > ! unknown-role: role SYSTEM_OWNER
is none of the type system where a team key is shown with it
  there: {ada: {in: {Data: [SYSTEM_OWNER]}}}
  teams: {Data: {roles: [DEVELOPER, SYSTEM_OWNER]}}
  > set k-ada-data (observed) to DEVELOPER+SYSTEM_OWNER
`;

for (const [where, type] of [
  ["every role has the type", "system"],
  ["the service tells no types", undefined],
] as const)
  play(`a role is none of the type system where ${where}:`, (parts) => planLines(typed(() => type)(parts)))`
  offers: [DEVELOPER, TEAM_ROLE, SYSTEM_OWNER]
  there: {ada: {in: {Data}}}
  users: {ada}
it is given to a team key
  teams: {Data: {members: [ada], roles: [DEVELOPER, SYSTEM_OWNER]}}
  > set k-ada-data (observed) to DEVELOPER+SYSTEM_OWNER
`;

play("a role that does not fit a key", (parts) => [...planLines(asItIs(parts)), ...wholeFindings(asItIs(parts))])`
  offers: [DEVELOPER, TEAM_ROLE, PROJECT]
  there: {ada: {in: {Data}, keys: {k-1: {}}}}
is told once, with every place, and only what uses it is blocked
  users: {ada: {ownKeyRoles: [PROJECT], line: 2}}
  teams: {Data: {members: [ada], roles: [DEVELOPER, PROJECT], line: 5}}
  keys: {k-1: {roles: [PROJECT], line: 9}}
  > set k-1 (observed) to PROJECT
  > ! unknown-role: role PROJECT
  > task unknown-role: role PROJECT
  > The service does not offer the role PROJECT for a user's own key and a team key, but roster.yaml:2:3 has it there.
    roster does not change these keys. Remove the role there, or list a key of the right kind under \`keys\`.
  > because own-key-roles at 2
  > because user at 2
  > because member ada at 5
  > rests on role PROJECT: observed, not for a user's own key and a team key, roles
  > accept {"code":"unknown-role:role%20PROJECT","until":"2026-12-20"}
`;
