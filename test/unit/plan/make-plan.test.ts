import { expect, test } from "vitest";
import { planned } from "../../support/plan-inputs.ts";
import { anyDigest } from "../../support/refusal-builders.ts";
import { messageLines, partsOf, planLines, play, wholeFindings } from "../../support/scenes.ts";

test("a plan says everything about what it would do", () => {
  const parts = partsOf(`
there: {root}
users: {root: {line: 1}, ada: {title: Principal, source: gitops, line: 2}}
teams: {Data Science: {admin: root, members: [root, ada], roles: [DEVELOPER], line: 5}}
`);
  const [team, ada, root] = ["acc-1/data science", "ada@acme.example", "root@acme.example"];
  const given = { before: { known: "unknown", why: "this plan makes the key" }, roles: ["DEVELOPER"], ifInexact: true };
  const grounds = { because: expect.any(Array), restsOn: expect.any(Array) };
  expect(planned(parts)).toEqual({
    id: expect.stringMatching(/^[0-9a-f]{16}$/u),
    service: "https://simulated.example",
    actions: [
      {
        kind: "create-user",
        id: `create-user:${ada}`,
        address: ada,
        account: "acc-1",
        user: { email: ada, firstName: "Ada", lastName: "Test", title: "Principal", source: "gitops" },
        createsTeam: { team, name: "Data Science", admin: root, accessKeyRoles: ["DEVELOPER"], temporaryRoles: [] },
        request: anyDigest,
        rule: "creates-team",
        dependsOn: [],
        ...grounds,
      },
      {
        kind: "add-members",
        id: `add-members:${team}`,
        team,
        firstMember: ada,
        members: [{ address: root }],
        rule: "joins-new-team",
        dependsOn: [`create-user:${ada}`],
        ...grounds,
      },
      {
        kind: "replace-roles",
        id: `replace-roles:${team}:${ada}`,
        key: { of: "team-key", address: ada, team },
        ...given,
        rule: "roles-of-first-member",
        dependsOn: [`create-user:${ada}`],
        ...grounds,
      },
      {
        kind: "replace-roles",
        id: `replace-roles:${team}:${root}`,
        key: { of: "team-key", address: root, team },
        ...given,
        rule: "roles-of-new-key",
        dependsOn: [`add-members:${team}`],
        ...grounds,
      },
    ],
    users: new Map([
      [ada, { email: ada, identifier: { known: "unknown", why: "this plan creates the user" } }],
      [root, { email: root, identifier: { known: "observed", value: "u-root", by: "list" } }],
    ]),
    teams: new Map([
      [
        team,
        { name: "Data Science", account: "acc-1", identifier: { known: "unknown", why: "this plan creates the team" } },
      ],
    ]),
    findings: [],
    calls: { reads: 3, writes: 3, atMost: 4 },
  });
});

play("in an account", (parts) => [...planLines(parts), ...wholeFindings(parts)])`
  users: {ada: {account: acc-2, line: 3}, bo}
  teams: {Data: {account: acc-2, members: [ada], line: 8}}
that the service does not know nothing is planned, which is one finding with every place
  > create bo
  > ! account-unavailable: account acc-2
  > task account-unavailable: account acc-2
  > The service does not show the account acc-2. roster plans nothing in it. Correct the account in the roster, or its alias
    in the settings. Or use a key that can see the account.
  > because user at 3
  > because team Data at 8
  > accept {"code":"account-unavailable:account%20acc-2","until":"2026-12-20"}
that is not active nothing is planned
  accounts: {acc-2: Inactive}
  > create bo
  > ! account-unavailable: account acc-2
  > task account-unavailable: account acc-2
  > The service shows the account acc-2 as Inactive. roster plans nothing in it. Activate the account in the service, or
    remove it from the roster.
  > because user at 3
  > because team Data at 8
  > rests on account acc-2: observed, Inactive, account acc-2
  > accept {"code":"account-unavailable:account%20acc-2","until":"2026-12-20"}
`;

play("a profile", messageLines)`
  there: {ada}
  users: {ada: {title: Boss}}
that the roster leaves out is not compared
  users: {ada: {title: gone}}
  there: {ada: {title: Boss, source: web}}
that differs is one finding with every field
  there: {ada: {title: Countess}}
  users: {ada: {lastName: King}}
  > ! profile-differs: The service shows ada with lastName "Test" instead of "King" and title "Countess" instead of "Boss".
    The API cannot change users. Correct it in the service, or write the value of the service into the roster.
that differs in white space or composition alone is a notice
  there: {ada: {title: "Cafe\u0301 chief"}}
  users: {ada: {title: "Café  chief "}}
  > profile-differs: The service shows ada with title "Café chief" instead of "Café  chief ". The service stores it in this
    form. To hide this notice, write it like this in the roster.
that the service answered our creation with is a notice
  there: {ada: {title: BOSS}}
  users: {ada: {title: boss}}
  state: {users: {ada: {profile: {sent: {title: boss}, answered: {title: BOSS}}}}}
  > profile-differs: The service shows ada with title "BOSS" instead of "boss". The service stores it in this form. To hide
    this notice, write it like this in the roster.
that has changed since our creation differs
  there: {ada: {title: BOSS}}
  users: {ada: {title: chief}}
  state: {users: {ada: {profile: {sent: {title: boss}, answered: {title: BOSS}}}}}
  > ! profile-differs: The service shows ada with title "BOSS" instead of "chief". The API cannot change users. Correct it
    in the service, or write the value of the service into the roster.
whose external identifier the service set to the address is no matter
  there: {ada: {externalIdentifier: ADA@acme.example}}
  users: {ada: {title: gone, externalIdentifier: E-1}}
whose source differs is a notice
  there: {ada: {source: web}}
  users: {ada: {title: gone, source: gitops}}
  > profile-differs: The service shows ada with source "web" instead of "gitops". The service stores it in this form. To
    hide this notice, write it like this in the roster.
that is hidden is not compared
  there: {ada: {lastName: Else}}
  hides: [user-profiles]
`;

play("people whom the roster does not name", planLines)`
  there: {zoe, ada, old, gone: {status: deleted}}
  users: {ada, new: {previously: [old]}}
are told where the run asks for it, but for those whom it knows by a former address
  reportUnmanaged: true
  > ! former-address: user new
  > unmanaged: user zoe
`;
