import { say } from "../codes/message.ts";
import { declared, distinctReasons, reasonAt } from "../model/fact.ts";
import { accountStatus, isDeleted } from "../model/key.ts";
import { formatRoles, type RoleSet, roleSet, sameRoles } from "../model/role-set.ts";
import { daysBetween } from "../model/roster.ts";
import type { Presence } from "../model/snapshot.ts";
import type { State } from "../model/state.ts";
import { keySubject, observedBasis, partOf, recordedBasis, unknownBasis, userSubject } from "../model/subject.ts";
import type { Leaver, ObservedUser } from "../model/user.ts";
import { formatDecisionTime, formatResolveCommands, type PlanContext } from "./context.ts";
import type { FindingDraft } from "./finding-draft.ts";
import { presenceBasis, type TeamIdentities, userFinding } from "./identities.ts";
import { desiredLeaverRoles, leaverBasis, locateLeavers, teamOfKeyLookup } from "./leaver-keys.ts";
import type { DesiredRolesResult, KnownKeyUpdate } from "./roles.ts";
import { observedAccount } from "./snapshot-index.ts";

/**
 * What calls can do about leavers, and what only people can. `desired`: the roles that the roster wants on keys, leavers apart. Those that
 * it wants on a key that is shown as a leaver's do not count, and are reported. Where only a record or the roster says whose a key is, the
 * two contradict each other, and nothing is done. `otherRoles`: the roles that are wanted on other keys.
 */
export function planLeavers(context: PlanContext, teams: TeamIdentities, desired: readonly DesiredRolesResult[]) {
  const leavers = [...locateLeavers(context)];
  const teamOf = leavers.length === 0 ? () => undefined : teamOfKeyLookup(teams, context);
  const leaverRoles = leavers.flatMap((one) => desiredLeaverRoles(...one, context, teamOf));
  const shown = new Map(
    leaverRoles.filter(({ key }) => key.prefix.known === "observed").map((one) => [one.key.value, one]),
  );
  const otherRoles: DesiredRolesResult[] = [];
  const findings = leavers.flatMap((one) => reportLeaver(...one, context));
  for (const update of desired) {
    const leaver = update?.is === "known" ? shown.get(update.key.value) : undefined;
    if (update?.is !== "known" || leaver === undefined) otherRoles.push(update);
    else if (update.roles.length > 0) findings.push(leaverKeyConflict(leaver, update));
  }
  return { leaverRoles, otherRoles, findings };
}

function leaverKeyConflict({ key, holder, because, concern }: KnownKeyUpdate, update: KnownKeyUpdate): FindingDraft {
  const email = holder?.email ?? concern.address ?? "";
  const roles = formatRoles(update.roles);
  return {
    ...say("conflicting-roles/leaver", { roles, prefix: key.value, email }),
    subject: keySubject(key.value),
    roles: update.roles,
    because: distinctReasons([...update.because, ...because]),
    concerns: [concern, update.concern],
  };
}

/** Days ahead of the notice that somebody will be a leaver. */
const noticeDays = 14;

/** Users who are leavers soon, so that nobody is surprised on the day. */
export function findUpcomingLeavers({ roster, policy: { today } }: PlanContext): readonly FindingDraft[] {
  return [...roster.users.values()].flatMap((user) => {
    const { until, address, email, because } = user;
    if (until === undefined) return [];
    const left = daysBetween(today, until.value);
    if (left > noticeDays) return [];
    const texts = say("date-ahead/user-leaves", { email, days: left, until: until.value });
    const restsOn = [
      { about: partOf("until", userSubject(address)), fact: declared(until.value, until.place) },
      observedBasis({ kind: "other", name: "today" }, today, "clock"),
    ];
    const places = [reasonAt(until.place, "until", { name: until.value }), ...because.slice(0, 1)];
    return [{ ...userFinding(user, { ...texts, aspect: "until", restsOn }), because: places }];
  });
}

/** What the API cannot end about a leaver, and which calls may still bring them in; nothing of those who are gone. */
function reportLeaver(leaver: Leaver, presence: Presence, context: PlanContext): readonly FindingDraft[] {
  const { address, email, since, because } = leaver;
  const subject = userSubject(address);
  const about = { subject, because, concerns: [{ address }] };
  const findings: FindingDraft[] = [];
  const opens = context.state.open.filter(({ intent }) => {
    if (intent.kind === "add-members") return intent.addresses.includes(address);
    return intent.kind === "create-user" && intent.address === address;
  });
  if (opens.length > 0) {
    const sent = opens.map(({ intent, at }) =>
      intent.kind === "add-members" ? `to add them to ${intent.name} at ${at}` : `to create them at ${at}`,
    );
    const [when, resolve] = [formatDecisionTime(opens, context), formatResolveCommands(opens)];
    const texts = say("unknown-outcome/leaver", { email, since, sent, when, resolve });
    const announced = opens.map(({ run, at }) => recordedBasis(subject, `call announced by run ${run}`, at));
    findings.push({ ...about, ...texts, restsOn: [leaverBasis(leaver), ...announced] });
  }
  if (presence.is === "unknown") {
    const texts = say("leaver-remains/unproven", { email, since, why: presence.why });
    const restsOn = [leaverBasis(leaver), unknownBasis(subject, presence.why)];
    findings.push({ ...about, ...texts, aspect: "unproven", restsOn });
  }
  if (presence.is === "present") {
    const { users } = presence;
    const { remains, roles } = residualAccess(leaver, users, context);
    const restsOn = [leaverBasis(leaver), ...users.map(presenceBasis)];
    const common = { ...about, roles, restsOn };
    if (users.every(({ status }) => accountStatus(status) === "barred")) {
      const statuses = [...new Set(users.map(({ status }) => status ?? ""))];
      const texts = say("leaver-remains/disabled", { email, since, statuses, remains });
      findings.push({ ...common, ...texts, kind: "notice" });
    } else {
      const created = [...context.state.teams.values()].filter(({ firstMember }) => firstMember === address);
      const texts = say("leaver-remains/present", {
        email,
        since,
        users: users.map((user) => describeUser(user, leaver, context)),
        remains,
        count: users.length,
        created: created.map(({ name }) => name),
        teams: created.length,
      });
      findings.push({ ...common, ...texts });
    }
  }
  return findings;
}

function describeUser(user: ObservedUser, leaver: Leaver, { facts }: PlanContext): string {
  const account = observedAccount(user, facts);
  const identifier = user.identifier === undefined ? "the user" : `the user ${user.identifier}`;
  const elsewhere = user.address === leaver.address ? "" : ` as ${user.email}`;
  const pending = accountStatus(user.status) === "pending" ? `, ${user.status},` : "";
  return `${identifier}${elsewhere}${pending}${account === undefined ? "" : ` in ${account}`}`;
}

/** What a leaver has besides the account: in words that name it, and the roles that the service keeps on keys. */
function residualAccess(
  { address }: Leaver,
  users: readonly ObservedUser[],
  { state }: PlanContext,
): { readonly remains: readonly string[]; readonly roles: RoleSet } {
  const keys = users.flatMap((user) => user.keys ?? []).filter((key) => !isDeleted(key));
  const isHidden = users.some((user) => user.keys === undefined);
  const recorded = isHidden ? [...state.memberships.values()].filter((held) => held.address === address) : [];
  const kept = [...keys, ...recorded].flatMap((key) => keptRoles(key, state));
  const remains = [
    ...keys.flatMap(({ team, prefix }) =>
      team === undefined || team === "none" ? [] : describeMembership(team.name ?? "a team", team.identifier, prefix),
    ),
    ...recorded.map(({ team, prefix }) => {
      const { name = team, identifier } = state.teams.get(team) ?? {};
      return describeMembership(name, identifier, prefix, "from the state");
    }),
    ...kept.map(({ prefix, roles }) => `${roles.join(", ")} on the key ${prefix}, which the service does not remove`),
    ...(isHidden ? ["keys that the service does not show"] : []),
  ];
  return { remains, roles: roleSet(kept.flatMap(({ roles }) => roles)) };
}

function describeMembership(team: string, identifier?: string, prefix?: string, source?: string): string {
  const known = [identifier, prefix === undefined ? undefined : `key ${prefix}`, source];
  return `a membership in ${team} (${known.filter((one) => one !== undefined).join(", ")})`;
}

/** Roles that are still on a key after we asked for none. */
function keptRoles(
  { prefix, roles }: { readonly prefix?: string; readonly roles?: RoleSet },
  { keys }: State,
): readonly { readonly prefix: string; readonly roles: RoleSet }[] {
  const record = prefix === undefined ? undefined : keys.get(prefix);
  if (record?.observedRoles === undefined || record.setRoles.length > 0 || record.observedRoles.length === 0) return [];
  const isStill = roles === undefined || sameRoles(roles, record.observedRoles);
  return isStill ? [{ prefix: record.prefix, roles: record.observedRoles }] : [];
}
