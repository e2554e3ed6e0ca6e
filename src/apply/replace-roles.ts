import type { ActionId, PersonRef, ReplaceRoles } from "../model/action.ts";
import type { Intent, LearnedOutcome } from "../model/event.ts";
import { factValue } from "../model/fact.ts";
import { type Failure, problem, type Result, success } from "../model/result.ts";
import { type RoleSet, roleSet, rolesWithout, sameRoles } from "../model/role-set.ts";
import type { UserQuery } from "../ports/account-service.ts";
import { contradictsReplacement } from "./check-answers.ts";
import type { KeyWithRoles } from "./learned-facts.ts";
import { onlyUser } from "./people-lookup.ts";
import type { RunContext } from "./run-context.ts";
import {
  type ActionResult,
  recordFailure,
  recordSuccess,
  recordUnknownOutcome,
  type SendResult,
  send,
} from "./send.ts";
import { recordWait, settleByReading, type UnknownResult } from "./settle-by-reading.ts";

/** Makes the roles of a key exact, unless this run has shown that they are. */
export async function replaceRoles(action: ReplaceRoles, context: RunContext): Promise<ActionResult> {
  const { id, roles } = action;
  const key = keyToReplace(action, context);
  if (key === undefined) return skipWithoutKey(action, context);
  const { prefix } = key;
  const strange = reasonNotToTouch(action, prefix, context);
  if (strange !== undefined) return recordFailure(context, id, strange);
  if (action.unlessExact && key.roles !== undefined && sameRoles(key.roles, roles)) {
    return leaveAsIs(id, { prefix, roles }, context);
  }
  const sent = await sendReplacement(action, key, context);
  switch (sent.is) {
    case "not-started":
      return sent;
    case "unknown":
      return settleReplacement(action, key, sent, context);
    case "refused":
      return recordFailure(context, id, sent.failure);
    case "answered": {
      const intent = replacementIntent(action, prefix);
      const confirmed = await confirmRoles(action, key, sent.answer, context);
      if (!confirmed.ok) {
        const unknown = { failure: confirmed.error, accepted: undefined, times: sent.times };
        await recordUnknownOutcome(context, { action: id, intent }, unknown);
        return { is: "ended", ended: { done: false }, failure: confirmed.error };
      }
      await recordSuccess(context, { action: id, intent }, learnedRoles(prefix, confirmed.value));
      expectRoles(action, key, { shown: confirmed.value, at: sent.times.ended }, context);
      return { is: "ended", ended: { done: true } };
    }
  }
}

/** An answer was lost, or the service takes its time: reading may show that the roles are as wanted. */
async function settleReplacement(
  action: ReplaceRoles,
  key: KeyWithRoles,
  unknown: UnknownResult,
  context: RunContext,
): Promise<ActionResult> {
  const { failure, times } = unknown;
  const owner = keyOwner(action);
  const intent = replacementIntent(action, key.prefix);
  const doubt = { action: action.id, intent, people: owner === undefined ? [] : [owner] };
  const verdict = owner === undefined ? undefined : await settleByReading(context, doubt, unknown);
  if (verdict?.as.done !== true) return { is: "ended", ended: { done: false }, failure };
  expectRoles(action, key, { shown: undefined, at: times.ended }, context);
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
  context: RunContext,
): Promise<Result<RoleSet | undefined, Failure>> {
  if (shown === undefined || sameRoles(shown, sent)) return success(shown);
  const isWhole = rolesWithout(sent, shown).length === 0;
  const read = await readUntilConfirmed(action, key, shown, context);
  if (read.is === "confirmed") return success(read.roles);
  if (read.is === "hidden" && isWhole) return success(undefined);
  const list = (roles: RoleSet) => (roles.length === 0 ? "no roles" : roles.join(", "));
  return problem({
    code: isWhole ? "unproven" : "misunderstood",
    message: `The service answered with ${list(shown)} for the key ${key.prefix}, and ${list(sent)} was sent. No read shows that it was done`,
    hint: "apply again: the next plan compares the roles of the key",
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
  context: RunContext,
): Promise<ConfirmingRead> {
  const owner = keyOwner(action);
  if (owner === undefined || context.facts.keysAreHidden) return { is: "hidden" };
  for (const pause of confirmationPauses) {
    await recordWait(context, pause, `the service answered with other roles for the key ${prefix} than were sent`);
    if (context.stopped !== undefined) break;
    const found = await context.lookUpForSettling([owner]);
    const user = found.ok ? onlyUser(found.value, owner.address) : undefined;
    if (user === undefined) continue;
    const key = user.keys?.find((one) => one.prefix === prefix);
    if (user.keys === undefined || (key !== undefined && key.roles === undefined)) return { is: "hidden" };
    const read = key?.roles;
    const isEither = read !== undefined && (sameRoles(read, action.roles) || sameRoles(read, answered));
    if (isEither) return { is: "confirmed", roles: read };
  }
  return { is: "otherwise" };
}

/**
 * Why a key that only the run has learned is not to be touched: guards have judged the keys that the plan names, and no call is about
 * anybody else's.
 */
function reasonNotToTouch(
  { key }: ReplaceRoles,
  prefix: string,
  { known, forbidden }: RunContext,
): Failure | undefined {
  if (key.of === "prefix") return undefined;
  const hint = "look at the person's keys in the service, and write the right prefix into the roster";
  const withheld = (why: string): Failure => ({
    code: "unproven",
    message: `the roles of the key ${prefix} are left as they are: ${why}`,
    hint,
  });
  if (forbidden.has(prefix)) return withheld("a guard forbids calls about this key");
  const holder = known.holderOf(prefix);
  if (holder === undefined) return undefined;
  if (holder.address !== key.address) return withheld(`it is a key of ${holder.address}`);
  const wanted = key.of === "team-key" ? key.team.team : "own";
  return holder.of === undefined || holder.of === wanted ? undefined : withheld("it is another key of the same person");
}

function expectRoles(
  action: ReplaceRoles,
  { prefix, roles: before }: KeyWithRoles,
  { shown, at }: { readonly shown: RoleSet | undefined; readonly at: number },
  context: RunContext,
): void {
  const owner = keyOwner(action);
  if (owner === undefined) {
    context.expectedEffects.cannotSearch({ prefix });
    return;
  }
  const { address, email } = owner;
  context.expectedEffects.expect({
    of: "roles",
    address,
    email,
    prefix,
    roles: action.roles,
    answered: shown,
    before,
    at,
  });
}

/** The key, once its prefix is known. */
export function keyToReplace({ key, before }: ReplaceRoles, { facts }: RunContext): KeyWithRoles | undefined {
  if (key.of !== "prefix")
    return facts.key({ address: key.address, ...(key.of === "own-key" ? {} : { team: key.team.team }) });
  const prefix = factValue(key.prefix);
  if (prefix === undefined) return undefined;
  return before.known === "observed" ? { prefix, roles: before.value } : { prefix };
}

/** The finding was told by the action that should have given the key. */
async function skipWithoutKey({ id, key }: ReplaceRoles, context: RunContext): Promise<ActionResult> {
  const why = "the prefix of the key is not known";
  const cause: ActionId | undefined = key.of === "prefix" ? undefined : key.givenBy;
  await context.record([
    { type: "skipped", at: context.now(), action: id, ...(cause === undefined ? {} : { cause }), why },
  ]);
  return { is: "ended", ended: { done: false, cause: { action: cause ?? id, why } } };
}

async function leaveAsIs(action: ActionId, shown: Required<KeyWithRoles>, context: RunContext): Promise<ActionResult> {
  const why = "the key was shown with exactly these roles";
  await context.record([{ type: "unneeded", at: context.now(), action, why, shown }]);
  return { is: "ended", ended: { done: true } };
}

/** Who has to be read for the key to be seen. */
function keyOwner({ owner, key }: ReplaceRoles): UserQuery | undefined {
  if (owner !== undefined) return soughtPerson(owner);
  return key.of === "prefix" ? undefined : { address: key.address, email: key.address };
}

function soughtPerson({ address, email }: PersonRef): UserQuery {
  return { address, email };
}

/** What a replacement came to. */
interface ReplacedRoles {
  /** The roles of the call: those that are wanted, and those that the service does not take away. */
  readonly sent: RoleSet;
  /** The roles that the key has now, where the answer shows them or more was sent than was wanted. */
  readonly shown: RoleSet | undefined;
}

/** What is announced: what is wanted, whatever else has to be sent with it. */
export function replacementIntent({ roles, owner, key, request }: ReplaceRoles, prefix: string): Intent {
  const address = owner?.address ?? (key.of === "prefix" ? undefined : key.address);
  const whose = address === undefined ? {} : { owner: address };
  return { kind: "replace-roles", prefix, roles, ...whose, ...(request === undefined ? {} : { request }) };
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
  context: RunContext,
): Promise<SendResult<ReplacedRoles>> {
  let sent = await sendKeepingRoles(action, key, context);
  if (action.key.of === "prefix") return sent;
  for (const pause of newKeyPauses) {
    if (sent.is !== "refused" || !mayBeTooEarly(sent.failure)) return sent;
    await recordWait(
      context,
      pause,
      `the service does not know the key ${key.prefix} yet, which this run was given a moment ago`,
    );
    if (context.stopped !== undefined) return sent;
    const again = await sendKeepingRoles(action, key, context);
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
  context: RunContext,
): Promise<SendResult<ReplacedRoles>> {
  const sent = await sendRolesOnce(action, key, action.roles, context);
  const kept = keptRoles(action, key, context);
  if (sent.is !== "refused" || sent.failure.code !== "refused" || kept.length === 0) return sent;
  const union = roleSet([...action.roles, ...kept]);
  const again = await sendRolesOnce(action, key, union, context);
  if (again.is === "refused" || again.is === "not-started") return sent;
  if (again.is !== "answered") return again;
  const { shown = union } = again.answer;
  return (await resendExact(action, key, context)) ?? { ...again, answer: { sent: union, shown } };
}

/** A new key may have been refused only because it was not known yet: now that it is, what is wanted is asked for as it is. */
async function resendExact(
  action: ReplaceRoles,
  key: KeyWithRoles,
  context: RunContext,
): Promise<SendResult<ReplacedRoles> | undefined> {
  if (action.key.of === "prefix") return undefined;
  const sent = await sendRolesOnce(action, key, action.roles, context);
  return sent.is === "refused" || sent.is === "not-started" ? undefined : sent;
}

/** Harmless roles that the key was shown with and is to lose. */
function keptRoles({ roles }: ReplaceRoles, key: KeyWithRoles, { input }: RunContext): RoleSet {
  return rolesWithout(rolesWithout(key.roles ?? [], roles), input.privilegedRoles);
}

async function sendRolesOnce(
  action: ReplaceRoles,
  { prefix }: KeyWithRoles,
  roles: RoleSet,
  context: RunContext,
): Promise<SendResult<ReplacedRoles>> {
  const intent = replacementIntent(action, prefix);
  const sent = await send(context, {
    action: action.id,
    intent,
    people: [],
    call: () => context.service.replaceRoles(prefix, roles, context.signal),
    contradiction: (answer) => contradictsReplacement(prefix, answer),
  });
  return sent.is === "answered" ? { ...sent, answer: { sent: roles, shown: sent.answer.roles } } : sent;
}
