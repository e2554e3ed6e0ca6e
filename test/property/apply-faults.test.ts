import { expect, test } from "vitest";
import type { ChaosDraw, FaultDraw, RunDraw } from "../support/chaos-draw.ts";
import { story } from "../support/chaos-story.ts";
import { type FaultName, faultNames } from "../support/fault.ts";
import { isDeep } from "../support/property-runs.ts";

const person = { there: false, joins: 0, leaves: undefined, ownKeyRoles: undefined };
const team = { joins: 0, roles: [["DEVELOPER"]], open: false };

/** One team that is there and one that is new, and people for both. */
const company: ChaosDraw["company"] = {
  people: [{ ...person, there: true }, person, person, person],
  teams: [
    { ...team, there: true, members: [0, 1, 2], membersThere: [0] },
    { ...team, there: false, members: [3, 1], membersThere: [] },
  ],
};

const calm: RunDraw = {
  edition: 0,
  parallelism: 4,
  tampering: [],
  faults: [],
  kill: undefined,
  pause: 0,
  stateFault: undefined,
  losesState: false,
};

/** At the first creation, the first addition and a replacement of one run, and at a read of the next. */
function struckBy(fault: FaultName): ChaosDraw {
  const at = (among: FaultDraw["place"]["among"], number: number): FaultDraw => ({
    place: { among, number },
    fault,
    lasts: 1,
  });
  return {
    company,
    service: { showsAll: true, knobs: { searchLagMs: 4000, listLagMs: 4000, detailLagMs: 4000, readd: "reinvite" } },
    state: "file",
    runs: [
      { ...calm, faults: [at("creations", 1), at("additions", 1), at("writes", 5)] },
      { ...calm, faults: [at("all", 4), at("creations", 1), at("additions", 1)] },
    ],
  };
}

/** What differs from another fault only in how it is told: `npm run test:deep` has them too. */
const alike =
  /^(?:garbage before|HTML 200 after|429 (?:in seconds|until a date|in the past)|503 (?:in seconds|after, until a date)|500 before|50[24] after)$/u;

test.for(faultNames.filter((name) => isDeep || !alike.test(name)))(
  "%s, and the applies after it reach the roster with nobody twice",
  async (fault) => {
    expect(await story(struckBy(fault))).toEqual([]);
  },
);
