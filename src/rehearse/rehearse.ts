import { applyPlan } from "../apply/run.ts";
import { applyEvents } from "../journal/fold.ts";
import { type RunSummary, summarizeRun } from "../journal/summary.ts";
import type { Action, ActionId, ReplaceRoles } from "../model/action.ts";
import type { RunEvent } from "../model/event.ts";
import { factValue } from "../model/fact.ts";
import type { Plan, Rehearsal, RehearsalCalls } from "../model/plan.ts";
import type { RefusedPart } from "../model/refusal.ts";
import type { Result } from "../model/result.ts";
import type { RoleSet } from "../model/role-set.ts";
import { accountStatus, type Snapshot } from "../model/snapshot.ts";
import type { State } from "../model/state.ts";
import { shownTeams } from "../model/team.ts";
import { peopleReader } from "../observe/read-users.ts";
import type { AccountService } from "../ports/account-service.ts";
import type { Clock } from "../ports/clock.ts";
import type { Progress } from "../ports/operator.ts";
import type { StateJournal } from "../ports/state-store.ts";
import type { Knobs } from "../reference-server/knobs/registry.ts";
import { rehearsalService, virtualClock } from "./rehearsal-service.ts";
import { type KnownService, namedTeams } from "./seed-world.ts";
import { assessRehearsal, differingActions, type Replan } from "./verdict.ts";

/** What is rehearsed, and with what. */
export interface RehearsalInput extends KnownService {
  /** What an apply of this plan records before its first call. */
  readonly before: readonly RunEvent[];
  readonly privilegedRoles: RoleSet;
  /** Milliseconds that each call takes. */
  readonly latency: number;
  /** Calls at once. */
  readonly parallelism: number;
  /** Ways of the service that no read shows. */
  readonly knobs?: Partial<Knobs>;
  /** Reads and plans by the one path, before the plan is applied and after it; a person's words for one run count before it. */
  readonly planAgain: (when: "before" | "after", state: State, ports: PlanningPorts) => Promise<Result<Replan, string>>;
}

export interface PlanningPorts {
  readonly service: AccountService;
  readonly clock: Clock;
}

export interface RehearsalPorts {
  readonly digest: (text: string) => string;
  readonly progress: Progress;
  readonly signal: AbortSignal;
}

/** One in so many writes is refused, and is to come back after so many milliseconds. */
const oneIn = 10;
const pause = 1000;

const throttling: Partial<Knobs> = {
  flaky: [`writes@every-${oneIn}`],
  flakyStatus: "429",
  retryAfter: "seconds",
  retryAfterSeconds: pause / 1000,
};

/**
 * Applies a plan to a service in memory that is filled with what is known of the service, and plans again. Nothing is sent,
 * written or mailed, and no time is waited for. Undefined where the signal was aborted.
 */
export async function rehearse(question: RehearsalInput, ports: RehearsalPorts): Promise<Rehearsal | undefined> {
  const calm = await runOnce(question, ports, question.knobs ?? {});
  const { plan, state, latency, snapshot } = question;
  const { run, left, started, planned, stage } = calm;
  const again = ports.signal.aborted ? undefined : await question.planAgain("after", left, stage);
  const slow = await runOnce(question, ports, { ...question.knobs, ...throttling });
  if (again === undefined || ports.signal.aborted) return undefined;
  const { troubles, notices } = assessRehearsal({ plan, run, before: planned, again });
  return {
    converges: troubles.length === 0,
    troubles,
    notices,
    unshown: limitationsOf({ plan, snapshot, state }, planned),
    calls: calm.calls,
    mails: calm.mails,
    criticalPath: criticalPath(plan.actions),
    time: {
      latency,
      planning: started.at - started.opened,
      applying: calm.ended - started.at,
      throttled: { oneIn, pause, applying: slow.ended - slow.started.at },
    },
  };
}

/** What one run of the plan came to. */
interface RunOnce {
  readonly run: RunSummary;
  /** The state that the run left. */
  readonly left: State;
  /** What reading for the plan came to before it was run. */
  readonly planned: Result<Replan, string>;
  /** Milliseconds since the epoch, when reading began and when the run did. */
  readonly started: { readonly opened: number; readonly at: number };
  readonly ended: number;
  readonly calls: RehearsalCalls;
  readonly mails: number;
  readonly stage: PlanningPorts;
}

/** Milliseconds after the reads of the plan: what was recent for them had its time to show. */
const settlingMargin = 10_000;

async function runOnce(question: RehearsalInput, ports: RehearsalPorts, knobs: Partial<Knobs>): Promise<RunOnce> {
  const { plan, snapshot, state, before, parallelism, latency, keyInUse } = question;
  const opened = Date.parse(snapshot.readAt) + settlingMargin;
  const clock = virtualClock(opened);
  const ground: KnownService = { snapshot, state, plan, keyInUse };
  const { service, asked, mails } = rehearsalService(ground, { clock, latency, parallelism, knobs });
  const stage = { service, clock };
  const planned = await question.planAgain("before", state, stage);
  const at = clock.now();
  const readsBefore = service.requests.reads;
  const factsAt = planned.ok ? planned.value.snapshot.readAt : snapshot.readAt;
  const session = rehearsalSession(state);
  await session.append(before);
  const known = snapshot.users.filter(({ status }) => accountStatus(status) !== "deleted");
  const { capabilities } = snapshot;
  const { privilegedRoles } = question;
  const work = { plan, run: "rehearsal", factsAt, capabilities, privilegedRoles };
  const { digest, signal } = ports;
  const people = peopleReader({ service, parallelism, known });
  const events: RunEvent[] = [];
  for await (const together of applyPlan(work, { service, people, session, clock, digest, parallelism, signal })) {
    events.push(...together);
    ports.progress.report({ what: "events rehearsed", done: events.length });
  }
  const calls = {
    createUser: asked.get("create") ?? 0,
    addMembers: asked.get("members") ?? 0,
    replaceRoles: asked.get("keys") ?? 0,
    reads: service.requests.reads - readsBefore,
  };
  const run = summarizeRun(events);
  return {
    run,
    left: session.left(),
    planned,
    started: { opened, at },
    ended: clock.now(),
    calls,
    mails: mails(),
    stage,
  };
}

/** The longest chain of actions of which each waits for the one before; of several the one that the plan names first. @internal */
export function criticalPath(actions: readonly Action[]): readonly ActionId[] {
  const lengths = new Map<ActionId, number>();
  const before = new Map<ActionId, ActionId>();
  // A plan is in an order that respects every dependency.
  for (const { id, dependsOn } of actions) {
    const last = longest(dependsOn, lengths);
    lengths.set(id, 1 + (last === undefined ? 0 : (lengths.get(last) ?? 0)));
    if (last !== undefined) before.set(id, last);
  }
  const path: ActionId[] = [];
  const ends = longest(lengths.keys(), lengths);
  for (let step = ends; step !== undefined; step = before.get(step)) path.unshift(step);
  return path;
}

function longest(ids: Iterable<ActionId>, lengths: ReadonlyMap<ActionId, number>): ActionId | undefined {
  let best: ActionId | undefined;
  for (const id of ids) {
    if ((lengths.get(id) ?? 0) > (best === undefined ? 0 : (lengths.get(best) ?? 0))) best = id;
  }
  return best;
}

/** A copy of a state that lives as long as its rehearsal. */
export interface RehearsalSession extends StateJournal {
  /** The state that a later run would find. */
  left(): State;
}

function rehearsalSession(state: State): RehearsalSession {
  const events: RunEvent[] = [];
  const left = () => applyEvents(state, events);
  return {
    state,
    writes: "appended",
    left,
    async append(more) {
      events.push(...more);
    },
  };
}

/** What a rehearsal cannot tell, one sentence each: what no read shows, and what is taken on somebody's word. */
function limitationsOf(ground: KnownService, before: Result<Replan, string>): readonly string[] {
  return [...hiddenFacts(ground), ...assumptions(ground), ...worldDifferences(ground.plan, before)];
}

function hiddenFacts({ snapshot, state, plan }: KnownService): readonly string[] {
  const { capabilities, roles, everyone } = snapshot;
  const { keysOnUsers, rolesOnKeys, teamsOnKeys } = capabilities;
  return [
    ...(everyone.read === "incomplete" ? [`The list of users is incomplete: ${everyone.why}.`] : []),
    ...(keysOnUsers === "hidden"
      ? ["The service does not show the keys of users. The rehearsal cannot check their roles."]
      : []),
    ...(keysOnUsers !== "hidden" && rolesOnKeys === "hidden"
      ? ["The service does not show the roles of keys. Roles that are not in the state are unknown."]
      : []),
    ...(keysOnUsers !== "hidden" && teamsOnKeys === "hidden" ? [hiddenTeamsSentence(snapshot)] : []),
    ...(roles.known === "unknown" && plan.actions.some(sendsRoles)
      ? ["The roles were not read. The rehearsal assumes that the named ones exist."]
      : []),
    ...(state.queues === undefined
      ? []
      : ["The service accepts some calls for later. The rehearsal does each one at once."]),
  ];
}

function hiddenTeamsSentence({ users }: Snapshot): string {
  const named = users.flatMap(({ keys = [] }) => shownTeams(keys));
  if (named.length === 0)
    return "The service does not show the teams of keys. The rehearsal assumes that it shows the identifier of a new team.";
  return named.every(({ name }) => name === undefined)
    ? "The service shows teams only by their identifiers. The rehearsal cannot see teams with an unknown identifier."
    : "The service does not show the team names of all keys. The rehearsal sees only some memberships.";
}

/** What names roles, which then have to be there. */
function sendsRoles(action: Action): boolean {
  return action.kind === "replace-roles" || (action.kind === "create-user" && action.founds !== undefined);
}

function worldDifferences(plan: Plan, before: Result<Replan, string>): readonly string[] {
  if (!before.ok) return [`The copy in memory could not be read like the service: ${before.error}.`];
  const apart = new Set([...differingActions(before.value.plan, plan), ...differingActions(plan, before.value.plan)]);
  if (apart.size === 0) return [];
  return [`The copy in memory differs from the service in ${firstFew([...apart])}. The service does not show enough.`];
}

/** What a rehearsal takes to be there, or to be taken, although no read shows it: one sentence each. */
function assumptions(ground: KnownService): readonly string[] {
  return [...assumedTeams(ground), ...assumedKeys(ground), ...refusedBefore(ground)];
}

/** Names of which only a few are shown. */
function firstFew(names: readonly string[]): string {
  const rest = names.length - 5;
  return rest > 0 ? `${names.slice(0, 5).join(", ")} and ${rest} more` : names.join(", ");
}

function assumedTeams({ snapshot, plan }: KnownService): readonly string[] {
  const teams = snapshot.users.flatMap(({ keys = [] }) => shownTeams(keys));
  const shown = new Set(teams.map(({ identifier }) => identifier));
  const taken = namedTeams(plan).flatMap(({ name, identifier }) => {
    const known = factValue(identifier);
    return known === undefined || shown.has(known)
      ? []
      : [`No read shows the team ${name} (${known}). The rehearsal assumes that it exists.`];
  });
  return [...new Set(taken)];
}

/** What the state records was once shown; what the roster declares may never have been. */
function assumedKeys({ snapshot, plan }: KnownService): readonly string[] {
  const shown = new Set(snapshot.users.flatMap(({ keys = [] }) => keys.map(({ prefix }) => prefix)));
  const prefixes = plan.actions.flatMap((action) => (action.kind === "replace-roles" ? declaredPrefix(action) : []));
  const taken = [...new Set(prefixes)].filter((prefix) => !shown.has(prefix));
  if (taken.length === 0) return [];
  return taken.length === 1
    ? [`No read shows the key ${firstFew(taken)}. The rehearsal assumes that it exists.`]
    : [`No read shows the keys ${firstFew(taken)}. The rehearsal assumes that they exist.`];
}

function declaredPrefix({ key }: ReplaceRoles): readonly string[] {
  return key.of === "prefix" && key.prefix.known === "declared" ? [key.prefix.value] : [];
}

function refusedBefore({ plan, state }: KnownService): readonly string[] {
  const parts = [...state.refusals.values()].map(({ part }) => part);
  const again = plan.actions.filter((action) => parts.some((part) => concernsAction(part, action))).map(({ id }) => id);
  if (again.length === 0) return [];
  return [`The service refused this before: ${firstFew(again)}. It may refuse it again.`];
}

function concernsAction(part: RefusedPart, action: Action): boolean {
  switch (action.kind) {
    case "create-user":
      if (part.of === "founding") return part.address === action.address && part.team === action.founds?.team;
      return part.of === "creation" && part.address === action.address;
    case "add-members":
      return (
        part.of === "addition" &&
        part.team === action.team.team &&
        action.members.some(({ address }) => address === part.address)
      );
    case "replace-roles":
      return part.of === "roles" && action.key.of === "prefix" && factValue(action.key.prefix) === part.prefix;
  }
}
