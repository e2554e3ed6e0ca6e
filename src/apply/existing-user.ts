import { assessDeclinedCreation, existsWithoutTeam } from "../journal/settle.ts";
import type { CreateUser } from "../model/action.ts";
import type { CreationIntent, LearnedOutcome } from "../model/event.ts";
import { type Failure, stopsTheRun } from "../model/result.ts";
import { accountStatus, type ObservedUser } from "../model/snapshot.ts";
import { type LookupResults, onlyUser } from "./people-lookup.ts";
import type { RunContext } from "./run-context.ts";
import { evidenceFromLookup, recordWait } from "./settle-by-reading.ts";

export type CreationLearned = Extract<LearnedOutcome, { readonly kind: "create-user" }>;

/** Who stands behind a creation that the service refused. */
export type ExistingUserResult =
  | { readonly is: "there"; readonly user: ObservedUser; readonly learned: CreationLearned }
  /** Nobody of that address; the failure says all that is known of why. */
  | { readonly is: "nobody"; readonly failure: Failure }
  /** Nobody could be looked for, and the service said that they are there: the next run must look. */
  | { readonly is: "unread"; readonly failure: Failure };

/** A creation that the service refused. */
export interface RefusedCreation {
  readonly intent: CreationIntent;
  readonly failure: Failure;
  /** Milliseconds since the epoch, when it was announced. */
  readonly announced: number;
}

/** A service may say that somebody is there already in many ways; a wrong request is refused with the same words. */
export function mayMeanExists({ code }: Failure): boolean {
  return code === "conflict" || code === "refused";
}

/** Milliseconds before each read: who is there already shows at once, unless the refused call has created them. */
const existingUserPauses = { conflict: [0, 500, 1000, 2000, 2000], refused: [0] };

/**
 * Looks whether somebody is there whom a creation met; never sends it again. That it was declined is durable before the
 * first look, so that a later run does not take whoever it met for created by us.
 */
export async function findExistingUser(
  context: RunContext,
  action: CreateUser,
  { intent, failure, announced }: RefusedCreation,
): Promise<ExistingUserResult> {
  const people = [{ address: action.address, email: action.user.email }];
  await context.record([{ type: "declined", at: context.now(), action: action.id, failure }]);
  let told: Failure | undefined;
  for (const pause of failure.code === "conflict" ? existingUserPauses.conflict : existingUserPauses.refused) {
    await recordWait(
      context,
      pause,
      `the service says that ${action.user.email} is there already, and does not show it yet`,
    );
    if (context.stopped !== undefined) return unreadResult(failure);
    const shown = await context.lookUpForSettling(people);
    told = shown.ok ? explainIfCertain(context, action, { failure, announced }, shown.value) : undefined;
    if (!shown.ok && stopsTheRun(shown.error)) context.stop(shown.error);
    const there = shown.ok ? existingUser(action, { intent, failure }, shown.value, context) : undefined;
    if (there !== undefined) return there;
  }
  return told === undefined ? unreadResult(failure) : { is: "nobody", failure: told };
}

/** A conflict may have been told although the call was done: then nothing is known before the consistency window is over. */
function explainIfCertain(
  { clock, writes }: RunContext,
  action: CreateUser,
  { failure, announced }: Pick<RefusedCreation, "failure" | "announced">,
  shown: LookupResults,
): Failure | undefined {
  const isKnown = failure.code !== "conflict" || clock.now() >= writes.decidedFrom(announced);
  return isKnown || isSurelyNotCreated(action, shown) ? explainRefusal(action, shown, failure) : undefined;
}

/**
 * Whether reads show somebody at the address whom this call has surely not created: a deleted user, one of another account, or somebody
 * with keys, of which none is of the team that the call asked for.
 */
function isSurelyNotCreated({ address, account, founds }: CreateUser, shown: LookupResults): boolean {
  const looked = shown(address);
  if (looked.is !== "user") return false;
  const { user } = looked;
  if (accountStatus(user.status) === "deleted" || (user.account !== undefined && user.account !== account)) return true;
  return founds !== undefined && existsWithoutTeam(user, founds);
}

/** Any other refusal than that somebody is there has created nobody, whatever could be read. */
function unreadResult(failure: Failure): ExistingUserResult {
  return { is: failure.code === "conflict" ? "unread" : "nobody", failure };
}

function existingUser(
  action: CreateUser,
  { intent, failure }: Pick<RefusedCreation, "intent" | "failure">,
  shown: LookupResults,
  { input }: RunContext,
): Extract<ExistingUserResult, { is: "there" }> | undefined {
  const user = onlyUser(shown, action.address);
  if (user === undefined || accountStatus(user.status) === "deleted") return undefined;
  if (user.account !== undefined && user.account !== action.account) return undefined;
  const verdict = assessDeclinedCreation(intent, failure, evidenceFromLookup(shown, input.capabilities), "fresh");
  if (verdict?.as.done !== true || verdict.as.learned.kind !== "create-user") return undefined;
  return { is: "there", user, learned: verdict.as.learned };
}

/** The service's own words stay; what reading adds to them comes after. */
function explainRefusal(
  { address, user, founds, account }: CreateUser,
  shown: LookupResults,
  failure: Failure,
): Failure {
  const looked = shown(address);
  if (looked.is === "absent") {
    const blocked =
      "a deleted user may block the address; have it freed in the service, or give the person another one";
    const hint = `reads do not show ${user.email}: ${failure.code === "conflict" ? "" : "if the service means the address, "}${blocked}`;
    return { ...failure, hint };
  }
  if (looked.is !== "user") return failure;
  const there = looked.user;
  if (accountStatus(there.status) === "deleted") {
    const message = `${failure.message}; ${user.email} is shown as a deleted user, who blocks the address`;
    return { ...failure, message, hint: "have the address freed in the service, or give the person another one" };
  }
  if (there.account !== undefined && there.account !== account) {
    return { ...failure, message: `${failure.message}; ${user.email} is in the account ${there.account}` };
  }
  if (founds === undefined) return failure;
  const message = `${failure.message}; ${user.email} is there already, so that the team ${founds.name} cannot be founded with them`;
  return { ...failure, message, hint: "plan again: another new member can found the team, or give its `identifier`" };
}
