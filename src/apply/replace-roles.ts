import type { ActionId, PersonRef, ReplaceRoles } from "../model/action.ts";
import type { LearnedOutcome } from "../model/event.ts";
import { factValue } from "../model/fact.ts";
import type { Failure } from "../model/result.ts";
import { sameRoles } from "../model/role-set.ts";
import type { UserQuery } from "../ports/account-service.ts";
import type { ActionResult } from "./action-end.ts";
import type { KeyWithRoles } from "./learned-facts.ts";
import type { RunContext } from "./run-context.ts";
import { recordFailure, recordSuccess } from "./send.ts";
import { type ReplacedRoles, replacementIntent, sendReplacement } from "./send-roles.ts";
import { settleByReading, type UnknownResult } from "./settle-in-run.ts";

/** Makes the roles of a key exact, unless this run has shown that they are. */
export async function replaceRoles(action: ReplaceRoles, context: RunContext): Promise<ActionResult> {
  const { id, roles } = action;
  const key = keyToReplace(action, context);
  if (key === undefined) return skipWithoutKey(action, context);
  const { prefix } = key;
  if (action.unlessExact && key.roles !== undefined && sameRoles(key.roles, roles)) {
    return leaveAsIs(id, { prefix, roles }, context);
  }
  const strange = reasonNotToTouch(action, prefix, context);
  if (strange !== undefined) return recordFailure(context, id, strange);
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
      await recordSuccess(context, { action: id, intent }, learnedRoles(prefix, sent.answer));
      expectRoles(action, key, { ...sent.answer, at: sent.times.ended }, context);
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

function learnedRoles(prefix: string, { shown }: ReplacedRoles): LearnedOutcome {
  return { kind: "replace-roles", prefix, ...(shown === undefined ? {} : { roles: shown }) };
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
  { shown, at }: ReplacedRoles & { readonly at: number },
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
