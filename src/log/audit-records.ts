import type { ActionId } from "../model/action.ts";
import type { EmailKey } from "../model/address.ts";
import type {
  AuditedCall,
  AuditedKey,
  AuditedOutcome,
  AuditedTeam,
  AuditRecord,
  PlacedRecord,
} from "../model/audit.ts";
import type {
  AddedMember,
  Intended,
  Intent,
  KeyLearned,
  LearnedOutcome,
  LogEvent,
  MemberRefused,
  Settled,
} from "../model/event.ts";
import type { OpenIntent } from "../model/state.ts";
import type { Ownership } from "../model/subject.ts";
import type { TeamKey } from "../model/team.ts";
import type { LoggedEvent } from "../ports/log.ts";
import { intentKey } from "./state-draft.ts";

/** What a read of a log knows: the calls whose end has no record yet, and how teams are called. */
interface AuditDraft {
  /** The command whose events come. */
  run: string;
  readonly announced: Map<string, AnnouncedCall>;
  /** Calls that add members. They stay after their end: an event about people who were not sent comes later. */
  readonly additions: Map<string, AnnouncedCall>;
  /** The people of additions whose end has a record. */
  readonly ended: Map<string, Set<EmailKey>>;
  readonly teams: Map<TeamKey, AuditedTeam>;
  /** Prefixes that a record of this command has. */
  readonly prefixes: Set<string>;
}

type AnnouncedCall = Pick<OpenIntent, "run" | "action" | "at" | "intent">;

export function emptyAudit(): AuditDraft {
  return {
    run: "",
    announced: new Map(),
    additions: new Map(),
    ended: new Map(),
    teams: new Map(),
    prefixes: new Set(),
  };
}

/**
 * What the events of a log say that runs did: one record for each person of a call, and none where nothing changed in the service.
 * `draft`: of the events before these.
 */
export function auditRecords(events: Iterable<LoggedEvent>, draft = emptyAudit()): readonly PlacedRecord[] {
  const placed: PlacedRecord[] = [];
  for (const { position, event } of events) {
    for (const record of recordsOf(draft, event)) {
      noteRecord(draft, record);
      placed.push({ position, record });
    }
  }
  return placed;
}

function noteRecord({ run, prefixes, ended }: AuditDraft, record: AuditRecord): void {
  if ("prefix" in record && record.prefix !== undefined) prefixes.add(record.prefix);
  if (record.kind !== "call" || record.call !== "add-member" || record.outcome === "unknown") return;
  const key = intentKey(record.announcedBy ?? run, record.action);
  if (record.person !== undefined) ended.set(key, (ended.get(key) ?? new Set()).add(record.person));
}

function recordsOf(draft: AuditDraft, event: LogEvent): readonly AuditRecord[] {
  const { run } = draft;
  switch (event.type) {
    case "command-started": {
      const { type: _, ...started } = event;
      draft.run = event.run;
      draft.prefixes.clear();
      return [{ kind: "run-started", ...started }];
    }
    case "command-ended":
      return [{ kind: "run-ended", at: event.at, run, plan: event.plan }];
    case "moved-to":
      return [{ kind: event.type, at: event.at, run, to: event.to }];
    case "endpoint-changed":
      return [{ kind: event.type, at: event.at, run, to: event.service }];
    case "run-started":
      return [{ kind: "plan", at: event.at, run, plan: event.plan }];
    case "intended":
      addAnnounced(draft, event);
      return [];
    case "succeeded":
      return recordsOfOutcome(
        draft,
        event.at,
        closeCall(draft, run, event.action) ?? additionOf(draft, event.action),
        event.learned,
      );
    case "failed":
      return recordsOfEnd(draft, event, closeCall(draft, run, event.action), "failed");
    case "unknown-outcome":
      return recordsOfEnd(draft, event, draft.announced.get(intentKey(run, event.action)), "unknown");
    case "settled":
      return recordsOfSettled(draft, event);
    case "member-refused":
      return recordsOfRefusedMember(draft, event);
    case "key-learned":
      return draft.prefixes.has(event.prefix) ? [] : [keyRecord(draft, event)];
    case "skipped":
    case "stale":
    case "unneeded":
      // Perhaps announced, but not sent.
      closeCall(draft, run, event.action);
      return [];
    case "team-identified":
      draft.teams.set(event.team, teamOf(event.name, event.account, event.identifier));
      return [];
    default:
      return [];
  }
}

function addAnnounced({ run, announced, additions, ended, teams }: AuditDraft, { action, at, intent }: Intended): void {
  const key = intentKey(run, action);
  announced.set(key, { run, action, at, intent });
  if (intent.kind === "create-user" && intent.createsTeam !== undefined)
    teams.set(intent.createsTeam.team, teamOf(intent.createsTeam.name, intent.account));
  if (intent.kind !== "add-members") return;
  teams.set(intent.team, teamOf(intent.name, intent.account, intent.identifier));
  additions.set(key, { run, action, at, intent });
  for (const person of intent.addresses) ended.get(key)?.delete(person);
}

function additionOf({ run, additions }: AuditDraft, action: ActionId): AnnouncedCall | undefined {
  return additions.get(intentKey(run, action));
}

function hasEnded({ ended }: AuditDraft, { run, action }: AnnouncedCall, person: EmailKey): boolean {
  return ended.get(intentKey(run, action))?.has(person) === true;
}

function closeCall({ announced }: AuditDraft, run: string, action: ActionId): AnnouncedCall | undefined {
  const key = intentKey(run, action);
  const call = announced.get(key);
  announced.delete(key);
  return call;
}

function recordsOfOutcome(
  draft: AuditDraft,
  at: string,
  call: AnnouncedCall | undefined,
  learned: LearnedOutcome,
): readonly (AuditedCall | AuditedKey)[] {
  if (call === undefined) return [];
  if (learned.kind === "add-members")
    return learned.members.flatMap((member) => recordOfMember(draft, at, call, member));
  const isNew = learned.kind !== "create-user" || learned.was !== "there-before";
  const rolesAfter = isNew ? (learned.roles ?? sentRoles(call.intent)) : undefined;
  const shown = { prefix: learned.prefix, rolesAfter };
  return subjectsOf(draft, call.intent).map((subject) =>
    callRecord(draft, at, call, { ...subject, ...shown, outcome: isNew ? "done" : "there-before" }),
  );
}

function recordOfMember(
  draft: AuditDraft,
  at: string,
  call: AnnouncedCall,
  { address: person, outcome, prefix, roles: rolesAfter }: AddedMember,
): readonly (AuditedCall | AuditedKey)[] {
  const { intent } = call;
  if (intent.kind !== "add-members" || hasEnded(draft, call, person)) return [];
  const details = { person, team: calledTeam(draft, intent), prefix, rolesAfter };
  if (!outcome.added)
    return [callRecord(draft, at, call, { ...details, outcome: "failed", why: outcome.failure.message })];
  if (intent.addresses.includes(person)) return [callRecord(draft, at, call, { ...details, outcome: "done" })];
  // A read showed a member already: the call was not about this person.
  if (prefix === undefined || draft.prefixes.has(prefix)) return [];
  return [keyRecord(draft, { at, address: person, team: intent.team, prefix })];
}

/** The call had no effect, or nobody knows yet whether it had. */
function recordsOfEnd(
  draft: AuditDraft,
  { at, failure }: { readonly at: string; readonly failure?: { readonly message: string } },
  call: AnnouncedCall | undefined,
  outcome: AuditedOutcome,
): readonly AuditedCall[] {
  if (call === undefined) return [];
  const why = failure?.message;
  return subjectsOf(draft, call.intent)
    .filter(({ person }) => person === undefined || !hasEnded(draft, call, person))
    .map((subject) => callRecord(draft, at, call, { ...subject, why, outcome }));
}

/** People whose addition no read has shown or ruled out stay open. */
function recordsOfSettled(
  draft: AuditDraft,
  { at, run, action, as, except = [] }: Settled,
): readonly (AuditedCall | AuditedKey)[] {
  const call = closeCall(draft, run, action);
  if (call !== undefined && except.length > 0) draft.announced.set(intentKey(run, action), call);
  const records = as.done
    ? recordsOfOutcome(draft, at, call, as.learned)
    : recordsOfEnd(draft, { at }, call, as.unproven === true ? "unknown" : "failed");
  return records.filter(({ person }) => person === undefined || !except.includes(person));
}

/** The call was about this person alone, or refused each of its people. */
function recordsOfRefusedMember(
  draft: AuditDraft,
  { at, action, address: person, failure }: MemberRefused,
): readonly AuditedCall[] {
  const call = additionOf(draft, action);
  if (call === undefined || hasEnded(draft, call, person)) return [];
  const team = calledTeam(draft, call.intent);
  return [callRecord(draft, at, call, { person, team, outcome: "failed", why: failure.message })];
}

function keyRecord(
  { run, teams }: AuditDraft,
  { at, address: person, team, prefix }: Omit<KeyLearned, "type">,
): AuditedKey {
  const inTeam = team === undefined ? undefined : (teams.get(team) ?? { name: team });
  return { kind: "key-learned", at, run, person, prefix, team: inTeam };
}

type CallDetails = Pick<AuditedCall, "outcome"> &
  Partial<Pick<AuditedCall, "person" | "team" | "prefix" | "rolesBefore" | "rolesAfter" | "why">>;

function callRecord(
  { run }: AuditDraft,
  at: string,
  { action, intent, at: announcedAt, run: announcedBy }: AnnouncedCall,
  { outcome, ...details }: CallDetails,
): AuditedCall {
  const call = intent.kind === "add-members" ? "add-member" : intent.kind;
  const earlier = announcedBy === run ? undefined : announcedBy;
  const ownership = ownershipIn(intent, details.person);
  return { kind: "call", at, run, action, call, outcome, ...details, announcedAt, announcedBy: earlier, ownership };
}

function ownershipIn(intent: Intent, person: EmailKey | undefined): Ownership | undefined {
  if (intent.kind !== "add-members") return intent.ownership;
  return intent.ownerships?.find(({ address }) => address === person)?.ownership;
}

/** The people and keys that a call was about. */
function subjectsOf(draft: AuditDraft, intent: Intent): readonly Omit<CallDetails, "outcome">[] {
  const team = calledTeam(draft, intent);
  switch (intent.kind) {
    case "create-user":
      return [{ person: intent.address, team }];
    case "add-members":
      return intent.addresses.map((person) => ({ person, team }));
    case "replace-roles":
      return [
        {
          person: intent.owner,
          team,
          prefix: intent.prefix,
          rolesBefore: intent.before,
        },
      ];
  }
}

/** The team that a call was about, as far as it is known. */
function calledTeam({ teams }: AuditDraft, intent: Intent): AuditedTeam | undefined {
  const key = intent.kind === "create-user" ? intent.createsTeam?.team : intent.team;
  if (key === undefined) return undefined;
  const name = intent.kind === "replace-roles" ? intent.name : undefined;
  return teams.get(key) ?? { name: name ?? key };
}

/** The roles that a call asked for: what the key has if the service does not show them. */
function sentRoles(intent: Intent): AuditedCall["rolesAfter"] {
  if (intent.kind === "replace-roles") return intent.roles;
  return intent.kind === "create-user" ? intent.createsTeam?.accessKeyRoles : undefined;
}

function teamOf(name: string, account: string, identifier?: string): AuditedTeam {
  return { name, account, identifier };
}
