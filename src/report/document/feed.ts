import type { JsonObject } from "../../codec/mapping.ts";
import { placeFields } from "../../codec/plan.ts";
import { formatPlace } from "../../model/fact.ts";
import type { FeedReport } from "../outcome.ts";
import { formatCount, formatCounts, formatList } from "../phrases.ts";
import { heading, type Ink, joinSections, type Line, prose, row } from "./blocks.ts";

/** What a feed changes in the roster files, for people. */
export function feedLines(report: FeedReport): readonly Line[] {
  const { added, changed, ended, skipped } = report;
  return joinSections([
    part(
      "Added:",
      added.map(({ email, name, file }) => ["+", "add", `${email} (${name})`, file]),
    ),
    part(
      "Changed:",
      changed.map(({ email, fields, place }) => {
        const what = fields.map(({ name, before, after }) => `${name}: ${before ?? "(none)"} → ${after}`);
        return ["~", "change", `${email}  ${what.join(", ")}`, formatPlace(place)];
      }),
    ),
    part(
      "Moved to leavers:",
      ended.flatMap((one) => (one.becomes === "leaver" ? [endedLine(one)] : [])),
    ),
    part(
      "Ended with `until`, because an administrator, a founder or a key needs your decision:",
      ended.flatMap((one) => (one.becomes === "until" ? [endedLine(one)] : [])),
    ),
    part(
      "Not changed:",
      skipped.map(({ email, why, place }) => [" ", undefined, `${email}: ${skippedReasons[why]}`, formatPlace(place)]),
    ),
    [prose(0, verdict(report), "strong")],
  ]);
}

type PersonLine = readonly [sign: string, ink: Ink | undefined, text: string, place: string];

function endedLine({ email, since, place }: FeedReport["ended"][number]): PersonLine {
  return ["-", "remove", `${email} (since ${since})`, formatPlace(place)];
}

function part(title: string, people: readonly PersonLine[]): readonly Line[] {
  if (people.length === 0) return [];
  return [
    heading(title),
    ...people.map(([sign, ink, text, place]) =>
      row(2, [ink === undefined ? sign : { ink, text: sign }, ` ${text}`], place),
    ),
  ];
}

const skippedReasons: Readonly<Record<FeedReport["skipped"][number]["why"], string>> = {
  "other-source": "this user has another `source`",
  leaver: "this person is a leaver; remove that entry if they came back",
  ended: "`until` of this user has passed; remove it if this person came back",
  "former-address": "this is the former address of a user",
  "address-changed":
    "this person has another address in the roster; change it there, and add the old one to `previously`",
};

function verdict({ did, feed, files, added, changed, ended }: FeedReport): string {
  if (files.length === 0) return `Nothing to change: the roster agrees with ${feed}.`;
  const counts = formatList(
    formatCounts([added.length, "new user"], [changed.length, "changed user"], [ended.length, "departure"]),
  );
  const many = formatCount(files.length, "file");
  if (did === "checked") return `${counts}: ${many} would change. Run it without \`--check\` to write.`;
  return `${counts}: wrote ${many}. Next: roster validate, then roster plan.`;
}

/** The same, for programs. */
export function feedPart({ changed, ended, skipped, ...rest }: FeedReport): JsonObject {
  return {
    ...rest,
    changed: changed.map((one) => ({ ...one, place: placeFields.encode(one.place) })),
    ended: ended.map((one) => ({ ...one, place: placeFields.encode(one.place) })),
    skipped: skipped.map((one) => ({ ...one, place: placeFields.encode(one.place) })),
  };
}
