import { definedFields } from "../model/collections.ts";
import type { EventOf } from "../model/event.ts";
import type { Reason } from "../model/fact.ts";
import type { FindingInput } from "../model/finding.ts";
import { shownOwnKey } from "../model/key.ts";
import { stopsTheRun } from "../model/result.ts";
import { memberSubject, teamSubject, userSubject } from "../model/subject.ts";
import type { TeamIdentity } from "../model/team.ts";
import type { AddressedUser } from "../model/user.ts";
import { standingOf } from "./effect.ts";
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
  for (const one of hidden) journal.found({ ...hiddenFinding(one), because });
  for (const one of pending) journal.found({ ...pendingFinding(one), kind: "task", because });
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
    return prefix === undefined
      ? "hidden"
      : {
          type: "key-learned",
          at,
          address,
          ...definedFields({ team: team?.team }),
          prefix,
          ...definedFields({ roles }),
        };
  }
  const identifier = key?.team === undefined || key.team === "none" ? undefined : key.team.identifier;
  if (identifier === undefined) return "hidden";
  return { type: "team-identified", at, team: team.team, name: team.name, account, identifier };
}

type MissingFinding = Pick<FindingInput, "code" | "subject" | "message" | "suggestedYaml">;

function subjectOf({ of, person: { address }, team }: MissingFact): FindingInput["subject"] {
  if (team === undefined) return userSubject(address);
  return of === "team" ? teamSubject(team.team) : memberSubject(address, team.team);
}

function pendingFinding(fact: MissingFact): MissingFinding {
  const { of, person, team } = fact;
  const which = team === undefined ? `the own key of ${person.email}` : `the key of ${person.email} in ${team.name}`;
  return {
    code: "write-pending",
    subject: subjectOf(fact),
    message:
      of === "team"
        ? `roster created ${team?.name}, but reads do not show its identifier yet. Without it, roster cannot add members. ` +
          "Run apply again later. roster does not create the team again."
        : `Reads do not show ${which} yet, so roster did not set its roles. Run apply again later.`,
  };
}

function hiddenFinding(fact: MissingFact): MissingFinding {
  const { of, person, team, ambiguousKeys = [] } = fact;
  const subject = subjectOf(fact);
  if (of === "team")
    return {
      code: "team-identifier-unknown",
      subject,
      message:
        `roster created ${team?.name}, but the service does not show its identifier. Without it, roster cannot add members. ` +
        "Find the identifier in the service, and write it into the roster. roster does not create the team again.",
      suggestedYaml: `teams:\n  - name: ${JSON.stringify(team?.name)}\n    identifier: IDENTIFIER\n`,
    };
  const isAmbiguous = ambiguousKeys.length > 0;
  const key = isAmbiguous ? ambiguousKeys.join(" # or ") : "PREFIX";
  const email = JSON.stringify(person.email);
  return {
    code: "key-prefix-unknown",
    subject,
    message: isAmbiguous
      ? ambiguousMessage(person.email, team, ambiguousKeys)
      : unknownPrefixMessage(person.email, team),
    suggestedYaml:
      team === undefined
        ? `users:\n  - email: ${email}\n    key: ${key}\n`
        : `teams:\n  - name: ${JSON.stringify(team.name)}\n    members:\n      - user: ${email}\n        key: ${key}\n`,
  };
}

function unknownPrefixMessage(email: string, team: TeamIdentity | undefined): string {
  return team === undefined
    ? `roster created ${email}, but the service does not show the prefix of their own key. roster cannot set its roles. ` +
        "Find the prefix in the service, and write it as `key` of the user."
    : `${email} is a member of ${team.name} now, but the service does not show the prefix of their team key. roster cannot set its roles. ` +
        "Find the prefix in the service, and write it as `key` of the member.";
}

/** A creation whose answer showed several keys, and not which one is new. */
function ambiguousMessage(email: string, team: TeamIdentity | undefined, prefixes: readonly string[]): string {
  const whose = team === undefined ? "their own key" : `their key in ${team.name}`;
  return (
    `roster created ${email}. The answer shows ${prefixes.length} keys (${prefixes.join(", ")}), but not which one is ${whose}. ` +
    "roster set no roles. Find the key in the service, and write its prefix as `key` into the roster."
  );
}
