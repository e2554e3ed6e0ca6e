import { type Answer, errorAnswer } from "./second-answers.ts";
import { clockOf } from "./second-rows.ts";
import { keyInUse, type World } from "./second-world.ts";
import type { Done } from "./second-writes.ts";

/** What a fault sends in place of the answer. */
export type Instead = Answer | "lost";

/** The fault that keeps write number n from having any effect. */
export function faultBefore(world: World, number: number): Instead | undefined {
  const { ways } = world;
  if (ways.lostBeforeEffect === number) return "lost";
  if (ways.failedBeforeEffect === number) return failure(world);
  return ways.throttled.endsWith("-after-effect") ? undefined : throttle(world, number);
}

/** The fault that hides what write number n did. */
export function faultAfter(world: World, number: number): Instead | undefined {
  const { ways } = world;
  if (ways.lostAfterEffect === number) return "lost";
  if (ways.failedAfterEffect === number) return failure(world);
  return ways.throttled.endsWith("-after-effect") ? throttle(world, number) : undefined;
}

function failure(world: World): Answer {
  return errorAnswer(world, Number(world.ways.failureStatus), "Something went wrong");
}

function throttle(world: World, number: number): Answer | undefined {
  const { throttled } = world.ways;
  if (throttled === "never" || !isThrottled(world, number)) return undefined;
  return throttledAnswer(world, Number.parseInt(throttled, 10));
}

function isThrottled({ ways, random }: World, number: number): boolean {
  switch (ways.throttledWrites) {
    case "first":
      return number === 1;
    case "second-and-third":
      return number === 2 || number === 3;
    case "every-third":
      return number % 3 === 0;
    case "quarter":
      return random() < 0.25;
  }
}

/** One read of ten is disturbed, where the service does that. */
export function faultOfRead(world: World): Answer | undefined {
  const { disturbedReads } = world.ways;
  if (disturbedReads === "never" || world.random() >= 0.1) return undefined;
  return disturbedReads === "throttled" ? throttledAnswer(world, 429) : failure(world);
}

function throttledAnswer(world: World, status: number): Answer {
  return errorAnswer(world, status, "Too many requests", retryAfter(world, status));
}

/** Without the header only 429 means throttled. */
function retryAfter(world: World, status: number): Readonly<Record<string, string>> {
  const { ways, now } = world;
  switch (ways.retryAfter) {
    case "1":
    case "30":
      return { "retry-after": ways.retryAfter };
    case "date":
      return { "retry-after": new Date(clockOf(world, now()) + 30_000).toUTCString() };
    case "absent":
      return status === 429 ? {} : { "retry-after": "1" };
  }
}

/**
 * Whose answer a crossed request gets: the newest one of the same kind that was told and is about something else, or one about
 * the key in use. The client knows both, so it can see that the answer is not its own.
 */
export function crossedResult(world: World, told: readonly Done[], own: Done): Done {
  const other = told.findLast((one) => one.is === own.is && subjectOf(one) !== subjectOf(own));
  if (other !== undefined) return other;
  const { person, key } = keyInUse(world);
  switch (own.is) {
    case "created":
      return { is: "created", person };
    case "added": {
      const team = world.teams.find((one) => one !== own.team) ?? own.team;
      return { is: "added", team, members: [{ person, key }], failures: [] };
    }
    case "replaced":
      return { is: "replaced", person, key };
  }
}

function subjectOf(result: Done): string {
  switch (result.is) {
    case "created":
      return result.person.identifier;
    case "added":
      return [result.team.identifier, ...result.members.map(({ person }) => person.identifier)].join(" ");
    case "replaced":
      return result.key.prefix;
  }
}
