import { describe, expect, test } from "vitest";
import { killPoints } from "../support/fault.ts";
import type { PassedRequest } from "../support/fault-proxy.ts";
import { killAndRunAgain, type Strike, undisturbed } from "../support/kill-scene.ts";
import { isDeep } from "../support/property-runs.ts";

const teamCreation = nth(/^POST .*\/users$/u, 1);
const creation = nth(/^POST .*\/users$/u, 4);
const addition = nth(/^POST .*\/members$/u, 4);

/** What was done shows neither in a search nor in a list for a while. */
const late = { searchLagMs: 4000, listLagMs: 4000, detailLagMs: 4000 };

interface NamedStrike extends Strike {
  readonly name: string;
  readonly service: string;
}

/** Requests that differ in kind: reads, both ways of creating, additions, replacements; and services and states that do. */
const strikes: readonly NamedStrike[] = [
  ...killPoints.flatMap((when) => [
    { name: "first creation of a team", service: "prompt", when, state: "kept" as const, at: teamCreation },
    { name: "fourth creation", service: "prompt", when, state: "kept" as const, at: creation },
    { name: "last addition of members", service: "prompt", when, state: "kept" as const, at: addition },
  ]),
  ...(["before-commit", "after-commit"] as const).flatMap((when) => [
    {
      name: "first creation of a team",
      service: "late",
      when,
      state: "kept" as const,
      at: teamCreation,
      knobs: late,
    },
    { name: "last addition of members", service: "late", when, state: "kept" as const, at: addition, knobs: late },
  ]),
  ...(["after-commit"] as const).flatMap((when) => [
    { name: "first search", service: "prompt", when, state: "kept" as const, at: nth(/^POST .*\/search$/u, 1) },
    { name: "fifth replacement of roles", service: "prompt", when, state: "kept" as const, at: nth(/^PUT /u, 5) },
    { name: "fourth creation", service: "prompt", when, state: "lost" as const, at: creation },
    { name: "last addition of members", service: "prompt", when, state: "lost" as const, at: addition },
  ]),
];

/** What `npm test` has of them: each kind of request once, and each moment, service and state. */
const usual = `
first creation of a team before-commit prompt kept
fourth creation after-answer prompt kept
last addition of members after-commit prompt kept
first creation of a team after-commit late kept
last addition of members before-commit late kept
first search after-commit prompt kept
fifth replacement of roles after-commit prompt kept
fourth creation after-commit prompt lost
`.split("\n");

function nameOf({ name, when, service, state }: NamedStrike): string {
  return `${name} ${when} ${service} ${state}`;
}

function nth(route: RegExp, which: number): Strike["at"] {
  const isIt = ({ method, url }: PassedRequest) => route.test(`${method} ${url.split("?")[0]}`);
  return (request, before) => isIt(request) && before.filter(isIt).length === which - 1;
}

const whole = await undisturbed();

describe("an apply of the example company that is killed, then run again", () => {
  test.concurrent.for(strikes.filter((strike) => isDeep || usual.includes(nameOf(strike))))(
    "killed at the $name ($when, the service $service, the state $state), it comes to the roster, with nobody twice",
    async (strike, { onTestFinished }) => {
      const { codes, ...aftermath } = await killAndRunAgain(strike, onTestFinished);
      const { there } = whole;
      expect(aftermath).toEqual({ signal: "SIGKILL", isDone: true, breaches: [], stateTroubles: [], there });
      expect(codes.at(-1)).toBe(0);
    },
  );
});
