import { describe, expect, test } from "vitest";
import { killPoints } from "../support/fault.ts";
import { killAndRunAgain, type Strike, undisturbed } from "../support/kill-scene.ts";

const whole = await undisturbed();

const late = { searchLagMs: 4000, listLagMs: 4000, detailLagMs: 4000 };

const circumstances = [
  { service: "prompt", state: "kept" },
  { service: "late", state: "kept", knobs: late },
  { service: "prompt", state: "lost" },
] as const;

/** Every request of an undisturbed apply, three ways, in each of the circumstances. */
const strikes = whole.requests.flatMap(({ number }) =>
  killPoints.flatMap((when) =>
    circumstances.map((so): Strike & { readonly number: number; readonly service: string } => ({
      ...so,
      number,
      when,
      at: (request) => request.number === number,
    })),
  ),
);

describe("an apply of the example company that is killed at any request, then run again", () => {
  test.concurrent.for(strikes)(
    "killed at request $number ($when, the service $service, the state $state), it comes to the roster, with nobody twice",
    async (strike, { onTestFinished }) => {
      const { codes, ...aftermath } = await killAndRunAgain(strike, onTestFinished);
      const { there } = whole;
      expect(aftermath).toEqual({ signal: "SIGKILL", isDone: true, breaches: [], stateTroubles: [], there });
      expect(codes.at(-1)).toBe(0);
    },
  );
});
