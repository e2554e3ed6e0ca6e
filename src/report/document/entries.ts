import { type Acceptable, isAccepted, isGuardedCode } from "../../model/accept.ts";
import type { Action } from "../../model/action.ts";
import { formatPlace, type Place } from "../../model/fact.ts";
import type { Finding } from "../../model/finding.ts";
import type { Ownership } from "../../model/recorded.ts";
import { formatAccepted } from "../drift.ts";
import { formatOwnership } from "../phrases.ts";
import { formatPlaces, placesCell } from "./actions.ts";
import {
  type Aside,
  andMore,
  headed,
  type Ink,
  type Inline,
  joinInline,
  type Line,
  phrase,
  plainText,
  prose,
  row,
  type Section,
  strong,
  type Table,
  words,
} from "./blocks.ts";

/** Findings, or items of a drift, under one title. Text draws each as a few lines, a review as a row of a table. */
export interface EntryGroup extends Pick<Section, "is" | "rank"> {
  readonly title: string;
  /** What applies to all of them. */
  readonly means?: string;
  readonly entries: readonly Entry[];
}

/** One thing that a report names, and what is said about it. */
export interface Entry {
  readonly ink: Ink;
  readonly mark?: "!" | "+" | "~";
  readonly label?: "privileged";
  readonly about: Inline;
  readonly what: EntryCode | Sentences;
  readonly notes: readonly Note[];
  /** What the roster accepts of it. */
  readonly accepted?: readonly Note[];
  /** What a row of a table has no room for. */
  readonly details: readonly Line[];
  /** Where the roster asks for it. */
  readonly places: readonly Place[];
  /** What has the reasons for it. */
  readonly of?: Action | Finding | undefined;
  /** The items of a drift that it shows. */
  readonly tracked?: readonly Tracked[];
  /** There may be thousands of them: text shows the title, and what the roster accepts. */
  readonly brief?: true;
}

/** The code of a finding, which says something only together with what it is about. */
interface EntryCode {
  readonly is: "code";
  readonly text: string;
  readonly severity: "problem" | "accepted" | "notice";
}

/** What names by itself what it is about. */
interface Sentences {
  readonly is: "sentences";
  readonly texts: readonly Inline[];
}

interface Note {
  readonly spans: Inline;
  /** `dim`: said aside. */
  readonly ink?: "strong" | "dim";
}

/** Whose something is, aside. */
export function ownershipNotes(ownership: Ownership | undefined): readonly Note[] {
  return ownership === undefined ? [] : [{ ink: "dim", spans: [formatOwnership(ownership)] }];
}

/** What the roster accepts of some things. */
export function acceptedNotes(those: readonly Acceptable[]): Pick<Entry, "accepted"> {
  const accepted = those.flatMap((one): readonly Note[] => {
    const text = formatAccepted(one);
    return text === undefined ? [] : [{ spans: [text], ink: isAccepted(one) ? "dim" : "strong" }];
  });
  return accepted.length === 0 ? {} : { accepted };
}

/** What is accepted: privileged roles and guards, which are never hidden, before all else. */
export function acceptedGroups<T extends Acceptable>(
  those: readonly T[],
  toEntries: (those: readonly T[]) => readonly Entry[],
): readonly [guarded: EntryGroup, others: EntryGroup] {
  const accepted = those.filter(isAccepted);
  const isGuarded = ({ accept }: T) => accept !== undefined && isGuardedCode(accept.code);
  const others = toEntries(accepted.filter((one) => !isGuarded(one)));
  return [
    {
      title: "Accepted, with privileged roles or guards",
      is: "open",
      rank: 9,
      entries: toEntries(accepted.filter(isGuarded)),
    },
    {
      title: "Accepted",
      is: "folded",
      rank: 75,
      entries: others.map((entry) => ({ ...entry, ink: "dim", brief: true })),
    },
  ];
}

/** An item of a drift. */
export interface Tracked {
  readonly fingerprint: string;
  readonly since: string | undefined;
  /** Where the title does not say it. */
  readonly about?: Inline;
  /** YAML that accepts it. */
  readonly acceptLine?: string;
}

/** A group as text: its title with a count, then its entries; nothing where there are none. */
export function groupLines({ title, means, entries }: EntryGroup): readonly Line[] {
  if (entries.length === 0) return [];
  const note = means === undefined ? [] : [prose(0, means, "dim")];
  return headed(`${title}: ${countRows(entries)}`, [...note, ...entries.flatMap(entryLines)]);
}

export function entryLines(entry: Entry): readonly Line[] {
  const { notes, accepted = [], details, tracked = [], brief } = entry;
  const noteLine = ({ spans, ink }: Note) => prose(6, plainText(spans), ink);
  return [
    ...titleLines(entry),
    ...(brief === true ? [] : [...notes.map(noteLine), ...details]),
    ...accepted.map(noteLine),
    ...(brief === true ? [] : tracked.flatMap(trackedLines)),
  ];
}

function titleLines({ ink, mark, label, about, what, places }: Entry): readonly Line[] {
  const sign = label === undefined ? mark : `${mark ?? ""} ${label}:`;
  const before = sign === undefined ? [] : [{ ink, text: sign }, " "];
  if (what.is === "sentences") {
    const place = formatPlaces(places);
    return what.texts.map((text, index) => row(2, [...before, plainText(text)], index === 0 ? place : undefined));
  }
  const [place] = places;
  const code = { ink, text: what.severity === "problem" ? what.text : `${what.text} (${what.severity})` };
  return [row(2, [...before, `${plainText(about)}: `, code], place && formatPlace(place))];
}

function trackedLines({ fingerprint, since, about, acceptLine }: Tracked): readonly Line[] {
  const whose = about === undefined ? "" : ` ${plainText(about)}`;
  const line = (text: string) => row(6, [{ ink: "dim", text }]);
  return [
    line(`${fingerprint}${whose}, ${since === undefined ? "new" : `since ${since}`}`),
    ...(acceptLine === undefined ? [] : [line(acceptLine)]),
  ];
}

export interface GroupSectionOptions {
  /** Where all of it is shown. */
  readonly whole: Inline;
  readonly asideOf: (entry: Entry) => Aside;
}

/** The same for a review. */
export function groupSection(
  { title, means, entries, is, rank }: EntryGroup,
  { whole, asideOf }: GroupSectionOptions,
): Section {
  const isTracked = entries.some(({ tracked }) => tracked !== undefined);
  const body: Table = {
    kind: "table",
    ...(means === undefined ? {} : { note: words(means) }),
    columns: isTracked ? ["about", "what", "where", "since", "fingerprint"] : ["about", "why, and what to do", "where"],
    rows: entries.flatMap(entryRows),
    asides: entries.flatMap((entry) => (entry.tracked ?? [entry]).map(() => asideOf(entry))),
  };
  return { title: `${title} (${countRows(entries)})`, is, body, rank, leftOut: andMore(whole) };
}

function countRows(entries: readonly Entry[]): number {
  return entries.reduce((sum, { tracked }) => sum + (tracked?.length ?? 1), 0);
}

function entryRows(entry: Entry): Table["rows"] {
  const { about, places, tracked } = entry;
  if (tracked === undefined) return [[about, whatCell(entry), placesCell(places)]];
  return tracked.map((one) => [
    one.about ?? about,
    whatCell(entry),
    placesCell(places),
    one.since === undefined ? [strong(words("new"))] : phrase`${one.since}`,
    phrase`${one.fingerprint}`,
  ]);
}

function whatCell({ label, what, notes, accepted = [] }: Entry): Inline {
  const code = (text: string) => (notes.length === 0 ? phrase`${text}` : phrase`${text}:`);
  const head = what.is === "code" ? code(what.text) : joinInline(what.texts, " ");
  const said = [...notes, ...accepted].map(({ spans, ink }) => {
    if (ink === "strong") return [strong(spans)];
    return ink === "dim" ? phrase`(${spans})` : spans;
  });
  const parts = [...(label === undefined ? [] : [[strong(words(`${label}:`))]]), head, ...said];
  return joinInline(parts, " ");
}
