import { formatCount, say } from "../codes/message.ts";
import type { Action } from "../model/action.ts";
import type { EmailKey } from "../model/address.ts";
import { relevantUnreadFields, suggestedShapesYaml, unreadFieldNames } from "../model/capabilities.ts";
import { byCodeUnit } from "../model/collections.ts";
import { distinctReasons } from "../model/fact.ts";
import { type Basis, serviceSubject } from "../model/subject.ts";
import type { PlanContext } from "./context.ts";
import type { FindingDraft } from "./finding-draft.ts";
import { currentRoles, rolesBasis } from "./identities.ts";
import type { MembershipSlot } from "./memberships.ts";
import type { DesiredRolesResult } from "./roles.ts";

/** Fields of the service that look like what it does not show, and how the settings say where they are. */
export function findUnreadFields({ snapshot }: PlanContext): readonly FindingDraft[] {
  const missed = relevantUnreadFields(snapshot.unread ?? [], snapshot.capabilities);
  if (missed.length === 0) return [];
  const subject = serviceSubject(snapshot.service);
  const texts = say("unread-fields", { fields: unreadFieldNames(missed) });
  return [{ ...texts, subject, because: [], suggestedYaml: suggestedShapesYaml(missed), concerns: [] }];
}

/** That a plan was made of a kept snapshot, and whom no search has proven absent. */
export function reportSnapshotSource(context: PlanContext, actions: readonly Action[]): readonly FindingDraft[] {
  const { unsearched, snapshot } = context;
  if (unsearched === undefined) return [];
  const subject = serviceSubject(snapshot.service);
  const created = actions.filter((action) => action.kind === "create-user");
  const isUnsearched = (address: EmailKey) => unsearched.has(address);
  const count = created.filter(({ address, formerly = [] }) => [address, ...formerly].some(isUnsearched)).length;
  const at = snapshot.readAt;
  const texts =
    count === 0 ? say("not-observed/snapshot", { at }) : say("not-observed/snapshot-without-search", { at, count });
  return [{ ...texts, aspect: "snapshot", subject, because: [], concerns: [] }];
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
    if (slot.is !== "member" || slot.pending !== undefined || slot.basis.fact.known === "observed") return [];
    const { team, member, basis } = slot;
    return [{ basis, because: team.because.slice(0, 1), concerns: [{ address: member.address, team: team.key }] }];
  });
  const roles = desired.flatMap((update): readonly UnobservedFact[] => {
    const before = update?.is === "known" ? currentRoles(update.key, state) : undefined;
    if (update?.is !== "known" || before === undefined || before.known === "observed") return [];
    const { key, because, concern } = update;
    return [{ basis: rolesBasis(key.prefix.value, before), because: because.slice(0, 1), concerns: [concern] }];
  });
  const unread = [...memberships, ...roles];
  if (unread.length === 0) return [];
  const times = unread.flatMap(({ basis: { fact } }) => (fact.known === "recorded" ? [fact.at] : []));
  const [first] = times.sort(byCodeUnit);
  const counts = [formatCount(memberships.length, "membership"), formatCount(roles.length, "key")];
  const facts = [
    ...(memberships.length === 0 ? [] : counts.slice(0, 1)),
    ...(roles.length === 0 ? [] : counts.slice(1).map((keys) => `the roles of ${keys}`)),
  ];
  const isOne = memberships.length === 1 && roles.length === 0;
  const texts = say("not-observed/state", { facts, count: isOne ? 1 : 2, oldest: first });
  const because = distinctReasons(unread.flatMap((one) => one.because));
  const restsOn = unread.map(({ basis }) => basis);
  const concerns = unread.flatMap((one) => one.concerns);
  const subject = serviceSubject(snapshot.service);
  return [{ ...texts, aspect: "state", subject, because, restsOn, concerns }];
}
