import { exampleFiles } from "../examples.ts";
import { edit, type Scene } from "../scene.ts";
import { faultyFiles } from "./companies.ts";

const fedRoster = `version: 1
defaults: { source: hr }
users:
  - { email: ada@acme.example, firstName: Ada, lastName: Lovelace, externalIdentifier: "7" }
  - { email: bo@acme.example, firstName: Bo, lastName: Diaz, source: agency }
  # Cy works at night.
  - { email: cy@acme.example, firstName: Cy, lastName: Tanaka }
  - { email: dee@acme.example, firstName: Dee, lastName: Admin }
teams:
  - { name: Data, admin: dee@acme.example, members: [dee@acme.example, cy@acme.example, bo@acme.example] }
`;

/** Commands that need no service: what is said of rosters, and what is written of them. */
export const rosterScenes: readonly Scene[] = [
  {
    name: "validate",
    about: "The examples are validated in every format, with warnings.",
    files: { ...exampleFiles("acme"), ...exampleFiles("leavers"), ...exampleFiles("quickstart") },
    steps: [
      "validate examples/acme --format json",
      "validate examples/acme --format markdown --title Acme",
      "validate examples/leavers",
      "validate examples/quickstart/roster.yaml",
      "validate",
      {
        roster: "validate - --account acc-9",
        stdin: "version: 1\nusers: [{ email: ada@acme.example, firstName: A, lastName: L }]\n",
      },
      { roster: "validate -", stdin: "version: 1\nusers: [{ email: ada@acme.example, firstName: A, lastName: L }]\n" },
      edit(
        "examples/leavers/until.yaml",
        "version: 1\naccount: acc-1\nusers: [{ email: gus@acme.example, firstName: G, lastName: O, until: 2026-11-19 }]\n",
      ),
      "validate examples/leavers",
    ],
  },
  {
    name: "validate-faulty",
    about: "A roster with a fault of every kind, in every format.",
    files: { ...faultyFiles, "reports/.keep": "" },
    steps: [
      "validate",
      "validate --format markdown",
      "validate people.yaml",
      "plan",
      "plan --format json",
      {
        roster: "plan --format github",
        env: { GITHUB_STEP_SUMMARY: "{directory}/summary.md", GITHUB_OUTPUT: "{directory}/output.txt" },
      },
      { roster: "validate", hasColours: true },
      {
        roster:
          "validate teams.yaml --report json=reports/validate.json --report markdown=reports/validate.md --report sarif=reports/validate.sarif",
        hasColours: true,
      },
    ],
  },
  {
    name: "import-feed",
    about: "An HR export is brought into a roster, where some people have another source.",
    env: { ROSTER_ENDPOINT: "", ROSTER_API_KEY: "" },
    files: {
      "roster.config.yaml": "account: acc-1\n",
      "roster.yaml": fedRoster,
      "people.csv":
        'Employee ID;First name;Last name;E-mail;Job title\r\n7;Ada;King;ada@acme.example;"Countess; chief"\r\n9;Bo;Diaz;bo@acme.example;\r\n11;Nia;Wu;nia@acme.example;\'=Analyst\r\n',
      "empty.csv": "email,first name,last name\n",
      "wrong.csv": 'email,first name,last name\nada,Ada,L\nbo@acme.example,Bo,D\nBo@acme.example,"Bo,D\n',
      "short.csv": "name,mail\nAda,ada@acme.example\n",
    },
    steps: [
      `import --from people.csv --update --check --format text`,
      "import --from empty.csv --update",
      "import --from wrong.csv --update --format json",
      "import --from wrong.csv --update",
      "import --from short.csv --update",
      "import --from people.csv --update --max-removals 0",
      "import --from people.csv --update --max-removals few",
      "import --from none.csv --update",
      "import --from people.csv",
      "import",
      { roster: "import --from people.csv --update", hasColours: true },
      "validate",
      "import --from people.csv --update",
    ],
  },
  {
    name: "init",
    about: "A roster is begun, here and elsewhere.",
    env: { ROSTER_ENDPOINT: "", ROSTER_API_KEY: "" },
    steps: ["init", "init", "init our-roster", "validate", "plan"],
  },
];
