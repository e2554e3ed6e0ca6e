import type { Absence, ObservedAccount, ObservedUser, Snapshot } from "../model/snapshot.ts";
import type { UnreadField } from "../model/unread-field.ts";
import type { AddressRewriter } from "./rewriting.ts";
import { canonicalSnapshot } from "./snapshot-order.ts";

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
    ...(members === undefined ? {} : { members: members.map(anew.address) }),
    ...(statuses === undefined ? {} : { memberStatuses: new Map(statuses) }),
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
    ...(status === undefined ? {} : { status }),
    ...(account === undefined ? {} : { account }),
    ...(keys === undefined ? {} : { keys }),
    by,
  };
}

function rewriteAbsence(absence: Absence, anew: AddressRewriter): Absence {
  return absence.proven ? absence : { proven: false, why: anew.text(absence.why) };
}
