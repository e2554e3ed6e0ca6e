import type { CreateUser } from "../../model/action.ts";
import { type EmailKey, foldPersonName, isWithinOneEdit, localPartOf } from "../../model/address.ts";
import { byCodeUnit, groupBy } from "../../model/role-set.ts";
import { usersByAddress } from "../../model/roster.ts";
import { isDeleted, type ObservedUser } from "../../model/snapshot.ts";
import { observedBasis, userSubject } from "../../model/subject.ts";
import type { PlanContext } from "../context.ts";
import { unreleasedUsers } from "../dropped-users.ts";
import { joinList, yamlScalar } from "../finding-draft.ts";
import type { GuardInput, Hold, HoldGuard } from "./guard-types.ts";

/**
 * Protects from a second account for somebody who is there: nobody is created while the service shows a person of the same
 * name, with the same local part or one edit apart, that the roster does not name or names as a leaver; under whatever address
 * where the roster has just dropped that person, who has then most likely got another one. Names are compared without case,
 * marks and runs of white space. On unless set to `off`; settled by `distinctFrom`.
 */
export const nearDuplicate: HoldGuard = { name: "near-duplicate", check };

function check({ context, actions }: GuardInput): readonly Hold[] {
  const { roster, snapshot, policy } = context;
  const created = actions.filter((action) => action.kind === "create-user");
  if (policy.guards.nearDuplicate === "off" || created.length === 0) return [];
  const named = usersByAddress(roster);
  const others = groupBy(
    snapshot.users.filter((user) => !named.has(user.address) && !isDeleted(user)),
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
    if (near.length === 0) return [];
    const hold = duplicateHold(creation, near, dropped, context);
    // A person who may only have got another address loses no roles meanwhile, as by `onRemoval: revoke`.
    const moved = near.filter((one) => dropped.has(one.address)).map((one) => one.address);
    const kept = actions.flatMap((action) => {
      const isMoved = action.kind === "replace-roles" && moved.some((one) => one === action.owner?.address);
      return isMoved ? [{ of: "part", action: action.id } as const] : [];
    });
    return [{ ...hold, withholds: [...hold.withholds, ...kept] }];
  });
}

/** `near`: in the order of their addresses. */
function duplicateHold(
  { address, user, because }: CreateUser,
  near: readonly ObservedUser[],
  dropped: ReadonlySet<EmailKey>,
  { roster: { leavers } }: PlanContext,
): Hold {
  const who = near.map(({ email, address: other }) => {
    if (leavers.has(other)) return `${email} (a leaver)`;
    return dropped.has(other) ? `${email} (in the last applied roster)` : email;
  });
  const nearness = near.every((one) => dropped.has(one.address)) ? "" : " and a similar address";
  const isUnnamed = near.some((one) => !leavers.has(one.address) && !dropped.has(one.address));
  const emails = near.map(({ email }) => email).sort();
  const message =
    `${user.email} (${user.firstName} ${user.lastName}) is not created: the service has a user with the same name${nearness}, ` +
    `${joinList(who)}.${isUnnamed ? " The roster does not name that user." : ""} Same person: write the existing address as \`email\`, or the former one ` +
    `under \`previously\`. Another person: write \`distinctFrom: [${emails.join(", ")}]\`.`;
  const apart = `distinctFrom: [${emails.map(yamlScalar).join(", ")}]`;
  const moved = near.find((one) => dropped.has(one.address));
  const settled =
    moved === undefined ? apart : `previously: [${yamlScalar(moved.email)}] # or, for two different people: ${apart}`;
  return {
    subject: userSubject(address),
    message,
    because: because.slice(0, 1),
    restsOn: near.map((one) => observedBasis(userSubject(one.address), "present", one.by)),
    suggestedYaml: `users:\n  - email: ${yamlScalar(user.email)}\n    ${settled}\n`,
    withholds: [{ of: "person", address }],
    facts: near.map((one) => `near ${one.address}${one.identifier === undefined ? "" : ` (${one.identifier})`}`),
  };
}
