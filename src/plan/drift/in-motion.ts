import type { OpenIntent, State } from "../../model/state.ts";
import { keySubject, memberSubject, teamSubject, userSubject } from "../subjects.ts";

/** Subjects that a run was working on while the service was read: what they show is no drift yet. */
export type InMotion = ReadonlySet<string>;

export const nothingMoves: InMotion = new Set();

export interface WorkOfOthers {
  /** The state before the service was read, and after. */
  readonly before: State;
  readonly after: State;
  /** Whether another run holds the state, and gives signs of life. */
  readonly underWay: boolean;
}

/** What a run that holds the state has announced, and whatever was recorded while the service was read. */
export function inMotion({ before, after, underWay }: WorkOfOthers): InMotion {
  const announced = underWay ? [...before.open, ...after.open].flatMap(subjectsOf) : [];
  return new Set([...announced, ...recordedMeanwhile(before, after)]);
}

function subjectsOf({ intent }: OpenIntent): readonly string[] {
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
  const [then, now] = [namedOpen(before), namedOpen(after)];
  const closed = [...then].flatMap(([name, open]) => (now.has(name) ? [] : subjectsOf(open)));
  return [
    ...closed,
    ...changed(before.users, after.users, ({ address }) => userSubject(address)),
    ...changed(before.teams, after.teams, ({ team }) => teamSubject(team)),
    ...changed(before.memberships, after.memberships, ({ address, team }) => memberSubject(address, team)),
    ...changed(before.keys, after.keys, ({ prefix }) => keySubject(prefix)),
  ];
}

function namedOpen({ open }: State): ReadonlyMap<string, OpenIntent> {
  return new Map(open.map((one) => [`${one.run}\n${one.action}`, one]));
}

function changed<K, V>(
  before: ReadonlyMap<K, V>,
  after: ReadonlyMap<K, V>,
  subject: (record: V) => string,
): readonly string[] {
  return [...after].flatMap(([key, record]) =>
    JSON.stringify(before.get(key)) === JSON.stringify(record) ? [] : [subject(record)],
  );
}
