import type { FoldedAddress } from "../../model/address.ts";
import { type RoleSet, sameRoles } from "../../model/role-set.ts";
import type { Leaver } from "../../model/roster.ts";
import { accountStatus, type ObservedKey, type ObservedUser } from "../../model/snapshot.ts";
import type { OpenIntent, RecordedMembership, State } from "../../model/state.ts";
import { observedBasis, recordedBasis, unknownBasis, userSubject } from "../../model/subject.ts";
import { formatDecisionTime, formatResolveCommands, type PlanContext } from "../context.ts";
import { type FindingDraft, joinList } from "../finding-draft.ts";
import { observedAccount } from "../snapshot-index.ts";
import { type LocatedLeaver, leaverBasis } from "./leaver-keys.ts";

/** What no call can end about a leaver, as one finding, and what is in doubt; nothing of those who are gone. */
export function reportLeaver(found: LocatedLeaver, context: PlanContext): readonly FindingDraft[] {
  const { leaver, presence } = found;
  const opens = openIntentsFor(found, context);
  const doubt = opens.length === 0 ? [] : [leaverInDoubt(found, opens, context)];
  switch (presence.is) {
    case "gone":
      return doubt;
    case "unproven":
      return [...doubt, unprovenLeaver(found, presence.why)];
    case "there": {
      const isBarred = presence.users.every(({ status }) => accountStatus(status) === "barred");
      const remains = residualAccess(leaver, presence.users, context);
      return [
        ...doubt,
        isBarred
          ? barredLeaver(found, presence.users, remains)
          : remainingLeaver(found, presence.users, remains, context),
      ];
    }
  }
}

type LeaverFinding = Pick<FindingDraft, "code" | "message" | "restsOn">;

function leaverFinding({ leaver }: LocatedLeaver, { code, message, restsOn = [] }: LeaverFinding): FindingDraft {
  const { address, because } = leaver;
  return {
    code,
    subject: userSubject(address),
    message,
    because,
    restsOn: [leaverBasis(leaver), ...restsOn],
    concerns: [{ address }],
  };
}

function remainingLeaver(
  found: LocatedLeaver,
  users: readonly ObservedUser[],
  remains: readonly string[],
  context: PlanContext,
): FindingDraft {
  const names = users.map((user) => describeUser(user, found, context));
  const message =
    `${leaverName(found)} is a leaver${formatSince(found)}, and the service still has ${joinList(names)}${formatResidualAccess(remains)}. ` +
    `No call deletes a user, ends a membership or withdraws an invitation: have ${joinList(names)} deleted, or switched off, ` +
    `by hand.${founderWarning(found, context)}`;
  return leaverFinding(found, { code: "leaver-remains", message, restsOn: presenceBases(users) });
}

function barredLeaver(found: LocatedLeaver, users: readonly ObservedUser[], remains: readonly string[]): FindingDraft {
  const words = [...new Set(users.map(({ status }) => status ?? ""))];
  const message =
    `${leaverName(found)} is a leaver${formatSince(found)}, and the service shows the user as ${joinList(words)}${formatResidualAccess(remains)}: what is ` +
    "switched off opens nothing. Their keys are kept without roles all the same, for as long as they are listed.";
  return leaverFinding(found, { code: "leaver-barred", message, restsOn: presenceBases(users) });
}

function unprovenLeaver(found: LocatedLeaver, why: string): FindingDraft {
  const message =
    `${leaverName(found)} is a leaver${formatSince(found)}, and it is not proven that they are gone: ${why}. ` +
    "Plan again, and if this stays, check what the key in use may see, and look in the service by hand.";
  return leaverFinding(found, {
    code: "leaver-unproven",
    message,
    restsOn: [unknownBasis(userSubject(found.leaver.address), why)],
  });
}

function leaverInDoubt(found: LocatedLeaver, opens: readonly OpenIntent[], context: PlanContext): FindingDraft {
  const doings = opens.map(({ intent, at }) =>
    intent.kind === "add-members" ? `to add them to ${intent.name} at ${at}` : `to create them at ${at}`,
  );
  const message =
    `${leaverName(found)} is a leaver${formatSince(found)}. roster sent a call ${joinList(doings)}, and does not know whether it was done. ` +
    `Nothing of it is sent again. ${formatDecisionTime(opens, context)}; or look in the service and ${formatResolveCommands(opens, context)}.`;
  const subject = userSubject(found.leaver.address);
  return leaverFinding(found, {
    code: "unknown-outcome",
    message,
    restsOn: opens.map(({ run, at }) => recordedBasis(subject, `call announced by run ${run}`, at)),
  });
}

/** Calls that can still bring them in, or in further. */
function openIntentsFor({ leaver: { address } }: LocatedLeaver, { state }: PlanContext): readonly OpenIntent[] {
  return state.open.filter(({ intent }) => {
    if (intent.kind === "add-members") return intent.addresses.includes(address);
    return intent.kind === "create-user" && intent.address === address;
  });
}

/** Whoever founded a team may be its administrator, which no answer shows. */
function founderWarning({ leaver: { address } }: LocatedLeaver, { state }: PlanContext): string {
  const founded = [...state.teams.values()].filter(({ founder }) => founder === address).map(({ name }) => name);
  if (founded.length === 0) return "";
  return ` By our record ${joinList(founded)} was founded with them: see to it that somebody else administers it.`;
}

function describeUser(user: ObservedUser, { leaver }: LocatedLeaver, { facts }: PlanContext): string {
  const account = observedAccount(user, facts);
  const identifier = user.identifier === undefined ? "the user" : `the user ${user.identifier}`;
  const elsewhere = user.address === leaver.address ? "" : ` as ${user.email}`;
  const pending = accountStatus(user.status) === "pending" ? `, ${user.status},` : "";
  return `${identifier}${elsewhere}${pending}${account === undefined ? "" : ` in ${account}`}`;
}

function formatResidualAccess(remains: readonly string[]): string {
  return remains.length === 0 ? "" : `, with ${joinList(remains)}`;
}

function leaverName({ leaver }: LocatedLeaver): string {
  return leaver.email;
}

function formatSince({ leaver: { since, ref } }: LocatedLeaver): string {
  const said = [since === undefined ? undefined : `since ${since}`, ref].filter((one) => one !== undefined);
  return said.length === 0 ? "" : ` (${said.join(", ")})`;
}

function presenceBases(users: readonly ObservedUser[]): NonNullable<FindingDraft["restsOn"]> {
  return users.map(({ address, status, by }) =>
    observedBasis(userSubject(address), `present as ${status ?? "a user without a status"}`, by),
  );
}

/** What a leaver has beside the account itself, in words that name it: places in teams, roles that the service keeps on keys, keys that nobody sees. */
function residualAccess(leaver: Leaver, users: readonly ObservedUser[], { state }: PlanContext): readonly string[] {
  const keys = users.flatMap((user) => user.keys ?? []).filter(({ status }) => accountStatus(status) !== "deleted");
  const isHidden = users.some((user) => user.keys === undefined);
  const recorded = isHidden ? recordedMembershipsOf(leaver.address, state) : [];
  return [
    ...keys.flatMap(describeMembership),
    ...recorded.map((held) => describeRecordedMembership(held, state)),
    ...describeKeptRoles([...keys, ...recorded], state),
    ...(isHidden ? ["keys that the service does not show"] : []),
  ];
}

function describeMembership({ team, prefix }: ObservedKey): readonly string[] {
  if (team === undefined || team === "none") return [];
  const { name, identifier } = team;
  const known = [identifier, `key ${prefix}`].filter((one) => one !== undefined).join(", ");
  return [`a place in ${name ?? "a team"} (${known})`];
}

function recordedMembershipsOf(address: FoldedAddress, { memberships }: State): readonly RecordedMembership[] {
  return [...memberships.values()].filter((held) => held.address === address);
}

function describeRecordedMembership({ team, prefix }: RecordedMembership, { teams }: State): string {
  const { name, identifier } = teams.get(team) ?? {};
  const known = [identifier, prefix === undefined ? undefined : `key ${prefix}`, "by our record"];
  return `a place in ${name ?? team} (${known.filter((one) => one !== undefined).join(", ")})`;
}

/** Roles that are still on a key after we asked for none. */
function describeKeptRoles(held: readonly ResidualKey[], { keys: records }: State): readonly string[] {
  return held.flatMap(({ prefix, roles }) => {
    const record = prefix === undefined ? undefined : records.get(prefix);
    if (record?.readAs === undefined || record.put.length > 0 || record.readAs.length === 0) return [];
    const isStill = roles === undefined || sameRoles(roles, record.readAs);
    return isStill ? [`${record.readAs.join(", ")} on the key ${prefix}, which stays there whatever is asked`] : [];
  });
}

interface ResidualKey {
  readonly prefix?: string;
  readonly roles?: RoleSet;
}
