import { isAccepted } from "../../model/accept.ts";
import type { EmailKey } from "../../model/address.ts";
import type { Capabilities } from "../../model/capabilities.ts";
import {
  type ClosedTodo,
  compareFacts,
  type Drift,
  type DriftItem,
  type Todo,
  type TodoEntry,
  type TodoFact,
} from "../../model/drift.ts";
import type { FindingsSeen, Sighting } from "../../model/event.ts";
import { isTask } from "../../model/finding.ts";
import type { Policy } from "../../model/policy.ts";
import { byCodeUnit, multimap } from "../../model/role-set.ts";
import { daysAfter, findingOwnership, indexOwnership, ownerLookup, type Roster } from "../../model/roster.ts";
import { isDeleted, type ObservedUser, type Snapshot } from "../../model/snapshot.ts";
import type { State } from "../../model/state.ts";
import {
  type Basis,
  decodeSubject,
  formatSubject,
  type Subject,
  subjectAddress,
  subjectPrefix,
  subjectTeam,
} from "../../model/subject.ts";

interface TodoInput {
  readonly drift: Drift;
  /** As the last recorded run left it. */
  readonly state: State;
  /** What this read shows that the state does not know yet: differences that are gone, and facts that are not the same. */
  readonly seen: FindingsSeen | undefined;
  readonly roster: Roster;
  readonly snapshot: Snapshot;
  /** ISO 8601. */
  readonly now: string;
}

/** What of a drift is left to people: since when, until when and by whom it is to be done, and what of it is done. */
export function todoOf({ drift, state, seen, roster, snapshot, now }: TodoInput): Todo {
  const facts = new Map(seen?.facts?.map((one) => [one.fingerprint, one.facts]));
  const closedOwner = closedOwnerLookup(roster);
  const open = drift.items.flatMap((item): readonly TodoEntry[] => {
    const { of } = item;
    if (of.is !== "finding" || isAccepted(item) || !isLeftToPeople(item)) return [];
    const person = personOf(item.subject, snapshot);
    const changed = changeOf(state.sightings?.get(item.fingerprint), facts.get(item.fingerprint), now);
    const dates = datesOf(item, now);
    const isChanged = dates.status === "open" && changed?.is === "new";
    return [
      {
        item,
        finding: of.finding,
        ...dates,
        ...(isChanged ? { status: "changed" } : {}),
        ...(person === undefined ? {} : { person }),
        ...(changed === undefined ? {} : { changed }),
      },
    ];
  });
  // What another finding about the same has replaced is not done.
  const stillOpen = new Set(drift.items.filter(standsOpen).map(({ subject }) => formatSubject(subject)));
  const closed = (seen?.gone ?? [])
    .flatMap((fingerprint) => closedTodo(fingerprint, state.sightings?.get(fingerprint), closedOwner))
    .filter(({ subject }) => !stillOpen.has(subject));
  return { open: [...open].sort(byUrgency), closed };
}

/** What another run has in hand is not. */
function isLeftToPeople({ counts, of }: DriftItem): boolean {
  return of.is === "finding" && isTask(of.finding) && (counts === "blocking" || !of.finding.blocking);
}

function standsOpen(item: DriftItem): boolean {
  return item.of.is === "finding" && (item.counts !== "nothing" || isLeftToPeople(item));
}

function datesOf({ since }: DriftItem, now: string): Pick<TodoEntry, "status" | "since" | "due"> {
  const first = since ?? now;
  const due = dueDate(first);
  const status = since === undefined ? "opened" : now.slice(0, 10) > due ? "overdue" : "open";
  return { status, since: first, due };
}

/** For how many days something may stay open. */
const dueDays = 14;

function dueDate(since: string): string {
  return daysAfter(since.slice(0, 10), dueDays);
}

/** The change that this read shows, else the last one that a recorded run has seen. */
function changeOf(
  sighting: Sighting | undefined,
  facts: readonly TodoFact[] | undefined,
  now: string,
): TodoEntry["changed"] {
  const changes = sighting?.facts === undefined || facts === undefined ? [] : compareFacts(sighting.facts, facts);
  if (changes.length > 0) return { at: now, changes, is: "new" };
  return sighting?.changed === undefined ? undefined : { ...sighting.changed, is: "known" };
}

/** More facts than anybody reads, and characters of one value: no state grows by what a service shows. */
const maxFacts = 50;
const maxFactLength = 300;

/**
 * What may change of a finding that is left to people, while its fingerprint stays: its roles, its owner, and the values that it
 * rests on. Not its words: another version of roster may choose others. Not what cannot be told, nor what day it is.
 */
export function todoFacts(item: DriftItem): readonly TodoFact[] | undefined {
  const { of, owner } = item;
  if (of.is !== "finding" || !isLeftToPeople(item)) return undefined;
  const { roles = [], restsOn } = of.finding;
  const values = [...multimap(restsOn.flatMap(factOf))];
  const own = [
    ...(roles.length === 0 ? [] : [{ fact: "roles", value: roles.join(", ") }]),
    ...(owner === undefined ? [] : [{ fact: "owner", value: owner }]),
  ];
  const others = values.map(([fact, all]) => ({ fact, value: [...new Set(all)].sort(byCodeUnit).join("; ") }));
  const bounded = others.length > maxFacts ? [] : others;
  return [...own, ...bounded].map(({ fact, value }) => ({ fact: shorten(fact), value: shorten(value) }));
}

function factOf({ about, fact }: Basis): readonly (readonly [string, string])[] {
  if (fact.known === "unknown" || about.kind === "other") return [];
  const isWanted = fact.known === "declared" && about.kind !== "setting";
  return [[`${formatSubject(about)}${isWanted ? " in the roster" : ""}`, fact.value]];
}

function shorten(text: string): string {
  return text.length <= maxFactLength ? text : [...text].slice(0, maxFactLength).join("");
}

function personOf(subject: Subject, { users }: Snapshot): EmailKey | undefined {
  const prefix = subjectPrefix(subject);
  const holds = ({ keys = [] }: ObservedUser) => keys.some((key) => key.prefix === prefix);
  return subjectAddress(subject) ?? (prefix === undefined ? undefined : users.find(holds)?.address);
}

type OwnerOf = (subject: Subject) => string | undefined;

function closedOwnerLookup(roster: Roster): OwnerOf {
  const owners = indexOwnership(roster);
  const ownerOf = ownerLookup(roster);
  return (subject) => ownerOf(subject, findingOwnership(subject, [], owners));
}

function closedTodo(fingerprint: string, sighting: Sighting | undefined, ownerOf: OwnerOf): readonly ClosedTodo[] {
  if (sighting?.task !== true) return [];
  const { code, subject, since } = sighting;
  const owner = ownerOf(decodeSubject(subject));
  return [{ fingerprint, code, subject, since, ...(owner === undefined ? {} : { owner }) }];
}

/** What is overdue was due before everything else. */
function byUrgency(a: TodoEntry, b: TodoEntry): number {
  return byCodeUnit(a.due, b.due);
}

type Scope = Pick<Policy, "include" | "exclude" | "reportUnmanaged" | "allowed">;

/** Whether nothing was left out: neither by the service nor by what this run was told. Then what is not there is no more. */
export function looksAtEverything(
  { everyone }: Snapshot,
  { include, exclude, reportUnmanaged, allowed }: Scope,
): boolean {
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
): (sighting: Pick<Sighting, "code" | "subject">) => boolean {
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

/** Whether the service hides what it showed to earlier runs. */
function showsLess(shown: Capabilities, known: Capabilities | undefined): boolean {
  const names = ["keysOnUsers", "rolesOnKeys", "teamsOnKeys"] as const;
  return names.some((name) => known?.[name] === "shown" && shown[name] === "hidden");
}

/** Those whose keys would show it: the person, or the holder of the key. Everyone, where the holder is not known. */
function usersInQuestion(subject: Subject, users: readonly ObservedUser[]): readonly ObservedUser[] {
  const address = subjectAddress(subject);
  if (address !== undefined) return users.filter((user) => user.address === address);
  const prefix = subjectPrefix(subject);
  const holders = users.filter(({ keys = [] }) => keys.some((key) => key.prefix === prefix));
  return holders.length > 0 ? holders : users;
}

/** A service may name the team of team keys alone: then other keys show that it names teams. */
function showsKeys({ keys }: ObservedUser, subject: Subject, { capabilities }: Snapshot): boolean {
  if (keys === undefined) return false;
  const held = keys.filter((key) => !isDeleted(key));
  if (subjectTeam(subject) !== undefined)
    return capabilities.teamsOnKeys === "shown" || held.every(({ team }) => team !== undefined);
  const prefix = subjectPrefix(subject);
  return held.every((key) => key.roles !== undefined || (prefix !== undefined && key.prefix !== prefix));
}
