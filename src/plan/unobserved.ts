import type { Action } from "../model/action.ts";
import { relevantUnreadFields, suggestedShapesYaml, unreadFieldNames } from "../model/capabilities.ts";
import { byCodeUnit } from "../model/collections.ts";
import { distinctReasons } from "../model/fact.ts";
import type { SnapshotSource } from "../model/plan.ts";
import { type Basis, serviceSubject } from "../model/subject.ts";
import type { PlanContext } from "./context.ts";
import { type FindingDraft, joinList } from "./finding-draft.ts";
import { currentRoles, rolesBasis } from "./identities.ts";
import type { MembershipSlot } from "./memberships.ts";
import type { DesiredRolesResult } from "./roles.ts";

/** Fields of the service that look like what it does not show, and how the settings say where they are. */
export function findUnreadFields({ snapshot }: PlanContext): readonly FindingDraft[] {
  const missed = relevantUnreadFields(snapshot.unread ?? [], snapshot.capabilities);
  if (missed.length === 0) return [];
  const subject = serviceSubject(snapshot.service);
  const message =
    `roster does not read these fields of users and keys: ${joinList(unreadFieldNames(missed))}. They look like facts that roster did not find elsewhere. ` +
    "If they are, add these lines to the settings (in CI: outside the checkout). Then plan again.";
  const suggestedYaml = suggestedShapesYaml(missed);
  return [{ code: "unread-fields", subject, message, because: [], suggestedYaml, concerns: [] }];
}

/** That a plan was made of a kept snapshot, and whom no search has proven absent. */
export function reportSnapshotSource(context: PlanContext, actions: readonly Action[]): readonly FindingDraft[] {
  const { kept, snapshot } = context;
  if (kept === undefined) return [];
  const subject = serviceSubject(snapshot.service);
  const message = `This is a preview from a snapshot of ${snapshot.readAt}. ${formatUnsearched(kept, actions)}`;
  return [{ code: "not-observed", aspect: "snapshot", subject, message, because: [], concerns: [] }];
}

function formatUnsearched({ unsearched }: SnapshotSource, actions: readonly Action[]): string {
  const created = actions.filter((action) => action.kind === "create-user");
  const count = created.filter(({ address, formerly = [] }) =>
    [address, ...formerly].some((one) => unsearched.has(one)),
  ).length;
  if (count === 0) return "`apply` reads the service and makes a new plan.";
  const who = count === 1 ? "1 new user" : `${count} new users`;
  return `It has no search for ${who}, but its complete list of users does not have them. \`apply\` searches for each one before it creates them.`;
}

/** A fact that the plan takes from a record or from the roster, because the service does not show it. */
type UnobservedFact = Pick<FindingDraft, "because" | "concerns"> & { readonly basis: Basis };

/** One notice of all that the plan takes as recorded or as the roster gives it: such facts are not seen to drift. */
export function findRecordedFacts(
  slots: readonly MembershipSlot[],
  desired: readonly DesiredRolesResult[],
  { state, snapshot }: PlanContext,
): readonly FindingDraft[] {
  const memberships = slots.flatMap((slot): readonly UnobservedFact[] => {
    // What no read shows yet has a finding of its own.
    if (slot.is !== "member" || slot.settling !== undefined || slot.basis.fact.known === "observed") return [];
    const { team, member, basis } = slot;
    return [{ basis, because: team.because.slice(0, 1), concerns: [{ address: member.address, team: team.key }] }];
  });
  const roles = desired.flatMap((update): readonly UnobservedFact[] => {
    const before = update?.is === "known" ? currentRoles(update.key, state) : undefined;
    if (update?.is !== "known" || before === undefined || before.known === "observed") return [];
    const { key, because, concern } = update;
    return [{ basis: rolesBasis(key.value, before), because: because.slice(0, 1), concerns: [concern] }];
  });
  const unread = [...memberships, ...roles];
  if (unread.length === 0) return [];
  const times = unread.flatMap(({ basis: { fact } }) => (fact.known === "recorded" ? [fact.at] : []));
  const [first] = times.sort(byCodeUnit);
  const oldest = first === undefined ? "" : ` (the oldest at ${first})`;
  const message = `The service does not show everything: ${formatUnobserved(memberships.length, roles.length)} taken from the state${oldest} or from the roster. roster cannot see drift there.`;
  const because = distinctReasons(unread.flatMap((one) => one.because));
  const restsOn = unread.map(({ basis }) => basis);
  const concerns = unread.flatMap((one) => one.concerns);
  const subject = serviceSubject(snapshot.service);
  return [{ code: "not-observed", aspect: "state", subject, message, because, restsOn, concerns }];
}

function formatUnobserved(memberships: number, keys: number): string {
  const places = memberships === 1 ? "1 membership" : `${memberships} memberships`;
  const roles = `the roles of ${keys === 1 ? "1 key" : `${keys} keys`}`;
  const parts = [...(memberships === 0 ? [] : [places]), ...(keys === 0 ? [] : [roles])];
  return `${joinList(parts)} ${memberships === 1 && keys === 0 ? "is" : "are"}`;
}
