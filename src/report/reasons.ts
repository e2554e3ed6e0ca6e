import type { Action } from "../model/action.ts";
import type { FoldedAddress } from "../model/address.ts";
import type { ReadName, Reason } from "../model/fact.ts";
import type { Finding } from "../model/finding.ts";
import type { ReadRecord } from "../model/snapshot.ts";
import { findings } from "./codes/findings.ts";
import { rules } from "./codes/rules.ts";
import type { PlanNames } from "./plan-names.ts";
import { factLines } from "./reasons/fact-lines.ts";
import { reasonChainLines } from "./reasons/link-lines.ts";
import { type Line, prose, row } from "./text/lines.ts";

export interface ReasonContext {
  readonly names: PlanNames;
  /** When each read happened and what was asked, where that is known. */
  readonly readings?: ReadonlyMap<ReadName, ReadRecord>;
  /** Of an action for several people: whose part of it is told. */
  readonly person?: FoldedAddress;
  /** Columns before each line; 6 unless given. */
  readonly indent?: number;
}

/** Why something is in a plan: what in the YAML asks for it, on which facts it rests, and by which rule it follows. */
export function reasonLines(of: Action | Finding, context: ReasonContext): readonly Line[] {
  const indent = context.indent ?? 6;
  return [
    ...headedLines(
      "asked for by",
      reasonChainLines(reasonsFor(of, context.person), { ...context, indent: indent + 2 }),
      indent,
    ),
    ...headedLines("rests on", factLines(factsFor(of, context.person), context.readings, indent + 2), indent),
    ...ruleLines(of, indent),
  ];
}

function headedLines(heading: string, lines: readonly Line[], indent: number): readonly Line[] {
  return lines.length === 0 ? [] : [row(indent, [{ ink: "dim", text: heading }]), ...lines];
}

function reasonsFor({ because }: Action | Finding, person: FoldedAddress | undefined): readonly Reason[] {
  if (person === undefined) return because;
  const theirs = because.filter((link) => link.person === person);
  const groups = new Set(theirs.flatMap(({ as, name }) => (as === "group-member" ? [name] : [])));
  const isTheirs = (link: Reason) =>
    link.as === "group" ? groups.has(link.name) : link.person === undefined || link.person === person;
  return because.filter(isTheirs);
}

function factsFor(of: Action | Finding, person: FoldedAddress | undefined): Action["restsOn"] {
  if (person === undefined || !("kind" in of) || of.kind !== "add-members") return of.restsOn;
  const others = of.members.filter(({ address }) => address !== person);
  const theirs = new Set(others.map(({ address }) => `member ${address} of team ${of.team.team}`));
  return of.restsOn.filter(({ about }) => !theirs.has(about));
}

function ruleLines(of: Action | Finding, indent: number): readonly Line[] {
  const [heading, code, words] =
    "kind" in of
      ? (["planned by the rule", of.rule, rules[of.rule]] as const)
      : (["told as", of.code, findings[of.code]] as const);
  // A plan of a newer minor version may name a rule that this one does not know.
  const title: string | undefined = words?.title;
  return [
    row(indent, [{ ink: "dim", text: `${heading} ` }, code]),
    ...(title === undefined ? [] : [prose(indent + 2, title)]),
  ];
}
