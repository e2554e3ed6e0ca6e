import type { Seed } from "../../src/reference-server/seed.ts";

/** A roster and what the service has before it, whose plan is judged by `examples/policy`. */
export interface PolicyScene {
  readonly about: string;
  /** The entries of `users`, and what else stands in the file. */
  readonly roster: string;
  readonly guards?: string;
  readonly seed?: Seed;
  readonly says: readonly string[];
}

function rosterOf(people: Readonly<Record<string, string>>, keys: Readonly<Record<string, string>>): string {
  const users = Object.entries(people).map(
    ([email, name]) => `  - { email: ${email}, firstName: ${name}, lastName: Test }\n`,
  );
  const listed = Object.entries(keys).map(([prefix, roles]) => `  - { prefix: ${prefix}, roles: [${roles}] }\n`);
  return `version: 1\naccount: acc-1\nusers:\n${users.join("")}${listed.length === 0 ? "" : `keys:\n${listed.join("")}`}`;
}

const there: Seed = {
  users: ["ada@acme.example", "cy@agency.example"].map((email) => ({ email, firstName: "Ada", lastName: "Test" })),
  keys: [
    { prefix: "adaKey01", owner: "ada@acme.example", kind: "user", roles: ["DEVELOPER"] },
    { prefix: "cyKey02", owner: "cy@agency.example", kind: "user", roles: ["TEAM_ROLE"] },
  ],
};
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
    about: "a role that contractors do not get, on a key and for a founder",
    roster: `${rosterOf({ ...people, "new@agency.example": "New" }, { cyKey02: "DEVELOPER" })}teams:
  - { name: Red, admin: new@agency.example, roles: [AUDITOR, DEVELOPER], members: [{ user: new@agency.example }] }
`,
    seed: there,
    says: ["contractors: cy@agency.example gets DEVELOPER", "contractors: new@agency.example gets DEVELOPER"],
  },
  {
    about: "access that a guard forbids, and that is there already",
    roster: rosterOf(people, { adaKey01: "DEVELOPER" }),
    guards: "max-holders: { DEVELOPER: 0 }",
    seed: there,
    says: ["findings: max-holders-exceeded: role DEVELOPER"],
  },
  {
    about: "a plan that a guard of roster refuses",
    roster: rosterOf({ ...people, "new@acme.example": "New" }, {}),
    guards: "max-new-users: 0",
    seed: there,
    says: ["refused: guard: The guard max-new-users refuses the plan, so it cannot be applied"],
  },
  {
    about: "a roster that is not valid",
    roster: "version: 1\nuser: []\n",
    says: ["not-a-plan: the input is not a plan of roster in format 1"],
  },
];
