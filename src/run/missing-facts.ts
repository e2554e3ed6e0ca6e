import { type FindingTexts, say } from "../codes/message.ts";
import type { EmailKey } from "../model/address.ts";
import { callTimeout } from "../model/capabilities.ts";
import { definedFields } from "../model/collections.ts";
import type { EventOf } from "../model/event.ts";
import { memberSubject, type Reason, teamSubject, userSubject } from "../model/fact.ts";
import { stopsTheRun } from "../model/failure.ts";
import type { FindingInput } from "../model/finding.ts";
import { shownOwnKey } from "../model/key.ts";
import type { TeamIdentity } from "../model/team.ts";
import type { AddressedUser } from "../model/user.ts";
import type { TeamKey } from "../model/values.ts";
import { standingOf } from "./expected-effect.ts";
import { onlyUser, type Shown } from "./lookups.ts";
import type { RunSession } from "./session.ts";

/** What an answer did not show, and a later call needs: a person's key, or the identifier of a team that was created with them. */
export interface MissingFact {
  readonly of: "key" | "team";
  readonly person: AddressedUser;
  /** Of a key: without a team, it is the person's own. */
  readonly team?: TeamIdentity | undefined;
  /** Prefixes of an answer that showed several keys, one of which is it. */
  readonly ambiguousKeys?: readonly string[];
}

/** Milliseconds before each read of what a call has just given: half a minute as a whole. */
const lookupPauses = [0, 1000, 2000, 4000, 8000, 15_000];

/** The same once reads of this run have not shown it for so long: then reads of this service are late. */
const lookupPausesWhenLate = [0, 1000];

/** How long the answers to other calls are waited for, in milliseconds, where a read can tell whose a key is. */
const rivalPatience = 1000;

/**
 * Those whose key nothing has surely shown yet. A key that an answer shows while other calls are under way may be one that these have made: it
 * counts once they have their answers, and none of them was about something else.
 */
export async function peopleWithoutKey(
  { knowledge, clock }: RunSession,
  people: readonly EmailKey[],
  team: TeamKey | undefined,
): Promise<readonly EmailKey[]> {
  const isOpen = () => people.some((address) => !knowledge.isAnswered(address, team));
  const answered = async () => {
    while (isOpen()) await knowledge.nextAnswer();
  };
  const patience = new AbortController();
  const longest = knowledge.keysAreHidden ? callTimeout : rivalPatience;
  if (isOpen()) await Promise.race([answered(), clock.wait(longest, patience.signal)]);
  patience.abort();
  return people.filter((address) => knowledge.givenKey(address, team) === undefined);
}

/** Learns by reading what an answer did not show, in one search for all of it; what stays unknown becomes findings. */
export async function readMissingFacts(
  session: RunSession,
  missing: readonly MissingFact[],
  { account, because }: { readonly account: string; readonly because: readonly Reason[] },
): Promise<void> {
  const { journal, knowledge, clock, signal } = session;
  const hidden: MissingFact[] = [];
  let pending = missing;
  for (const pause of knowledge.readsAreLate ? lookupPausesWhenLate : lookupPauses) {
    if (pending.length === 0) break;
    if (pause > 0) await clock.wait(pause, signal);
    if (journal.stopped !== undefined) return;
    const shown = knowledge.keysAreHidden ? undefined : await readOnce(session, pending);
    const readings = pending.map((one) => {
      return { one, reading: shown === undefined ? "hidden" : readingOf(one, shown, { account, at: journal.now() }) };
    });
    journal.record(readings.flatMap(({ reading }) => (typeof reading === "string" ? [] : [reading])));
    hidden.push(...readings.flatMap(({ one, reading }) => (reading === "hidden" ? [one] : [])));
    pending = readings.flatMap(({ one, reading }) => (reading === "pending" ? [one] : []));
  }
  if (pending.length > 0) knowledge.readsAreLate = true;
  if (journal.stopped !== undefined) return;
  const unknown = hidden.filter(
    ({ of, person, team }) => of === "team" || !knowledge.givenKey(person.address, team?.team),
  );
  for (const one of unknown) journal.found({ ...hiddenTexts(one), subject: subjectOf(one), because });
  for (const one of pending) journal.found({ ...pendingTexts(one), subject: subjectOf(one), kind: "task", because });
}

/** Undefined where it could not be read. */
async function readOnce(session: RunSession, missing: readonly MissingFact[]): Promise<Shown | undefined> {
  const { journal, knowledge, lookForKeys } = session;
  const people = missing.map(({ person }) => person);
  const read = await lookForKeys(people);
  if (!read.ok) {
    if (stopsTheRun(read.error)) journal.stop(read.error);
    return undefined;
  }
  const users = people.flatMap(({ address }) => onlyUser(read.value, address) ?? []);
  // A service that hides keys once need not be asked for them again.
  if (users.length > 0 && users.every(({ keys }) => keys === undefined)) knowledge.keysAreHidden = true;
  return read.value;
}

/** What one read teaches of it. `pending`: it may show a moment later. */
function readingOf(
  { of, person: { address }, team }: MissingFact,
  shown: Shown,
  { account, at }: { readonly account: string; readonly at: string },
): EventOf<"key-learned"> | EventOf<"team-identified"> | "pending" | "hidden" {
  const found = shown(address);
  if (found.is !== "present") return found.is === "unknown" && found.users.length > 0 ? "hidden" : "pending";
  const { user } = found;
  const standing = team === undefined ? undefined : standingOf({ of: "membership", address, team }, user);
  if (standing?.is === "absent" || (standing === undefined && user.keys?.length === 0)) return "pending";
  const ofTeam = standing?.is === "present" ? standing.key : undefined;
  const key = team === undefined ? shownOwnKey(user) : ofTeam;
  if (of === "key" || team === undefined) {
    const { prefix, roles } = key ?? {};
    if (prefix === undefined) return "hidden";
    const inTeam = definedFields({ team: team?.team });
    return { type: "key-learned", at, address, ...inTeam, prefix, ...definedFields({ roles }) };
  }
  const identifier = key?.team === undefined || key.team === "none" ? undefined : key.team.identifier;
  if (identifier === undefined) return "hidden";
  return { type: "team-identified", at, team: team.team, name: team.name, account, identifier };
}

function subjectOf({ of, person: { address }, team }: MissingFact): FindingInput["subject"] {
  if (team === undefined) return userSubject(address);
  return of === "team" ? teamSubject(team.team) : memberSubject(address, team.team);
}

function pendingTexts({ of, person: { email }, team }: MissingFact): FindingTexts {
  if (team === undefined) return say("write-pending/own-key", { email });
  if (of === "team") return say("write-pending/identifier", { team: team.name });
  return say("write-pending/team-key", { email, team: team.name });
}

/** Of a creation whose answer showed several keys, it is not known which one is new. */
function hiddenTexts({ of, person: { email }, team, ambiguousKeys = [] }: MissingFact): FindingTexts {
  if (of === "team" && team !== undefined)
    return say("team-identifier-unknown/created", { team: team.name, identifier: "IDENTIFIER" });
  const isAmbiguous = ambiguousKeys.length > 0;
  const key = isAmbiguous ? ambiguousKeys.join(" # or ") : "PREFIX";
  const texts =
    team === undefined
      ? say("key-prefix-unknown/own", { email, why: "the service does not show it", key })
      : say("key-prefix-unknown/member", { email, team: team.name, key });
  if (!isAmbiguous) return texts;
  const whose = team === undefined ? "their own key" : `their key in ${team.name}`;
  const several = { email, count: ambiguousKeys.length, prefixes: ambiguousKeys.join(", "), whose };
  return { ...texts, ...say("key-prefix-unknown/several", several), suggestedYaml: texts.suggestedYaml };
}
