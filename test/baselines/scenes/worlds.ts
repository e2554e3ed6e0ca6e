import type { Knobs } from "../../../src/reference-server/knobs/registry.ts";
import type { Seed } from "../../../src/reference-server/seed.ts";
import { allowing, type Event, pass, type Scene, type Step } from "../scene.ts";
import { redBefore, threePeople } from "./companies.ts";

/** From the first plan over an apply to a drift that others have caused. */
const wholeLife: readonly Step[] = [
  "doctor",
  "plan",
  "plan --unmanaged --format json",
  "apply --auto-approve",
  "apply --auto-approve",
  "apply --auto-approve --format json",
  "drift",
  "drift --format json",
  "plan --detailed-exitcode",
  "explain user:bo@acme.example",
  "state show --format json",
];

interface WorldOfKnobs {
  readonly about: string;
  readonly knobs?: Partial<Knobs>;
  readonly seed?: Seed;
  readonly roster?: string;
  readonly first?: readonly Step[];
  readonly last?: readonly Step[];
}

const crowd: Seed = {
  ...redBefore,
  users: [
    ...(redBefore.users ?? []),
    ...Array.from({ length: 25 }, (_, index) => ({
      email: `guest${String(index).padStart(2, "0")}@acme.example`,
      firstName: "Guest",
      lastName: `No. ${index}`,
    })),
  ],
};

const tooFewNew = threePeople.replace(
  /$/u,
  `  - { name: Blue, admin: ada@acme.example, members: [{ user: ada@acme.example }, { user: cy@acme.example }] }
  - { name: Green, admin: bo@acme.example, members: [{ user: bo@acme.example }] }
  - { name: Teal, admin: ada@acme.example, members: [{ user: ada@acme.example }] }
`,
);

const boVanishes: Event = {
  event: "Bo is deleted by somebody",
  happens: ({ world }) => world.removeUser("bo@acme.example"),
};

const worldsOfKnobs: Readonly<Record<string, WorldOfKnobs>> = {
  plain: { about: "Nobody is there, and the service speaks one plain dialect." },
  "team-there": {
    about: "The team is there, with other roles, a member too many and a title that differs.",
    seed: redBefore,
  },
  "keys-hidden": { about: "The service shows no keys.", knobs: { showKeys: "none" }, seed: redBefore },
  "teams-hidden": {
    about: "The service shows teams nowhere.",
    knobs: { showTeams: "none" },
    last: [
      "plan --format json",
      allowing("plan", "absent:teams"),
      "plan --format markdown",
      allowing("apply --auto-approve", "absent:team:Red"),
    ],
  },
  "flat-teams": {
    about: "Teams are told in two fields, and roles as names.",
    knobs: { showTeams: "flat", showKeyRoles: "names", showKeyKinds: "none" },
    seed: redBefore,
  },
  "strict-pages": {
    about: "Small pages are counted from one, in an envelope, and a page 0 is refused.",
    knobs: {
      pageBase: "one-strict",
      maxPerPage: 7,
      overMaxPerPage: "reject",
      pastEnd: "400",
      envelope: "L3",
      link: "none",
      total: "none",
    },
    seed: crowd,
  },
  "late-writes": {
    about: "Writes show late, and new members can be added after a while.",
    knobs: {
      searchLagMs: 4000,
      listLagMs: 6000,
      detailLagMs: 4000,
      shownKeyLagMs: 3000,
      keyLagMs: 1500,
      teamLagMs: 2000,
      memberLagMs: 1000,
    },
  },
  throttled: {
    about: "Many requests are refused as too many, once after they were served.",
    knobs: {
      flaky: ["reads@every-3", "create@2", "members@1"],
      flakyStatus: "429",
      retryAfterSeconds: 7,
      throttleAfterEffect: ["create@3"],
    },
    first: ["plan --deadline 1s", "apply --auto-approve --deadline 1s --format json"],
  },
  "lost-answers": {
    about: "Answers to writes are lost, and connections end.",
    knobs: { dropResponse: ["create@1", "members@1"], dropResponseAs: "504", reset: ["keys@1", "search@2"] },
  },
  refusals: {
    about: "A title is too long for the service, and keys without TEAM_ROLE are refused.",
    knobs: { maxTitle: 5, putRoles: "reject-without-TEAM_ROLE", conflict: "422", error: "X3" },
    last: ["plan", allowing("apply --auto-approve", "retry:user:ada@acme.example"), "plan --format json"],
  },
  conflicts: {
    about: "Users who are created are answered as conflicts, and deleted ones are hidden and keep their address.",
    knobs: {
      conflict: "409-though-created",
      deleted: "hidden-but-blocks",
      members: "M4",
      membersStatus: "own",
      error: "X7",
    },
    seed: {
      ...redBefore,
      users: [
        ...(redBefore.users ?? []),
        { email: "bo@acme.example", firstName: "Bo", lastName: "Diaz", status: "Deleted" },
      ],
    },
  },
  "later-answers": {
    about: "Writes are taken for later.",
    knobs: { create: "C9", members: "M7", putRolesAnswer: "accepted" },
  },
  unreadable: {
    about: "The list is a page of HTML, and a server error meets the search.",
    knobs: { html200: ["list@all"], flaky: ["search@first-9"], flakyStatus: "500" },
    seed: redBefore,
  },
  "too-few-new": {
    about: "More teams are to be founded than there are new users.",
    seed: { ...redBefore, teams: [] },
    roster: tooFewNew,
  },
  "user-missing": {
    about: "Somebody who was there is gone, and is created again on a person's word.",
    first: ["apply --auto-approve", boVanishes],
    last: [
      "explain user:bo@acme.example --format json",
      pass(1),
      "plan",
      allowing("plan", "recreate:bo@acme.example"),
      "plan --format json",
      allowing("apply --auto-approve", "recreate:bo@acme.example"),
      "drift --allow recreate:bo@acme.example@0123456789abcdef",
    ],
  },
  renamed: {
    about: "A person and the team are called otherwise by now.",
    first: [
      "apply --auto-approve",
      {
        event: "Bo gets another address, and Red another name",
        happens({ world }) {
          world.changeEmail("bo@acme.example", "bo.diaz@acme.example");
          world.renameTeam("Red", "Crimson");
        },
      },
    ],
  },
};

/** A small roster and the same commands in worlds that answer differently. */
export const worldScenes: readonly Scene[] = Object.entries(worldsOfKnobs).map(
  ([name, { about, knobs, seed, roster = threePeople, first = [], last = [] }]): Scene => ({
    name: `world-${name}`,
    about,
    ...(knobs === undefined ? {} : { knobs }),
    ...(seed === undefined ? {} : { seed }),
    files: { "roster.yaml": roster },
    env: { ROSTER_CONSISTENCY: "30s" },
    steps: [...first, ...wholeLife, ...last],
  }),
);
