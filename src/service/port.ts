import type { Capabilities, UnreadField } from "../model/capabilities.ts";
import type { Failure } from "../model/failure.ts";
import type { ObservedKey } from "../model/key.ts";
import type { CreateUser } from "../model/plan.ts";
import type { Result } from "../model/result.ts";
import type { ObservedAccount, ObservedRole, Snapshot } from "../model/snapshot.ts";
import type { ObservedTeam } from "../model/team.ts";
import type { AddressedUser, ObservedUser } from "../model/user.ts";
import type { Profile, RoleSet } from "../model/values.ts";
import type { Moment, ServerTimes } from "../ports/clock.ts";

/** The eight routes of the account service as the program sees them: decoded, bounded, retried where that is safe. */
export interface AccountService {
  readonly address: string;
  /** The public part of the key in use, where the key has two parts. The key may change between two calls. */
  readonly keyPrefix?: string | undefined;
  readonly times?: ServerTimes | undefined;
  /**
   * Resolves when a request may start, or is aborted. Reads, and what is sent again, wait by themselves. Whoever announces a write
   * waits first: an announced call has to leave soon.
   */
  readonly mayStart?: (signal?: AbortSignal) => Promise<void>;
  /** How many requests were sent so far, retries and pages included. */
  readonly requests: { readonly reads: number; readonly writes: number };
  /** How lists are paged, and whether they say how many rows there are in all; `unknown` before the first walk. */
  readonly lists: Pick<Capabilities, "paging" | "totals">;
  /** Fields of users and keys seen so far that are not read, and look as if they should be. */
  readonly unread?: readonly UnreadField[] | undefined;
  listRoles(signal?: AbortSignal): Promise<Result<readonly ObservedRole[], Failure>>;
  /** Every account that the key may see. A list that is not complete is a failure. */
  listAccounts(signal?: AbortSignal): Promise<Result<readonly ObservedAccount[], Failure>>;
  /** A `not-found` failure says that there is no such account. */
  readAccount(account: string, signal?: AbortSignal): Promise<Result<ObservedAccount, Failure>>;
  /** Users whom the service returned for the identifiers. May hold others than asked for; may lack some. */
  searchUsers(
    identifiers: readonly string[],
    read: string,
    signal?: AbortSignal,
  ): Promise<Result<readonly ObservedUser[], Failure>>;
  listUsers(signal?: AbortSignal): Promise<Result<UserList, Failure>>;
  /**
   * Sent once: the caller must announce it again before it is sent again. `announced`: a call that does not leave soon after
   * it is not sent; without it, after it was handed over.
   */
  createUser(
    account: string,
    user: CreateUser["user"],
    team: NewTeam | undefined,
    signal?: AbortSignal,
    announced?: Moment,
  ): Promise<WriteResult<CreateUserResponse>>;
  addMembers(
    teamIdentifier: string,
    identifiers: readonly string[],
    signal?: AbortSignal,
    announced?: Moment,
  ): Promise<WriteResult<AddMembersResponse>>;
  /** Sent again where that is safe: the call is idempotent. */
  replaceRoles(
    prefix: string,
    roles: RoleSet,
    signal?: AbortSignal,
    announced?: Moment,
  ): Promise<WriteResult<ReplaceRolesResponse>>;
}

/**
 * `failed`: it had no effect. `throttled`: the service asks to come back later, and may have done it all the same. `unknown`: it may
 * have had its effect, and only reading can tell.
 */
export type WriteResult<T> =
  | { readonly outcome: "done"; readonly value: T }
  | {
      readonly outcome: "failed";
      readonly failure: Failure;
      /** Announced anew, it may be sent: it could not leave in its time, or its key was refused and another one is in use now. */
      readonly sendAgain?: "too-late" | "new-key" | undefined;
    }
  | {
      readonly outcome: "throttled";
      readonly failure: Failure;
      /** Milliseconds after which the call may be sent again, where the service says so. */
      readonly askAfter?: number | undefined;
    }
  | {
      readonly outcome: "unknown";
      readonly failure: Failure;
      /** The service took the call and will do it later (202). */
      readonly accepted?: { readonly askAfter?: number };
    };

export interface UserList {
  readonly users: readonly ObservedUser[];
  readonly complete: { readonly yes: true } | { readonly yes: false; readonly why: string };
}

export interface NewTeam {
  readonly name: string;
  readonly adminUserIdentifier?: string | undefined;
  readonly accessKeyRoles: RoleSet;
}

/** What an answer to a creation shows. Nothing of it was compared with what was asked for yet. */
export interface CreateUserResponse {
  readonly identifier?: string | undefined;
  readonly email?: string | undefined;
  /** Milliseconds from the creation of the shown user until the answer, where the answer tells both times. */
  readonly age?: number | undefined;
  readonly key?: ObservedKey | undefined;
  /** The prefixes of an answer that shows several keys of which none can be told to be the one. */
  readonly ambiguousKeys?: readonly string[] | undefined;
  /** Every key that the answer shows, whosever it is. */
  readonly shownKeys?: readonly ObservedKey[] | undefined;
  readonly team?: ObservedTeam | undefined;
  readonly profile: Profile;
}

export interface AddMembersResponse {
  readonly team?: ObservedTeam | undefined;
  /** People whom the answer names, by what it names them with. Empty where the answer names nobody. */
  readonly members: readonly AddMemberResult[];
  /** It lists those who were added next to those who failed, if only as `[]`. A person in neither list may not be a member. */
  readonly listsAdded?: true | undefined;
  /** Keys that stand beside no name. */
  readonly keys?: readonly ObservedKey[] | undefined;
}

export interface AddMemberResult {
  readonly identifier?: string | undefined;
  readonly email?: string | undefined;
  readonly failure?: Failure | undefined;
  /** `named`: the answer shows one key by itself, which is the new one. `listed`: it may show every key of the person. */
  readonly keys?: { readonly are: "named" | "listed"; readonly shown: readonly ObservedKey[] };
}

export type ReplaceRolesResponse = Partial<Pick<ObservedKey, "prefix" | "roles">>;

/** Reads people again in the course of a run, as carefully as a plan reads them. */
export interface UserReader {
  /**
   * Searches for everybody, in batches. A failure is a failed read, never somebody's absence. `purpose` names the
   * reads: `recheck` becomes `recheck 1` and so on. Two users of one address are both in it.
   */
  read(
    people: readonly AddressedUser[],
    purpose: string,
    signal?: AbortSignal,
  ): Promise<Result<Pick<Snapshot, "users" | "absences">, Failure>>;
}

/** Milliseconds within which the reads of most services show a write. What they do not show by then proves nothing. */
export const readDelay = 5000;

/** Milliseconds after its announcement within which a call must leave: a run that finds the announcement counts on it. */
export const timeLeft = 2000;

/** How often one call or one list takes another key: a source may make a new key each time. */
export const maxRenewals = 2;

/** Milliseconds for which an announcement says that its call may be sent, where the store is slow. */
export const announcementTime = { least: 6000, most: 60_000 };
