import type { Action } from "../../model/action.ts";
import type { FoldedAddress } from "../../model/address.ts";
import type { InSyncItem } from "../../model/agreement.ts";
import type { Fact } from "../../model/fact.ts";
import { formatPlace } from "../../model/place.ts";
import type { CatalogueEntry } from "../codes/catalogue.ts";
import { exitCodeWords } from "../exit-code-words.ts";
import { type PlanNames, planNames } from "../plan-names.ts";
import { readWords } from "../reasons/fact-lines.ts";
import { linkLines } from "../reasons/link-lines.ts";
import { reasonLines } from "../reasons.ts";
import { actionLines } from "../text/action-lines.ts";
import { findingLines } from "../text/finding-lines.ts";
import { type Line, prose, row, stacked } from "../text/lines.ts";
import { counted } from "../words.ts";
import type { ActionExplained, Explanation, Statement, ThingExplained } from "./explanation.ts";

/** How many other actions are named. */
const mostIds = 5;

/** An explanation for people. */
export function explanationLines(explanation: Explanation): readonly Line[] {
  if (explanation.of === "things") return stacked(explanation.things.map(thingLines));
  return explanation.as === "list" ? listLines(explanation.codes) : stacked(explanation.codes.map(codeLines));
}

function codeLines({ code, kind, about, title, means, next, exitCodes }: CatalogueEntry): readonly Line[] {
  return [
    row(0, [{ ink: "strong", text: code }, `  ${about}: ${title}`]),
    prose(2, means),
    prose(2, `What to do: ${next}`),
    ...(kind === "exit-code" ? [] : exitCodes).map((one) =>
      prose(2, `Exit code ${one}: ${exitCodeWords(one)}.`, "dim"),
    ),
  ];
}

function listLines(codes: readonly CatalogueEntry[]): readonly Line[] {
  const abouts = [...new Set(codes.map(({ about }) => about))];
  const sections = abouts.map((about) => {
    const of = codes.filter((entry) => entry.about === about);
    const widest = of.reduce((width, { code }) => Math.max(width, code.length), 0);
    const rows = of.map(({ code, title }) => row(2, [code.padEnd(widest + 2), title]));
    return [
      row(0, [{ ink: "strong", text: `${about.charAt(0).toUpperCase()}${about.slice(1)} (${of.length})` }]),
      ...rows,
    ];
  });
  return stacked([...sections, [prose(0, "`roster explain CODE` tells what a code means and what to do.", "dim")]]);
}

function thingLines(thing: ThingExplained): readonly Line[] {
  const { is, name, from, findings, actions, plan } = thing;
  return stacked([
    [
      row(0, [{ ink: "strong", text: `${is} ${name}` }]),
      ...(from === "a saved plan"
        ? [prose(0, `Told from the saved plan ${plan.id} alone: it holds what it does and finds.`, "dim")]
        : []),
    ],
    statements("What the roster says", thing.roster, thing),
    [...statements("What the service shows", thing.service, thing), ...readsOf(thing)],
    statements("What the state records", thing.state, thing),
    headed(
      "What the plan does",
      actions.flatMap((one) => plannedLines(one, thing)),
    ),
    thing.refused === undefined || actions.length === 0 ? [] : [prose(0, `${thing.refused}.`, "alarm")],
    headed(
      "What the plan finds",
      findings.flatMap((finding) => [...findingLines(finding), ...reasonsOf(finding, thing)]),
    ),
    headed(
      "Where nothing is to be done",
      thing.settled.flatMap((one) => settledLines(one, thing)),
    ),
    statements("What nobody asked for", thing.unasked, thing),
    ...(actions.length + findings.length + thing.settled.length === 0 && from === "the service"
      ? [[prose(0, "The plan does nothing about it, and finds nothing.")]]
      : []),
  ]);
}

function headed(title: string, lines: readonly Line[]): readonly Line[] {
  return lines.length === 0 ? [] : [row(0, [{ ink: "strong", text: title }]), ...lines];
}

function statements(title: string, said: readonly Statement[], { is, from, plan }: ThingExplained): readonly Line[] {
  const isPart = is === "action" || is === "finding";
  if (said.length === 0 && (isPart || from === "a saved plan" || title.startsWith("What nobody"))) return [];
  const names = planNames(plan);
  const lines = said.flatMap((one) => [
    statementLine(one),
    ...(one.because === undefined ? [] : linkLines(one.because, { names, indent: 4 })),
  ]);
  return headed(title, lines.length === 0 ? [prose(2, "nothing", "dim")] : lines);
}

function statementLine({ says, place, by, at }: Statement): Line {
  if (place !== undefined) return row(2, [says], formatPlace(place));
  const how = [...(by === undefined ? [] : [`as read by ${by}`]), ...(at === undefined ? [] : [`recorded at ${at}`])];
  return prose(2, how.length === 0 ? says : `${says} (${how.join(", ")})`);
}

/** When each of the reads that are named was, and what it asked. */
function readsOf({ service, readings }: ThingExplained): readonly Line[] {
  const names = new Set(service.flatMap(({ by }) => (by === undefined ? [] : [by])));
  return [...names].flatMap((name) => {
    const reading = readings.get(name);
    return reading === undefined ? [] : [prose(2, readWords(name, reading), "dim")];
  });
}

function plannedLines({ action, person, waitsFor, neededBy }: ActionExplained, thing: ThingExplained): readonly Line[] {
  const names = planNames(thing.plan);
  const title = [
    ...(person === undefined ? actionLines(action, names) : partLines(action, person, names)),
    prose(6, `action ${action.id}`, "dim"),
  ];
  if (isToldAbove(action, thing)) return title;
  return [
    ...title,
    ...reasonLines(action, { names, readings: thing.readings, ...(person === undefined ? {} : { person }) }),
    ...(waitsFor.length === 0 ? [] : [prose(6, `waits for ${few(waitsFor)}`)]),
    ...(neededBy.length === 0 ? [] : [prose(6, `needed by ${few(neededBy)}`)]),
  ];
}

/** Of who is to have a role, the roster's part has told every chain. */
function isToldAbove(action: Action, { is, name, from }: ThingExplained): boolean {
  return is === "role" && from === "the service" && action.kind === "replace-roles" && action.roles.includes(name);
}

/** One person's part of an action for several. */
function partLines(action: Action, person: FoldedAddress, names: PlanNames): readonly Line[] {
  const [title] = actionLines(action, names);
  const others = action.kind === "add-members" ? action.members.length - 1 : 0;
  const beside = others === 0 ? "" : ` and ${counted(others, "other")}`;
  return [...(title === undefined ? [] : [title]), prose(6, `${names.email(person)}${beside}`)];
}

function few(ids: readonly string[]): string {
  const more = ids.length - mostIds;
  return more <= 1 ? ids.join(", ") : `${ids.slice(0, mostIds).join(", ")} and ${more} more`;
}

function reasonsOf(finding: ThingExplained["findings"][number], { plan, readings }: ThingExplained): readonly Line[] {
  return [
    ...reasonLines(finding, { names: planNames(plan), readings }),
    prose(6, `fingerprint ${finding.fingerprint}`, "dim"),
  ];
}

/** Of a key, whose roles are asked for by way of somebody's place or entry, with the chain. */
function settledLines({ says, basis, because }: InSyncItem, { is, plan }: ThingExplained): readonly Line[] {
  const line = prose(2, basis === undefined ? says : `${says} (${knownHow(basis.fact)})`);
  return is === "key" ? [line, ...linkLines(because, { names: planNames(plan), indent: 4 })] : [line];
}

function knownHow(fact: Fact<string>): string {
  switch (fact.known) {
    case "observed":
      return `as read by ${fact.by}`;
    case "recorded":
      return `by our record of ${fact.at}`;
    case "declared":
      return `as ${formatPlace(fact.place)} says`;
    case "unknown":
      return fact.why;
  }
}
