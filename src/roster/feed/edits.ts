import type { FoldedAddress } from "../../model/address.ts";
import type { Place } from "../../model/fact.ts";
import type { Ownership } from "../../model/subject.ts";
import type { EntryFields, ListEntryFields } from "../../yaml/edit.ts";
import type { EntryEdits } from "../../yaml/edit-entries.ts";
import type { RosterDocument } from "../document.ts";
import { type EndedUser, type FeedChanges, keyPrefixesIn } from "./changes.ts";
import type { FeedPerson } from "./people.ts";

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
  if (added.length > 0)
    append(
      target,
      "users",
      added.map((person) => userEntry(person, known === source ? [] : [["source", source]])),
    );
  return new Map([...edits].map(([file, one]) => [file, { ...one, append: [...one.append].map(toAppend) }]));
}

function toAppend([list, entries]: readonly [Append, readonly EntryFields[]]): EntryEdits["append"][number] {
  return { list, entries };
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
