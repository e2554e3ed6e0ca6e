import type { ActionId, KeyRef, PersonRef, TeamRef } from "../model/action.ts";
import type { Place } from "../model/place.ts";
import type { RoleSet } from "../model/role-set.ts";
import type { Concern, Draft } from "./draft.ts";
import type { KnownKey } from "./shown-keys.ts";

/** The exact roles that the roster wants on one key. */
export type KeyWish = KnownKeyWish | GivenKeyWish;

interface Common {
  readonly roles: RoleSet;
  readonly owner?: PersonRef;
  readonly because: readonly Place[];
  readonly concern: Concern;
}

/** On a key whose prefix is known. */
export interface KnownKeyWish extends Common {
  readonly is: "known";
  readonly key: KnownKey;
  readonly team?: TeamRef;
  /** Who asks, for a person to read. */
  readonly asker: string;
}

/** On a key that an action of this plan gives. */
export interface GivenKeyWish extends Common {
  readonly is: "given";
  readonly id: ActionId;
  readonly key: Exclude<KeyRef, { of: "prefix" }>;
}

export interface KeyWishes {
  readonly wishes: readonly KeyWish[];
  readonly findings: readonly Draft[];
}

export function together(parts: readonly KeyWishes[]): KeyWishes {
  return {
    wishes: parts.flatMap(({ wishes }) => wishes),
    findings: parts.flatMap(({ findings }) => findings),
  };
}
