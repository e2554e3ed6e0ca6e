import type { Action } from "../model/action.ts";
import type { FoldedAddress } from "../model/address.ts";
import { factValue } from "../model/fact.ts";
import { createFinding } from "../model/finding.ts";
import type { Plan } from "../model/plan.ts";
import { accountStatus, type ObservedUser } from "../model/snapshot.ts";
import type { FindingDraft } from "./draft.ts";
import { observedAccount, type UserKey } from "./facts.ts";
import type { PlanContext } from "./question.ts";
import { showsTeam } from "./shown-keys.ts";
import { formatRoles, memberSubject, observedBasis } from "./subjects.ts";
import type { KnownTeam, TeamIdentities, UnidentifiedTeam } from "./team-identity.ts";

/** Somebody whom a key shows as a member of a team that does not name them. */
export interface ExtraMember extends UserKey {
  readonly identity: KnownTeam | UnidentifiedTeam;
}

/** Holders of a team's keys whom the roster does not name as its members. What is left of leavers is told of them. */
export function listExtraMembers(teams: TeamIdentities, context: PlanContext): readonly ExtraMember[] {
  const isMember = membershipTest(context);
  return [...teams.values()].flatMap((identity) => {
    if (identity.is !== "known" && identity.is !== "unidentified") return [];
    if (identity.team.open) return [];
    return teamKeyHolders(identity, context)
      .filter(({ holder }) => !isMember(identity, holder.address) && !context.roster.leavers.has(holder.address))
      .map((held) => ({ identity, ...held }));
  });
}

/** Whether the roster names somebody as a member. People whom the service still knows under a former address count as who they are now. */
export function membershipTest({
  roster,
}: PlanContext): (identity: KnownTeam | UnidentifiedTeam, address: FoldedAddress) => boolean {
  const users = [...roster.users.values()];
  const later = new Map(users.flatMap((user) => user.previously.map(({ value }) => [value, user.address] as const)));
  const named = new Map(roster.teams.map(({ key, members }) => [key, new Set(members.map(({ address }) => address))]));
  return ({ team }, address) => {
    const members = named.get(team.key);
    return members?.has(address) === true || members?.has(later.get(address) ?? address) === true;
  };
}

/** No call removes a member. */
export function findExtraMembers(extra: readonly ExtraMember[], { state }: PlanContext): readonly FindingDraft[] {
  return extra.map((one) => {
    const { onRemoval } = one.identity.team;
    if (onRemoval === "report") return extraMemberFinding(one, "extra-member", advice);
    if (one.key.roles?.length === 0) return extraMemberFinding(one, "disarmed-member", disarmed);
    const isEmptied = state.keys.get(one.key.prefix)?.put.length === 0;
    return extraMemberFinding(one, "extra-member", isEmptied ? formatKeptRoles(one) : toBeDisarmed);
  });
}

/** The plan once a run has done its part: whoever lost the roles of their team key meanwhile blocks no more. */
export function withDisarmedMembers(
  plan: Plan,
  isEmptied: (prefix: string) => boolean,
  digest: (text: string) => string,
): Plan {
  const removals = new Map(
    plan.actions.flatMap((action) => {
      const prefix = action.rule === "removed-disarmed" ? keyPrefix(action) : undefined;
      return prefix !== undefined && isEmptied(prefix) ? [[memberByKey(prefix), prefix] as const] : [];
    }),
  );
  const findings = plan.findings.map((finding) => {
    const prefix = finding.restsOn.flatMap(({ fact }) => removals.get(factValue(fact) ?? "") ?? [])[0];
    if (finding.code !== "extra-member" || prefix === undefined) return finding;
    const { subject, because, restsOn } = finding;
    const message = `The key ${prefix} of the ${subject} was emptied. ${disarmed}`;
    return createFinding({ code: "disarmed-member", subject, message, because, restsOn }, digest);
  });
  return removals.size === 0 ? plan : { ...plan, findings };
}

function keyPrefix(action: Action): string | undefined {
  return action.kind === "replace-roles" && action.key.of === "prefix" ? factValue(action.key.prefix) : undefined;
}

function memberByKey(prefix: string): string {
  return `member by key ${prefix}`;
}

function teamKeyHolders(identity: KnownTeam | UnidentifiedTeam, { facts }: PlanContext): readonly UserKey[] {
  const named = [...identity.names].flatMap((name) => facts.byTeamName.get(name) ?? []);
  const identified = identity.is === "known" ? (facts.byTeamIdentifier.get(identity.identifier) ?? []) : [];
  const holders = new Map<ObservedUser, UserKey>();
  for (const held of [...identified, ...named]) {
    if (showsTeam(held.key, identity) !== "yes" || holders.has(held.holder) || !grantsAccess(held)) continue;
    const account = observedAccount(held.holder, facts);
    const isElsewhere =
      held.key.team !== "none" &&
      held.key.team?.identifier === undefined &&
      account !== undefined &&
      account !== identity.team.account;
    if (!isElsewhere) holders.set(held.holder, held);
  }
  return [...holders.values()];
}

/** A person whom the service bars, and a key that it has switched off, have no access that a roster could deny. */
function grantsAccess({ holder, key }: UserKey): boolean {
  const word = accountStatus(holder.status);
  return word !== "barred" && word !== "deleted" && accountStatus(key.status) !== "barred";
}

const advice =
  "No call removes a member: have it done by hand, name the person in the roster, or mark the team with `open: true`.";

const toBeDisarmed =
  "The team says `onRemoval: disarm`, which asks for no roles on the key. No call ends the membership itself: have it done by hand, or name the person in the roster.";

const disarmed =
  "The key has no roles, as the team wants it with `onRemoval: disarm`. No call ends the membership itself: have it done by hand to silence this notice.";

function formatKeptRoles({ key: { roles } }: ExtraMember): string {
  const kept = roles === undefined ? "the service does not show what it carries" : `still carries ${roles.join(", ")}`;
  return `The key was given no roles and ${kept}. No call ends the membership: have it done by hand, or name the person in the roster.`;
}

function extraMemberFinding(
  { identity: { team }, holder, key }: ExtraMember,
  code: "extra-member" | "disarmed-member",
  rest: string,
): FindingDraft {
  const subject = memberSubject(holder.address, team.key);
  return {
    code,
    subject,
    message: `${holder.email} holds the key ${key.prefix} of ${team.name}${formatKeyRoles(key, code)}, and the roster does not name the person as a member. ${rest}`,
    because: team.because.slice(0, 1),
    restsOn: [observedBasis(subject, memberByKey(key.prefix), holder.by)],
    concerns: [{ address: holder.address, team: team.key }],
  };
}

/** What can be done with the key, where that is shown. */
function formatKeyRoles({ roles }: ExtraMember["key"], code: "extra-member" | "disarmed-member"): string {
  return roles === undefined || code === "disarmed-member" ? "" : ` with ${formatRoles(roles)}`;
}
