import { foldAddress } from "../../model/address.ts";
import type { LearnedOutcome, LogEvent } from "../../model/event.ts";
import { formatSubject, keySubject, memberSubject, userSubject } from "../../model/fact.ts";
import { type EndedChange, isEndedOnKey, type OpenFinding, type OutsideChange } from "../../model/finding.ts";
import type { State } from "../../model/state.ts";
import { foldName } from "../../model/team.ts";
import type { RoleSet } from "../../model/values.ts";

/** Some of the events of a log, and what a pruned log begins with. */
interface LogPart {
  readonly base?: { readonly state: State } | undefined;
  readonly events: readonly { readonly event: LogEvent }[];
}

/** From the events of a log, up to a time in milliseconds since the epoch; the most recent first. */
export async function endedChanges(
  log: AsyncIterable<LogPart>,
  until = Number.POSITIVE_INFINITY,
): Promise<readonly EndedChange[]> {
  const open = new Map<string, OpenFinding>();
  const ended: EndedChange[] = [];
  let command: Pick<EndedChange, "run" | "by"> = { run: "", by: undefined };
  /** Formatted subjects of what the calls of the command changed. */
  const changed = new Set<string>();
  /** By prefix: what a key was seen with after the command had set its roles. */
  const after = new Map<string, RoleSet>();
  /** What the command no longer saw. */
  let over: { readonly finding: OpenFinding; readonly endedAt: string }[] = [];
  /** By prefix: when a read last equalled the roster, and what it showed; of a member, without roles. */
  const inRoster = new Map<string, { readonly at: string; readonly roles?: RoleSet }>();

  function howEnded(change: OutsideChange, { since, subject }: OpenFinding): EndedChange["how"] {
    const { is, key: { prefix } = { prefix: "" }, gained, lost } = change;
    if ([subject, formatSubject(keySubject(prefix))].some((one) => changed.has(one))) return "repaired";
    const shown = inRoster.get(prefix);
    if (shown === undefined || shown.at < since) return "gone";
    // Where a read that equals the roster shows what was changed, the roster was changed to have it.
    const { roles = [] } = shown;
    const hasRoles = gained.every((role) => roles.includes(role)) && !lost.some((role) => roles.includes(role));
    return is === "member-added" || (hasRoles && gained.length + lost.length > 0) ? "in-roster" : "gone";
  }

  /** What it saw of the roster's keys is recorded after what it no longer saw. */
  function endCommand(): void {
    const told = new Set<string>();
    for (const { finding, endedAt } of over)
      for (const change of finding.outside ?? []) {
        // A task and an action may be about one change.
        const isTold = told.has(JSON.stringify(change));
        told.add(JSON.stringify(change));
        const isKept = change.gained.some((role) => after.get(change.key?.prefix ?? "")?.includes(role));
        if (!isTold && !isKept)
          ended.push({ change, since: finding.since, endedAt, how: howEnded(change, finding), ...command });
      }
    over = [];
    changed.clear();
    after.clear();
  }

  function noteGone(fingerprints: Iterable<string>, endedAt: string): void {
    for (const fingerprint of fingerprints) {
      const finding = open.get(fingerprint);
      if (finding !== undefined) over.push({ finding, endedAt });
      open.delete(fingerprint);
    }
  }

  /** A call that sets the roles of a key ends what others made of them. */
  function noteDone(learned: LearnedOutcome, at: string): void {
    for (const subject of subjectsOf(learned)) changed.add(subject);
    if (learned.kind !== "replace-roles") return;
    if (learned.roles !== undefined) after.set(learned.prefix, learned.roles);
    const ofKey = [...open].filter(([, finding]) => isEndedOnKey(finding, learned.prefix));
    noteGone(
      ofKey.map(([fingerprint]) => fingerprint),
      at,
    );
  }

  function noteEvent(event: LogEvent): void {
    switch (event.type) {
      case "command-started":
        endCommand();
        command = { run: event.run, by: event.actor?.name };
        return;
      case "succeeded":
        noteDone(event.learned, event.at);
        return;
      case "resolved":
        if (event.as.done) noteDone(event.as.learned, event.at);
        return;
      case "key-read":
        if (event.provisional !== true) after.set(event.prefix, event.roles);
        return;
      case "access-seen":
        for (const { prefix, ...shown } of [...event.members, ...event.keys])
          inRoster.set(prefix, { ...shown, at: event.at });
        return;
      case "epoch-started":
        noteGone(open.keys(), event.at);
        return;
      case "findings-seen":
        noteGone(event.gone, event.at);
        for (const one of event.seen) open.set(one.fingerprint, { since: event.at, ...one });
    }
  }

  for await (const { base, events } of log) {
    for (const finding of base?.state.openFindings?.values() ?? []) open.set(finding.fingerprint, finding);
    for (const { event } of events) if (Date.parse(event.at) <= until) noteEvent(event);
  }
  endCommand();
  return ended.reverse();
}

export function selectEnded(
  ended: readonly EndedChange[],
  { person, team, role }: { readonly [Name in "person" | "team" | "role"]?: string | undefined } = {},
): readonly EndedChange[] {
  return ended.filter(
    ({ change }) =>
      (person === undefined || change.person?.address === foldAddress(person)) &&
      (team === undefined || foldName(change.team ?? "") === foldName(team)) &&
      (role === undefined || change.gained.includes(role) || change.lost.includes(role)),
  );
}

function subjectsOf(learned: LearnedOutcome): readonly string[] {
  switch (learned.kind) {
    case "create-user":
      return [formatSubject(userSubject(learned.address))];
    case "add-members":
      return learned.members.flatMap(({ address, outcome }) =>
        outcome.added ? [formatSubject(memberSubject(address, learned.team))] : [],
      );
    case "replace-roles":
      return [formatSubject(keySubject(learned.prefix))];
  }
}
