import { foldAddress } from "../model/address.ts";
import { type Failure, problem, type Result, success } from "../model/result.ts";
import type { ObservedUser } from "../model/snapshot.ts";
import type { ServiceParts } from "./caller.ts";
import type { Decoded } from "./decode/json.ts";
import { decodeFound } from "./decode/search.ts";
import { decodeUser } from "./decode/user.ts";
import { perPage, readCollection, userKey } from "./lists.ts";
import { type Page, saysNoSuchPage, scanPages } from "./page-scan.ts";
import type { LearnedPaging, PageRequest } from "./page-walk.ts";

type SearchAnswer = Result<Page<ObservedUser>, Failure>;
type Decode = (row: unknown) => Decoded<ObservedUser>;

/** One search names a hundred people at the most: more pages than this hold only strangers. */
const maxPages = 50;

/**
 * One search. A page size is asked for, so that an answer has room to spare; a service that refuses the parameter is asked
 * without it from then on. An answer that names further pages while somebody is missing is read to its end. Some services
 * answer 404 where nobody is found.
 */
export class UserSearch {
  readonly #parts: ServiceParts;
  #takesPageSize = true;

  constructor(parts: ServiceParts) {
    this.#parts = parts;
  }

  async search(
    identifiers: readonly string[],
    by: string,
    signal: AbortSignal | undefined,
  ): Promise<Result<readonly ObservedUser[], Failure>> {
    const decode = (row: unknown) => {
      this.#parts.unread.noteUser(row);
      return decodeUser(row, by);
    };
    const ask = (paging: Partial<PageRequest>) => this.#ask(identifiers, paging, decode, signal);
    const first = await this.#firstPage(ask);
    if (!first.ok) return first.error.code === "not-found" ? success([]) : first;
    if (!mayHoldMore(first.value, identifiers, this.#parts.learned)) return success(first.value.rows);
    return success(await this.#withFurtherPages(first.value.rows, ask));
  }

  async #firstPage(ask: (paging: Partial<PageRequest>) => Promise<SearchAnswer>): Promise<SearchAnswer> {
    const withSize = this.#takesPageSize;
    const found = await ask(withSize ? { perPage } : {});
    if (found.ok || !withSize || !saysNoSuchPage(found.error) || found.error.code === "not-found") return found;
    const again = await ask({});
    if (again.ok) this.#takesPageSize = false;
    return again.ok ? again : problem(found.error);
  }

  /** What cannot be read of the further pages is left out: whoever searches tells by other means whether anybody may be missing. */
  async #withFurtherPages(
    rows: readonly ObservedUser[],
    ask: (paging: Partial<PageRequest>) => Promise<SearchAnswer>,
  ): Promise<readonly ObservedUser[]> {
    const { learned } = this.#parts;
    const size = this.#takesPageSize ? { perPage } : {};
    const pass = await scanPages<ObservedUser>({
      readPage: (page) => ask({ page, ...size }),
      keyOf: userKey,
      firstPage: learned.firstPage,
      size: perPage,
      maxPages,
      namesNextAlways: learned.namesNextAlways,
    });
    if (pass.ok) learned.namesNextAlways ||= pass.value.namesNextAlways;
    const all = new Map(rows.map((row) => [userKey(row), row]));
    if (pass.ok) for (const [key, row] of pass.value.rows) all.set(key, row);
    return [...all.values()];
  }

  #ask(
    identifiers: readonly string[],
    paging: Partial<PageRequest>,
    decode: Decode,
    signal: AbortSignal | undefined,
  ): Promise<SearchAnswer> {
    const { caller, routes, reshape } = this.#parts;
    const reading = { list: reshape.search(decodeFound), row: decode };
    return readCollection(caller, routes.search(identifiers, paging), reading, signal);
  }
}

/** The answer names further pages or counts more rows, and somebody who was asked for is not on this one. */
function mayHoldMore(
  { rows, total, next }: Page<ObservedUser>,
  identifiers: readonly string[],
  { namesNextAlways }: LearnedPaging,
): boolean {
  if ((next === undefined || namesNextAlways) && (total ?? 0) <= rows.length) return false;
  const found = new Set(rows.flatMap(({ address, identifier }) => [address, identifier]));
  return identifiers.some((identifier) => !found.has(identifier) && !found.has(foldAddress(identifier)));
}
