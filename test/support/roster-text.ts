import type { Roster } from "../../src/model/roster.ts";
import { type BuildResult, buildRoster } from "../../src/roster/build.ts";
import { readGeneral } from "../../src/yaml/general.ts";
import { readRegular } from "../../src/yaml/regular.ts";
import { decodeText, maxFileBytes } from "../../src/yaml/source-text.ts";
import { plainText } from "./plain-text.ts";

/** Roster files written as text, read and made into a roster. Throws where the text is no YAML. */
export function rosterFrom(
  files: Readonly<Record<string, string>>,
  settings: Partial<Parameters<typeof buildRoster>[1]> = {},
): BuildResult {
  const trees = Object.entries(files).flatMap(([file, text]) => {
    const bytes = new TextEncoder().encode(text);
    const decoded = decodeText(file, bytes, maxFileBytes);
    const regular = decoded.ok ? readRegular(decoded.value).tree : undefined;
    const { tree, diagnostics } = regular ? { tree: regular, diagnostics: [] } : readGeneral(file, bytes);
    if (diagnostics.length > 0) throw new Error(`${file}: ${diagnostics.map(({ message }) => message).join(" ")}`);
    return tree === undefined ? [] : [{ file, tree }];
  });
  return buildRoster(trees, { accounts: new Map(), today: "2026-11-20", ...settings });
}

export function faultsOf({ diagnostics }: Pick<BuildResult, "diagnostics">): readonly string[] {
  return diagnostics.map(({ place, excerpt, code, message }) => {
    return `${place?.file}:${place?.line}:${place?.column}+${excerpt?.length} ${code}: ${message}`;
  });
}

export function rosterLines({ users, leavers, roleSets, ...lists }: Roster): readonly string[] {
  const all = { users: [...users], leavers: [...leavers], roleSets: [...roleSets], ...lists };
  return Object.entries(all).flatMap(([name, parts]) => parts.map((part) => `${name}: ${plainText(placed(part))}`));
}

export function placed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(placed);
  if (typeof value !== "object" || value === null) return value;
  const { file, line, column, as, name, person, ...more } = value as Readonly<Record<string, unknown>>;
  const rest = Object.fromEntries(Object.entries({ ...more }).map(([key, inner]) => [key, placed(inner)]));
  if (line === undefined) return { ...(name === undefined ? {} : { name }), ...rest };
  if (file !== "f.yaml" || Object.keys(rest).length > 0) throw new Error(`A place is ${plainText({ file, ...rest })}.`);
  return [as, `${line}:${column}`, name, person].filter((part) => part !== undefined).join(" ");
}
