import type { Action, ActionId } from "../../model/action.ts";
import type { EmailKey } from "../../model/address.ts";
import { type Fact, formatPlace } from "../../model/fact.ts";
import type { Finding } from "../../model/finding.ts";
import type { InSync } from "../../model/plan.ts";
import type { CatalogueEntry } from "../codes/catalogue.ts";
import { formatExitCode } from "../codes/exit-codes.ts";
import { acceptLine } from "../drift.ts";
import type { ExplainedAction, ExplainedTarget, Explanation, Statement } from "../explain/explanation.ts";
import { explainAction } from "../explain/explanation.ts";
import type { CommandOutcome } from "../outcome.ts";
import { formatCount, truncateList } from "../phrases.ts";
import { actionDetailLines, actionLines, actionTitleLine, type PlanNames, planNames } from "./actions.ts";
import { type Aside, type Block, headed, heading, joinSections, type Line, prose, row } from "./blocks.ts";
import type { Entry } from "./entries.ts";
import { findingLines, formatApplyCommand } from "./findings.ts";
import { type ReasonContext, readLines, reasonChainLines, reasonLines } from "./reasons.ts";

/** How many other actions are named. */
const maxIds = 5;

/** An explanation for people. */
export function explanationLines(explanation: Explanation): readonly Line[] {
  if (explanation.of === "things") return joinSections(explanation.things.map(targetLines));
  return explanation.as === "list" ? listLines(explanation.codes) : joinSections(explanation.codes.map(codeLines));
}

function codeLines({ code, kind, about, title, means, next, example, exitCodes }: CatalogueEntry): readonly Line[] {
  return [
    row(0, [{ ink: "strong", text: code }, `  ${about}: ${title}`]),
    prose(2, means),
    prose(2, `What to do: ${next}`),
    ...(example === undefined
      ? []
      : [prose(2, "Example:"), ...example.split("\n").map((line) => row(line === "" ? 0 : 6, [line]))]),
    ...(kind === "exit-code" ? [] : exitCodes).map((one) =>
      prose(2, `Exit code ${one}: ${formatExitCode(one)}.`, "dim"),
    ),
  ];
}

function listLines(codes: readonly CatalogueEntry[]): readonly Line[] {
  const abouts = [...new Set(codes.map(({ about }) => about))];
  const sections = abouts.map((about) => {
    const of = codes.filter((entry) => entry.about === about);
    const widest = of.reduce((width, { code }) => Math.max(width, code.length), 0);
    const rows = of.map(({ code, title }) => row(2, [code.padEnd(widest + 2), title]));
    return [heading(`${about.charAt(0).toUpperCase()}${about.slice(1)} (${of.length})`), ...rows];
  });
  return joinSections([
    ...sections,
    [prose(0, "`roster explain CODE` shows what a code means and what to do.", "dim")],
  ]);
}

function targetLines(thing: ExplainedTarget): readonly Line[] {
  const { is, name, from, findings, actions, plan } = thing;
  return joinSections([
    [
      heading(`${is} ${name}`),
      ...(from === "a saved plan" ? [prose(0, `From the saved plan ${plan.id} only.`, "dim")] : []),
    ],
    statementLines("In the roster", thing.roster, thing),
    [
      ...statementLines("In the service", thing.service, thing),
      ...readLines(
        thing.service.flatMap(({ by }) => by ?? []),
        thing.readings,
        2,
      ),
    ],
    statementLines("In the state", thing.state, thing),
    headed(
      "Planned changes",
      actions.flatMap((one) => explainedActionLines(one, thing)),
    ),
    thing.refused === undefined || actions.length === 0 ? [] : [prose(0, `${thing.refused}.`, "alarm")],
    headed(
      "Findings",
      findings.flatMap((finding) => [...findingLines(finding), ...findingReasonLines(finding, reasonContext(thing))]),
    ),
    headed(
      "Already correct",
      thing.inSync.flatMap((one) => inSyncLines(one, thing)),
    ),
    statementLines("Not in the roster", thing.unasked, thing),
    ...(actions.length + findings.length + thing.inSync.length === 0 && from === "the service"
      ? [[prose(0, "The plan has no changes and no findings here.")]]
      : []),
  ]);
}

function statementLines(
  title: string,
  statements: readonly Statement[],
  { is, from, plan }: ExplainedTarget,
): readonly Line[] {
  const isPart = is === "action" || is === "finding";
  if (statements.length === 0 && (isPart || from === "a saved plan" || title === "Not in the roster")) return [];
  const names = planNames(plan);
  const lines = statements.flatMap((one) => [
    statementLine(one),
    ...(one.because === undefined ? [] : reasonChainLines(one.because, { names, indent: 4 })),
  ]);
  return headed(title, lines.length === 0 ? [prose(2, "nothing", "dim")] : lines);
}

function statementLine({ says, place, by, at }: Statement): Line {
  if (place !== undefined) return row(2, [says], formatPlace(place));
  const how = [...(by === undefined ? [] : [`read by ${by}`]), ...(at === undefined ? [] : [`recorded at ${at}`])];
  return prose(2, how.length === 0 ? says : `${says} (${how.join(", ")})`);
}

function explainedActionLines(explained: ExplainedAction, thing: ExplainedTarget): readonly Line[] {
  return isCoveredAbove(explained.action, thing) ? titleLines(explained, thing) : whyLines(explained, thing);
}

/** What reasons are shown with. */
type ReasonSource = Pick<ExplainedTarget, "plan" | "readings">;

function titleLines({ action, person }: ExplainedAction, { plan }: ReasonSource): readonly Line[] {
  const names = planNames(plan);
  const title = person === undefined ? actionLines(action, names) : partLines(action, person, names);
  return [...title, prose(6, `action ${action.id}`, "dim")];
}

function whyLines(explained: ExplainedAction, { plan, readings }: ReasonSource): readonly Line[] {
  const { action, person, waitsFor, neededBy } = explained;
  return [
    ...titleLines(explained, { plan, readings }),
    ...reasonLines(action, { ...reasonContext({ plan, readings }), ...(person === undefined ? {} : { person }) }),
    ...(waitsFor.length === 0 ? [] : [prose(6, `waits for ${truncateList(waitsFor, maxIds)}`)]),
    ...(neededBy.length === 0 ? [] : [prose(6, `needed by ${truncateList(neededBy, maxIds)}`)]),
  ];
}

/** Where a role is explained, the section of the roster already has every chain. */
function isCoveredAbove(action: Action, { is, name, from }: ExplainedTarget): boolean {
  return is === "role" && from === "the service" && action.kind === "replace-roles" && action.roles.includes(name);
}

/** One person's part of an action for several. */
function partLines(action: Action, person: EmailKey, names: PlanNames): readonly Line[] {
  const others = action.kind === "add-members" ? action.members.length - 1 : 0;
  const more = others === 0 ? "" : ` and ${formatCount(others, "other")}`;
  return [actionTitleLine(action, names), prose(6, `${names.email(person)}${more}`)];
}

/** Why a person's part of a plan is there, call by call. */
export function partDetails(
  ids: readonly ActionId[],
  person: EmailKey | undefined,
  source: ReasonSource,
): readonly Block[] {
  const { action: actionOf } = planNames(source.plan);
  const actions = ids.flatMap((id) => actionOf(id) ?? []);
  const lines = actions.map((action) => whyLines(explainAction(action, source.plan, person), source));
  return lines.length === 0 ? [] : [whyBlock(joinSections(lines))];
}

/** Why a finding or an item of a drift is there, with YAML and words of the command line to paste. */
export function entryAside(
  entry: Entry,
  context: ReasonContext & { readonly repeats?: CommandOutcome["repeats"] | undefined },
): Aside {
  const { label, what, of, details } = entry;
  const severity = what.is !== "code" ? [] : [what.severity];
  return {
    labels: [...(label === undefined ? [] : [label]), ...severity],
    details() {
      if (of === undefined) return details.length === 0 ? [] : [whyBlock(details)];
      if ("rule" in of) return [whyBlock([...actionDetailLines(of, context.names), ...reasonLines(of, context)])];
      const { suggestedYaml, allow = [] } = of;
      return [
        whyBlock(findingReasonLines(of, context)),
        ...(suggestedYaml === undefined ? [] : [codeToPaste("yaml", suggestedYaml)]),
        ...(allow.length === 0 ? [] : [codeToPaste("text", `${formatApplyCommand(allow, context.repeats)}\n`)]),
      ];
    },
  };
}

function whyBlock(lines: readonly Line[]): Block {
  return { kind: "code", language: "text", lines };
}

function codeToPaste(language: "yaml" | "text", lines: string): Block {
  return { kind: "code", language, lines };
}

function reasonContext({ plan, readings }: ReasonSource): ReasonContext {
  return { names: planNames(plan), readings };
}

function findingReasonLines(finding: Finding, context: ReasonContext): readonly Line[] {
  const line = acceptLine(finding);
  return [
    ...reasonLines(finding, context),
    prose(6, `fingerprint ${finding.fingerprint}`, "dim"),
    ...(line === undefined
      ? []
      : [prose(6, "to accept it, under `accept:` in a roster file, with a reason:", "dim"), row(6, [line])]),
  ];
}

/** For a key also the chain: its roles are asked for through a membership or an entry of its owner. */
function inSyncLines({ says, basis, because }: InSync, { is, plan }: ExplainedTarget): readonly Line[] {
  const line = prose(2, basis === undefined ? says : `${says} (${formatFactSource(basis.fact)})`);
  return is === "key" ? [line, ...reasonChainLines(because, { names: planNames(plan), indent: 4 })] : [line];
}

function formatFactSource(fact: Fact<string>): string {
  switch (fact.known) {
    case "observed":
      return `read by ${fact.by}`;
    case "recorded":
      return `recorded at ${fact.at}`;
    case "declared":
      return `from ${formatPlace(fact.place)}`;
    case "unknown":
      return fact.why;
  }
}
