import { say } from "../codes/message.ts";
import { type EmailKey, foldAddress } from "../model/address.ts";
import type { CreationIntent } from "../model/call.ts";
import { definedFields } from "../model/collections.ts";
import { userSubject } from "../model/fact.ts";
import type { Failure } from "../model/failure.ts";
import { shownTeams, withClearKind } from "../model/key.ts";
import type { CreateUser } from "../model/plan.ts";
import { problem, type Result, success } from "../model/result.ts";
import { hasOtherName } from "../model/team.ts";
import type { CreateUserResponse } from "../service/port.ts";
import { onlyUser } from "./assess.ts";
import { clockSlack } from "./knowledge.ts";
import {
  type ActionResult,
  type CallTimes,
  type CreationLearned,
  findExistingUser,
  type MissingFact,
  missingKeys,
  misunderstood,
  readMissingFacts,
  recordFailure,
  recordSuccess,
  recordUnknown,
  resolveByReading,
  send,
  type UnknownResult,
} from "./send.ts";
import { forbiddenKeys, queryOf, type RunSession, readPeople, type UpcomingCall } from "./session.ts";

/** Creates a user, together with their new team, and learns what later calls need. */
export async function createUser(action: CreateUser, session: RunSession): Promise<ActionResult> {
  const { id, account, user, createsTeam } = action;
  const { service, signal, knowledge } = session;
  const admin = createsTeam?.admin && knowledge.namesInCalls(createsTeam.admin, "identifier")[0];
  const team = createsTeam && {
    name: createsTeam.name,
    accessKeyRoles: createsTeam.accessKeyRoles,
    ...definedFields({ adminUserIdentifier: admin }),
  };
  const call = { action: id, intent: creationIntent(action) };
  const sent = await send(session, {
    ...call,
    call: (announced) => service.createUser(account, user, team, signal, announced),
    contradiction: (answer) => contradictsCreation(action, answer, session),
    wasDoneBefore: ({ age }, { announced, ended }) => age !== undefined && age > ended - announced + clockSlack,
  });
  switch (sent.is) {
    case "not-started":
      return sent;
    case "unknown":
      return resolveCreation(action, call, sent, session);
    case "refused": {
      // A service may say that somebody is there already in many ways; a wrong request is refused with the same words.
      const { failure, times } = sent;
      const mayMeanExists = failure.code === "conflict" || failure.code === "refused";
      if (!mayMeanExists) return recordFailure(session, id, failure);
      return meetExistingUser(action, failure, times, undefined, session);
    }
    case "done": {
      const earlier = showsEarlierUser(action, sent.answer, session);
      if (earlier !== undefined) {
        const failure: Failure = { code: "conflict", message: `the service already had ${user.email}: ${earlier}` };
        return meetExistingUser(action, failure, sent.times, sent.answer, session);
      }
      // Where this service says which keys are their users' own, such a key is not that of the new team.
      const { key, ...rest } = sent.answer;
      const mayBeTeams = createsTeam === undefined || session.kinds === "unclear" || key === undefined;
      const answered = mayBeTeams || withClearKind(key, "unclear") === key ? sent.answer : rest;
      const confirmed = await confirmIdentity(action, answered, session);
      if (!confirmed.ok) {
        const { times } = sent;
        const unknown = recordUnknown(session, call, { failure: misunderstood(confirmed.error), times });
        return resolveCreation(action, call, unknown, session);
      }
      const answer = confirmed.value;
      recordSuccess(session, id, learnedFromAnswer(action, answer, session));
      return learnMissing(action, session, answer.ambiguousKeys);
    }
  }
}

async function resolveCreation(
  action: CreateUser,
  call: UpcomingCall,
  unknown: UnknownResult,
  session: RunSession,
): Promise<ActionResult> {
  const { failure } = unknown;
  const verdict = await resolveByReading(session, call, unknown);
  if (verdict === undefined) return { is: "not-done", failure };
  if (verdict.as.done) return learnMissing(action, session);
  const message = `${failure.message}. The service shows that ${action.user.email} was not created`;
  return recordFailure(session, action.id, { ...failure, message });
}

export function creationIntent(action: CreateUser): CreationIntent {
  const { address, account, user, createsTeam, request, ownership } = action;
  const { email, ...sent } = user;
  const created = createsTeam && {
    team: createsTeam.team,
    name: createsTeam.name,
    accessKeyRoles: createsTeam.accessKeyRoles,
    admin: createsTeam.admin,
  };
  return { kind: "create-user", address, email, account, sent, request, ownership, createsTeam: created };
}

/**
 * An answer that names no address may be that of another call: what a read shows of this person counts more. Where no read shows them yet, the
 * identifier is left to a later read; a key could not be had again where keys are hidden. Fails where another call got the same answer.
 */
async function confirmIdentity(
  { address }: CreateUser,
  answer: CreateUserResponse,
  { journal, look, plan, knowledge }: RunSession,
): Promise<Result<CreateUserResponse, string>> {
  const { identifier, key, profile } = answer;
  if (answer.email !== undefined || (identifier === undefined && key === undefined)) return success(answer);
  const shown = await readPeople(journal, look, [queryOf(address, plan)]);
  const user = shown && onlyUser(shown, address);
  if (user === undefined) {
    const shared = knowledge.sharedAnswer(address, answer);
    const { identifier: _, ...rest } = answer;
    return shared === undefined ? success(rest) : problem(shared);
  }
  const { keys = [] } = user;
  // Keys may show later than their holder does.
  const isAnswered =
    user.identifier !== undefined && identifier !== undefined
      ? user.identifier === identifier
      : keys.length === 0 || key === undefined || keys.some(({ prefix }) => prefix === key.prefix);
  return success(isAnswered ? answer : { profile, ...definedFields({ identifier: user.identifier }) });
}

function learnedFromAnswer(
  { id, address, createsTeam }: CreateUser,
  { identifier, key, team, profile }: CreateUserResponse,
  { knowledge }: RunSession,
): CreationLearned {
  const { prefix, roles } = key ?? {};
  const given = { prefix, roles, provisional: key && knowledge.provisional(id) };
  const ofTeam = { team: createsTeam?.team, teamIdentifier: createsTeam && team?.identifier };
  return { kind: "create-user", address, answered: profile, identifier, ...given, ...ofTeam };
}

/**
 * The service had this user already, although the reads before the call had proven the opposite: roster manages them from now on, and no
 * team came with them. `answer`: one of success that shows it. What could not be read stays open, for the next run to resolve.
 */
async function meetExistingUser(
  action: CreateUser,
  failure: Failure,
  times: CallTimes,
  answer: CreateUserResponse | undefined,
  session: RunSession,
): Promise<ActionResult> {
  const { id, address, createsTeam, because } = action;
  const intent = creationIntent(action);
  const found = await findExistingUser(session, id, intent, failure, times);
  const isAnswered = answer !== undefined && createsTeam === undefined;
  const answered = isAnswered
    ? { ...learnedFromAnswer(action, answer, session), was: "there-before" as const }
    : undefined;
  const learned = found.is === "present" ? found.learned : answered;
  if (learned === undefined && found.is === "absent") return recordFailure(session, id, found.failure);
  if (learned === undefined) {
    const ended = session.clock.monotonic();
    recordUnknown(session, { action: id, intent }, { failure, times: { announced: ended, ended } });
    return { is: "not-done", failure };
  }
  recordSuccess(session, id, learned);
  if (learned.was === "there-before") {
    session.knowledge.met.set(address, found.is === "present" ? found.user : undefined);
    session.journal.found({
      ...say("user-adopted", { email: intent.email, answer: failure.serviceSays ?? failure.message }),
      subject: userSubject(address),
      because,
    });
  }
  return learnMissing(action, session);
}

/** Learns what later calls need of a creation that was done, and nothing has shown yet. */
async function learnMissing(
  { id, address, account, user, createsTeam, because }: CreateUser,
  session: RunSession,
  ambiguousKeys: readonly string[] = [],
): Promise<ActionResult> {
  const { knowledge, plan } = session;
  const keys = await missingKeys(session, id, [address], createsTeam);
  const missing: MissingFact[] = keys.map((key) => ({ ...key, ambiguousKeys }));
  const gainsMembers = () => plan.actions.some((one) => one.kind === "add-members" && one.firstMember === address);
  if (createsTeam !== undefined && knowledge.teamIdentifier(createsTeam.team, address) === undefined && gainsMembers())
    missing.push({ of: "team", person: { address, email: user.email }, team: createsTeam });
  await readMissingFacts(session, missing, { account, because });
  return { is: "done" };
}

/** Why an answer to a creation is about somebody or something else than was asked for; undefined where it is not. */
export function contradictsCreation(
  { address, formerly = [], createsTeam }: CreateUser,
  answer: CreateUserResponse,
  session: RunSession,
): string | undefined {
  const { email, team, shownKeys = [] } = answer;
  const { knowledge } = session;
  const shared = knowledge.sharedAnswer(address, answer);
  if (shared !== undefined) return shared;
  const { born, user } = shownUser(answer, session);
  const mine = [address, ...formerly];
  if (email !== undefined && !mine.includes(foldAddress(email))) return `it shows the user ${email}`;
  if (user !== undefined && !mine.includes(user)) return `it shows the identifier of ${user}`;
  const forbidden = forbiddenKeys(session);
  const [strange] = shownKeys.flatMap(({ prefix }) => knowledge.foreignKey(prefix, mine, forbidden, born) ?? []);
  if (strange !== undefined || createsTeam === undefined) return strange;
  for (const shown of [team ?? {}, ...shownTeams(shownKeys)]) {
    if (hasOtherName(shown, createsTeam.name)) return `it shows the team ${shown.name}`;
    const { identifier } = shown;
    if (identifier !== undefined && knowledge.teamWith(identifier, born) !== undefined)
      return `it shows the team ${identifier}, which existed before`;
  }
  return undefined;
}

/** The user with the identifier of an answer, as far as one is known, and when what it shows was created: a record from before is of another thing. */
function shownUser({ age, identifier }: CreateUserResponse, { knowledge, clock }: RunSession) {
  const born = age === undefined ? undefined : clock.now() - age;
  return { born, user: identifier === undefined ? undefined : knowledge.personWith(identifier, born) };
}

/** A user who is older than this, by the service's own clock, was not created by the call that is answered. */
const maxNewUserAge = 5 * 60_000;

/** What shows that the service had this very user before the call; undefined where nothing does. */
export function showsEarlierUser(
  { address, formerly = [] }: CreateUser,
  answer: CreateUserResponse,
  session: RunSession,
): string | undefined {
  const { identifier, age, shownKeys = [] } = answer;
  const { born, user } = shownUser(answer, session);
  const isMine = (one: EmailKey | undefined) => one !== undefined && [address, ...formerly].includes(one);
  if (age !== undefined && age > maxNewUserAge) return "the answer shows an earlier creation date";
  if (isMine(user)) return `the user ${identifier} existed before`;
  const before = shownKeys.find(({ prefix }) => isMine(session.knowledge.holderOf(prefix, born)?.address));
  return before === undefined ? undefined : `the key ${before.prefix} existed before`;
}
