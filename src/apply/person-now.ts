import type { PersonRef } from "../model/action.ts";
import { factValue } from "../model/fact.ts";
import type { Failure } from "../model/result.ts";
import { accountStatus, type ObservedUser } from "../model/snapshot.ts";
import type { LookupResults } from "./people-look.ts";

/** What a read says of somebody whom a plan took to be there. */
export type PersonCheck =
  | { readonly is: "there"; readonly user: ObservedUser }
  /** Gone, deleted, or no longer the one whom the plan meant. */
  | { readonly is: "moved"; readonly failure: Failure }
  | { readonly is: "unproven"; readonly failure: Failure };

/** Looks whether the very user whom the plan meant is at the address. */
export function checkPerson(person: PersonRef, shown: LookupResults): PersonCheck {
  const { address, email } = person;
  const looked = shown(address);
  switch (looked.is) {
    case "absent":
      return changedCheck(`${email} is not there any more`);
    case "unproven":
      return { is: "unproven", failure: unprovenFailure(`whether ${email} is still there`, looked.why) };
    case "user":
      return checkUser(person, looked.user);
    case "several": {
      const known = factValue(person.identifier);
      const meant = looked.users.find(({ identifier }) => identifier !== undefined && identifier === known);
      return meant === undefined
        ? changedCheck(`${email} is the address of several users by now`)
        : checkUser(person, meant);
    }
  }
}

function checkUser({ email, identifier }: PersonRef, user: ObservedUser): PersonCheck {
  if (accountStatus(user.status) === "deleted") return changedCheck(`${email} was deleted`);
  const known = factValue(identifier);
  const isAnother = known !== undefined && user.identifier !== undefined && user.identifier !== known;
  return isAnother ? changedCheck(`${email} is the address of another user by now`) : { is: "there", user };
}

function changedCheck(message: string): PersonCheck {
  return { is: "moved", failure: { code: "not-found", message, hint: planAgainHint } };
}

export const planAgainHint = "plan again: what was known of this person has moved since the plan was made";

export function unprovenFailure(what: string, why: string): Failure {
  return { code: "unproven", message: `it is not proven any more ${what}: ${why}`, hint: "plan again a moment later" };
}
