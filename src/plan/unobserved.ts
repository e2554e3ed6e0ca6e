import type { Action } from "../model/action.ts";
import { relevantUnreadFields, suggestedShapesYaml, unreadFieldNames } from "../model/capabilities.ts";
import { distinctReasons, type Fact } from "../model/fact.ts";
import { byCodeUnit } from "../model/role-set.ts";
import { type Basis, memberSubject, serviceSubject } from "../model/subject.ts";
import type { PlanContext } from "./context.ts";
import { type FindingDraft, joinList } from "./finding-draft.ts";
import { currentRoles, rolesBasis } from "./identities.ts";
import type { DesiredRolesResult } from "./keys/desired-roles.ts";
import type { MembershipSlot } from "./memberships/placement.ts";

/** Fields of the service that look like what it does not show, and how the settings say where they are. */
export function findUnreadFields({ snapshot }: PlanContext): readonly FindingDraft[] {
  const missed = relevantUnreadFields(snapshot.unread ?? [], snapshot.capabilities);
  if (missed.length === 0) return [];
  return [
    {
      code: "unread-fields",
      subject: serviceSubject(snapshot.service),
      message:
        `roster does not read these fields of users and keys: ${joinList(unreadFieldNames(missed))}. They look like facts that roster did not find elsewhere. ` +
        "If they are, add these lines to the settings (in CI: outside the checkout). Then plan again.",
      because: [],
      suggestedYaml: suggestedShapesYaml(missed),
      concerns: [],
    },
  ];
}

/** That a plan was made of a kept snapshot, and whom no search has proven absent. */
export function reportSnapshotSource(context: PlanContext, actions: readonly Action[]): readonly FindingDraft[] {
  const { kept, snapshot } = context;
  if (kept === undefined) return [];
  return [
    {
      code: "not-observed",
      aspect: "snapshot",
      subject: serviceSubject(snapshot.service),
      message: `This is a preview from a snapshot of ${snapshot.readAt}. ${formatUnsearched(context, actions)}`,
      because: [],
      concerns: [],
    },
  ];
}

function formatUnsearched({ kept }: PlanContext, actions: readonly Action[]): string {
  const created = actions.filter((action) => action.kind === "create-user");
  const count = created.filter(({ address, formerly = [] }) =>
    [address, ...formerly].some((one) => kept?.unsearched.has(one)),
  ).length;
  if (count === 0) return "`apply` reads the service and makes a new plan.";
  const who = count === 1 ? "1 new user" : `${count} new users`;
  return `It has no search for ${who}, but its complete list of users does not have them. \`apply\` searches for each one before it creates them.`;
}

/** A fact that the plan takes from a record or from the roster, because the service does not show it. */
interface UnobservedFact {
  readonly basis: Basis;
  readonly because: FindingDraft["because"];
  readonly concern: FindingDraft["concerns"][number];
}

/** One notice of all that the plan takes as recorded or as the roster gives it: such facts are not seen to drift. */
export function findRecordedFacts(
  slots: readonly MembershipSlot[],
  desired: readonly DesiredRolesResult[],
  context: PlanContext,
): readonly FindingDraft[] {
  const memberships = slots.flatMap(unobservedMembership);
  const roles = desired.flatMap((update) => unobservedRoles(update, context));
  const unread = [...memberships, ...roles];
  if (unread.length === 0) return [];
  const message = `The service does not show everything: ${formatUnobserved(memberships.length, roles.length)} taken from the state${formatOldest(unread)} or from the roster. roster cannot see drift there.`;
  return [
    {
      code: "not-observed",
      aspect: "state",
      subject: serviceSubject(context.snapshot.service),
      message,
      because: distinctReasons(unread.flatMap(({ because }) => because)),
      restsOn: unread.map(({ basis }) => basis),
      concerns: unread.map(({ concern }) => concern),
    },
  ];
}

function unobservedMembership({ team, member, status }: MembershipSlot): readonly UnobservedFact[] {
  // What no read shows yet has a finding of its own.
  if (status.is !== "member" || status.settling !== undefined) return [];
  const about = memberSubject(member.address, team.key);
  const basis = status.key === undefined ? status.basis : { about, fact: keyFact(status.key.prefix) };
  if (basis.fact.known === "observed") return [];
  return [{ basis, because: team.because.slice(0, 1), concern: { address: member.address, team: team.key } }];
}

function keyFact(prefix: Fact<string>): Fact<string> {
  return prefix.known === "unknown" ? prefix : { ...prefix, value: `by key ${prefix.value}` };
}

function unobservedRoles(update: DesiredRolesResult, { state }: PlanContext): readonly UnobservedFact[] {
  if (update?.is !== "known") return [];
  const before = currentRoles(update.key, state);
  if (before.known === "observed") return [];
  return [
    { basis: rolesBasis(update.key.value, before), because: update.because.slice(0, 1), concern: update.concern },
  ];
}

function formatOldest(unread: readonly UnobservedFact[]): string {
  const times = unread.flatMap(({ basis: { fact } }) => (fact.known === "recorded" ? [fact.at] : []));
  const [first] = times.sort(byCodeUnit);
  return first === undefined ? "" : ` (the oldest at ${first})`;
}

function formatUnobserved(memberships: number, keys: number): string {
  const parts = [
    ...(memberships === 0 ? [] : [pluralize(memberships, "membership")]),
    ...(keys === 0 ? [] : [`the roles of ${pluralize(keys, "key")}`]),
  ];
  return `${joinList(parts)} ${memberships === 1 && keys === 0 ? "is" : "are"}`;
}

function pluralize(count: number, one: string): string {
  return count === 1 ? `1 ${one}` : `${count} ${one}s`;
}
