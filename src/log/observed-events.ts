import type { EmailKey } from "../model/address.ts";
import type { Capabilities } from "../model/capabilities.ts";
import { definedFields } from "../model/collections.ts";
import { unshownUntil } from "../model/consistency-window.ts";
import type { EventOf, RunEvent } from "../model/event.ts";
import { formatSubject } from "../model/fact.ts";
import { isTask, type OpenFinding, type SeenFinding } from "../model/finding.ts";
import { accountStatus, isDeleted, shownOwnKey, shownTeamKey, shownTeams } from "../model/key.ts";
import { type Drift, type DriftItem, driftClasses } from "../model/plan.ts";
import { type Allowance, allowedSubjects } from "../model/policy.ts";
import { droppedUsers, type Roster } from "../model/roster.ts";
import { presenceLookup, type Snapshot } from "../model/snapshot.ts";
import { emptyState, type State } from "../model/state.ts";
import { type DesiredTeam, foldName } from "../model/team.ts";
import { type ObservedUser, type RecordedUser, uniqueUsers } from "../model/user.ts";
import { applyEvents } from "./fold.ts";

/**
 * The people and teams of the roster, leavers among them, that the snapshot shows and that the state does not know as such yet:
 * once they are known, their absence is a finding and never a reason to create them.
 */
export function usersObserved(
  roster: Roster,
  snapshot: Snapshot,
  state: State,
  { at, allowed }: { readonly at: string; readonly allowed: readonly Allowance[] | undefined },
): EventOf<"users-observed"> | undefined {
  const replaced = allowedSubjects(allowed, "user-missing");
  const shown = uniqueUsers(snapshot.users);
  const people = [...roster.users.values(), ...roster.leavers.values()].flatMap((person) => {
    const { address, email } = person;
    const user = shown.get(address);
    const account = person.account ?? user?.account;
    if (user === undefined || account === undefined || accountStatus(user.status) === "deleted") return [];
    const known = state.users.get(address);
    if (known !== undefined && known.goneAt === undefined && isKnownUser(known, user, replaced)) return [];
    return [{ address, email, account, ...definedFields({ identifier: user.identifier }) }];
  });
  const teams = newTeams(roster, shown, state);
  if (people.length + teams.length === 0) return undefined;
  return { type: "users-observed", at, service: snapshot.service, people, teams };
}

/** The recorded users whom these reads prove absent, where the state does not say so yet. Whoever has another address now is there. */
export function peopleGone(
  { users, absences, everyone, readAt }: Snapshot,
  state: State,
): EventOf<"people-gone"> | undefined {
  const living = users.filter((user) => !isDeleted(user));
  const addresses = new Set(living.map(({ address }) => address));
  const identifiers = new Set(living.map(({ identifier }) => identifier));
  const people = [...state.users.values()].flatMap((record) => {
    const { address, identifier, goneAt } = record;
    const isShown = addresses.has(address) || (identifier !== undefined && identifiers.has(identifier));
    const isProven = absences.get(address)?.proven ?? everyone.read === "complete";
    const isLate = Date.parse(readAt) < unshownUntil(record, undefined);
    return goneAt !== undefined || isShown || isLate || !isProven ? [] : [address];
  });
  return people.length === 0 ? undefined : { type: "people-gone", at: readAt, people };
}

/** Where another user has the address now, only an allowance makes them known in place of the former one. */
function isKnownUser(known: RecordedUser, user: ObservedUser, replaced: ReadonlySet<string>): boolean {
  if (user.identifier === undefined || known.identifier === user.identifier) return true;
  return known.identifier !== undefined && !replaced.has(known.address);
}

function newTeams(roster: Roster, shown: ReadonlyMap<EmailKey, ObservedUser>, state: State) {
  const uses = new Map<string, number>();
  for (const name of roster.teams.flatMap(foldedTeamNames)) uses.set(name, (uses.get(name) ?? 0) + 1);
  return roster.teams.flatMap((team) => {
    if (team.identifier !== undefined || uses.get(foldName(team.name)) !== 1) return [];
    const names = foldedTeamNames(team).filter((name) => uses.get(name) === 1);
    const identifier = shownTeamIdentifier(team, names, shown);
    if (identifier === undefined || state.teams.get(team.key)?.identifier === identifier) return [];
    return [{ team: team.key, name: team.name, account: team.account, identifier }];
  });
}

/** The team's own name first, each folded and once. */
function foldedTeamNames({ name, previously }: DesiredTeam): readonly string[] {
  return [...new Set([name, ...previously.map(({ value }) => value)].map(foldName))];
}

/** The identifier that the keys of the team's own members give to the first of its names that they show, if it is one. */
function shownTeamIdentifier(team: DesiredTeam, names: readonly string[], shown: ReadonlyMap<EmailKey, ObservedUser>) {
  const held = team.members.flatMap(({ address }) => shownTeams(shown.get(address)?.keys ?? []));
  const shownAs = names.map((wanted) => held.filter(({ name }) => name !== undefined && foldName(name) === wanted));
  const [namesakes = []] = shownAs.filter((some) => some.length > 0);
  const identifiers = new Set(namesakes.map(({ identifier }) => identifier));
  return identifiers.size === 1 ? namesakes[0]?.identifier : undefined;
}

/** The event that remembers what this run has learned of the service; none where the state knew all of it. */
export function serviceLearned(
  { service, capabilities: learned }: Pick<Snapshot, "service" | "capabilities">,
  { capabilities }: State,
  at: string,
): EventOf<"service-learned"> | undefined {
  const known = capabilities?.learned;
  const joined = known === undefined ? learned : mergeCapabilities(known, learned);
  if (known !== undefined && JSON.stringify(joined) === JSON.stringify(mergeCapabilities(known, known)))
    return undefined;
  return { type: "service-learned", at, service, capabilities: joined };
}

/** What no answer of this run could tell stays as it was known. */
function mergeCapabilities(known: Capabilities, learned: Capabilities): Capabilities {
  const join = <T extends string>(before: T, now: T): T => (now === "unknown" ? before : now);
  const { firstPage, largestPage = known.paging.largestPage } = learned.paging;
  return {
    keysOnUsers: join(known.keysOnUsers, learned.keysOnUsers),
    rolesOnKeys: join(known.rolesOnKeys, learned.rolesOnKeys),
    teamsOnKeys: join(known.teamsOnKeys, learned.teamsOnKeys),
    titles: join(known.titles, learned.titles),
    totals: join(known.totals, learned.totals),
    paging: { firstPage: join(known.paging.firstPage, firstPage), ...definedFields({ largestPage }) },
  };
}

/**
 * The event that remembers the people of a roster that is applied as a whole: its users, and those who were dropped and
 * may still be there. Undefined where the state knows just this. Users whose release is allowed, or who are gone, are forgotten.
 */
export function rosterApplied(
  roster: Roster,
  snapshot: Snapshot,
  state: State,
  said: { readonly at: string; readonly digest: string; readonly allowed: readonly Allowance[] | undefined },
): EventOf<"roster-applied"> | undefined {
  const { at, digest, allowed } = said;
  const released = allowedSubjects(allowed, "user-removed");
  const presenceOf = presenceLookup(snapshot);
  const dropped = droppedUsers(roster, state).filter(
    ({ address }) => !released.has(address) && presenceOf(address).is !== "absent",
  );
  const users = [...roster.users.values()].map(({ address, email }) => ({ address, email }));
  const people = [...users, ...dropped];
  const { applied } = state;
  const isKnown = ({ address, email }: (typeof people)[number]) => applied?.people.get(address)?.email === email;
  const isSame = applied?.digest === digest && applied.people.size === people.length && people.every(isKnown);
  return isSame ? undefined : { type: "roster-applied", at, digest, people };
}

export interface DriftObservation {
  readonly at: string;
  readonly service: string;
  /** Whether what is not seen any more is gone. A look that was about a part, or did not show enough, proves nothing. */
  readonly proves: (openFinding: OpenFinding) => boolean;
  /** Fingerprints of what this very run has put right. */
  readonly closed?: ReadonlySet<string>;
}

/** What of a drift the state does not know yet, and what it knows that is no more. What a run is working on is neither. */
export function findingsSeen(
  { items }: Drift,
  state: State,
  { at, service, proves, closed = new Set() }: DriftObservation,
): EventOf<"findings-seen"> | undefined {
  const known: ReadonlyMap<string, OpenFinding> = state.openFindings ?? new Map();
  const remaining = items.filter(({ fingerprint }) => !closed.has(fingerprint));
  const there = new Set(remaining.map(({ fingerprint }) => fingerprint));
  // An action that a run has in hand will be done, or be seen by the next look.
  const isInProgress = ({ class: ofClass, counts, of }: DriftItem) =>
    ofClass === "pending" && counts === "nothing" && (of.is === "action" || of.finding.kind === "task");
  const unseen = remaining.filter((item) => !known.has(item.fingerprint) && !isInProgress(item));
  const seen = unseen.sort((a, b) => weight(a) - weight(b));
  const gone = [...known].flatMap(([fingerprint, openFinding]) =>
    closed.has(fingerprint) || (!there.has(fingerprint) && proves(openFinding)) ? [fingerprint] : [],
  );
  if (seen.length + gone.length === 0) return undefined;
  return { type: "findings-seen", at, service, seen: seen.map(seenFinding), gone };
}

/** What counts comes first, then class by class: more than can be remembered is never what matters. */
function weight({ counts, class: ofClass }: DriftItem): number {
  return (counts === "nothing" ? driftClasses.length : 0) + driftClasses.indexOf(ofClass);
}

function seenFinding({ fingerprint, code, subject, of, outside }: DriftItem): SeenFinding {
  const isTaskOfPeople = of.is === "finding" && isTask(of.finding);
  return { fingerprint, code, subject: formatSubject(subject), ...(isTaskOfPeople ? { task: true } : {}), outside };
}

/** What reading shows of the people and teams of a roster, as the events that a state begins with where the former one was lost. */
export function rebuildState(roster: Roster, snapshot: Snapshot, at: string): readonly RunEvent[] {
  const nothing = emptyState("");
  const seen = usersObserved(roster, snapshot, nothing, { at, allowed: [] });
  const learned = serviceLearned(snapshot, nothing, at);
  const known = seen === undefined ? nothing : applyEvents(nothing, [seen]);
  return [...[seen, learned].filter((event) => event !== undefined), ...shownKeyEvents(roster, snapshot, known, at)];
}

/** The keys of those who are known for certain: of each team that the roster gives them, and their own where it is known. */
function shownKeyEvents(
  roster: Roster,
  snapshot: Snapshot,
  known: State,
  at: string,
): readonly EventOf<"key-learned">[] {
  const users = new Map(snapshot.users.filter((user) => !isDeleted(user)).map((user) => [user.address, user]));
  const inTeams = roster.teams.flatMap(({ key: team, name, identifier, members }) => {
    const named = { team, name, identifier: identifier?.value ?? known.teams.get(team)?.identifier };
    return members.flatMap(({ address }): readonly EventOf<"key-learned">[] => {
      const shown = known.users.has(address) ? shownTeamKey(users.get(address) ?? {}, named) : undefined;
      return shown?.is === "present" ? [{ type: "key-learned", at, address, team, prefix: shown.key.prefix }] : [];
    });
  });
  const own = [...known.users.keys()].flatMap((address): readonly EventOf<"key-learned">[] => {
    const prefix = shownOwnKey(users.get(address) ?? {})?.prefix;
    return prefix === undefined ? [] : [{ type: "key-learned", at, address, prefix }];
  });
  return [...inTeams, ...own];
}
