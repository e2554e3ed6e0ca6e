import { success } from "../model/failure.ts";
import { profileFieldNames } from "../model/user.ts";
import { type Decoded, describeShape, isCount, isObject, type ListBody, misreading } from "./decode/json.ts";

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

/** What a pointer leads to; `undefined` where it leads nowhere. Sees own properties only. */
export function pointedAt(value: unknown, pointer: Pointer): unknown {
  let at = value;
  for (const written of pointer.split("/").slice(1)) {
    const step = written.replaceAll("~1", "/").replaceAll("~0", "~");
    if (typeof at !== "object" || at === null || !Object.hasOwn(at, step)) return undefined;
    at = Object.entries(at).find(([name]) => name === step)?.[1];
  }
  return at;
}

type ReadList = (body: unknown) => Decoded<ListBody>;

/** Brings answers of mapped shapes into those that the decoders know. What is not mapped stays as it is. */
export type Reshape = ReturnType<typeof reshapeBy>;

const keyLists = ["accessKeys", "listAccessKeys", "keys", "apiKeys"];

export function reshapeBy(shapes: Shapes) {
  const { users = {}, search = users, accounts = {}, roles = {}, account = {}, createdUser = {} } = shapes;
  const { list: membersAt, key: memberKey, ...memberFields } = shapes.addedMembers ?? {};
  const team = overlay(shapes.team ?? {});
  const key = keyChange(shapes.key ?? {}, shapes.team ?? {}, team);
  const user = userChange(users, key);
  const member = inTurn(overlay({ ...memberFields, accessKey: memberKey }), within(["accessKey", ...keyLists], key));
  const rowsOf = (fields: FieldPointers) => overlay({ ...fields, list: undefined, total: undefined });
  return {
    users: (decode: ReadList) => listAt(users, decode, user),
    search: (decode: ReadList) => listAt(search, decode, user),
    accounts: (decode: ReadList) => listAt(accounts, decode, rowsOf(accounts)),
    roles: (decode: ReadList) => listAt(roles, decode, rowsOf(roles)),
    account: inTurn(overlay(account), within(["users"], user)),
    createdUser: inTurn(userChange(createdUser, key), within(["team"], team)),
    addedMembers: inTurn(wholeAt(membersAt), (body) => (Array.isArray(body) ? body.map(member) : body)),
    replacedRoles: wholeAt(shapes.replacedRoles?.list),
  };
}

/** Pointers by the name under which the decoders know what they lead to. */
type FieldPointers = Readonly<Record<string, Pointer | undefined>>;

/** Changes a value, or leaves it as it is. */
type Change = (value: unknown) => unknown;

const unchanged: Change = (value) => value;

function keyChange(fields: FieldPointers, teamFields: FieldPointers, team: Change): Change {
  if (fields["team"] !== "") return inTurn(overlay(fields), within(["team"], team));
  return inTurn(overlay({ ...fields, team: undefined }), flatTeam(teamFields));
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

/** A user with mapped fields; mapped keys, and a mapped prefix of a new key, stand in for whatever else looks like keys. */
function userChange({ keys, prefix, list: _list, total: _total, ...fields }: FieldPointers, key: Change): Change {
  const laid = overlay({ ...fields, accessKeys: keys });
  const user: Change = (row) => {
    const changed = laid(row);
    const found = prefix === undefined ? undefined : pointedAt(row, prefix);
    if (!isObject(changed) || (keys === undefined && found === undefined)) return changed;
    const others = Object.entries(changed).filter(([name]) => !keyLists.includes(name));
    const mapped = found === undefined ? changed["accessKeys"] : [{ prefix: found }];
    return { ...Object.fromEntries(others), accessKeys: mapped };
  };
  return inTurn(laid === unchanged && prefix === undefined ? unchanged : user, within(keyLists, key));
}

function wholeAt(pointer: Pointer | undefined): Change {
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

function rowsAt(body: unknown, pointer: Pointer, total: Pointer | undefined): Decoded<ListBody> {
  const rows = pointedAt(body, pointer);
  if (!Array.isArray(rows)) {
    return misreading(`the settings name its list at ${pointer || "the top"}, but there is ${describeShape(rows)}`);
  }
  const counted = total === undefined ? undefined : pointedAt(body, total);
  return success({ rows, ...(isCount(counted) ? { total: counted } : {}) });
}

/** Puts each mapped field that is there under its own name, next to everything else. */
function overlay(fields: FieldPointers): Change {
  const mapped = Object.entries(fields).filter((field): field is [string, Pointer] => field[1] !== undefined);
  if (mapped.length === 0) return unchanged;
  return (value) => {
    if (!isObject(value)) return value;
    const found = mapped.map(([name, pointer]): [string, unknown] => [name, pointedAt(value, pointer)]);
    return { ...value, ...Object.fromEntries(found.filter(([, there]) => there !== undefined)) };
  };
}

/** Changes what stands under one of the names, where it is there; lists, entry by entry. */
function within(names: readonly string[], change: Change): Change {
  if (change === unchanged) return unchanged;
  const each: Change = (held) => (Array.isArray(held) ? held.map(change) : change(held));
  return (value) => {
    if (!isObject(value)) return value;
    const entries = Object.entries(value).map(([name, held]) => [name, names.includes(name) ? each(held) : held]);
    return Object.fromEntries(entries);
  };
}

function inTurn(...changes: readonly Change[]): Change {
  const real = changes.filter((change) => change !== unchanged);
  return real.length === 0 ? unchanged : (value) => real.reduce((changed, change) => change(changed), value);
}
