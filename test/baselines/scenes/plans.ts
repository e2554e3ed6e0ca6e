import { formatsOf } from "../../../src/report/formats.ts";
import { viewNames } from "../../../src/report/outcome.ts";
import { exampleFiles, exampleSeed } from "../examples.ts";
import { edit, pass, type Scene, toldBy } from "../scene.ts";
import { redBefore, threePeople, threePeopleFiles } from "./companies.ts";

const acme = { files: exampleFiles("acme"), seed: exampleSeed("acme") };

const withoutBo = threePeople
  .split("\n")
  .filter((line) => !line.includes("bo@acme.example"))
  .join("\n");

const reports = formatsOf("apply").map((format) => `--report ${format}=reports/result.${format}`);

/** Plans in every format and view, saved plans, and what is said for one run alone. */
export const planScenes: readonly Scene[] = [
  {
    name: "acme-plan",
    about: "The plan of examples/acme, of its whole roster and beyond it, and saved, as text and as Markdown.",
    ...acme,
    steps: [
      "plan examples/acme --out plan.json",
      "plan examples/acme --format markdown --unmanaged --detailed-exitcode",
      "show plan.json",
    ],
  },
  {
    name: "acme-views",
    about: "The plan of examples/acme in every view.",
    ...acme,
    steps: [
      "plan examples/acme --out plan.json",
      ...viewNames.map((view) => `show plan.json --view ${view}`),
      "apply examples/acme --view teams",
      { roster: "plan examples/acme", terminal: { columns: 72, types: "" }, hasColours: true },
      "plan examples/acme --include team:Pricing --view calls",
      "plan examples/acme --exclude team:Platform --exclude team:Pricing",
    ],
  },
  {
    name: "acme-life",
    about: "The example Acme is applied with every report beside it, tampered with, and repaired.",
    ...acme,
    files: { ...acme.files, "reports/.keep": "" },
    steps: [
      `apply examples/acme --auto-approve ${reports.join(" ")}`,
      "apply examples/acme --auto-approve",
      "plan examples/acme --detailed-exitcode",
      "drift examples/acme",
      {
        event: "a key becomes an administrator's, and somebody joins by hand",
        happens({ world }) {
          world.setKeyRoles("platAda01", ["ACCOUNT_ADMIN", "TEAM_ROLE"]);
          world.addUser({ email: "zed@acme.example", firstName: "Zed", lastName: "Moor" });
          world.addMember("team-data", "zed@acme.example");
        },
      },
      "plan examples/acme",
      `drift examples/acme ${formatsOf("drift")
        .map((format) => `--report ${format}=reports/drift.${format}`)
        .join(" ")}`,
      "drift examples/acme --repair tampered --auto-approve",
      "drift examples/acme --only-new",
      "state show",
    ],
  },
  {
    name: "plan-file",
    about: "Plans are saved, shown, applied once, and refused when they are old, edited or no longer fit.",
    files: threePeopleFiles,
    steps: [
      "plan --out plan.json",
      "plan --out plan.json",
      "show plan.json",
      "show plan.json --format markdown",
      "show plan.json --report html.txt",
      "apply plan.json",
      "apply plan.json",
      "plan --out short.json",
      pass(25),
      "apply short.json",
      "show short.json",
      edit("roster.yaml", threePeople.replace("[DEVELOPER]", "[AUDITOR]").replace("[TEAM_ROLE] }", "[AUDITOR] }")),
      "plan --out stale.json",
      {
        event: "somebody else gives Cy's own key those roles",
        happens({ world }) {
          const cy = world.users.find(({ email }) => email === "cy@acme.example");
          world.setKeyRoles(cy?.accessKeys[0]?.prefix ?? "", ["AUDITOR"]);
        },
      },
      "apply stale.json",
      "apply stale.json --format json",
      "plan --format json --out other.json",
      {
        event: "other.json is edited",
        happens: async ({ files, write }) =>
          write({ "other.json": (files().get("other.json") ?? "").replace("AUDITOR", "DEVELOPER") }),
      },
      "show other.json",
      "apply other.json",
      { roster: "show -", stdin: "{}" },
      edit("roster.yaml", withoutBo),
      "plan --out plan2.json",
      "access --plan plan2.json --format json",
      "apply plan2.json --format json",
    ],
  },
  {
    name: "one-run-alone",
    about: "What a person says for one run alone: selections, words, deadlines, sequences, traces and titles.",
    files: threePeopleFiles,
    seed: redBefore,
    steps: [
      "plan",
      "plan --include user:cy@acme.example",
      "plan --include team:Red --format json",
      "plan --exclude user:bo@acme.example",
      "plan --allow unproven-absence:red#0123456789ab --allow unproven-absence:Red/bo@acme.example#0123456789ab",
      "plan --allow user-removed:di@acme.example#0123456789ab",
      "plan --parallelism 1 --debug",
      "plan --account acc-1 --endpoint https://accounts.example/ --state file:elsewhere.json",
      "plan --deadline 50ms",
      "plan --deadline 5m",
      "plan -out=other.json -include=team:Red",
      "--chdir=. state show",
      "apply --sequence 4 --auto-approve --exclude user:bo@acme.example",
      "apply --sequence 3 --auto-approve",
      "apply",
      { roster: "apply --format json", terminal: { columns: 80, types: "no\n" } },
      { roster: "apply", terminal: { columns: 60, types: "yes\n" }, hasColours: true },
      "apply --unmanaged --auto-approve --lock-timeout 1s --break-stale-lock 3m",
      {
        roster: "apply --auto-approve --deadline 20m --format github",
        env: {
          GITHUB_STEP_SUMMARY: "{directory}/summary.md",
          GITHUB_OUTPUT: "{directory}/output.txt",
          CI: "true",
          ROSTER_STATE: "file:.roster/log.jsonl",
        },
      },
      { roster: "plan", isInterrupted: true },
      { roster: "apply --auto-approve", env: { ROSTER_API_KEY: "somebody.else" } },
      { roster: "plan --format json", env: { ROSTER_API_KEY: "somebody.else" } },
    ],
  },
  {
    name: "guards",
    about: "Guards that hold one person and guards that stop a plan, and what is said to let it pass.",
    files: {
      ...threePeopleFiles,
      "roster.config.yaml":
        "guards: { max-new-users: 0, max-invitations: 0, max-role-removals: { ratio: 0, floor: 0 }, min-admins: { count: 1 } }\n",
    },
    seed: redBefore,
    steps: [
      "plan",
      "plan --format json",
      "plan --format markdown",
      "plan --detailed-exitcode --format ndjson",
      "apply --auto-approve",
      "explain user:bo@acme.example",
      {
        roster: (before) =>
          `apply --auto-approve --reason INC-42 --allow ${toldBy(/(max-new-users#[0-9a-f]{12})/u, before)}`,
      },
      {
        roster: "apply --auto-approve",
        env: { ROSTER_ALLOW: "max-new-users#0123456789ab", ROSTER_REASON: "INC-42" },
      },
      edit(
        "roster.config.yaml",
        "guards: { allowed-email-domains: [agency.example], required-admins: [ada@acme.example] }\nprotect: { users: [cy@acme.example], keys: [redAda01] }\n",
      ),
      "plan",
      "plan --format json",
      "apply --auto-approve",
      edit("roster.config.yaml", "{}\n"),
      edit(
        "roster.yaml",
        threePeople
          .replace(
            "ada@acme.example, firstName: Ada, lastName: Lovelace",
            "ada@acme.example, firstName: Ada, lastName: Lovelace",
          )
          .replaceAll("cy@acme.example", "cy.tanaka@acme.example"),
      ),
      "plan",
      edit(
        "roster.yaml",
        threePeople.replaceAll("[DEVELOPER, TEAM_ROLE]", "[ACCOUNT_ADMIN]").replace("name: Red", "name: Reds"),
      ),
      "plan",
      "apply --auto-approve",
      edit("roster.yaml", "version: 1\naccount: acc-1\n"),
      "plan",
      edit("roster.config.yaml", "guards: { near-duplicate: off, privileged-roles: off, max-new-users: off }\n"),
      "plan",
    ],
  },
];
