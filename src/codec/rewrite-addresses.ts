import type { AuditRecord } from "../model/audit.ts";
import type { UnreadField } from "../model/capabilities.ts";
import type { Intent } from "../model/event.ts";
import { type RecordedRefusal, type RefusedPart, type RequestDigest, refusalKeyOf } from "../model/refusal.ts";
import type { Failure } from "../model/result.ts";
import { definedFields } from "../model/role-set.ts";
import type { Absence, ObservedAccount, ObservedUser, Snapshot } from "../model/snapshot.ts";
import type { AppliedRoster, OpenIntent, RecordedUser, State } from "../model/state.ts";
import { membershipKeyOf } from "../model/team.ts";
import type { AddressRewriter } from "./pseudonymize.ts";
import { canonicalSnapshot } from "./snapshot.ts";

/** The same snapshot with every address written anew. */
export function rewriteSnapshot(snapshot: Snapshot, anew: AddressRewriter): Snapshot {
  const { accounts, users, absences, readings, unread } = snapshot;
  return canonicalSnapshot({
    ...snapshot,
    accounts: new Map([...accounts].map(([asked, account]) => [asked, rewriteAccount(account, anew)])),
    users: users.map((user) => rewriteObservedUser(user, anew)),
    absences: new Map(
      [...absences].map(([address, absence]) => [anew.address(address), rewriteAbsence(absence, anew)]),
    ),
    readings: new Map([...readings].map(([read, { at, request }]) => [read, { at, request: anew.text(request) }])),
    ...(unread === undefined ? {} : { unread: unread.map((field) => rewriteUnread(field, anew)) }),
  });
}

/** The name of a field is the service's text. */
function rewriteUnread(field: UnreadField, anew: AddressRewriter): UnreadField {
  const pointer = anew.text(field.pointer);
  if (field.like !== "team") return { like: field.like, pointer };
  const { identifier, name } = field;
  return {
    like: "team",
    pointer,
    ...(identifier === undefined ? {} : { identifier: anew.text(identifier) }),
    ...(name === undefined ? {} : { name: anew.text(name) }),
  };
}

function rewriteAccount(
  { members, memberStatuses, ...account }: ObservedAccount,
  anew: AddressRewriter,
): ObservedAccount {
  const statuses =
    memberStatuses && [...memberStatuses].map(([address, word]) => [anew.address(address), word] as const);
  return {
    ...account,
    ...definedFields({
      members: members?.map(anew.address),
      memberStatuses: statuses && new Map(statuses),
    }),
  };
}

/** Named field by field, so that no field that is added to a user slips into a file unseen. */
function rewriteObservedUser(user: ObservedUser, anew: AddressRewriter): ObservedUser {
  const { identifier, email, address, status, account, keys, by, ...profile } = user;
  return {
    ...(identifier === undefined ? {} : { identifier: anew.identifier(identifier) }),
    email: anew.email(email, address),
    address: anew.address(address),
    ...(anew.profiles === "kept" ? profile : {}),
    ...definedFields({ status, account, keys }),
    by,
  };
}

function rewriteAbsence(absence: Absence, anew: AddressRewriter): Absence {
  return absence.proven ? absence : { proven: false, why: anew.text(absence.why) };
}

/** The same record with every address written anew. Who ran roster stays as it is. */
export function rewriteAuditRecord(record: AuditRecord, anew: AddressRewriter): AuditRecord {
  switch (record.kind) {
    case "run-started": {
      const { allowed, reason } = record;
      const why = reason === undefined ? {} : { reason: { ...reason, text: anew.text(reason.text) } };
      return { ...record, allowed: allowed.map(anew.text), ...why };
    }
    case "call": {
      const { action, person, why } = record;
      return {
        ...record,
        action: anew.text(action),
        ...(person === undefined ? {} : { person: anew.address(person) }),
        ...(why === undefined ? {} : { why: anew.text(why) }),
      };
    }
    case "key-learned":
      return { ...record, person: anew.address(record.person) };
    case "plan":
    case "state-changed":
    case "run-ended":
      return record;
  }
}

/** The same state, as far as planning needs it, with every address written anew. */
export function rewriteState(state: State, anew: AddressRewriter): State {
  const { users, teams, memberships, keys, open, refusals, applied } = state;
  const people = [...users.values()].map((user) => rewriteRecordedUser(user, anew));
  const places = [...memberships.values()].map((held) => ({ ...held, address: anew.address(held.address) }));
  const refused = [...refusals.values()].map((refusal) => rewriteRefusal(refusal, anew));
  return {
    lineage: state.lineage,
    serial: state.serial,
    ...(state.service === undefined ? {} : { service: state.service }),
    ...(state.capabilities === undefined ? {} : { capabilities: state.capabilities }),
    ...(state.queues === undefined ? {} : { queues: state.queues }),
    ...(state.writes === undefined ? {} : { writes: state.writes }),
    users: new Map(people.map((user) => [user.address, user])),
    teams: new Map(
      [...teams].map(([key, { founder, ...team }]) => [
        key,
        founder === undefined ? team : { ...team, founder: anew.address(founder) },
      ]),
    ),
    memberships: new Map(places.map((held) => [membershipKeyOf(held.team, held.address), held])),
    keys,
    open: open.map((one) => rewriteOpen(one, anew)),
    refusals: new Map(refused.map((refusal) => [refusalKeyOf(refusal.part), refusal])),
    ...(applied === undefined ? {} : { applied: rewriteApplied(applied, anew) }),
  };
}

function rewriteRecordedUser({ profile, ...user }: RecordedUser, anew: AddressRewriter): RecordedUser {
  const { address, email, identifier } = user;
  return {
    ...user,
    address: anew.address(address),
    email: anew.email(email, address),
    ...(identifier === undefined ? {} : { identifier: anew.identifier(identifier) }),
    ...(profile === undefined || anew.profiles === "left-out" ? {} : { profile }),
  };
}

function rewriteApplied({ at, digest, people }: AppliedRoster, anew: AddressRewriter): AppliedRoster {
  const named = [...people].map(
    ([address, { email }]) => [anew.address(address), { email: anew.email(email, address) }] as const,
  );
  return { at, digest: anew.digest(digest), people: new Map(named) };
}

function rewriteOpen({ run, action, at, accepted, declined, intent }: OpenIntent, anew: AddressRewriter): OpenIntent {
  return {
    run,
    action: anew.text(action),
    at,
    ...(accepted === undefined ? {} : { accepted }),
    ...(declined === undefined ? {} : { declined: rewriteFailure(declined, anew) }),
    intent: rewriteIntent(intent, anew),
  };
}

function rewriteIntent(kept: Intent, anew: AddressRewriter): Intent {
  const intent = anew.profiles === "kept" ? kept : withoutOwnership(kept);
  switch (intent.kind) {
    case "create-user": {
      const { address, email, sent, request } = intent;
      return {
        ...intent,
        address: anew.address(address),
        email: anew.email(email, address),
        sent: anew.profiles === "kept" ? sent : {},
        ...(request === undefined ? {} : { request: rewriteRequest(request, anew) }),
      };
    }
    case "add-members": {
      const { addresses, requests, ownerships } = intent;
      const asked = requests?.map((one) => ({ ...rewriteRequest(one, anew), address: anew.address(one.address) }));
      return {
        ...intent,
        addresses: addresses.map(anew.address),
        ...(asked === undefined ? {} : { requests: asked }),
        ...(ownerships === undefined
          ? {}
          : { ownerships: ownerships.map((one) => ({ ...one, address: anew.address(one.address) })) }),
      };
    }
    case "replace-roles": {
      const { owner, request } = intent;
      return {
        ...intent,
        ...(owner === undefined ? {} : { owner: anew.address(owner) }),
        ...(request === undefined ? {} : { request: rewriteRequest(request, anew) }),
      };
    }
  }
}

/** A note may name people. */
function withoutOwnership(intent: Intent): Intent {
  if (intent.kind === "add-members") {
    const { ownerships: _, ...rest } = intent;
    return rest;
  }
  const { ownership: _, ...rest } = intent;
  return rest;
}

function rewriteRefusal({ part, request, at, failure, plan }: RecordedRefusal, anew: AddressRewriter): RecordedRefusal {
  return {
    ...(plan === undefined ? {} : { plan }),
    part: rewritePart(part, anew),
    request: rewriteRequest(request, anew),
    at,
    failure: rewriteFailure(failure, anew),
  };
}

function rewritePart(part: RefusedPart, anew: AddressRewriter): RefusedPart {
  switch (part.of) {
    case "creation":
    case "founding":
      return { ...part, address: anew.address(part.address), email: anew.email(part.email, part.address) };
    case "addition":
      return { ...part, address: anew.address(part.address) };
    case "roles":
      return part.owner === undefined ? part : { ...part, owner: anew.address(part.owner) };
  }
}

function rewriteRequest({ asks, facts }: RequestDigest, anew: AddressRewriter): RequestDigest {
  return { asks: anew.digest(asks), ...(facts === undefined ? {} : { facts: anew.digest(facts) }) };
}

/** What a service says of a request may name whom it is about. */
function rewriteFailure(failure: Failure, anew: AddressRewriter): Failure {
  const { code, message, request, status } = failure;
  if (anew.profiles === "kept") return { ...failure, message: anew.text(message) };
  return {
    code,
    message: anew.text(message),
    ...(request === undefined ? {} : { request: anew.text(request) }),
    ...(status === undefined ? {} : { status }),
  };
}
