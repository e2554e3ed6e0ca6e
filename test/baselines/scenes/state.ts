import { encodeState } from "../../../src/codec/state.ts";
import { emptyState } from "../../../src/model/state.ts";
import { formatsOf } from "../../../src/report/formats.ts";
import { additionIntent, creationIntent, openIntent } from "../../support/event-builders.ts";
import { exampleFiles, exampleSeed } from "../examples.ts";
import { type Scene, toldBy } from "../scene.ts";
import { threePeopleFiles } from "./companies.ts";

const stateFormats = formatsOf("state");
const shown = ["text", "json", "yaml"];

const inDoubt = encodeState({
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
    about: "A state is shown, verified, moved, pointed to another service address, lost and rebuilt.",
    files: { ...exampleFiles("acme") },
    seed: exampleSeed("acme"),
    steps: [
      ...stateFormats.flatMap((format) => [`state verify --format ${format}`, `state unlock --format ${format}`]),
      "state show",
      "apply examples/acme --auto-approve --format json",
      ...shown.map((format) => `state show --format ${format}`),
      ...stateFormats.flatMap((format) => [
        `state verify --format ${format}`,
        `state unlock --format ${format}`,
        `state unlock id-99 --format ${format}`,
        `state resolve --format ${format}`,
        `state rebuild examples/acme --format ${format}`,
        `state set-endpoint https://accounts.example --format ${format}`,
      ]),
      "state move file:moved/state.json",
      "state show",
      "plan examples/acme",
      "state move file:moved/state.json --format json",
      "state move file:.roster/state.json --state file:moved/state.json --format json",
      "state move file:third.json --format ndjson",
      "state set-endpoint https://new.example --state file:third.json",
      "plan examples/acme --state file:third.json",
      "state set-endpoint https://accounts.example --state file:third.json --format ndjson --lock-timeout 1s",
      "state set-endpoint https://newer.example --state file:third.json --format json",
      "state rebuild examples/acme --state file:rebuilt.json",
      "state rebuild examples/acme --state file:again.json --format json --deadline 1h",
      "state rebuild examples/acme --state file:anew.json --format ndjson",
      "plan examples/acme --state file:rebuilt.json --detailed-exitcode",
      { event: "a state is damaged", happens: ({ writeStates }) => writeStates({ "rebuilt.json": "{ broken" }) },
      "state verify --state file:rebuilt.json",
      "state verify --state file:rebuilt.json --format json",
      "plan examples/acme --state file:rebuilt.json",
    ],
  },
  {
    name: "state-resolve",
    about: "Calls of unknown outcome are listed, and a person says what became of them.",
    files: threePeopleFiles,
    states: { ".roster/state.json": inDoubt },
    steps: [
      ...stateFormats.map((format) => `state resolve --format ${format}`),
      "plan",
      "state show",
      "state resolve --format json",
      {
        roster: (before) => `state resolve ${toldBy(call("add-members:science"), before)} ada@acme.example --as done`,
      },
      {
        roster: (before) => `state resolve ${toldBy(call("add-members:science"), before)} --as not-done --format json`,
      },
      {
        roster: (before) => `state resolve ${toldBy(call("create-user:cy"), before)} --as done --format ndjson`,
      },
      { roster: (before) => `state resolve ${toldBy(call("create-user:di"), before)}` },
      { roster: (before) => `state resolve ${toldBy(call("create-user:di"), before)} --as both` },
      {
        roster: (before) => `state resolve ${toldBy(call("create-user:di"), before)} --as done`,
      },
      "state resolve",
      "state show",
    ],
  },
  {
    name: "audit",
    about: "What an apply did is shown, exported and verified; then a record is changed.",
    files: { ...exampleFiles("quickstart") },
    env: { ROSTER_AUDIT: "file:trail.jsonl" },
    steps: [
      "audit verify",
      "audit show",
      "apply examples/quickstart --auto-approve --expect-plan 0123456789abcdef",
      "apply examples/quickstart --auto-approve --format json",
      "audit verify",
      ...["text", "json", "ndjson"].flatMap((format) => [
        `audit verify --format ${format} --state file:.roster/state.json`,
        `audit show --format ${format} --report json=shown.json --state file:.roster/state.json`,
        `audit show --format ${format} --only user:bo@acme.example --only team:platform --since 1d`,
      ]),
      ...["csv", "json", "ndjson"].map((format) => `audit export --format ${format}`),
      "audit export --since 2026-11-21 --only user:bo@acme.example --only team:Platform --state file:.roster/state.json",
      "audit show --since yesterday",
      { roster: "audit verify --report json=verified.json", env: { ROSTER_AUDIT: "none" } },
      { roster: "audit verify", env: { ROSTER_AUDIT: "ftp://elsewhere" } },
      { event: "the trail is replaced", happens: ({ write }) => write({ "trail.jsonl": '{"record":1}\n' }) },
      "audit verify",
      "audit show --format json",
      "apply examples/quickstart --auto-approve",
      { roster: "apply examples/quickstart --auto-approve", env: { ROSTER_AUDIT: "none" } },
    ],
  },
  {
    name: "access",
    about: "Who holds which role: in the service, and by the audit trail.",
    files: { ...exampleFiles("acme") },
    seed: exampleSeed("acme"),
    env: { ROSTER_AUDIT: "file:trail.jsonl" },
    steps: [
      "access examples/acme --as-of 2026-11-20",
      "apply examples/acme --auto-approve --format json",
      ...["text", "csv", "json", "markdown"].map((format) => `access examples/acme --format ${format}`),
      "access examples/acme --only user:root@acme.example --only role:ACCOUNT_ADMIN",
      "access examples/acme --only team:platform --account acc-1 --parallelism 2 --debug",
      "access --as-of 1m --endpoint https://accounts.example --state file:.roster/state.json",
      "access --as-of tomorrow",
      "access examples/acme --only platform",
    ],
  },
];
