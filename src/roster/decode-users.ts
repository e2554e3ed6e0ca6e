import { type Reason, reasonAt } from "../model/fact.ts";
import type { Node } from "../yaml/tree.ts";
import {
  type MapSchema,
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
import type { DiagnosticsCollector } from "./diagnostics.ts";
import type { FileContext, GroupEntry, LeaverEntry, SourceAddress, UserEntry } from "./document.ts";

const userSchema: MapSchema = {
  what: "A user",
  required: ["email", "firstName", "lastName"],
  optional: ["title", "externalIdentifier", "source", "previously", "ownKeyRoles", "key", "until", "distinctFrom"],
};

/** The users of one file. Users without a usable address are told of and left out. */
export function readUsers(node: Node, site: FileContext): readonly UserEntry[] {
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
export function readLeavers(node: Node, site: FileContext): readonly LeaverEntry[] {
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
export function readGroups(node: Node, log: DiagnosticsCollector): readonly GroupEntry[] {
  return readNamedEntries(node, { section: "`groups`", one: "The name of a group" }, log).map(({ name, value }) => {
    return { name, members: readAddresses(value, { list: "A group", item: "An address in a group" }, log) };
  });
}
