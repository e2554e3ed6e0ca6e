import type { ActionId, KeyRef, PersonRef, TeamRef } from "../model/action.ts";
import type { Basis, Reason } from "../model/fact.ts";
import type { RoleSet } from "../model/role-set.ts";
import type { Concern, FindingDraft } from "./draft.ts";
import type { UserIdentity } from "./person.ts";
import type { KnownKey } from "./shown-keys.ts";

/** The exact roles that the roster wants on one key. */
type DesiredKeyRoles = KnownKeyUpdate | NewKeyUpdate;

interface KeyUpdateFields {
  readonly roles: RoleSet;
  readonly owner?: UserIdentity;
  readonly because: readonly Reason[];
  readonly concern: Concern;
}

/** On a key whose prefix is known. */
export interface KnownKeyUpdate extends KeyUpdateFields {
  readonly is: "known";
  readonly key: KnownKey;
  readonly team?: TeamRef;
  /** Of a key that the roster does not ask for by whose it is: it is known to be its holder's own. */
  readonly isOwn?: true;
  /** Who is shown to hold it, where the roster does not name an owner. */
  readonly holder?: PersonRef;
  /** What of the roster asks: a member entry, a user's `ownKeyRoles`, the list of keys, a leaver, a team's `onRemoval`. */
  readonly asks: "member" | "user" | "list" | "leaver" | "removal";
  /** What else the wish rests on. */
  readonly restsOn?: readonly Basis[];
}

/** Whether a wish takes all roles from somebody who is to have none: nothing that the roster asks for waits for it. */
export function removesAllRoles({ asks }: Pick<KnownKeyUpdate, "asks">): boolean {
  return asks === "leaver" || asks === "removal";
}

/** On a key that an action of this plan gives. */
export interface NewKeyUpdate extends KeyUpdateFields {
  readonly is: "given";
  readonly id: ActionId;
  readonly key: Exclude<KeyRef, { of: "prefix" }>;
  /** The key of a founder, who got it with the team. */
  readonly isFounders?: true;
}

/** A wish, or the finding that stands in its way; undefined where nothing is wished for. */
export type DesiredRolesResult =
  | DesiredKeyRoles
  | { readonly is: "troubled"; readonly finding: FindingDraft }
  | undefined;
