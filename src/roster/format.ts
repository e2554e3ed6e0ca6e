import { foldAddress } from "../model/address.ts";
import type { Diagnostic, Result } from "../model/result.ts";
import { collectDiagnostics } from "../yaml/diagnostics.ts";
import { type FormatRules, formatYaml } from "../yaml/format.ts";
import { type LayoutEntry, type LayoutNode, layoutTextAt } from "../yaml/layout.ts";
import { checkSectionNames } from "./decode-file.ts";

/**
 * A roster file in the standard layout, with the same content. Errors where it is no YAML, or where its
 * sections are not those of a roster file; what is wrong further in does not matter here.
 */
export function formatRoster(file: string, bytes: Uint8Array): Result<Uint8Array, readonly Diagnostic[]> {
  return formatYaml(file, bytes, rosterFormat, (tree) => {
    const log = collectDiagnostics({ subject: file });
    checkSectionNames(tree, log);
    return log.diagnostics([file]);
  });
}

const roles: FormatRules = {
  sortedBy: ({ value }) => roleRank(value),
  each: { keys: ["set", "role", "from", "until"] },
};

const ownershipKeys = ["owner", "ref", "note", "labels"];

const labels: FormatRules = { sortedBy: entryName };

const addressesFormat: FormatRules = { oneEach: true, sortedBy: ({ value }) => scalarRank(value) };

const memberFormat: FormatRules = {
  keys: ["group", "user", "roles", "key", "from", "until", ...ownershipKeys],
  under: { roles, labels },
};

const teamFormat: FormatRules = {
  keys: [
    ...["name", "identifier", "previously", ...ownershipKeys],
    ...["admin", "founder", "open", "roles", "onRemoval", "members"],
  ],
  under: { labels, roles, members: { oneEach: true, sortedBy: ({ value }) => memberRank(value), each: memberFormat } },
};

const userFormat: FormatRules = {
  keys: [
    "email",
    "firstName",
    "lastName",
    "title",
    "externalIdentifier",
    "source",
    "previously",
    "ownKeyRoles",
    "key",
    "from",
    "until",
    "distinctFrom",
    ...ownershipKeys,
  ],
  under: { ownKeyRoles: roles, labels },
};

const leaverFormat: FormatRules = { keys: ["email", "since", ...ownershipKeys], under: { labels } };

const keyFormat: FormatRules = {
  keys: ["prefix", "owner", "roles", "ref", "note", "labels"],
  under: { roles, labels },
};

/**
 * How a roster file is written. Whatever is a set to roster is sorted by what tells its entries apart, so that two people who add
 * to it at once seldom add at one place. Teams stay in their order, which decides who is founded first; so do former names. @internal
 */
export const rosterFormat: FormatRules = {
  keys: ["version", "account", "defaults", "roleSets", "groups", "users", "leavers", "teams", "keys"],
  spaced: true,
  under: {
    roleSets: { sortedBy: entryName, each: roles },
    groups: { sortedBy: entryName, each: addressesFormat },
    users: { oneEach: true, sortedBy: ({ value }) => addressAt(value, "email"), each: userFormat },
    leavers: { oneEach: true, sortedBy: ({ value }) => addressAt(value, "email"), each: leaverFormat },
    teams: { oneEach: true, spaced: true, each: teamFormat },
    keys: { oneEach: true, sortedBy: ({ value }) => layoutTextAt(value, "prefix"), each: keyFormat },
  },
};

function entryName({ key: name }: LayoutEntry): string | undefined {
  return name?.text;
}

function addressAt(value: LayoutNode, name: string): string | undefined {
  const text = layoutTextAt(value, name);
  return text === undefined ? undefined : foldAddress(text);
}

function scalarRank(value: LayoutNode): string | undefined {
  return value.kind === "scalar" ? foldAddress(value.text) : undefined;
}

/** Role sets before roles. */
function roleRank(value: LayoutNode): string | undefined {
  if (value.kind === "scalar") return `1 ${value.text}`;
  const set = layoutTextAt(value, "set");
  if (set !== undefined) return `0 ${set}`;
  const role = layoutTextAt(value, "role");
  return role === undefined ? undefined : `1 ${role}`;
}

/** Groups before people; somebody is in one place, with or without braces. */
function memberRank(value: LayoutNode): string | undefined {
  const group = layoutTextAt(value, "group");
  if (group !== undefined) return `0 ${group}`;
  const address = value.kind === "scalar" ? scalarRank(value) : addressAt(value, "user");
  return address === undefined ? undefined : `1 ${address}`;
}
