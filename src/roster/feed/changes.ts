import { type FoldedAddress, hasSingleLabelDomain, unsafeAddressReason } from "../../model/address.ts";
import type { Place } from "../../model/fact.ts";
import { type Diagnostic, problem, type Result, success } from "../../model/result.ts";
import { multimap } from "../../model/role-set.ts";
import type { Ownership } from "../../model/subject.ts";
import { collectDiagnostics } from "../../yaml/diagnostics.ts";
import type { EntryFields, ListEntryFields } from "../../yaml/edit.ts";
import type { EntryEdits } from "../../yaml/edit-entries.ts";
import type { KeyEntry, LeaverEntry, RosterDocument, UserEntry } from "../document.ts";
import { type FeedDiagnostics, type FeedField, type FeedPerson, feedFields, withoutLine } from "./people.ts";

/** What a feed changes in a roster. Users whose `source` is not the feed's stay as they are. */
export interface FeedChanges {
  readonly added: readonly FeedPerson[];
  readonly changed: readonly ChangedUser[];
  readonly ended: readonly EndedUser[];
  readonly skipped: readonly SkippedPerson[];
  /** How many users of the feed the roster gives access. */
  readonly users: number;
  /** How many of them lose it. */
  readonly removals: number;
}

export interface ChangedUser {
  readonly user: UserEntry;
  readonly fields: readonly ChangedField[];
}

export interface ChangedField {
  readonly name: Exclude<FeedField, "email">;
  readonly before?: string;
  readonly after: string;
}

/** Somebody who is not in the feed any more, or whose last day there has passed. */
export interface EndedUser {
  readonly user: UserEntry;
  readonly since: string;
  /** `until`: an entry names this person and needs a decision, so that the user stays in place and ends by a date. */
  readonly becomes: "leaver" | "until";
}

/** Somebody in the feed for whom nothing is written. */
export interface SkippedPerson {
  readonly email: string;
  readonly why: "other-source" | "leaver" | "ended" | "former-address" | "address-changed";
  /** The entry in the roster that stands in the way. */
  readonly place: Place;
}

export interface FeedRules {
  /** The `source` of the users that the feed manages. */
  readonly source: string;
  /** The day of this run, as in `2026-11-20`. */
  readonly today: string;
  readonly singleLabelDomains: "allowed" | "refused";
}

/** Compares a feed with all files of a roster. The error says what is wrong with people who would be added. */
export function compareFeed(
  feed: readonly FeedPerson[],
  documents: readonly RosterDocument[],
  rules: FeedRules,
): Result<FeedChanges, readonly Diagnostic[]> {
  const { source, today } = rules;
  const users = documents.flatMap((document) => document.users);
  const managed = users.filter((user) => user.source === source);
  const match = personMatcher(feed, documents, rules);
  const matched = new Map<UserEntry, FeedPerson | "present">();
  const added: FeedPerson[] = [];
  const skipped: SkippedPerson[] = [];
  for (const person of feed) {
    const found = match(person);
    if (found.is === "managed") {
      matched.set(found.user, person);
      skipped.push(...endedAlready(found.user, person, today));
    } else if (found.is === "skipped") {
      skipped.push({ email: person.email, why: found.why, place: found.place });
      if (found.user !== undefined && !matched.has(found.user)) matched.set(found.user, "present");
    } else if (!hasEnded(person.until, today)) added.push(person);
  }
  const faults = unsafeAdditions(added, rules);
  if (faults.length > 0) return problem(faults);
  const canBeLeaver = leaverCheck(documents);
  const ended = managed.flatMap((user) => endedUser(user, matched.get(user), { canBeLeaver, today }));
  const endedUsers = new Set(ended.map(({ user }) => user));
  const changed = [...matched].flatMap(([user, person]) =>
    person === "present" || endedUsers.has(user) || hasEnded(person.until, today) ? [] : changesOf(user, person),
  );
  const hasAccess = (user: UserEntry) => !hasEnded(user.until?.value, today);
  return success({
    added,
    changed,
    ended,
    skipped,
    users: managed.filter(hasAccess).length,
    removals: [...endedUsers].filter(hasAccess).length,
  });
}

/** An empty field gives nobody access again. */
function endedAlready({ until, at }: UserEntry, person: FeedPerson, today: string): readonly SkippedPerson[] {
  const isBack = person.until === undefined && hasEnded(until?.value, today);
  return isBack ? [{ email: person.email, why: "ended", place: at.place }] : [];
}

function hasEnded(until: string | undefined, today: string): boolean {
  return until !== undefined && until <= today;
}

type Match =
  | { readonly is: "new" }
  | { readonly is: "managed"; readonly user: UserEntry }
  /** `user`: the user of the feed whose record this is all the same. */
  | ({ readonly is: "skipped"; readonly user?: UserEntry } & Pick<SkippedPerson, "why" | "place">);

function personMatcher(
  feed: readonly FeedPerson[],
  documents: readonly RosterDocument[],
  { source }: FeedRules,
): (person: FeedPerson) => Match {
  const users = documents.flatMap((document) => document.users);
  const byAddress = new Map(users.map((user) => [user.email.address, user]));
  const leavers = new Map<FoldedAddress, LeaverEntry>(
    documents.flatMap((document) => document.leavers.map((leaver) => [leaver.email.address, leaver] as const)),
  );
  const former = new Map(users.flatMap((user) => user.previously.map(({ address }) => [address, user] as const)));
  const inFeed = new Set(feed.map(({ address }) => address));
  const renamed = new Map(
    users.flatMap((user) => {
      const isMissing = user.source === source && !inFeed.has(user.email.address);
      return isMissing && user.externalIdentifier !== undefined ? [[user.externalIdentifier, user] as const] : [];
    }),
  );
  return ({ address, externalIdentifier }) => {
    const user = byAddress.get(address);
    if (user?.source === source) return { is: "managed", user };
    if (user !== undefined) return { is: "skipped", why: "other-source", place: user.at.place };
    const leaver = leavers.get(address);
    if (leaver !== undefined) return { is: "skipped", why: "leaver", place: leaver.at.place };
    const successor = former.get(address);
    if (successor !== undefined) {
      return { is: "skipped", why: "former-address", place: successor.at.place, user: successor };
    }
    const same = externalIdentifier === undefined ? undefined : renamed.get(externalIdentifier);
    if (same !== undefined) return { is: "skipped", why: "address-changed", place: same.at.place, user: same };
    return { is: "new" };
  };
}

/** A plan creates nobody with such an address. */
function unsafeAdditions(added: readonly FeedPerson[], { singleLabelDomains }: FeedRules): readonly Diagnostic[] {
  const log: FeedDiagnostics = collectDiagnostics({ subject: "The feed", limit: 100 });
  for (const { email, at } of added) {
    const fault = unsafeAddressReason(email);
    const message = `roster does not create \`${email}\``;
    if (fault !== undefined) {
      log.error(at, "unsafe-address", `${message}: the address ${fault}.`, "Correct it in the export.");
    } else if (singleLabelDomains === "refused" && hasSingleLabelDomain(email)) {
      const hint =
        "Correct the export, or set `singleLabelDomains: true` in the settings (in CI: outside the checkout).";
      log.error(at, "single-label-domain", `${message}: its domain has no dot.`, hint);
    }
  }
  return log.diagnostics().map(withoutLine);
}

const comparedFields = feedFields.filter((name) => name !== "email");

/** An empty field of the feed leaves the roster's value. */
function changesOf(user: UserEntry, person: FeedPerson): readonly ChangedUser[] {
  const fields = comparedFields.flatMap((name): readonly ChangedField[] => {
    const before = name === "until" ? user.until?.value : user[name];
    const after = person[name];
    if (after === undefined || after === before) return [];
    return [{ name, ...(before === undefined ? {} : { before }), after }];
  });
  return fields.length === 0 ? [] : [{ user, fields }];
}

function endedUser(
  user: UserEntry,
  person: FeedPerson | "present" | undefined,
  { canBeLeaver, today }: { readonly canBeLeaver: (user: UserEntry) => boolean; readonly today: string },
): readonly EndedUser[] {
  const until = person === "present" ? undefined : person?.until;
  if (person !== undefined && !hasEnded(until, today)) return [];
  const known = user.until?.value;
  const isEnded = hasEnded(known, today);
  const since = isEnded && known !== undefined ? known : (until ?? today);
  if (canBeLeaver(user)) return [{ user, since, becomes: "leaver" }];
  return isEnded ? [] : [{ user, since, becomes: "until" }];
}

/** Administrators, founders and owners of keys with roles need a decision about what depends on them. */
function leaverCheck(documents: readonly RosterDocument[]): (user: UserEntry) => boolean {
  const teams = documents.flatMap((document) => document.teams);
  const keys = documents.flatMap((document) => document.keys).filter(hasRoles);
  const named = [...teams.flatMap(({ admin, founder }) => [admin, founder]), ...keys.map(({ owner }) => owner)];
  const inCharge = new Set(named.flatMap((one) => (one === undefined ? [] : [one.address])));
  const withRoles = new Set(keys.map(({ prefix }) => prefix.value));
  const prefixesOf = keyPrefixesIn(documents);
  return (user) => !inCharge.has(user.email.address) && !prefixesOf(user).some((prefix) => withRoles.has(prefix));
}

function hasRoles({ roles }: KeyEntry): boolean {
  return roles.roles.length + roles.sets.length + roles.timed.length > 0;
}

/** Finds the prefixes of a user's keys that the roster names in the user's entry and among members, each once. */
function keyPrefixesIn(documents: readonly RosterDocument[]): (user: UserEntry) => readonly string[] {
  const members = documents.flatMap(({ teams }) => teams.flatMap((team) => team.members));
  const teamKeys = multimap(
    members.flatMap((member) =>
      member.is === "user" && member.key !== undefined ? [[member.user.address, member.key.value] as const] : [],
    ),
  );
  return ({ key, email }) => [
    ...new Set([...(key === undefined ? [] : [key.value]), ...(teamKeys.get(email.address) ?? [])]),
  ];
}

/** One file of a roster, decoded. */
export interface FeedRosterFile {
  readonly file: string;
  readonly document: RosterDocument;
  /** The `source` of users of this file who name none. */
  readonly defaultSource?: string;
}

export interface FeedTarget {
  /** The file for new users. It need not be there. */
  readonly file: string;
  /** The file for leavers and their keys, where it is not the one that had the user. */
  readonly leavers?: string;
  readonly source: string;
}

type Append = EntryEdits["append"][number]["list"];

interface FileEdits {
  readonly set: { place: Place; after: string; values: ListEntryFields }[];
  readonly remove: Place[];
  readonly append: Map<Append, EntryFields[]>;
}

/** The edits of each file that bring the changes of a feed into a roster. */
export function feedEdits(
  { added, changed, ended }: FeedChanges,
  files: readonly FeedRosterFile[],
  { file: target, leavers: leaversFile, source }: FeedTarget,
): ReadonlyMap<string, EntryEdits> {
  const edits = new Map<string, FileEdits>();
  const editsOf = (file: string): FileEdits => {
    const found = edits.get(file) ?? { set: [], remove: [], append: new Map() };
    edits.set(file, found);
    return found;
  };
  const append = (file: string, list: Append, entries: readonly EntryFields[]) => {
    const lists = editsOf(file).append;
    lists.set(list, [...(lists.get(list) ?? []), ...entries]);
  };
  for (const { user, fields } of changed) {
    const values = fields.map(({ name, after }) => [name, after] as const);
    editsOf(user.at.place.file).set.push({ place: user.at.place, after: "lastName", values });
  }
  for (const one of ended.filter(({ becomes }) => becomes === "until")) {
    const { place } = one.user.at;
    editsOf(place.file).set.push({ place, after: "lastName", values: [["until", one.since]] });
  }
  const leavers = ended.filter(({ becomes }) => becomes === "leaver");
  const documents = files.map(({ document }) => document);
  for (const place of placesOf(leavers, documents)) editsOf(place.file).remove.push(place);
  const keysOf = keyEntries(documents);
  for (const leaver of leavers) {
    const file = leaversFile ?? leaver.user.at.place.file;
    append(file, "leavers", leaverEntries(leaver));
    append(file, "keys", keysOf(leaver));
  }
  const known = files.find(({ file }) => file === target)?.defaultSource;
  const entries = added.map((person) => userEntry(person, known === source ? [] : [["source", source]]));
  if (entries.length > 0) append(target, "users", entries);
  const appended = ({ append: lists }: FileEdits) => [...lists].map(([list, all]) => ({ list, entries: all }));
  return new Map([...edits].map(([file, one]) => [file, { ...one, append: appended(one) }]));
}

/** Where leavers stand as users, as members and in groups. */
function placesOf(leavers: readonly EndedUser[], documents: readonly RosterDocument[]): readonly Place[] {
  const gone = new Set<FoldedAddress>(leavers.map(({ user }) => user.email.address));
  const elsewhere = documents.flatMap(({ teams, groups }) => [
    ...teams.flatMap((team) =>
      team.members.flatMap((one) => (one.is === "user" && gone.has(one.user.address) ? [one.at.place] : [])),
    ),
    ...groups.flatMap(({ members }) => members.flatMap(({ address, at }) => (gone.has(address) ? [at.place] : []))),
  ]);
  return [...leavers.map(({ user }) => user.at.place), ...elsewhere];
}

/** One for each address under which the service may know them. */
function leaverEntries({ user, since }: EndedUser): readonly EntryFields[] {
  return [user.email, ...user.previously].map(({ value }) => [
    ["email", value],
    ["since", since],
    ...ownershipEntries(user.ownership),
  ]);
}

function ownershipEntries({ owner, ref, note, labels }: Ownership = {}): EntryFields {
  return [
    ...optionalField("owner", owner),
    ...optionalField("ref", ref),
    ...optionalField("note", note),
    ...(labels === undefined ? [] : [["labels", new Map(Object.entries(labels))] as const]),
  ];
}

/** A prefix that only the removed entries name would be lost. */
function keyEntries(documents: readonly RosterDocument[]): (leaver: EndedUser) => readonly EntryFields[] {
  const listed = new Set(documents.flatMap(({ keys }) => keys.map(({ prefix }) => prefix.value)));
  const prefixesOf = keyPrefixesIn(documents);
  return ({ user }) =>
    prefixesOf(user)
      .filter((prefix) => !listed.has(prefix))
      .map((prefix) => [
        ["prefix", prefix],
        ["owner", user.email.value],
        ["roles", []],
      ]);
}

function userEntry(person: FeedPerson, source: ListEntryFields): EntryFields {
  const { email, firstName, lastName, title, externalIdentifier, until } = person;
  return [
    ["email", email],
    ["firstName", firstName],
    ["lastName", lastName],
    ...optionalField("title", title),
    ...optionalField("externalIdentifier", externalIdentifier),
    ...source,
    ...optionalField("until", until),
  ];
}

function optionalField(name: string, value: string | undefined): ListEntryFields {
  return value === undefined ? [] : [[name, value]];
}
