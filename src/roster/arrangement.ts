import { foldAddress } from "../model/address.ts";
import type { Arrangement } from "../yaml/format/arrangement.ts";
import { type Laid, type LaidEntry, textAt } from "../yaml/format/laid-out.ts";

const roles: Arrangement = { sortedBy: ({ value }) => roleRank(value), each: { keys: ["set"] } };

const addresses: Arrangement = { oneEach: true, sortedBy: ({ value }) => scalarRank(value) };

const member: Arrangement = { keys: ["group", "user", "roles", "key"], under: { roles } };

const team: Arrangement = {
  keys: ["name", "identifier", "previously", "admin", "founder", "open", "roles", "onRemoval", "members"],
  under: { roles, members: { oneEach: true, sortedBy: ({ value }) => memberRank(value), each: member } },
};

const user: Arrangement = {
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
    "until",
    "distinctFrom",
  ],
  under: { ownKeyRoles: roles },
};

const leaver: Arrangement = { keys: ["email", "since", "ref"] };

const key: Arrangement = { keys: ["prefix", "owner", "roles", "note"], under: { roles } };

/**
 * How a roster file is written. Whatever is a set to roster is sorted by what tells its entries apart, so that two people who add
 * to it at once seldom add at one place. Teams stay in their order, which decides who is founded first; so do former names.
 */
export const rosterArrangement: Arrangement = {
  keys: ["version", "account", "defaults", "roleSets", "groups", "users", "leavers", "teams", "keys"],
  spaced: true,
  under: {
    roleSets: { sortedBy: nameOf, each: roles },
    groups: { sortedBy: nameOf, each: addresses },
    users: { oneEach: true, sortedBy: ({ value }) => addressAt(value, "email"), each: user },
    leavers: { oneEach: true, sortedBy: ({ value }) => addressAt(value, "email"), each: leaver },
    teams: { oneEach: true, spaced: true, each: team },
    keys: { oneEach: true, sortedBy: ({ value }) => textAt(value, "prefix"), each: key },
  },
};

function nameOf({ key: name }: LaidEntry): string | undefined {
  return name?.text;
}

function addressAt(value: Laid, name: string): string | undefined {
  const text = textAt(value, name);
  return text === undefined ? undefined : foldAddress(text);
}

function scalarRank(value: Laid): string | undefined {
  return value.kind === "scalar" ? foldAddress(value.text) : undefined;
}

/** Role sets before roles. */
function roleRank(value: Laid): string | undefined {
  if (value.kind === "scalar") return `1 ${value.text}`;
  const set = textAt(value, "set");
  return set === undefined ? undefined : `0 ${set}`;
}

/** Groups before people; somebody is in one place, with or without braces. */
function memberRank(value: Laid): string | undefined {
  const group = textAt(value, "group");
  if (group !== undefined) return `0 ${group}`;
  const address = value.kind === "scalar" ? scalarRank(value) : addressAt(value, "user");
  return address === undefined ? undefined : `1 ${address}`;
}
