import { foldAddress } from "../../model/address.ts";
import type { LearnedOutcome, LogEvent } from "../../model/event.ts";
import { formatSubject, keySubject, memberSubject, userSubject } from "../../model/fact.ts";
import type { EndedChange, OpenFinding, OutsideChange } from "../../model/finding.ts";
import type { State } from "../../model/state.ts";
import { foldName } from "../../model/team.ts";
import type { RoleSet } from "../../model/values.ts";

/** Some of the events of a log, and what a pruned log begins with. */
interface LogPart {
  readonly base?: { readonly state: State } | undefined;
  readonly events: readonly { readonly event: LogEvent }[];
}

interface Draft {
  readonly open: Map<string, OpenFinding>;
  readonly ended: EndedChange[];
  command: Pick<EndedChange, "run" | "by">;
  /** Formatted subjects of what the calls of the command changed. */
  readonly changed: Set<string>;
  /** What the command no longer saw. */
  gone: readonly { readonly finding: OpenFinding; readonly at: string }[];
  /** By prefix: when a read last equalled the roster, and what it showed; of a member, without roles. */
  readonly inRoster: Map<string, { readonly at: string; readonly roles?: RoleSet }>;
}

/** From the events of a log, up to a time in milliseconds since the epoch; the most recent first. */
export async function endedChanges(
  log: AsyncIterable<LogPart>,
  { person, team, role }: { readonly [Name in "person" | "team" | "role"]?: string | undefined } = {},
  until = Number.POSITIVE_INFINITY,
): Promise<readonly EndedChange[]> {
  const command = { run: "", by: undefined };
  const draft: Draft = { open: new Map(), ended: [], command, changed: new Set(), gone: [], inRoster: new Map() };
  for await (const { base, events } of log) {
    for (const finding of base?.state.openFindings?.values() ?? []) draft.open.set(finding.fingerprint, finding);
    for (const { event } of events) if (Date.parse(event.at) <= until) noteEvent(draft, event);
  }
  endCommand(draft);
  const selected = draft.ended.filter(
    ({ change }) =>
      (person === undefined || change.person?.address === foldAddress(person)) &&
      (team === undefined || foldName(change.team ?? "") === foldName(team)) &&
      (role === undefined || change.gained.includes(role) || change.lost.includes(role)),
  );
  return selected.reverse();
}

function noteEvent(draft: Draft, event: LogEvent): void {
  const { open, changed, inRoster } = draft;
  switch (event.type) {
    case "command-started":
      endCommand(draft);
      draft.command = { run: event.run, by: event.actor?.name };
      return;
    case "succeeded":
      for (const subject of subjectsOf(event.learned)) changed.add(subject);
      return;
    case "resolved":
      if (event.as.done) for (const subject of subjectsOf(event.as.learned)) changed.add(subject);
      return;
    case "access-seen":
      for (const { prefix, ...shown } of [...event.members, ...event.keys])
        inRoster.set(prefix, { ...shown, at: event.at });
      return;
    case "findings-seen": {
      const { at, seen, gone } = event;
      const findings = gone.flatMap((fingerprint) => open.get(fingerprint) ?? []);
      draft.gone = [...draft.gone, ...findings.map((finding) => ({ finding, at }))];
      for (const fingerprint of gone) open.delete(fingerprint);
      for (const one of seen) open.set(one.fingerprint, { since: at, ...one });
    }
  }
}

/** What it saw of the roster's keys is recorded after what it no longer saw. */
function endCommand(draft: Draft): void {
  for (const { finding, at } of draft.gone)
    for (const change of finding.outside ?? [])
      draft.ended.push({
        change,
        since: finding.since,
        endedAt: at,
        how: howEnded(change, finding, draft),
        ...draft.command,
      });
  draft.gone = [];
  draft.changed.clear();
}

function howEnded(change: OutsideChange, { since, subject }: OpenFinding, draft: Draft): EndedChange["how"] {
  const { is, key: { prefix } = { prefix: "" }, gained, lost } = change;
  if ([subject, formatSubject(keySubject(prefix))].some((one) => draft.changed.has(one))) return "repaired";
  const shown = draft.inRoster.get(prefix);
  if (shown === undefined || shown.at < since) return "gone";
  // Where a read that equals the roster shows what was changed, the roster was changed to have it.
  const { roles = [] } = shown;
  const hasRoles = gained.every((role) => roles.includes(role)) && !lost.some((role) => roles.includes(role));
  return is === "member-added" || (hasRoles && gained.length + lost.length > 0) ? "in-roster" : "gone";
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
