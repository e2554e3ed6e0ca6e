import { invalidInput, invalidSetting, type RosterError } from "../../library/error.ts";
import { type FoundFile, reportPlanInRoster, type SourceFile } from "../../library/planning/load-roster.ts";
import { type Diagnostic, problem, type Result, success } from "../../model/result.ts";
import type { FormattingReport } from "../../report/outcome.ts";
import { formatRoster } from "../../roster/format.ts";
import type { Host } from "../host.ts";
import { finish } from "../output/finish.ts";
import type { OutputFlags } from "../output/output-flags.ts";
import { findRosterFiles } from "../planning/roster-files.ts";
import { staleCopies, withSchemaLine, writeCopies } from "../planning/schema-copy.ts";
import { replaceFiles } from "../planning/write-files.ts";
import { readSettings } from "../settings/settings.ts";

export interface FmtFlags extends OutputFlags {
  readonly check?: boolean;
  readonly schema?: boolean;
}

/**
 * Writes roster files in the one way in which they are written: all that are not, or none where one cannot be read. Standard input
 * goes to standard output.
 */
export async function fmt(paths: readonly string[], flags: FmtFlags, host: Host): Promise<number> {
  const base = { command: "fmt", tells: "what-remains", diagnostics: [] } as const;
  const formatted = await formatAll(paths, flags, host);
  if (!formatted.ok) return finish({ ...base, stop: formatted.error }, flags, host);
  const { report, text } = formatted.value;
  const ownWords = text === undefined ? {} : { ownWords: { text } };
  return finish({ ...base, formatting: report, ...ownWords }, flags, host);
}

interface Formatted {
  readonly report: FormattingReport;
  /** Of standard input. */
  readonly text?: string;
}

async function formatAll(
  paths: readonly string[],
  flags: FmtFlags,
  host: Host,
): Promise<Result<Formatted, RosterError>> {
  const settings = await readSettings({}, host);
  if (!settings.ok) return settings;
  if (paths.includes("-") && paths.length > 1) return problem(alone);
  if (paths.includes("-") && flags.schema === true) return problem(noSchemaOfInput);
  const chosen = paths.length > 0 ? paths : settings.value.roster;
  const sources = await findRosterFiles(chosen, host);
  if (!sources.ok) return sources;
  const before = (source: FoundFile) => (flags.schema === true ? withSchemaLine(source, chosen, host) : source.bytes);
  const pairs = formattedPairs(sources.value, before);
  if (!pairs.ok) return problem(invalidInput(pairs.error));
  const changed = pairs.value.filter(({ source, after }) => !sameBytes(source.bytes, after));
  const unformatted = changed.map(({ source, after }) => {
    return { file: source.file, before: textOf(source.bytes), after: textOf(after) };
  });
  const named = pairs.value.map(({ source, after }) => ({ file: source.file, after }));
  const copies = flags.schema === true ? await staleCopies(named, chosen, host) : [];
  const report = {
    did: flags.check === true ? "checked" : "wrote",
    files: pairs.value.length + copies.length,
    unformatted: [...unformatted, ...copies.map((copy) => ({ before: "", ...copy }))],
  } as const;
  if (flags.check === true) return success({ report });
  if (chosen.includes("-")) return success({ report, text: pairs.value.map(({ after }) => textOf(after)).join("") });
  const copied = await writeCopies(copies, host);
  const replaced = copied.ok ? await replaceFiles(changed.map(replacementOf), host) : copied;
  return replaced.ok ? success({ report }) : replaced;
}

interface Pair {
  readonly source: FoundFile;
  readonly after: Uint8Array;
}

/** `before`: what is formatted in the place of what the file holds. */
function formattedPairs(
  sources: readonly FoundFile[],
  before: (source: FoundFile) => Uint8Array,
): Result<readonly Pair[], readonly Diagnostic[]> {
  const pairs: Pair[] = [];
  const wrong: Diagnostic[] = [];
  for (const source of sources) {
    const plans = reportPlanInRoster(source);
    const formatted = plans.length > 0 ? problem(plans) : formatRoster(source.file, before(source));
    if (formatted.ok) pairs.push({ source, after: formatted.value });
    else wrong.push(...formatted.error);
  }
  return wrong.length === 0 ? success(pairs) : problem(wrong);
}

function replacementOf({ source, after }: Pair): SourceFile {
  return { file: source.file, bytes: after };
}

function sameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0;
}

/** With its byte order mark, if it has one. */
function textOf(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

const alone = invalidSetting(
  "bad-path",
  "`-` cannot be combined with files: its output goes to standard output.",
  "Pass only `-`, or only files and directories.",
);

const noSchemaOfInput = invalidSetting(
  "bad-path",
  "`--schema` cannot be combined with `-`: it writes a file into the directory of the roster.",
  "Pass files and directories.",
);
