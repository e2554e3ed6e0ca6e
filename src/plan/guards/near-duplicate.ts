import { say } from "../../codes/message.ts";
import type { CreateUser } from "../../model/action.ts";
import { type EmailKey, foldPersonName, isWithinOneEdit, localPartOf } from "../../model/address.ts";
import { byCodeUnit, groupBy } from "../../model/collections.ts";
import { isDeleted } from "../../model/key.ts";
import { observedBasis, userSubject } from "../../model/subject.ts";
import type { ObservedUser } from "../../model/user.ts";
import { unreleasedUsers } from "../dropped-users.ts";
import type { GuardInput, Hold } from "./guard-types.ts";

/**
 * Protects from a second account for somebody who is there: a person of the same name, with the same local part or one edit
 * apart, whom the roster does not name or names as a leaver; under whatever address where the roster has just dropped that person,
 * who has then most likely got another one. `distinctFrom` in the roster ends it.
 */
export function nearDuplicate({ context, actions }: GuardInput): readonly Hold[] {
  const { roster, snapshot, policy, names } = context;
  const created = actions.filter((action) => action.kind === "create-user");
  if (policy.guards.nearDuplicate === "off" || created.length === 0) return [];
  const others = groupBy(
    snapshot.users.filter((user) => names().userAt(user.address) === undefined && !isDeleted(user)),
    ({ firstName, lastName }) => foldPersonName(firstName, lastName),
  );
  const dropped = new Set(unreleasedUsers(context).map(({ address }) => address));
  return created.flatMap((creation) => {
    const { address, user } = creation;
    const apart = (roster.users.get(address)?.distinctFrom ?? []).map(({ value }) => value);
    const near = (others.get(foldPersonName(user.firstName, user.lastName) ?? "") ?? [])
      .filter((other) => !apart.includes(other.address))
      .filter((one) => dropped.has(one.address) || isWithinOneEdit(localPartOf(address), localPartOf(one.address)))
      .sort((a, b) => byCodeUnit(a.address, b.address));
    return near.length === 0 ? [] : [duplicateHold(creation, near, dropped, { context, actions })];
  });
}

/** `near`: in the order of their addresses. */
function duplicateHold(
  { address, user, because }: CreateUser,
  near: readonly ObservedUser[],
  dropped: ReadonlySet<EmailKey>,
  { context, actions }: Pick<GuardInput, "context" | "actions">,
): Hold {
  const { leavers } = context.roster;
  const moved = near.filter((one) => dropped.has(one.address));
  const formerly = ({ address: other }: ObservedUser) =>
    leavers.has(other) ? " (a leaver)" : dropped.has(other) ? " (in the last applied roster)" : "";
  const texts = say("near-duplicate", {
    email: user.email,
    name: `${user.firstName} ${user.lastName}`,
    nearness: moved.length === near.length ? undefined : "similar",
    near: near.map((one) => `${one.email}${formerly(one)}`),
    unnamed: near.some((one) => formerly(one) === "") ? "that user" : undefined,
    others: near.map(({ email }) => email).sort(),
    former: moved[0]?.email,
  });
  // A person who may only have got another address loses no roles meanwhile, as by `onRemoval: revoke`.
  const kept = actions.filter(
    (one) => one.kind === "replace-roles" && moved.some((user) => user.address === one.key.address),
  );
  return {
    subject: userSubject(address),
    ...texts,
    because: because.slice(0, 1),
    restsOn: near.map((one) => observedBasis(userSubject(one.address), "present", one.by)),
    withholds: [{ of: "person", address }, ...kept.map(({ id }) => ({ of: "part", action: id }) as const)],
    facts: near.map((one) => `near ${one.address}${one.identifier === undefined ? "" : ` (${one.identifier})`}`),
  };
}
