import type { Action, KeyRef, ReplaceRoles } from "../../model/action.ts";
import type { FoldedAddress } from "../../model/address.ts";
import { factValue } from "../../model/fact.ts";
import { rolesWithout } from "../../model/role-set.ts";
import { keySubject, memberSubject, userSubject } from "../subjects.ts";

/** One matter of an action: the whole of it, or one person of an addition of members. */
export interface ActionPart {
  readonly action: Action;
  readonly person?: FoldedAddress;
  readonly subject: string;
  /** What tells it apart from other matters of its kind and subject: other roles on a key are another matter. */
  readonly essence: unknown;
}

export function splitAction(action: Action): readonly ActionPart[] {
  switch (action.kind) {
    case "create-user":
      return [{ action, subject: userSubject(action.address), essence: null }];
    case "add-members":
      return action.members.map(({ address: person }) => {
        return { action, person, subject: memberSubject(person, action.team.team), essence: null };
      });
    case "replace-roles":
      return [{ action, subject: subjectOfKey(action.key), essence: differenceOf(action) }];
  }
}

/** Whatever order things were read in, the same matter has the same fingerprint. */
export function partFingerprint({ action, subject, essence }: ActionPart, digest: (text: string) => string): string {
  return digest(JSON.stringify([action.kind, subject, essence])).slice(0, 16);
}

function subjectOfKey(key: KeyRef): string {
  switch (key.of) {
    case "prefix":
      return keySubject(factValue(key.prefix) ?? "");
    case "own-key":
      return `own key of ${userSubject(key.address)}`;
    case "team-key":
      return `key of ${memberSubject(key.address, key.team.team)}`;
  }
}

/** The roles too many and those that are missing, as far as it is known what the key carries. */
function differenceOf({ before, roles }: ReplaceRoles): unknown {
  const carried = factValue(before);
  return carried === undefined ? null : [rolesWithout(carried, roles), rolesWithout(roles, carried)];
}
