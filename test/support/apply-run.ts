import { summarizeRun } from "../../src/log/summary.ts";
import { definedFields } from "../../src/model/collections.ts";
import type { RunEvent } from "../../src/model/event.ts";
import { formatSubject } from "../../src/model/fact.ts";
import type { Action, Plan } from "../../src/model/plan.ts";
import { emptyState, type State } from "../../src/model/state.ts";
import type { ObservedUser } from "../../src/model/user.ts";
import { defaultPrivilegedRoles } from "../../src/model/values.ts";
import { type Clock, momentOf } from "../../src/ports/clock.ts";
import type { ApplyInput, ApplyPorts } from "../../src/run/apply-input.ts";
import { applyPlan } from "../../src/run/run.ts";
import type { AccountService } from "../../src/service/port.ts";
import { aPlan, createId } from "./action-builders.ts";
import { noon } from "./event-builders.ts";
import { clockAt, type MovableClock, tellingTime } from "./fixed-ports.ts";
import { memorySession } from "./memory-session.ts";
import { aPeopleReader } from "./people-reader.ts";
import {
  type ServiceCall,
  type SimulatedService,
  type SimulationOptions,
  simulatedService,
} from "./simulated-service.ts";
import { aWorld } from "./simulated-world.ts";
import { everythingShown } from "./snapshot-builders.ts";

type Given = Pick<ApplyInput, "capabilities" | "shown" | "stale" | "throttling" | "resolve">;

export type RunWish = Partial<Omit<ApplyPorts, "service"> & Given> & {
  /** `another run`: nothing of what the actions rest on was read by this one. */
  readonly factsAt?: string;
  /** Keys and people that the guards of the plan forbid. */
  readonly forbids?: Plan["forbids"];
  /** Milliseconds within which reads may not show a write; 5 s unless said. `learned`: nobody has set them. */
  readonly consistency?: number | "learned";
};

export function emptyService(options: Partial<SimulationOptions> = {}): SimulatedService {
  return simulatedService({ world: aWorld(), ...options });
}

/** What a run meets: what the log says before it, and what its service does otherwise than the simulated one. */
export interface Scene extends Omit<RunWish, "session" | "clock">, Partial<SimulationOptions> {
  readonly clock?: Clock & Partial<MovableClock>;
  readonly state?: Partial<State>;
  /** Asked as each append begins. */
  readonly append?: Parameters<typeof memorySession>[1];
  /** What searches show of those whom they find, so many milliseconds after noon. */
  readonly searches?: (found: readonly ObservedUser[], age: number) => readonly ObservedUser[];
  readonly service?: (simulated: SimulatedService) => Partial<AccountService>;
}

export type SeenRun = Awaited<ReturnType<typeof runPlan>>;

export async function runPlan(actions: readonly Action[], scene: Scene = {}) {
  const { world, hides, before, after, grantedAtCreation, sticky, refusesMembersAlone, ...rest } = scene;
  const { state, append, searches, service: otherwise, clock = clockAt(noon), ...wish } = rest;
  const simulated = emptyService(
    definedFields({ world, hides, before, after, grantedAtCreation, sticky, refusesMembersAlone }),
  );
  const service: AccountService = Object.create(simulated, {
    ...(searches === undefined ? {} : { searchUsers: { value: searching(simulated, searches, clock) } }),
    ...Object.getOwnPropertyDescriptors(otherwise?.(simulated) ?? {}),
  });
  const session = memorySession({ ...emptyState("l"), ...state }, append);
  const events = await applied(actions, service, { ...wish, clock, session });
  const calls = simulated.calls.map(callInShort);
  const outcomes = summarizeRun(events).outcomes;
  const saved = session.saved();
  return {
    events,
    lines: eventLines(events),
    /** What was told of an action, as in `intended, unknown-outcome: unreachable, resolved`; of ada's creation unless said. */
    about: (action: string = createId("ada")) =>
      eventLines(events.filter((event) => "action" in event && event.action === action))
        .map((line) => line.replace(` ${action}`, ""))
        .join(", "),
    outcome: (action: string = createId("ada")) => outcomes.get(action),
    saved,
    open: saved.open.map(({ action }) => action),
    /** Every call in short, as in `create ada`, `add u-ada to t-ops`, `set k1 to DEVELOPER`, `search ada bo`. */
    calls,
    sent: calls.filter((call) => /^(?:create|add|set) /u.test(call)),
    mails: simulated.outbox.map(({ email }) => shortOf(email)),
    waits: clock.waits ?? [],
    simulated,
  };
}

function searching(
  service: AccountService,
  shows: NonNullable<Scene["searches"]>,
  clock: Clock,
): AccountService["searchUsers"] {
  return async (...asked) => {
    const found = await service.searchUsers(...asked);
    return found.ok ? { ok: true, value: shows(found.value, clock.now() - Date.parse(noon)) } : found;
  };
}

function shortOf(name: string): string {
  return name.replace("@acme.example", "");
}

export function callInShort(call: ServiceCall): string {
  switch (call.route) {
    case "list-roles":
    case "list-accounts":
    case "list-users":
      return call.route;
    case "read-account":
      return `read ${call.account}`;
    case "search-users":
      return `search ${call.identifiers.map(shortOf).join(" ")}`;
    case "create-user":
      return `create ${shortOf(call.user.email)}${call.team === undefined ? "" : ` with ${call.team.name}`}`;
    case "add-members":
      return `add ${call.identifiers.map(shortOf).join(" ")} to ${call.team}`;
    case "replace-roles":
      return `set ${call.prefix} to ${call.roles.join(",")}`;
  }
}

/** Applies actions with everything around them made up, and returns the events as they were told. */
export async function applied(actions: readonly Action[], service: AccountService, wish: RunWish = {}) {
  const events: RunEvent[] = [];
  for await (const event of running(actions, service, wish)) events.push(event);
  return events;
}

/** The same, told one by one. */
export async function* running(
  actions: readonly Action[],
  service: AccountService,
  { factsAt = noon, capabilities = everythingShown, consistency = 5000, forbids, ...wish }: RunWish = {},
): AsyncGenerator<RunEvent, void> {
  const session = memorySession(emptyState("l"));
  const clock = wish.clock ?? clockAt(noon);
  const around = { people: aPeopleReader(service), session, clock, parallelism: 10, ...wish };
  const plan = { ...aPlan(actions), ...definedFields({ forbids }) };
  const about = { plan, run: "r1", capabilities, privilegedRoles: defaultPrivilegedRoles };
  const window = consistency === "learned" ? {} : { consistency };
  const facts = factsAt === "another run" ? {} : { factsRead: { ...momentOf(clock), wall: Date.parse(factsAt) } };
  const events = applyPlan(
    { ...about, ...window, ...facts, ...wish },
    { service: "times" in service ? service : tellingTime(service, clock), ...around },
  );
  for await (const together of events) yield* together;
}

/** Events in short: their type, what they are about, and what is special. What a run learns of writes has tests of its own. */
export function eventLines(events: readonly RunEvent[]): readonly string[] {
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
