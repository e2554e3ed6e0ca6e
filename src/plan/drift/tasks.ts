import type { Capabilities } from "../../model/capabilities.ts";
import { byCodeUnit } from "../../model/collections.ts";
import { decodeSubject, formatSubject, namesIn, type Subject } from "../../model/fact.ts";
import { isAccepted, isTask, type OpenFinding } from "../../model/finding.ts";
import { isDeleted } from "../../model/key.ts";
import type { ClosedTask, Drift, DriftItem, Tasks } from "../../model/plan.ts";
import type { Policy } from "../../model/policy.ts";
import { indexOwnership, type Roster } from "../../model/roster.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import type { State } from "../../model/state.ts";
import type { ObservedUser } from "../../model/user.ts";
import { findingOwnership, ownerLookup } from "../actions.ts";

/** What a drift leaves to people, and which recorded tasks this read has proven to be `gone`. */
export function tasksOf(
  { items }: Drift,
  gone: readonly string[],
  { state, roster }: { readonly state: State; readonly roster: Roster },
): Tasks {
  const open = items.filter((item) => isLeftToPeople(item) && !isAccepted(item));
  // What another finding about the same has replaced is not done.
  const standing = items.filter(
    (item) => item.of.is === "finding" && (item.counts !== "nothing" || isLeftToPeople(item)),
  );
  const stillOpen = new Set(standing.map(({ subject }) => formatSubject(subject)));
  const owners = indexOwnership(roster);
  const ownerOf = ownerLookup(roster);
  const closed = gone.flatMap((fingerprint): readonly ClosedTask[] => {
    const openFinding = state.openFindings?.get(fingerprint);
    if (openFinding?.task !== true || stillOpen.has(openFinding.subject)) return [];
    const { code, since } = openFinding;
    const subject = decodeSubject(openFinding.subject);
    return [{ fingerprint, code, subject, since, owner: ownerOf(subject, findingOwnership(subject, [], owners)) }];
  });
  // What no recorded run has seen comes last.
  return { open: open.toSorted((one, other) => byCodeUnit(one.since ?? "~", other.since ?? "~")), closed };
}

/** What another run has in hand is not. */
function isLeftToPeople({ counts, of }: DriftItem): boolean {
  return of.is === "finding" && isTask(of.finding) && (counts === "blocking" || of.finding.kind === "notice");
}

type Scope = Pick<Policy, "include" | "exclude" | "reportUnmanaged" | "allowed">;

/** Whether nothing was left out: neither by the service nor by what this run was told. Then what is not there is no more. */
export function looksAtEverything({ everyone }: Snapshot, { include, exclude, reportUnmanaged, allowed }: Scope) {
  const isWhole = include.length + exclude.length + allowed.length === 0 && reportUnmanaged;
  return isWhole && everyone.read === "complete";
}

/**
 * Findings that rest on what the service shows of people and their keys. Not to make such a finding proves nothing where this
 * read does not show it: the key in use may have lost a permission.
 */
const restsOn: ReadonlyMap<string, "keys" | "account" | "profile"> = new Map([
  ["extra-member", "keys"],
  ["key-owner-differs", "keys"],
  ["member-removed", "keys"],
  ["profile-differs", "profile"],
  ["roles-kept-by-service", "keys"],
  ["unmanaged", "keys"],
  ["unmanaged-privilege", "keys"],
  ["user-in-other-account", "account"],
]);

/** Whether a read that does not show a recorded difference any more proves that it is gone. `known`: what earlier reads showed. */
export function provesGone(
  snapshot: Snapshot,
  scope: Scope,
  { capabilities: known }: Pick<State, "capabilities">,
): (openFinding: Pick<OpenFinding, "code" | "subject">) => boolean {
  if (!looksAtEverything(snapshot, scope) || showsLess(snapshot.capabilities, known?.learned)) return () => false;
  const users = snapshot.users.filter((user) => !isDeleted(user));
  return ({ code, subject: written }) => {
    const subject = decodeSubject(written);
    const evidence = code === "unmanaged" && subject.kind === "user" ? undefined : restsOn.get(code);
    if (evidence === undefined) return true;
    return usersInQuestion(subject, users).every((user) => {
      if (evidence === "keys") return showsKeys(user, subject, snapshot);
      if (evidence === "account") return user.account !== undefined;
      return user.firstName !== undefined && user.lastName !== undefined;
    });
  };
}

function showsLess(shown: Capabilities, known: Capabilities | undefined): boolean {
  const names = ["keysOnUsers", "rolesOnKeys", "teamsOnKeys"] as const;
  return names.some((name) => known?.[name] === "shown" && shown[name] === "hidden");
}

/** Those whose keys would show it: the person, or the holder of the key. Everyone, where the holder is not known. */
function usersInQuestion(subject: Subject, users: readonly ObservedUser[]): readonly ObservedUser[] {
  const { address, prefix } = namesIn(subject);
  if (address !== undefined) return users.filter((user) => user.address === address);
  const holders = users.filter(({ keys = [] }) => keys.some((key) => key.prefix === prefix));
  return holders.length > 0 ? holders : users;
}

/** A service may name the team of team keys alone: then other keys show that it names teams. */
function showsKeys({ keys }: ObservedUser, subject: Subject, { capabilities }: Snapshot): boolean {
  if (keys === undefined) return false;
  const held = keys.filter((key) => !isDeleted(key));
  const { team: ofTeam, prefix } = namesIn(subject);
  if (ofTeam !== undefined) return capabilities.teamsOnKeys === "shown" || held.every(({ team }) => team !== undefined);
  return held.every((key) => key.roles !== undefined || (prefix !== undefined && key.prefix !== prefix));
}
