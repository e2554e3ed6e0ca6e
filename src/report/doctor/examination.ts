import type { AnswerShape, Capabilities, UnreadField } from "../../model/capabilities.ts";
import type { Failure } from "../../model/failure.ts";
import type { Result } from "../../model/result.ts";
import type { ObservedAccount, ObservedRole, SearchCheck, UserListStatus } from "../../model/snapshot.ts";
import type { RoleSet } from "../../model/values.ts";

/** What a service shows to a key. A read that failed stands here as its failure. What was not asked is absent. */
export interface Examination {
  /** Where calls go: the configured endpoint without a trailing slash and without `/api`. */
  readonly address: string;
  /** `prefix`: the key's public part, where it has one; `owner`: who has it, where an answer shows it. */
  readonly key: {
    readonly prefix?: string;
    readonly owner?: { readonly email: string; readonly roles?: RoleSet };
  };
  readonly roles: Reading<readonly ObservedRole[]>;
  /** Other addresses that were tried, where the configured one does not answer. */
  readonly otherAddresses: readonly OtherAddress[];
  /** Those that the key may see. */
  readonly accounts?: Reading<readonly ObservedAccount[]>;
  readonly details: readonly { readonly account: string; readonly reading: Reading<ObservedAccount> }[];
  /** `users`, `requests`: how many. */
  readonly list?: Reading<{ readonly users: number; readonly requests: number; readonly everyone: UserListStatus }>;
  /** For a user of the list. */
  readonly search?: { readonly email: string; readonly reading: Reading<SearchCheck> };
  /** Absent where the list of users was not read. */
  readonly capabilities?: Capabilities;
  /** Fields of users and keys that are not read, and look as if they should be. */
  readonly unread?: readonly UnreadField[];
  /** What came for each read of the configured address. */
  readonly answers: readonly AnswerShape[];
}

type Reading<T> = Result<T, Failure>;

export interface OtherAddress {
  readonly address: string;
  /** What to configure so that calls go there. */
  readonly endpoint: string;
  readonly reading: Reading<unknown>;
}
