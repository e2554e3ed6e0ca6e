import pLimit from "p-limit";
import type { ReadName } from "../model/fact.ts";
import { type Failure, problem, type Result, success } from "../model/result.ts";
import type { ReadRecord } from "../model/snapshot.ts";
import type { AccountService } from "../ports/account-service.ts";
import { type Clock, isoTime } from "../ports/clock.ts";

interface RecordedReads {
  readonly service: AccountService;
  /** What was read so far, by the names of the reads. */
  readonly readings: ReadonlyMap<ReadName, ReadRecord>;
}

const apiPath = "/api/accounting";

/** The same service, of which is noted when each read began and what was asked. */
export function recordReads(service: AccountService, clock: Clock): RecordedReads {
  const readings = new Map<ReadName, ReadRecord>();
  const note = (name: ReadName, request: string) => {
    readings.set(name, { at: isoTime(clock), request });
  };
  const { address, keyPrefix } = service;
  return {
    readings,
    service: {
      address,
      ...(keyPrefix === undefined ? {} : { keyPrefix }),
      get requests() {
        return service.requests;
      },
      get paging() {
        return service.paging;
      },
      get totals() {
        return service.totals;
      },
      get unread() {
        return service.unread ?? [];
      },
      listRoles(signal) {
        note("roles", `GET ${apiPath}/roles`);
        return service.listRoles(signal);
      },
      listAccounts(signal) {
        note("accounts", `GET ${apiPath}/accounts`);
        return service.listAccounts(signal);
      },
      readAccount(account, signal) {
        note(`account ${account}`, `GET ${apiPath}/accounts/${account}`);
        return service.readAccount(account, signal);
      },
      listUsers(signal) {
        note("list", `GET ${apiPath}/users, every page`);
        return service.listUsers(signal);
      },
      searchUsers(identifiers, read, signal) {
        const count = identifiers.length === 1 ? "1 address" : `${identifiers.length} addresses`;
        note(read, `POST ${apiPath}/users/search for ${count}`);
        return service.searchUsers(identifiers, read, signal);
      },
      createUser: (...of) => service.createUser(...of),
      addMembers: (...of) => service.addMembers(...of),
      replaceRoles: (...of) => service.replaceRoles(...of),
    },
  };
}

/** Runs reads, so many at once; what is still waiting when one fails is not sent any more. */
export type BoundedReads = <T>(
  reads: readonly (() => Promise<Result<T, Failure>>)[],
) => Promise<Result<readonly T[], Failure>>;

export function boundedReads(parallelism: number): BoundedReads {
  const limit = pLimit(Math.max(1, parallelism));
  return async (reads) => {
    let failure: Failure | undefined;
    const settle = async (read: (typeof reads)[number]) => {
      if (failure !== undefined) return problem(failure);
      const result = await read();
      if (!result.ok) failure ??= result.error;
      return result;
    };
    const results = await Promise.all(reads.map((read) => limit(settle, read)));
    if (failure !== undefined) return problem(failure);
    return success(results.flatMap((result) => (result.ok ? [result.value] : [])));
  };
}

/** Names reads, in the order in which they are decided on. */
export interface ReadNames {
  next(kind: "search" | "confirm"): ReadName;
}

/** `search 1`, `search 2`, `confirm 1`. */
export function readNames(): ReadNames {
  const given = { search: 0, confirm: 0 };
  return {
    next(kind) {
      given[kind] += 1;
      return `${kind} ${given[kind]}`;
    },
  };
}

/** `recheck 1`, `recheck 2`, whatever kind of read it is. */
export function readNamesFor(purpose: string): ReadNames {
  let given = 0;
  return {
    next() {
      given += 1;
      return `${purpose} ${given}`;
    },
  };
}
