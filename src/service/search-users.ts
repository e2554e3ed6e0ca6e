import type { Failure } from "../model/failure.ts";
import { problem, type Result, success } from "../model/result.ts";
import type { ObservedUser } from "../model/snapshot.ts";
import type { Caller } from "./caller.ts";
import { readCollection } from "./collection.ts";
import { decodeUser } from "./decode/user.ts";
import type { Routes } from "./routes.ts";

/**
 * One search. The page size is asked for, so that a service that pages its answers shows every hit; a service that refuses
 * the parameter is asked without it from then on. Some services answer 404 where nobody is found.
 */
export class UserSearch {
  readonly #caller: Caller;
  readonly #routes: Routes;
  #takesPageSize = true;

  constructor(caller: Caller, routes: Routes) {
    this.#caller = caller;
    this.#routes = routes;
  }

  async search(
    identifiers: readonly string[],
    by: string,
    signal: AbortSignal | undefined,
  ): Promise<Result<readonly ObservedUser[], Failure>> {
    const withSize = this.#takesPageSize;
    const paging = withSize ? { perPage: identifiers.length } : {};
    const call = this.#routes.search(identifiers, paging);
    const found = await readCollection(this.#caller, call, (row) => decodeUser(row, by), signal);
    if (found.ok) return success(found.value.rows);
    if (found.error.status === 404) return success([]);
    if (!withSize || found.error.status !== 400) return problem(found.error);
    const again = await this.#withoutPageSize(identifiers, by, signal);
    if (again.ok) this.#takesPageSize = false;
    return again;
  }

  async #withoutPageSize(
    identifiers: readonly string[],
    by: string,
    signal: AbortSignal | undefined,
  ): Promise<Result<readonly ObservedUser[], Failure>> {
    const call = this.#routes.search(identifiers, {});
    const found = await readCollection(this.#caller, call, (row) => decodeUser(row, by), signal);
    return found.ok ? success(found.value.rows) : found;
  }
}
