import type { CreateUser, Founding } from "../model/action.ts";
import type { CreationIntent, RunEvent } from "../model/event.ts";
import type { Failure } from "../model/result.ts";
import { definedFields } from "../model/role-set.ts";
import type { ObservedUser } from "../model/snapshot.ts";
import { userSubject } from "../model/subject.ts";
import { withClearKind } from "../model/team.ts";
import type { CreateUserResponse, NewTeam } from "../ports/account-service.ts";
import type { ApplySession, RunReads } from "./apply-session.ts";
import { contradictsCreation, showsEarlierUser } from "./check-answers.ts";
import { clockSlack, type LearnedFacts, onlyUser } from "./learned-facts.ts";
import { readMissingKeys, readMissingTeam } from "./read-missing-facts.ts";
import type { RunJournal } from "./run-journal.ts";
import { type ActionResult, decisionLater, recordFailure, recordSuccess, send } from "./send.ts";
import {
  type CallTimes,
  type CreationLearned,
  type ExistingUserResult,
  findExistingUser,
  type RefusedCreation,
  settleByReading,
  type UnknownResult,
} from "./settle-by-reading.ts";
import type { AcknowledgedWrites } from "./write-behaviour.ts";

/** Creates a user, together with the team that they found, and learns what later calls need. */
export async function createUser(action: CreateUser, session: ApplySession): Promise<ActionResult> {
  const { account, user, founds } = action;
  const { journal, writes, reads, learned, limits } = session;
  const answerContext = (answeredAt: number) => {
    return { holders: learned.holders, forbiddenKeys: limits.forbiddenKeys, answeredAt };
  };
  const team = founds === undefined ? undefined : newTeamRequest(founds, learned);
  const intent = creationIntent(action);
  const sent = await send(session, {
    action: action.id,
    intent,
    people: [{ address: action.address, email: user.email }],
    call: (announced) => writes.service.createUser(account, user, team, writes.signal, announced),
    contradiction: (answer) => contradictsCreation(action, answer, answerContext(journal.clock.now())),
    wasDoneBefore: ({ age }, { announced, ended }) => age !== undefined && age > ended - announced + clockSlack,
  });
  switch (sent.is) {
    case "not-started":
      return sent;
    case "unknown":
      return settleCreation(action, intent, sent, session);
    case "refused":
      return mayMeanExists(sent.failure)
        ? resolveRefusedCreation(action, { intent, failure: sent.failure, endedAt: sent.times.ended }, session)
        : recordFailure(journal, action.id, sent.failure);
    case "answered": {
      const earlier = showsEarlierUser(action, sent.answer, answerContext(journal.clock.now()));
      if (earlier !== undefined)
        return takeEarlierUser(action, { intent, answer: sent.answer, earlier, times: sent.times }, session);
      const answer = await confirmIdentity(action, withoutOwnKey(action, sent.answer, reads), reads);
      const outcome = learnedFromAnswer(action, answer);
      recordSuccess(journal, { action: action.id, intent }, outcome);
      recordAcknowledgedCreation(action, outcome, writes.acknowledged, sent.times);
      return continueCreation(action, outcome, session, {
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
  reads: RunReads,
): Promise<CreateUserResponse> {
  const { identifier, key } = answer;
  if (answer.email !== undefined || (identifier === undefined && key === undefined)) return answer;
  const shown = await reads.forSettling([{ address, email }]);
  const user = shown.ok ? onlyUser(shown.value, address) : undefined;
  if (user === undefined) return withoutIdentifier(answer);
  if (isAnsweredUser(user, answer)) return answer;
  const { profile } = answer;
  return user.identifier === undefined ? { profile } : { profile, identifier: user.identifier };
}

/** Where this service says which keys are their users' own, such a key is not that of the new team. */
function withoutOwnKey({ founds }: CreateUser, answer: CreateUserResponse, { kinds }: RunReads): CreateUserResponse {
  const { key: shown, ...rest } = answer;
  const mayBeTeams = founds === undefined || kinds === "unclear" || shown === undefined;
  return mayBeTeams || withClearKind(shown, "unclear") === shown ? answer : rest;
}

function withoutIdentifier({ identifier: _, ...answer }: CreateUserResponse): CreateUserResponse {
  return answer;
}

/** Keys may show later than their holder does. */
function isAnsweredUser({ identifier, keys = [] }: ObservedUser, answer: CreateUserResponse): boolean {
  if (identifier !== undefined && answer.identifier !== undefined) return identifier === answer.identifier;
  return keys.length === 0 || answer.key === undefined || keys.some(({ prefix }) => prefix === answer.key?.prefix);
}

function recordAcknowledgedCreation(
  { address, user, founds }: CreateUser,
  { teamIdentifier }: CreationLearned,
  acknowledged: AcknowledgedWrites,
  { announced }: CallTimes,
): void {
  const person = { address, email: user.email };
  const team = founds === undefined ? undefined : { team: founds.team, name: founds.name, identifier: teamIdentifier };
  acknowledged.note({ kind: "creation", person, begun: announced });
  if (team !== undefined) acknowledged.note({ kind: "founding", person, team, begun: announced });
}

function newTeamRequest({ name, admin, accessKeyRoles }: Founding, learned: LearnedFacts): NewTeam {
  return { name, accessKeyRoles, ...(admin === undefined ? {} : { adminUserIdentifier: learned.nameOf(admin) }) };
}

/** What is announced of a creation. */
export function creationIntent({ address, account, user, founds, request, ownership }: CreateUser): CreationIntent {
  const { email, ...sent } = user;
  const asked = { ...(request === undefined ? {} : { request }), ...(ownership === undefined ? {} : { ownership }) };
  const intent = { kind: "create-user", address, email, account, sent, ...asked } as const;
  if (founds === undefined) return intent;
  const { team, name, accessKeyRoles, admin } = founds;
  return { ...intent, founds: { team, name, accessKeyRoles, ...definedFields({ admin: admin?.address }) } };
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
  session: ApplySession,
): Promise<ActionResult> {
  const { id, address, user } = action;
  const people = [{ address, email: user.email }];
  const verdict = await settleByReading(session, { action: id, intent, people }, unknown);
  const { failure } = unknown;
  if (verdict === undefined) return { is: "ended", ended: { done: false }, failure };
  if (verdict.as.done && verdict.as.learned.kind === "create-user")
    return continueCreation(action, verdict.as.learned, session);
  const message = `${failure.message}. Reads show that ${user.email} was not created`;
  return recordFailure(session.journal, id, { ...failure, message });
}

async function resolveRefusedCreation(
  action: CreateUser,
  declining: RefusedCreation,
  session: ApplySession,
): Promise<ActionResult> {
  const { intent, failure } = declining;
  const refused = await findExistingUser(session, action, declining);
  if (refused.is === "there")
    return takeExistingUser(action, intent, refused, failure.serviceSays ?? failure.message, session);
  return recordRefusedCreation(action, refused, session);
}

/** What could not be read stays open, for the next run to settle. */
function recordRefusedCreation(
  { id }: CreateUser,
  { is, failure }: Exclude<ExistingUserResult, { readonly is: "there" }>,
  session: ApplySession,
): ActionResult {
  const { journal } = session;
  if (is === "nobody") return recordFailure(journal, id, failure);
  journal.record([
    { type: "unknown-outcome", at: journal.now(), action: id, ...decisionLater(session, id, failure, 0) },
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

/** The service answered with a user that it had before: they are adopted, and found no team. */
async function takeEarlierUser(
  action: CreateUser,
  { intent, answer, earlier, times }: EarlierUser,
  session: ApplySession,
): Promise<ActionResult> {
  const reason = `the service already had ${action.user.email}: ${earlier}`;
  const failure: Failure = { code: "conflict", message: reason };
  const there = await findExistingUser(session, action, { intent, failure, endedAt: times.ended });
  if (there.is === "there") return takeExistingUser(action, intent, there, reason, session);
  if (action.founds !== undefined) return recordRefusedCreation(action, there, session);
  const learned: CreationLearned = { ...learnedFromAnswer(action, answer), was: "there-before" };
  return takeExistingUser(action, intent, { learned }, reason, session);
}

async function takeExistingUser(
  action: CreateUser,
  intent: CreationIntent,
  { learned, user }: { readonly learned: CreationLearned; readonly user?: ObservedUser },
  reason: string,
  session: ApplySession,
): Promise<ActionResult> {
  const { journal } = session;
  recordSuccess(journal, { action: action.id, intent }, learned);
  if (learned.was === "there-before") {
    session.learned.recordObserved(action.address, user);
    journal.record([existingUserEvent(journal, action, reason)]);
  }
  return continueCreation(action, learned, session);
}

/** The service had this user already, although the reads before the call had proven the opposite. */
function existingUserEvent(
  journal: RunJournal,
  { address, user, because }: Pick<CreateUser, "address" | "user" | "because">,
  reason: string,
): RunEvent {
  return journal.found({
    code: "user-adopted",
    subject: userSubject(address),
    message:
      `${user.email} exists already (${reason}). roster created nothing and now manages the existing user. ` +
      "Plan again to compare this user with the roster.",
    because,
  });
}

/** What an answer of success shows besides what was learned. */
interface CreationAnswerDetails {
  readonly ambiguousKeys?: readonly string[] | undefined;
  /** By the monotonic clock. */
  readonly answeredAt?: number;
}

/** Remembers what came of the creation, and learns what of it later calls need and nothing has shown yet. */
async function continueCreation(
  action: CreateUser,
  learned: CreationLearned,
  session: ApplySession,
  answered: CreationAnswerDetails = {},
): Promise<ActionResult> {
  rememberCreation(action, learned, session.learned, answered);
  await readMissingFacts(action, session, answered.ambiguousKeys ?? []);
  return { is: "ended", ended: { done: true } };
}

function rememberCreation(
  { address, user, founds }: CreateUser,
  outcome: CreationLearned,
  learned: LearnedFacts,
  { answeredAt: at }: CreationAnswerDetails,
): void {
  const { identifier, prefix, roles, teamIdentifier } = outcome;
  learned.learnPerson(address, identifier);
  if (prefix !== undefined && outcome.was === undefined) learned.holders.learnCreated(address);
  const key = prefix === undefined ? undefined : { prefix, ...(roles === undefined ? {} : { roles }) };
  learned.learnKey({ address, team: founds?.team }, key);
  learned.effects.expect({ of: "user", address, email: user.email, at });
  if (founds === undefined) return;
  learned.learnTeam(founds, teamIdentifier);
  const team = { team: founds.team, name: founds.name, identifier: teamIdentifier };
  learned.effects.expect({ of: "membership", address, email: user.email, team, at });
}

/** The key and the team are looked for in one search. */
async function readMissingFacts(
  action: CreateUser,
  session: ApplySession,
  ambiguousKeys: readonly string[],
): Promise<void> {
  const { id, address, account, user, founds, because } = action;
  const { learned, limits } = session;
  const { dependents } = limits;
  const person = { address, email: user.email };
  const holder = { address, team: founds?.team };
  const keyIsMissing = dependents.keysOf(id).has(address) && learned.key(holder) === undefined;
  const missing = keyIsMissing ? [{ person, ambiguousKeys, ...(founds === undefined ? {} : { team: founds }) }] : [];
  const reading = [readMissingKeys(session, missing, because)];
  if (founds !== undefined && dependents.teamOf(id) && learned.foundedTeam(founds.team) === undefined) {
    reading.push(readMissingTeam(session, { team: founds.team, name: founds.name, founder: person, account }, because));
  }
  await Promise.all(reading);
}

/** A service may say that somebody is there already in many ways; a wrong request is refused with the same words. */
function mayMeanExists({ code }: Failure): boolean {
  return code === "conflict" || code === "refused";
}
