import { type CatalogueEntry, formatExitCode } from "../../codes/catalogue.ts";
import { groupBy } from "../../model/collections.ts";
import { formatPlace, type Reason } from "../../model/fact.ts";
import type { InSync } from "../../model/plan.ts";
import type { ExplainedTarget, Explanation, Statement } from "../explain/explain.ts";
import { capitalized } from "../phrases.ts";
import {
  actionEntry,
  type ExplainedAction,
  formatSource,
  type PlanNames,
  planNames,
  readLines,
  reasonChainLines,
  whyEntry,
} from "./actions.ts";
import { findingEntry } from "./tasks.ts";
import {
  type Block,
  type Content,
  code,
  type Entry,
  entriesOf,
  inked,
  type Line,
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

export function explanationContent(explanation: Explanation): Content {
  if (explanation.of === "things") return { sections: explanation.things.flatMap(thingSections) };
  if (explanation.as === "whole") return { sections: explanation.codes.map(codeSection) };
  return {
    sections: [...groupBy(explanation.codes, ({ about }) => about)].map(([about, codes]) => {
      const widest = Math.max(...codes.map(({ code: { length } }) => length));
      const all = codes.map(({ code: name, title }): Line => {
        return { indent: 0, spans: [`${name.padEnd(widest + 2)}${title}`], fixed: true };
      });
      return part(words(`${capitalized(about)} (${codes.length})`), lines(all));
    }),
    next: [sentence("`roster explain CODE` shows what a code means and what to do.", "dim")],
  };
}

function codeSection({ code: name, kind, about, title, means, next, example, exitCodes }: CatalogueEntry): Section {
  const exits = kind === "exit-code" ? [] : exitCodes;
  const blocks: readonly Block[] = [
    ...means.split("\n").map((one) => sentence(one)),
    sentence(`What to do: ${next}`),
    ...(example === undefined ? [] : [sentence("Example:"), code("yaml", example)]),
    ...exits.map((one) => sentence(`Exit code ${one}: ${formatExitCode(one)}.`, "dim")),
  ];
  return part(phrase`${strong(phrase`${name}`)}  ${words(`${about}: ${title}`)}`, blocks);
}

function thingSections(thing: ExplainedTarget): readonly Section[] {
  const { is, name, from, findings, actions, plan, inSync, readings, refused } = thing;
  const names = planNames(plan);
  const isLive = from === "the service";
  // Where one source could say something and does not, that is said.
  const otherwise = isLive && is !== "action" && is !== "finding" ? [line(0, [inked("dim", "nothing")])] : [];
  const known = (title: string, those: readonly Statement[], reads: readonly Line[] = []) =>
    part(words(title), lines([...(those.length === 0 ? otherwise : statementLines(those, names)), ...reads]));
  const found = findings.map((finding): Entry => {
    const { details, ...entry } = findingEntry(finding, { names, readings, actions: plan.actions });
    return { ...entry, notes: [...entry.notes, ...(details?.() ?? [])] };
  });
  const isEmpty = isLive && actions.length + findings.length + inSync.length === 0;
  return [
    part(undefined, [
      paragraph([strong(phrase`${words(is)} ${name}`)]),
      ...(isLive ? [] : [sentence(`From the saved plan ${plan.id} only.`, "dim")]),
    ]),
    known("In the roster", thing.roster),
    known(
      "In the service",
      thing.service,
      readLines(
        thing.service.flatMap(({ by }) => by ?? []),
        readings,
      ),
    ),
    known("In the state", thing.state),
    part(words("Planned changes"), entriesOf(actions.map((one) => actionOf(one, thing)))),
    part(undefined, refused === undefined || actions.length === 0 ? [] : [sentence(`${refused}.`, "alarm")]),
    part(words("Tasks and notices"), entriesOf(found)),
    part(words("Unchanged"), lines(inSync.flatMap((one) => inSyncLines(one, thing)))),
    part(words("Not in the roster"), lines(statementLines(thing.unasked, names))),
    part(undefined, isEmpty ? [sentence("The plan has no changes and no findings here.")] : []),
  ];
}

function statementLines(those: readonly Statement[], names: PlanNames): readonly Line[] {
  return those.flatMap(({ says, place, by, at, because = [] }) => {
    const how = [...(by === undefined ? [] : [`read by ${by}`]), ...(at === undefined ? [] : [`recorded at ${at}`])];
    const source = how.length === 0 || place !== undefined ? "" : ` (${how.join(", ")})`;
    return [line(0, [`${says}${source}`], place && formatPlace(place)), ...chainLines(because, names)];
  });
}

function chainLines(chain: readonly Reason[], names: PlanNames): readonly Line[] {
  return reasonChainLines(chain, names).map((one) => ({ ...one, indent: one.indent + 2 }));
}

/** Where a role is explained, the section of the roster already has every chain. */
function actionOf(explained: ExplainedAction, { is, name, from, plan, readings }: ExplainedTarget): Entry {
  const { action, person } = explained;
  const isCovered = is === "role" && from === "the service" && person === undefined;
  if (!isCovered || action.kind !== "replace-roles" || !action.roles.includes(name))
    return whyEntry(explained, { plan, readings });
  const entry = actionEntry(action, planNames(plan));
  return { ...entry, notes: [...entry.notes, sentence(`action ${action.id}`, "dim")] };
}

/** For a key also the chain: its roles are asked for through a membership or an entry of its owner. */
function inSyncLines({ says, basis, because }: InSync, { is, plan }: ExplainedTarget): readonly Line[] {
  const source = basis === undefined ? "" : ` (${formatSource(basis.fact)})`;
  return [line(0, [`${says}${source}`]), ...(is === "key" ? chainLines(because, planNames(plan)) : [])];
}
