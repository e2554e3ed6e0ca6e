import type { OpenIntent, State } from "../../model/state.ts";
import { keySubject, memberSubject, teamSubject, userSubject } from "../subjects.ts";

/** Subjects that a run was working on while the service was read: what they show is no drift yet. */
export type SubjectsInProgress = ReadonlySet<string>;

export const nothingInProgress: SubjectsInProgress = new Set();

export interface ConcurrentWork {
  /** The state before the service was read, and after. */
  readonly before: State;
  readonly after: State;
  /** Whether another run holds the state, and gives signs of life. */
  readonly underWay: boolean;
}

/** What a run that holds the state has announced, and whatever was recorded while the service was read. */
export function findSubjectsInProgress({ before, after, underWay }: ConcurrentWork): SubjectsInProgress {
  const announced = underWay ? [...before.open, ...after.open].flatMap(intentSubjects) : [];
  return new Set([...announced, ...recordedMeanwhile(before, after)]);
}

function intentSubjects({ intent }: OpenIntent): readonly string[] {
  switch (intent.kind) {
    case "create-user":
      return [userSubject(intent.address), ...(intent.founds === undefined ? [] : [teamSubject(intent.founds.team)])];
    case "add-members": {
      const { team, addresses } = intent;
      return [`additions to ${teamSubject(team)}`, ...addresses.map((address) => memberSubject(address, team))];
    }
    case "replace-roles":
      return [keySubject(intent.prefix)];
  }
}

function recordedMeanwhile(before: State, after: State): readonly string[] {
  if (before === after) return [];
  const [then, now] = [openIntentsByName(before), openIntentsByName(after)];
  const closed = [...then].flatMap(([name, open]) => (now.has(name) ? [] : intentSubjects(open)));
  return [
    ...closed,
    ...changedSubjects(before.users, after.users, ({ address }) => userSubject(address)),
    ...changedSubjects(before.teams, after.teams, ({ team }) => teamSubject(team)),
    ...changedSubjects(before.memberships, after.memberships, ({ address, team }) => memberSubject(address, team)),
    ...changedSubjects(before.keys, after.keys, ({ prefix }) => keySubject(prefix)),
  ];
}

function openIntentsByName({ open }: State): ReadonlyMap<string, OpenIntent> {
  return new Map(open.map((one) => [`${one.run}\n${one.action}`, one]));
}

function changedSubjects<K, V>(
  before: ReadonlyMap<K, V>,
  after: ReadonlyMap<K, V>,
  subject: (record: V) => string,
): readonly string[] {
  return [...after].flatMap(([key, record]) =>
    JSON.stringify(before.get(key)) === JSON.stringify(record) ? [] : [subject(record)],
  );
}
