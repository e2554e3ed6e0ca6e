import { exampleFiles, exampleSeed } from "../examples.ts";
import { allowing, edit, pass, type Scene } from "../scene.ts";
import { threePeople, threePeopleFiles } from "./companies.ts";

const withoutBo = threePeople
  .split("\n")
  .filter((line) => !line.includes("bo@acme.example"))
  .join("\n");

/** People who leave, by every way in which they may. */
export const leaverScenes: readonly Scene[] = [
  {
    name: "leavers",
    about: "The example of leavers is planned, applied, and looked at when a contract has ended.",
    files: exampleFiles("leavers"),
    seed: exampleSeed("leavers"),
    steps: [
      "plan examples/leavers",
      "plan examples/leavers --format json",
      "plan examples/leavers --unmanaged",
      "apply examples/leavers --auto-approve",
      "apply examples/leavers --auto-approve --format json",
      "drift examples/leavers",
      "explain user:di@acme.example examples/leavers",
      "explain team:Support examples/leavers --format json",
      { event: "Di is deleted by hand", happens: ({ world }) => world.removeUser("di@acme.example") },
      "apply examples/leavers --auto-approve",
      "state show",
    ],
  },
  {
    name: "leaving",
    about: "Somebody leaves on a day, without a word, and as a leaver; and comes back.",
    files: threePeopleFiles,
    steps: [
      "apply --auto-approve",
      edit("roster.yaml", threePeople.replace("lastName: Diaz", "lastName: Diaz, until: 2026-11-22")),
      "plan",
      pass(72),
      "apply --auto-approve",
      edit("roster.yaml", threePeople),
      "apply --auto-approve",
      edit("roster.yaml", withoutBo),
      "plan",
      "plan --format markdown",
      "drift",
      "plan",
      allowing("apply --auto-approve", "user-removed:bo@acme.example"),
      "drift --format json",
      edit("roster.yaml", `${withoutBo}leavers:\n  - { email: bo@acme.example, since: 2026-11-20, note: HR-1 }\n`),
      "apply --auto-approve",
      "drift",
      edit(
        "roster.yaml",
        threePeople
          .replace("    members:\n", "    onRemoval: revoke\n    members:\n")
          .replace("      - { user: bo@acme.example }\n", ""),
      ),
      "apply --auto-approve",
      "apply --auto-approve",
    ],
  },
];
