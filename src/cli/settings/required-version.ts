import type { Diagnostic } from "../../model/result.ts";
import { andThen, type Decoder, text } from "../../yaml/decode.ts";
import type { MapNode } from "../../yaml/source-text.ts";

/** One part of a range such as `>=0.2 <1`: the versions from `least` on and before `before`. */
interface Bounds {
  readonly least?: Version;
  readonly before?: Version;
}

type Version = readonly [major: number, minor: number, patch: number];

/** A range of versions, as a text that has been understood. */
export const versionRange: Decoder<string> = andThen(text, (written, cursor) => {
  if (boundsOf(written) !== undefined) return written;
  return cursor.fault(
    "bad-text",
    `${cursor.name} is no range of versions: \`${written}\`.`,
    'Write it like ">=0.1 <1".',
  );
});

/**
 * Why this version of roster must not use the settings. It is looked at before anything else of them: a setting that only a newer version
 * knows is no typing error.
 */
export function requiredVersionProblem(tree: MapNode | undefined, version: string): Diagnostic | undefined {
  const entry = tree?.entries.find(({ key }) => key.text === "requires");
  if (entry?.value.kind !== "scalar") return undefined;
  const range = entry.value.text;
  if (satisfies(version, range)) return undefined;
  return {
    code: "required-version",
    severity: "error",
    message: `The settings require roster ${range}, and this is roster ${version}.`,
    hint: "Install a version of roster in this range.",
    place: entry.value.place,
  };
}

/** Of a range that is not understood, nothing is required. A pre-release comes before its version, and is not below it either. @internal */
export function satisfies(version: string, range: string): boolean {
  const [release = "", preRelease] = version.split("-");
  const bounds = boundsOf(release)?.[0]?.least ?? [0, 0, 0];
  return (boundsOf(range) ?? []).every(({ least, before }) => {
    const order = least === undefined ? 1 : compare(bounds, least);
    const isFromLeast = order > 0 || (order === 0 && preRelease === undefined);
    return isFromLeast && (before === undefined || compare(bounds, before) < 0);
  });
}

function boundsOf(range: string): readonly Bounds[] | undefined {
  const parts = range
    .trim()
    .replaceAll(/(?<=[<>=])\s+/gu, "")
    .split(/\s*,\s*|\s+/u)
    .map(boundsOfPart);
  return parts.every((part) => part !== undefined) ? parts : undefined;
}

/** Of a short version, as `0.2`, every version that begins with it. */
function boundsOfPart(part: string): Bounds | undefined {
  const found = /^(>=|<=|>|<|=)?(\d{1,9}(?:\.\d{1,9}){0,2})$/u.exec(part);
  if (found === null) return undefined;
  const written = (found[2] ?? "").split(".").map(Number);
  const [major = 0, minor = 0, patch = 0] = written;
  const first: Version = [major, minor, patch];
  const next: Version =
    written.length === 1 ? [major + 1, 0, 0] : written.length === 2 ? [major, minor + 1, 0] : [major, minor, patch + 1];
  switch (found[1]) {
    case ">=":
      return { least: first };
    case ">":
      return { least: next };
    case "<":
      return { before: first };
    case "<=":
      return { before: next };
    default:
      return { least: first, before: next };
  }
}

function compare(one: Version, other: Version): number {
  return one[0] - other[0] || one[1] - other[1] || one[2] - other[2];
}
