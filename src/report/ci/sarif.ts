import { catalogue, formatExitCode } from "../../codes/catalogue.ts";
import type { Place } from "../../model/fact.ts";
import type { JsonObject } from "../../model/json.ts";
import { capitalized } from "../document/names.ts";
import { formatFailure } from "../document/tasks.ts";
import type { CommandOutcome, Rendered, RenderOptions } from "../outcome.ts";
import { jsonDocument, safe } from "../safe.ts";
import { type Annotation, type AnnotationLevel, annotationsOf, repositoryPath } from "./annotations.ts";

const levels: Readonly<Record<AnnotationLevel, string>> = { error: "error", warning: "warning", notice: "note" };
const root = "SRCROOT";

export function sarifFormat(outcome: CommandOutcome, options: RenderOptions): Rendered {
  const remarks = annotationsOf(outcome);
  const rules = [...new Set(remarks.map(({ rule }) => rule))].sort();
  const informationUri = "https://www.npmjs.com/package/rosterctl";
  const run = {
    tool: { driver: { name: "roster", version: options.version, informationUri, rules: rules.map(ruleOf) } },
    columnKind: "utf16CodeUnits",
    originalUriBaseIds: { [root]: { description: { text: "The root of the repository of the roster." } } },
    invocations: [invocationOf(outcome)],
    results: remarks.map((remark) => ({ ...resultOf(remark, options), ruleIndex: rules.indexOf(remark.rule) })),
  };
  const $schema = "https://json.schemastore.org/sarif-2.1.0.json";
  return { stdout: jsonDocument({ $schema, version: "2.1.0", runs: [run] }) };
}

function ruleOf(code: string): JsonObject {
  // `unknown-key` as `UnknownKey`; none where it would be the code itself.
  const parts = code.split(/[^A-Za-z0-9]+/u).filter((part) => part !== "");
  const name = parts.length < 2 ? undefined : parts.map(capitalized).join("");
  const [words] = catalogue(code);
  const explain = `For details, run \`roster explain ${safe(code)}\`.`;
  const help = words === undefined ? explain : `${words.means} ${words.next}`;
  return {
    id: safe(code),
    ...(name === undefined ? {} : { name }),
    shortDescription: { text: words === undefined ? safe(code) : `${capitalized(words.title)}.` },
    fullDescription: { text: words?.means ?? explain },
    help: { text: help, markdown: words === undefined ? help : `${help} ${explain}` },
  };
}

function resultOf(remark: Annotation, options: RenderOptions): JsonObject {
  const { rule, level, subject, message, places, excerpt, fingerprint } = remark;
  const [first, ...others] = places;
  const relatedLocations = others.map((place, id): JsonObject => ({ id, ...locationOf(place, options) }));
  return {
    ruleId: safe(rule),
    level: levels[level],
    message: { text: unlinked(subject === undefined ? message : `${subject}: ${message}`) },
    // GitHub takes no result without a location.
    locations: [first === undefined ? wholeRepository : locationOf(first, options, excerpt)],
    ...(others.length === 0 ? {} : { relatedLocations }),
    partialFingerprints: { "rosterMatter/v1": fingerprint },
  };
}

const wholeRepository: JsonObject = {
  physicalLocation: { artifactLocation: { uri: ".", uriBaseId: root }, region: { startLine: 1 } },
};

function locationOf({ file, line, column }: Place, options: RenderOptions, excerpt?: string): JsonObject {
  const path = repositoryPath(file, options);
  if (path === undefined && !file.startsWith("/")) return wholeRepository;
  const artifactLocation =
    path === undefined ? { uri: `file://${uriOf(file)}` } : { uri: uriOf(path), uriBaseId: root };
  const snippet = excerpt === undefined ? {} : { snippet: { text: safe(excerpt) } };
  const region = { startLine: Math.max(1, line), startColumn: Math.max(1, column), ...snippet };
  return { physicalLocation: { artifactLocation, region } };
}

function uriOf(path: string): string {
  const parts = path.replace(/\p{Cs}/gu, "\u{FFFD}").split("/");
  return parts.map(encodeURIComponent).join("/");
}

function invocationOf({ exitCode, problem }: CommandOutcome): JsonObject {
  const text = problem && unlinked(formatFailure(problem));
  const ended = problem && { level: "error", message: { text }, descriptor: { id: safe(problem.code) } };
  return {
    executionSuccessful: problem === undefined && exitCode !== 3,
    exitCode,
    exitCodeDescription: formatExitCode(exitCode),
    ...(problem === undefined ? {} : { toolExecutionNotifications: [ended] }),
  };
}

/** SARIF links `[text](destination)` in any message, and knows no escape that keeps it from that. */
function unlinked(text: string): string {
  return safe(text).replaceAll("](", "]\\u{28}");
}
