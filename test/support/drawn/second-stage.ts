import type { DrawnSeed } from "./drawn-service.ts";
import { secondService } from "./second-service.ts";
import { type SecondWays, usualWays } from "./second-ways.ts";

const stageStart = Date.parse("2026-11-22T08:00:00.000Z");

const stageSeed: DrawnSeed = {
  account: "acc-1",
  people: [
    { email: "root@acme.example", firstName: "Ro", lastName: "Ot", ownRoles: ["ACCOUNT_ADMIN"] },
    { email: "Ada@acme.example", firstName: "Ada", lastName: "Lovelace", ownRoles: ["DEVELOPER"] },
    { email: "bo@acme.example", firstName: "Bo", lastName: "Diaz", ownRoles: [] },
  ],
  teams: [
    { name: "Ops", admin: "Ada@acme.example", members: [{ email: "Ada@acme.example", roles: ["DEVELOPER"] }] },
    { name: "Data", admin: "Ada@acme.example", members: [] },
  ],
};

/** What came back, with the body as JSON where it is JSON. */
interface StageAnswer {
  readonly status: number | "lost";
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/**
 * A second service with a clock that a test sets. Each key that is made has a prefix of one letter: A for the key in use, then C, E and
 * so on, since its secret takes the letter after.
 */
export function secondStage(changed: Partial<SecondWays> = {}, random: () => number = letterByLetter()) {
  let time = stageStart;
  const ways: SecondWays = { ...usualWays, ...changed };
  const service = secondService({ ways, seed: stageSeed, now: () => time, random });
  return {
    service,
    call(method: string, path: string, body?: unknown): StageAnswer {
      const headers = { authorization: `ApiKey ${service.key}` };
      const text = body === undefined ? {} : { body: JSON.stringify(body) };
      const outcome = service.answer({ method, path: `/api/accounting/${path}`, headers, ...text });
      if (outcome.is === "lost") return { status: "lost", headers: {}, body: undefined };
      const { status, headers: told, body: came } = outcome;
      return { status, headers: told, body: told["content-type"]?.includes("json") === true ? JSON.parse(came) : came };
    },
    wait(milliseconds: number) {
      time += milliseconds;
    },
  };
}

function letterByLetter(): () => number {
  let calls = -1;
  return () => {
    calls += 1;
    return ((Math.floor(calls / 12) % 62) + 0.5) / 62;
  };
}
