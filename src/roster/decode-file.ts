import { isAcceptCode } from "../model/accept.ts";
import { closestMatch } from "../model/address.ts";
import { type Located, type Place, type Reason, reasonAt } from "../model/fact.ts";
import { type RoleSet, roleSet } from "../model/role-set.ts";
import {
  andThen,
  boolean,
  byKey,
  byKind,
  type Cursor,
  checked,
  type Decoder,
  decode,
  list,
  located,
  mapOf,
  object,
  oneOf,
  optional,
  required,
  type SourceValue,
} from "../yaml/decode.ts";
import type { MapNode } from "../yaml/source-text.ts";
import {
  address,
  date,
  gatherOwnership,
  keyOwner,
  line,
  name,
  ownershipFields,
  prefix,
  saysSomething,
} from "./decode-text.ts";
import type { RosterDiagnostics } from "./diagnostics.ts";
import type { GroupEntry, MemberEntry, RoleReferences, RoleSetEntry, RosterDocument, TimedRole } from "./document.ts";

/** What the settings say about accounts. */
export interface AccountSettings {
  /** The account of files that name none; an identifier or an alias. */
  readonly account?: string;
  /** Where a settings file says so. */
  readonly accountAt?: Place;
  /** Identifiers by their aliases. */
  readonly accounts: ReadonlyMap<string, string>;
  /** Where a settings file says so, by alias. */
  readonly accountsAt?: ReadonlyMap<string, Place>;
}

/** Decodes one file, and reports everything about its form that is wrong. */
export function decodeFile(
  tree: MapNode,
  settings: AccountSettings,
  log: RosterDiagnostics,
): RosterDocument | undefined {
  if (isOtherFile(tree)) return reportOtherFile(tree, log);
  const file = decode(rosterFile, tree, { log, ...fileOptions });
  if (file === undefined) return undefined;
  const named = fileAccount(file.account, tree, settings, log);
  const account = named?.value ?? "";
  const reasons = named?.reasons ?? [];
  const { source } = file.defaults;
  const sourceReasons =
    source === undefined ? [] : [reasonAt(source.at.place, "defaults", { name: `source ${source.value}` })];
  const isUsed = file.users.length > 0 || file.teams.length > 0;
  return {
    accounts: named !== undefined && isUsed ? [{ value: named.value, place: named.place }] : [],
    users: file.users.map((one) => ({
      ...one,
      source: one.source ?? source?.value,
      account,
      defaults: one.source === undefined ? [...reasons, ...sourceReasons] : reasons,
    })),
    leavers: file.leavers.map((one) => ({ ...one, account: named?.value })),
    teams: file.teams.map(({ members, ...one }) => ({
      ...one,
      account,
      defaults: reasons,
      members: members.value,
      allReadable: members.isWhole,
    })),
    keys: file.keys,
    roleSets: file.roleSets,
    groups: file.groups,
    accept: file.accept,
  };
}

/** A map with keys, none of which is a section of a roster or looks like one: the file of another program. */
function isOtherFile({ entries }: MapNode): boolean {
  const sections = Object.keys(fileFields).filter((name) => name !== "version");
  return (
    entries.some(({ key }) => key.text !== "version") &&
    entries.every(({ key }) => closestMatch(key.text, sections) === undefined)
  );
}

function reportOtherFile(tree: MapNode, log: RosterDiagnostics): undefined {
  const hint = "Move the file, or list only your roster files in `roster.config.yaml`: `roster: [roster.yaml]`.";
  const at = tree.entries[0]?.key ?? tree;
  log.error(at, "not-a-roster-file", "This is not a roster file: it has no `users`, `teams` or other section.", hint);
}

interface NamedAccount extends Located<string> {
  readonly reasons: readonly Reason[];
}

function fileAccount(
  written: SourceValue<string> | undefined,
  tree: MapNode,
  settings: AccountSettings,
  log: RosterDiagnostics,
): NamedAccount | undefined {
  if (written !== undefined) {
    const { value: name, at } = written;
    const reasons = [reasonAt(at.place, "account", { name }), ...aliasReasons(name, settings)];
    return { value: accountIdentifier(name, settings), place: at.place, reasons };
  }
  if (tree.entries.some(({ key: { text } }) => text === "account")) return undefined;
  if (settings.account !== undefined) return settingsAccount(settings.account, tree.place, settings);
  for (const section of ["users", "teams"]) {
    const entry = tree.entries.find(({ key: { text } }) => text === section);
    if (entry?.value.kind !== "list" || entry.value.items.length === 0) continue;
    const message = `This file has ${section} but names no account.`;
    const hint = "Write `account: IDENTIFIER` at the top of the file, or `account:` in the settings.";
    log.error(entry.key, "missing-key", message, hint);
    break;
  }
  return undefined;
}

/** Where no settings file names it, a flag or a variable does, which has no place. */
function settingsAccount(name: string, place: Place, settings: AccountSettings): NamedAccount {
  const at = settings.accountAt;
  const named = at === undefined ? [] : [reasonAt(at, "settings-account", { name })];
  return { value: accountIdentifier(name, settings), place, reasons: [...named, ...aliasReasons(name, settings)] };
}

function aliasReasons(name: string, { accountsAt }: AccountSettings): readonly Reason[] {
  const at = accountsAt?.get(name);
  return at === undefined ? [] : [reasonAt(at, "settings-account", { name })];
}

/** A name that is no alias is an identifier; whether there is such an account, the service knows. */
function accountIdentifier(name: string, settings: AccountSettings): string {
  return settings.accounts.get(name) ?? name;
}

/** More roles than any key can mean; it keeps the roster small however often a role set is used. */
export const maxRoles = 200;

const period = { from: optional(date), until: optional(date) };

const roleSetReference = object({ set: required(located(line)), ...period }, { title: "A reference to a role set" });

const roleReference = object({ role: required(located(line)), ...period }, { title: "A role with dates" });

const roleMap = byKey<TimedRole>(
  {
    set: andThen(roleSetReference, ({ set: name, ...dates }, { node: at }) => ({ is: "set", at, name, ...dates })),
    role: andThen(roleReference, ({ role: name, ...dates }, { node: at }) => ({ is: "role", at, name, ...dates })),
  },
  { title: "A role", hint: "Write two entries." },
);

const roleEntry = byKind<string | TimedRole>({ scalar: line, map: roleMap }, "a role or `{ set: NAME }`");

/** A list of role identifiers, `{ set: NAME }` and `{ role: NAME, until: DATE }`, in any mixture. Where it cannot be read, no roles. */
const roles: Decoder<RoleReferences> = (cursor) => {
  const entries = readRoles(roleEntry, cursor);
  const maps = entries.filter((entry) => typeof entry !== "string");
  const lasting = maps.filter(({ from, until }) => from === undefined && until === undefined);
  return {
    at: cursor.key ?? cursor.node,
    roles: [
      ...entries.filter((entry) => typeof entry === "string"),
      ...lasting.flatMap(({ is, name }) => (is === "role" ? [name.value] : [])),
    ],
    sets: lasting.flatMap(({ is, name }) => (is === "set" ? [name] : [])),
    timed: maps.filter((entry) => !lasting.includes(entry)),
  };
};

const plainRole = byKind({ scalar: line }, "a role", "List the roles: a role set cannot contain a role set.");

/** The roles of a role set: identifiers alone. Where they cannot be read, none. */
const plainRoles: Decoder<RoleSet> = (cursor) => roleSet(readRoles(plainRole, cursor));

function readRoles<T>(role: Decoder<T>, cursor: Cursor): readonly T[] {
  const { node } = cursor;
  if (node.kind !== "list" || node.items.length <= maxRoles) return list(role)(cursor) ?? [];
  const message = `This list has ${node.items.length} roles; no key can have more than ${maxRoles}.`;
  cursor.fault(message);
  return [];
}

const version: Decoder<number> = (cursor) => {
  const { node } = cursor;
  if (node.kind !== "scalar" || node.type !== "number") return cursor.wrongType("the number 1", "Write `version: 1`.");
  if (Number(node.text) === 1) return 1;
  const message = `This roster has format version ${node.text}; this program supports version 1.`;
  return cursor.fault(message, "Write `version: 1`, or install a newer version of roster.", {
    code: "unsupported-version",
  });
};

const nameHint = "Write one name per line, each with its list: `name: [...]`.";

const roleSets: Decoder<readonly RoleSetEntry[]> = andThen(mapOf(plainRoles, { name, hint: nameHint }), (entries) =>
  entries.map(({ name, value }) => ({ name: { value: name.text, at: name }, roles: value })),
);

const groups: Decoder<readonly GroupEntry[]> = andThen(
  mapOf((cursor) => list(address)(cursor) ?? [], { name, hint: nameHint }),
  (entries) => entries.map(({ name, value }) => ({ name: { value: name.text, at: name }, members: value })),
);

/** Without a name they are known all the same, so that the places that name them are no errors. */
const user = object(
  {
    email: required(address),
    firstName: required(name, ""),
    lastName: required(name, ""),
    title: optional(line),
    externalIdentifier: optional(line),
    source: optional(line),
    previously: optional(list(address), []),
    ownKeyRoles: optional(roles),
    key: optional(prefix),
    ...period,
    distinctFrom: optional(list(address), []),
    ...ownershipFields,
  },
  { title: "A user" },
);

const leaver = object({ email: required(address), since: optional(date), ...ownershipFields }, { title: "A leaver" });

const userMember = object(
  { user: required(address), roles: optional(roles), key: optional(prefix), ...period, ...ownershipFields },
  { title: "A member", alsoCalled: new Map([["email", "user"]]) },
);

const groupMember = object(
  { group: required(located(line)), roles: optional(roles), ...period, ...ownershipFields },
  { title: "A group among members" },
);

const memberMap = byKey<MemberEntry>(
  {
    user: andThen(userMember, (fields, { node: at }) => ({ is: "user", at, ...gatherOwnership(fields) })),
    group: andThen(groupMember, (fields, { node: at }) => ({ is: "group", at, ...gatherOwnership(fields) })),
  },
  { title: "A member", hint: "Write two entries." },
);

const member = byKind<MemberEntry>(
  { scalar: andThen(address, (one, { node: at }) => ({ is: "user", at, user: one })), map: memberMap },
  "an address or a map",
  "Write an address, `{ user: ADDRESS }` or `{ group: NAME }`.",
);

const team = object(
  {
    name: required(located(name)),
    identifier: optional(located(line)),
    previously: optional(list(located(name)), []),
    admin: optional(address),
    firstMember: optional(address),
    roles: optional(roles),
    open: optional(boolean, false),
    onRemoval: optional(located(oneOf(["report", "revoke"], line))),
    members: optional(checked(list(member)), { value: [], isWhole: true }),
    ...ownershipFields,
  },
  { title: "A team" },
);

const key = object(
  { prefix: required(prefix), roles: required(roles), ...ownershipFields, owner: optional(keyOwner) },
  { title: "A key" },
);

type KeyFields = typeof key extends Decoder<infer T> ? T : never;

/** `owner` stays apart where it is the user who holds the key. */
function gatherKey({ owner, ...fields }: KeyFields) {
  const gathered = gatherOwnership(typeof owner === "string" ? { ...fields, owner } : fields);
  return typeof owner === "object" ? { ...gathered, owner } : gathered;
}

const acceptedCode = andThen(line, (written, cursor) =>
  isAcceptCode(written) ? written : cursor.fault(`${cursor.name} is not a code of something to accept.`, copyEntry),
);

const reason = andThen(line, (written, cursor) =>
  saysSomething(written)
    ? written
    : cursor.fault(`${cursor.name} has no letter or digit.`, "Write why this is accepted."),
);

const copyEntry = "Copy the entry that `roster drift` shows.";

const accept = object(
  { code: required(acceptedCode), reason: required(reason), until: required(date) },
  { title: "An entry under `accept`", hint: copyEntry },
);

/** The entries of a section, each with where it is written. */
function entries<T extends object, R extends object>(entry: Decoder<T>, gather: (fields: T) => R) {
  return list(andThen(entry, (fields, { node: at }) => ({ ...gather(fields), at })));
}

const fileFields = {
  version: required(version, 1),
  account: optional(located(line)),
  defaults: optional(object({ source: optional(located(line)) }), {}),
  roleSets: optional(roleSets, []),
  groups: optional(groups, []),
  users: optional(entries(user, gatherOwnership), []),
  leavers: optional(entries(leaver, gatherOwnership), []),
  teams: optional(entries(team, gatherOwnership), []),
  keys: optional(entries(key, gatherKey), []),
  accept: optional(
    entries(accept, (fields) => fields),
    [],
  ),
};

const fileOptions = { title: "A roster file" };

const rosterFile = object(fileFields, fileOptions);
