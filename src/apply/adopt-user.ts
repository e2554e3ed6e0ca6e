import { judgeDeclined } from "../journal/judge-creation.ts";
import type { CreateUser } from "../model/action.ts";
import { type Failure, stopsTheRun } from "../model/failure.ts";
import type { CreationIntent, Learned } from "../model/run-event.ts";
import { type ObservedUser, standing } from "../model/snapshot.ts";
import { onlyUser, type PeopleShown } from "./people-look.ts";
import type { RunContext } from "./run-context.ts";
import { evidenceOf, waitFor } from "./settle-in-run.ts";

type CreationLearned = Extract<Learned, { readonly kind: "create-user" }>;

/** Who stands behind a creation that the service refused. */
export type Refused =
  | { readonly is: "there"; readonly user: ObservedUser; readonly learned: CreationLearned }
  /** Nobody of that address; the failure says all that is known of why. */
  | { readonly is: "nobody"; readonly failure: Failure }
  /** Nobody could be looked for, and the service said that they are there: the next run must look. */
  | { readonly is: "unread"; readonly failure: Failure };

/** A service may say that somebody is there already in many ways; a wrong request is refused with the same words. */
export function maySayThere({ code }: Failure): boolean {
  return code === "conflict" || code === "refused";
}

/** Milliseconds before each read: who is there already shows at once, unless the refused call has created them. */
const pauses = { conflict: [0, 500, 1000], refused: [0] };

/** The same where a team would be founded a second time, if the refused call has founded it: until the settling time is over. */
const pausesWhenFounding = [...pauses.conflict, 2000, 2000];

function pausesFor({ founds }: CreateUser, { code }: Failure): readonly number[] {
  if (code !== "conflict") return pauses.refused;
  return founds === undefined ? pauses.conflict : pausesWhenFounding;
}

/**
 * Looks whether somebody is there whom a creation met; never sends it again. That it was declined is durable before the
 * first look, so that a later run does not take whoever it met for created by us.
 */
export async function lookBehindRefusal(
  context: RunContext,
  action: CreateUser,
  intent: CreationIntent,
  failure: Failure,
): Promise<Refused> {
  const people = [{ address: action.address, email: action.user.email }];
  await context.record([{ type: "declined", at: context.now(), action: action.id, failure }]);
  let told: Failure | undefined;
  for (const pause of pausesFor(action, failure)) {
    await waitFor(
      context,
      pause,
      `the service says that ${action.user.email} is there already, and does not show it yet`,
    );
    if (context.stopped !== undefined) return unread(failure);
    const shown = await context.settling(people);
    told = shown.ok ? explained(action, shown.value, failure) : undefined;
    if (!shown.ok && stopsTheRun(shown.error)) context.stop(shown.error);
    const there = shown.ok ? whoIsThere(action, intent, shown.value, context) : undefined;
    if (there !== undefined) return there;
  }
  return told === undefined ? unread(failure) : { is: "nobody", failure: told };
}

/** Any other refusal than that somebody is there has created nobody, whatever could be read. */
function unread(failure: Failure): Refused {
  return { is: failure.code === "conflict" ? "unread" : "nobody", failure };
}

function whoIsThere(
  action: CreateUser,
  intent: CreationIntent,
  shown: PeopleShown,
  { work }: RunContext,
): Extract<Refused, { is: "there" }> | undefined {
  const user = onlyUser(shown, action.address);
  if (user === undefined || standing(user.status) === "deleted") return undefined;
  if (user.account !== undefined && user.account !== action.account) return undefined;
  const verdict = judgeDeclined(intent, evidenceOf(shown, work.capabilities), "fresh");
  if (verdict?.as.done !== true || verdict.as.learned.kind !== "create-user") return undefined;
  return { is: "there", user, learned: verdict.as.learned };
}

/** The service's own words stay; what reading adds to them comes after. */
function explained({ address, user, founds, account }: CreateUser, shown: PeopleShown, failure: Failure): Failure {
  const looked = shown(address);
  if (looked.is === "absent") {
    const blocked =
      "a deleted user may block the address; have it freed in the service, or give the person another one";
    const hint = `reads do not show ${user.email}: ${failure.code === "conflict" ? "" : "if the service means the address, "}${blocked}`;
    return { ...failure, hint };
  }
  if (looked.is !== "user") return failure;
  const there = looked.user;
  if (standing(there.status) === "deleted") {
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
