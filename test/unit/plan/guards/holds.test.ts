import { describe, expect, test } from "vitest";
import { foldPersonName } from "../../../../src/plan/guards/guards.ts";
import { messageLines, partsOf, planLines, play, wholeFindings } from "../../../support/scenes.ts";

play("allowed-email-domains:", (parts) => [...planLines(parts), ...messageLines(parts).slice(0, 1)])`
  there: {root: {in: {Red}}, guest@other.example: {firstName: Guest@other.example}}
  users: {root, guest@other.example}
  guards: {allowedEmailDomains: [acme.example, xn--mller-kva.example]}
nobody of a domain that is not allowed is created or added, and everybody else is
  users: {bo, cy@acme.exampel}
  teams: {Red: {members: [root, bo, cy@acme.exampel, guest@other.example]}}
  > create bo
  > add bo to Red after create-user:bo
  > ! allowed-email-domains: user cy@acme.exampel
  > ! allowed-email-domains: user guest@other.example
  > ! allowed-email-domains: cy@acme.exampel is not created and not added to teams: the settings do not allow the domain acme.exampel. The settings allow acme.example and xn--mller-kva.example. Correct the address, or add its domain to \`guards.allowed-email-domains\` in the settings file (roster.config.yaml). To allow cy@acme.exampel, but not the whole domain, run \`--allow allowed-email-domains:cy@acme.exampel\`.
nobody is held who is there and asks for no invitation
where no domains are set, every domain is allowed
  users: {bo@other.example}
  guards: gone
  > create bo@other.example
`;

test.each([
  ["bo@ACME.example", "passes"],
  ["bo@müller.example", "passes"],
  ["bo@xn--mller-kva.example", "passes"],
  ["bo@sub.acme.example", "is held"],
  ["bo@notacme.example", "is held"],
  ["bo@muller.example", "is held"],
])("%s %s", (email, comesTo) => {
  const guards = "guards: {allowedEmailDomains: [acme.example, xn--mller-kva.example]}";
  const [line = "", ...more] = planLines(partsOf(guards, `users: {"${email}"}`));
  expect([line.split(" ")[0], more]).toEqual([comesTo === "passes" ? "create" : "!", []]);
});

const lovelace = "firstName: Ada, lastName: Lovelace";
/** Ada Lovelace is to be created as ada.l, and bo. */
const common = `{users: {ada.l: {${lovelace}}, bo}, guards: {nearDuplicate: on}}`;
const old = `there: {ada.l@old.example: {${lovelace}}}`;

test.each([
  ["who is there under another domain", "ada.l@old.example"],
  ["with a letter less in the address", "adal"],
  ["with a letter more", "ada.ll"],
  ["with another letter", "ada.k"],
  ["with two letters exchanged", "ad.al"],
  [
    "whatever the case, the marks and the spaces of the name",
    "ada.l@old.example",
    'firstName: "ÁDA ", lastName: lovelace',
  ],
  ["whom the service bars", "ada.l@old.example", `${lovelace}, status: inactive`],
])("somebody is held %s, and nobody else is", (_, other, person = lovelace) => {
  expect(planLines(partsOf(common, `there: {${other}: {${person}}}`))).toEqual([
    "create bo",
    "! near-duplicate: user ada.l",
  ]);
});

test.each([
  ["for a name alone", `there: {countess: {${lovelace}}}`],
  ["for an address alone", "there: {ada.l@old.example: {firstName: Ada, lastName: King}}"],
  [
    "for two edits",
    `{there: {ada.lo: {${lovelace}}}, users: {ada.l: gone, ada: {${lovelace}}}}`,
    ["create ada", "create bo"],
  ],
  ["for somebody who was deleted", `there: {ada.l@old.example: {${lovelace}, status: deleted}}`],
  ["for somebody whom the roster calls somebody else", `${old}\nusers: {ada.l: {distinctFrom: [ada.l@old.example]}}`],
  ["for a user of the roster", `${old}\nusers: {ada.l@old.example: {${lovelace}}}`],
  [
    "where two users of one name and similar addresses are both new",
    `users: {ada.k: {${lovelace}}}`,
    ["create ada.k", "create ada.l", "create bo"],
  ],
  ["where the service shows no names", `${old}\nhides: [user-profiles]`],
  ["where the guard is off", `${old}\nguards: {nearDuplicate: off}`],
])("nobody is held %s", (_, text, created = ["create ada.l", "create bo"]) => {
  expect(planLines(partsOf(common, text))).toEqual(created);
});

play("a near duplicate is told", wholeFindings)`
  users: {ada.l: {firstName: Ada, lastName: Lovelace}}
  guards: {nearDuplicate: on}
with everybody who is near, what to write, and how to allow the plan
  there: {ada.l@old.example: {firstName: Ada, lastName: Lovelace}, Adal: {firstName: Ada, lastName: Lovelace}}
  > task near-duplicate: user ada.l
  > roster does not create ada.l. The service already has other users named Ada Lovelace, with a similar address: Adal and ada.l@old.example. The roster does not have ada.l@old.example. The roster does not have Adal. If ada.l is wrong, correct it. If they are different people, add \`distinctFrom: [Adal, ada.l@old.example]\` to the entry of ada.l. To create ada.l without a change of the roster, run \`--allow near-duplicate:ada.l\`.
  > because user at 1
  > rests on user ada.l@old.example: observed, present, list
  > rests on user adal: observed, present, list
  > allow ["near-duplicate:ada.l"]
  > accept {"code":"near-duplicate:ada.l","until":"2026-12-20"}
  > guarded true
`;

play("a near duplicate is told", messageLines)`
  users: {ada.l: {firstName: Ada, lastName: Lovelace}}
  guards: {nearDuplicate: on}
as a leaver, who is one
  there: {ada.l@old.example: {own: none, firstName: Ada, lastName: Lovelace}}
  leavers: {ada.l@old.example}
  > ! near-duplicate: roster does not create ada.l. The service already has another user named Ada Lovelace, with a similar address: ada.l@old.example. ada.l@old.example is a leaver. If ada.l is wrong, correct it. If they are different people, add \`distinctFrom: [ada.l@old.example]\` to the entry of ada.l. To create ada.l without a change of the roster, run \`--allow near-duplicate:ada.l\`.
  > ! leaver-remains: ada.l@old.example is a leaver, and the service still has this user (identifier u-ada.l) in acc-1. The API cannot delete users or end memberships. Delete or disable this user in the web interface of the service.
`;

describe("whoever was dropped and is there under another address altogether", () => {
  const dropped = [common, `{there: {countess: {${lovelace}}}, applied: [countess]}`];
  const told = "! user-removed: user countess";

  test("may be the person of this name who would be created", () => {
    const parts = partsOf(...dropped);
    expect(planLines(parts)).toEqual(["create bo", "! near-duplicate: user ada.l", told]);
    expect(wholeFindings(parts)).toEqual(
      expect.arrayContaining([
        "roster does not create ada.l. The service already has another user named Ada Lovelace: countess. The roster no longer " +
          "has countess. If ada.l is wrong, correct it. If ada.l is a new address of countess, add `previously: [countess]` to the entry of " +
          "ada.l. If they are different people, add `distinctFrom: [countess]` to the entry of ada.l. To create ada.l without a change of the roster, run `--allow near-duplicate:ada.l`.",
      ]),
    );
  });

  test("keeps the roles of a key that would be revoked meanwhile", () => {
    const team =
      "{there: {countess: {in: {Red}}}, teams: {Red: {identifier: t-red, onRemoval: revoke, members: [ada.l]}}}";
    const deedsFor = (text: string) =>
      planLines(partsOf(...dropped, team, text)).filter((line) => !line.startsWith("!"));
    expect(deedsFor("")).toEqual(["create bo"]);
    expect(deedsFor("users: {ada.l: {lastName: King}}")).toEqual([
      "set k-countess-red (observed) to nothing",
      "create ada.l",
      "create bo",
      "add ada.l to Red after create-user:ada.l",
    ]);
  });

  test.each([
    ["where the roster calls them somebody else", "users: {ada.l: {distinctFrom: [countess]}}", [told]],
    ["where it is said that they are nobody's matter", "allows: [user-removed:countess@acme.example]", []],
    ["where the name is another one", "users: {ada.l: {lastName: King}}", [told]],
  ])("holds nobody %s", (_, text, findings) => {
    expect(planLines(partsOf(...dropped, text))).toEqual(["create ada.l", "create bo", ...findings]);
  });
});

/** Root leads Red, and bo is in it. */
play("privileged-roles:", planLines)`
  there: {root: {in: {Red: [ACCOUNT_ADMIN]}}, bo: {in: {Red: [DEVELOPER]}}}
  users: {root, bo}
  teams: {Red: {members: [root, bo], roles: [ACCOUNT_ADMIN]}}
  guards: {privilegedRoles: {roles: [ACCOUNT_ADMIN], people: [root@acme.example]}}
nobody is given a privileged role on a key that is there
  > ! privileged-roles: user bo
nothing is gained by whoever has the role on this key
  there: {bo: {in: {Red: [ACCOUNT_ADMIN]}}}
  teams: {Red: {members: [root, {user: bo, roles: [ACCOUNT_ADMIN, AUDITOR]}]}}
  > set k-bo-red (observed) to ACCOUNT_ADMIN+AUDITOR
nothing is gained by roles that are not privileged
  teams: {Red: {members: [root, {user: bo, roles: [AUDITOR]}]}}
  > set k-bo-red (observed) to AUDITOR
nothing is gained by losing the role
  there: {bo: {in: {Red: [ACCOUNT_ADMIN]}}}
  teams: {Red: {members: [root, {user: bo, roles: [AUDITOR]}]}}
  > set k-bo-red (observed) to AUDITOR
nothing is gained by whoever has the role on another key
  there: {bo: {own: [ACCOUNT_ADMIN]}}
  > set k-bo-red (observed) to ACCOUNT_ADMIN
nothing is gained by whoever was given the role by our last replacement, where the service shows no roles
  users: {root: gone}
  teams: {Red: {open: true, members: [{user: bo, roles: [ACCOUNT_ADMIN, AUDITOR]}]}}
  hides: [roles]
  state: {keys: {k-bo-red: [ACCOUNT_ADMIN]}}
  > set k-bo-red (observed) to ACCOUNT_ADMIN+AUDITOR
nothing is held where the guard is off
  guards: {privilegedRoles: off}
  > set k-bo-red (observed) to ACCOUNT_ADMIN
nothing is held of people whom the settings list
  guards: {privilegedRoles: {people: [root@acme.example, bo@acme.example]}}
  > set k-bo-red (observed) to ACCOUNT_ADMIN
a new member is added, and gets no privileged role
  users: {cy}
  teams: {Red: {members: [root, {user: bo, roles: [DEVELOPER]}, cy]}}
  > create cy
  > add cy to Red after create-user:cy
  > ! privileged-roles: user cy
a key of nobody known is told by its prefix
  keys: {p1: {roles: [ACCOUNT_ADMIN]}}
  teams: {Red: gone}
  everyone: {read: not-read}
  > ! privileged-roles: key p1
a first member creates without the role, and the others of the team are as they are to be
  users: {cy, dee}
  teams:
    Red: gone
    Blue: {admin: cy, members: [{user: cy, roles: [ACCOUNT_ADMIN, DEVELOPER]}, {user: dee, roles: [AUDITOR]}]}
  > create cy creating Blue with DEVELOPER
  > create dee after create-user:cy
  > add dee to Blue after create-user:cy, create-user:dee
  > set key of dee in Blue to AUDITOR after add-members:acc-1/blue
  > ! privileged-roles: user cy
a first member who is to have nothing else creates with a harmless role
  users: {cy}
  teams: {Red: gone, Blue: {members: [cy], roles: [ACCOUNT_ADMIN]}}
  > create cy creating Blue with TEAM_ROLE
  > ! privileged-roles: user cy
where the settings call the default role privileged, a first member creates no team and is kept for it
  offers: [ACCOUNT_ADMIN, TEAM_ROLE]
  users: {cy, dee, eli}
  teams: {Red: gone, Blue: {members: [cy, dee]}}
  privileged: [TEAM_ROLE]
  guards: {privilegedRoles: {roles: [TEAM_ROLE]}}
  > create dee
  > create eli
  > ! privileged-roles: user cy
where the settings call the default role privileged, a first member whom they list creates the team
  offers: [ACCOUNT_ADMIN, TEAM_ROLE]
  users: {cy, dee, eli}
  teams: {Red: gone, Blue: {members: [cy, dee]}}
  privileged: [TEAM_ROLE]
  guards: {privilegedRoles: {roles: [TEAM_ROLE], people: [cy@acme.example]}}
  > create cy creating Blue with TEAM_ROLE
  > create dee after create-user:cy
  > create eli
  > add dee to Blue after create-user:cy, create-user:dee
  > set key of cy in Blue to nothing after create-user:cy
  > temporary-privilege: team acc-1/blue
`;

play("privileged-roles is told", messageLines)`
  there: {bo: {in: {Red: [DEVELOPER]}}}
  users: {bo}
  guards: {privilegedRoles: {roles: [ACCOUNT_ADMIN], people: []}}
with the key on which a role would be gained
  teams: {Red: {members: [bo], roles: [ACCOUNT_ADMIN, AUDITOR]}}
  > ! privileged-roles: bo would gain ACCOUNT_ADMIN on the key k-bo-red in Red. The guard privileged-roles blocks this change. If bo must not have ACCOUNT_ADMIN, correct the roster. If this user is always allowed to have privileged roles, list the user under \`guards.privileged-roles.people\` in the settings file (roster.config.yaml). To give ACCOUNT_ADMIN to bo this time, run \`--allow privileged-roles:bo --reason TEXT\`.
with the team whose creation would give it
  users: {cy}
  teams: {Blue: {admin: cy, members: [{user: cy, roles: [ACCOUNT_ADMIN, DEVELOPER]}]}}
  > ! privileged-roles: cy would gain ACCOUNT_ADMIN on the new key in Blue. The guard privileged-roles blocks this change. If cy must not have ACCOUNT_ADMIN, correct the roster. If this user is always allowed to have privileged roles, list the user under \`guards.privileged-roles.people\` in the settings file (roster.config.yaml). To give ACCOUNT_ADMIN to cy this time, run \`--allow privileged-roles:cy --reason TEXT\`.
with the address as it is written
  users: {Thea}
  teams: {Blue: {admin: Thea, members: [{user: Thea, roles: [ACCOUNT_ADMIN, DEVELOPER]}]}}
  > ! privileged-roles: Thea would gain ACCOUNT_ADMIN on the new key in Blue. The guard privileged-roles blocks this change. If Thea must not have ACCOUNT_ADMIN, correct the roster. If this user is always allowed to have privileged roles, list the user under \`guards.privileged-roles.people\` in the settings file (roster.config.yaml). To give ACCOUNT_ADMIN to Thea this time, run \`--allow privileged-roles:thea --reason TEXT\`.
with the short time for which it would be given, and who is kept for the team
  offers: [ACCOUNT_ADMIN, TEAM_ROLE]
  users: {cy}
  teams: {Blue: {members: [cy]}}
  privileged: [TEAM_ROLE]
  guards: {privilegedRoles: {roles: [TEAM_ROLE]}}
  > ! privileged-roles: cy would gain TEAM_ROLE on the new key in Blue for a short time. The guard privileged-roles blocks this change. If cy must not have TEAM_ROLE, correct the roster. If this user is always allowed to have privileged roles, list the user under \`guards.privileged-roles.people\` in the settings file (roster.config.yaml). To give TEAM_ROLE to cy this time, run \`--allow privileged-roles:cy --reason TEXT\`. Until this task is done, roster does not create cy. The API creates a team only together with a new user.
`;

play("the key in use", planLines)`
  there: {root: {own: [ACCOUNT_ADMIN]}}
  keys: {k-root: {roles: [TEAM_ROLE]}}
  keyInUse: k-root
is left alone where it would lose what lets it administer
  > ! own-key: key k-root
loses a harmless role
  there: {root: {own: [ACCOUNT_ADMIN, TEAM_ROLE]}}
  keys: {k-root: {roles: [ACCOUNT_ADMIN]}}
  > set k-root (observed) to ACCOUNT_ADMIN
is another one
  keyInUse: k-other
  > set k-root (observed) to TEAM_ROLE
is left alone where it may lose it, as its roles are hidden
  hides: [roles]
  > ! own-key: key k-root
keeps a privileged role, as far as can be told
  keys: {k-root: {roles: [ACCOUNT_ADMIN]}}
  hides: [roles]
  > set k-root (observed) to ACCOUNT_ADMIN
`;

play("protected:", planLines)`
  there: {root: {in: {Red: [DEVELOPER]}}, bo: {in: {Red: [DEVELOPER], Blue: [TEAM_ROLE]}}}
  users: {root, bo, cy}
  teams: {Red: {members: [root, bo], roles: [AUDITOR]}, Blue: {members: [root, bo, cy], admin: root}}
no action touches a person who is protected, and everybody else gets what is theirs
  guards: {protect: {users: [root@acme.example], keys: []}}
  > create cy
  > add cy to Blue after create-user:cy
  > set k-bo-red (observed) to AUDITOR
  > ! protected: user root
nobody who is protected is created
  guards: {protect: {users: [cy@acme.example], keys: []}}
  > add root to Blue
  > set k-bo-red (observed) to AUDITOR
  > set k-root-red (observed) to AUDITOR
  > ! protected: user cy
no roles of a protected key are replaced
  guards: {protect: {users: [], keys: [k-bo-red]}}
  > create cy
  > add cy, root to Blue after create-user:cy
  > set k-root-red (observed) to AUDITOR
  > ! protected: key k-bo-red
whoever is protected may be named as a new team's administrator
  users: {bo: gone}
  teams: {Red: gone, Blue: gone, Green: {admin: root, members: [root, cy]}}
  guards: {protect: {users: [root@acme.example], keys: []}}
  > create cy creating Green for root with TEAM_ROLE
  > set key of cy in Green to TEAM_ROLE after create-user:cy
  > ! protected: user root
a key is a person's where only our records say so
  there: {root: gone, bo: gone}
  users: {root: gone, cy: gone}
  teams: {Red: gone, Blue: gone}
  keys: {p1: {roles: [DEVELOPER]}}
  everyone: {read: not-read}
  state: {users: {root: {key: p1}}}
  guards: {protect: {users: [root@acme.example], keys: []}}
  > create bo
  > ! protected: user root
`;

play("protected is told", messageLines)`
  there: {root: {in: {Blue}}}
  users: {root, cy}
  teams: {Blue: {members: [root, cy]}}
  guards: {protect: {users: [cy@acme.example], keys: []}}
with the actions that it holds
  > ! protected: The settings protect cy. So roster does not do these actions: (1) create the user and (2) invite the user to team Blue. If the service is right, change the roster to match it. If the roster is right, remove cy from \`protect\` in the settings file (roster.config.yaml).
`;

/** In the team Data as far as the state remembers are ada, bo and cy; the roster has Data Science instead. */
play("renamed-team holds a team", planLines)`
  there: {ada, bo, cy}
  users: {ada, bo, cy, new}
  teams: {Data Science: {members: [ada, bo, new]}}
whose members are mostly those of a recorded team that is in the roster no more
  users: {other}
  teams: {Data Science: {members: [ada, bo, new, other]}}
  state: {teams: {Data: {identifier: t-42}}, members: {Data/ada: {}, Data/bo: {}, Data/cy: {}}}
  > create other
  > ! renamed-team: team acc-1/data science
whose members are mostly those of a team that the service shows, and the other way round
  there: {ada: {in: {Data}}, bo: {in: {Data}}, cy: {in: {Data}}}
  > ! renamed-team: team acc-1/data science
that was met by its identifier under whatever name, and never had a member added by us
  shown: {Data: {name: Data of old}}
  there: {ada: {in: {Data}}, bo: {in: {Data}}, cy: {in: {Data}}, d: {in: {Data}}, e: {in: {Data}}, f: {in: {Data}}, g: {in: {Data}}}
  state: {teams: {Data: {identifier: t-data}}}
  > ! renamed-team: team acc-1/data science
that was met by its name, and never had a member added by us
  there: {ada: {in: {Data}}, bo: {in: {Data}}, cy: {in: {Data}}, d: {in: {Data}}, e: {in: {Data}}, f: {in: {Data}}, g: {in: {Data}}}
  state: {teams: {Data: {}}}
  > ! renamed-team: team acc-1/data science
although the service does not show to which account its members belong
  there: {ada: {in: {Data}}, bo: {in: {Data}}, cy: {in: {Data}}}
  hides: [account-members, user-accounts]
  > ! renamed-team: team acc-1/data science
whose members are known by the former addresses that the service shows
  there: {ada: {in: {Data}}, bo: {in: {Data}}, cy: {in: {Data}}}
  users: {ada: gone, bo: gone, cy: gone, ada.n: {previously: [ada]}, bo.n: {previously: [bo]}, cy.n: {previously: [cy]}}
  teams: {Data Science: {members: [ada.n, bo.n, cy.n, new]}}
  state: {teams: {Data: {}}}
  > ! renamed-team: team acc-1/data science
  > ! former-address: user ada.n
  > ! former-address: user bo.n
  > ! former-address: user cy.n
whose members are known by the former addresses that the service has, and that the state remembers
  there: {ada: {in: {Data}}, bo: {in: {Data}}, cy: {in: {Data}}}
  users: {ada: gone, bo: gone, cy: gone, ada.n: {previously: [ada]}, bo.n: {previously: [bo]}, cy.n: {previously: [cy]}}
  teams: {Data Science: {members: [ada.n, bo.n, cy.n, new]}}
  state: {teams: {Data: {identifier: t-data}}, members: {Data/ada: {}, Data/bo: {}, Data/cy: {}}}
  > ! renamed-team: team acc-1/data science
  > ! former-address: user ada.n
  > ! former-address: user bo.n
  > ! former-address: user cy.n
`;

play("renamed-team holds no team", planLines)`
  there: {ada, bo, cy}
  users: {ada, bo, cy, new}
  teams: {Data Science: {members: [ada, bo, new]}}
  state: {teams: {Data: {}}, members: {Data/ada: {}, Data/bo: {}, Data/cy: {}}}
of whose members only one was in the other team
  teams: {Data Science: {members: [ada, new]}}
  > create new creating Data Science with TEAM_ROLE
  > add ada to Data Science after create-user:new
  > set key of new in Data Science to TEAM_ROLE after create-user:new
of whose members less than half were in the other team
  users: {newer, newest}
  teams: {Data Science: {members: [ada, bo, new, newer, newest]}}
  > create new creating Data Science with TEAM_ROLE
  > create newer after create-user:new
  > create newest after create-user:new
  > add ada, bo, newer, newest to Data Science after create-user:new, create-user:newer, create-user:newest
  > set key of new in Data Science to TEAM_ROLE after create-user:new
whose members are few of those of a team that only the service shows
  there: {ada: {in: {Every}}, bo: {in: {Every}}, cy: {in: {Every}}, d: {in: {Every}}, e: {in: {Every}}}
  state: gone
  > create new creating Data Science with TEAM_ROLE
  > add ada, bo to Data Science after create-user:new
  > set key of new in Data Science to TEAM_ROLE after create-user:new
beside a team that is still in the roster
  there: {ada: {in: {Data}}, bo: {in: {Data}}, cy: {in: {Data}}}
  teams: {Data: {members: [ada, bo, cy]}}
  > create new creating Data Science with TEAM_ROLE
  > add ada, bo to Data Science after create-user:new
  > set key of new in Data Science to TEAM_ROLE after create-user:new
where the members were in a team of another account
  accounts: {acc-2}
  state: {teams: {Data: {team: acc-2/data, account: acc-2}}}
  > create new creating Data Science with TEAM_ROLE
  > add ada, bo to Data Science after create-user:new
  > set key of new in Data Science to TEAM_ROLE after create-user:new
that is known by its former name
  there: {new}
  teams: {Data Science: {members: [ada, bo], previously: [Data]}}
  state: {teams: {Data: {identifier: t-42}}}
  hides: [keys]
  > team-name-differs: team acc-1/data science
`;

/** From the wish on: what stands before it is held above. */
const wishes = (parts: Parameters<typeof messageLines>[0]) =>
  messageLines(parts).map((one) => one.slice(one.indexOf("To ")));

play("a task names another one that blocks the same change", wishes)`
  there: {ada, bo, cy}
  users: {ada, bo, cy, new}
  teams: {Data Science: {members: [{user: ada, roles: [ACCOUNT_ADMIN]}, bo, {user: new, roles: [ACCOUNT_ADMIN]}]}}
  state: {teams: {Data: {}}, members: {Data/ada: {}, Data/bo: {}, Data/cy: {}}}
  guards: {privilegedRoles: {roles: [ACCOUNT_ADMIN], people: []}}
before its own command
  > To give ACCOUNT_ADMIN to new this time, first do the task renamed-team of team acc-1/data science. If the next plan still shows the task privileged-roles, run \`--allow privileged-roles:new --reason TEXT\`.
  > To give ACCOUNT_ADMIN to ada this time, first do the task renamed-team of team acc-1/data science. If the next plan still shows the task privileged-roles, run \`--allow privileged-roles:ada --reason TEXT\`.
  > To create Data Science as another team, run \`--allow renamed-team:data%20science\`. Until this task is done, roster does not create new. The API creates a team only together with a new user.
`;

play("renamed-team is told", wholeFindings)`
  there: {ada, bo, cy}
  users: {ada, bo, cy}
  teams: {Data Science: {members: [ada, bo, cy]}}
  state: {teams: {Data: {identifier: t-42}}, members: {Data/ada: {}, Data/bo: {}, Data/cy: {}}}
with who waits and what to write
  users: {new, other}
  teams: {Data Science: {members: [ada, bo, new, other]}}
  > task renamed-team: team acc-1/data science
  > roster does not create Data Science: 2 of its 4 members are in Data, and the roster no longer has Data. If the team was only renamed, write its former name under \`previously\`. To create Data Science as another team, run \`--allow renamed-team:data%20science\`. Until this task is done, roster does not create new. The API creates a team only together with a new user.
  > because team Data Science at 1
  > rests on team acc-1/data: recorded, present, 2026-11-01T00:00:00.000Z
  > allow ["renamed-team:data%20science"]
  > suggestedYaml teams:
  > suggestedYaml   - name: Data Science
  > suggestedYaml     previously: [Data] # or identifier: t-42
  > accept {"code":"renamed-team:data%20science","until":"2026-12-20"}
  > guarded true
where nobody can found the team, before it is made by hand
  > task cannot-create-team: team acc-1/data science
  > Data Science may exist under another name: 3 of its 3 members are in Data, and the roster no longer has Data.
    If the team was only renamed, write its former name under \`previously\`. If it is
    new: roster cannot create Data Science: the API creates a team only together with a new user. All members of Data Science already exist. Create Data Science in the web interface of the service, and write its \`identifier\` into the roster. Or add one more new user, and make this user the \`firstMember\` of Data Science.
  > because team Data Science at 1
  > rests on team acc-1/data science: observed, absent, list
  > rests on team acc-1/data: recorded, present, 2026-11-01T00:00:00.000Z
  > suggestedYaml teams:
  > suggestedYaml   - name: Data Science
  > suggestedYaml     previously: [Data] # or identifier: t-42
  > accept {"code":"cannot-create-team:data%20science","until":"2026-12-20"}
`;

/** Of each finding its subject and facts, and whether its message speaks of the default. Guest is there, and in no team. */
play("what a guard holds rests", (parts) =>
  wholeFindings(parts).flatMap((line) => {
    return /^(?:task|rests on) /u.test(line) ? [line] : [];
  }),
)`
  there: {root: {in: {Red}}, bo: {in: {Red: [DEVELOPER]}}, guest@other.example: {firstName: Guest@other.example}}
  users: {root, bo, guest@other.example, cy@third.example}
  teams: {Red: {members: [root, {user: bo, roles: [ACCOUNT_ADMIN]}, guest@other.example, cy@third.example]}}
on the domains' line in the settings and on what is known of the person, and of nobody else
  guards:
    allowedEmailDomains: [acme.example]
    setAt: {guards.allowed-email-domains: {file: roster.config.yaml, line: 3, column: 5}}
  > task allowed-email-domains: user cy@third.example
  > rests on setting guards.allowed-email-domains: declared, acme.example, roster.config.yaml:3
  > rests on user cy@third.example: observed, absent, list
  > rests on member cy@third.example of team acc-1/red: unknown, this plan creates the team or the user
  > task allowed-email-domains: user guest@other.example
  > rests on setting guards.allowed-email-domains: declared, acme.example, roster.config.yaml:3
  > rests on member guest@other.example of team acc-1/red: observed, absent, list
on the privileged roles' line and on what the key has
  guards:
    privilegedRoles: {roles: [ACCOUNT_ADMIN], people: []}
    setAt: {guards.privileged-roles: {file: roster.config.yaml, line: 3, column: 5}}
  > task privileged-roles: user bo
  > rests on setting guards.privileged-roles: declared, ACCOUNT_ADMIN, roster.config.yaml:3
  > rests on roles of key k-bo-red: observed, DEVELOPER, list
on no line where the default does
  guards: {privilegedRoles: {roles: [ACCOUNT_ADMIN], people: []}}
  > task privileged-roles: user bo
  > rests on roles of key k-bo-red: observed, DEVELOPER, list
on the line of protect and on what is known of whom it protects
  guards:
    protect: {users: [bo@acme.example, cy@third.example], keys: []}
    setAt: {protect: {file: roster.config.yaml, line: 3, column: 5}}
  > task protected: user bo
  > rests on setting protect: declared, bo, roster.config.yaml:3
  > rests on roles of key k-bo-red: observed, DEVELOPER, list
  > task protected: user cy@third.example
  > rests on setting protect: declared, cy@third.example, roster.config.yaml:3
  > rests on user cy@third.example: observed, absent, list
  > rests on member cy@third.example of team acc-1/red: unknown, this plan creates the team or the user
`;

test.each([
  ["are one in any letter case", ["ADA", "lovelace"], ["Ada", "Lovelace"], true],
  ["are one with any white space", [" Ada  Maria", "Lovelace "], ["Ada", "Maria Lovelace"], true],
  ["are one composed or not", ["Jos\u00e9", "D\u00edaz"], ["Jose\u0301", "Di\u0301az"], true],
  ["are one with or without marks", ["José", "Müller"], ["Jose", "Muller"], true],
  ["are two where a letter is a letter of its own", ["Søren", "Sø"], ["Soren", "So"], false],
  ["are two where first and last name are exchanged", ["Ada", "King"], ["King", "Ada"], false],
  ["are two where one is a part of the other", ["Ada", "Lovelace"], ["Ada", ""], false],
] as const)("names of people %s", (_, one, other, isSame) => {
  expect(foldPersonName(one[0], one[1]) === foldPersonName(other[0], other[1])).toBe(isSame);
});

test("nobody's name is none", () => {
  expect([foldPersonName(undefined, undefined), foldPersonName(" ", "")]).toEqual([undefined, undefined]);
  expect(foldPersonName("Ada", "x".repeat(201))).toBeUndefined();
});
