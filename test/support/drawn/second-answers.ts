import {
  accountName,
  type Json,
  type JsonObject,
  keyAsItIs,
  keyRow,
  keysAfter,
  keysAsTheyAre,
  namedUser,
  roleRow,
  type ShownKey,
  teamFields,
  teamRow,
  userRow,
} from "./second-rows.ts";
import type { Key, Person, World } from "./second-world.ts";
import { type Added, type Created, doneLaterAfter, type Refused, type Replaced } from "./second-writes.ts";

/** What goes back. A text is sent as it is, JSON is written out, and what is undefined is no body. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: { readonly json: Json } | { readonly text: string; readonly type: "text/plain" };
}

export function json(status: number, value: Json, headers: Readonly<Record<string, string>> = {}): Answer {
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

/** The person who had the address already, in the shape of a creation's answer. */
function holderAnswer(world: World, person: Person): Answer {
  return { status: 200, ...creationBody(world, { person }) };
}

function creationBody(world: World, { person, team }: Pick<Created, "person" | "team">): Pick<Answer, "body"> {
  const { ways, account } = world;
  const keys = ways.keysInCreations === "shown" ? keysAsTheyAre(person) : undefined;
  const main = mainKey(keys ?? [], team);
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

/** The key that a creation made for its purpose: the team's where it created one, else the person's own. */
function mainKey(keys: readonly ShownKey[], team: Created["team"]): ShownKey | undefined {
  return team === undefined ? keys[0] : keys.find(({ key }) => key.team === team);
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
  if (holder !== undefined) return holderAnswer(world, holder);
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
