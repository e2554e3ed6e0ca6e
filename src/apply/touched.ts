import type { FoldedAddress } from "../model/address.ts";
import type { RoleSet } from "../model/role-set.ts";
import type { TeamIdentity } from "../model/team.ts";

/** What a successful call should have brought about, for a later read to show. */
export type ExpectedEffect = {
  readonly address: FoldedAddress;
  readonly email: string;
  /** Milliseconds since the epoch, when the call was answered; undefined where only reading has shown that it was done. */
  readonly at: number | undefined;
} & (
  | { readonly of: "user" }
  | { readonly of: "membership"; readonly team: TeamIdentity }
  | {
      readonly of: "roles";
      readonly prefix: string;
      readonly roles: RoleSet;
      readonly answered: RoleSet | undefined;
      /** What the key had before, where a read showed that. */
      readonly before: RoleSet | undefined;
    }
);

/** Replaced roles of a key whose owner nobody knows: no search can show them. */
interface UnsearchableKey {
  readonly prefix: string;
}

/** What a run has touched so far. */
export interface ExpectedEffects {
  expect(expectation: ExpectedEffect): void;
  cannotSearch(key: UnsearchableKey): void;
  readonly expectations: readonly ExpectedEffect[];
  readonly unsearchable: readonly UnsearchableKey[];
}

export function trackExpectedEffects(): ExpectedEffects {
  const expectations: ExpectedEffect[] = [];
  const unsearchable: UnsearchableKey[] = [];
  return {
    expectations,
    unsearchable,
    expect: (expectation) => void expectations.push(expectation),
    cannotSearch: (key) => void unsearchable.push(key),
  };
}
