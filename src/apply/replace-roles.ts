import { type ActionId, lostRoles, type ReplaceRoles } from "../model/action.ts";
import type { Intent, LearnedOutcome } from "../model/event.ts";
import { factValue } from "../model/fact.ts";
import { type Failure, problem, type Result, success } from "../model/result.ts";
import { formatRoles, type RoleSet, roleSet, rolesWithout, sameRoles } from "../model/role-set.ts";
import type { ObservedUser } from "../model/snapshot.ts";
import type { UserQuery } from "../ports/account-service.ts";
import type { ApplySession, RunLimits } from "./apply-session.ts";
import { contradictsReplacement } from "./check-answers.ts";
import { type KeyWithRoles, type LearnedFacts, onlyUser } from "./learned-facts.ts";
import { type RunJournal, waitUnlessStopped } from "./run-journal.ts";
import {
  type ActionResult,
  recordFailure,
  recordSuccess,
  recordUnknownOutcome,
  type SendResult,
  send,
} from "./send.ts";
import { settleByReading, type UnknownResult } from "./settle-by-reading.ts";

/** Makes the roles of a key exact, unless this run has shown that they are. */
export async function replaceRoles(action: ReplaceRoles, session: ApplySession): Promise<ActionResult> {
  const { id, roles } = action;
  const { journal, learned } = session;
  const key = keyToReplace(action, learned);
  if (key === undefined) return skipWithoutKey(action, journal);
  const { prefix } = key;
  const withheld = reasonNotToTouch(action, prefix, session);
  if (withheld !== undefined) return recordFailure(journal, id, withheld);
  if (action.ifInexact && key.roles !== undefined && sameRoles(key.roles, roles)) {
    return leaveAsIs(id, { prefix, roles }, journal);
  }
  const sent = await sendReplacement(action, key, session);
  switch (sent.is) {
    case "not-started":
      return sent;
    case "unknown":
      return settleReplacement(action, key, sent, session);
    case "refused":
      return recordFailure(journal, id, sent.failure);
    case "answered": {
      const intent = replacementIntent(action, prefix);
      const confirmed = await confirmRoles(action, key, sent.answer, session);
      if (!confirmed.ok) {
        const unknown = { failure: confirmed.error, accepted: undefined, times: sent.times };
        recordUnknownOutcome(session, { action: id, intent }, unknown);
        return { is: "ended", ended: { done: false }, failure: confirmed.error };
      }
      recordSuccess(journal, { action: id, intent }, learnedRoles(prefix, confirmed.value));
      expectRoles(action, key, { shown: confirmed.value, at: sent.times.ended }, learned);
      return { is: "ended", ended: { done: true } };
    }
  }
}

/** An answer was lost, or the service takes its time: reading may show that the roles are as wanted. */
async function settleReplacement(
  action: ReplaceRoles,
  key: KeyWithRoles,
  unknown: UnknownResult,
  session: ApplySession,
): Promise<ActionResult> {
  const { failure, times } = unknown;
  const owner = keyOwner(action);
  const intent = replacementIntent(action, key.prefix);
  const doubt = { action: action.id, intent, people: owner === undefined ? [] : [owner] };
  const verdict = owner === undefined ? undefined : await settleByReading(session, doubt, unknown);
  if (verdict?.as.done !== true) return { is: "ended", ended: { done: false }, failure };
  expectRoles(action, key, { shown: undefined, at: times.ended }, session.learned);
  return { is: "ended", ended: { done: true } };
}

function learnedRoles(prefix: string, shown: RoleSet | undefined): LearnedOutcome {
  return { kind: "replace-roles", prefix, ...(shown === undefined ? {} : { roles: shown }) };
}

/** Milliseconds before each read that may confirm an answer with other roles than were sent. */
const confirmationPauses = [0, 500, 1000, 2000, 2000];

/**
 * The roles that the key has now, as far as they are known. An answer that shows other roles than were sent may be another call's: it
 * counts once a read shows that the call was done. Where no read can show that, more roles than were sent are the service's way, and
 * nothing is learned of them; fewer are no answer to this call.
 */
async function confirmRoles(
  action: ReplaceRoles,
  key: KeyWithRoles,
  { sent, shown }: ReplacedRoles,
  session: ApplySession,
): Promise<Result<RoleSet | undefined, Failure>> {
  if (shown === undefined || sameRoles(shown, sent)) return success(shown);
  const isWhole = rolesWithout(sent, shown).length === 0;
  const read = await readUntilConfirmed(action, key, shown, session);
  if (read.is === "confirmed") return success(read.roles);
  if (read.is === "hidden" && isWhole) return success(undefined);
  return problem({
    code: isWhole ? "stale" : "misunderstood",
    message: `roster sent ${formatRoles(sent)} for the key ${key.prefix}, but the answer has ${formatRoles(shown)}. No read shows the change`,
    hint: "Run apply again. The next plan compares the roles of the key",
  });
}

/** What reads show of a key after an answer with other roles than were sent. */
type ConfirmingRead =
  | { readonly is: "confirmed"; readonly roles: RoleSet }
  | { readonly is: "otherwise" }
  /** No read shows the roles of this key. */
  | { readonly is: "hidden" };

async function readUntilConfirmed(
  action: ReplaceRoles,
  { prefix }: KeyWithRoles,
  answered: RoleSet,
  { journal, reads, learned }: ApplySession,
): Promise<ConfirmingRead> {
  const owner = keyOwner(action);
  if (owner === undefined || learned.keysAreHidden) return { is: "hidden" };
  const why = `the answer for the key ${prefix} has other roles than the call`;
  for (const pause of confirmationPauses) {
    await waitUnlessStopped(journal, pause, why);
    if (journal.stopped !== undefined) break;
    const found = await reads.forSettling([owner]);
    const user = found.ok ? onlyUser(found.value, owner.address) : undefined;
    const read = confirmingRead(user, prefix, [action.roles, answered]);
    if (read.is !== "otherwise") return read;
  }
  return { is: "otherwise" };
}

function confirmingRead(user: ObservedUser | undefined, prefix: string, expected: readonly RoleSet[]): ConfirmingRead {
  if (user === undefined) return { is: "otherwise" };
  const key = user.keys?.find((one) => one.prefix === prefix);
  if (user.keys === undefined || (key !== undefined && key.roles === undefined)) return { is: "hidden" };
  const roles = key?.roles;
  const isExpected = roles !== undefined && expected.some((one) => sameRoles(roles, one));
  return isExpected ? { is: "confirmed", roles } : { is: "otherwise" };
}

/**
 * Why a key that only the run has learned is not to be touched: guards have judged the keys that the plan names, and no call is about
 * anybody else's. They have not judged a key that came into use after the plan.
 */
function reasonNotToTouch(
  action: ReplaceRoles,
  prefix: string,
  { learned, limits }: ApplySession,
): Failure | undefined {
  const { key } = action;
  if (key.of === "prefix") return prefix === limits.unguardedKeyInUse ? lockOut(action, prefix, limits) : undefined;
  const hint = "Find the right key in the service, and write its prefix into the roster";
  const withheld = (why: string): Failure => ({
    code: "stale",
    message: `roster did not change the roles of the key ${prefix}: ${why}`,
    hint,
  });
  if (limits.forbiddenKeys.has(prefix)) return withheld("a guard protects this key");
  const holder = learned.holders.holderOf(prefix);
  if (holder === undefined) return undefined;
  if (holder.address !== key.address) return withheld(`it is a key of ${holder.address}`);
  const wanted = key.of === "team-key" ? key.team.team : "own";
  return holder.of === undefined || holder.of === wanted ? undefined : withheld("it is another key of the same user");
}

/** As the guard `own-key`, for a key that it did not know to be in use. */
function lockOut(action: ReplaceRoles, prefix: string, { privilegedRoles }: RunLimits): Failure | undefined {
  const lost = lostRoles(action, privilegedRoles);
  if (lost.length === 0) return undefined;
  const message = `roster did not change the roles of the key ${prefix}: it is in use now, and would lose ${formatRoles(lost)}`;
  const hint = "Keep the role in the roster, or run roster with the key of another administrator";
  return { code: "stale", message, hint };
}

function expectRoles(
  action: ReplaceRoles,
  { prefix, roles: before }: KeyWithRoles,
  { shown, at }: { readonly shown: RoleSet | undefined; readonly at: number },
  { effects }: LearnedFacts,
): void {
  const owner = keyOwner(action);
  if (owner === undefined) {
    effects.expectUnsearchable();
    return;
  }
  const { address, email } = owner;
  effects.expect({ of: "roles", address, email, prefix, roles: action.roles, answered: shown, before, at });
}

/** The key, once its prefix is known. */
function keyToReplace({ key, before }: ReplaceRoles, learned: LearnedFacts): KeyWithRoles | undefined {
  if (key.of !== "prefix")
    return learned.key({ address: key.address, ...(key.of === "own-key" ? {} : { team: key.team.team }) });
  const prefix = factValue(key.prefix);
  if (prefix === undefined) return undefined;
  return before.known === "observed" ? { prefix, roles: before.value } : { prefix };
}

/** The action that should have given the key has recorded the finding. */
function skipWithoutKey({ id, key }: ReplaceRoles, journal: RunJournal): ActionResult {
  const why = "the prefix of the key is unknown";
  const cause: ActionId | undefined = key.of === "prefix" ? undefined : key.givenBy;
  journal.record([{ type: "skipped", at: journal.now(), action: id, ...(cause === undefined ? {} : { cause }), why }]);
  return { is: "ended", ended: { done: false, cause: { action: cause ?? id, why } } };
}

function leaveAsIs(action: ActionId, shown: Required<KeyWithRoles>, journal: RunJournal): ActionResult {
  const why = "the key already has exactly these roles";
  journal.record([{ type: "unneeded", at: journal.now(), action, why, shown }]);
  return { is: "ended", ended: { done: true } };
}

/** Who has to be read for the key to be seen. */
function keyOwner({ owner, key }: ReplaceRoles): UserQuery | undefined {
  if (owner !== undefined) return { address: owner.address, email: owner.email };
  return key.of === "prefix" ? undefined : { address: key.address, email: key.address };
}

/** The result of a replacement. */
interface ReplacedRoles {
  /** The roles of the call: those that are wanted, and those that the service does not take away. */
  readonly sent: RoleSet;
  /** The roles that the key has now, where the answer shows them or more was sent than was wanted. */
  readonly shown: RoleSet | undefined;
}

/** The roles that are wanted are announced, whatever else has to be sent with them. */
export function replacementIntent(
  { roles, owner, key, before, request, ownership }: ReplaceRoles,
  prefix: string,
): Extract<Intent, { readonly kind: "replace-roles" }> {
  const address = owner?.address ?? (key.of === "prefix" ? undefined : key.address);
  const team = key.of === "own-key" ? undefined : key.team;
  return {
    kind: "replace-roles",
    prefix,
    roles,
    ...(address === undefined ? {} : { owner: address }),
    ...(team === undefined ? {} : { team: team.team, name: team.name }),
    ...(before.known === "observed" ? { before: before.value } : {}),
    ...(request === undefined ? {} : { request }),
    ...(ownership === undefined ? {} : { ownership }),
  };
}

/** Milliseconds before each further try for a key that this run has given: a service may not know it everywhere yet. */
const newKeyPauses = [500, 1000, 2000, 4000];

/**
 * Replaces the roles of a key. A key that was given a moment ago and is not known yet is tried again within seconds; a
 * service that will not take away a harmless role is asked once with that role kept.
 */
async function sendReplacement(
  action: ReplaceRoles,
  key: KeyWithRoles,
  session: ApplySession,
): Promise<SendResult<ReplacedRoles>> {
  let sent = await sendKeepingRoles(action, key, session);
  if (action.key.of === "prefix") return sent;
  for (const pause of newKeyPauses) {
    if (sent.is !== "refused" || !mayBeTooEarly(sent.failure)) return sent;
    await waitUnlessStopped(session.journal, pause, `the service does not know the new key ${key.prefix} yet`);
    if (session.journal.stopped !== undefined) return sent;
    const again = await sendKeepingRoles(action, key, session);
    if (again.is === "not-started") return sent;
    sent = again;
  }
  return sent;
}

function mayBeTooEarly({ code, status }: Failure): boolean {
  return code === "not-found" || (code === "refused" && (status === undefined || status === 400));
}

async function sendKeepingRoles(
  action: ReplaceRoles,
  key: KeyWithRoles,
  session: ApplySession,
): Promise<SendResult<ReplacedRoles>> {
  const sent = await sendRolesOnce(action, key, action.roles, session);
  const kept = keptRoles(action, key, session);
  if (sent.is !== "refused" || sent.failure.code !== "refused" || kept.length === 0) return sent;
  const union = roleSet([...action.roles, ...kept]);
  const again = await sendRolesOnce(action, key, union, session);
  if (again.is === "refused" || again.is === "not-started") return sent;
  if (again.is !== "answered") return again;
  const { shown = union } = again.answer;
  return (await resendExact(action, key, session)) ?? { ...again, answer: { sent: union, shown } };
}

/** A new key may have been refused only because it was not known yet: now that it is, what is wanted is asked for as it is. */
async function resendExact(
  action: ReplaceRoles,
  key: KeyWithRoles,
  session: ApplySession,
): Promise<SendResult<ReplacedRoles> | undefined> {
  if (action.key.of === "prefix") return undefined;
  const sent = await sendRolesOnce(action, key, action.roles, session);
  return sent.is === "refused" || sent.is === "not-started" ? undefined : sent;
}

/** Harmless roles that the key was shown with and is to lose. */
function keptRoles({ roles }: ReplaceRoles, key: KeyWithRoles, { limits }: ApplySession): RoleSet {
  return rolesWithout(rolesWithout(key.roles ?? [], roles), limits.privilegedRoles);
}

async function sendRolesOnce(
  action: ReplaceRoles,
  { prefix }: KeyWithRoles,
  roles: RoleSet,
  session: ApplySession,
): Promise<SendResult<ReplacedRoles>> {
  const { writes } = session;
  const intent = replacementIntent(action, prefix);
  const sent = await send(session, {
    action: action.id,
    intent,
    people: [],
    // The key may have come into use since the call was sent with another one.
    call: async (announced) => {
      const failure = reasonNotToTouch(action, prefix, session);
      if (failure !== undefined) return { outcome: "failed", failure };
      return writes.service.replaceRoles(prefix, roles, writes.signal, announced);
    },
    contradiction: (answer) => contradictsReplacement(prefix, answer),
  });
  return sent.is === "answered" ? { ...sent, answer: { sent: roles, shown: sent.answer.roles } } : sent;
}
