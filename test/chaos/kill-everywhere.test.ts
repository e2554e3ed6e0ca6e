import { describe, expect, test } from "vitest";
import { killPoints } from "../support/fault.ts";
import { killAndRunAgain, type Strike, undisturbed } from "../support/kill-scene.ts";

const whole = await undisturbed();

/** Every request of an undisturbed apply, and one after them: the order of requests that are under way at once may differ. */
const numbers = whole.requests.map(({ number }) => number);

const strikes = numbers.flatMap((number) =>
  killPoints.flatMap((when) =>
    (["kept", "lost"] as const).map((state): Strike & { readonly number: number } => ({
      number,
      when,
      state,
      at: (request) => request.number === number,
    })),
  ),
);

describe("an apply of the example company that is killed at any request, then run again", () => {
  test.concurrent.for(strikes)(
    "killed at request $number, $when, with the state $state, it comes to the roster, with nobody twice",
    async (strike, { onTestFinished }) => {
      const { codes, ...aftermath } = await killAndRunAgain(strike, onTestFinished);
      const { there } = whole;
      expect(aftermath).toEqual({ signal: "SIGKILL", isDone: true, breaches: [], stateTroubles: [], there });
      expect(codes.at(-1)).toBe(0);
    },
  );
});
