import {
  type EmailKey,
  foldAddress,
  looksLikeAddress,
  maxAddressLength,
  maxNameLength,
  unsafeAddressReason,
} from "../../model/address.ts";
import { multimap } from "../../model/collections.ts";
import { accountStatus, isDeleted, isOpen, type ObservedKey, shownOwnKey } from "../../model/key.ts";
import type { Profile } from "../../model/recorded.ts";
import { type RoleSet, sameRoles } from "../../model/role-set.ts";
import { listedMembers, type Snapshot } from "../../model/snapshot.ts";
import type { DesiredUser, ObservedUser } from "../../model/user.ts";
import { maxRoles } from "../decode-file.ts";
import { textProblem } from "../decode-text.ts";

/** A person of an account: as they are adopted, or not; and what of them is not, one sentence each. */
export interface ImportedUserStatus {
  readonly user?: ImportedUser;
  readonly remarks: readonly string[];
}

/** Stands where the format asks for a name and the service shows none: a plan compares only what is shown. */
export const unknownName = "unknown";

/** Judges people: they must be active or invited, be the only one of their address, and be writable. */
export function userClassifier(users: readonly ObservedUser[]): (user: ObservedUser) => ImportedUserStatus {
  const namesakes = new Map<EmailKey, number>();
  for (const { address } of users) namesakes.set(address, (namesakes.get(address) ?? 0) + 1);
  return (user) => {
    const why = notImportableReason(user, namesakes.get(user.address) ?? 1);
    return why === undefined
      ? { user: importedUser(user), remarks: [...unwritableNotes(user), ...unusualAddressNotes(user)] }
      : { remarks: [`${user.email} ${why}.`] };
  };
}

function notImportableReason(user: ObservedUser, namesakes: number): string | undefined {
  const oneOfThem = user.identifier === undefined ? "" : `, one of them ${user.identifier}`;
  if (!isOpen(user)) return `is ${user.status}`;
  if (namesakes > 1)
    return `is the address of ${namesakes} users of the service${oneOfThem}; roster does not merge users`;
  if (textProblem(user.email, maxAddressLength) !== undefined || !looksLikeAddress(user.email))
    return "is not a valid e-mail address";
  if (textProblem(writableName(user.firstName), maxNameLength) !== undefined) return "has no usable first name";
  if (textProblem(writableName(user.lastName), maxNameLength) !== undefined) return "has no usable last name";
  return undefined;
}

function importedUser(user: ObservedUser): ImportedUser {
  const { address, email, title, externalIdentifier, source } = user;
  const isOwnAddress = externalIdentifier !== undefined && foldAddress(externalIdentifier) === address;
  return {
    address,
    email,
    firstName: writableName(user.firstName),
    lastName: writableName(user.lastName),
    title: isWritable(title) ? title : undefined,
    externalIdentifier: isWritable(externalIdentifier) && !isOwnAddress ? externalIdentifier : undefined,
    source: isWritable(source) ? source : undefined,
  };
}

function unwritableNotes(user: ObservedUser): readonly string[] {
  const fields = (["title", "externalIdentifier", "source"] as const).filter((field) => {
    return user[field] !== undefined && user[field] !== "" && !isWritable(user[field]);
  });
  return fields.map((field) => `The ${field} of ${user.email} cannot be written in a roster.`);
}

/** A plan finds them in the service; a validation of the files alone cannot know that they are there. */
function unusualAddressNotes({ email }: ObservedUser): readonly string[] {
  const fault = unsafeAddressReason(email);
  if (fault === undefined) return [];
  return [`The address ${email} ${fault}. \`roster validate\` rejects this user until you declare one of their keys.`];
}

function isWritable(text: string | undefined): text is string {
  return text !== undefined && textProblem(text) === undefined;
}

/** White space that cannot be written is made a space, which a plan does not take for a difference that matters. */
export function writableName(name: string | undefined): string {
  if (name === undefined) return unknownName;
  return textProblem(name) === undefined ? name : name.trim().replace(/\s+/gu, " ");
}

/**
 * The account that the service shows for a user; else the only one whose details list them; else, since details may leave
 * somebody out, the only one that is left.
 */
export function accountResolver(
  { users, accounts: read }: Snapshot,
  { accounts: adopted, areAll }: Pick<ImportInput, "accounts" | "areAll">,
) {
  const listing = multimap(listedMembers(read.values()));
  const possible = areAll ? adopted : adopted.filter((account) => read.get(account)?.members === undefined);
  const of = (user: ObservedUser): string | undefined => {
    if (user.account !== undefined) return user.account;
    const [only, second] = listing.get(user.address) ?? possible;
    return second === undefined ? only : undefined;
  };
  const unplaced = users.filter((user) => of(user) === undefined && accountStatus(user.status) !== "deleted");
  const several = unplaced.filter(({ address }) => listing.has(address));
  const unlisted = unplaced.filter(({ address }) => !listing.has(address));
  const hidden = possible.length > 1 ? unlisted : [];
  const elsewhere = possible.length > 1 ? 0 : unlisted.length;
  return {
    of,
    remarks: [
      ...unresolvedNote("The service lists in more than one account", several),
      ...unresolvedNote("The service does not show the account of", hidden),
      ...(elsewhere === 0 ? [] : [`Users in other accounts were left out: ${elsewhere}.`]),
    ],
  };
}

function unresolvedNote(what: string, people: readonly ObservedUser[]): readonly string[] {
  if (people.length === 0) return [];
  const named = people.slice(0, 10).map(({ email }) => email);
  const more = people.length > named.length ? ` and ${people.length - named.length} more` : "";
  return [`${what} ${named.join(", ")}${more}.`];
}

export interface ImportedOwnKeys {
  readonly ownKeyRoles?: RoleSet | undefined;
  readonly keys: readonly ImportedKey[];
  /** One sentence for each key that is not adopted. */
  readonly remarks: readonly string[];
}

/** The key that a plan would take for the one created with the person, and the project keys by their prefix. */
export function importOwnKeys(user: ObservedUser, judge: (key: ObservedKey) => ManageableRoles): ImportedOwnKeys {
  const own = shownOwnKey(user);
  const ownRoles = own === undefined ? undefined : judge(own);
  const others = (user.keys ?? []).filter(
    // A team without an identifier has a remark of its own.
    (key) => !isDeleted(key) && key !== own && (isProjectKey(key) || key.team === undefined || key.team === "none"),
  );
  const keys: ImportedKey[] = [];
  const remarks: string[] = [];
  for (const key of others) {
    const roles = isProjectKey(key) ? judge(key) : { why: unmanagedReason(key) };
    if ("why" in roles) remarks.push(unmanagedNote(key, user, roles.why));
    else keys.push({ prefix: key.prefix, owner: user.email, roles: roles.roles });
  }
  if (own === undefined || ownRoles === undefined) return { keys, remarks };
  if ("why" in ownRoles) return { keys, remarks: [...remarks, unmanagedNote(own, user, ownRoles.why)] };
  return { keys, remarks, ownKeyRoles: ownRoles.roles };
}

function unmanagedReason({ team }: ObservedKey): string {
  if (team === undefined) return "the service does not say which team it belongs to";
  return "it is not a project key, and it may not be this person's own key";
}

function unmanagedNote({ prefix }: ObservedKey, { email }: ObservedUser, why: string): string {
  return `The key ${prefix} of ${email} is not managed: ${why}.`;
}

/** Whether a plan could keep the roles of a key as they are, and where it cannot, why. */
export type ManageableRoles = { readonly roles: RoleSet } | { readonly why: string };

/** Judges keys: their roles must be shown, known to the service, and the key must be the only one of its prefix. */
export function roleReader({ users, roles }: Snapshot): (key: ObservedKey) => ManageableRoles {
  const known = roles.known === "unknown" ? undefined : new Set(roles.value.map(({ identifier }) => identifier));
  const holders = new Map<string, number>();
  for (const { keys } of users)
    for (const { prefix } of keys ?? []) holders.set(prefix, (holders.get(prefix) ?? 0) + 1);
  return (key) => {
    if (key.roles === undefined) return { why: "the service does not show its roles" };
    if ((holders.get(key.prefix) ?? 0) > 1) return { why: "the service shows several keys with this prefix" };
    if (textProblem(key.prefix) !== undefined) return { why: "its prefix cannot be written in a roster" };
    if (key.roles.length > maxRoles) return { why: "it has more roles than a roster can give" };
    const strange = key.roles.find((role) => textProblem(role) !== undefined || known?.has(role) === false);
    if (strange !== undefined) return { why: `the service does not list its role ${strange}` };
    return { roles: key.roles };
  };
}

/** Several keys of one person in one team: which of them a plan takes is the service's order, so they must agree. */
export function sharedRoles(judged: readonly ManageableRoles[]): ManageableRoles {
  const [first] = judged;
  if (first === undefined || "why" in first) return first ?? { why: "this person has no key of the team" };
  const other = judged.find((one) => "why" in one || !sameRoles(one.roles, first.roles));
  if (other === undefined) return first;
  return "why" in other ? other : { why: "this person has several keys of the team, with different roles" };
}

export function isProjectKey({ kind }: ObservedKey): boolean {
  return kind?.trim().toLowerCase() === "project";
}

export interface ImportInput {
  readonly snapshot: Snapshot;
  /** Identifiers of the accounts whose people and teams are adopted. */
  readonly accounts: readonly string[];
  /** True where there are no others, so that everybody belongs to one of them. */
  readonly areAll: boolean;
  /** The prefix of the key that roster uses: its owner is left out. */
  readonly keyInUse?: string | undefined;
  /** People that the list of users shows and no search finds: a plan would take them for absent. */
  readonly listedOnly?: readonly ObservedUser[];
}

/** What a roster has to say so that a plan made from it is empty, account by account. */
export interface ImportedRoster {
  readonly accounts: readonly ImportedAccount[];
  /** What is not adopted and belongs to no account, one sentence each. */
  readonly remarks: readonly string[];
}

export interface ImportedAccount {
  readonly account: string;
  readonly users: ImportedSection<ImportedUser>;
  readonly teams: ImportedSection<ImportedTeam>;
  readonly keys: ImportedSection<ImportedKey>;
}

/** What is adopted, in the order in which it is written, and one sentence for each thing that is not. */
export interface ImportedSection<T> {
  readonly found: readonly T[];
  readonly remarks: readonly string[];
}

export interface ImportedUser extends Pick<DesiredUser, "address" | "email" | keyof Profile> {
  readonly ownKeyRoles?: RoleSet | undefined;
}

export interface ImportedTeam {
  readonly name: string;
  readonly identifier: string;
  /** True where the team has members who cannot be named. */
  readonly open: boolean;
  readonly roles?: RoleSet | undefined;
  /** Their roles only where they are not the team's. */
  readonly members: readonly { readonly email: string; readonly roles?: RoleSet | undefined }[];
  readonly remarks: readonly string[];
}

export interface ImportedKey {
  readonly prefix: string;
  readonly owner: string;
  readonly roles: RoleSet;
}
