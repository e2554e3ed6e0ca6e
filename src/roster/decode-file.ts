import { isAcceptCode } from "../model/accept.ts";
import { closestMatch } from "../model/address.ts";
import type { Format } from "../model/declare.ts";
import { type Located, type Place, type Reason, reasonAt } from "../model/fact.ts";
import { type RoleSet, roleSet } from "../model/role-set.ts";
import {
  andThen,
  boolean,
  byKey,
  byKind,
  type Cursor,
  checked,
  type Decoded,
  type Decoder,
  decode,
  decoder,
  described,
  list,
  located,
  mapOf,
  object,
  oneOf,
  optional,
  required,
  type SourceValue,
  usually,
  whenSchema,
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
import { newAddressSchema } from "./new-address.ts";

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

/** The first day on which this entry counts, and the first on which it counts no more. */
const period = {
  from: optional(described(date, "The first day on which this entry counts (UTC).")),
  until: optional(
    described(
      date,
      "The first day on which this entry no longer counts (UTC). roster then removes the roles that it gives.",
    ),
  ),
};

const roleName = described(line, "The identifier of a role. Case matters.", "DEVELOPER", "TEAM_ROLE");

const setName = described(line, "A name under `roleSets`, in this file or another file.", "engineer");

const roleSetReference = object({ set: required(located(setName)), ...period }, { title: "A reference to a role set" });

const roleReference = object({ role: required(located(roleName)), ...period }, { title: "A role with dates" });

const roleMap = byKey<TimedRole>(
  {
    set: andThen(roleSetReference, ({ set: name, ...dates }, { node: at }) => ({ is: "set", at, name, ...dates })),
    role: andThen(roleReference, ({ role: name, ...dates }, { node: at }) => ({ is: "role", at, name, ...dates })),
  },
  { title: "A role", hint: "Write two entries." },
);

const roleEntry = byKind<string | TimedRole>({ scalar: roleName, map: roleMap }, "a role or `{ set: NAME }`");

/** A list of role identifiers, `{ set: NAME }` and `{ role: NAME, until: DATE }`, in any mixture. Where it cannot be read, no roles. */
const roles = described(
  decoder<RoleReferences>({ ...list(roleEntry).schema, maxItems: maxRoles }, (cursor) => {
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
  }),
  "Exactly these roles, in any order. `[]` means no roles. `{ set: NAME }` means the roles of a role set. `{ role: NAME, until: DATE }` ends on a date.",
  ["DEVELOPER", "TEAM_ROLE"],
  [{ set: "engineer" }],
  ["DEVELOPER", { role: "ACCOUNT_ADMIN", until: "2027-01-31" }],
);

const plainRole = byKind({ scalar: roleName }, "a role", "List the roles: a role set cannot contain a role set.");

/** The roles of a role set: identifiers alone. Where they cannot be read, none. */
const plainRoles = decoder<RoleSet>({ ...list(plainRole).schema, maxItems: maxRoles }, (cursor) =>
  roleSet(readRoles(plainRole, cursor)),
);

function readRoles<T>(role: Decoder<T>, cursor: Cursor): readonly T[] {
  const { node } = cursor;
  if (node.kind !== "list" || node.items.length <= maxRoles) return list(role)(cursor) ?? [];
  const message = `This list has ${node.items.length} roles; no key can have more than ${maxRoles}.`;
  cursor.fault(message);
  return [];
}

const version = decoder<number>({ const: 1 }, (cursor) => {
  const { node } = cursor;
  if (node.kind !== "scalar" || node.type !== "number") return cursor.wrongType("the number 1", "Write `version: 1`.");
  if (Number(node.text) === 1) return 1;
  const message = `This roster has format version ${node.text}; this program supports version 1.`;
  return cursor.fault(message, "Write `version: 1`, or install a newer version of roster.", {
    code: "unsupported-version",
  });
});

const nameHint = "Write one name per line, each with its list: `name: [...]`.";

const roleSets = andThen(mapOf(plainRoles, { name, hint: nameHint }), (entries): readonly RoleSetEntry[] =>
  entries.map(({ name, value }) => ({ name: { value: name.text, at: name }, roles: value })),
);

const addresses = list(address);

/** Where the addresses cannot be read, a group of nobody: the places that name it are no errors. */
const groupMembers = decoder(addresses.schema, (cursor) => addresses(cursor) ?? []);

const groups = andThen(mapOf(groupMembers, { name, hint: nameHint }), (entries): readonly GroupEntry[] =>
  entries.map(({ name, value }) => ({ name: { value: name.text, at: name }, members: value })),
);

/** Without a name they are known all the same, so that the places that name them are no errors. */
const user = object(
  {
    email: required(
      described(
        address,
        "The user's email address. It must be safe for a new user. A user with a `key` already exists, and may have any address.",
      ),
    ),
    firstName: required(described(name, "The first name of the user. The API cannot change it later.", "Ada"), ""),
    lastName: required(described(name, "The last name of the user. The API cannot change it later.", "Lovelace"), ""),
    title: optional(
      described(line, "The job title of the user. The API cannot change it later.", "Principal Engineer"),
    ),
    externalIdentifier: optional(
      described(line, "The user's identifier in another system, such as the HR system.", "E-4711"),
    ),
    source: optional(described(line, "The system that the user comes from.", "gitops")),
    previously: optional(
      described(
        addresses,
        "Former addresses of the user. If the service knows one, roster reports it and creates no second user.",
        ["ada@old.example"],
      ),
      [],
    ),
    ownKeyRoles: optional(
      described(
        roles,
        "The exact roles of the user's own key. A user who is created with a team gets no own key. Without it, roster does not manage these roles.",
      ),
    ),
    key: optional(described(prefix, "The prefix of the user's own key, if known.")),
    from: optional(
      described(
        date,
        "The first day on which the user counts (UTC). Before it, roster does not create the user or add them to teams.",
      ),
    ),
    until: optional(
      described(
        date,
        "The day from which the user is a leaver. From then on, roster ignores the user in teams, groups and as administrator.",
      ),
    ),
    distinctFrom: optional(
      described(addresses, "Similar addresses that belong to other people.", ["adam@acme.example"]),
      [],
    ),
    ...ownershipFields,
  },
  {
    title: "A user",
    // Nobody is created who has a key.
    dependent: whenSchema(
      { properties: { key: {} }, required: ["key"] },
      {},
      {
        properties: { email: newAddressSchema },
      },
    ),
  },
);

const leaver = object(
  {
    email: required(
      described(address, "The address of the person. roster removes the roles from all keys of the person."),
    ),
    since: optional(
      described(date, "The day on which the person left: today or earlier. For a later day, use `until` of a user."),
    ),
    ...ownershipFields,
  },
  { title: "A leaver" },
);

const userMember = object(
  {
    user: required(described(address, "The address of a user of the roster.")),
    roles: optional(described(roles, "The exact roles of this member's team key. The default is the team's roles.")),
    key: optional(described(prefix, "The prefix of this member's team key, if known.")),
    ...period,
    ...ownershipFields,
  },
  { title: "A member", alsoCalled: new Map([["email", "user"]]) },
);

const groupMember = object(
  {
    group: required(located(described(line, "A name under `groups`, in this file or another file.", "on-call"))),
    roles: optional(
      described(roles, "The exact roles of the team keys of the group's members. The default is the team's roles."),
    ),
    ...period,
    ...ownershipFields,
  },
  { title: "A group among members" },
);

const memberMap = byKey<MemberEntry>(
  {
    user: andThen(userMember, (fields, { node: at }) => ({ is: "user", at, ...gatherOwnership(fields) })),
    group: andThen(groupMember, (fields, { node: at }) => ({ is: "group", at, ...gatherOwnership(fields) })),
  },
  { title: "A member", hint: "Write two entries." },
);

const member = described(
  byKind<MemberEntry>(
    { scalar: andThen(address, (one, { node: at }) => ({ is: "user", at, user: one })), map: memberMap },
    "an address or a map",
    "Write an address, `{ user: ADDRESS }` or `{ group: NAME }`.",
  ),
  "A user or a group of the roster. A user entry overrides a group.",
  { user: "ada@acme.example" },
  { group: "on-call" },
);

const team = object(
  {
    name: required(
      located(described(name, "The name. Case and the number of spaces do not matter in comparisons.", "Platform")),
    ),
    identifier: optional(located(described(line, "The service's identifier of the team, if known.", "t-42"))),
    previously: optional(described(list(located(name)), "Former names of the team.", ["Data"]), []),
    admin: optional(
      described(
        address,
        "The administrator: a member, in the team's account. roster uses it only when it creates the team.",
      ),
    ),
    firstMember: optional(
      described(
        address,
        "The new user who is created together with a new team: a member, in its account, without `ownKeyRoles`. Without it, roster chooses one.",
      ),
    ),
    roles: optional(
      described(
        roles,
        "The exact roles of each member's team key. A member can override them. Without it, roster does not manage these roles.",
      ),
    ),
    open: optional(
      described(
        usually(boolean, false),
        "True allows members who are not in the roster. By default, each of them is a finding.",
      ),
      false,
    ),
    onRemoval: optional(
      located(
        described(
          usually(oneOf(["report", "revoke"], line), "report"),
          "What to do with an extra member. The API cannot remove members. `report` makes it a finding. `revoke` also removes all roles of the member's team key. Not allowed with `open: true`.",
        ),
      ),
    ),
    members: optional(
      checked(
        described(list(member), "All members of the team.", [{ user: "ada@acme.example" }, { group: "on-call" }]),
      ),
      { value: [], isWhole: true },
    ),
    ...ownershipFields,
  },
  {
    title: "A team",
    dependent: whenSchema(
      { properties: { open: { const: true } }, required: ["open"] },
      { properties: { onRemoval: false } },
      {},
    ),
  },
);

const key = object(
  {
    prefix: required(
      described(prefix, "The prefix of the key that roster manages: the part before the dot. It is not secret."),
    ),
    roles: required(described(roles, "The exact roles of this key. `[]` means no roles.")),
    ...ownershipFields,
    owner: optional(
      described(
        keyOwner,
        "The address of the user who holds the key, or the name of its owner. A name has no `@` and no dot.",
        "ada@acme.example",
        "platform-team",
      ),
    ),
  },
  { title: "A key" },
);

/** `owner` stays apart where it is the user who holds the key. */
function gatherKey({ owner, ...fields }: Decoded<typeof key>) {
  const gathered = gatherOwnership(typeof owner === "string" ? { ...fields, owner } : fields);
  return typeof owner === "object" ? { ...gathered, owner } : gathered;
}

const copyEntry = "Copy the entry that `roster drift` shows.";

const acceptedCode = andThen(
  line,
  (written, cursor) =>
    isAcceptCode(written) ? written : cursor.fault(`${cursor.name} is not a code of something to accept.`, copyEntry),
  { type: "string", pattern: "^(guarded:)?[a-z-]+:.+#[0-9a-f]{12}$" },
);

const reason = andThen(
  line,
  (written, cursor) =>
    saysSomething(written)
      ? written
      : cursor.fault(`${cursor.name} has no letter or digit.`, "Write why this is accepted."),
  { type: "string", pattern: "[\\p{L}\\p{N}]" },
);

const exampleCode = "extra-member:member cy@acme.example of team acc-1/platform#3f9a1c20d4e5";

const accept = object(
  {
    code: required(described(acceptedCode, "What is accepted, as `roster drift` prints it.", exampleCode)),
    reason: required(described(reason, "Why it is accepted.", "HR-812: leaves on Friday")),
    until: required(
      described(
        date,
        "The last day on which it is accepted. At most 366 days from today, or 30 if the code starts with `guarded:`.",
      ),
    ),
  },
  { title: "An entry under `accept`", hint: copyEntry },
);

/** The entries of a section, each with where it is written. */
function entries<T extends object, R extends object>(entry: Decoder<T>, gather: (fields: T) => R) {
  return list(andThen(entry, (fields, { node: at }) => ({ ...gather(fields), at })));
}

const fileFields = {
  version: required(described(version, "The version of this format.", 1), 1),
  account: optional(
    located(
      described(
        line,
        "The account of this file's users and teams: its identifier, or an alias from the settings. The default is the account from the settings.",
        "acc-1",
      ),
    ),
  ),
  defaults: optional(
    described(
      object({
        source: optional(located(described(line, "The default `source` of the users in this file.", "gitops"))),
      }),
      "Default values for the users of this file.",
      { source: "gitops" },
    ),
    {},
  ),
  roleSets: optional(
    described(
      roleSets,
      "Named lists of roles. Use one in any list of roles as `{ set: NAME }`. Names are unique in the roster. Role sets do not nest.",
      { engineer: ["DEVELOPER", "TEAM_ROLE"] },
    ),
    [],
  ),
  groups: optional(
    described(
      groups,
      "Named lists of users. Use one in any list of members as `{ group: NAME }`. Names are unique in the roster. Groups do not nest.",
      { "on-call": ["ada@acme.example", "bo@acme.example"] },
    ),
    [],
  ),
  users: optional(
    described(entries(user, gatherOwnership), "The users that should exist in the account.", [
      { email: "ada@acme.example", firstName: "Ada", lastName: "Lovelace" },
    ]),
    [],
  ),
  leavers: optional(
    described(
      entries(leaver, gatherOwnership),
      "People who have left. roster removes all roles from their keys. It reports what the API cannot remove until it is gone.",
      [{ email: "cy@acme.example", since: "2026-11-20", note: "HR-812" }],
    ),
    [],
  ),
  teams: optional(
    described(entries(team, gatherOwnership), "The teams that should exist in the account, with their members.", [
      { name: "Platform", admin: "ada@acme.example", members: [{ user: "ada@acme.example" }] },
    ]),
    [],
  ),
  keys: optional(
    described(entries(key, gatherKey), "Keys that roster manages by prefix, such as project keys.", [
      { prefix: "12pref1x121", owner: "ada@acme.example", roles: ["DEVELOPER"] },
    ]),
    [],
  ),
  accept: optional(
    described(
      entries(accept, (fields) => fields),
      "Findings and drift that are accepted until a date. `roster drift` and `roster explain` print each entry.",
      [{ code: exampleCode, reason: "HR-812", until: "2027-01-31" }],
    ),
    [],
  ),
};

const fileOptions = { title: "A roster file" };

const rosterFile = object(fileFields, fileOptions);

export const rosterFormat: Format = {
  title: "roster: a roster file",
  description:
    "The users, teams and keys that an account service should have. All roster files of a run are one roster.",
  root: rosterFile.schema,
  examples: [
    {
      version: 1,
      account: "acc-1",
      users: [{ email: "ada@acme.example", firstName: "Ada", lastName: "Lovelace" }],
      teams: [
        {
          name: "Data Science",
          admin: "ada@acme.example",
          roles: ["DEVELOPER", "TEAM_ROLE"],
          members: [{ user: "ada@acme.example" }],
        },
      ],
    },
  ],
  declarations: {
    text: line,
    name,
    address,
    newAddress: newAddressSchema,
    date,
    role: roleName,
    roles,
    prefix,
    owner: ownershipFields.owner.decoder,
    note: ownershipFields.note.decoder,
    user,
    leaver,
    team,
    member,
    userMember,
    groupMember,
    key,
    accept,
  },
};
