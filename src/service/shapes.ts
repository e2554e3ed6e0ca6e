import { profileFieldNames } from "../model/action.ts";
import { success } from "../model/result.ts";
import {
  type Decoded,
  describeShape,
  isCount,
  isObject,
  type JsonObject,
  type ListBody,
  misreading,
} from "./decode/json.ts";

const userFields = ["identifier", "email", "status", "account", "keys", ...profileFieldNames] as const;

/** The parts of answers that can be mapped, and the fields of each. Pointers to fields start at the row, if there are rows. */
export const shapeFields = {
  users: ["list", "total", ...userFields],
  search: ["list", "total"],
  accounts: ["list", "total", "identifier", "name", "status"],
  account: ["name", "status", "users"],
  roles: ["list", "total", "identifier", "name", "type"],
  key: ["prefix", "status", "kind", "team", "roles", "isDefault"],
  team: ["identifier", "name"],
  createdUser: [...userFields, "prefix", "team"],
  addedMembers: ["list", "identifier", "email", "key", "prefix", "error"],
  replacedRoles: ["list"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

export type ShapePart = keyof typeof shapeFields;

/** Where a service's answers hold what roster could not find by itself. */
export type Shapes = {
  readonly [Part in ShapePart]?: Readonly<Partial<Record<(typeof shapeFields)[Part][number], Pointer>>>;
};

/** A JSON Pointer (RFC 6901), such as `/payload/rows`. */
export type Pointer = string;

/** Says what is wrong with a pointer, or nothing. */
export function pointerProblem(text: string): string | undefined {
  if (text !== "" && !text.startsWith("/"))
    return `\`${text}\` is not a JSON Pointer. It must start with a slash, like /payload/rows`;
  return /~(?![01])/u.test(text)
    ? `\`${text}\` is not a JSON Pointer. Write ~ as ~0, and / inside a name as ~1`
    : undefined;
}

/** What a pointer leads to; `undefined` where it leads nowhere. Sees own properties only. @internal */
export function pointedAt(value: unknown, pointer: Pointer): unknown {
  let at = value;
  for (const step of stepsOf(pointer)) {
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, step)) return undefined;
    at = Object.entries(at).find(([name]) => name === step)?.[1];
  }
  return at;
}

function stepsOf(pointer: Pointer): readonly string[] {
  return pointer
    .split("/")
    .slice(1)
    .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

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
  const user = userChange(shapes.users ?? {}, key);
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

function keyChange(fields: FieldPointers, teamFields: FieldPointers, team: Change): Change {
  if (fields["team"] !== "") return inTurn(overlay(fields), within(["team"], team));
  const { team: _flat, ...rest } = fields;
  return inTurn(overlay(rest), flatTeam(teamFields));
}

/** A team whose fields stand on the key itself: none where all of them are null. */
function flatTeam(fields: FieldPointers): Change {
  return (row) => {
    if (!isObject(row)) return row;
    const pointed = Object.entries(fields).map(([name, pointer]) => [name, pointedAt(row, pointer ?? "")] as const);
    const shown = pointed.filter(([, value]) => value !== undefined);
    if (shown.length === 0) return row;
    const isNone = shown.every(([, value]) => value === null);
    return { ...row, team: isNone ? null : Object.fromEntries(shown) };
  };
}

function rowFields({ list: _list, total: _total, ...fields }: FieldPointers): FieldPointers {
  return fields;
}

/** A user with mapped fields; mapped keys stand in for whatever else looks like keys. */
function userChange(fields: FieldPointers, key: Change): Change {
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
function creation(fields: FieldPointers, key: Change): Change {
  const { prefix, ...rest } = fields;
  const user = userChange(rest, key);
  if (prefix === undefined) return user;
  return (body) => {
    const changed = user(body);
    const found = pointedAt(body, prefix);
    return isObject(changed) && found !== undefined
      ? { ...without(changed, keyLists), accessKeys: [{ prefix: found }] }
      : changed;
  };
}

function addition({ list, key: one, ...fields }: FieldPointers, key: Change): Change {
  const member = inTurn(overlay({ ...fields, accessKey: one }), within(["accessKey", ...keyLists], key));
  return inTurn(wholeAt(list), (body) => (Array.isArray(body) ? body.map(member) : body));
}

function wholeAt(pointer: string | undefined): Change {
  return pointer === undefined ? unchanged : (body) => pointedAt(body, pointer) ?? body;
}

/** The list under its pointer, or where `decode` finds it. A pointer that leads to no list is a misreading. */
function listAt({ list: pointer, total }: FieldPointers, decode: ReadList, row: Change): ReadList {
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
    return misreading(`the settings name its list at ${pointer || "the top"}, but there is ${describeShape(rows)}`);
  }
  const counted = total === undefined ? undefined : pointedAt(body, total);
  return success({ rows, ...(isCount(counted) ? { total: counted } : {}) });
}

/** Pointers by the name under which the decoders know what they lead to. */
type FieldPointers = Readonly<Record<string, Pointer | undefined>>;

/** Changes a value, or leaves it as it is. */
type Change = (value: unknown) => unknown;

const unchanged: Change = (value) => value;

/** Puts each mapped field that is there under its own name, next to everything else. */
function overlay(fields: FieldPointers): Change {
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
