import { type Answer, errorAnswer, json } from "./second-answers.ts";
import { pagedList } from "./second-lists.ts";
import {
  accountName,
  type Json,
  type JsonObject,
  keysAfter,
  peopleAfter,
  roleRow,
  shownIdentifier,
  statusField,
  userRow,
} from "./second-rows.ts";
import { folded, type Person, storedAddress, type World } from "./second-world.ts";
import { isObject, isTexts } from "./second-writes.ts";

export function listAccounts({ ways, account }: World): Answer {
  return json(200, [{ identifier: account, name: accountName, ...statusField(ways, "active") }]);
}

export function listRoles({ roles }: World): Answer {
  return json(200, roles.map(roleRow));
}

export function listUsers(world: World, query: URLSearchParams): Answer {
  const { listLag, keysInLists } = world.ways;
  const rows = peopleAfter(world, listLag).map((person) =>
    userRow(world, person, keysInLists === "shown" ? keysAfter(world, person, listLag) : undefined),
  );
  return pagedList(world, query, rows);
}

export function accountDetails(world: World, account: string): Answer {
  if (account !== world.account) return errorAnswer(404, `The account ${account} was not found`);
  const status = statusField(world.ways, "active");
  return json(200, { identifier: account, name: accountName, ...status, ...detailsUsers(world) });
}

function detailsUsers(world: World): JsonObject {
  const { detailsLag, detailsUsers: form, keysInDetails } = world.ways;
  const people = peopleAfter(world, detailsLag);
  const row = (person: Person) =>
    userRow(world, person, keysInDetails === "shown" ? keysAfter(world, person, detailsLag) : undefined);
  switch (form) {
    case "hidden":
      return {};
    case "rows":
      return { users: people.map(row) };
    case "envelope":
      return { users: { items: people.map(row), total: people.length } };
    case "addresses":
      return { users: people.map(({ email }) => storedAddress(world.ways, email)) };
    case "identifiers":
      return { users: people.map(({ identifier }) => shownIdentifier(world.ways, identifier)) };
    case "first-3":
      return { userCount: people.length, users: people.slice(0, 3).map(row) };
  }
}

export function searchUsers(world: World, query: URLSearchParams, body: unknown): Answer {
  const { ways } = world;
  const asked = isObject(body) ? body["identifiers"] : undefined;
  if (!isTexts(asked)) return invalidSearch(world, "identifiers is a list of texts");
  if (ways.searchLimit === "over-5-refused" && asked.length > 5) {
    return invalidSearch(world, "At most 5 identifiers can be searched for");
  }
  const hits = searchHits(world, asked);
  const shown = ways.searchLimit === "first-5" ? hits.slice(0, 5) : hits;
  if (ways.searchShape === "not-found" && shown.length === 0) return errorAnswer(404, "No user was found");
  const row = (person: Person) =>
    userRow(world, person, ways.keysInSearches === "shown" ? keysAfter(world, person, ways.searchLag) : undefined);
  if (ways.searchLimit === "paged") return pagedList(world, query, shown.map(row));
  return searchAnswer(world, { asked, shown, row });
}

function searchHits(world: World, asked: readonly string[]): readonly Person[] {
  const { ways, random } = world;
  const known = peopleAfter(world, ways.searchLag);
  switch (ways.searches) {
    case "first-5-of-all":
      return known.slice(0, 5);
    case "nobody":
      return [];
    case "now-and-then-nobody":
      if (random() < 0.3) return [];
      break;
    case "sound":
  }
  return known.filter((person) => asked.some((named) => isHit(ways, person, named)));
}

function invalidSearch(world: World, message: string): Answer {
  return errorAnswer(Number(world.ways.invalidStatus), message);
}

function isHit({ searchMatch, searchNames, addresses }: World["ways"], person: Person, named: string): boolean {
  if (searchNames === "address-or-identifier" && person.identifier === named) return true;
  switch (searchMatch) {
    case "exact":
      return (addresses === "lowered" ? folded(person.email) : person.email) === named;
    case "folded":
      return folded(person.email) === folded(named);
    case "part":
      return folded(person.email).includes(folded(named));
  }
}

interface Hits {
  readonly asked: readonly string[];
  readonly shown: readonly Person[];
  readonly row: (person: Person) => JsonObject;
}

function searchAnswer(world: World, { asked, shown, row }: Hits): Answer {
  const { ways } = world;
  /** The one whom a name means; others only have it as a part of theirs. */
  const meant = (named: string) =>
    shown.find(
      (person) => folded(person.email) === folded(named) || (isHit(ways, person, named) && person.identifier === named),
    );
  const found = new Set(asked.map(meant));
  const only = shown[0];
  switch (ways.searchShape) {
    case "rows":
    case "not-found":
      return json(200, shown.map(row));
    case "single":
      return json(200, shown.length === 1 && only !== undefined ? row(only) : shown.map(row));
    case "envelope":
      return json(200, { items: shown.map(row), total: shown.length });
    case "map":
      return json(
        200,
        Object.fromEntries(
          shown.filter((one) => found.has(one)).map((one) => [storedAddress(ways, one.email), row(one)]),
        ),
      );
    case "map-with-nulls":
      return json(200, Object.fromEntries(asked.map((named) => [named, rowOrNull(meant(named), row)])));
    case "positional":
      return json(
        200,
        asked.map((named) => rowOrNull(meant(named), row)),
      );
    case "found":
      return json(200, { found: shown.map(row), notFound: asked.filter((named) => meant(named) === undefined) });
  }
}

function rowOrNull(person: Person | undefined, row: Hits["row"]): Json {
  return person === undefined ? null : row(person);
}
