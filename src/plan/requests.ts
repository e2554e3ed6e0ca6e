import type { FoldedAddress } from "../model/address.ts";
import { additionRefusalFacts, creationRefusalFacts, type RequestDigest, roleRefusalFacts } from "../model/refusal.ts";
import type { RoleSet } from "../model/role-set.ts";
import type { RosterTeam, RosterUser } from "../model/roster.ts";
import { accountStatus, type ObservedUser } from "../model/snapshot.ts";
import type { UserIdentity } from "./person.ts";
import type { PlanContext } from "./question.ts";
import { founderRoles } from "./sent-roles.ts";

/** The creation of a person without a team. */
export function creationRequest(user: RosterUser, context: PlanContext): RequestDigest {
  const facts = creationRefusalFacts(context.snapshot.accounts.get(user.account));
  return digestRequest(["create", ...creationFields(user)], facts, context);
}

/** The creation of a person with a team. */
export function foundingRequest(user: RosterUser, team: RosterTeam, context: PlanContext): RequestDigest {
  const { accessKeyRoles } = founderRoles(team, user.address, context);
  const admin = team.admin === undefined || team.admin.value === user.address ? undefined : team.admin.value;
  const asks = ["found", ...creationFields(user), team.name, admin ?? null, accessKeyRoles];
  const account = context.snapshot.accounts.get(user.account);
  if (admin === undefined) return digestRequest(asks, creationRefusalFacts(account), context);
  const shown = observedUserAt(admin, context);
  return digestRequest(asks, shown === undefined ? undefined : creationRefusalFacts(account, shown), context);
}

/** One person's part of the addition of members to a team. The team's identifier is compared by itself. */
export function additionRequest(person: UserIdentity, context: PlanContext): RequestDigest {
  const facts = person.is === "present" ? additionRefusalFacts(person.observed) : undefined;
  return digestRequest(["add", person.user.email], facts, context);
}

/** The replacement of the roles of a key that is there. */
export function rolesRequest(
  key: { readonly prefix: string; readonly owner: FoldedAddress | undefined },
  roles: RoleSet,
  context: PlanContext,
): RequestDigest {
  const held = context.facts.keyPrefixed(key.prefix);
  const holder = held?.holder ?? (key.owner === undefined ? undefined : observedUserAt(key.owner, context));
  const facts = roleRefusalFacts(roles, { roles: context.snapshot.roles, holder, key: held?.key });
  return digestRequest(["roles", roles], facts, context);
}

/** The replacement of the roles of a key that this plan makes. */
export function givenRolesRequest(roles: RoleSet, context: PlanContext): RequestDigest {
  return digestRequest(["roles", roles], undefined, context);
}

function digestRequest(asks: readonly unknown[], facts: string | undefined, { digest }: PlanContext): RequestDigest {
  const short = (text: string) => digest(text).slice(0, 16);
  return { asks: short(JSON.stringify(asks)), ...(facts === undefined ? {} : { facts: short(facts) }) };
}

/** Written as a list, so that no order of fields can change the text. */
function creationFields(user: RosterUser): readonly unknown[] {
  const { account, email, firstName, lastName, title, externalIdentifier, source } = user;
  return [account, email, firstName, lastName, title ?? null, externalIdentifier ?? null, source ?? null];
}

/** The one user who is shown with the address and not deleted. */
function observedUserAt(address: FoldedAddress, { facts }: PlanContext): ObservedUser | undefined {
  const [shown, another] = facts.people.get(address) ?? [];
  return another === undefined && shown !== undefined && accountStatus(shown.status) !== "deleted" ? shown : undefined;
}
