import type { FoldedAddress } from "../model/address.ts";
import type { RequestDigest } from "../model/refusal.ts";
import { additionRefusalFacts, creationRefusalFacts, roleRefusalFacts } from "../model/refusal-facts.ts";
import type { RoleSet } from "../model/role-set.ts";
import type { RosterTeam, RosterUser } from "../model/roster.ts";
import { accountStatus, type ObservedUser } from "../model/snapshot.ts";
import type { Person } from "./person.ts";
import type { Question } from "./question.ts";
import { founderRoles } from "./sent-roles.ts";

/** The creation of a person without a team. */
export function creationRequest(user: RosterUser, question: Question): RequestDigest {
  const facts = creationRefusalFacts(question.snapshot.accounts.get(user.account));
  return digested(["create", ...fieldsOf(user)], facts, question);
}

/** The creation of a person with a team. */
export function foundingRequest(user: RosterUser, team: RosterTeam, question: Question): RequestDigest {
  const { accessKeyRoles } = founderRoles(team, user.address, question);
  const admin = team.admin === undefined || team.admin.value === user.address ? undefined : team.admin.value;
  const asks = ["found", ...fieldsOf(user), team.name, admin ?? null, accessKeyRoles];
  const account = question.snapshot.accounts.get(user.account);
  if (admin === undefined) return digested(asks, creationRefusalFacts(account), question);
  const shown = shownAs(admin, question);
  return digested(asks, shown === undefined ? undefined : creationRefusalFacts(account, shown), question);
}

/** One person's part of the addition of members to a team. The team's identifier is compared by itself. */
export function additionRequest(person: Person, question: Question): RequestDigest {
  const facts = person.is === "present" ? additionRefusalFacts(person.observed) : undefined;
  return digested(["add", person.user.email], facts, question);
}

/** The replacement of the roles of a key that is there. */
export function rolesRequest(
  key: { readonly prefix: string; readonly owner: FoldedAddress | undefined },
  roles: RoleSet,
  question: Question,
): RequestDigest {
  const held = question.facts.keyPrefixed(key.prefix);
  const holder = held?.holder ?? (key.owner === undefined ? undefined : shownAs(key.owner, question));
  const facts = roleRefusalFacts(roles, { roles: question.snapshot.roles, holder, key: held?.key });
  return digested(["roles", roles], facts, question);
}

/** The replacement of the roles of a key that this plan makes. */
export function givenRolesRequest(roles: RoleSet, question: Question): RequestDigest {
  return digested(["roles", roles], undefined, question);
}

function digested(asks: readonly unknown[], facts: string | undefined, { digest }: Question): RequestDigest {
  const short = (text: string) => digest(text).slice(0, 16);
  return { asks: short(JSON.stringify(asks)), ...(facts === undefined ? {} : { facts: short(facts) }) };
}

/** Written as a list, so that no order of fields can change the text. */
function fieldsOf(user: RosterUser): readonly unknown[] {
  const { account, email, firstName, lastName, title, externalIdentifier, source } = user;
  return [account, email, firstName, lastName, title ?? null, externalIdentifier ?? null, source ?? null];
}

/** The one user who is shown with the address and not deleted. */
function shownAs(address: FoldedAddress, { facts }: Question): ObservedUser | undefined {
  const [shown, another] = facts.people.get(address) ?? [];
  return another === undefined && shown !== undefined && accountStatus(shown.status) !== "deleted" ? shown : undefined;
}
