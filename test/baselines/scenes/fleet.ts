// biome-ignore-all lint/suspicious/noTemplateCurlyInString: a fleet file has them as they are
import { edit, type Scene } from "../scene.ts";

const roster = (user: string) =>
  `version: 1\naccount: acc-1\nusers:\n  - { email: ${user}@acme.example, firstName: Ada, lastName: Lovelace }\n`;

const fleet = `version: 1
targets:
  - { name: acme, roster: rosters/acme, endpoint: https://acme.example, key: { env: ROSTER_KEY_ACME }, state: file:acme.json }
  - { pattern: rosters/eu/*, endpoint: "https://\${name}.eu.example", key: { file: "keys/\${name}" }, state: "file:\${name}.json" }
`;

/** Many rosters, each with its service. */
export const fleetScenes: readonly Scene[] = [
  {
    name: "fleet-validate",
    about: "A fleet of three targets, two of them from a pattern; then a fleet with faults.",
    files: {
      "fleet.yaml": fleet,
      "rosters/acme/roster.yaml": roster("ada"),
      "rosters/eu/de/roster.yaml": roster("bo"),
      "rosters/eu/fr/roster.yaml": roster("cy"),
    },
    steps: [
      "fleet validate",
      "fleet validate --only acme --format json",
      "fleet validate --fleet fleet.yaml --only acme",
      "fleet validate --only acmee",
      "fleet validate --fleet absent.yaml",
      edit("rosters/eu/fr/roster.yaml", roster("cy at")),
      "fleet validate",
      edit(
        "fleet.yaml",
        fleet.replace("name: acme", "name: de").replace("eu.example", "").replace("file: ", "value: "),
      ),
      "fleet validate",
      edit("fleet.yaml", fleet.replace("name: acme", "name: de").replace(".eu.example", "")),
      "fleet validate",
    ],
  },
  {
    name: "fleet-run",
    about: "Two targets of one service; the key of one of them is not set.",
    files: {
      "fleet.yaml": `version: 1
targets:
  - { name: acme, roster: rosters/acme, endpoint: https://accounts.example, key: { file: key }, state: file:states/acme.json }
  - { name: bolt, roster: rosters/bolt, endpoint: https://accounts.example, key: { env: ROSTER_KEY_BOLT }, state: file:states/bolt.json }
`,
      "rosters/acme/roster.yaml": roster("ada"),
      "rosters/bolt/roster.yaml": roster("bo"),
      key: "reference0admin0key0.dIm9rSnW3yEo7BtKuX2aQz5LcVh8PfGj",
    },
    steps: [
      "fleet plan --only acme",
      "fleet plan --parallelism 1 --max-failures 1 --deadline 20m --format json",
      "fleet plan --only acme --detailed-exitcode --unmanaged",
      "fleet plan --only acme --parallelism 1 --max-failures 1 --deadline 20m --format json",
      "fleet plan --only acme --format markdown --report text=plans",
      "fleet apply",
      "fleet apply --auto-approve --only acme --lock-timeout 1m --break-stale-lock 15m --unmanaged",
      "fleet apply --auto-approve --only acme --format json",
      "fleet apply --auto-approve --only acme --format markdown",
      "fleet drift --parallelism 1",
      "fleet drift --only acme --format json",
      "fleet drift --only acme --only-new --no-record --lock-timeout 0 --break-stale-lock 15m --format markdown",
      "fleet drift --only acme --report html=out --report prometheus=out --report json=out",
      "fleet access --person ada@acme.example --only acme",
      "fleet list",
      "fleet list --format json",
      "fleet list --changed-since main",
      "fleet list --changed-since main --help",
      "fleet status",
      ...[
        "worker --parallelism 2 --every 1h --calls-per-second 5",
        "enqueue --only acme --plans out --round r",
        "status --only acme --max-age 2h",
        "pause --resume",
      ].map((words) => ({
        roster: `fleet ${words} --queue postgres://u@127.0.0.1:9/d`,
        env: { ROSTER_COMMIT: "c0ffee" },
      })),
      "fleet pause --queue postgres://u@127.0.0.1:9/d --reason x --resume",
      "fleet drift --parallelism 65",
      "fleet drift --report yaml=out",
    ],
  },
];
