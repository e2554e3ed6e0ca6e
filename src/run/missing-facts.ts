import type { Reason } from "../model/fact.ts";
import { stopsTheRun } from "../model/result.ts";
import { definedFields } from "../model/role-set.ts";
import { memberSubject, teamSubject, userSubject } from "../model/subject.ts";
import { shownOwnKey, type TeamIdentity } from "../model/team.ts";
import type { UserQuery } from "../ports/account-service.ts";
import { standingOf } from "./effect.ts";
import type { KnownKey } from "./knowledge.ts";
import { onlyUser, type Shown } from "./lookups.ts";
import type { RunSession } from "./session.ts";

/** What an answer did not show, and a later call needs: a person's key, or the identifier of a team that was created with them. */
export interface MissingFact {
  readonly of: "key" | "team";
  readonly person: UserQuery;
  /** Of a key: without a team, it is the person's own. */
  readonly team?: TeamIdentity | undefined;
  /** Prefixes of an answer that showed several keys, one of which is it. */
  readonly ambiguousKeys?: readonly string[];
}

/** What one read has shown of it. `pending`: it may show a moment later. */
type Reading = { readonly is: "present"; readonly value: KnownKey | string } | { readonly is: "pending" | "hidden" };

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
  const { journal, knowledge } = session;
  const left = knowledge.keysAreHidden
    ? missing.map((one) => ({ one, is: "hidden" }) as const)
    : await readUntilLearned(session, missing, account);
  if (journal.stopped !== undefined) return;
  for (const { one, is } of left) recordMissing(session, one, is, because);
}

/** Returns what could not be learned. */
async function readUntilLearned(session: RunSession, missing: readonly MissingFact[], account: string) {
  const { journal, knowledge, clock, signal } = session;
  const hidden: MissingFact[] = [];
  let left = missing;
  for (const pause of knowledge.readsAreLate ? lookupPausesWhenLate : lookupPauses) {
    if (left.length === 0) break;
    if (pause > 0) await clock.wait(pause, signal);
    if (journal.stopped !== undefined) break;
    const shown = await readOnce(session, left);
    const readings = left.map((one) => ({ one, reading: shown === undefined ? notRead : readingOf(one, shown) }));
    for (const { one, reading } of readings) {
      if (reading.is === "present") learnFact(session, one, reading.value, account);
      if (reading.is === "hidden") hidden.push(one);
    }
    left = readings.flatMap(({ one, reading }) => (reading.is === "pending" ? [one] : []));
  }
  if (left.length > 0) knowledge.readsAreLate = true;
  return [
    ...hidden.map((one) => ({ one, is: "hidden" }) as const),
    ...left.map((one) => ({ one, is: "pending" }) as const),
  ];
}

const notRead: Reading = { is: "hidden" };

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

function readingOf({ of, person: { address }, team }: MissingFact, shown: Shown): Reading {
  const found = shown(address);
  if (found.is !== "present") return { is: found.is === "unknown" && found.users.length > 0 ? "hidden" : "pending" };
  const { user } = found;
  if (team === undefined) {
    const key = shownOwnKey(user);
    if (key !== undefined) return { is: "present", value: key };
    return { is: user.keys?.length === 0 ? "pending" : "hidden" };
  }
  const standing = standingOf({ of: "membership", address, team }, user);
  if (standing.is === "absent") return { is: "pending" };
  const { key } = standing.is === "present" ? standing : {};
  if (of === "key") return key === undefined ? { is: "hidden" } : { is: "present", value: key };
  const identifier = key?.team === undefined || key.team === "none" ? undefined : key.team.identifier;
  return identifier === undefined ? { is: "hidden" } : { is: "present", value: identifier };
}

function learnFact(
  { journal }: RunSession,
  { person: { address }, team }: MissingFact,
  value: KnownKey | string,
  account: string,
): void {
  const at = journal.now();
  if (typeof value !== "string") {
    const { prefix, roles } = value;
    const about = { address, ...definedFields({ team: team?.team }), prefix, ...definedFields({ roles }) };
    journal.record([{ type: "key-learned", at, ...about }]);
  } else if (team !== undefined) {
    const { team: key, name } = team;
    journal.record([{ type: "team-identified", at, team: key, name, account, identifier: value }]);
  }
}

/** The finding about what the answer did not show, and no read either. `pending`: it may show later. */
function recordMissing(
  { journal }: RunSession,
  { of, person: { address, email }, team, ambiguousKeys = [] }: MissingFact,
  is: "hidden" | "pending",
  because: readonly Reason[],
): void {
  if (of === "team" && team !== undefined) {
    const { team: key, name } = team;
    const without = "Without it, roster cannot add members.";
    journal.found(
      is === "pending"
        ? {
            code: "write-pending",
            subject: teamSubject(key),
            message:
              `roster created ${name}, but reads do not show its identifier yet. ${without} ` +
              "Run apply again later. roster does not create the team again.",
            waits: true,
            because,
          }
        : {
            code: "team-identifier-unknown",
            subject: teamSubject(key),
            message:
              `roster created ${name}, but the service does not show its identifier. ${without} ` +
              "Find the identifier in the service, and write it into the roster. roster does not create the team again.",
            because,
            suggestedYaml: `teams:\n  - name: ${JSON.stringify(name)}\n    identifier: IDENTIFIER\n`,
          },
    );
    return;
  }
  const subject = team === undefined ? userSubject(address) : memberSubject(address, team.team);
  if (is === "pending") {
    const which = team === undefined ? `the own key of ${email}` : `the key of ${email} in ${team.name}`;
    const message = `Reads do not show ${which} yet, so roster did not set its roles. Run apply again later.`;
    journal.found({ code: "write-pending", subject, message, waits: true, because });
    return;
  }
  const isAmbiguous = ambiguousKeys.length > 0;
  const key = isAmbiguous ? ambiguousKeys.join(" # or ") : "PREFIX";
  journal.found({
    code: "key-prefix-unknown",
    subject,
    message: isAmbiguous ? ambiguousMessage(email, team, ambiguousKeys) : unknownPrefixMessage(email, team),
    because,
    suggestedYaml:
      team === undefined
        ? `users:\n  - email: ${JSON.stringify(email)}\n    key: ${key}\n`
        : `teams:\n  - name: ${JSON.stringify(team.name)}\n    members:\n      - user: ${JSON.stringify(email)}\n        key: ${key}\n`,
  });
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
