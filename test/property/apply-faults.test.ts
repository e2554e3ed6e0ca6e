import { describe, expect, test } from "vitest";
import { troublesOf } from "../support/disturbed-applies.ts";
import { faultNames } from "../support/fault.ts";
import { isDeep, oneIn } from "../support/property-runs.ts";
import type { FaultDraw } from "../support/request-faults.ts";

/** What differs from another fault only in how it is told: `npm run test:deep` has them too. */
const alike =
  /^(?:garbage before|HTML 200 after|429 (?:in seconds|until a date|in the past)|503 (?:in seconds|after, until a date)|500 before|50[24] after)$/u;

/** At the first creation, the first addition and a replacement of one run, and at a read of the next. */
test.for(faultNames.filter((name) => isDeep || !alike.test(name)))(
  "%s, and the applies after it reach the roster with nobody twice",
  async (fault) => {
    const at = (among: FaultDraw["place"]["among"], number: number) => ({ place: { among, number }, fault, lasts: 1 });
    const disturbances = [
      { faults: [at("creations", 1), at("additions", 1), at("writes", 5)] },
      { faults: [at("all", 4), at("creations", 1), at("additions", 1)] },
    ];
    expect(await troublesOf(disturbances, { state: "file", lag: 4000, pause: 0 })).toEqual([]);
  },
);

describe("the state is in a bucket", () => {
  const requests = Array.from({ length: 25 }, (_, index) => index + 1);
  const each = (["lost", "answer-lost", "done-and-500"] as const).flatMap((how) =>
    requests.map((number) => ({ how, number })),
  );

  test.for(oneIn(19, each))(
    "$how at request $number to it, and the applies after it reach the roster with nobody twice",
    async (stateFault) => {
      expect(await troublesOf([{ stateFault }], { state: "bucket", lag: 4000, pause: 0 })).toEqual([]);
    },
  );
});
