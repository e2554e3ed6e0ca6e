import { type BuildResult, buildRoster } from "../../src/roster/build.ts";
import { readYaml } from "../../src/yaml/read.ts";

/** Roster files written as text, read and made into a roster. Throws where the text is no YAML. */
export function rosterFrom(
  files: Readonly<Record<string, string>>,
  settings: Partial<Parameters<typeof buildRoster>[1]> = {},
): BuildResult {
  const trees = Object.entries(files).flatMap(([file, text]) => {
    const { tree, diagnostics } = readYaml(file, new TextEncoder().encode(text));
    if (diagnostics.length > 0) throw new Error(`${file}: ${diagnostics.map(({ message }) => message).join(" ")}`);
    return tree === undefined ? [] : [{ file, tree }];
  });
  return buildRoster(trees, { accounts: new Map(), today: "2026-11-20", ...settings });
}

/** Errors as `file:line:col+length code: message`. */
export function faultsOf({ diagnostics }: Pick<BuildResult, "diagnostics">): readonly string[] {
  return diagnostics.map(({ place, excerpt, code, message }) => {
    return `${place?.file}:${place?.line}:${place?.column}+${excerpt?.length} ${code}: ${message}`;
  });
}
