import type { EmailKey } from "../model/address.ts";
import type { Intent, OpenIntent } from "../model/call.ts";
import type { AddedMember, EventOf, LearnedOutcome, LogEvent } from "../model/event.ts";
import { decodeSubject, namesIn } from "../model/fact.ts";
import type { Failure } from "../model/failure.ts";
import type { ActionId } from "../model/plan.ts";
import type { Allowance } from "../model/policy.ts";
import type { State } from "../model/state.ts";
import type { Ownership, RoleSet, TeamKey } from "../model/values.ts";
import type { ReadEvents } from "./port.ts";
import { intentKey, type LearnedKey, peopleOf } from "./state-draft.ts";

/** What a log says that a run did, for people who ask later: one record for each person of a call. */
export type AuditRecord = Audited & { readonly at: string; readonly run: string };

type Audited =
  | AuditedRunStart
  | { readonly kind: "plan"; readonly plan: string }
  | AuditedAllowance
  | AuditedCall
  | AuditedKey
  | AuditedChange
  | { readonly kind: "run-ended"; readonly plan: EventOf<"command-ended">["plan"] };

export interface AuditedRunStart extends Omit<EventOf<"command-started">, "type"> {
  readonly kind: "run-started";
}

export interface AuditedAllowance extends Allowance {
  readonly kind: "allowance-used";
  readonly person?: EmailKey | undefined;
  readonly team?: AuditedTeam | undefined;
}

export interface AuditedCall {
  readonly kind: "call";
  readonly action: ActionId;
  readonly call: "create-user" | "add-member" | "replace-roles";
  /** `failed`: it had no effect. `there-before`: the user existed already, and was not created. `unknown`: only a later read can tell. */
  readonly outcome: "done" | "failed" | "there-before" | "unknown";
  /** Absent for a key whose owner is not known. */
  readonly person?: EmailKey | undefined;
  readonly team?: AuditedTeam | undefined;
  /** Of the key that the call made or changed, where it is known. */
  readonly prefix?: string | undefined;
  readonly rolesBefore?: RoleSet | undefined;
  /** As the service showed them, else as they were sent. Only where the call was done. */
  readonly rolesAfter?: RoleSet | undefined;
  readonly announcedAt: string;
  /** The earlier run that announced the call, where this run learned the outcome by reading. */
  readonly announcedBy?: string | undefined;
  readonly why?: string | undefined;
  readonly ownership?: Ownership | undefined;
}

export interface AuditedTeam {
  readonly name: string;
  readonly account?: string | undefined;
  readonly identifier?: string | undefined;
}

export interface AuditedKey {
  readonly kind: "key-learned";
  readonly person: EmailKey;
  readonly prefix: string;
  readonly team?: AuditedTeam | undefined;
}

/** The log goes on elsewhere, the service has another address, or older events were exported. */
export interface AuditedChange {
  readonly kind: "moved-to" | "endpoint-changed" | "pruned";
  /** The new address; of a prune, the time before which all events went. */
  readonly to: string;
}

export interface PlacedRecord {
  readonly position: number;
  readonly record: AuditRecord;
}

interface AnnouncedCall extends Pick<OpenIntent, "run" | "action" | "at" | "intent"> {
  isOpen: boolean;
  /** The people of an addition whose end has a record. */
  readonly ended: Set<EmailKey>;
}

type AuditDraft = ReturnType<typeof emptyAudit>;

export function emptyAudit() {
  return {
    /** The command whose events come. */
    run: "",
    /** Those of the command, and those whose outcome is not known. */
    calls: new Map<string, AnnouncedCall>(),
    teams: new Map<TeamKey, AuditedTeam>(),
    /** Prefixes that a record of this command has. */
    prefixes: new Set<string>(),
  };
}

/** What people are told of these events, one record for each person of a call; none of a call that was not sent. `draft`: of the events before these. */
export function auditRecords(
  { base, events }: Pick<ReadEvents, "base" | "events">,
  draft = emptyAudit(),
): readonly PlacedRecord[] {
  if (base !== undefined) beginWith(draft, base.state);
  const placed: PlacedRecord[] = [];
  for (const { position, event } of events) {
    for (const audited of recordsOf(draft, event)) {
      noteRecord(draft, audited);
      placed.push({ position, record: { at: event.at, run: draft.run, ...audited } });
    }
  }
  return placed;
}

/** What pruned events have left. */
function beginWith({ calls, teams }: AuditDraft, state: State): void {
  for (const { team, name, account, identifier } of state.teams.values())
    teams.set(team, { name, account, identifier });
  for (const { run, action, at, intent } of state.open)
    calls.set(intentKey(run, action), { run, action, at, intent, isOpen: true, ended: new Set() });
}

function noteRecord({ run, prefixes, calls }: AuditDraft, record: Audited): void {
  if ("prefix" in record && record.prefix !== undefined) prefixes.add(record.prefix);
  if (record.kind !== "call" || record.outcome === "unknown" || record.person === undefined) return;
  calls.get(intentKey(record.announcedBy ?? run, record.action))?.ended.add(record.person);
}

function recordsOf(draft: AuditDraft, event: LogEvent): readonly Audited[] {
  const { run, calls } = draft;
  switch (event.type) {
    case "command-started": {
      const { type: _, ...started } = event;
      draft.run = event.run;
      draft.prefixes.clear();
      for (const [key, { isOpen }] of calls) if (!isOpen) calls.delete(key);
      return [{ kind: "run-started", ...started }];
    }
    case "command-ended":
      return [{ kind: "run-ended", plan: event.plan }];
    case "moved-to":
      return [{ kind: event.type, to: event.to }];
    case "endpoint-changed":
      return [{ kind: event.type, to: event.service }];
    case "pruned":
      return [{ kind: event.type, to: event.before }];
    case "run-started":
      return [{ kind: "plan", plan: event.plan }];
    case "allowances-used":
      return event.allowances.map((allowance): AuditedAllowance => {
        const { address: person, team } = namesIn(decodeSubject(allowance.covers[0] ?? ""));
        const about = { person, team: knownTeam(draft, team) };
        return { kind: "allowance-used", ...about, ...allowance };
      });
    case "intended":
      noteCall(draft, event);
      return [];
    case "succeeded":
      return recordsOfOutcome(draft, closeCall(draft, run, event.action), event.learned);
    case "failed":
      return recordsAbout(draft, closeCall(draft, run, event.action), failedBy(event.failure));
    case "unknown-outcome": {
      const call = calls.get(intentKey(run, event.action));
      const details = { outcome: "unknown", why: event.failure.message } as const;
      return call?.isOpen === true ? recordsAbout(draft, call, details) : [];
    }
    case "resolved":
      return recordsOfResolved(draft, event);
    case "member-refused":
      return recordsAbout(draft, calls.get(intentKey(run, event.action)), failedBy(event.failure), [event.address]);
    case "key-learned":
      return draft.prefixes.has(event.prefix) ? [] : [keyRecord(draft, event)];
    case "skipped":
    case "stale":
    case "unneeded":
      // Perhaps announced, but not sent.
      closeCall(draft, run, event.action);
      return [];
    case "team-identified":
      draft.teams.set(event.team, { name: event.name, account: event.account, identifier: event.identifier });
      return [];
    default:
      return [];
  }
}

function failedBy({ message: why }: Failure) {
  return { outcome: "failed", why } as const;
}

/** What was recorded of people whom the call does not name again stays: an addition may be sent person by person. */
function noteCall({ calls, teams }: AuditDraft, { run, action, at, intent }: EventOf<"intended">): void {
  const key = intentKey(run, action);
  const before = intent.kind === "add-members" ? (calls.get(key)?.ended ?? []) : [];
  const ended = new Set([...before].filter((person) => !peopleOf(intent).includes(person)));
  calls.set(key, { run, action, at, intent, isOpen: true, ended });
  if (intent.kind === "create-user" && intent.createsTeam !== undefined)
    teams.set(intent.createsTeam.team, { name: intent.createsTeam.name, account: intent.account });
  if (intent.kind === "add-members")
    teams.set(intent.team, { name: intent.name, account: intent.account, identifier: intent.identifier });
}

/** Undefined where the call has ended. That of an addition may still tell of people who were not sent. */
function closeCall({ calls }: AuditDraft, run: string, action: ActionId): AnnouncedCall | undefined {
  const call = calls.get(intentKey(run, action));
  if (call === undefined || !(call.isOpen || call.intent.kind === "add-members")) return undefined;
  call.isOpen = false;
  return call;
}

function recordsOfOutcome(
  draft: AuditDraft,
  call: AnnouncedCall | undefined,
  learned: LearnedOutcome,
): readonly (AuditedCall | AuditedKey)[] {
  if (call === undefined) return [];
  if (learned.kind === "create-user" && learned.team !== undefined && learned.teamIdentifier !== undefined) {
    const known = draft.teams.get(learned.team) ?? { name: learned.team };
    draft.teams.set(learned.team, { ...known, identifier: learned.teamIdentifier });
  }
  if (learned.kind === "add-members") return learned.members.flatMap((member) => recordOfMember(draft, call, member));
  const isNew = learned.kind !== "create-user" || learned.was !== "there-before";
  const rolesAfter = isNew ? (learned.roles ?? sentRoles(call.intent)) : undefined;
  const details = { prefix: learned.prefix, rolesAfter, outcome: isNew ? "done" : "there-before" } as const;
  return recordsAbout(draft, call, details);
}

function recordOfMember(
  draft: AuditDraft,
  call: AnnouncedCall,
  { address, outcome, prefix, roles }: AddedMember,
): readonly (AuditedCall | AuditedKey)[] {
  const { intent } = call;
  const shown = { prefix, rolesAfter: roles };
  if (!outcome.added) return recordsAbout(draft, call, { ...shown, ...failedBy(outcome.failure) }, [address]);
  if (peopleOf(intent).includes(address)) return recordsAbout(draft, call, { ...shown, outcome: "done" }, [address]);
  // A read showed a member already: the call was not about this person.
  if (call.ended.has(address) || prefix === undefined || draft.prefixes.has(prefix)) return [];
  const team = intent.kind === "add-members" ? { team: intent.team } : {};
  return [keyRecord(draft, { address, prefix, ...team })];
}

/** People whose addition no read has shown or ruled out stay open. So does what was not done by then: a later read may show it. */
function recordsOfResolved(
  draft: AuditDraft,
  { run, action, as, except = [] }: EventOf<"resolved">,
): readonly (AuditedCall | AuditedKey)[] {
  const call = closeCall(draft, run, action);
  if (call !== undefined && (except.length > 0 || !as.done)) call.isOpen = true;
  const records = as.done
    ? recordsOfOutcome(draft, call, as.learned)
    : recordsAbout(draft, call, { outcome: as.unproven === true ? "unknown" : "failed" });
  return records.filter(({ person }) => person === undefined || !except.includes(person));
}

function keyRecord(draft: AuditDraft, { address: person, team, prefix }: LearnedKey): AuditedKey {
  return { kind: "key-learned", person, prefix, team: knownTeam(draft, team) };
}

/** One record for each person of a call whose end has none yet; of a call about a key, one. */
function recordsAbout(
  draft: AuditDraft,
  call: AnnouncedCall | undefined,
  details: Pick<AuditedCall, "outcome"> & Partial<Pick<AuditedCall, "prefix" | "rolesAfter" | "why">>,
  about?: readonly EmailKey[],
): readonly AuditedCall[] {
  if (call === undefined) return [];
  const { action, intent, at: announcedAt, run: announcedBy, ended } = call;
  const people = about ?? (intent.kind === "replace-roles" ? [intent.owner] : peopleOf(intent));
  const team = intent.kind === "create-user" ? intent.createsTeam?.team : intent.team;
  const name = intent.kind === "replace-roles" ? intent.name : undefined;
  const key = intent.kind === "replace-roles" ? { prefix: intent.prefix, rolesBefore: intent.before } : {};
  return people
    .filter((person) => intent.kind !== "add-members" || person === undefined || !ended.has(person))
    .map((person) => ({
      kind: "call",
      action,
      call: intent.kind === "add-members" ? "add-member" : intent.kind,
      person,
      team: knownTeam(draft, team, name),
      ...details,
      ...key,
      announcedAt,
      announcedBy: announcedBy === draft.run ? undefined : announcedBy,
      ownership: ownershipIn(intent, person),
    }));
}

function ownershipIn(intent: Intent, person: EmailKey | undefined): Ownership | undefined {
  if (intent.kind !== "add-members") return intent.ownership;
  return intent.ownerships?.find(({ address }) => address === person)?.ownership;
}

/** The roles that a call asked for: what the key has if the service does not show them. */
function sentRoles(intent: Intent): AuditedCall["rolesAfter"] {
  if (intent.kind === "replace-roles") return intent.roles;
  return intent.kind === "create-user" ? intent.createsTeam?.accessKeyRoles : undefined;
}

function knownTeam({ teams }: AuditDraft, team: TeamKey | undefined, name?: string): AuditedTeam | undefined {
  return team === undefined ? undefined : (teams.get(team) ?? { name: name ?? team });
}
