import { groupBy } from "../../model/collections.ts";
import { type Fact, formatPlace } from "../../model/fact.ts";
import type { InSync } from "../../model/plan.ts";
import type { CatalogueEntry } from "../codes/catalogue.ts";
import { formatExitCode } from "../codes/exit-codes.ts";
import type { ExplainedAction, ExplainedTarget, Explanation, Statement } from "../explain/explanation.ts";
import { capitalized } from "../phrases.ts";
import { actionEntry, type PlanNames, planNames } from "./actions.ts";
import { whyEntry } from "./changes.ts";
import { readLines, reasonChainLines } from "./reasons.ts";
import { findingEntry } from "./tasks.ts";
import {
  type Block,
  type Content,
  type Entry,
  entriesOf,
  inked,
  line,
  lines,
  paragraph,
  part,
  phrase,
  type Section,
  sentence,
  strong,
  words,
} from "./tree.ts";

/** Codes with their texts, or things as the roster, the service, the state and the plan have them. */
export function explanationContent(explanation: Explanation): Content {
  if (explanation.of === "things") return { sections: explanation.things.flatMap(thingSections) };
  if (explanation.as === "whole") return { sections: explanation.codes.map(codeSection) };
  return {
    sections: [...groupBy(explanation.codes, ({ about }) => about)].map(([about, codes]) => codeList(about, codes)),
    next: [sentence("`roster explain CODE` shows what a code means and what to do.", "dim")],
  };
}

function codeSection({ code, kind, about, title, means, next, example, exitCodes }: CatalogueEntry): Section {
  const exits = kind === "exit-code" ? [] : exitCodes;
  const blocks: readonly Block[] = [
    ...means.split("\n").map((one) => sentence(one)),
    sentence(`What to do: ${next}`),
    ...(example === undefined
      ? []
      : [sentence("Example:"), { kind: "code", language: "yaml", text: example } as const]),
    ...exits.map((one) => sentence(`Exit code ${one}: ${formatExitCode(one)}.`, "dim")),
  ];
  return part(phrase`${strong(phrase`${code}`)}  ${words(`${about}: ${title}`)}`, blocks);
}

function codeList(about: string, codes: readonly CatalogueEntry[]): Section {
  const widest = codes.reduce((width, { code }) => Math.max(width, code.length), 0);
  const all = codes.map(({ code, title }) => ({
    ...line(0, [`${code.padEnd(widest + 2)}${title}`]),
    fixed: true as const,
  }));
  return part(words(`${capitalized(about)} (${codes.length})`), lines(all));
}

function thingSections(thing: ExplainedTarget): readonly Section[] {
  const { is, name, from, findings, actions, plan, inSync, readings } = thing;
  const context = { names: planNames(plan), readings, actions: plan.actions };
  const isEmpty = actions.length + findings.length + inSync.length === 0 && from === "the service";
  const planned = actions.map((one) => explainedEntry(one, thing));
  const found = findings.map((finding): Entry => {
    const { details, ...entry } = findingEntry(finding, context);
    return { ...entry, notes: [...entry.notes, ...(details?.() ?? [])] };
  });
  const reads = thing.service.flatMap(({ by }) => by ?? []);
  return [
    part(undefined, [
      paragraph([strong(phrase`${words(is)} ${name}`)]),
      ...(from === "a saved plan" ? [sentence(`From the saved plan ${plan.id} only.`, "dim")] : []),
    ]),
    statements("In the roster", thing.roster, thing),
    statements("In the service", thing.service, thing, readLines(reads, readings)),
    statements("In the state", thing.state, thing),
    part(words("Planned changes"), entriesOf(planned)),
    part(
      undefined,
      thing.refused === undefined || actions.length === 0 ? [] : [sentence(`${thing.refused}.`, "alarm")],
    ),
    part(words("Tasks and notices"), entriesOf(found)),
    part(words("Unchanged"), lines(inSync.flatMap((one) => inSyncLines(one, thing)))),
    statements("Not in the roster", thing.unasked, thing),
    part(undefined, isEmpty ? [sentence("The plan has no changes and no findings here.")] : []),
  ];
}

/** What one source says of a thing. Where it could say something and does not, that is said. */
function statements(
  title: string,
  those: readonly Statement[],
  { is, from, plan }: ExplainedTarget,
  after: ReturnType<typeof readLines> = [],
): Section {
  const isPart = is === "action" || is === "finding";
  const isSilent = isPart || from === "a saved plan" || title === "Not in the roster";
  const names = planNames(plan);
  const nothing = those.length === 0 && !isSilent ? [line(0, [inked("dim", "nothing")])] : [];
  const all = those.flatMap((one) => statementLines(one, names));
  return part(words(title), lines([...nothing, ...all, ...after]));
}

function statementLines({ says, place, by, at, because = [] }: Statement, names: PlanNames) {
  const how = [...(by === undefined ? [] : [`read by ${by}`]), ...(at === undefined ? [] : [`recorded at ${at}`])];
  const source = how.length === 0 || place !== undefined ? "" : ` (${how.join(", ")})`;
  return [line(0, [`${says}${source}`], place && formatPlace(place)), ...chainLines(because, names)];
}

function chainLines(chain: InSync["because"], names: PlanNames) {
  return reasonChainLines(chain, names).map((one) => ({ ...one, indent: one.indent + 2 }));
}

/** Where a role is explained, the section of the roster already has every chain. */
function explainedEntry(explained: ExplainedAction, { is, name, from, plan, readings }: ExplainedTarget): Entry {
  const { action, person } = explained;
  const isCovered =
    is === "role" && from === "the service" && action.kind === "replace-roles" && action.roles.includes(name);
  if (!isCovered || person !== undefined) return whyEntry(explained, { plan, readings });
  const entry = actionEntry(action, planNames(plan));
  return { ...entry, notes: [...entry.notes, sentence(`action ${action.id}`, "dim")] };
}

/** For a key also the chain: its roles are asked for through a membership or an entry of its owner. */
function inSyncLines({ says, basis, because }: InSync, { is, plan }: ExplainedTarget) {
  const source = basis === undefined ? "" : ` (${formatFactSource(basis.fact)})`;
  return [line(0, [`${says}${source}`]), ...(is === "key" ? chainLines(because, planNames(plan)) : [])];
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
