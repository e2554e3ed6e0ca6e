import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Knobs } from "../../src/reference-server/knobs/registry.ts";
import type { Seed } from "../../src/reference-server/seed.ts";
import type { AtEnd } from "./command.ts";
import { writeRoster } from "./roster-directory.ts";
import { scene } from "./trap-scene.ts";

/** A roster and what the service has before it, whose plan is judged by `examples/policy`. */
export interface PolicyScene {
  readonly about: string;
  /** The entries of `users`, and what else stands in the file. */
  readonly roster: string;
  readonly guards?: string;
  readonly seed?: Seed;
  readonly knobs?: Partial<Knobs>;
  readonly says: readonly string[];
}

function rosterOf(people: Readonly<Record<string, string>>, keys: Readonly<Record<string, string>>): string {
  const users = Object.entries(people).map(
    ([email, name]) => `  - { email: ${email}, firstName: ${name}, lastName: Test }\n`,
  );
  const listed = Object.entries(keys).map(([prefix, roles]) => `  - { prefix: ${prefix}, roles: [${roles}] }\n`);
  return `version: 1\naccount: acc-1\nusers:\n${users.join("")}${listed.length === 0 ? "" : `keys:\n${listed.join("")}`}`;
}

const there = {
  users: ["ada@acme.example", "cy@agency.example"].map((email) => ({ email, firstName: "Ada", lastName: "Test" })),
  keys: [
    { prefix: "adaKey01", owner: "ada@acme.example", kind: "user", roles: ["DEVELOPER"] },
    { prefix: "cyKey02", owner: "cy@agency.example", kind: "user", roles: ["TEAM_ROLE"] },
  ],
} as const satisfies Seed;
const people = { "ada@acme.example": "Ada", "cy@agency.example": "Ada" };
const off = "privileged-roles: off";

export const policyScenes: readonly PolicyScene[] = [
  {
    about: "a plan that breaks no rule",
    roster: rosterOf({ ...people, "new@acme.example": "New" }, { adaKey01: "AUDITOR", cyKey02: "AUDITOR, TEAM_ROLE" }),
    seed: there,
    says: [],
  },
  {
    about: "a privileged role alone",
    roster: rosterOf(people, { adaKey01: "ACCOUNT_ADMIN" }),
    guards: off,
    seed: there,
    says: [],
  },
  {
    about: "a privileged role among other changes",
    roster: rosterOf(people, { adaKey01: "ACCOUNT_ADMIN, DEVELOPER", cyKey02: "AUDITOR" }),
    guards: off,
    seed: there,
    says: ["privileges-apart: ada@acme.example gets ACCOUNT_ADMIN, and the plan changes more than that"],
  },
  {
    about: "a role that contractors do not get, on a key and for a first member",
    roster: `${rosterOf({ ...people, "new@agency.example": "New" }, { cyKey02: "DEVELOPER" })}teams:
  - { name: Red, admin: new@agency.example, roles: [AUDITOR, DEVELOPER], members: [{ user: new@agency.example }] }
`,
    seed: there,
    says: [
      "contractors: cy@agency.example gets DEVELOPER",
      "contractors: new@agency.example gets DEVELOPER",
      "exclusive-roles: new@agency.example would have AUDITOR and DEVELOPER",
    ],
  },
  {
    about: "a privileged role outside the roster",
    roster: rosterOf({ "cy@agency.example": "Ada" }, {}),
    seed: {
      ...there,
      keys: [{ prefix: "adaKey01", owner: "ada@acme.example", kind: "user", roles: ["SYSTEM_OWNER"] }],
    },
    says: ["findings: unmanaged-privilege: SYSTEM_OWNER on key adaKey01"],
  },
  {
    about: "two roles that exclude each other, one of them on a key that stays as it is",
    roster: rosterOf(people, { adaKey01: "AUDITOR" }),
    seed: {
      ...there,
      keys: [
        { prefix: "adaKey01", owner: "ada@acme.example", kind: "user", roles: ["TEAM_ROLE"] },
        { prefix: "adaKey03", owner: "ada@acme.example", kind: "user", roles: ["DEVELOPER"] },
      ],
    },
    says: ["exclusive-roles: ada@acme.example would have AUDITOR and DEVELOPER"],
  },
  {
    about: "more holders of a role than there may be, one of them outside the roster",
    roster: rosterOf(people, { adaKey01: "ACCOUNT_ADMIN" }),
    guards: off,
    seed: {
      users: [
        ...there.users,
        ...["ed", "flo"].map((name) => ({ email: `${name}@acme.example`, firstName: name, lastName: "T" })),
      ],
      keys: [
        ...there.keys,
        ...["ed", "flo"].map((name) => ({
          prefix: `${name}Key04`,
          owner: `${name}@acme.example`,
          kind: "user" as const,
          roles: ["ACCOUNT_ADMIN"],
        })),
      ],
    },
    says: [
      "findings: unmanaged-privilege: ACCOUNT_ADMIN on key edKey04",
      "findings: unmanaged-privilege: ACCOUNT_ADMIN on key floKey04",
      "max-holders: ada@acme.example, ed@acme.example, flo@acme.example would have ACCOUNT_ADMIN",
    ],
  },
  {
    about: "roles that the service does not show",
    roster: rosterOf(people, {}),
    seed: there,
    knobs: { showKeyRoles: "none" },
    says: ["unread: roles of adaKey01", "unread: roles of cyKey02", "unread: roles of reference0admin0key0"],
  },
  {
    about: "a plan that a guard of roster refuses",
    roster: rosterOf({ ...people, "new@acme.example": "New" }, {}),
    guards: "max-new-users: 0",
    seed: there,
    says: ["refused: guard: The guard max-new-users refuses the plan, unless you allow it"],
  },
  {
    about: "a roster that is not valid",
    roster: "version: 1\nuser: []\n",
    says: ["not-a-plan: the input is not a plan of roster in format 1"],
  },
];

/** What the example judges: the plan, and the access before and after it. */
export async function policyInput({ roster, guards, seed = {}, knobs = {} }: PolicyScene, onEnd: AtEnd) {
  const at = await scene(onEnd, { roster, seed, knobs });
  await writeRoster(at.directory, { "roster.config.yaml": guards === undefined ? "{}\n" : `guards: { ${guards} }\n` });
  const plan = join(at.directory, "plan.json");
  const access = join(at.directory, "access.json");
  writeFileSync(plan, (await at.run(["plan", "--unmanaged", "--format", "json"])).stdout);
  writeFileSync(access, (await at.run(["access", plan, "--format", "json"])).stdout);
  return { plan, access };
}
