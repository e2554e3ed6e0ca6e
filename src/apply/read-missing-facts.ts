import type { RunEvent } from "../model/event.ts";
import type { Reason } from "../model/fact.ts";
import { stopsTheRun } from "../model/result.ts";
import type { ObservedKey, ObservedUser } from "../model/snapshot.ts";
import { memberSubject, teamSubject, userSubject } from "../model/subject.ts";
import { shownOwnKey, shownTeamKey, type TeamKey } from "../model/team.ts";
import type { UserQuery } from "../ports/account-service.ts";
import type { ApplySession } from "./apply-session.ts";
import { type LookupResults, onlyUser } from "./learned-facts.ts";
import type { RunJournal } from "./run-journal.ts";

/** A key that an answer did not show: without a team, the user's own. */
export interface MissingKey {
  readonly person: UserQuery;
  readonly team?: NamedTeam & { readonly identifier?: string | undefined };
  /** Prefixes of an answer that showed several keys, one of which is it. */
  readonly ambiguousKeys?: readonly string[];
}

/** What one read has shown of what is missing. */
type ReadAttempt<T> =
  | { readonly is: "shown"; readonly value: T }
  | { readonly is: "not-yet" }
  | { readonly is: "hidden" };

/** Milliseconds before each read of what a call has just given: half a minute as a whole. */
const lookupPauses = [0, 1000, 2000, 4000, 8000, 15_000];

/** The same once reads of this run have not shown it for so long: then reads of this service are late. */
const lookupPausesWhenLate = [0, 1000];

/** Learns by reading the keys that an answer did not show; what stays unknown becomes findings. */
export async function readMissingKeys(
  session: ApplySession,
  missing: readonly MissingKey[],
  because: readonly Reason[],
): Promise<void> {
  const { journal } = session;
  const left = await readUntilShown(session, missing, async (sought, found) => {
    const shown = sought.map((one) => ({ one, key: keyShown(found, one) }));
    journal.record(shown.flatMap(({ one, key }) => (key.is === "shown" ? [learnKey(session, one, key.value)] : [])));
    return shown.flatMap(({ one, key }) => (key.is === "shown" ? [] : [{ one, again: key.is === "not-yet" }]));
  });
  if (journal.stopped !== undefined) return;
  journal.record(left.map((one) => missingKeyFinding(journal, one, because)));
}

function missingKeyFinding(
  journal: RunJournal,
  { one: { person, team, ambiguousKeys = [] }, again }: StillMissing<MissingKey>,
  because: readonly Reason[],
): RunEvent {
  if (again) return keyNotShownYet(journal, person, team, because);
  return ambiguousKeys.length > 0
    ? keyAmbiguous(journal, { person, team, prefixes: ambiguousKeys }, because)
    : keyPrefixUnknown(journal, person, team, because);
}

/** Learns by reading the founder which identifier the founded team got; without it, there is a finding. */
export async function readMissingTeam(
  session: ApplySession,
  { founder, account, ...team }: NamedTeam & { readonly founder: UserQuery; readonly account: string },
  because: readonly Reason[],
): Promise<void> {
  const { journal, learned } = session;
  const left = await readUntilShown(session, [{ person: founder }], async (sought, found) => {
    const shown = teamShown(found, founder, team);
    if (shown.is !== "shown") return sought.map((one) => ({ one, again: shown.is === "not-yet" }));
    const identifier = shown.value;
    learned.learnTeam(team, identifier);
    journal.record([{ type: "team-identified", at: journal.now(), ...team, account, identifier }]);
    return [];
  });
  if (journal.stopped !== undefined) return;
  journal.record(
    left.map(({ again }) =>
      again ? teamNotShownYet(journal, team, because) : teamIdentifierUnknown(journal, team, because),
    ),
  );
}

interface StillMissing<T> {
  readonly one: T;
  /** The service may show it a moment later. */
  readonly again: boolean;
}

/** Returns what could not be learned. */
async function readUntilShown<T extends { readonly person: UserQuery }>(
  session: ApplySession,
  missing: readonly T[],
  learn: (missing: readonly T[], found: LookupResults) => Promise<readonly StillMissing<T>[]>,
): Promise<readonly StillMissing<T>[]> {
  const { journal, writes, learned } = session;
  if (learned.keysAreHidden) return missing.map((one) => ({ one, again: false }));
  const hidden: StillMissing<T>[] = [];
  let left = missing;
  for (const pause of learned.readsAreLate ? lookupPausesWhenLate : lookupPauses) {
    if (left.length === 0) return hidden;
    if (pause > 0) await journal.clock.wait(pause, writes.signal);
    if (journal.stopped !== undefined) break;
    const unlearned = await readOnce(session, left, learn);
    hidden.push(...unlearned.filter(({ again }) => !again));
    left = unlearned.flatMap(({ one, again }) => (again ? [one] : []));
  }
  if (left.length > 0) learned.learnThatReadsAreLate();
  return [...hidden, ...left.map((one) => ({ one, again: true }))];
}

async function readOnce<T extends { readonly person: UserQuery }>(
  { journal, reads, learned }: ApplySession,
  missing: readonly T[],
  learn: (missing: readonly T[], found: LookupResults) => Promise<readonly StillMissing<T>[]>,
): Promise<readonly StillMissing<T>[]> {
  const people = missing.map(({ person }) => person);
  const found = await reads.forKeys(people);
  if (found.ok) {
    const users = people.flatMap(({ address }) => onlyUser(found.value, address) ?? []);
    // A service that hides keys once need not be asked for them again.
    if (users.length > 0 && users.every((user) => user.keys === undefined)) learned.learnThatKeysAreHidden();
    return learn(missing, found.value);
  }
  if (stopsTheRun(found.error)) journal.stop(found.error);
  return missing.map((one) => ({ one, again: false }));
}

function notShown(found: LookupResults, { address }: UserQuery): { readonly is: "hidden" | "not-yet" } {
  return { is: found(address).is === "several" ? "hidden" : "not-yet" };
}

function keyShown(found: LookupResults, { person, team }: MissingKey): ReadAttempt<ObservedKey> {
  const user = onlyUser(found, person.address);
  if (user === undefined) return notShown(found, person);
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

function learnKey(
  { journal, learned }: ApplySession,
  { person, team }: MissingKey,
  { prefix, roles }: ObservedKey,
): RunEvent {
  const holder = { address: person.address, ...(team === undefined ? {} : { team: team.team }) };
  learned.learnKey(holder, { prefix, ...(roles === undefined ? {} : { roles }) });
  return { type: "key-learned", at: journal.now(), ...holder, prefix };
}

function teamShown(found: LookupResults, founder: UserQuery, named: NamedTeam): ReadAttempt<string> {
  const user: ObservedUser | undefined = onlyUser(found, founder.address);
  if (user === undefined) return notShown(found, founder);
  const shown = shownTeamKey(user, named);
  if (shown.is !== "shown") return { is: shown.is === "absent" ? "not-yet" : "hidden" };
  const { team } = shown.key;
  if (team === undefined || team === "none" || team.identifier === undefined) return { is: "hidden" };
  return { is: "shown", value: team.identifier };
}

/** A team as findings name it. */
interface NamedTeam {
  readonly team: TeamKey;
  readonly name: string;
}

/** A team that was founded, and whose identifier neither the answer nor a read has shown. */
function teamIdentifierUnknown(journal: RunJournal, { team, name }: NamedTeam, because: readonly Reason[]): RunEvent {
  return journal.found({
    code: "team-identifier-unknown",
    subject: teamSubject(team),
    message:
      `roster created ${name}, but the service does not show its identifier. Without it, roster cannot add members. ` +
      "Find the identifier in the service, and write it into the roster. roster does not create the team again.",
    because,
    suggestedYaml: `teams:\n  - name: ${JSON.stringify(name)}\n    identifier: IDENTIFIER\n`,
  });
}

/** A team that was founded, and that reads do not show yet. */
function teamNotShownYet(journal: RunJournal, { team, name }: NamedTeam, because: readonly Reason[]): RunEvent {
  return journal.found({
    code: "write-pending",
    subject: teamSubject(team),
    message:
      `roster created ${name}, but reads do not show its identifier yet. Without it, roster cannot add members. ` +
      "Run apply again later. roster does not create the team again.",
    waits: true,
    because,
  });
}

/** A key that was given, and that reads do not show yet. */
function keyNotShownYet(
  journal: RunJournal,
  { address, email }: UserQuery,
  team: NamedTeam | undefined,
  because: readonly Reason[],
): RunEvent {
  const which = team === undefined ? `the own key of ${email}` : `the key of ${email} in ${team.name}`;
  return journal.found({
    code: "write-pending",
    subject: team === undefined ? userSubject(address) : memberSubject(address, team.team),
    message: `Reads do not show ${which} yet, so roster did not set its roles. Run apply again later.`,
    waits: true,
    because,
  });
}

/** A key that was given, and whose prefix neither the answer nor a read has shown. */
function keyPrefixUnknown(
  journal: RunJournal,
  { address, email }: UserQuery,
  team: NamedTeam | undefined,
  because: readonly Reason[],
): RunEvent {
  if (team === undefined) {
    return journal.found({
      code: "key-prefix-unknown",
      subject: userSubject(address),
      message:
        `roster created ${email}, but the service does not show the prefix of their own key. roster cannot set its roles. ` +
        "Find the prefix in the service, and write it as `key` of the user.",
      because,
      suggestedYaml: `users:\n  - email: ${JSON.stringify(email)}\n    key: PREFIX\n`,
    });
  }
  const { name } = team;
  return journal.found({
    code: "key-prefix-unknown",
    subject: memberSubject(address, team.team),
    message:
      `${email} is a member of ${name} now, but the service does not show the prefix of their team key. roster cannot set its roles. ` +
      "Find the prefix in the service, and write it as `key` of the member.",
    because,
    suggestedYaml: `teams:\n  - name: ${JSON.stringify(name)}\n    members:\n      - user: ${JSON.stringify(email)}\n        key: PREFIX\n`,
  });
}

/** A creation whose answer showed several keys, and not which one is new. */
function keyAmbiguous(
  journal: RunJournal,
  {
    person,
    team,
    prefixes,
  }: { readonly person: UserQuery; readonly team: NamedTeam | undefined; readonly prefixes: readonly string[] },
  because: readonly Reason[],
): RunEvent {
  const { address, email } = person;
  const line = `key: ${prefixes.join(" # or ")}`;
  const whose = team === undefined ? "their own key" : `their key in ${team.name}`;
  return journal.found({
    code: "key-prefix-unknown",
    subject: team === undefined ? userSubject(address) : memberSubject(address, team.team),
    message:
      `roster created ${email}. The answer shows ${prefixes.length} keys (${prefixes.join(", ")}), but not which one is ${whose}. ` +
      "roster set no roles. Find the key in the service, and write its prefix as `key` into the roster.",
    because,
    suggestedYaml:
      team === undefined
        ? `users:\n  - email: ${JSON.stringify(email)}\n    ${line}\n`
        : `teams:\n  - name: ${JSON.stringify(team.name)}\n    members:\n      - user: ${JSON.stringify(email)}\n        ${line}\n`,
  });
}
