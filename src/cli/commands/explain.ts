import { findAgreements } from "../../plan/agreements.ts";
import { catalogue, entriesOf } from "../../report/codes/catalogue.ts";
import { explainKnown } from "../../report/explain/explain-known.ts";
import { explainSaved } from "../../report/explain/explain-saved.ts";
import type { Thing } from "../../report/explain/explanation.ts";
import { type Conclusion, conclude } from "../conclude.ts";
import { isNamed } from "../explain/named-things.ts";
import { savedPlan } from "../explain/saved-plan.ts";
import { notInPlan, unknownCode, unknownThing } from "../explain/unknown-thing.ts";
import { thingOf } from "../explain/what.ts";
import type { Host } from "../host.ts";
import { readProgress } from "../onlooker.ts";
import type { OutputFlags } from "../output-flags.ts";
import { planFor } from "../pipeline.ts";
import { findPlan } from "../plan-file/find-plan.ts";
import { type PlanningFlags, prepared } from "../prepare.ts";
import { invalidSetting, stopFor } from "../stop.ts";
import { sha256 } from "../system.ts";

export interface ExplainFlags extends PlanningFlags, OutputFlags {
  readonly codes?: boolean;
}

const begun = { command: "explain", tells: "success-only", diagnostics: [] } as const;

/** Tells the whole story of one thing, or what a code means. Changes nothing; a code needs no service. */
export async function explain(
  what: string | undefined,
  paths: readonly string[],
  flags: ExplainFlags,
  host: Host,
): Promise<number> {
  return conclude(await explanationOf(what, { paths, flags, host }), flags, host);
}

interface Asked {
  readonly paths: readonly string[];
  readonly flags: ExplainFlags;
  readonly host: Host;
}

async function explanationOf(what: string | undefined, asked: Asked): Promise<Conclusion> {
  if (asked.flags.codes === true) return { ...begun, explanation: { of: "codes", codes: catalogue, as: "list" } };
  if (what === undefined) return { ...begun, stop: nothingNamed };
  const codes = entriesOf(what);
  if (codes.length > 0) return { ...begun, explanation: { of: "codes", codes, as: "whole" } };
  const thing = thingOf(what);
  if (thing === undefined) return { ...begun, stop: unknownCode(what) };
  const found = await findPlan(asked.paths, asked.host);
  if (!found.ok) return { ...begun, stop: found.error };
  if (found.value.is === "plan") return explainInFile(what, thing, found.value);
  return explainInService(what, thing, { ...asked, host: found.value.host });
}

function explainInFile(
  what: string,
  thing: Thing,
  saved: { readonly path: string; readonly text: string },
): Conclusion {
  const plan = savedPlan(saved);
  if (!plan.ok) return { ...begun, stop: plan.error };
  const things = explainSaved(thing, plan.value);
  if (things.length === 0) return { ...begun, stop: notInPlan(what, saved.path, plan.value) };
  return { ...begun, explanation: { of: "things", things } };
}

/** Plans as `plan` does, and looks at everybody where a thing is asked for that nobody names. */
async function explainInService(what: string, thing: Thing, asked: Asked): Promise<Conclusion> {
  const { flags } = asked;
  return prepared(begun, asked, async (so, { loaded, store, service, policy, settings, halting, onlooker }) => {
    const state = await store.read();
    if (!state.ok) return { ...so, stop: stopFor(state.error) };
    const { roster } = loaded;
    const isUnnamed = !isNamed(thing, roster, state.value);
    const everyone = flags.unmanaged === true || isUnnamed ? "always" : "when-needed";
    const { clock } = asked.host;
    const ports = { service, clock, progress: readProgress(onlooker), parallelism: settings.parallelism };
    const question = { roster, state: state.value, policy, everyone } as const;
    const planned = await planFor(question, { ...ports, signal: halting.signal });
    if (!planned.ok) return { ...so, stop: planned.error };
    const { plan, snapshot, state: known, refusal } = planned.value;
    const agreements = findAgreements({ roster, snapshot, state: known, policy, digest: sha256 });
    const all = { roster, snapshot, state: known, plan, agreements, refused: refusal?.problem?.message };
    const things = explainKnown(thing, all);
    if (things.length === 0) return { ...so, stop: unknownThing(what, thing, all) };
    return { ...so, explanation: { of: "things", things } };
  });
}

const nothingNamed = invalidSetting(
  "usage",
  "It is not said what to explain.",
  "Name user:EMAIL, team:NAME, key:PREFIX, an action's id, a finding's fingerprint or a code; --codes lists every code.",
);
