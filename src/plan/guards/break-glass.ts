import type { Action, ReplaceRoles } from "../../model/action.ts";
import { settlementWindow, unknownWriteBehaviour } from "../../model/capabilities.ts";
import type { Acknowledgement } from "../../model/drift.ts";
import type { BreakGlassClosed, GivenAccess } from "../../model/event.ts";
import { factValue, type Reason } from "../../model/fact.ts";
import { findingFingerprint } from "../../model/finding.ts";
import type { GuardName } from "../../model/policy.ts";
import { byCodeUnit, formatRoles, groupBy, type RoleSet, roleSet, rolesWithout } from "../../model/role-set.ts";
import type { Roster } from "../../model/roster.ts";
import {
  accountStatus,
  isDeleted,
  type ObservedKey,
  type ObservedUser,
  presenceLookup,
  type Snapshot,
} from "../../model/snapshot.ts";
import { givenKey, type RecordedBreakGlass, type State } from "../../model/state.ts";
import { keySubject, recordedBasis, type Subject, userSubject } from "../../model/subject.ts";
import { type ActionPart, splitAction } from "../drift/classify.ts";
import { type FindingDraft, joinList } from "../finding-draft.ts";

/** The guards that an emergency may pass: none that proves who is absent, or that protects a key or a person. */
export const breakableGuards: readonly GuardName[] = [
  "allowed-email-domains",
  "privileged-roles",
  "exclusive-roles",
  "max-new-users",
  "max-invitations",
  "max-role-removals",
  "min-admins",
  "required-admins",
  "max-holders",
];

/** What a plan gives only because guards let it pass. `guarded`: what the same plan does where they do not. */
export function accessGiven(actions: readonly Action[], guarded: readonly Action[]): readonly GivenAccess[] {
  const nameOf = ({ action, person }: ActionPart) => `${action.id}\n${person ?? ""}`;
  const known = new Map(guarded.flatMap(splitAction).map((part) => [nameOf(part), part.action]));
  return actions.flatMap(splitAction).flatMap((part) => givenBy(part, known.get(nameOf(part))));
}

/** `guarded`: the same action where guards do not let it pass. */
function givenBy({ action, person: address }: ActionPart, guarded: Action | undefined): readonly GivenAccess[] {
  if (action.kind === "replace-roles") return rolesGiven(action, guarded);
  if (guarded !== undefined) return [];
  if (action.kind === "create-user") {
    const user = { what: "user", address: action.address } as const;
    const { founds } = action;
    if (founds === undefined) return [user];
    return [user, { what: "member", address: action.address, team: { key: founds.team, name: founds.name } }];
  }
  const { team, name } = action.team;
  return address === undefined ? [] : [{ what: "member", address, team: { key: team, name } }];
}

function rolesGiven(action: ReplaceRoles, guarded: Action | undefined): readonly GivenAccess[] {
  const { key, owner, before } = action;
  const kept = guarded?.kind === "replace-roles" ? guarded.roles : [];
  const roles = rolesWithout(action.roles, roleSet([...(factValue(before) ?? []), ...kept]));
  if (roles.length === 0) return [];
  const team = key.of === "own-key" ? undefined : key.team;
  const address = key.of === "prefix" ? owner?.address : key.address;
  const prefix = key.of === "prefix" ? factValue(key.prefix) : undefined;
  return [
    {
      what: "roles",
      ...(address === undefined ? {} : { address }),
      ...(team === undefined ? {} : { team: { key: team.team, name: team.name } }),
      ...(prefix === undefined ? {} : { prefix }),
      roles,
    },
  ];
}

/** What of an emergency is still there. `hidden`: the service does not show it. */
type Remaining = "gone" | { readonly is: "there" | "hidden"; readonly roles?: RoleSet };

interface Known {
  readonly snapshot: Snapshot;
  readonly state: State;
}

/** What the service shows of each access that an emergency gave. */
function remainingLookup({ snapshot, state }: Known): (given: GivenAccess, since: string) => Remaining {
  const presenceOf = presenceLookup(snapshot);
  const holderOf = (wanted: string | undefined) =>
    snapshot.users.find(({ keys = [] }) => keys.some(({ prefix }) => prefix === wanted));
  return (given, since) => {
    const presence = given.address === undefined ? undefined : presenceOf(given.address);
    if (presence?.is === "gone") return "gone";
    const user = presence?.is === "there" ? presence.users[0] : holderOf(given.prefix);
    if (user === undefined)
      return presence === undefined && snapshot.everyone.read === "complete" ? "gone" : { is: "hidden" };
    const word = accountStatus(user.status);
    if (word === "barred" || word === "deleted") return "gone";
    return remainingOf(given, user, (key) => recordedSince(key.prefix, since, state));
  };
}

function remainingOf(
  given: GivenAccess,
  user: ObservedUser,
  recorded: (key: ObservedKey) => RoleSet | undefined,
): Remaining {
  const rolesOf = (key: ObservedKey) => key.roles ?? recorded(key);
  if (given.what === "user") {
    const isEmpty = user.keys?.every((key) => isDeleted(key) || rolesOf(key)?.length === 0);
    return isEmpty === true ? "gone" : { is: user.keys === undefined ? "hidden" : "there" };
  }
  const key = givenKey(given, user);
  if (key === "absent") return "gone";
  if (key === "unknown") return { is: "hidden" };
  if (given.what === "member") return rolesOf(key)?.length === 0 ? "gone" : { is: "there" };
  return remainingRoles(given.roles ?? [], rolesOf(key));
}

function remainingRoles(given: RoleSet, shown: RoleSet | undefined): Remaining {
  if (shown === undefined) return { is: "hidden", roles: given };
  const left = roleSet(given.filter((role) => shown.includes(role)));
  return left.length === 0 ? "gone" : { is: "there", roles: left };
}

/** What our last replacement asked for, where the service does not show the roles of keys. */
function recordedSince(prefix: string, since: string, { keys }: State): RoleSet | undefined {
  const put = keys.get(prefix);
  return put !== undefined && put.at > since ? put.put : undefined;
}

interface BreakGlassInput extends Known {
  readonly roster: Roster;
  readonly digest: (text: string) => string;
  /** What a reviewed file accepts, by fingerprint. */
  readonly accepted?: ReadonlyMap<string, Acknowledgement>;
}

/** Access that was given in an emergency and is still there: a notice until it ends, then a problem. */
export function findBreakGlassAccess(input: BreakGlassInput): readonly FindingDraft[] {
  const records = [...(input.state.breakGlass?.values() ?? [])];
  if (records.length === 0) return [];
  const remainingFor = remainingLookup(input);
  return records
    .toSorted((a, b) => byCodeUnit(a.at, b.at))
    .flatMap((record) => {
      const left = record.gives.flatMap((given) => {
        const remaining = remainingFor(given, record.at);
        return remaining === "gone" ? [] : [{ given, remaining, because: rosterReasons(given, input.roster) }];
      });
      return [...groupBy(left, ({ given }) => holderOf(given))].map(([, parts]) => accessFinding(record, parts, input));
    });
}

function holderOf({ address, prefix }: GivenAccess): string {
  return address ?? prefix ?? "";
}

interface RemainingAccess {
  readonly given: GivenAccess;
  readonly remaining: Exclude<Remaining, "gone">;
  /** The lines of the roster that give it; empty where none does. */
  readonly because: readonly Reason[];
}

function accessFinding(
  record: RecordedBreakGlass,
  parts: readonly RemainingAccess[],
  { snapshot, roster, digest, accepted }: BreakGlassInput,
): FindingDraft {
  const { given } = parts[0] as RemainingAccess;
  const of: Subject = given.address === undefined ? keySubject(given.prefix ?? "") : userSubject(given.address);
  const about = { code: "break-glass-access", subject: { kind: "break-glass", since: record.at, of } } as const;
  const who = given.address === undefined ? `the key ${given.prefix}` : emailOf(given.address, roster);
  const hasEnded = snapshot.readAt >= record.until;
  const fingerprint = findingFingerprint(about, digest);
  const by = accepted?.get(fingerprint);
  const accept = `\`roster drift acknowledge ${fingerprint} --until DATE --reason TEXT\``;
  const sentences = [
    `Break-glass access of ${who} ${hasEnded ? "ended" : "ends"} at ${record.until}: ${joinList(parts.map(formatPart))}.`,
    `${record.actor.name} gave it at ${record.at}: "${record.reason}".`,
    ...nextSteps(parts),
    ...(by === undefined ? [] : [`${by.by} accepted it until ${by.until}: "${by.reason}".`]),
    ...(hasEnded && by === undefined ? [`To accept it for some days, run \`roster drift\`, then ${accept}.`] : []),
  ];
  return {
    ...about,
    roles: roleSet(parts.flatMap(({ remaining }) => remaining.roles ?? [])),
    message: sentences.join(" "),
    because: parts.flatMap(({ because }) => because.slice(0, 1)),
    restsOn: [recordedBasis(about.subject, `until ${record.until}`, record.at)],
    ...(hasEnded && by === undefined ? { deniedAccess: true } : {}),
    concerns: [],
  };
}

function emailOf(address: GivenAccess["address"], { users, leavers }: Roster): string {
  if (address === undefined) return "a key";
  return users.get(address)?.email ?? leavers.get(address)?.email ?? address;
}

function formatPart({ given: { what, team, prefix }, remaining }: RemainingAccess): string {
  const where =
    team !== undefined ? ` in ${team.name}` : what === "roles" && prefix !== undefined ? ` on ${prefix}` : "";
  const hidden = remaining.is === "hidden" ? " (not shown by the service)" : "";
  if (what === "user") return `the new user${hidden}`;
  if (what === "member") return `the membership${where}${hidden}`;
  return `${formatRoles(remaining.roles ?? [])}${where}${hidden}`;
}

/** What a person does to take it back: in the roster as long as it gives the access, then by an apply or in the service. */
function nextSteps(parts: readonly RemainingAccess[]): readonly string[] {
  const declared = parts.some(({ because }) => because.length > 0);
  const undeclared = parts.filter(({ because }) => because.length === 0);
  const isManual = undeclared.some(({ given }) => given.what !== "roles");
  const isHidden = parts.some(({ remaining }) => remaining.is === "hidden");
  return [
    ...(declared ? ["To take it back, remove it from the roster and run `roster apply`."] : []),
    ...(undeclared.some(({ given }) => given.what === "roles")
      ? ["The roster does not give these roles. Run `roster apply`, or remove them in the service."]
      : []),
    ...(isManual ? ["The API cannot remove users or members. Remove them in the service."] : []),
    ...(isHidden ? ["roster cannot see all of it. Check it in the service."] : []),
  ];
}

/** The lines of the roster that still give something. */
function rosterReasons({ what, address, team, prefix, roles = [] }: GivenAccess, roster: Roster): readonly Reason[] {
  const user = address === undefined ? undefined : roster.users.get(address);
  const asks = (wanted: RoleSet | undefined) => roles.some((role) => wanted?.includes(role) === true);
  if (what === "user") return user?.because ?? [];
  if (team !== undefined) {
    const member = roster.teams.find(({ key }) => key === team.key)?.members.find((one) => one.address === address);
    return member !== undefined && (what === "member" || asks(member.roles)) ? member.because : [];
  }
  const listed = roster.keys.find((key) => key.prefix === prefix);
  if (listed !== undefined && asks(listed.roles)) return listed.because;
  return asks(user?.ownKeyRoles?.value) ? (user?.ownKeyRoles?.because ?? []) : [];
}

/** What a read proves to be taken back. A read that is too close to the run may not show what that has given. */
export function closedBreakGlass(
  known: Known,
  { at, consistency }: { readonly at: string; readonly consistency: number | undefined },
): readonly BreakGlassClosed[] {
  const { snapshot, state } = known;
  const remainingFor = remainingLookup(known);
  const call = { mayBeQueued: state.queues !== undefined };
  const window = settlementWindow(consistency, state.writes ?? unknownWriteBehaviour, call);
  const isDecided = ({ endedAt, run }: RecordedBreakGlass) =>
    endedAt !== undefined &&
    Date.parse(snapshot.readAt) >= Date.parse(endedAt) + window &&
    !state.open.some((open) => open.run === run);
  return closings(state, at, (given, record) => isDecided(record) && remainingFor(given, record.at) === "gone");
}

/** What a run has taken back: it was there before the run, and the reads after it show that it is not. */
export function takenBackByRun(before: Known, after: Known, at: string): readonly BreakGlassClosed[] {
  const [remainingBefore, remainingAfter] = [remainingLookup(before), remainingLookup(after)];
  return closings(
    before.state,
    at,
    (given, record) => remainingBefore(given, record.at) !== "gone" && remainingAfter(given, record.at) === "gone",
  );
}

function closings(
  { breakGlass }: State,
  at: string,
  isGone: (given: GivenAccess, record: RecordedBreakGlass) => boolean,
): readonly BreakGlassClosed[] {
  return [...(breakGlass?.values() ?? [])].flatMap((record) => {
    const gone = record.gives.filter((given) => isGone(given, record));
    return gone.length === 0 ? [] : [{ type: "break-glass-closed", at, run: record.run, gone }];
  });
}
