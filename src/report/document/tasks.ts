import { type FindingCode, findings as rows } from "../../codes/findings.ts";
import { isStop } from "../../codes/guards.ts";
import { sentence as messageSentence } from "../../codes/message.ts";
import { formatPlace } from "../../model/fact.ts";
import type { Diagnostic, Failure, Problem } from "../../model/failure.ts";
import { type Acceptable, type Finding, isAccepted, isOpenProblem, maxAcceptDays } from "../../model/finding.ts";
import { displayWidth, safe } from "../safe.ts";
import { formatPlaces, ownershipNotes, type ReportContext, whyLines } from "./actions.ts";
import { formatCounts, nameOf, present, statusAside } from "./names.ts";
import * as t from "./tree.ts";

export function findingSections(findings: readonly Finding[], context: ReportContext, by = "") {
  const entries = (those: readonly Finding[]) => those.map((finding) => findingEntry(finding, context));
  // Extra access first: somebody has it until a person takes it.
  const rankOf = ({ code }: Finding) => (extraAccessCodes.has(code) ? 0 : 1);
  const tasks = findings.filter(isOpenProblem).toSorted((one, other) => rankOf(one) - rankOf(other));
  const [guarded, accepted] = acceptedSections(findings, entries);
  return [
    guarded,
    t.section(`Tasks${by}`, entries(tasks)),
    accepted,
    t.section(`Notices${by}`, entries(noticesOf(findings)), { is: "folded" }),
  ] as const;
}

function noticesOf(findings: readonly Finding[]): readonly Finding[] {
  return withoutExtraMembers(findings).filter((finding) => finding.kind === "notice" && !isAccepted(finding));
}

/** Who is an extra member of a team is not told again to be unmanaged. */
export function withoutExtraMembers<T extends { readonly code: string } & Pick<Finding, "subject">>(
  those: readonly T[],
  all = those,
) {
  const personOf = ({ subject }: T) => ("address" in subject ? subject.address : undefined);
  const extra = new Set(all.filter(({ code }) => code === "extra-member").map(personOf));
  return those.filter((one) => one.code !== "unmanaged" || !extra.has(personOf(one)));
}

/** What is accepted: privileged roles and guards, which are never hidden, before all else. */
export function acceptedSections<T extends Acceptable>(
  those: readonly T[],
  toEntries: (those: readonly T[]) => readonly t.Entry[],
): readonly [guarded: t.Section, others: t.Section] {
  const accepted = those.filter(isAccepted);
  const others = accepted.filter(({ guarded }) => guarded !== true);
  const brief = others.flatMap((one) =>
    toEntries([one]).map((entry): t.Entry => ({ ...entry, ink: "dim", notes: acceptedNotes(one) })),
  );
  return [
    t.section("Accepted, with privileged roles or guards", toEntries(accepted.filter((one) => one.guarded === true))),
    t.section("Accepted", brief, { is: "folded" }),
  ];
}

export function formatFindingCounts(findings: readonly Finding[]): string {
  const tasks = findings.filter(isOpenProblem).length;
  const accepted = findings.filter(isAccepted).length;
  const notices = noticesOf(findings).length;
  return formatCounts([tasks, "task"], [accepted, "accepted", "accepted"], [notices, "notice"]).join(", ");
}

export function findingEntry(finding: Finding, context: ReportContext): t.Entry {
  const { code, subject, kind, message, because, ownership, suggestedYaml } = finding;
  const severity = isAccepted(finding) ? "accepted" : kind;
  const aside = severity === "task" ? [] : t.words(`, ${severity}`);
  const ink = severity === "task" ? "alarm" : "change";
  return {
    mark: "!",
    ink,
    about: t.phrase`${nameOf(subject)}`,
    what: [t.inked(ink, rows[code]?.title ?? code), ...t.phrase` (${code}${aside})`],
    place: formatPlaces(because),
    notes: [
      t.paragraph(t.inkRoles([message], context.privileged)),
      ...ownershipNotes(ownership),
      ...(suggestedYaml === undefined ? [] : [t.code("yaml", suggestedYaml)]),
      ...acceptedNotes(finding),
    ],
    labels: [severity],
    details: () => [...whyLines([finding], context), ...acceptLine(finding).flatMap((line) => [howToAccept(), line])],
    actions: [],
  };
}

export function acceptedNotes(one: Acceptable): readonly t.Paragraph[] {
  if (one.accepted === undefined) return [];
  const { is, code: name, until, place, reason } = one.accepted;
  const where = `(${formatPlace(place)})`;
  const text = {
    "in-force": `accepted until ${until} ${where}, reason: ${reason}`,
    over: `no longer accepted since ${until} ${where}, reason: ${reason}`,
    "too-long": `not accepted ${where}: ${until} is more than ${maxAcceptDays(one)} days ahead`,
    "other-facts": `not accepted ${where}: ${name} does not fit: ${messageSentence("other-facts", {})}`,
  }[is];
  return [t.sentence(text, isAccepted(one) ? "dim" : "alarm")];
}

const extraAccessCodes: ReadonlySet<FindingCode> = new Set([
  "leaver-remains",
  "extra-member",
  "user-removed",
  "unmanaged-privilege",
  // Blocking only where a privileged role stays on the key.
  "roles-kept-by-service",
]);

interface Problems {
  readonly problem?: Problem | undefined;
  readonly diagnostics: readonly Diagnostic[];
}

const maxDiagnostics = 50;

export function problemBlocks({ problem, diagnostics }: Problems): readonly t.Block[] {
  // Errors first, so that warnings never crowd them out.
  const [errors, warnings] = bySeverity(diagnostics);
  const shown = new Set([...errors, ...warnings].slice(0, maxDiagnostics));
  const entries = diagnostics.filter((diagnostic) => shown.has(diagnostic)).map(diagnosticEntry);
  const more = diagnostics.length - shown.size;
  // A person who cancels has made no error.
  if (problem?.code === "declined") return [...t.entriesOf(entries), t.paragraph([`${problem.message}.`])];
  const counts = formatCounts([errors.length, "error"], [warnings.length, "warning"]).join(", ");
  const [first] = present<Diagnostic | Problem>(...errors, problem);
  const counted = problem === undefined ? [t.inked("strong", `${counts}.`), " "] : [];
  const several = new Set(errors.map(({ code }) => code)).size > 1 ? "` with a code, such as `roster explain" : "";
  return present<t.Block>(
    ...t.entriesOf(entries),
    more > 0 && t.sentence(`and ${more} more`, "strong"),
    ...t.entriesOf(problem === undefined ? [] : [problemEntry(problem)]),
    first && t.paragraph([...counted, `For details, run \`roster explain${several} ${first.code}\`.`]),
  );
}

export function problemSections({ problem, diagnostics }: Problems): readonly t.Section[] {
  const refuses = ({ code }: Diagnostic) => code === "service-reset" || isStop(code);
  const guards = problem?.code === "guard" ? diagnostics.filter(refuses) : [];
  const [errors, warnings] = bySeverity(diagnostics.filter((diagnostic) => !guards.includes(diagnostic)));
  const stopped = problem === undefined ? [] : [problemEntry(problem), ...guards.map(diagnosticEntry)];
  const listing = "roster validate";
  return [
    t.part(t.words(guards.length === 0 ? "Stopped" : "Refused by guards"), t.entriesOf(stopped)),
    { ...t.section("Errors", errors.map(diagnosticEntry)), whole: listing },
    { ...t.section("Warnings", warnings.map(diagnosticEntry), { is: "folded" }), whole: listing },
  ];
}

function bySeverity(diagnostics: readonly Diagnostic[]) {
  const of = (severity: Diagnostic["severity"]) => diagnostics.filter((one) => one.severity === severity);
  return [of("error"), of("warning")] as const;
}

function diagnosticEntry(diagnostic: Diagnostic): t.Entry {
  const { severity, place, code, message, hint } = diagnostic;
  const ink = severity === "error" ? "alarm" : "change";
  return t.entry([t.inked(ink, `${severity}[${code}]`), ": ", message], {
    about: place === undefined ? [] : t.phrase`${formatPlace(place)}`,
    notes: [...excerptBlocks(diagnostic), ...hintNotes(hint)],
    labels: [severity],
  });
}

function problemEntry(problem: Problem): t.Entry {
  const { code, message, hint } = problem;
  const notes = [...callNotes(problem), ...hintNotes(hint)];
  return t.entry([t.inked("alarm", `error[${code}]`), ": ", message], { notes, labels: ["error"] });
}

const maxExcerptWidth = 110;
const maxExcerptLead = 60;

function excerptBlocks({ place, excerpt }: Diagnostic): readonly t.Block[] {
  if (place === undefined || excerpt === undefined) return [];
  const cut = excerptAround(excerpt.line.replaceAll("\t", " "), place.column - 1);
  const fault = cut.text.slice(cut.offset, cut.offset + excerpt.length);
  const gutter = `${place.line} | `;
  const carets = "^".repeat(Math.max(1, displayWidth(safe(fault))));
  const before = " ".repeat(displayWidth(safe(cut.text.slice(0, cut.offset))));
  const margin = `${gutter.replace(/\d/gu, " ")}${before}`;
  return t.lines([
    { indent: 0, spans: [t.inked("dim", gutter), cut.text], fixed: true },
    { indent: 0, spans: [t.inked("dim", margin), t.inked("alarm", carets)], fixed: true },
  ]);
}

function excerptAround(line: string, offset: number): { readonly text: string; readonly offset: number } {
  if (line.length <= maxExcerptWidth) return { text: line, offset: Math.min(Math.max(0, offset), line.length) };
  const start = Math.max(0, Math.min(offset - maxExcerptLead, line.length - maxExcerptWidth));
  const head = start === 0 ? "" : "…";
  const tail = start + maxExcerptWidth < line.length ? "…" : "";
  const text = `${head}${line.slice(start, start + maxExcerptWidth)}${tail}`;
  return { text, offset: Math.min(offset - start + head.length, text.length) };
}

export function failureNotes(failure: Failure): readonly t.Paragraph[] {
  return [t.paragraph([failure.message]), ...callNotes(failure), ...hintNotes(failure.hint)];
}

function callNotes(failure: Problem | Failure): readonly t.Paragraph[] {
  const { request, serviceSays: text } = failure;
  const isStore = request !== undefined && !/^[A-Z]+ /u.test(request);
  const label = t.words(isStore ? "at: " : "request: ");
  const said = text === undefined ? undefined : ({ is: "value", text, max: 300, quoted: true } as const);
  return present(
    request !== undefined &&
      !failure.message.includes(request) &&
      t.paragraph(t.phrase`${label}${request}${t.words(statusAside(failure))}`),
    said && t.paragraph(t.phrase`${t.words(isStore ? "the system says" : "the service says")}: ${said}`),
  );
}

function hintNotes(hint: string | undefined): readonly t.Paragraph[] {
  return hint === undefined ? [] : [t.paragraph([...t.words("hint: "), hint])];
}

export function formatFailure({ message, serviceSays, hint }: Problem | Failure): string {
  return joinSentences(serviceSays === undefined ? message : `${message}: ${serviceSays}`, hint);
}

export function joinSentences(...texts: readonly (string | undefined)[]): string {
  return texts
    .flatMap((text) => (text === undefined || text === "" ? [] : [/[.!?…]$/u.test(text) ? text : `${text}.`]))
    .join(" ");
}

/** Of what can be accepted and is not yet. */
export function acceptLine(one: Acceptable): readonly t.Block[] {
  const { accept } = one;
  if (accept === undefined || isAccepted(one)) return [];
  const entry = `{ code: ${JSON.stringify(accept.code)}, reason: "...", until: ${accept.until} }`;
  return [t.code("yaml", `# To accept this until a date:\naccept:\n  - ${entry}`)];
}

export function howToAccept(last = ""): t.Paragraph {
  const how =
    "To accept a difference until a date, add its `accept` lines to a roster file. There, `accept:` starts at the left margin. If the file has `accept:` already, add only the last line. Replace `...` with your reason. `roster drift` then does not count this difference.";
  return t.sentence(`${how}${last}`, "dim");
}
