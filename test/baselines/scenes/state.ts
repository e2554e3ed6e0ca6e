import { emptyState } from "../../../src/model/state.ts";
import { formatsOf } from "../../../src/report/formats.ts";
import { additionIntent, creationIntent, openIntent } from "../../support/event-builders.ts";
import { logOfState } from "../../support/kept-log.ts";
import { exampleFiles, exampleSeed } from "../examples.ts";
import { type Scene, toldBy } from "../scene.ts";
import { threePeopleFiles } from "./companies.ts";

const stateFormats = formatsOf("state");
const shown = ["text", "json", "yaml"];

const inDoubt = logOfState(".roster/log.jsonl", {
  ...emptyState("lineage-1"),
  serial: 4,
  open: [
    openIntent("r1", "create-user:cy", creationIntent("cy")),
    openIntent("r1", "add-members:science", additionIntent("ada", "bo")),
    { ...openIntent("r2", "create-user:di", creationIntent("di", "Red")), accepted: true },
  ],
});

const call = (name: string) => new RegExp(`"id": "([0-9a-f]{8})",\\s*"run": "[^"]*",\\s*"action": "${name}"`, "u");

/** What is remembered, and how it is looked at and mended. */
export const stateScenes: readonly Scene[] = [
  {
    name: "state",
    about: "A state is shown, copied, pointed to another service address, lost and rebuilt.",
    files: { ...exampleFiles("acme") },
    seed: exampleSeed("acme"),
    steps: [
      ...stateFormats.map((format) => `state unlock --format ${format}`),
      "state show",
      "apply examples/acme --auto-approve --format json",
      ...shown.map((format) => `state show --format ${format}`),
      ...stateFormats.flatMap((format) => [
        `state unlock --format ${format}`,
        `state unlock id-99 --format ${format}`,
        `state resolve --format ${format}`,
        `state rebuild examples/acme --format ${format}`,
        `state set-endpoint https://accounts.example --format ${format}`,
      ]),
      "state copy file:copied/log.jsonl",
      "state show",
      "plan examples/acme",
      "state copy file:copied/log.jsonl --format json",
      "state copy file:.roster/log.jsonl --state file:copied/log.jsonl --format json",
      "state copy file:third.jsonl --state file:copied/log.jsonl --format ndjson",
      "state set-endpoint https://new.example --state file:third.jsonl",
      "plan examples/acme --state file:third.jsonl",
      "state set-endpoint https://accounts.example --state file:third.jsonl --format ndjson --lock-timeout 1s",
      "state set-endpoint https://newer.example --state file:third.jsonl --format json",
      "state rebuild examples/acme --state file:rebuilt.jsonl",
      "state rebuild examples/acme --state file:again.jsonl --format json --deadline 1h",
      "state rebuild examples/acme --state file:anew.jsonl --format ndjson",
      "plan examples/acme --state file:rebuilt.jsonl --detailed-exitcode",
      "state copy file:rebuilt.jsonl --state file:third.jsonl",
      "state copy file:rebuilt.jsonl --keep another --state file:third.jsonl",
      "state prune --before 0d --export pruned.jsonl --state file:third.jsonl",
      "audit verify --state file:third.jsonl",
      "access --as-of 1d --state file:third.jsonl",
      "state prune --before 0d --export pruned.jsonl --state file:third.jsonl --format json",
      { event: "a log is damaged", happens: ({ writeStates }) => writeStates({ "damaged.jsonl": "{ broken\n" }) },
      "state show --state file:damaged.jsonl",
      "plan examples/acme --state file:damaged.jsonl",
    ],
  },
  {
    name: "state-resolve",
    about: "Calls of unknown outcome are listed, and a person says what became of them.",
    files: threePeopleFiles,
    states: inDoubt,
    steps: [
      ...stateFormats.map((format) => `state resolve --format ${format}`),
      "plan",
      "state show",
      "state resolve --format json",
      {
        roster: (before) => `state resolve ${toldBy(call("add-members:science"), before)} done ada@acme.example`,
      },
      {
        roster: (before) => `state resolve ${toldBy(call("add-members:science"), before)} not-done --format json`,
      },
      {
        roster: (before) => `state resolve ${toldBy(call("create-user:cy"), before)} done --format ndjson`,
      },
      { roster: (before) => `state resolve ${toldBy(call("create-user:di"), before)}` },
      { roster: (before) => `state resolve ${toldBy(call("create-user:di"), before)} both` },
      {
        roster: (before) => `state resolve ${toldBy(call("create-user:di"), before)} done`,
      },
      "state resolve",
      "state show",
    ],
  },
  {
    name: "audit",
    about: "What an apply did is shown and verified; then the log is replaced.",
    files: { ...exampleFiles("quickstart") },
    steps: [
      "audit verify",
      "audit",
      "apply examples/quickstart --auto-approve --expect-plan 0123456789abcdef",
      "apply examples/quickstart --auto-approve --format json",
      "audit verify",
      ...["text", "json", "ndjson"].flatMap((format) => [
        `audit verify --format ${format}`,
        `audit --format ${format} --as-of 2026-11-21 --state file:.roster/log.jsonl`,
        `audit --format ${format} --only user:bo@acme.example --only team:platform --since 1d`,
      ]),
      "audit --format csv",
      "audit --since yesterday",
      `audit verify --expect-head 1:${"0".repeat(64)}`,
      "audit verify --expect-head latest",
      `apply examples/quickstart --auto-approve --expect-head 9:${"0".repeat(64)}`,
      { event: "the log is replaced", happens: ({ writeStates }) => writeStates({ ".roster/log.jsonl": "{}\n" }) },
      "audit verify",
      "audit --format json",
      "apply examples/quickstart --auto-approve",
    ],
  },
  {
    name: "access",
    about: "Who holds which role: in the service, and by the log.",
    files: { ...exampleFiles("acme") },
    seed: exampleSeed("acme"),
    steps: [
      "access examples/acme --as-of 2026-11-20",
      "apply examples/acme --auto-approve --format json",
      ...["text", "csv", "json", "markdown"].map((format) => `access examples/acme --format ${format}`),
      "access examples/acme --only user:root@acme.example --only role:ACCOUNT_ADMIN",
      "access examples/acme --only team:platform --account acc-1 --parallelism 2 --debug",
      "access --as-of 1m --endpoint https://accounts.example --state file:.roster/log.jsonl",
      "access --as-of tomorrow",
      "access examples/acme --only platform",
    ],
  },
];
