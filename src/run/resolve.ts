import type { CreationIntent, Intent } from "../model/call.ts";
import { readDelay } from "../model/capabilities.ts";
import type { LearnedOutcome } from "../model/event.ts";
import type { Failure } from "../model/failure.ts";
import { accountStatus } from "../model/key.ts";
import type { ActionId } from "../model/plan.ts";
import { presentMembers } from "../model/snapshot.ts";
import type { ObservedUser } from "../model/user.ts";
import { assessCall, assessDeclinedCreation, possibleUsers, resolvedBy, type Verdict } from "./assess.ts";
import { creationEffect, type Effect, isShown, standingOf } from "./expected-effect.ts";
import type { UpcomingCall } from "./journal.ts";
import type { RunKnowledge } from "./knowledge.ts";
import { onlyUser, type Shown } from "./lookups.ts";
import { queriesOf, queryOf, type RunSession, readUntil } from "./session.ts";

/** By the monotonic clock, when a call was announced and when its answer came or was given up. No clock that is set counts too much by it. */
export interface CallTimes {
  readonly announced: number;
  readonly ended: number;
}

export interface UnknownResult {
  readonly is: "unknown";
  readonly failure: Failure;
  readonly accepted?: { readonly askAfter?: number } | undefined;
  readonly times: CallTimes;
}

interface OutcomeReads {
  readonly times: CallTimes;
  readonly why: string;
  /** Milliseconds before each read. */
  readonly pauses?: readonly number[];
  /** What a read that shows a later write of the same kind, and not this call, says of it. */
  readonly neighbours?: "prove" | "prove-nothing";
  /** What the answer says that the call has done besides. */
  readonly witnesses?: readonly Effect[];
}

/** Milliseconds before each read, for a call that was just sent: 30 s as a whole. */
const pausesAfterSending = [0, 500, 1000, 2000, 2000, 5500, 8000, 11_000];

/** The same for a call that the service took for later, where it does not say when to ask. */
const pausesAfterAcceptance = [500, 1000, 2000, 4000, 8000, 14_500];

/** How long a call that was taken for later is waited for, in milliseconds. */
const maxAcceptedWait = 30_000;

/**
 * Resolves a call of unknown outcome by reading, for half a minute at the most, and never by sending it again; undefined where reading
 * cannot tell. What was resolved is recorded, with what it has taught.
 */
export async function resolveByReading(
  session: RunSession,
  call: UpcomingCall,
  { accepted, failure, times }: UnknownResult,
): Promise<Verdict | undefined> {
  const { journal } = session;
  const { intent } = call;
  const lost = failure.code === "misunderstood" ? "roster could not read the answer" : "the answer was lost";
  const verdict = await (accepted === undefined
    ? readOutcome(session, intent, {
        // The next plan compares the roles of keys anyway: one read tells whether this is needed.
        pauses: intent.kind === "replace-roles" ? [0] : pausesAfterSending,
        why: `${lost}, and reads do not show the outcome yet`,
        times,
        neighbours: hasArrived(failure) ? "prove" : "prove-nothing",
      })
    : readOutcome(session, intent, {
        pauses: acceptedPauses(accepted),
        why: "the service accepted the call for later, and reads do not show the change yet",
        times,
        neighbours: "prove-nothing",
      }));
  if (verdict !== undefined) journal.record([resolvedBy({ run: journal.run, ...call }, verdict, journal.now())]);
  return verdict;
}

/**
 * Whether the service has answered the call, so that nothing of it is on its way any more. A call whose connection was cut may wait in
 * a proxy and arrive later, also where a gateway says so (502, 504).
 */
function hasArrived({ status }: Failure): boolean {
  return status !== undefined && status !== 502 && status !== 504;
}

function acceptedPauses({ askAfter }: NonNullable<UnknownResult["accepted"]>): readonly number[] {
  if (askAfter === undefined) return pausesAfterAcceptance;
  const pause = Math.min(Math.max(askAfter, 1000), maxAcceptedWait);
  return Array.from({ length: Math.max(1, Math.floor(maxAcceptedWait / pause)) }, () => pause);
}

/** Reads what a call of unknown outcome, or its answer, left open; undefined where reading cannot tell. Records nothing. */
export async function readOutcome(
  session: RunSession,
  intent: Intent,
  { times, why, pauses = pausesAfterSending, neighbours = "prove", witnesses: known = [] }: OutcomeReads,
): Promise<Verdict | undefined> {
  const { knowledge, plan, capabilities } = session;
  const isDecided = isDecidedBy(knowledge, times);
  let witnesses: readonly Effect[] = [];
  const people = () => {
    if (neighbours === "prove") witnesses = [...known, ...knowledge.neighboursOf(intent, times.announced)].slice(0, 3);
    return [...queriesOf(intent, plan), ...witnesses.map(({ address }) => queryOf(address, plan))];
  };
  let partly: Verdict | undefined;
  const verdict = await readUntil(session, { pauses, why, people }, async (shown, readAt) => {
    const age = isDecided(readAt, shown, witnesses) ? "decided" : "fresh";
    const said = assessCall(intent, { shown, teamsOnKeys: capabilities.teamsOnKeys ?? "unknown" }, age);
    if (said === undefined) return undefined;
    // Roles that do not read as wanted yet may do so a moment later.
    if (!said.as.done && intent.kind === "replace-roles") return undefined;
    if (!said.as.done && intent.kind === "create-user" && !(await isUnlisted(session, intent))) return undefined;
    if (said.except !== undefined) partly = said;
    return said.except === undefined ? said : undefined;
  });
  return verdict ?? partly;
}

/** Whether the details of the account do not show somebody either: a search may be cut off, and still find everybody else. */
async function isUnlisted({ service, signal }: RunSession, { account, address }: CreationIntent): Promise<boolean> {
  const details = await service.readAccount(account, signal);
  return details.ok && !presentMembers(details.value).includes(address);
}

/**
 * Tells for each read, in order, whether what it does not show is decided by then. A call that no read shows was not done once the
 * consistency window is over; or where reads that are recent enough to show a later write of ours do not show it, twice, the second
 * time after as long again. `readAt`: by the monotonic clock.
 */
function isDecidedBy(knowledge: RunKnowledge, { announced, ended }: CallTimes) {
  let firstProof: number | undefined;
  return (readAt: number, shown: Shown, witnesses: readonly Effect[]): boolean => {
    if (readAt - ended >= knowledge.decidedAfter) return true;
    const age = readAt - announced;
    if (age < readDelay || !witnesses.some((effect) => isShown(effect, shown))) return false;
    firstProof ??= age;
    return age >= 2 * firstProof;
  };
}

export type CreationLearned = Extract<LearnedOutcome, { readonly kind: "create-user" }>;

/** Who is at the address of a creation that the service refused. */
type ExistingUser =
  | { readonly is: "present"; readonly user: ObservedUser; readonly learned: CreationLearned }
  /** Nobody of that address; the failure says all that is known of why. */
  | { readonly is: "absent"; readonly failure: Failure }
  /** No read succeeded, and the service answered that they are there: the next run must look. */
  | { readonly is: "unknown" };

export interface RefusedCreation {
  readonly intent: CreationIntent;
  readonly failure: Failure;
  readonly times: CallTimes;
}

/** Milliseconds before each read: who is there already shows at once, unless the refused call has created them. */
const existingUserPauses = { conflict: [0, 500, 1000, 2000, 2000], refused: [0] };

/**
 * Looks whether a user is at the address of a refused creation; never sends it again. That it was declined is durable before the
 * first read, so that a later run does not take a user who was there before for created by us.
 */
export async function findExistingUser(
  session: RunSession,
  action: ActionId,
  { intent, failure, times }: RefusedCreation,
): Promise<ExistingUser> {
  const { journal, knowledge, clock, plan, capabilities } = session;
  const { teamsOnKeys = "unknown" } = capabilities;
  journal.record([{ type: "declined", at: journal.now(), action, failure }]);
  await journal.written();
  const pauses = existingUserPauses[failure.code === "conflict" ? "conflict" : "refused"];
  const why = `the service reports that ${intent.email} exists, but does not show the user yet`;
  let explained: Failure | undefined;
  const found = await readUntil(session, { pauses, why, people: () => queriesOf(intent, plan) }, (shown) => {
    const user = onlyUser(shown, intent.address);
    const isPossible = possibleUsers(intent, shown).length > 0;
    const verdict = isPossible ? assessDeclinedCreation(intent, failure, { shown, teamsOnKeys }, "fresh") : undefined;
    const learned = verdict?.as.done === true ? verdict.as.learned : undefined;
    if (user !== undefined && learned?.kind === "create-user") return { is: "present", user, learned } as const;
    // A conflict may be answered although the call was done: then nothing is known before the consistency window is over.
    const isOver = clock.monotonic() - times.ended >= knowledge.decidedAfter;
    const isAnother = user !== undefined && standingOf(creationEffect(intent), user).is !== "present";
    const isCertain = failure.code !== "conflict" || isOver || isAnother;
    explained = isCertain ? explainRefusal(intent, shown, failure) : undefined;
    return undefined;
  });
  if (found !== undefined) return found;
  if (explained !== undefined && journal.stopped === undefined) return { is: "absent", failure: explained };
  // Any other refusal than that somebody is there has created nobody, whatever could be read.
  return failure.code === "conflict" ? { is: "unknown" } : { is: "absent", failure };
}

/** The service's own words stay; what reading adds to them comes after. */
function explainRefusal(
  { address, email, createsTeam, account }: CreationIntent,
  shown: Shown,
  failure: Failure,
): Failure {
  const found = shown(address);
  if (found.is === "absent") {
    const blocked =
      "deleted user may block the address. Restore or purge that user in the service, or use another address";
    const hint = `Reads do not show ${email}. ${failure.code === "conflict" ? "A" : "If it refuses the address, a"} ${blocked}`;
    return { ...failure, hint };
  }
  if (found.is !== "present") return failure;
  const { user } = found;
  if (accountStatus(user.status) === "deleted") {
    const message = `${failure.message}. The service shows ${email} as deleted, which blocks the address`;
    return { ...failure, message, hint: "Restore or purge the user in the service, or use another address" };
  }
  if (user.account !== undefined && user.account !== account)
    return { ...failure, message: `${failure.message}. ${email} is in the account ${user.account}` };
  if (createsTeam === undefined) return failure;
  const message = `${failure.message}. ${email} exists already, so roster cannot create the team ${createsTeam.name} with them`;
  return {
    ...failure,
    message,
    hint: "Plan again. The team needs another new member as its first member, or its `identifier`",
  };
}
