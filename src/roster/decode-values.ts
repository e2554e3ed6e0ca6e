import { foldAddress, looksLikeAddress } from "../model/address.ts";
import { isDate } from "../model/calendar.ts";
import type { SourceRange } from "../yaml/source-text.ts";
import type { Node, ScalarNode } from "../yaml/tree.ts";
import type { RosterDiagnostics } from "./diagnostics.ts";
import type { RoleReferences, SourceAddress, SourceValue } from "./document.ts";

/** What a map of the format may hold. */
export interface MapSchema {
  /** Such as `A user`. */
  readonly what: string;
  readonly required: readonly string[];
  readonly optional: readonly string[];
}

/** The known keys of a map. */
export interface MapFields {
  readonly at: SourceRange;
  get(name: string): Node | undefined;
  /** Where the key itself stands. */
  keyOf(name: string): SourceRange | undefined;
}

/** Tells which keys are unknown or missing, and gives the known ones. Nothing where the node is no map. */
export function readFields(node: Node, shape: MapSchema, log: RosterDiagnostics): MapFields | undefined {
  const known = [...shape.required, ...shape.optional];
  if (node.kind !== "map") {
    log.error(
      node,
      "wrong-type",
      `${shape.what} is a map, not ${nodeKind(node)}.`,
      `Its keys are ${quotedNames(known)}.`,
    );
    return undefined;
  }
  const found = new Map<string, { readonly key: ScalarNode; readonly value: Node }>();
  for (const entry of node.entries) {
    if (known.includes(entry.key.text)) found.set(entry.key.text, entry);
    else unknownKey(entry.key, shape, known, log);
  }
  for (const name of shape.required) {
    if (!found.has(name)) log.error(node, "missing-key", `${shape.what} needs \`${name}\`.`);
  }
  return { at: node, get: (name) => found.get(name)?.value, keyOf: (name) => found.get(name)?.key };
}

function unknownKey(key: ScalarNode, shape: MapSchema, known: readonly string[], log: RosterDiagnostics): void {
  const hint = log.didYouMean(key.text, known) ?? `Its keys are ${quotedNames(known)}.`;
  log.error(key, "unknown-key", `${shape.what} has no key \`${key.text}\`.`, hint);
}

function quotedNames(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(", ");
}

/** Such as `a list` or `a number`, for a sentence about what stands there. */
export function nodeKind(node: Node): string {
  if (node.kind !== "scalar") return `a ${node.kind}`;
  switch (node.type) {
    case "string":
      return "a text";
    case "null":
      return "nothing";
    case "number":
    case "boolean":
      return `a ${node.type}`;
  }
}

/** A text without anything around it or in it that nobody can see. What is wrong with it is told as being about `what`. */
export function readText(node: Node, what: string, log: RosterDiagnostics): SourceValue<string> | undefined {
  const text = readString(node, what, log);
  if (text === undefined) return undefined;
  const fault = textProblem(text.value);
  if (fault === undefined) return text;
  log.error(node, "bad-text", `${what} ${fault}.`);
  return undefined;
}

/** A prefix has no dot: what follows a dot in a key is its secret part, which belongs in no file. */
export function readPrefix(node: Node, what: string, log: RosterDiagnostics): SourceValue<string> | undefined {
  const text = readText(node, what, log);
  if (text === undefined || !text.value.includes(".")) return text;
  const hint =
    "Write the part before the dot alone; take the key for told to whoever can read this file, and replace it.";
  log.errorAboutSecret(node, "full-key", `${what} is a whole key with its secret part, not a prefix.`, hint);
  return undefined;
}

export function readAddress(node: Node, what: string, log: RosterDiagnostics): SourceAddress | undefined {
  const text = readText(node, what, log);
  if (text === undefined) return undefined;
  if (looksLikeAddress(text.value)) return { ...text, address: foldAddress(text.value) };
  const hint = "Write it like `ada@acme.example`.";
  log.error(node, "bad-address", `${what} is not an e-mail address: \`${text.value}\`.`, hint);
  return undefined;
}

export function readBoolean(node: Node, what: string, log: RosterDiagnostics): boolean | undefined {
  if (node.kind === "scalar" && node.type === "boolean") return node.text.toLowerCase() === "true";
  log.error(node, "wrong-type", `${what} is true or false, not ${nodeKind(node)}.`, "Write `true` or `false`.");
  return undefined;
}

/** The items of a list; none where the node is no list. */
export function readList(node: Node, what: string, log: RosterDiagnostics): readonly Node[] {
  if (node.kind === "list") return node.items;
  const hint = node.kind === "scalar" && node.type === "null" ? "Write `[]` for an empty list." : undefined;
  log.error(node, "wrong-type", `${what} is a list, not ${nodeKind(node)}.`, hint);
  return [];
}

/** A list of addresses, such as a group or the former addresses of a user. */
export function readAddresses(
  node: Node,
  what: { readonly list: string; readonly item: string },
  log: RosterDiagnostics,
): readonly SourceAddress[] {
  return readList(node, what.list, log).flatMap((item) => {
    const address = readAddress(item, what.item, log);
    return address === undefined ? [] : [address];
  });
}

function readString(node: Node, what: string, log: RosterDiagnostics): SourceValue<string> | undefined {
  if (node.kind !== "scalar") {
    log.error(node, "wrong-type", `${what} is a text, not ${nodeKind(node)}.`);
    return undefined;
  }
  if (node.type === "string") return { value: node.text, at: node };
  const hint = node.text === "" ? "Write a value, or leave the key out." : `Quote it: "${node.text}".`;
  log.error(node, "quote-needed", `${what} is a text, but YAML reads ${nodeKind(node)} here.`, hint);
  return undefined;
}

/** What is wrong with a text of the format; nothing where it can stand there. */
export function textProblem(text: string): string | undefined {
  if (text === "") return "is empty";
  if (/[\r\n\u2028\u2029]/u.test(text)) return "goes over several lines";
  if (/[\p{Cc}\p{Cs}]/u.test(text)) return "holds a control character or half of a character";
  if (text !== text.trim()) return "has white space before or after it";
  return undefined;
}

/** A day of the calendar, quoted or not: YAML 1.2 reads texts where 1.1 read dates. */
export function readDate(node: Node, what: string, log: RosterDiagnostics): SourceValue<string> | undefined {
  const isNumber = node.kind === "scalar" && node.type === "number";
  const text = isNumber ? { value: node.text, at: node } : readText(node, what, log);
  if (text === undefined || isDate(text.value)) return text;
  const hint = "Write year, month and day, like `2027-01-31`.";
  log.error(node, "bad-date", `${what} is no date of the calendar: \`${text.value}\`.`, hint);
  return undefined;
}

interface NamedEntry {
  readonly name: SourceValue<string>;
  readonly value: Node;
}

/** The entries of a map whose keys are names that people choose. */
export function readNamedEntries(
  node: Node,
  what: { readonly section: string; readonly one: string },
  log: RosterDiagnostics,
): readonly NamedEntry[] {
  if (node.kind !== "map") {
    const hint = "Write one name per line, each with its list: `name: [...]`.";
    log.error(node, "wrong-type", `${what.section} is a map of names, not ${nodeKind(node)}.`, hint);
    return [];
  }
  return node.entries.flatMap(({ key, value }) => {
    const name = readText(key, what.one, log);
    return name === undefined ? [] : [{ name, value }];
  });
}

/** More roles than any key can mean; it keeps the roster small however often a role set is used. */
export const maxRoles = 200;

const roleSetReferenceSchema = { what: "A reference to a role set", required: ["set"], optional: [] };

/** A list of role identifiers and `{ set: NAME }`, in any mixture. `at` is where it is declared. */
export function readRoles(node: Node, at: SourceRange, log: RosterDiagnostics): RoleReferences {
  const roles: string[] = [];
  const sets: SourceValue<string>[] = [];
  for (const item of boundedRoleList(node, log)) {
    if (item.kind !== "map") {
      const role = readText(item, "A role", log);
      if (role !== undefined) roles.push(role.value);
      continue;
    }
    const set = readFields(item, roleSetReferenceSchema, log)?.get("set");
    const name = set && readText(set, "The name of a role set", log);
    if (name !== undefined) sets.push(name);
  }
  return { at, roles, sets };
}

/** The roles of a role set: identifiers alone, since role sets do not nest. */
export function readPlainRoles(node: Node, log: RosterDiagnostics): readonly string[] {
  return boundedRoleList(node, log).flatMap((item) => {
    if (item.kind === "map") {
      log.error(
        item,
        "wrong-type",
        "A role set holds role identifiers alone: role sets do not nest.",
        "Write them out.",
      );
      return [];
    }
    const role = readText(item, "A role", log);
    return role === undefined ? [] : [role.value];
  });
}

function boundedRoleList(node: Node, log: RosterDiagnostics): readonly Node[] {
  const items = readList(node, "A list of roles", log);
  if (items.length <= maxRoles) return items;
  log.error(node, "too-many-roles", `This list has ${items.length} roles; no key can have more than ${maxRoles}.`);
  return [];
}
