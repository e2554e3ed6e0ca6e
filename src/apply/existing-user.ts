import { assessDeclinedCreation, existsWithoutTeam } from "../journal/settle.ts";
import type { CreateUser } from "../model/action.ts";
import type { Capabilities } from "../model/capabilities.ts";
import type { CreationIntent, LearnedOutcome } from "../model/event.ts";
import { type Failure, stopsTheRun } from "../model/result.ts";
import { accountStatus, type ObservedUser } from "../model/snapshot.ts";
import type { ApplySession } from "./apply-session.ts";
import { type LookupResults, onlyUser } from "./people-lookup.ts";
import { evidenceFromLookup, waitUnlessStopped } from "./settle-by-reading.ts";

export type CreationLearned = Extract<LearnedOutcome, { readonly kind: "create-user" }>;

/** Who is at the address of a creation that the service refused. */
export type ExistingUserResult =
  | { readonly is: "there"; readonly user: ObservedUser; readonly learned: CreationLearned }
  /** Nobody of that address; the failure says all that is known of why. */
  | { readonly is: "nobody"; readonly failure: Failure }
  /** No read succeeded, and the service answered that they are there: the next run must look. */
  | { readonly is: "unread"; readonly failure: Failure };

/** A creation that the service refused. */
export interface RefusedCreation {
  readonly intent: CreationIntent;
  readonly failure: Failure;
  /** Milliseconds since the epoch, when its answer came. */
  readonly endedAt: number;
}

/** A service may say that somebody is there already in many ways; a wrong request is refused with the same words. */
export function mayMeanExists({ code }: Failure): boolean {
  return code === "conflict" || code === "refused";
}

/** Milliseconds before each read: who is there already shows at once, unless the refused call has created them. */
const existingUserPauses = { conflict: [0, 500, 1000, 2000, 2000], refused: [0] };

/**
 * Looks whether a user is at the address of a refused creation; never sends it again. That it was declined is durable before the
 * first read, so that a later run does not take a user who was there before for created by us.
 */
export async function findExistingUser(
  { journal, reads, writes }: ApplySession,
  action: CreateUser,
  { intent, failure, endedAt }: RefusedCreation,
): Promise<ExistingUserResult> {
  const people = [{ address: action.address, email: action.user.email }];
  journal.record([{ type: "declined", at: journal.now(), action: action.id, failure }]);
  await journal.written();
  let explained: Failure | undefined;
  for (const pause of failure.code === "conflict" ? existingUserPauses.conflict : existingUserPauses.refused) {
    await waitUnlessStopped(
      journal,
      pause,
      `the service reports that ${action.user.email} exists, but does not show the user yet`,
    );
    if (journal.stopped !== undefined) return unreadResult(failure);
    const shown = await reads.forSettling(people);
    if (!shown.ok) {
      explained = undefined;
      if (stopsTheRun(shown.error)) journal.stop(shown.error);
      continue;
    }
    const there = existingUser(action, { intent, failure }, shown.value, reads.capabilities);
    if (there !== undefined) return there;
    const isOver = journal.clock.now() >= writes.behaviour.decidedFrom(endedAt);
    explained = isOver ? explainRefusal(action, shown.value, failure) : explainIfCertain(action, shown.value, failure);
  }
  return explained === undefined ? unreadResult(failure) : { is: "nobody", failure: explained };
}

/** A conflict may be answered although the call was done: then nothing is known before the consistency window is over. */
function explainIfCertain(action: CreateUser, shown: LookupResults, failure: Failure): Failure | undefined {
  const isCertain = failure.code !== "conflict" || isSurelyNotCreated(action, shown);
  return isCertain ? explainRefusal(action, shown, failure) : undefined;
}

/**
 * Whether reads show a user at the address that this call has surely not created: a deleted user, one of another account, or somebody
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
  capabilities: Capabilities | undefined,
): Extract<ExistingUserResult, { is: "there" }> | undefined {
  const user = onlyUser(shown, action.address);
  if (user === undefined || accountStatus(user.status) === "deleted") return undefined;
  if (user.account !== undefined && user.account !== action.account) return undefined;
  const verdict = assessDeclinedCreation(intent, failure, evidenceFromLookup(shown, capabilities), "fresh");
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
      "a deleted user may block the address. Restore or purge that user in the service, or use another address";
    const hint = `Reads do not show ${user.email}. ${failure.code === "conflict" ? "A" : "If the service means the address, a"}${blocked}`;
    return { ...failure, hint };
  }
  if (looked.is !== "user") return failure;
  const there = looked.user;
  if (accountStatus(there.status) === "deleted") {
    const message = `${failure.message}. The service shows ${user.email} as deleted, which blocks the address`;
    return { ...failure, message, hint: "Restore or purge the user in the service, or use another address" };
  }
  if (there.account !== undefined && there.account !== account) {
    return { ...failure, message: `${failure.message}. ${user.email} is in the account ${there.account}` };
  }
  if (founds === undefined) return failure;
  const message = `${failure.message}. ${user.email} exists already, so roster cannot create the team ${founds.name} with them`;
  return {
    ...failure,
    message,
    hint: "Plan again. The team needs another new member as its founder, or its `identifier`",
  };
}
