import { edit, type Scene, toldBy } from "../scene.ts";
import { redBefore, threePeople, threePeopleFiles } from "./companies.ts";

/** An apply, what drifts after it, a repair and an invitation, in each format that tells of runs. */
export const runScenes: readonly Scene[] = ["text", "markdown"].map(
  (format): Scene => ({
    name: `run-${format}`,
    about: `Runs as ${format}: done, in part, repaired, and refused.`,
    files: threePeopleFiles,
    seed: redBefore,
    knobs: { readd: "reinvite", flaky: ["keys@2"], flakyStatus: "500" },
    steps: [
      `apply --format ${format}`,
      `apply --auto-approve --format ${format}`,
      `apply --auto-approve --format ${format}`,
      {
        event: "Cy's key becomes an administrator's, and Bo is removed from the team",
        happens({ world }) {
          world.setKeyRoles("redCy02", ["ACCOUNT_ADMIN"]);
          world.removeMember("Red", "bo@acme.example");
        },
      },
      `drift --format ${format}`,
      `drift --only-new --format ${format}`,
      `explain user:cy@acme.example --format ${format}`,
      `drift --repair tampered --auto-approve --format ${format}`,
      edit("roster.yaml", `${threePeople}leavers:\n  - { email: di@acme.example }\n`),
      `apply --auto-approve --format ${format}`,
      edit("roster.yaml", threePeople.replace("[DEVELOPER, TEAM_ROLE]", "[NO_SUCH_ROLE]")),
      `apply --auto-approve --format ${format}`,
      { roster: `plan --format ${format}`, env: { ROSTER_API_KEY: "" } },
    ],
  }),
);

/** What drifts, who says that it may, and who is told. */
export const driftScenes: readonly Scene[] = [
  {
    name: "drift",
    about: "A drift of every class is told, accepted, repaired, and sent to a webhook.",
    files: threePeopleFiles,
    steps: [
      "drift",
      "apply --auto-approve",
      {
        event: "others change the service",
        happens({ world }) {
          const cy = world.users.find(({ email }) => email === "cy@acme.example");
          world.setKeyRoles(cy?.accessKeys[0]?.prefix ?? "", ["AUDITOR", "DEVELOPER"]);
          world.addUser({ email: "zed@acme.example", firstName: "Zed", lastName: "Moor" });
          world.addMember("Red", "zed@acme.example");
          world.changeProfile("bo@acme.example", { title: "Director" });
          world.removeMember("Red", "bo@acme.example");
        },
      },
      "drift --no-record --format json",
      "drift --format json",
      "drift --only-new",
      {
        roster: ["drift", "--format", "markdown"],
        env: { ROSTER_WEBHOOK: "{webhook}", ROSTER_WEBHOOK_SECRET: "whsec-4f1c7d2b9a6e8053" },
      },
      { roster: "drift --no-record --format github", env: { ROSTER_WEBHOOK: "{webhook}" } },
      edit(
        "accept.yaml",
        `version: 1
accept:
  - { code: "member-removed:red/bo@acme.example#d6c726d7a941", reason: agreed with Ada, until: 2026-12-01 }
`,
      ),
      "drift",
      "drift --include team:Red",
      "drift --repair tampered",
      "drift --repair tampered --repair unapplied --auto-approve",
      "drift --repair tampered --auto-approve --format json",
      { roster: (before) => `explain ${toldBy(/"fingerprint": "([0-9a-f]+)"/u, before)}` },
      "state show",
    ],
  },
];
