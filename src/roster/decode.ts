import {
  closestMatch,
  type EmailKey,
  foldAddress,
  isLongerThan,
  maxAddressLength,
  maxNameLength,
} from "../model/address.ts";
import { definedFields } from "../model/collections.ts";
import type { JsonSchema } from "../model/declare.ts";
import { type Located, type Place, type Reason, reasonAt } from "../model/fact.ts";
import { readObjectionCode } from "../model/policy.ts";
import { isDate } from "../model/roster.ts";
import { type Ownership, type RoleSet, roleSet } from "../model/values.ts";
import * as d from "../yaml/decode.ts";
import type { MapNode, ScalarNode, SourceRange } from "../yaml/source-text.ts";
import type { RosterDiagnostics } from "./diagnostics.ts";

export interface SourceAddress extends d.SourceValue<string> {
  readonly address: EmailKey;
}

/** As `looksLikeAddress` has it. */
const addressForm = String.raw`^(\S+|"[^"\r\n]+")@[^\s@]+$`;

/** As `isDate` has it: leap days stand first. */
const leapYear = "((19|[2-9][0-9])(0[48]|[2468][048]|[13579][26])|([2468][048]|[3579][26])00)";
const dayOfMonth =
  "(0[13578]|1[02])-(0[1-9]|[12][0-9]|3[01])|(0[469]|11)-(0[1-9]|[12][0-9]|30)|02-(0[1-9]|1[0-9]|2[0-8])";
const dateForm = `^(${leapYear}-02-29|(19|[2-9][0-9])[0-9]{2}-(${dayOfMonth}))$`;

/** Of a text that is neither an address nor a name, in characters. */
const maxTextLength = 2000;

/** A text without anything around it or in it that nobody can see. */
export const line = d.described(
  lineUpTo(maxTextLength),
  "One line of text, without spaces at the ends. Quote it if YAML would read a number or a boolean.",
);

/** What a person, a team, a group or a role set is called. */
const name = d.described(lineUpTo(maxNameLength), "A name: one line of text, without spaces at the ends.");

function lineUpTo(most: number): d.Decoder<string> {
  const nothingUnseen = String.raw`\u0000-\u001f\u007f-\u009f\u2028\u2029`;
  const end = String.raw`[^\s${nothingUnseen}]`;
  const form = { type: "string", maxLength: most, pattern: `^${end}([^${nothingUnseen}]*${end})?$` };
  return d.andThen(
    d.text,
    (written, cursor) => {
      const problem = textProblem(written, most);
      if (problem === undefined) return written;
      const what = cursor.key === cursor.node && isLongerThan(most, written) ? "This name" : cursor.name;
      return cursor.fault(`${what} ${problem}.`);
    },
    form,
  );
}

/** Whether a text can name a new person. A user of the service may have any address that the service accepts. */
export function looksLikeAddress(text: string): boolean {
  return /^(?:\S+|"[^"\r\n]+")@[^\s@]+$/u.test(text);
}

/** What is wrong with a text of the format; nothing where it can stand there. */
export function textProblem(written: string, most = maxTextLength): string | undefined {
  if (isLongerThan(most, written)) return `has more than ${most} characters`;
  if (/^[!-~](?:[ -~]*[!-~])?$/.test(written)) return undefined;
  if (written === "") return "is empty";
  if (/[\r\n\u2028\u2029]/u.test(written)) return "has a line break";
  if (/[\p{Cc}\p{Cs}]/u.test(written)) return "contains a control character or half of a character";
  if (written !== written.trim()) return "starts or ends with white space";
  return undefined;
}

/** Whether a text has a letter or a digit that somebody can see. */
export function saysSomething(text: string): boolean {
  return /[\p{L}\p{N}]/u.test(text.replace(/\p{Default_Ignorable_Code_Point}/gu, ""));
}

/** A prefix has no dot: what follows a dot in a key is its secret part, which belongs in no file. */
const prefix = d.described(
  d.located(
    d.andThen(
      line,
      (written, cursor) => {
        if (!written.includes(".")) return written;
        const message = `${cursor.name} is a whole key with its secret part, not a prefix.`;
        const hint =
          "Keep only the part before the dot. Everyone who can read this file knows the key, so replace the key.";
        return cursor.secretFault("full-key", message, hint);
      },
      { type: "string", pattern: "^[^.]*$" },
    ),
  ),
  "The prefix of an access key: the part before the dot. It is not secret. Case matters.",
  "jU7q896uSReJcXXDOS6P",
);

export const address = d.described(
  d.andThen<string, SourceAddress>(
    lineUpTo(maxAddressLength),
    (value, cursor) => {
      if (looksLikeAddress(value)) return { value, at: cursor.node, address: foldAddress(value) };
      const message = `${cursor.name} is not an e-mail address: \`${value}\`.`;
      return cursor.fault(message, "Write it like `ada@acme.example`.");
    },
    { type: "string", allOf: [line.schema], maxLength: maxAddressLength, pattern: addressForm },
  ),
  "An email address. Case does not matter in comparisons; roster sends it as written.",
  "ada@acme.example",
);

/** A day of the calendar, quoted or not: YAML 1.2 reads texts where 1.1 read dates. */
const date = d.described(
  d.located(
    d.decoder({ type: "string", pattern: dateForm }, (cursor) => {
      const { node } = cursor;
      const written = node.kind === "scalar" && node.type === "number" ? node.text : line(cursor);
      if (written === undefined || isDate(written)) return written;
      const message = `${cursor.name} is not a date: \`${written}\`.`;
      return cursor.fault(message, "Write year, month and day, like `2027-01-31`.");
    }),
  ),
  "A date in UTC: year, month and day.",
  "2027-01-31",
);

/** The keys with which an entry of a roster says whose it is. */
const ownershipFields = {
  owner: d.optional(line, {
    about: "Who is responsible: a name or an address, for readers. roster does not send it to the service.",
    examples: ["platform-team"],
  }),
  note: d.optional(line, {
    about: "A note for readers. roster does not send it to the service.",
    examples: ["nightly batch"],
  }),
};

/** The user who holds a key, by address; or the name of its owner. A name has no dot, so that it is no misspelt address. */
const keyOwner = d.decoder<SourceAddress | string>(
  d.whenSchema({ type: "string", pattern: "[@.]" }, address.schema, line.schema),
  (cursor) => {
    const { node } = cursor;
    const isName = node.kind === "scalar" && node.type === "string" && !/[@.]/u.test(node.text);
    return isName ? line(cursor) : address(cursor);
  },
);

/** The fields of an entry, with those together that say whose it is. */
function gatherOwnership<T extends Ownership>({
  owner,
  note,
  ...rest
}: T): Omit<T, keyof Ownership> & { readonly ownership?: Ownership } {
  return owner === undefined && note === undefined ? rest : { ...rest, ownership: definedFields({ owner, note }) };
}

// What `unsafeAddressReason` refuses, as far as regular expressions can say it that every editor reads.
const unquoted = String.raw`[^@\s/?#%\\:"<>(),;\[\]]+`;
const unseen = String.raw`\u0000-\u001f\u007f-\u009f\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890-\u0891\u08e2\u115f-\u1160\u17b4-\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\u{110bd}\u{110cd}\u{13430}-\u{1343f}\u{1bca0}-\u{1bca3}\u{1d173}-\u{1d17a}\u{e0000}-\u{e0fff}`;
const lookalikes = String.raw`\u2024-\u2026\u2100\u2101\u2105\u2106\u2460-\u24e9\ufb00-\ufb06\uff01-\uff5e`;
const signs = String.raw`!$&'*+=^\x60{|}~\u00a0-\u00b6\u00b8-\u00bf\u00d7\u00f7\u2010-\u20cf\u2100-\u2125\u2127-\u212a\u212c-\u2131\u2133-\u214d\u2150-\u217f\u2190-\u2bff\u3001-\u3004\u3008-\u3020\u3131-\u318e\u3200-\u33ff\ufb00-\ufb06\ufe10-\ufe19\ufe30-\ufe44\ufe50-\ufe6b\uff01-\uffee\u{1d400}-\u{1d7ff}\u{1f000}-\u{1faff}`;
const label = String.raw`[^.@\-]([^.@]*[^.@\-])?`;
const localPart = String.raw`[^.@\-](([^.@]|\.(?!\.))*[^.@\-])?`;

function rule(description: string, pattern: string): JsonSchema {
  return { description, type: "string", pattern };
}

/** Rules about a text that ends with a domain, after `before`. */
function domainRules(before: string): readonly JsonSchema[] {
  return [
    rule("No invisible characters.", `^[^${unseen}]*$`),
    rule("No full-width or circled letters and signs.", `^[^${lookalikes}]*$`),
    rule("No other signs in the domain.", `${before}[^${signs}]*$`),
    rule(
      "No empty part of the domain, no hyphen at the beginning or end of a part.",
      `${before}${label}(\\.${label})*$`,
    ),
  ];
}

/** A domain, with or without the `@` before it. */
export const domainSchema: JsonSchema = {
  description: "A domain, such as acme.example.",
  type: "string",
  allOf: [
    rule(String.raw`Without / ? # % \ : < > ( ) , ; [ ], quotes and spaces.`, `^@?${unquoted}$`),
    ...domainRules("^@?"),
  ],
  examples: ["acme.example"],
};

const newAddressSchema: JsonSchema = {
  description: "An email address for a new user. It contains nothing that mail servers, URLs or people can misread.",
  type: "string",
  allOf: [
    address.schema,
    rule(String.raw`One @, and no / ? # % \ : < > ( ) , ; [ ], quotes or spaces.`, `^${unquoted}@${unquoted}$`),
    rule("Before the @: no dot or hyphen at the beginning or end, no two dots in a row.", `^${localPart}@`),
    ...domainRules("@"),
  ],
  examples: ["ada@acme.example"],
};

export interface AccountSettings {
  /** The account of files that name none; an identifier or an alias. */
  readonly account?: string;
  readonly accountAt?: Place;
  /** Identifiers by their aliases. */
  readonly accounts: ReadonlyMap<string, string>;
  /** By alias, where a settings file says so. */
  readonly accountsAt?: ReadonlyMap<string, Place>;
}

export function decodeFile(tree: MapNode, settings: AccountSettings, log: RosterDiagnostics) {
  const keys = new Set(tree.entries.map(({ key }) => key.text));
  const isSeed = !keys.has("version") && (keys.has("accounts") || keys.has("roles"));
  if (isSeed || isOtherFile(tree)) {
    const hint = "Move the file, or list only your roster files in `roster.config.yaml`: `roster: [roster.yaml]`.";
    const message = isSeed
      ? "This is not a roster file: it looks like a seed of `roster serve`."
      : "This is not a roster file: it has no `users`, `teams` or other section.";
    log.error(tree.entries[0]?.key ?? tree, "not-a-roster-file", message, hint);
    return undefined;
  }
  const file = d.decode(rosterFile, tree, { log, title: fileTitle });
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
      admin: one.admin,
      firstMember: one.firstMember,
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

/** Everything that the files of a roster say, decoded, its references not yet looked up. */
export type RosterDocument = NonNullable<ReturnType<typeof decodeFile>>;
export type UserEntry = RosterDocument["users"][number];
export type LeaverEntry = RosterDocument["leavers"][number];
export type TeamEntry = RosterDocument["teams"][number];
export type KeyEntry = RosterDocument["keys"][number];
export type RoleSetEntry = RosterDocument["roleSets"][number];
export type GroupEntry = RosterDocument["groups"][number];

/** A map with keys, none of which is a section of a roster or looks like one: the file of another program. */
function isOtherFile({ entries }: MapNode): boolean {
  const sections = Object.keys(fileFields).filter((name) => name !== "version");
  return (
    entries.some(({ key }) => key.text !== "version") &&
    entries.every(({ key }) => closestMatch(key.text, sections) === undefined)
  );
}

interface NamedAccount extends Located<string> {
  readonly reasons: readonly Reason[];
}

function fileAccount(
  written: d.SourceValue<string> | undefined,
  tree: MapNode,
  { account, accountAt, accounts, accountsAt }: AccountSettings,
  log: RosterDiagnostics,
): NamedAccount | undefined {
  const named = (name: string, place: Place, reasons: readonly Reason[]): NamedAccount => {
    const alias = accountsAt?.get(name);
    const settings = alias === undefined ? [] : [reasonAt(alias, "settings-account", { name })];
    // A name that is no alias is an identifier; whether there is such an account, the service knows.
    return { value: accounts.get(name) ?? name, place, reasons: [...reasons, ...settings] };
  };
  if (written !== undefined) {
    const { value: name, at } = written;
    return named(name, at.place, [reasonAt(at.place, "account", { name })]);
  }
  if (tree.entries.some(({ key: { text } }) => text === "account")) return undefined;
  // Where no settings file names it, a flag or a variable does, which has no place.
  if (account !== undefined)
    return named(account, tree.place, accountAt ? [reasonAt(accountAt, "settings-account", { name: account })] : []);
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

/** More roles than any key can mean; it keeps the roster small however often a role set is used. */
export const maxRoles = 200;

export interface Period {
  readonly from?: d.SourceValue<string>;
  readonly until?: d.SourceValue<string>;
}

const period = {
  from: d.optional(date, { about: "The first day on which this entry counts (UTC)." }),
  until: d.optional(date, {
    about: "The first day on which this entry no longer counts (UTC). roster then removes the roles that it gives.",
  }),
};

const roleName = d.described(line, "The identifier of a role. Case matters.", "DEVELOPER", "TEAM_ROLE");

const setName = d.described(line, "A name under `roleSets`, in this file or another file.", "engineer");

const roleSetReference = d.object(
  { set: d.required(d.located(setName)), ...period },
  { title: "A reference to a role set" },
);

const roleReference = d.object({ role: d.required(d.located(roleName)), ...period }, { title: "A role with dates" });

/** A role, or the roles of a role set, from one day until another. */
export interface TimedRole extends Period {
  readonly at: SourceRange;
  readonly is: "role" | "set";
  readonly name: d.SourceValue<string>;
}

/** A list of roles before its role sets are looked up. */
export interface RoleReferences {
  readonly at: SourceRange;
  readonly roles: readonly string[];
  readonly sets: readonly d.SourceValue<string>[];
  /** Those that count only for a time. */
  readonly timed: readonly TimedRole[];
}

const roleMap = d.byKey<TimedRole>(
  {
    set: d.andThen(roleSetReference, ({ set: name, ...dates }, { node: at }) => ({ is: "set", at, name, ...dates })),
    role: d.andThen(roleReference, ({ role: name, ...dates }, { node: at }) => ({ is: "role", at, name, ...dates })),
  },
  { title: "A role", hint: "Write two entries." },
);

const roleEntry = d.byKind<string | TimedRole>({ scalar: roleName, map: roleMap }, "a role or `{ set: NAME }`");

/** A list of role identifiers, `{ set: NAME }` and `{ role: NAME, until: DATE }`, in any mixture. Where it cannot be read, no roles. */
const roles = d.described(
  d.decoder<RoleReferences>({ ...d.list(roleEntry).schema, maxItems: maxRoles }, (cursor) => {
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

const plainRole = d.byKind({ scalar: roleName }, "a role", "List the roles: a role set cannot contain a role set.");

/** The roles of a role set: identifiers alone. Where they cannot be read, none. */
const plainRoles = d.decoder<RoleSet>({ ...d.list(plainRole).schema, maxItems: maxRoles }, (cursor) =>
  roleSet(readRoles(plainRole, cursor)),
);

function readRoles<T>(role: d.Decoder<T>, cursor: d.Cursor): readonly T[] {
  const { node } = cursor;
  if (node.kind !== "list" || node.items.length <= maxRoles) return d.list(role)(cursor) ?? [];
  const message = `This list has ${node.items.length} roles; no key can have more than ${maxRoles}.`;
  cursor.fault(message);
  return [];
}

/** `what`: a roster or a fleet file. */
export const versionOf = (what: string) =>
  d.decoder<number>({ const: 1 }, (cursor) => {
    const { node } = cursor;
    if (node.kind !== "scalar" || node.type !== "number")
      return cursor.wrongType("the number 1", "Write `version: 1`.");
    if (Number(node.text) === 1) return 1;
    const message = `This ${what} has format version ${node.text}; this program supports version 1.`;
    return cursor.fault(message, "Write `version: 1`, or install a newer version of roster.", {
      code: "unsupported-version",
    });
  });

const nameHint = "Write one name per line, each with its list: `name: [...]`.";

function namedAt(name: ScalarNode): d.SourceValue<string> {
  return { value: name.text, at: name };
}

const roleSets = d.andThen(d.mapOf(plainRoles, { name, hint: nameHint }), (entries) =>
  entries.map(({ name, value: roles }) => ({ name: namedAt(name), roles })),
);

const addresses = d.list(address);

/** Where the addresses cannot be read, a group of nobody: the places that name it are no errors. */
const groupMembers = d.decoder(addresses.schema, (cursor) => addresses(cursor) ?? []);

const groups = d.andThen(d.mapOf(groupMembers, { name, hint: nameHint }), (entries) =>
  entries.map(({ name, value: members }) => ({ name: namedAt(name), members })),
);

/** Without a name they are known all the same, so that the places that name them are no errors. */
const user = d.object(
  {
    email: d.required(address, {
      about:
        "The user's email address. It must be safe for a new user. A user with a `key` already exists, and may have any address.",
    }),
    firstName: d.required(name, {
      about: "The first name of the user. The API cannot change it later.",
      examples: ["Ada"],
      otherwise: "",
    }),
    lastName: d.required(name, {
      about: "The last name of the user. The API cannot change it later.",
      examples: ["Lovelace"],
      otherwise: "",
    }),
    title: d.optional(line, {
      about: "The job title of the user. The API cannot change it later.",
      examples: ["Principal Engineer"],
    }),
    externalIdentifier: d.optional(line, {
      about: "The user's identifier in another system, such as the HR system.",
      examples: ["E-4711"],
    }),
    source: d.optional(line, { about: "The system that the user comes from.", examples: ["gitops"] }),
    previously: d.optional(addresses, {
      about: "Former addresses of the user. If the service knows one, roster reports it and creates no second user.",
      examples: [["ada@old.example"]],
      otherwise: [],
    }),
    ownKeyRoles: d.optional(roles, {
      about:
        "The exact roles of the user's own key. A user who is created with a team gets no own key. Without it, roster does not manage these roles.",
    }),
    key: d.optional(prefix, { about: "The prefix of the user's own key, if known." }),
    from: d.optional(date, {
      about:
        "The first day on which the user counts (UTC). Before it, roster neither creates the user nor adds the user to teams.",
    }),
    until: d.optional(date, {
      about:
        "The day from which the user is a leaver. From then on, roster ignores the user in teams, groups and as administrator.",
    }),
    distinctFrom: d.optional(addresses, {
      about: "Similar addresses that belong to other people.",
      examples: [["adam@acme.example"]],
      otherwise: [],
    }),
    ...ownershipFields,
  },
  {
    title: "A user",
    // Nobody is created who has a key.
    dependent: d.whenSchema(
      { properties: { key: {} }, required: ["key"] },
      {},
      {
        properties: { email: newAddressSchema },
      },
    ),
  },
);

const leaver = d.object(
  {
    email: d.required(address, {
      about: "The address of the person. roster removes the roles from all keys of the person.",
    }),
    since: d.optional(date, {
      about: "The day on which the person left: today or earlier. For a later day, use `until` of a user.",
    }),
    ...ownershipFields,
  },
  { title: "A leaver" },
);

const userMember = d.object(
  {
    user: d.required(address, { about: "The address of a user of the roster." }),
    roles: d.optional(roles, { about: "The exact roles of this member's team key. The default is the team's roles." }),
    key: d.optional(prefix, { about: "The prefix of this member's team key, if known." }),
    ...period,
    ...ownershipFields,
  },
  { title: "A member", alsoCalled: new Map([["email", "user"]]) },
);

const groupMember = d.object(
  {
    group: d.required(d.located(line), {
      about: "A name under `groups`, in this file or another file.",
      examples: ["on-call"],
    }),
    roles: d.optional(roles, {
      about: "The exact roles of the team keys of the group's members. The default is the team's roles.",
    }),
    ...period,
    ...ownershipFields,
  },
  { title: "A group among members" },
);

export type UserMemberEntry = d.Decoded<typeof userMemberEntry>;
const userMemberEntry = d.andThen(userMember, (fields, { node: at }) => ({
  is: "user" as const,
  at,
  ...gatherOwnership(fields),
}));

export type GroupMemberEntry = d.Decoded<typeof groupMemberEntry>;
const groupMemberEntry = d.andThen(groupMember, (fields, { node: at }) => ({
  is: "group" as const,
  at,
  ...gatherOwnership(fields),
}));

type MemberEntry = UserMemberEntry | GroupMemberEntry;

const memberMap = d.byKey<MemberEntry>(
  { user: userMemberEntry, group: groupMemberEntry },
  { title: "A member", hint: "Write two entries." },
);

const member = d.described(
  d.byKind<MemberEntry>(
    { scalar: d.andThen(address, (one, { node: at }) => ({ is: "user", at, user: one })), map: memberMap },
    "an address or a map",
    "Write an address, `{ user: ADDRESS }` or `{ group: NAME }`.",
  ),
  "A user or a group of the roster. A user entry overrides a group.",
  { user: "ada@acme.example" },
  { group: "on-call" },
);

const team = d.object(
  {
    name: d.required(d.located(name), {
      about: "The name. Case and the number of spaces do not matter in comparisons.",
      examples: ["Platform"],
    }),
    identifier: d.optional(d.located(line), {
      about: "The service's identifier of the team, if known.",
      examples: ["t-42"],
    }),
    previously: d.optional(d.list(d.located(name)), {
      about: "Former names of the team.",
      examples: [["Data"]],
      otherwise: [],
    }),
    admin: d.optional(address, {
      about: "The administrator: a member, in the team's account. roster uses it only when it creates the team.",
    }),
    firstMember: d.optional(address, {
      about:
        "The new user who is created together with a new team: a member, in its account, without `ownKeyRoles`. Without it, roster chooses one.",
    }),
    roles: d.optional(roles, {
      about:
        "The exact roles of each member's team key. A member can override them. Without it, roster does not manage these roles.",
    }),
    open: d.optional(d.boolean, {
      about: "True allows members who are not in the roster. By default, each of them is a finding.",
      default: false,
      otherwise: false,
    }),
    onRemoval: d.optional(d.located(d.oneOf(["report", "revoke"], line)), {
      about:
        "What to do with an extra member. The API cannot remove members. `report` makes it a finding. `revoke` also removes all roles of the member's team key. Not allowed with `open: true`.",
      default: "report",
    }),
    members: d.optional(d.checked(d.list(member)), {
      about: "All members of the team.",
      examples: [[{ user: "ada@acme.example" }, { group: "on-call" }]],
      otherwise: { value: [], isWhole: true },
    }),
    ...ownershipFields,
  },
  {
    title: "A team",
    dependent: d.whenSchema(
      { properties: { open: { const: true } }, required: ["open"] },
      { properties: { onRemoval: false } },
      {},
    ),
  },
);

const key = d.object(
  {
    prefix: d.required(prefix, {
      about: "The prefix of the key that roster manages: the part before the dot. It is not secret.",
    }),
    roles: d.required(roles, { about: "The exact roles of this key. `[]` means no roles." }),
    ...ownershipFields,
    owner: d.optional(keyOwner, {
      about: "The address of the user who holds the key, or the name of its owner. A name has no `@` and no dot.",
      examples: ["ada@acme.example", "platform-team"],
    }),
  },
  { title: "A key" },
);

/** `owner` stays apart where it is the user who holds the key. */
function gatherKey({ owner, ...fields }: d.Decoded<typeof key>) {
  const holder = typeof owner === "object" ? owner : undefined;
  return { ...gatherOwnership(typeof owner === "string" ? { ...fields, owner } : fields), owner: holder };
}

const copyEntry = "Copy the entry that `roster drift` shows.";

const acceptedCode = d.andThen(
  line,
  (written, cursor) =>
    (readObjectionCode(written)?.digits ?? "") === ""
      ? cursor.fault(`${cursor.name} is not a code of something to accept.`, copyEntry)
      : written,
  { type: "string", pattern: "^[a-z-]+(:[^#]+)?#[0-9a-f]{12}$" },
);

const reason = d.andThen(
  line,
  (written, cursor) =>
    saysSomething(written)
      ? written
      : cursor.fault(`${cursor.name} has no letter or digit.`, "Write why this is accepted."),
  { type: "string", pattern: "[\\p{L}\\p{N}]" },
);

const exampleCode = "extra-member:platform/cy@acme.example#3f9a1c20d4e5";

const accept = d.object(
  {
    code: d.required(acceptedCode, {
      about: "What is accepted, as `roster drift` prints it.",
      examples: [exampleCode],
    }),
    reason: d.required(reason, { about: "Why it is accepted.", examples: ["HR-812: leaves on Friday"] }),
    until: d.required(date, {
      about:
        "The last day on which it is accepted. At most 366 days from today, or 30 for a privileged role or a guard.",
    }),
  },
  { title: "An entry under `accept`", hint: copyEntry },
);

function entries<T extends object, R extends object>(entry: d.Decoder<T>, gather: (fields: T) => R) {
  return d.list(d.andThen(entry, (fields, { node: at }) => ({ ...gather(fields), at })));
}

const fileFields = {
  version: d.required(versionOf("roster"), { about: "The version of this format.", examples: [1], otherwise: 1 }),
  account: d.optional(d.located(line), {
    about:
      "The account of this file's users and teams: its identifier, or an alias from the settings. The default is the account from the settings.",
    examples: ["acc-1"],
  }),
  defaults: d.optional(
    d.object({
      source: d.optional(d.located(line), {
        about: "The default `source` of the users in this file.",
        examples: ["gitops"],
      }),
    }),
    { about: "Default values for the users of this file.", examples: [{ source: "gitops" }], otherwise: {} },
  ),
  roleSets: d.optional(roleSets, {
    about:
      "Named lists of roles. Use one in any list of roles as `{ set: NAME }`. Names are unique in the roster. Role sets do not nest.",
    examples: [{ engineer: ["DEVELOPER", "TEAM_ROLE"] }],
    otherwise: [],
  }),
  groups: d.optional(groups, {
    about:
      "Named lists of users. Use one in any list of members as `{ group: NAME }`. Names are unique in the roster. Groups do not nest.",
    examples: [{ "on-call": ["ada@acme.example", "bo@acme.example"] }],
    otherwise: [],
  }),
  users: d.optional(entries(user, gatherOwnership), {
    about: "The users that should exist in the account.",
    otherwise: [],
  }),
  leavers: d.optional(entries(leaver, gatherOwnership), {
    about: "People who have left. roster removes all roles of their keys, and reports what the API cannot remove.",
    otherwise: [],
  }),
  teams: d.optional(entries(team, gatherOwnership), {
    about: "The teams that should exist in the account, with their members.",
    otherwise: [],
  }),
  keys: d.optional(entries(key, gatherKey), {
    about: "Keys that roster manages by prefix, such as project keys.",
    otherwise: [],
  }),
  accept: d.optional(
    entries(accept, (fields) => fields),
    {
      about: "Findings and drift that are accepted until a date. `roster drift` and `roster explain` print each entry.",
      otherwise: [],
    },
  ),
};

const fileTitle = "A roster file";
const rosterFile = d.object(fileFields, { title: fileTitle, hint: "Begin the file with `version: 1`." });

export const rosterFormat = {
  title: "roster: a roster file",
  description:
    "The users, teams and keys that an account service should have. All roster files of a run are one roster.",
  root: rosterFile.schema,
  examples: [
    {
      version: 1,
      account: "acc-1",
      users: [{ email: "ada@acme.example", firstName: "Ada", lastName: "Lovelace" }],
      teams: [{ name: "Data Science", admin: "ada@acme.example", roles: ["DEVELOPER"], members: ["ada@acme.example"] }],
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
    owner: ownershipFields.owner.schema,
    note: ownershipFields.note.schema,
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
