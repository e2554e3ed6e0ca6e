import type { FoldedAddress } from "../model/address.ts";
import type { RoleSet } from "../model/role-set.ts";
import type { TeamIdentity } from "../model/shown-keys.ts";

/** What a successful call should have brought about, for a later read to show. */
export type Expectation = {
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
interface Unsearchable {
  readonly prefix: string;
}

/** What a run has touched so far. */
export interface Touched {
  expect(expectation: Expectation): void;
  cannotSearch(key: Unsearchable): void;
  readonly expectations: readonly Expectation[];
  readonly unsearchable: readonly Unsearchable[];
}

export function touchedByRun(): Touched {
  const expectations: Expectation[] = [];
  const unsearchable: Unsearchable[] = [];
  return {
    expectations,
    unsearchable,
    expect: (expectation) => void expectations.push(expectation),
    cannotSearch: (key) => void unsearchable.push(key),
  };
}
