import { type Located, type Place, type Reason, reasonAt } from "../model/fact.ts";
import {
  andThen,
  boolean,
  byKey,
  byKind,
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
import type { MapNode } from "../yaml/tree.ts";
import { address, date, line, plainRoles, prefix, roles } from "./decode-values.ts";
import type { RosterDiagnostics } from "./diagnostics.ts";
import type { GroupEntry, MemberEntry, RoleSetEntry, RosterDocument } from "./document.ts";

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

const version: Decoder<number> = (cursor) => {
  const { node } = cursor;
  if (node.kind !== "scalar" || node.type !== "number") return cursor.wrongType("the number 1", "Write `version: 1`.");
  if (Number(node.text) === 1) return 1;
  const message = `This roster says that it has format version ${node.text}; only version 1 is known.`;
  return cursor.fault("unsupported-version", message, "Write `version: 1`, or use a newer roster.");
};

const nameHint = "Write one name per line, each with its list: `name: [...]`.";

const roleSets: Decoder<readonly RoleSetEntry[]> = andThen(
  mapOf(plainRoles, { name: line, hint: nameHint }),
  (entries) => entries.map(({ name, value }) => ({ name: { value: name.text, at: name }, roles: value })),
);

const groups: Decoder<readonly GroupEntry[]> = andThen(
  mapOf((cursor) => list(address)(cursor) ?? [], { name: line, hint: nameHint }),
  (entries) => entries.map(({ name, value }) => ({ name: { value: name.text, at: name }, members: value })),
);

/** Without a name they are known all the same, so that the places that name them are no errors. */
const user = object(
  {
    email: required(address),
    firstName: required(line, ""),
    lastName: required(line, ""),
    title: optional(line),
    externalIdentifier: optional(line),
    source: optional(line),
    previously: optional(list(address), []),
    ownKeyRoles: optional(roles),
    key: optional(prefix),
    until: optional(date),
    distinctFrom: optional(list(address), []),
  },
  { title: "A user" },
);

const leaver = object({ email: required(address), since: optional(date), ref: optional(line) }, { title: "A leaver" });

const userMember = object(
  { user: required(address), roles: optional(roles), key: optional(prefix) },
  { title: "A member" },
);

const groupMember = object(
  { group: required(located(line)), roles: optional(roles) },
  { title: "A group among members" },
);

const memberMap = byKey<MemberEntry>(
  {
    user: andThen(userMember, (fields, { node: at }) => ({ is: "user", at, ...fields })),
    group: andThen(groupMember, (fields, { node: at }) => ({ is: "group", at, ...fields })),
  },
  { title: "A member", hint: "Make it two entries." },
);

const member = byKind<MemberEntry>(
  { scalar: andThen(address, (one, { node: at }) => ({ is: "user", at, user: one })), map: memberMap },
  "an address or a map",
  "Write an address, `{ user: ADDRESS }` or `{ group: NAME }`.",
);

const team = object(
  {
    name: required(located(line)),
    identifier: optional(located(line)),
    previously: optional(list(located(line)), []),
    admin: optional(address),
    founder: optional(address),
    roles: optional(roles),
    open: optional(boolean, false),
    onRemoval: optional(located(oneOf(["report", "disarm"], line))),
    members: optional(checked(list(member)), { value: [], isWhole: true }),
  },
  { title: "A team" },
);

const key = object(
  { prefix: required(prefix), owner: optional(address), roles: required(roles), note: optional(line) },
  { title: "A key" },
);

/** The entries of a section, each with where it is written. */
function entries<T extends object>(entry: Decoder<T>) {
  return list(andThen(entry, (fields, { node: at }) => ({ ...fields, at })));
}

const fileFields = {
  version: required(version, 1),
  account: optional(located(line)),
  defaults: optional(object({ source: optional(located(line)) }), {}),
  roleSets: optional(roleSets, []),
  groups: optional(groups, []),
  users: optional(entries(user), []),
  leavers: optional(entries(leaver), []),
  teams: optional(entries(team), []),
  keys: optional(entries(key), []),
};

const fileOptions = { title: "A roster file" };

const rosterFile = object(fileFields, fileOptions);

const emptyDocument: RosterDocument = {
  accounts: [],
  users: [],
  leavers: [],
  teams: [],
  keys: [],
  roleSets: [],
  groups: [],
};

/** Decodes one file, and reports everything about its form that is wrong. */
export function decodeFile(tree: MapNode, settings: AccountSettings, log: RosterDiagnostics): RosterDocument {
  const file = decode(rosterFile, tree, { log, codeOf, ...fileOptions });
  if (file === undefined) return emptyDocument;
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
  };
}

/** Reports the sections that a roster file does not have; what is wrong within them does not matter here. */
export function checkSectionNames(tree: MapNode, log: RosterDiagnostics): void {
  const anything = () => true;
  const bare = Object.entries(fileFields).map(([name, field]) => [name, { ...field, decoder: anything }] as const);
  decode(object(Object.fromEntries(bare), fileOptions), tree, { log, codeOf, ...fileOptions });
}

function codeOf(fault: string): string {
  return fault === "no-value" ? "quote-needed" : fault;
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
    const message = `No account is named for the ${section} of this file.`;
    const hint = "Write `account: IDENTIFIER` at the top of the file, or `account:` in the settings.";
    log.error(entry.key, "missing-account", message, hint);
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
