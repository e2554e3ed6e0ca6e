import type { Action, CreateUser } from "../../model/action.ts";
import { type EmailKey, foldPersonName, isWithinOneEdit, localPartOf } from "../../model/address.ts";
import { multimap } from "../../model/role-set.ts";
import { usersByAddress } from "../../model/roster.ts";
import { accountStatus, type ObservedUser } from "../../model/snapshot.ts";
import { observedBasis, userSubject } from "../../model/subject.ts";
import type { PlanContext } from "../context.ts";
import { unreleasedUsers } from "../dropped-users.ts";
import { joinList, yamlScalar } from "../finding-draft.ts";
import type { GuardInput, Hold, HoldGuard, HoldTarget } from "./guard-types.ts";

/**
 * Protects from a second account for somebody who is there: nobody is created while the service shows a person of the same
 * name, with the same local part or one edit apart, that the roster does not name or names as a leaver; under whatever address
 * where the roster has just dropped that person, who has then most likely got another one. Names are compared without case,
 * marks and runs of white space. On unless set to `off`; settled by `distinctFrom`.
 */
export const nearDuplicate: HoldGuard = { name: "near-duplicate", check };

function check({ context, actions }: GuardInput): readonly Hold[] {
  const created = actions.filter((action) => action.kind === "create-user");
  if (context.policy.guards.nearDuplicate === "off" || created.length === 0) return [];
  const others = othersByName(context);
  const dropped = droppedAddresses(context);
  return created.flatMap((creation) => {
    const { firstName, lastName } = creation.user;
    const namesakes = others.get(foldPersonName(firstName, lastName) ?? "") ?? [];
    const near = namesakes.filter((other) => isNear(creation.address, other, context, dropped));
    if (near.length === 0) return [];
    const hold = duplicateHold(creation, near, context, dropped);
    const left = keyUpdatesOf(
      new Set(near.map(({ address }) => address).filter((address) => dropped.has(address))),
      actions,
    );
    return [{ ...hold, withholds: [...hold.withholds, ...left] }];
  });
}

/** A person who may only have got another address loses no roles meanwhile, as by `onRemoval: revoke`. */
function keyUpdatesOf(people: ReadonlySet<EmailKey>, actions: readonly Action[]): readonly HoldTarget[] {
  return actions.flatMap((action) =>
    action.kind === "replace-roles" && action.owner !== undefined && people.has(action.owner.address)
      ? [{ of: "part", action: action.id } as const]
      : [],
  );
}

function droppedAddresses(context: PlanContext): ReadonlySet<EmailKey> {
  return new Set(unreleasedUsers(context).map(({ address }) => address));
}

/** A person who is there and is not among the users of the roster, under any address that it gives for them. */
function othersByName({ roster, snapshot }: PlanContext): ReadonlyMap<string, readonly ObservedUser[]> {
  const named = usersByAddress(roster);
  const others = snapshot.users.flatMap((user) => {
    const name = foldPersonName(user.firstName, user.lastName);
    const isOther = name !== undefined && !named.has(user.address) && accountStatus(user.status) !== "deleted";
    return isOther ? [[name, user] as const] : [];
  });
  return multimap(others);
}

function isNear(
  address: EmailKey,
  other: ObservedUser,
  { roster }: PlanContext,
  dropped: ReadonlySet<EmailKey>,
): boolean {
  const apart = roster.users.get(address)?.distinctFrom ?? [];
  if (apart.some(({ value }) => value === other.address)) return false;
  return dropped.has(other.address) || isWithinOneEdit(localPartOf(address), localPartOf(other.address));
}

function duplicateHold(
  { address, user, because }: CreateUser,
  near: readonly ObservedUser[],
  { roster }: PlanContext,
  dropped: ReadonlySet<EmailKey>,
): Hold {
  const emails = near.map(({ email }) => email).sort();
  const shown = [...near].sort((a, b) => (a.address < b.address ? -1 : 1));
  const who = shown.map(({ email, address: other }) => {
    if (roster.leavers.has(other)) return `${email} (a leaver)`;
    return dropped.has(other) ? `${email} (in the last applied roster)` : email;
  });
  const nearness = shown.every((one) => dropped.has(one.address)) ? "" : " and a similar address";
  const isNobody = (one: ObservedUser) => !roster.leavers.has(one.address) && !dropped.has(one.address);
  const unnamed = near.some(isNobody) ? " The roster does not name that user." : "";
  const message =
    `${user.email} (${user.firstName} ${user.lastName}) is not created: the service has a user with the same name${nearness}, ` +
    `${joinList(who)}.${unnamed} Same person: write the existing address as \`email\`, or the former one ` +
    `under \`previously\`. Another person: write \`distinctFrom: [${emails.join(", ")}]\`.`;
  const apart = `distinctFrom: [${emails.map(yamlScalar).join(", ")}]`;
  const [moved] = shown.filter((one) => dropped.has(one.address));
  const settled =
    moved === undefined ? apart : `previously: [${yamlScalar(moved.email)}] # or, for two different people: ${apart}`;
  const lines = ["users:", `  - email: ${yamlScalar(user.email)}`, `    ${settled}`];
  return {
    subject: userSubject(address),
    message,
    because: because.slice(0, 1),
    restsOn: shown.map((one) => observedBasis(userSubject(one.address), "present", one.by)),
    suggestedYaml: `${lines.join("\n")}\n`,
    withholds: [{ of: "person", address }],
    facts: shown.map((one) => `near ${one.address}${one.identifier === undefined ? "" : ` (${one.identifier})`}`),
  };
}
