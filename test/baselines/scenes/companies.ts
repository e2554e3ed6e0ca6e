import type { Seed } from "../../../src/reference-server/seed.ts";

/** Three people, one of whom creates the team. */
export const threePeople = `version: 1
account: acc-1
users:
  - { email: ada@acme.example, firstName: Ada, lastName: Lovelace, title: Engineer }
  - { email: bo@acme.example, firstName: Bo, lastName: Diaz }
  - { email: cy@acme.example, firstName: Cy, lastName: Tanaka, ownKeyRoles: [DEVELOPER] }
teams:
  - name: Red
    admin: ada@acme.example
    roles: [DEVELOPER, TEAM_ROLE]
    members:
      - { user: ada@acme.example }
      - { user: bo@acme.example }
      - { user: cy@acme.example, roles: [TEAM_ROLE] }
`;

export const threePeopleFiles = { "roster.yaml": threePeople };

/** The team Red as it may have been before the roster: Ada has another title and Cy a privilege, Di is in it as well. */
export const redBefore: Seed = {
  accounts: [{ identifier: "acc-1", name: "Acme" }],
  users: [
    { identifier: "u-ada", email: "ada@acme.example", firstName: "Ada", lastName: "Lovelace", title: "Director" },
    { identifier: "u-cy", email: "cy@acme.example", firstName: "Cy", lastName: "Tanaka" },
    { identifier: "u-di", email: "di@acme.example", firstName: "Di", lastName: "Berg" },
  ],
  teams: [
    {
      identifier: "team-red",
      name: "Red",
      admin: "ada@acme.example",
      members: [
        { user: "ada@acme.example", prefix: "redAda01", roles: ["DEVELOPER", "TEAM_ROLE"] },
        { user: "cy@acme.example", prefix: "redCy02", roles: ["ACCOUNT_ADMIN", "TEAM_ROLE"] },
        { user: "di@acme.example", prefix: "redDi03", roles: ["DEVELOPER", "TEAM_ROLE"] },
      ],
    },
  ],
  keys: [{ prefix: "nightly04", owner: "di@acme.example", kind: "project", roles: ["PROJECT"] }],
};

/** Each kind of fault that a roster may have, in one file or between two. */
export const faultyFiles = {
  "people.yaml": `version: 1
account: acc-1
users:
  - { email: ada@acme.example, firstName: Ada, lastName: Lovelace, titel: Engineer }
  - { email: Ada@acme.example, firstName: Ada, lastName: Lovelace }
  - { email: not-an-address, firstName: Bo, lastName: Diaz }
  - { email: cy@acme.example, firstName: Cy }
  - { email: di@acme.example, firstName: Di, lastName: Berg, until: 2026-13-40 }
leavers:
  - { email: di@acme.example }
`,
  "teams.yaml": `version: 1
account: acc-1
roleSets:
  engineer: [DEVELOPER, TEAM_ROLE]
  unused: [AUDITOR]
groups:
  nobody: []
teams:
  - name: Red
    admin: zoe@acme.example
    roles: [{ set: enginer }]
    members:
      - { user: ada@acme.example }
      - { user: ada@acme.example }
      - { group: everyone }
  - name: red
    roles: DEVELOPER
    members: [{ user: eve@acme.example }]
`,
  "broken.yaml": "version: 1\nusers:\n   - { email: fay@acme.example\n",
  "future.yaml": "version: 2\nusers: []\n",
} as const;
