import type { SecondWays } from "./second-ways.ts";
import {
  type Added,
  type Created,
  doneLaterAfter,
  folded,
  isObject,
  isTexts,
  type Key,
  newestRoles,
  type Person,
  type Refused,
  type Replaced,
  storedAddress,
  type Team,
  type World,
} from "./second-world.ts";

/** What goes back. A text is sent as it is, JSON is written out, and what is undefined is no body. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: { readonly json: Json } | { readonly text: string; readonly type: "text/plain" };
}

function json(status: number, value: Json, headers: Readonly<Record<string, string>> = {}): Answer {
  return { status, headers, body: { json: value } };
}

export function creationAnswer(world: World, created: Pick<Created, "person" | "team">): Answer {
  const { ways, account } = world;
  const status = Number.parseInt(ways.creationStatus, 10);
  const location = {
    location: `/api/accounting/accounts/${account}/users/${encodeURIComponent(created.person.identifier)}`,
  };
  switch (ways.creationStatus) {
    case "202-later":
      return queued(location);
    case "204":
    case "201-empty":
      return { status, headers: location };
    default:
      return { status, headers: location, ...creationBody(world, created) };
  }
}

function queued(headers: Readonly<Record<string, string>> = {}): Answer {
  return json(202, { status: "PENDING" }, { ...headers, "retry-after": `${doneLaterAfter / 1_000}` });
}

function creationBody(world: World, { person, team }: Pick<Created, "person" | "team">): Pick<Answer, "body"> {
  const { ways, account } = world;
  const keys = ways.keysInCreations === "shown" ? keysAsTheyAre(person) : undefined;
  // The key that a creation made for its purpose: the team's where it created one, else the person's own.
  const main = team === undefined ? keys?.[0] : keys?.find(({ key }) => key.team === team);
  const teamOf = team === undefined ? {} : teamFields(ways, ways.teamInCreations, team);
  const whole: JsonObject = { ...userRow(world, person, keys), ...teamOf };
  const user = namedUser(world, person);
  const of = (value: Json) => ({ body: { json: value } });
  switch (ways.creationShape) {
    case "user":
      return of(whole);
    case "array":
      return of([whole]);
    case "key":
      if (main === undefined) return of(whole);
      return of({ ...keyRow(ways, main), user, account: { identifier: account, name: accountName }, ...teamOf });
    case "user-and-key":
      return of({ user, ...(main === undefined ? {} : { accessKey: keyRow(ways, main) }), ...teamOf });
    case "flat":
      return of({ ...user, ...(main === undefined ? {} : { [ways.flatPrefixField]: main.key.prefix }), ...teamOf });
    case "whole-key":
      return of({
        user,
        ...(main === undefined ? {} : { apiKey: `${main.key.prefix}.${main.key.secret}` }),
        ...teamOf,
      });
    case "wrapped":
      return of({ data: { user, ...keyList(world, keys), ...teamOf } });
    case "success":
      return of({ success: true, data: whole, error: null });
    case "acknowledged":
      return of({ success: true, message: "The user was created" });
    case "text":
      return main === undefined ? of({ success: true }) : { body: { text: main.key.prefix, type: "text/plain" } };
  }
}

function keyList({ ways }: World, keys: readonly ShownKey[] | undefined): JsonObject {
  return keys === undefined ? {} : { [ways.keysField]: keys.map((key) => keyRow(ways, key)) };
}

export function additionAnswer(world: World, added: Added): Answer {
  const { ways } = world;
  switch (ways.additionStatus) {
    case "202-later":
      return queued();
    case "204":
      return { status: 204 };
    default:
      return { status: Number(ways.additionStatus), ...additionBody(world, added) };
  }
}

function additionBody(world: World, added: Added): Pick<Answer, "body"> {
  const { ways } = world;
  const rows = added.members.map((member) => memberRow(world, member));
  const of = (value: Json) => ({ body: { json: value } });
  switch (ways.additionShape) {
    case "empty":
      return {};
    case "acknowledged":
      return of({ success: true });
    case "people":
      return of(rows);
    case "team":
      return of({ ...teamRow(ways, added.team), members: teamMembers(world, added) });
    case "keys":
      return of(added.members.map((member) => memberKey(world, member)));
    case "outcomes":
      return of({
        successes: rows,
        failures: added.failures.map(({ named, status, message }) => ({ identifier: named, status, detail: message })),
      });
    case "outcome-rows":
      return of([
        ...rows.map((row) => ({ ...row, status: 200 })),
        ...added.failures.map(({ named, status, message }) => ({ identifier: named, status, message })),
      ]);
    case "errors":
      return of({
        members: rows,
        errors: added.failures.map(({ named, status, message }) => ({ identifier: named, code: status, message })),
      });
  }
}

interface Member {
  readonly person: Person;
  readonly key: Key;
}

function memberRow(world: World, { person, key }: Member): JsonObject {
  const { ways } = world;
  const user = namedUser(world, person);
  const added = keyAsItIs(key);
  switch (ways.keysInAdditions) {
    case "hidden":
      return user;
    case "singular":
      return { ...user, accessKey: keyRow(ways, added) };
    case "new":
      return { ...user, ...keyList(world, [added]) };
    case "all":
      return { ...user, ...keyList(world, keysAsTheyAre(person)) };
    case "as-read":
      return { ...user, ...keyList(world, keysAfter(world, person, 0)) };
  }
}

/** All members of the team; those who were there before without what is told of the new ones. */
function teamMembers(world: World, { team, members }: Added): readonly JsonObject[] {
  return team.members.map((person) => {
    const member = members.find((one) => one.person === person);
    return member === undefined ? namedUser(world, person) : memberRow(world, member);
  });
}

function memberKey(world: World, { person, key }: Member): JsonObject {
  const user = namedUser(world, person);
  return world.ways.keysInAdditions === "hidden" ? { user } : { ...keyRow(world.ways, keyAsItIs(key)), user };
}

export function replacementAnswer(world: World, { person, key }: Omit<Replaced, "is">): Answer {
  const { ways } = world;
  if (ways.replacementStatus === "202-later") return queued();
  if (ways.replacementStatus === "204") return { status: 204 };
  const roles = keyAsItIs(key).roles;
  const of = (value: Json) => json(Number(ways.replacementStatus), value);
  switch (ways.replacementShape) {
    case "objects":
      return of(roles.map(roleRow));
    case "names":
      return of(roles);
    case "wrapped":
      return of({ roles: roles.map(roleRow) });
    case "key":
      return of({ ...keyRow(ways, keyAsItIs(key)), user: namedUser(world, person) });
    case "acknowledged":
      return of({ success: true });
  }
}

export function refusalAnswer(world: World, { status, message, holder }: Omit<Refused, "is">): Answer {
  if (holder !== undefined) return { status: 200, ...creationBody(world, { person: holder }) };
  switch (world.ways.refusals) {
    case "by-status":
      return errorAnswer(status, message);
    case "200-no-success":
      return json(200, { success: false, data: null, error: { code: status, message } });
    case "201-error":
      return json(201, { status: "error", message });
  }
}

export function errorAnswer(status: number, message: string, headers: Readonly<Record<string, string>> = {}): Answer {
  return json(status, { statusCode: status, message }, headers);
}

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

function pagedList(world: World, query: URLSearchParams, rows: readonly JsonObject[]): Answer {
  const { ways } = world;
  const asked = wholeNumber(query.get("page"), 1);
  const size = pageSize(ways, query);
  if (size === undefined || asked === undefined) return errorAnswer(400, "This page cannot be shown");
  // Page 0 is the first one too.
  const page = Math.max(asked, 1);
  // A row may have moved to the front after the first page was read, so that no later page shows it.
  const isMoved = world.ways.movingRows !== "none" && page !== 1;
  const sorted = sortRows(world, query, isMoved ? [...rows.slice(-1), ...rows.slice(0, -1)] : rows);
  return json(200, sorted.slice((page - 1) * size, page * size));
}

/** Fields that no row has are not sorted by. */
function sortRows(world: World, query: URLSearchParams, rows: readonly JsonObject[]): readonly JsonObject[] {
  const fields = (query.get("sort-by") ?? "")
    .split(",")
    .filter((field) => rows.some((row) => row[field] !== undefined));
  const sign = (query.get("direction") ?? "ASC").toUpperCase() === "DESC" ? -1 : 1;
  return inOrder(world, rows).toSorted((one, other) => {
    const field = fields.find((name) => textOf(one[name]) !== textOf(other[name]));
    return field === undefined ? 0 : sign * compare(textOf(one[field]), textOf(other[field]));
  });
}

function inOrder({ ways, random }: World, rows: readonly JsonObject[]): readonly JsonObject[] {
  const address = (row: JsonObject) => textOf(row[ways.addressField]);
  switch (ways.order) {
    case "oldest-first":
      return rows;
    case "newest-first":
      return rows.toReversed();
    case "by-address":
      return rows.toSorted((one, other) => compare(address(one), address(other)));
    case "shuffled":
      return rows
        .map((row) => ({ row, place: random() }))
        .toSorted((one, other) => one.place - other.place)
        .map(({ row }) => row);
  }
}

function textOf(value: Json | undefined): string {
  return typeof value === "string" || typeof value === "number" ? `${value}` : "";
}

function compare(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

const defaultSize = 10;

function pageSize(ways: World["ways"], query: URLSearchParams): number | undefined {
  const size = wholeNumber(query.get("per-page"), defaultSize);
  if (size === undefined || size === 0) return undefined;
  if (ways.movingRows === "between-pages-of-3") return Math.min(size, 3);
  switch (ways.pageCap) {
    case "none":
      return size;
    case "clamped-to-3":
      return Math.min(size, 3);
    case "over-10-refused":
      return size > 10 ? undefined : size;
  }
}

function wholeNumber(text: string | null, otherwise: number): number | undefined {
  if (text === null) return otherwise;
  return /^\d{1,9}$/u.test(text) ? Number(text) : undefined;
}

type Json = null | boolean | number | string | readonly Json[] | JsonObject;
/** What is undefined is left out when the answer is written. */
interface JsonObject {
  readonly [name: string]: Json | undefined;
}

interface ShownKey {
  readonly key: Key;
  readonly roles: readonly string[];
}

function keysAsTheyAre(person: Person): readonly ShownKey[] {
  return person.keys.map(keyAsItIs);
}

function keyAsItIs(key: Key): ShownKey {
  return { key, roles: newestRoles(key) };
}

/** The keys of a person that reads with this lag show. Keys have a lag of their own. */
function keysAfter(world: World, person: Person, lag: number): readonly ShownKey[] {
  const until = world.now() - Math.max(lag, world.ways.keysLag);
  return person.keys
    .filter((key) => key.since <= until)
    .map((key) => ({ key, roles: key.roles.findLast(({ since }) => since <= until)?.roles ?? [] }));
}

function peopleAfter(world: World, lag: number): readonly Person[] {
  const until = world.now() - lag;
  return world.people.filter((person) => person.since <= until);
}

/** One user as lists, searches, account details and whole answers show them; without keys where those are hidden. */
function userRow(world: World, person: Person, keys: readonly ShownKey[] | undefined): JsonObject {
  const { ways } = world;
  const teams = keys?.flatMap(({ key }) => (key.team === undefined ? [] : [teamRow(ways, key.team)]));
  return {
    ...identifierOf(ways, person),
    ...addressOf(ways, person),
    firstName: person.firstName,
    lastName: person.lastName,
    title: person.title ?? null,
    externalIdentifier: person.externalIdentifier ?? null,
    ...statusField(ways, person.status),
    ...accountFields(world),
    ...(keys === undefined ? {} : { [ways.keysField]: keys.map((key) => keyRow(ways, key)) }),
    ...(ways.teamsOnUsers === "shown" && teams !== undefined ? { teams } : {}),
  };
}

/** A user who is only named in an answer that is about something else. */
function namedUser(world: World, person: Person): JsonObject {
  const { ways } = world;
  if (ways.peopleInAnswers === "whole") return userRow(world, person, undefined);
  return ways.peopleInAnswers === "identifier" ? identifierOf(ways, person) : addressOf(ways, person);
}

function identifierOf(ways: SecondWays, person: Person): JsonObject {
  return { [ways.identifierField]: shownIdentifier(ways, person.identifier) };
}

function addressOf(ways: SecondWays, person: Person): JsonObject {
  return { [ways.addressField]: storedAddress(ways, person.email) };
}

function shownIdentifier(ways: SecondWays, identifier: string): Json {
  return ways.identifiers === "numbers" ? Number(identifier) : identifier;
}

function keyRow(ways: SecondWays, { key, roles }: ShownKey): JsonObject {
  return {
    prefix: key.prefix,
    ...(ways.statusWords === "flag" ? {} : statusField(ways, "active")),
    ...kindField(ways, key),
    ...rolesField(ways, roles),
    ...(key.team === undefined && ways.teamOfOwnKeys === "absent" ? {} : teamFields(ways, ways.keyTeams, key.team)),
  };
}

function kindField(ways: SecondWays, { kind }: Key): JsonObject {
  if (ways.keyKinds === "hidden") return {};
  if (ways.keyKinds === "default-flag") return { isDefault: kind === "own" };
  return { keyType: kind === "own" ? "user" : kind };
}

function rolesField(ways: SecondWays, roles: readonly string[]): JsonObject {
  if (ways.keyRoles === "hidden") return {};
  return { roles: ways.keyRoles === "names" ? roles : roles.map(roleRow) };
}

function roleRow(identifier: string): JsonObject {
  return { identifier, name: identifier.toLowerCase().replaceAll("_", " ") };
}

function teamRow(ways: SecondWays, { identifier, name }: Team): JsonObject {
  return { identifier: shownIdentifier(ways, identifier), name };
}

/** The team of a key or of a creation, nested or flat, whole or in part; null where there is none. */
function teamFields(
  ways: SecondWays,
  form: SecondWays["keyTeams"] | SecondWays["teamInCreations"],
  team: Team | undefined,
): JsonObject {
  const identifier = team === undefined ? null : shownIdentifier(ways, team.identifier);
  const name = team?.name ?? null;
  switch (form) {
    case "hidden":
      return {};
    case "nested":
      return { team: team === undefined ? null : { identifier, name } };
    case "nested-identifier":
      return { team: team === undefined ? null : { identifier } };
    case "nested-name":
      return { team: team === undefined ? null : { name } };
    case "other-word":
      return { group: team === undefined ? null : { identifier, name } };
    case "flat":
      return { teamIdentifier: identifier, teamName: name };
    case "flat-id":
      return { teamId: identifier, teamName: name };
    case "flat-identifier":
      return { teamIdentifier: identifier };
    case "flat-name":
      return { teamName: name };
  }
}

function statusField(ways: SecondWays, word: "active" | "invited"): JsonObject {
  switch (ways.statusWords) {
    case "hidden":
      return {};
    case "flag":
      return { active: true };
    case "lower":
      return { status: word };
    case "upper":
      return { status: word.toUpperCase() };
    case "capitalised":
      return { status: `${word.charAt(0).toUpperCase()}${word.slice(1)}` };
  }
}

function accountFields({ ways, account }: World): JsonObject {
  if (ways.accountOnUsers === "hidden") return {};
  return ways.accountOnUsers === "flat"
    ? { accountIdentifier: account }
    : { account: { identifier: account, name: accountName } };
}

const accountName = "Acme";

const hour = 3_600_000;

/** The service's own clock, which may be wrong. */
export function clockOf({ ways }: World, time: number): number {
  return ways.clock === "right" ? time : time - hour;
}
