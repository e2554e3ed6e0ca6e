import { type Located, type Place, type Reason, reasonAt } from "../model/fact.ts";
import type { MapNode, Node } from "../yaml/tree.ts";
import { readKeys, readRoleSets, readTeams } from "./decode-teams.ts";
import {
  type MapFields,
  type MapSchema,
  nodeKind,
  readAddress,
  readAddresses,
  readDate,
  readFields,
  readList,
  readNamedEntries,
  readPrefix,
  readRoles,
  readText,
} from "./decode-values.ts";
import type { RosterDiagnostics } from "./diagnostics.ts";
import type {
  FileContext,
  GroupEntry,
  LeaverEntry,
  RosterDocument,
  SourceAddress,
  SourceValue,
  UserEntry,
} from "./document.ts";

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

/** What a roster file holds. */
export const rosterFileSchema: MapSchema = {
  what: "A roster file",
  required: ["version"],
  optional: ["account", "defaults", "roleSets", "groups", "users", "leavers", "teams", "keys"],
};

const emptyDocument: RosterDocument = {
  accounts: [],
  users: [],
  leavers: [],
  teams: [],
  keys: [],
  roleSets: [],
  groups: [],
};

/** Decodes one file, and tells everything about its shape that is wrong. */
export function decodeFile(tree: MapNode, settings: AccountSettings, log: RosterDiagnostics): RosterDocument {
  const fields = readFields(tree, rosterFileSchema, log);
  if (fields === undefined) return emptyDocument;
  checkVersion(fields.get("version"), log);
  const account = fileAccount(fields, settings, log);
  const defaults = fields.get("defaults");
  const site: FileContext = {
    log,
    account: account?.value ?? "",
    accountReasons: account?.reasons ?? [],
    source: defaults && readDefaultSource(defaults, log),
  };
  const section = <T>(name: string, read: (node: Node, log: RosterDiagnostics) => readonly T[]): readonly T[] => {
    const node = fields.get(name);
    return node === undefined ? [] : read(node, log);
  };
  const users = section("users", (node) => readUsers(node, site));
  const teams = section("teams", (node) => readTeams(node, site));
  const isUsed = users.length > 0 || teams.length > 0;
  return {
    accounts: account !== undefined && isUsed ? [{ value: account.value, place: account.place }] : [],
    users,
    leavers: section("leavers", (node) => readLeavers(node, site)),
    teams,
    keys: section("keys", readKeys),
    roleSets: section("roleSets", readRoleSets),
    groups: section("groups", readGroups),
  };
}

function checkVersion(node: Node | undefined, log: RosterDiagnostics): void {
  if (node === undefined) return;
  if (node.kind !== "scalar" || node.type !== "number") {
    log.error(node, "wrong-type", `\`version\` is the number 1, not ${nodeKind(node)}.`, "Write `version: 1`.");
  } else if (Number(node.text) !== 1) {
    const message = `This roster says that it has format version ${node.text}; only version 1 is known.`;
    log.error(node, "unsupported-version", message, "Write `version: 1`, or use a newer roster.");
  }
}

interface NamedAccount extends Located<string> {
  readonly reasons: readonly Reason[];
}

function fileAccount(fields: MapFields, settings: AccountSettings, log: RosterDiagnostics): NamedAccount | undefined {
  const node = fields.get("account");
  if (node !== undefined) {
    const written = readText(node, "`account`", log);
    if (written === undefined) return undefined;
    const reasons = [
      reasonAt(node.place, "account", { name: written.value }),
      ...aliasReasons(written.value, settings),
    ];
    return { value: accountIdentifier(written.value, settings), place: node.place, reasons };
  }
  if (settings.account !== undefined) return settingsAccount(settings.account, fields.at.place, settings);
  const needy = ["users", "teams"].find((name) => isNonEmptyList(fields.get(name)));
  if (needy !== undefined) {
    const message = `No account is named for the ${needy} of this file.`;
    const hint = "Write `account: IDENTIFIER` at the top of the file, or `account:` in the settings.";
    log.error(fields.keyOf(needy) ?? fields.at, "missing-account", message, hint);
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

function isNonEmptyList(node: Node | undefined): boolean {
  return node?.kind === "list" && node.items.length > 0;
}

/** A name that is no alias is an identifier; whether there is such an account, the service knows. */
function accountIdentifier(name: string, settings: AccountSettings): string {
  return settings.accounts.get(name) ?? name;
}

const defaultsSchema: MapSchema = { what: "`defaults`", required: [], optional: ["source"] };

/** The `source` of this file's users who name none. */
function readDefaultSource(node: Node, log: RosterDiagnostics): SourceValue<string> | undefined {
  const source = readFields(node, defaultsSchema, log)?.get("source");
  return source && readText(source, "`source`", log);
}

const userSchema: MapSchema = {
  what: "A user",
  required: ["email", "firstName", "lastName"],
  optional: ["title", "externalIdentifier", "source", "previously", "ownKeyRoles", "key", "until", "distinctFrom"],
};

/** The users of one file. Users without a usable address are told of and left out. */
function readUsers(node: Node, site: FileContext): readonly UserEntry[] {
  return readList(node, "`users`", site.log).flatMap((item) => {
    const user = readUser(item, site);
    return user === undefined ? [] : [user];
  });
}

function readUser(node: Node, site: FileContext): UserEntry | undefined {
  const { log, account } = site;
  const fields = readFields(node, userSchema, log);
  if (fields === undefined) return undefined;
  const text = (name: string) => {
    const value = fields.get(name);
    return value && readText(value, `\`${name}\``, log);
  };
  const address = fields.get("email");
  const email = address && readAddress(address, "`email`", log);
  const ownKeyRoles = fields.get("ownKeyRoles");
  const addresses = (name: string): readonly SourceAddress[] => {
    const value = fields.get(name);
    const what = { list: `\`${name}\``, item: `An address in \`${name}\`` };
    return value === undefined ? [] : readAddresses(value, what, log);
  };
  const until = fields.get("until");
  const source = text("source")?.value;
  const key = fields.get("key");
  const draft = {
    at: fields.at,
    firstName: text("firstName")?.value ?? "",
    lastName: text("lastName")?.value ?? "",
    title: text("title")?.value,
    externalIdentifier: text("externalIdentifier")?.value,
    source: source ?? site.source?.value,
    account,
    defaults: [...site.accountReasons, ...(source === undefined ? defaultSource(site) : [])],
    previously: addresses("previously"),
    ownKeyRoles: ownKeyRoles && readRoles(ownKeyRoles, fields.keyOf("ownKeyRoles") ?? ownKeyRoles, log),
    key: key && readPrefix(key, "`key`", log),
    until: until && readDate(until, "`until`", log),
    distinctFrom: addresses("distinctFrom"),
  };
  return email === undefined ? undefined : { ...draft, email };
}

function defaultSource({ source }: FileContext): readonly Reason[] {
  return source === undefined ? [] : [reasonAt(source.at.place, "defaults", { name: `source ${source.value}` })];
}

const leaverSchema: MapSchema = { what: "A leaver", required: ["email"], optional: ["since", "ref"] };

/** The leavers of one file. Leavers without a usable address are told of and left out. */
function readLeavers(node: Node, site: FileContext): readonly LeaverEntry[] {
  return readList(node, "`leavers`", site.log).flatMap((item) => {
    const leaver = readLeaver(item, site);
    return leaver === undefined ? [] : [leaver];
  });
}

function readLeaver(node: Node, { log, account }: FileContext): LeaverEntry | undefined {
  const fields = readFields(node, leaverSchema, log);
  if (fields === undefined) return undefined;
  const address = fields.get("email");
  const since = fields.get("since");
  const ref = fields.get("ref");
  const email = address && readAddress(address, "`email`", log);
  const draft = {
    at: fields.at,
    account: account === "" ? undefined : account,
    since: since && readDate(since, "`since`", log),
    ref: ref && readText(ref, "`ref`", log)?.value,
  };
  return email === undefined ? undefined : { ...draft, email };
}

/** The groups that one file defines for the whole roster. */
function readGroups(node: Node, log: RosterDiagnostics): readonly GroupEntry[] {
  return readNamedEntries(node, { section: "`groups`", one: "The name of a group" }, log).map(({ name, value }) => {
    return { name, members: readAddresses(value, { list: "A group", item: "An address in a group" }, log) };
  });
}
