import type { CreateUser, Founding } from "../model/action.ts";
import type { CreationIntent, RunEvent } from "../model/event.ts";
import type { Failure } from "../model/result.ts";
import type { ObservedUser } from "../model/snapshot.ts";
import { userSubject } from "../model/subject.ts";
import type { CreateUserResponse, NewTeam } from "../ports/account-service.ts";
import { contradictsCreation, showsEarlierUser } from "./check-answers.ts";
import {
  type CreationLearned,
  type ExistingUserResult,
  findExistingUser,
  mayMeanExists,
  type RefusedCreation,
} from "./existing-user.ts";
import type { LearnedFacts } from "./learned-facts.ts";
import { onlyUser } from "./people-lookup.ts";
import { readMissingKeys, readMissingTeam } from "./read-missing-facts.ts";
import { foundEvent, type RunContext } from "./run-context.ts";
import { type ActionResult, recordFailure, recordSuccess, send, withDecisionTime } from "./send.ts";
import { type CallTimes, settleByReading, type UnknownResult } from "./settle-by-reading.ts";

/** Creates a user, with the team that comes into being with them, and learns what later calls need. */
export async function createUser(action: CreateUser, context: RunContext): Promise<ActionResult> {
  const { account, user, founds } = action;
  const team = founds === undefined ? undefined : newTeamRequest(founds, context.facts);
  const intent = creationIntent(action);
  const sent = await send(context, {
    action: action.id,
    intent,
    people: [{ address: action.address, email: user.email }],
    call: () => context.service.createUser(account, user, team, context.signal),
    contradiction: (answer) => contradictsCreation(action, answer, context),
    wasDoneBefore: ({ age }, { announced, ended }) => age !== undefined && age > ended - announced + clockSlack,
  });
  switch (sent.is) {
    case "not-started":
      return sent;
    case "unknown":
      return settleCreation(action, intent, sent, context);
    case "refused":
      return mayMeanExists(sent.failure)
        ? resolveRefusedCreation(action, { intent, failure: sent.failure, announced: sent.times.announced }, context)
        : recordFailure(context, action.id, sent.failure);
    case "answered": {
      const earlier = showsEarlierUser(action, sent.answer, context);
      if (earlier !== undefined)
        return takeEarlierUser(action, { intent, answer: sent.answer, earlier, times: sent.times }, context);
      const answer = await confirmIdentity(action, sent.answer, context);
      const learned = learnedFromAnswer(action, answer);
      await recordSuccess(context, { action: action.id, intent }, learned);
      recordAcknowledgedCreation(action, learned, context, sent.times);
      return continueCreation(action, learned, context, {
        ambiguousKeys: answer.ambiguousKeys,
        answeredAt: sent.times.ended,
      });
    }
  }
}

/**
 * An answer that names no address may be that of another call: what a read shows of this person counts more. Where no read shows them yet, the
 * identifier is left to a later read; a key could not be had again where keys are hidden.
 */
async function confirmIdentity(
  { address, user: { email } }: CreateUser,
  answer: CreateUserResponse,
  context: RunContext,
): Promise<CreateUserResponse> {
  const { identifier, key } = answer;
  if (answer.email !== undefined || (identifier === undefined && key === undefined)) return answer;
  const shown = await context.lookUpForSettling([{ address, email }]);
  const user = shown.ok ? onlyUser(shown.value, address) : undefined;
  if (user === undefined) return withoutIdentifier(answer);
  if (isAnsweredUser(user, answer)) return answer;
  const { profile } = answer;
  return user.identifier === undefined ? { profile } : { profile, identifier: user.identifier };
}

function withoutIdentifier({ identifier: _, ...answer }: CreateUserResponse): CreateUserResponse {
  return answer;
}

/** Keys may show later than their holder does. */
function isAnsweredUser({ identifier, keys = [] }: ObservedUser, answer: CreateUserResponse): boolean {
  if (identifier !== undefined && answer.identifier !== undefined) return identifier === answer.identifier;
  return keys.length === 0 || answer.key === undefined || keys.some(({ prefix }) => prefix === answer.key?.prefix);
}

/** Milliseconds by which a service's clock may stand still between two of its times. */
const clockSlack = 2000;

function recordAcknowledgedCreation(
  { address, user, founds }: CreateUser,
  { teamIdentifier }: CreationLearned,
  { acknowledged }: RunContext,
  { announced }: CallTimes,
): void {
  const person = { address, email: user.email };
  const team = founds === undefined ? undefined : { team: founds.team, name: founds.name, identifier: teamIdentifier };
  acknowledged.note({ kind: "creation", person, begun: announced });
  if (team !== undefined) acknowledged.note({ kind: "founding", person, team, begun: announced });
}

function newTeamRequest({ name, admin, accessKeyRoles }: Founding, facts: LearnedFacts): NewTeam {
  return { name, accessKeyRoles, ...(admin === undefined ? {} : { adminUserIdentifier: facts.nameOf(admin) }) };
}

/** What is announced of a creation. */
export function creationIntent({ address, account, user, founds, request }: CreateUser): CreationIntent {
  const { email, ...sent } = user;
  const asked = request === undefined ? {} : { request };
  const intent = { kind: "create-user", address, email, account, sent, ...asked } as const;
  if (founds === undefined) return intent;
  const { team, name, accessKeyRoles } = founds;
  return { ...intent, founds: { team, name, accessKeyRoles } };
}

function learnedFromAnswer(
  { address, founds }: CreateUser,
  { identifier, key, team, profile }: CreateUserResponse,
): CreationLearned {
  const teamIdentifier = founds === undefined ? undefined : team?.identifier;
  return {
    kind: "create-user",
    address,
    answered: profile,
    ...(identifier === undefined ? {} : { identifier }),
    ...(key === undefined ? {} : { prefix: key.prefix }),
    ...(key?.roles === undefined ? {} : { roles: key.roles }),
    ...(teamIdentifier === undefined ? {} : { teamIdentifier }),
  };
}

/** An answer was lost, or the service takes its time: reading tells, or leaves it open for the next run. */
async function settleCreation(
  action: CreateUser,
  intent: CreationIntent,
  unknown: UnknownResult,
  context: RunContext,
): Promise<ActionResult> {
  const { id, address, user } = action;
  const people = [{ address, email: user.email }];
  const verdict = await settleByReading(context, { action: id, intent, people }, unknown);
  const { failure } = unknown;
  if (verdict === undefined) return { is: "ended", ended: { done: false }, failure };
  if (verdict.as.done && verdict.as.learned.kind === "create-user")
    return continueCreation(action, verdict.as.learned, context);
  const message = `${failure.message}; reads show that ${user.email} was not created`;
  return recordFailure(context, id, { ...failure, message });
}

async function resolveRefusedCreation(
  action: CreateUser,
  declining: RefusedCreation,
  context: RunContext,
): Promise<ActionResult> {
  const { intent, failure } = declining;
  const refused = await findExistingUser(context, action, declining);
  if (refused.is === "there")
    return takeExistingUser(action, intent, refused, failure.serviceSays ?? failure.message, context);
  return recordRefusedCreation(action, refused, context);
}

/** What could not be read stays open, for the next run to settle. */
async function recordRefusedCreation(
  { id }: CreateUser,
  { is, failure }: Exclude<ExistingUserResult, { readonly is: "there" }>,
  context: RunContext,
): Promise<ActionResult> {
  if (is === "nobody") return recordFailure(context, id, failure);
  const decidedFrom = new Date(context.writes.decidedFrom(context.clock.now())).toISOString();
  await context.record([
    {
      type: "unknown-outcome",
      at: context.now(),
      action: id,
      failure: withDecisionTime(failure, decidedFrom),
      decidedFrom,
    },
  ]);
  return { is: "ended", ended: { done: false }, failure };
}

/** An answer of success that shows a user who was there before the call. */
interface EarlierUser {
  readonly intent: CreationIntent;
  readonly answer: CreateUserResponse;
  /** What shows it. */
  readonly earlier: string;
  readonly times: CallTimes;
}

/** The service answered with somebody whom it had: a person is taken over, a team is not founded with them. */
async function takeEarlierUser(
  action: CreateUser,
  { intent, answer, earlier, times }: EarlierUser,
  context: RunContext,
): Promise<ActionResult> {
  const said = `the service answered with ${action.user.email}, whom it had already: ${earlier}`;
  const failure: Failure = { code: "conflict", message: said };
  const there = await findExistingUser(context, action, { intent, failure, announced: times.announced });
  if (there.is === "there") return takeExistingUser(action, intent, there, said, context);
  if (action.founds !== undefined) return recordRefusedCreation(action, there, context);
  const learned: CreationLearned = { ...learnedFromAnswer(action, answer), was: "there-before" };
  return takeExistingUser(action, intent, { learned }, said, context);
}

async function takeExistingUser(
  action: CreateUser,
  intent: CreationIntent,
  { learned, user }: { readonly learned: CreationLearned; readonly user?: ObservedUser },
  said: string,
  context: RunContext,
): Promise<ActionResult> {
  await recordSuccess(context, { action: action.id, intent }, learned);
  if (learned.was === "there-before") {
    context.facts.recordObserved(action.address, user);
    await context.record([existingUserEvent(context, action, said)]);
  }
  return continueCreation(action, learned, context);
}

/** The service had this user already, although the reads before the call had proven the opposite. */
function existingUserEvent(
  context: RunContext,
  { address, user, because }: Pick<CreateUser, "address" | "user" | "because">,
  said: string,
): RunEvent {
  return foundEvent(context, {
    code: "user-adopted",
    subject: userSubject(address),
    message:
      `${user.email} was to be created and is there already (${said}). Nobody was created: the person is taken over as they are, ` +
      "and the next plan compares what the roster says of them.",
    because,
  });
}

/** What an answer of success tells beside what was learned. */
interface CreationAnswerDetails {
  readonly ambiguousKeys?: readonly string[] | undefined;
  /** Milliseconds since the epoch. */
  readonly answeredAt?: number;
}

/** Remembers what came of the creation, and learns what of it later calls need and nothing has shown yet. */
async function continueCreation(
  action: CreateUser,
  learned: CreationLearned,
  context: RunContext,
  answered: CreationAnswerDetails = {},
): Promise<ActionResult> {
  rememberCreation(action, learned, context, answered);
  await readMissingFacts(action, context, answered.ambiguousKeys ?? []);
  return { is: "ended", ended: { done: true } };
}

function rememberCreation(
  { address, user, founds }: CreateUser,
  learned: CreationLearned,
  { facts, known, expectedEffects }: RunContext,
  { answeredAt: at }: CreationAnswerDetails,
): void {
  const { identifier, prefix, roles, teamIdentifier } = learned;
  facts.learnPerson(address, identifier);
  if (prefix !== undefined && learned.was === undefined) known.learnCreated(address);
  const key = prefix === undefined ? undefined : { prefix, ...(roles === undefined ? {} : { roles }) };
  facts.learnKey({ address, team: founds?.team }, key);
  expectedEffects.expect({ of: "user", address, email: user.email, at });
  if (founds === undefined) return;
  facts.learnTeam(founds, teamIdentifier);
  const team = { team: founds.team, name: founds.name, identifier: teamIdentifier };
  expectedEffects.expect({ of: "membership", address, email: user.email, team, at });
}

/** Both questions go into one search. */
async function readMissingFacts(
  action: CreateUser,
  context: RunContext,
  ambiguousKeys: readonly string[],
): Promise<void> {
  const { id, address, account, user, founds, because } = action;
  const { facts, dependents } = context;
  const person = { address, email: user.email };
  const holder = { address, team: founds?.team };
  const keyIsMissing = dependents.keysOf(id).has(address) && facts.key(holder) === undefined;
  const missing = keyIsMissing ? [{ person, ambiguousKeys, ...(founds === undefined ? {} : { team: founds }) }] : [];
  const reading = [readMissingKeys(context, missing, because)];
  if (founds !== undefined && dependents.teamOf(id) && facts.foundedTeam(founds.team) === undefined) {
    reading.push(readMissingTeam(context, { team: founds.team, name: founds.name, founder: person, account }, because));
  }
  await Promise.all(reading);
}
