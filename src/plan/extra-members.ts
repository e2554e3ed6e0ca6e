import { say } from "../codes/message.ts";
import { prefixOf } from "../model/action.ts";
import type { EmailKey } from "../model/address.ts";
import { groupBy } from "../model/collections.ts";
import { isSameReason, type Reason, recorded } from "../model/fact.ts";
import { createFinding } from "../model/finding.ts";
import { isOpen } from "../model/key.ts";
import type { Plan } from "../model/plan.ts";
import { formatRoles } from "../model/role-set.ts";
import { formatSubject, memberSubject, observedBasis } from "../model/subject.ts";
import { type DesiredTeam, removalReason, removesRoles } from "../model/team.ts";
import type { ObservedUser } from "../model/user.ts";
import type { PlanContext } from "./context.ts";
import type { FindingDraft } from "./finding-draft.ts";
import { isKeyOfTeam, type KnownKey, knownKey, type TeamIdentities, type TeamThatIs } from "./identities.ts";
import type { KnownKeyUpdate } from "./roles.ts";
import type { UserKey } from "./snapshot-index.ts";

type ExistingTeam = TeamThatIs<"known" | "unidentified">;

/**
 * Holders of a team's keys that the roster does not name as its members. No call removes a member, but `removals` leaves their keys no roles
 * where the team says so: by record where the service does not show keys. Leavers have findings of their own.
 */
export function planExtraMembers(teams: TeamIdentities, context: PlanContext) {
  const { state } = context;
  const names = context.names();
  const existing = [...teams.values()].filter((one) => one.is === "known" || one.is === "unidentified");
  const planned = existing.map((identity) => {
    const { team, recordKeys } = identity;
    const { open, ended } = team;
    const members = new Set(team.members.map(({ address }) => address));
    const isExtra = (address: EmailKey) =>
      !members.has(address) && !members.has(names.userAt(address)?.address ?? address) && !names.isLeaver(address);
    const isUnwelcome = (address: EmailKey) => isExtra(address) && (!open || ended?.has(address) === true);
    const extra = open && ended === undefined ? [] : teamKeyHolders(identity, isUnwelcome, context);
    const records = removesRoles(team) ? [...state.memberships.values()] : [];
    return {
      findings: extra.map((held) => extraMemberFinding(team, held, context)),
      shown: extra.flatMap(({ holder, key }) => removal(identity, holder, knownKey(key, holder))),
      unshown: records.flatMap(({ team: of, prefix, at, address }) => {
        if (prefix === undefined || !recordKeys.includes(of) || !isExtra(address)) return [];
        const holder = holderWithoutKeys(address, prefix, context);
        return holder === undefined ? [] : removal(identity, holder, { prefix: recorded(prefix, at) });
      }),
    };
  });
  return {
    removals: [...planned.flatMap(({ shown }) => shown), ...planned.flatMap(({ unshown }) => unshown)],
    findings: planned.flatMap(({ findings }) => findings),
  };
}

function teamKeyHolders(
  identity: ExistingTeam,
  isAsked: (address: EmailKey) => boolean,
  { facts }: PlanContext,
): readonly UserKey[] {
  const named = [...identity.names].flatMap((name) => facts.byTeamName.get(name) ?? []);
  const identified = identity.is === "known" ? (facts.byTeamIdentifier.get(identity.identifier) ?? []) : [];
  // A person that the service bars, and a key that it has switched off, have no access that a roster could deny.
  const held = [...identified, ...named].filter(
    (one) => isAsked(one.holder.address) && isKeyOfTeam(identity, one, facts) && isOpen(one.holder) && isOpen(one.key),
  );
  return [...groupBy(held, ({ holder }) => holder).values()].map(([first]) => first);
}

/** The recorded member, where the service shows them without their keys, and lets them in. */
function holderWithoutKeys(address: EmailKey, prefix: string, { facts, state }: PlanContext): ObservedUser | undefined {
  const [user, another] = facts.people.get(address) ?? [];
  if (user === undefined || another !== undefined || user.keys !== undefined || !isOpen(user)) return undefined;
  const known = state.users.get(address)?.identifier;
  const isAnotherUser = known !== undefined && user.identifier !== undefined && known !== user.identifier;
  return isAnotherUser || facts.keyPrefixed(prefix) !== undefined ? undefined : user;
}

function removal(identity: ExistingTeam, holder: ObservedUser, key: KnownKey): readonly KnownKeyUpdate[] {
  const { key: team, because } = identity.team;
  const reason = removalReason(identity.team, holder.address);
  if (reason === undefined) return [];
  const reasons = [...(reason === because[0] ? [] : [reason]), ...because.slice(0, 1)];
  const of = { holder, team: identity.is === "known" ? team : undefined };
  const concern = { address: holder.address, team };
  return [{ is: "known", asks: "removal", roles: [], key, ...of, because: reasons, concern }];
}

function extraMemberFinding(team: DesiredTeam, { holder, key }: UserKey, { state }: PlanContext): FindingDraft {
  const { address, email } = holder;
  const { prefix, roles } = key;
  const subject = memberSubject(address, team.key);
  const isRemoved = removalReason(team, address) !== undefined;
  // Nothing is left to them but the place.
  const isNotice = isRemoved && roles?.length === 0;
  const isEmptied = isRemoved && state.keys.get(prefix)?.setRoles.length === 0;
  const shown = isNotice || roles === undefined ? undefined : { roles };
  const names = { email, prefix, team: team.name, roles: shown && formatRoles(shown.roles) };
  const about = { ...names, from: team.upcoming?.get(address)?.value };
  const until = team.ended?.get(address)?.value;
  const texts = () => {
    if (isNotice && until !== undefined) return say("extra-member/revoked-by-date", { ...about, until });
    if (isNotice) return say("extra-member/revoked", about);
    if (isEmptied && roles !== undefined) return say("extra-member/kept", { ...about, left: roles.join(", ") });
    if (isEmptied) return say("extra-member/hidden", about);
    if (until !== undefined) return say("extra-member/ended", { ...about, until });
    return say(team.onRemoval === "revoke" ? "extra-member/revoke" : "extra-member/reported", about);
  };
  return {
    ...texts(),
    subject,
    ...shown,
    because: team.because.slice(0, 1),
    restsOn: [observedBasis(subject, `member by key ${prefix}`, holder.by)],
    concerns: [{ address, team: team.key }],
    kind: isNotice ? "notice" : undefined,
  };
}

/** The plan once a run has done its part: an extra member whose team key has lost its roles meanwhile blocks no more. */
export function withRolesRevoked(plan: Plan, isEmptied: (prefix: string) => boolean): Plan {
  const removals = plan.actions.flatMap((action) => {
    if (action.kind !== "replace-roles" || action.rule !== "extra-member-roles-removed") return [];
    const prefix = prefixOf(action);
    return prefix === undefined || !isEmptied(prefix) ? [] : [{ prefix, action }];
  });
  if (removals.length === 0) return plan;
  const findings = plan.findings.map((finding) => {
    const { code, kind, subject, because, restsOn, ownership } = finding;
    if (code !== "extra-member" || kind === "notice" || subject.kind !== "member") return finding;
    // Both say in which team, by its entry in the roster.
    const isAlsoFor = (reason: Reason) => because.some((other) => isSameReason(reason, other));
    const found = removals.find(
      ({ action }) => action.key.address === subject.address && action.because.some(isAlsoFor),
    );
    if (found === undefined) return finding;
    const texts = say("extra-member/revoked-now", { prefix: found.prefix, member: formatSubject(subject) });
    const left = { ...texts, kind: "notice", subject, because, restsOn } as const;
    return createFinding({ ...left, ownership });
  });
  return { ...plan, findings };
}
