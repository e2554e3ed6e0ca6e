import type { EmailKey } from "../model/address.ts";
import type { OpenIntent } from "../model/call.ts";
import { definedFields, latest } from "../model/collections.ts";
import type { EventOf, LogEvent } from "../model/event.ts";
import { allowedThing, type State } from "../model/state.ts";
import { moveRecords } from "./moved-records.ts";
import { beginRun, forgetCreations, recordMemberOutcomes, recordRefusal, recordRequests } from "./refusals.ts";
import {
  draftFromState,
  forgetUser,
  intentKey,
  prunedBefore,
  recordDone,
  recordPrefix,
  recordRoles,
  recordSeenAccess,
  type StateDraft,
  stateFromDraft,
} from "./state-draft.ts";

/**
 * The state that events add up to. An outcome without a run of its own closes the intent that its run announced
 * among these events, never one that an earlier run left open. The log adds the position.
 */
export function applyEvents(state: State, events: Iterable<LogEvent>): State {
  const fold = beginFold(state);
  for (const event of events) fold.add(event);
  return fold.state();
}

export type StateFold = ReturnType<typeof beginFold>;

export function beginFold(state: State) {
  const draft = draftFromState(state);
  let known: State | undefined;
  return {
    add(event: LogEvent) {
      known = undefined;
      applyEvent(draft, event);
    },
    /** As it is now. Nothing of it is copied: it goes on with the fold. */
    state() {
      known ??= stateFromDraft(draft);
      return known;
    },
  };
}

function applyEvent(draft: StateDraft, event: LogEvent): void {
  switch (event.type) {
    case "log-started":
      draft.lineage = event.lineage;
      break;
    case "command-started":
      draft.current = beginRun();
      draft.command = event;
      break;
    case "moved-to":
      draft.moved = { to: event.to, at: event.at };
      break;
    case "endpoint-changed":
      draft.service = event.service;
      break;
    case "run-started":
      draft.current = beginRun(event.plan);
      draft.service = event.service;
      break;
    case "sequenced":
      draft.sequence = Math.max(draft.sequence ?? 0, event.sequence);
      break;
    case "plan-file-begun": {
      const others = (draft.planFiles ?? []).filter(({ file }) => file !== event.file);
      draft.planFiles = [...others, { file: event.file, at: event.at }].slice(-maxPlanFiles);
      break;
    }
    case "roster-applied": {
      const { at, digest, people } = event;
      draft.applied = { at, digest, people: new Map(people.map((one) => [one.address, one])) };
      break;
    }
    case "allowances-used":
      for (const used of event.allowances) {
        const name = allowedThing(used.code);
        // A code that is used once more goes on to cover the whole list that it was used for first.
        if (draft.allowances.get(name)?.code !== used.code) draft.allowances.set(name, { at: event.at, ...used });
      }
      break;
    case "records-moved":
      moveRecords(draft, event);
      break;
    case "epoch-started":
      startEpoch(draft, event);
      break;
    case "users-observed":
      recordPeople(draft, event);
      break;
    case "people-gone":
      recordGone(draft, event);
      break;
    case "access-seen":
      recordSeenAccess(draft, event);
      break;
    case "service-learned":
      draft.service = event.service;
      draft.capabilities = { learned: event.capabilities, at: event.at };
      break;
    case "writes-learned":
      draft.writes = event.writes;
      break;
    case "findings-seen":
      recordOpenFindings(draft, event);
      break;
    case "intended":
      openAnnounced(draft, event);
      break;
    case "declined":
      amendOwn(draft, event.action, (open) => ({ ...open, declined: event.failure }));
      break;
    case "unknown-outcome":
      postponeDecision(draft, event);
      break;
    case "resolved":
      closeResolved(draft, event);
      break;
    case "succeeded":
      recordDone(draft, closeOwnIntent(draft, event.action), event, event.learned);
      break;
    case "failed": {
      const open = closeOwnIntent(draft, event.action);
      if (open !== undefined) recordRefusal(draft, open, event.failure, event.at);
      break;
    }
    case "member-refused":
      closeRefusedMember(draft, event);
      break;
    case "stale":
    case "skipped":
      // Perhaps announced, but not sent.
      closeOwnIntent(draft, event.action);
      break;
    case "unneeded":
      recordUnneeded(draft, event);
      break;
    case "key-learned":
      recordPrefix(draft, event, event.at);
      break;
    case "team-identified": {
      const { team, name, account, identifier, at } = event;
      draft.teams.set(team, { team, name, account, at, ...draft.teams.get(team), identifier });
      break;
    }
    case "key-read":
      recordKeyRead(draft, event);
      break;
    case "found":
    case "waiting":
    case "verified":
    case "run-finished":
    case "command-ended":
    case "checkpoint-taken":
      break;
    case "pruned":
      draft.pruned = { before: event.before, at: event.at };
      break;
  }
}

/** A file is good for days at the most: nobody applies so many in that time. */
const maxPlanFiles = 100;

/** What is read of the service from now on is all that is known of it. */
function startEpoch(draft: StateDraft, { at, service }: EventOf<"epoch-started">): void {
  const { users, teams, memberships, keys, access, refusals, seenKeys, allowances, openFindings, open } = draft;
  draft.service = service;
  draft.epoch = at;
  delete draft.former;
  for (const records of [users, teams, memberships, keys, access, refusals, seenKeys, allowances, openFindings])
    records.clear();
  for (const [key, call] of open) if (call.intent.kind === "add-members") open.set(key, { ...call, former: true });
}

function recordPeople(draft: StateDraft, { service, people, teams, at }: EventOf<"users-observed">): void {
  draft.service = service;
  for (const person of people) {
    const { address, identifier } = person;
    const known = draft.users.get(address);
    // An address can have passed to another user.
    const isAnother =
      known === undefined
        ? prunedBefore(draft, address) !== undefined
        : identifier !== undefined && known.identifier !== undefined && known.identifier !== identifier;
    const former = isAnother ? forgetUser(draft, address) : {};
    const { goneAt: _, ...record } = { ...draft.users.get(address), ...person, ...former, seenAt: at };
    draft.users.set(address, record);
  }
  forgetCreations(draft, new Set(people.map(({ address }) => address)));
  for (const team of teams) draft.teams.set(team.team, { at, ...draft.teams.get(team.team), ...team });
}

function recordGone(draft: StateDraft, { people, at }: EventOf<"people-gone">): void {
  for (const address of people) {
    const user = draft.users.get(address);
    const since = user?.seenAt ?? user?.createdAt ?? at;
    // Whoever came after that read is another user, or was not shown yet.
    if (user !== undefined && Date.parse(since) <= Date.parse(at)) draft.users.set(address, { ...user, goneAt: at });
  }
}

/** Who ran it is kept for those who ask later who gave access. */
function openAnnounced(draft: StateDraft, { run, action, at, until = at, dated, intent }: EventOf<"intended">): void {
  draft.open.set(intentKey(run, action), { run, action, at: until, ...definedFields({ dated }), intent });
  draft.current.announcedBy.set(action, run);
  recordRequests(draft, action, { intent, dated });
  const { command } = draft;
  if (command?.run !== run || draft.runs.has(run)) return;
  const { actor, commit } = command;
  draft.runs.set(run, { run, ...definedFields({ actor, commit }) });
}

/** More would make every save of a state slow; what matters most comes first. */
const maxOpenFindings = 10_000;

function recordOpenFindings(draft: StateDraft, { at, service, seen, gone }: EventOf<"findings-seen">): void {
  draft.service = service;
  const { openFindings } = draft;
  for (const fingerprint of gone) openFindings.delete(fingerprint);
  for (const one of seen) {
    if (openFindings.size < maxOpenFindings && !openFindings.has(one.fingerprint))
      openFindings.set(one.fingerprint, { since: at, ...one });
  }
}

/** The call may have been on its way until now: only from here on does what reads do not show count. */
function postponeDecision(draft: StateDraft, { action, at, dated, accepted }: EventOf<"unknown-outcome">): void {
  if (accepted === true) draft.queues = { at };
  amendOwn(draft, action, ({ dated: _, ...open }) => ({ ...open, at, ...definedFields({ dated, accepted }) }));
}

function amendOwn(draft: StateDraft, action: string, amend: (open: OpenIntent) => OpenIntent): void {
  const key = intentKey(draft.current.announcedBy.get(action) ?? "", action);
  const open = draft.open.get(key);
  if (open !== undefined) draft.open.set(key, amend(open));
}

function closeResolved(draft: StateDraft, event: EventOf<"resolved">): void {
  const { run, action, as, except } = event;
  const open = closeIntent(draft, run, action);
  if (as.done) recordDone(draft, open, event, as.learned);
  if (open === undefined) return;
  if (!as.done && open.declined !== undefined) recordRefusal(draft, open, open.declined, open.at);
  else if (!as.done) recordUndone(draft, open, as.unproven);
  const left = remainingIntent(open, except);
  if (left !== undefined) draft.open.set(intentKey(run, action), left);
}

/** What stays open of a call that was resolved but for some of its people; undefined where nothing does. */
function remainingIntent(open: OpenIntent, except: readonly EmailKey[] | undefined): OpenIntent | undefined {
  if (except === undefined || open.intent.kind !== "add-members") return undefined;
  const addresses = open.intent.addresses.filter((address) => except.includes(address));
  return addresses.length === 0 ? undefined : { ...open, intent: { ...open.intent, addresses } };
}

/**
 * Of a key it was never learned whether its roles were replaced: what was asked for before is no fact any more. A creation with a team
 * may still turn out to be done: another one would double the team.
 */
function recordUndone(draft: StateDraft, open: OpenIntent, unproven: true | undefined): void {
  const { run, action, intent } = open;
  if (intent.kind === "create-user" && intent.createsTeam !== undefined)
    draft.presumedUndone.set(intentKey(run, action), open);
  if (intent.kind !== "replace-roles") return;
  const { prefix, owner } = intent;
  const known = draft.keys.get(prefix);
  const user = owner === undefined ? undefined : draft.users.get(owner);
  const formerRolesAt = latest(user?.formerRolesAt, known?.at);
  if (user !== undefined && formerRolesAt !== undefined) draft.users.set(user.address, { ...user, formerRolesAt });
  const { roles: _, ...access } = draft.access.get(prefix) ?? { prefix };
  if (unproven === true) draft.access.set(prefix, access);
  draft.keys.delete(prefix);
  draft.seenKeys.delete(prefix);
}

/** The call was about this person alone. */
function closeRefusedMember(draft: StateDraft, { action, address, failure, at }: EventOf<"member-refused">): void {
  const open = closeOwnIntent(draft, action);
  if (open?.intent.kind !== "add-members") return;
  const members = [{ address, outcome: { added: false, failure } }] as const;
  recordMemberOutcomes(draft, action, { kind: "add-members", team: open.intent.team, members }, at);
}

function closeOwnIntent(draft: StateDraft, action: string): OpenIntent | undefined {
  const run = draft.current.announcedBy.get(action);
  return run === undefined ? undefined : closeIntent(draft, run, action);
}

function closeIntent(draft: StateDraft, run: string, action: string): OpenIntent | undefined {
  const key = intentKey(run, action);
  const open = draft.open.get(key) ?? draft.presumedUndone.get(key);
  draft.open.delete(key);
  return open;
}

/** A key that came as wanted needs no call, and is remembered as if it had been asked for. */
function recordUnneeded(draft: StateDraft, { action, shown, at }: EventOf<"unneeded">): void {
  closeOwnIntent(draft, action);
  if (shown === undefined) return;
  const { prefix, roles } = shown;
  recordRoles(draft, { prefix, setRoles: roles, at, observedRoles: roles });
}

function recordKeyRead(draft: StateDraft, { prefix, roles, provisional }: EventOf<"key-read">): void {
  const known = draft.keys.get(prefix);
  if (known === undefined) return;
  const { provisional: _before, ...key } = known;
  draft.keys.set(prefix, { ...key, observedRoles: roles, ...definedFields({ provisional }) });
}
