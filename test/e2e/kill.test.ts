import { describe, expect, test } from "vitest";
import { killPoints } from "../support/fault.ts";
import type { PassedRequest } from "../support/fault-proxy.ts";
import { killAndRunAgain, type Strike, undisturbed } from "../support/kill-scene.ts";

/** Requests that differ in kind: reads, both ways of creating, additions, replacements, and the last look after them. */
const places: readonly (readonly [name: string, route: RegExp, which: number])[] = [
  ["first search", /^POST .*\/search$/u, 1],
  ["first founding of a team", /^POST .*\/users$/u, 1],
  ["fourth creation", /^POST .*\/users$/u, 4],
  ["last addition of members", /^POST .*\/members$/u, 4],
  ["fifth replacement of roles", /^PUT /u, 5],
];

const lost: readonly (readonly [name: string, route: RegExp, which: number])[] = [
  ["second creation", /^POST .*\/users$/u, 2],
  ["second addition of members", /^POST .*\/members$/u, 2],
];

function nth(route: RegExp, which: number): Strike["at"] {
  const isIt = ({ method, url }: PassedRequest) => route.test(`${method} ${url.split("?")[0]}`);
  return (request, before) => isIt(request) && before.filter(isIt).length === which - 1;
}

const kept = places.flatMap(([name, route, which]) =>
  killPoints.map((when) => ({ name, when, state: "kept" as const, at: nth(route, which) })),
);

const strikes: readonly (Strike & { readonly name: string })[] = [
  ...kept,
  ...lost.map(([name, route, which]) => ({
    name,
    when: "after-commit" as const,
    state: "lost" as const,
    at: nth(route, which),
  })),
];

const whole = await undisturbed();

describe("an apply of the example company that is killed, then run again", () => {
  test.concurrent.for(strikes)(
    "killed at the $name, $when, with the state $state, it comes to the roster, with nobody twice",
    async (strike, { onTestFinished }) => {
      const { codes, ...aftermath } = await killAndRunAgain(strike, onTestFinished);
      const { there } = whole;
      expect(aftermath).toEqual({ signal: "SIGKILL", isDone: true, breaches: [], stateTroubles: [], there });
      expect(codes.at(-1)).toBe(0);
    },
  );
});
