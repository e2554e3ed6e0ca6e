import type { Action } from "../../src/model/action.ts";
import type { RunEvent } from "../../src/model/event.ts";
import type { ForbiddenTargets } from "../../src/model/plan.ts";
import type { Capabilities } from "../../src/model/recorded.ts";
import { defaultPrivilegedRoles } from "../../src/model/role-set.ts";
import { emptyState } from "../../src/model/state.ts";
import { formatSubject } from "../../src/model/subject.ts";
import type { ObservedUser } from "../../src/model/user.ts";
import type { AccountService } from "../../src/ports/account-service.ts";
import type { ApplyPorts, StaleActions } from "../../src/run/apply-input.ts";
import { applyPlan } from "../../src/run/run.ts";

import { aPlan } from "./action-builders.ts";
import { noon } from "./event-builders.ts";
import { clockAt, tellingTime } from "./fixed-ports.ts";
import { memorySession } from "./memory-session.ts";
import { aPeopleReader } from "./people-reader.ts";
import { type SimulatedService, type SimulationOptions, simulatedService } from "./simulated-service.ts";
import { aWorld } from "./simulated-world.ts";

export type RunWish = Partial<Omit<ApplyPorts, "service">> & {
  /** `another run`: nothing of what the actions rest on was read by this one. */
  readonly factsAt?: string;
  readonly stale?: StaleActions;
  /** Keys and people that the guards of the plan forbid. */
  readonly forbids?: ForbiddenTargets;
  readonly capabilities?: Capabilities;
  readonly shown?: readonly ObservedUser[];
  /** Milliseconds within which reads may not show a write; 5 s unless said. `learned`: nobody has set them. */
  readonly consistency?: number | "learned";
  readonly throttling?: "no-effect";
};

export const everythingShown: Capabilities = {
  keysOnUsers: "shown",
  rolesOnKeys: "shown",
  teamsOnKeys: "shown",
  titles: "shown",
  totals: "unknown",
  paging: { firstPage: "unknown" },
};

/** A service without anybody in it. */
export function emptyService(options: Partial<SimulationOptions> = {}): SimulatedService {
  return simulatedService({ world: aWorld(), ...options });
}

/** Applies actions with everything around them made up, and returns the events as they were told. */
export async function applied(
  actions: readonly Action[],
  service: AccountService,
  wish: RunWish = {},
): Promise<readonly RunEvent[]> {
  const events: RunEvent[] = [];
  for await (const event of running(actions, service, wish)) events.push(event);
  return events;
}

/** The same, told one by one. */
export async function* running(
  actions: readonly Action[],
  service: AccountService,
  {
    factsAt = noon,
    capabilities = everythingShown,
    consistency = 5000,
    shown,
    stale,
    forbids,
    throttling,
    ...ports
  }: RunWish = {},
): AsyncGenerator<RunEvent, void> {
  const session = memorySession(emptyState("l"));
  const people = aPeopleReader(service);
  const clock = ports.clock ?? clockAt(noon);
  const around = { people, session, clock, parallelism: 10, ...ports };
  const plan = { ...aPlan(actions), ...(forbids === undefined ? {} : { forbids }) };
  const about = { plan, run: "r1", capabilities, privilegedRoles: defaultPrivilegedRoles };
  const window = consistency === "learned" ? {} : { consistency };
  const read = shown === undefined ? {} : { shown };
  const facts = factsAt === "another run" ? {} : { factsAt };
  const events = applyPlan(
    { ...about, ...window, throttling, ...read, ...facts, ...(stale === undefined ? {} : { stale }) },
    { service: "times" in service ? service : tellingTime(service, clock), ...around },
  );
  for await (const together of events) yield* together;
}

/** The events of one action in short. */
export function aboutAction(events: readonly RunEvent[], action: string): readonly string[] {
  return brief(events.filter((event) => "action" in event && event.action === action));
}

/** The last events in short. */
export function last(events: readonly RunEvent[], count: number): readonly string[] {
  return brief(events).slice(-count);
}

/** Events in short: their type, what they are about, and what is special. What a run learns of writes has tests of its own. */
export function brief(events: readonly RunEvent[]): readonly string[] {
  return events.filter(({ type }) => type !== "writes-learned").map(inShort);
}

function inShort(event: RunEvent): string {
  switch (event.type) {
    case "skipped":
      return `skipped ${event.action} because of ${event.cause ?? "the run"}: ${event.why}`;
    case "stale":
    case "unneeded":
      return `${event.type} ${event.action}: ${event.why}`;
    case "failed":
    case "member-refused":
    case "declined":
    case "unknown-outcome":
      return `${event.type} ${event.action}: ${event.failure.code}`;
    case "intended":
    case "resolved":
    case "succeeded":
      return `${event.type} ${event.action}`;
    case "key-learned":
      return `key-learned ${event.prefix} of ${event.address}${event.team === undefined ? "" : ` in ${event.team}`}`;
    case "team-identified":
      return `team-identified ${event.team} as ${event.identifier}`;
    case "key-read":
      return `key-read ${event.prefix} as ${event.roles.join(",")}${event.provisional === true ? ", provisional" : ""}`;
    case "found":
      return `found ${event.finding.code} for ${formatSubject(event.finding.subject)}`;
    case "verified":
      return `verified ${[event.result, ...event.remarks].join(": ")}`;
    case "run-finished":
      return event.why === undefined ? `finished ${event.ended}` : `finished ${event.ended}: ${event.why}`;
    case "waiting":
      return `waiting ${event.milliseconds}`;
    case "users-observed":
    case "access-seen":
    case "service-learned":
    case "writes-learned":
    case "sequenced":
    case "plan-file-begun":
    case "roster-applied":
    case "allowances-used":
    case "findings-seen":
    case "records-moved":
    case "epoch-started":
    case "run-started":
      return event.type;
  }
}
