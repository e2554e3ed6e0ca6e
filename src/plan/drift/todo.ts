import type { FoldedAddress } from "../../model/address.ts";
import {
  type ClosedTodo,
  type Drift,
  type DriftItem,
  type DueTimes,
  defaultDueDays,
  type Todo,
  type TodoEntry,
} from "../../model/drift.ts";
import type { Sighting } from "../../model/event.ts";
import { needsAction } from "../../model/finding.ts";
import { byCodeUnit } from "../../model/role-set.ts";
import { daysAfter, type Roster } from "../../model/roster.ts";
import type { ObservedUser, Snapshot } from "../../model/snapshot.ts";
import type { State } from "../../model/state.ts";
import { decodeSubject, type Subject, subjectAddress, subjectPrefix, subjectTeam } from "../../model/subject.ts";

interface TodoInput {
  readonly drift: Drift;
  /** As the last recorded run left it. */
  readonly state: State;
  /** Fingerprints of recorded differences that this read proves to be gone. */
  readonly gone: readonly string[];
  readonly roster: Roster;
  readonly snapshot: Snapshot;
  readonly due: DueTimes;
  /** ISO 8601. */
  readonly now: string;
}

/** What of a drift is left to people: since when, until when and by whom it is to be done, and what of it is done. */
export function todoOf({ drift, state, gone, roster, snapshot, due, now }: TodoInput): Todo {
  const ownerOf = ownerLookup(roster);
  const open = drift.items.flatMap((item): readonly TodoEntry[] => {
    const { of, acknowledged } = item;
    if (of.is !== "finding" || acknowledged?.counts === true || !isLeftToPeople(item)) return [];
    const owner = ownerOf(item.subject);
    const person = personOf(item.subject, snapshot);
    return [
      {
        item,
        finding: of.finding,
        ...datesOf(item, due, now),
        ...(person === undefined ? {} : { person }),
        ...(owner === undefined ? {} : { owner }),
      },
    ];
  });
  const closed = gone.flatMap((fingerprint) => closedTodo(fingerprint, state.sightings?.get(fingerprint)));
  return { open: [...open].sort(byUrgency), closed };
}

/** The exit code counts calls that are not shown yet, but nobody can do anything about them. */
function isLeftToPeople({ counts, code }: DriftItem): boolean {
  return needsAction(code) && (counts === "blocking" || code === "extra-member-without-roles");
}

function datesOf(item: DriftItem, times: DueTimes, now: string): Pick<TodoEntry, "status" | "since" | "due"> {
  const { code, class: ofClass, since } = item;
  const days = times.get(code) ?? times.get(ofClass) ?? times.get("default") ?? defaultDueDays;
  const first = since ?? now;
  const due = days === "off" ? undefined : daysAfter(first.slice(0, 10), days);
  const isOverdue = due !== undefined && now.slice(0, 10) > due;
  const status = since === undefined ? "opened" : isOverdue ? "overdue" : "open";
  return { status, since: first, ...(due === undefined ? {} : { due }) };
}

function personOf(subject: Subject, { users }: Snapshot): FoldedAddress | undefined {
  const prefix = subjectPrefix(subject);
  const holds = ({ keys = [] }: ObservedUser) => keys.some((key) => key.prefix === prefix);
  return subjectAddress(subject) ?? (prefix === undefined ? undefined : users.find(holds)?.address);
}

function ownerLookup({ teams, keys }: Roster): (subject: Subject) => FoldedAddress | undefined {
  const admins = new Map(teams.map(({ key, admin }) => [key, admin?.value]));
  const owners = new Map(keys.map(({ prefix, owner }) => [prefix, owner?.value]));
  return (subject) => {
    const team = subjectTeam(subject);
    const prefix = subjectPrefix(subject);
    return (team && admins.get(team)) ?? (prefix === undefined ? undefined : owners.get(prefix));
  };
}

function closedTodo(fingerprint: string, sighting: Sighting | undefined): readonly ClosedTodo[] {
  if (sighting === undefined || !needsAction(sighting.code)) return [];
  const { code, subject, since } = sighting;
  // The same code as a notice about the whole service.
  if (code === "roles-kept-by-service" && decodeSubject(subject).kind === "service") return [];
  return [{ fingerprint, code, subject, since }];
}

/** What is overdue was due before everything else. */
function byUrgency(a: TodoEntry, b: TodoEntry): number {
  return byCodeUnit(a.due ?? never, b.due ?? never);
}

const never = "9999-12-31";
