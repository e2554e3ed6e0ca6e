import { resolve } from "node:path";
import { invalidSetting, type RosterError } from "../../library/error.ts";
import {
  type FoundFile,
  type LoadedRoster,
  loadSources,
  type RosterOptions,
  readRosterFiles,
} from "../../library/planning/load-roster.ts";
import { problem, type Result } from "../../model/result.ts";
import { isoDate } from "../../ports/clock.ts";
import type { CommandOutcome } from "../../report/outcome.ts";
import { type Host, isPipeline, readStandardInput } from "../host.ts";
import type { Settings } from "../settings/settings.ts";
import { checkoutAround, pathBelow, placementOf } from "../trust/checkout.ts";

/** The roster at the paths, or where the settings say. `not-asked`: no plan follows, which would know who is new. */
export async function loadRoster(
  paths: readonly string[],
  settings: Settings,
  host: Host,
  service: "asked" | "not-asked" = "asked",
): Promise<Result<LoadedRoster, RosterError>> {
  const sources = await findRosterFiles(paths.length > 0 ? paths : settings.roster, host);
  if (!sources.ok) return sources;
  const options = rosterOptions(settings, host);
  return loadSources(sources.value, service === "asked" ? options : { ...options, newUsers: "checked" });
}

/** How the settings want a roster read. */
export function rosterOptions(settings: Settings, host: Host): RosterOptions {
  const { sections, ...rest } = settings;
  const today = isoDate(host.clock);
  if (sections === undefined) return { ...rest, today };
  const { rules, directory } = sections;
  return { ...rest, today, sections: { rules, pathOf: (path) => pathBelow(directory, path) } };
}

/** What a command says of the roster that it read. */
export function rosterSummary({
  counts,
  warnings,
}: LoadedRoster): Required<Pick<CommandOutcome, "roster" | "diagnostics">> {
  return { roster: counts, diagnostics: warnings };
}

/**
 * Reads the files of a roster. In a pipeline a path that a link in the checkout leads out of it is refused: an error would
 * show lines of whatever file of the machine it names.
 */
export async function findRosterFiles(
  paths: readonly string[],
  host: Host,
): Promise<Result<readonly FoundFile[], RosterError>> {
  const astray = await pathThatLeadsOut(paths, host);
  if (astray !== undefined) return problem(leadsOut(astray));
  const { cwd } = host;
  return readRosterFiles(paths, { cwd, stdin: (maxBytes) => readStandardInput(host.stdin(), () => maxBytes) });
}

async function pathThatLeadsOut(paths: readonly string[], host: Host): Promise<string | undefined> {
  if (!isPipeline(host)) return undefined;
  const checkout = await checkoutAround(host);
  for (const path of paths) {
    const standing = path === "-" ? undefined : await placementOf(resolve(host.cwd, path), checkout);
    if (standing?.leadsOut === true) return path;
  }
  return undefined;
}

function leadsOut(path: string): RosterError {
  return invalidSetting(
    "untrusted",
    `CI is set, and the roster path ${path} is a symbolic link that leads out of the checkout.`,
    "Replace the link with the files, or name its target.",
  );
}
