import { type FoldedAddress, foldAddress, looksLikeAddress, unsafeAddressReason } from "../../model/address.ts";
import { multimap } from "../../model/role-set.ts";
import { accountStatus, type ObservedUser, type Snapshot } from "../../model/snapshot.ts";
import { textProblem } from "../decode-file.ts";
import type { ImportedUser, ImportInput } from "./imported.ts";

/** A person of an account: as they are adopted, or not; and what of them is not, one sentence each. */
export interface ImportedUserStatus {
  readonly user?: ImportedUser;
  readonly remarks: readonly string[];
}

/** Stands where the format asks for a name and the service shows none: a plan compares only what is shown. */
export const unknownName = "unknown";

/** Judges people: they must be active or invited, be the only one of their address, and be writable. */
export function userClassifier(users: readonly ObservedUser[]): (user: ObservedUser) => ImportedUserStatus {
  const namesakes = new Map<FoldedAddress, number>();
  for (const { address } of users) namesakes.set(address, (namesakes.get(address) ?? 0) + 1);
  return (user) => {
    const why = notImportableReason(user, namesakes.get(user.address) ?? 1);
    return why === undefined
      ? { user: importedUser(user), remarks: [...unwritableNotes(user), ...unusualAddressNotes(user)] }
      : { remarks: [`${user.email} ${why}.`] };
  };
}

function notImportableReason(user: ObservedUser, namesakes: number): string | undefined {
  if (!hasAccess(user)) return `is ${user.status}`;
  if (namesakes > 1)
    return `is the address of ${namesakes} users of the service${identifierNote(user)}; roster does not merge users`;
  if (textProblem(user.email) !== undefined || !looksLikeAddress(user.email)) return "is not a valid e-mail address";
  if (textProblem(writableName(user.firstName)) !== undefined) return "has no usable first name";
  if (textProblem(writableName(user.lastName)) !== undefined) return "has no usable last name";
  return undefined;
}

function identifierNote({ identifier }: ObservedUser): string {
  return identifier === undefined ? "" : `, one of them ${identifier}`;
}

/** People that the service bars or has deleted hold no access, and no call brings them back. */
export function hasAccess({ status }: ObservedUser): boolean {
  const word = accountStatus(status);
  return word !== "barred" && word !== "deleted";
}

function importedUser(user: ObservedUser): ImportedUser {
  const { address, email, title, externalIdentifier, source } = user;
  const isOwnAddress = externalIdentifier !== undefined && foldAddress(externalIdentifier) === address;
  return {
    address,
    email,
    firstName: writableName(user.firstName),
    lastName: writableName(user.lastName),
    ...(isWritable(title) ? { title } : {}),
    ...(isWritable(externalIdentifier) && !isOwnAddress ? { externalIdentifier } : {}),
    ...(isWritable(source) ? { source } : {}),
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
function writableName(name: string | undefined): string {
  if (name === undefined) return unknownName;
  return textProblem(name) === undefined ? name : name.trim().replace(/\s+/gu, " ");
}

/** Where everybody belongs, as far as the service says. */
interface AccountResolver {
  of(user: ObservedUser): string | undefined;
  /** One sentence for each reason why people belong to none of the accounts that are adopted. */
  readonly remarks: readonly string[];
}

/**
 * The account that the service shows for a user; else the only one whose details list them; else, since details may leave
 * somebody out, the only one that is left.
 */
export function accountResolver(
  { users, accounts: read }: Snapshot,
  { accounts: adopted, areAll }: Pick<ImportInput, "accounts" | "areAll">,
): AccountResolver {
  const listing = multimap(
    [...read.values()].flatMap(({ identifier, members = [] }) => members.map((one) => [one, identifier] as const)),
  );
  const possible = areAll ? adopted : adopted.filter((account) => read.get(account)?.members === undefined);
  const of = (user: ObservedUser): string | undefined => {
    if (user.account !== undefined) return user.account;
    const listed = listing.get(user.address) ?? [];
    return listed.length > 0 ? onlyOne(listed) : onlyOne(possible);
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
      ...(elsewhere === 0 ? [] : [`The service shows ${elsewhere} more users that are in none of these accounts.`]),
    ],
  };
}

function onlyOne(accounts: readonly string[]): string | undefined {
  return accounts.length === 1 ? accounts[0] : undefined;
}

function unresolvedNote(what: string, people: readonly ObservedUser[]): readonly string[] {
  if (people.length === 0) return [];
  const named = people.slice(0, 10).map(({ email }) => email);
  const more = people.length > named.length ? ` and ${people.length - named.length} more` : "";
  return [`${what} ${named.join(", ")}${more}.`];
}
