import { success } from "../model/result.ts";
import { type Decoded, describeShape, isObject, type JsonObject, misreading } from "./decode/json.ts";
import { isCount, type ListBody } from "./decode/list.ts";
import { type Pointer, pointedAt, type Shapes } from "./shapes.ts";

type ReadList = (body: unknown) => Decoded<ListBody>;

/** Brings answers of mapped shapes into those that the decoders know. What is not mapped stays as it is. */
export interface Reshape {
  readonly users: (decode: ReadList) => ReadList;
  readonly search: (decode: ReadList) => ReadList;
  readonly accounts: (decode: ReadList) => ReadList;
  readonly roles: (decode: ReadList) => ReadList;
  readonly account: Change;
  readonly createdUser: Change;
  readonly addedMembers: Change;
  readonly replacedRoles: Change;
}

const keyLists = ["accessKeys", "listAccessKeys", "keys", "apiKeys"];

export function reshapeBy(shapes: Shapes): Reshape {
  const team = overlay(shapes.team ?? {});
  const key = keyChange(shapes.key ?? {}, shapes.team ?? {}, team);
  const user = person(shapes.users ?? {}, key);
  const { users, search = users, accounts, roles } = shapes;
  return {
    users: (decode) => listAt(users ?? {}, decode, user),
    search: (decode) => listAt(search ?? {}, decode, user),
    accounts: (decode) => listAt(accounts ?? {}, decode, overlay(rowFields(accounts ?? {}))),
    roles: (decode) => listAt(roles ?? {}, decode, overlay(rowFields(roles ?? {}))),
    account: inTurn(overlay(shapes.account ?? {}), within(["users"], user)),
    createdUser: inTurn(creation(shapes.createdUser ?? {}, key), within(["team"], team)),
    addedMembers: addition(shapes.addedMembers ?? {}, key),
    replacedRoles: wholeAt(shapes.replacedRoles?.list),
  };
}

function keyChange(fields: Fields, teamFields: Fields, team: Change): Change {
  if (fields["team"] !== "") return inTurn(overlay(fields), within(["team"], team));
  const { team: _flat, ...rest } = fields;
  return inTurn(overlay(rest), flatTeam(teamFields));
}

/** A team whose fields stand on the key itself: none where all of them are null. */
function flatTeam(fields: Fields): Change {
  return (row) => {
    if (!isObject(row)) return row;
    const told = Object.entries(fields).map(([name, pointer]) => [name, pointedAt(row, pointer ?? "")] as const);
    const shown = told.filter(([, value]) => value !== undefined);
    if (shown.length === 0) return row;
    const isNone = shown.every(([, value]) => value === null);
    return { ...row, team: isNone ? null : Object.fromEntries(shown) };
  };
}

function rowFields({ list: _list, total: _total, ...fields }: Fields): Fields {
  return fields;
}

/** A user with mapped fields; mapped keys stand in for whatever else looks like keys. */
function person(fields: Fields, key: Change): Change {
  const { keys, ...rest } = rowFields(fields);
  const laid = overlay({ ...rest, accessKeys: keys });
  const only: Change = keys === undefined ? unchanged : (value) => alone(value, "accessKeys", laid(value));
  return inTurn(keys === undefined ? laid : only, within(keyLists, key));
}

function alone(value: unknown, name: string, laid: unknown): unknown {
  if (!isObject(value) || !isObject(laid)) return value;
  return { ...without(laid, keyLists), [name]: laid[name] };
}

/** A mapped prefix is the new key. */
function creation(fields: Fields, key: Change): Change {
  const { prefix, ...rest } = fields;
  const user = person(rest, key);
  if (prefix === undefined) return user;
  return (body) => {
    const changed = user(body);
    const found = pointedAt(body, prefix);
    return isObject(changed) && found !== undefined
      ? { ...without(changed, keyLists), accessKeys: [{ prefix: found }] }
      : changed;
  };
}

function addition({ list, key: one, ...fields }: Fields, key: Change): Change {
  const member = inTurn(overlay({ ...fields, accessKey: one }), within(["accessKey", ...keyLists], key));
  return inTurn(wholeAt(list), (body) => (Array.isArray(body) ? body.map(member) : body));
}

function wholeAt(pointer: string | undefined): Change {
  return pointer === undefined ? unchanged : (body) => pointedAt(body, pointer) ?? body;
}

/** The list under its pointer, or where `decode` finds it. A pointer that leads to no list is a misreading. */
function listAt({ list: pointer, total }: Fields, decode: ReadList, row: Change): ReadList {
  const read: ReadList = pointer === undefined ? decode : (body) => rowsAt(body, pointer, total);
  if (row === unchanged) return read;
  return (body) => {
    const list = read(body);
    return list.ok ? success({ ...list.value, rows: list.value.rows.map(row) }) : list;
  };
}

function rowsAt(body: unknown, pointer: string, total: string | undefined): Decoded<ListBody> {
  const rows = pointedAt(body, pointer);
  if (!Array.isArray(rows)) {
    return misreading(
      `the settings say that its list is at ${pointer || "the top"}, and ${describeShape(rows)} is there`,
    );
  }
  const counted = total === undefined ? undefined : pointedAt(body, total);
  return success({ rows, ...(isCount(counted) ? { total: counted } : {}) });
}

/** Pointers by the name under which the decoders know what they lead to. */
type Fields = Readonly<Record<string, Pointer | undefined>>;

/** Changes a value, or leaves it as it is. */
type Change = (value: unknown) => unknown;

const unchanged: Change = (value) => value;

/** Puts each mapped field that is there under its own name, beside everything else. */
function overlay(fields: Fields): Change {
  const mapped = Object.entries(fields).flatMap(([name, pointer]) =>
    pointer === undefined ? [] : [{ name, pointer }],
  );
  if (mapped.length === 0) return unchanged;
  return (value) => {
    if (!isObject(value)) return value;
    const found = mapped.map(({ name, pointer }): [string, unknown] => [name, pointedAt(value, pointer)]);
    return { ...value, ...Object.fromEntries(found.filter(([, there]) => there !== undefined)) };
  };
}

/** Changes what stands under one of the names, where it is there; lists, entry by entry. */
function within(names: readonly string[], change: Change): Change {
  if (change === unchanged) return unchanged;
  return (value) => {
    if (!isObject(value)) return value;
    const entries = Object.entries(value).map(([name, held]) => [
      name,
      names.includes(name) ? each(held, change) : held,
    ]);
    return Object.fromEntries(entries);
  };
}

function each(held: unknown, change: Change): unknown {
  return Array.isArray(held) ? held.map(change) : change(held);
}

function inTurn(...changes: readonly Change[]): Change {
  const real = changes.filter((change) => change !== unchanged);
  return real.length === 0 ? unchanged : (value) => real.reduce((changed, change) => change(changed), value);
}

function without(record: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)));
}
