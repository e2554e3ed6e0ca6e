import { exampleFiles, exampleSeed } from "../examples.ts";
import { pass, type Scene } from "../scene.ts";
import { redBefore, threePeopleFiles } from "./companies.ts";

/** What is asked of a service and written of it. */
export const serviceScenes: readonly Scene[] = [
  {
    name: "doctor",
    about: "A service of one plain dialect is examined.",
    seed: redBefore,
    steps: [
      "doctor",
      "doctor --account acc-1 --debug --format json",
      "doctor --account acc-9",
      { roster: "doctor", env: { GITHUB_ACTIONS: "true", GITHUB_EVENT_NAME: "pull_request" } },
      { roster: "doctor", env: { ROSTER_API_KEY: "somebody.else" } },
      { roster: "doctor --format json", env: { ROSTER_API_KEY: "somebody.else" } },
      {
        event: "the settings are wrong",
        happens: ({ write }) => write({ "roster.config.yaml": "account: [7]\nparalellism: 4\n" }),
      },
      { roster: "doctor", env: { ROSTER_PARALLELISM: "4" } },
    ],
  },
  {
    name: "import",
    about: "A roster is written of what is there, once.",
    seed: exampleSeed("acme"),
    steps: ["import all", "import all", "plan all --detailed-exitcode", "import none --account acc-9"],
  },
  {
    name: "snapshot",
    about: "What a plan needs is read into a file, and plans are made of it without the service.",
    files: threePeopleFiles,
    seed: redBefore,
    steps: [
      "snapshot --out snapshot.json",
      "snapshot --out -",
      "plan --from snapshot.json --out plan.json",
      "plan --from snapshot.json --format json",
      "explain user:cy@acme.example --from snapshot.json",
      "snapshot --out roster.yaml",
      pass(25),
      "plan --from snapshot.json",
      { roster: "plan --from -", stdin: "{}" },
    ],
  },
  {
    name: "serve",
    about: "The reference service is started and ended.",
    files: {
      "seed.yaml": "users:\n  - { email: ada@acme.example, firstName: Ada, lastName: Lovelace }\n",
      "bad.yaml": "users: [{ email: ada }]\n",
    },
    steps: [
      { roster: "serve --port 0", isInterrupted: true },
      {
        roster: "serve --port 0 --seed seed.yaml --knob showKeys=none --knob latencyMs=5 --knob pageBase=zero",
        isInterrupted: true,
      },
      { roster: "serve --port 0 --data world.jsonl", isInterrupted: true },
      { roster: "serve --port 0 --data memory --knob public", isInterrupted: true },
      "serve --port 0 --seed bad.yaml",
    ],
  },
  {
    name: "demo",
    about: "The whole of it on a service of its own.",
    steps: [{ roster: "demo", isOverHttp: true }],
  },
  {
    name: "explain",
    about: "The example Acme is explained thing by thing, before and after its apply.",
    files: exampleFiles("acme"),
    seed: exampleSeed("acme"),
    steps: [
      ...[
        "user:kofi@acme.example",
        "user:ada@acme.example",
        "team:Pricing",
        "key:nightly7Qk2",
        "role:ACCOUNT_ADMIN",
        "create-user:olga@acme.example",
      ].map((what) => `explain ${what} examples/acme`),
      "explain user:zoe@acme.example examples/acme --unmanaged",
      "apply examples/acme --auto-approve --format json",
      { roster: "explain user:kofi@acme.example examples/acme", hasColours: true },
    ],
  },
];
