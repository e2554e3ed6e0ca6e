import { stopsTheRun } from "../model/failure.ts";
import type { Reason } from "../model/reason.ts";
import type { RunEvent } from "../model/run-event.ts";
import { shownOwnKey, shownTeamKey } from "../model/shown-keys.ts";
import type { ObservedKey, ObservedUser } from "../model/snapshot.ts";
import type { UserQuery } from "../ports/people-reader.ts";
import { onlyUser, type PeopleShown } from "./people-look.ts";
import type { RunContext } from "./run-context.ts";
import {
  keyAmbiguous,
  keyNotShownYet,
  keyPrefixUnknown,
  type NamedTeam,
  teamIdentifierUnknown,
  teamNotShownYet,
} from "./run-findings.ts";

/** A key that an answer did not show: without a team, the user's own. */
export interface MissingKey {
  readonly person: UserQuery;
  readonly team?: NamedTeam & { readonly identifier?: string | undefined };
  /** Prefixes of an answer that showed several keys, one of which is it. */
  readonly ambiguousKeys?: readonly string[];
}

/** What one read has shown of something missing. */
type Shown<T> = { readonly is: "shown"; readonly value: T } | { readonly is: "not-yet" } | { readonly is: "hidden" };

/** Milliseconds before each look at what a call has just given: half a minute as a whole. */
const pauses = [0, 1000, 2000, 4000, 8000, 15_000];

/** The same once looking for so long was in vain in this run: then reads of this service are late. */
const pausesWhenLate = [0, 1000];

/** Learns by reading the keys that an answer did not show; what stays unknown becomes findings. */
export async function learnKeys(
  context: RunContext,
  missing: readonly MissingKey[],
  because: readonly Reason[],
): Promise<void> {
  const left = await lookUntilShown(context, missing, async (looked, found) => {
    const shown = looked.map((one) => ({ one, key: keyIn(found, one) }));
    const learned = shown.flatMap(({ one, key }) => (key.is === "shown" ? [remember(context, one, key.value)] : []));
    await context.record(learned);
    return shown.flatMap(({ one, key }) => (key.is === "shown" ? [] : [{ one, again: key.is === "not-yet" }]));
  });
  if (context.stopped !== undefined) return;
  await context.record(left.map((one) => keyUnknown(context, one, because)));
}

function keyUnknown(
  context: RunContext,
  { one: { person, team, ambiguousKeys = [] }, again }: Unlearned<MissingKey>,
  because: readonly Reason[],
): RunEvent {
  if (again) return keyNotShownYet(context, person, team, because);
  return ambiguousKeys.length > 0
    ? keyAmbiguous(context, { person, team, prefixes: ambiguousKeys }, because)
    : keyPrefixUnknown(context, person, team, because);
}

/** Learns by reading the founder which identifier the founded team got; without it, there is a finding. */
export async function learnTeam(
  context: RunContext,
  { founder, account, ...team }: NamedTeam & { readonly founder: UserQuery; readonly account: string },
  because: readonly Reason[],
): Promise<void> {
  const left = await lookUntilShown(context, [{ person: founder }], async (looked, found) => {
    const shown = teamIn(found, founder, team);
    if (shown.is !== "shown") return looked.map((one) => ({ one, again: shown.is === "not-yet" }));
    const identifier = shown.value;
    context.facts.learnTeam(team, identifier);
    await context.record([{ type: "team-identified", at: context.now(), ...team, account, identifier }]);
    return [];
  });
  if (context.stopped !== undefined) return;
  await context.record(
    left.map(({ again }) =>
      again ? teamNotShownYet(context, team, because) : teamIdentifierUnknown(context, team, because),
    ),
  );
}

interface Unlearned<T> {
  readonly one: T;
  /** The service may show it a moment later. */
  readonly again: boolean;
}

/** Returns what could not be learned. */
async function lookUntilShown<T extends { readonly person: UserQuery }>(
  context: RunContext,
  missing: readonly T[],
  look: (missing: readonly T[], found: PeopleShown) => Promise<readonly Unlearned<T>[]>,
): Promise<readonly Unlearned<T>[]> {
  if (context.facts.keysAreHidden) return missing.map((one) => ({ one, again: false }));
  const hidden: Unlearned<T>[] = [];
  let left = missing;
  for (const pause of context.facts.readsAreLate ? pausesWhenLate : pauses) {
    if (left.length === 0) return hidden;
    if (pause > 0) await context.clock.wait(pause, context.signal);
    if (context.stopped !== undefined) break;
    const unlearned = await lookOnce(context, left, look);
    hidden.push(...unlearned.filter(({ again }) => !again));
    left = unlearned.flatMap(({ one, again }) => (again ? [one] : []));
  }
  if (left.length > 0) context.facts.learnThatReadsAreLate();
  return [...hidden, ...left.map((one) => ({ one, again: true }))];
}

async function lookOnce<T extends { readonly person: UserQuery }>(
  context: RunContext,
  missing: readonly T[],
  look: (missing: readonly T[], found: PeopleShown) => Promise<readonly Unlearned<T>[]>,
): Promise<readonly Unlearned<T>[]> {
  const people = missing.map(({ person }) => person);
  const found = await context.look(people);
  if (found.ok) return look(missing, noteHidden(context, people, found.value));
  if (stopsTheRun(found.error)) context.stop(found.error);
  return missing.map((one) => ({ one, again: false }));
}

/** A service that hides keys once need not be asked for them again. */
function noteHidden(context: RunContext, people: readonly UserQuery[], found: PeopleShown): PeopleShown {
  const users = people.flatMap(({ address }) => onlyUser(found, address) ?? []);
  if (users.length > 0 && users.every((user) => user.keys === undefined)) context.facts.learnThatKeysAreHidden();
  return found;
}

function unseen(found: PeopleShown, { address }: UserQuery): { readonly is: "hidden" | "not-yet" } {
  return { is: found(address).is === "several" ? "hidden" : "not-yet" };
}

function keyIn(found: PeopleShown, { person, team }: MissingKey): Shown<ObservedKey> {
  const user = onlyUser(found, person.address);
  if (user === undefined) return unseen(found, person);
  if (team !== undefined) {
    const shown = shownTeamKey(user, team);
    return shown.is === "shown"
      ? { is: "shown", value: shown.key }
      : { is: shown.is === "absent" ? "not-yet" : "hidden" };
  }
  const key = shownOwnKey(user);
  if (key !== undefined) return { is: "shown", value: key };
  return { is: user.keys?.length === 0 ? "not-yet" : "hidden" };
}

function remember(context: RunContext, { person, team }: MissingKey, { prefix, roles }: ObservedKey): RunEvent {
  const holder = { address: person.address, ...(team === undefined ? {} : { team: team.team }) };
  context.facts.learnKey(holder, { prefix, ...(roles === undefined ? {} : { roles }) });
  return { type: "key-learned", at: context.now(), ...holder, prefix };
}

function teamIn(found: PeopleShown, founder: UserQuery, named: NamedTeam): Shown<string> {
  const user: ObservedUser | undefined = onlyUser(found, founder.address);
  if (user === undefined) return unseen(found, founder);
  const shown = shownTeamKey(user, named);
  if (shown.is !== "shown") return { is: shown.is === "absent" ? "not-yet" : "hidden" };
  const { team } = shown.key;
  if (team === undefined || team === "none" || team.identifier === undefined) return { is: "hidden" };
  return { is: "shown", value: team.identifier };
}
