import type { Knobs } from "../../../src/reference-server/knobs/registry.ts";
import type { Seed } from "../../../src/reference-server/seed.ts";
import { allowing, type Event, pass, type Scene, type Step } from "../scene.ts";
import { redBefore, threePeople } from "./companies.ts";

/** From the first plan over an apply to a drift that others have caused. */
const wholeLife: readonly Step[] = ["plan", "apply --auto-approve", "drift"];

interface WorldOfKnobs {
  readonly about: string;
  readonly knobs?: Partial<Knobs>;
  readonly seed?: Seed;
  readonly roster?: string;
  readonly first?: readonly Step[];
  readonly last?: readonly Step[];
}

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
  "teams-hidden": {
    about: "The service shows teams nowhere.",
    knobs: { showTeams: "none" },
    last: [
      "plan --format json",
      allowing("plan", "unproven-absence:red"),
      "plan --format markdown",
      allowing("apply --auto-approve", "unproven-absence:red"),
    ],
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
  refusals: {
    about: "A title is too long for the service, and keys without TEAM_ROLE are refused.",
    knobs: { maxTitle: 5, putRoles: "reject-without-TEAM_ROLE", conflict: "422", error: "X3" },
    last: ["plan", allowing("apply --auto-approve", "refused:red"), "plan --format json"],
  },
  unreadable: {
    about: "The list is a page of HTML, and a server error meets the search.",
    knobs: { html200: ["list@all"], flaky: ["search@first-9"], flakyStatus: "500" },
    seed: redBefore,
  },
  "too-few-new": {
    about: "More teams are to be created than there are new users.",
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
      allowing("plan", "user-missing:bo@acme.example"),
      "plan --format json",
      allowing("apply --auto-approve", "user-missing:bo@acme.example"),
      "drift --allow user-missing:bo@acme.example#0123456789ab",
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
