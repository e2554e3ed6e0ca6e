import { isDeepStrictEqual } from "node:util";
import type { Seed } from "../../src/reference-server/seed.ts";
import { faultsOf, type Weather } from "./request-faults.ts";
import { judgeOutput } from "./run-document.ts";
import { type Hazard, type Setting, setStage } from "./stage.ts";
import { type companyThere, standing } from "./trap-scene.ts";
import { witnessOf } from "./witness.ts";

/** What befalls one apply: its calls and its process, the bucket of its state, the clock of its machine. */
export interface Disturbance extends Weather, Pick<Hazard, "stateFault" | "wall"> {}

interface Circumstances {
  readonly state: Setting["state"];
  /** How many milliseconds reads know nothing of what was just done. */
  readonly lag: number;
  readonly pause: number;
}

/** One team that is there and one that is new, and people for both. */
const roster = `version: 1
account: acc-1
users:
${[0, 1, 2, 3].map((one) => `  - { email: p${one}@acme.example, firstName: P${one}, lastName: Test }`).join("\n")}
teams:
  - name: Old
    admin: p0@acme.example
    roles: [DEVELOPER]
    members: [{ user: p0@acme.example }, { user: p1@acme.example }, { user: p2@acme.example }]
  - name: New
    admin: p3@acme.example
    roles: [DEVELOPER]
    members: [{ user: p3@acme.example }, { user: p1@acme.example }]
`;

const seed: Seed = {
  users: [{ email: "p0@acme.example", firstName: "P0", lastName: "Test" }],
  teams: [{ name: "Old", admin: "p0@acme.example", members: [{ user: "p0@acme.example" }] }],
};

const reached: typeof companyThere = {
  people: ["p0@acme.example", "p1@acme.example", "p2@acme.example", "p3@acme.example"],
  teams: ["New: p1@acme.example, p3@acme.example", "Old: p0@acme.example, p1@acme.example, p2@acme.example"],
  mails: ["New p1@acme.example", "Old p1@acme.example", "Old p2@acme.example"],
  keys: [
    "p0@acme.example Old: DEVELOPER",
    "p0@acme.example own: TEAM_ROLE",
    "p1@acme.example New: DEVELOPER",
    "p1@acme.example Old: DEVELOPER",
    "p1@acme.example own: TEAM_ROLE",
    "p2@acme.example Old: DEVELOPER",
    "p2@acme.example own: TEAM_ROLE",
    "p3@acme.example New: DEVELOPER",
  ],
};

/** Longer than the consistency window, after which reads tell what was not done. */
const calmPause = 16 * 60_000;

/** Until then every clock that was ahead of the right one has come past the consistency window. */
const wrongClockPause = 2 * 3_600_000;

/** People, then memberships, then the roles of keys: a service that is late with each needs so many calm applies. */
const calmApplies = 3;

/** Disturbed applies, then calm ones, which must reach the roster. What should not have been, in one sentence each. */
export async function troublesOf(disturbances: readonly Disturbance[], { state, lag, pause }: Circumstances) {
  const stage = await setStage({ seed, settings: "roster: roster\n", knobs: { readd: "reinvite" }, state });
  const { server, time, keeping } = stage;
  const witness = witnessOf(server);
  const troubles: string[] = [];
  stage.onPass = witness.see;
  stage.putRoster("roster", new Map([["roster.yaml", roster]]));

  async function run(where: string, hazard: Hazard, args: readonly string[]) {
    const ran = await stage.run([[...args, "--format", "json"]], { ...hazard, lag });
    const says = (what: string) => void troubles.push(`${where}: ${what}`);
    for (const one of ran === "killed" ? [] : ran) {
      const { code, stdout } = one;
      const there = standing(server);
      if (![0, 1, 7, 9].includes(code ?? -1)) says(`exit code ${code}: ${stdout}`);
      if (code === 0 && !isDeepStrictEqual(there, reached)) says(`exit code 0 with ${JSON.stringify(there)}`);
      judgeOutput(one, stage).forEach(says);
    }
    const kept = await keeping.read();
    if (typeof kept === "string") says(kept);
    witness.breaches().forEach(says);
    return ran === "killed" ? undefined : ran[0]?.code;
  }

  try {
    for (const [index, { stateFault, wall, ...weather }] of disturbances.entries()) {
      const hazard = { fault: faultsOf(weather), stateFault, wall };
      await run(`disturbed apply ${index + 1}`, hazard, ["apply", "--auto-approve"]);
      await time.pass(pause);
    }
    if (disturbances.some(({ wall }) => wall !== undefined)) await time.pass(wrongClockPause);
    for (let calm = 1; calm <= calmApplies; calm += 1) {
      await time.pass(calmPause);
      await run(`calm apply ${calm}`, {}, ["apply", "--auto-approve"]);
    }
    const code = await run("in the end", {}, ["plan", "--detailed-exitcode"]);
    if (code !== 0) troubles.push(`in the end, a plan ends with ${code}`);
    return troubles;
  } finally {
    await stage.close();
  }
}
