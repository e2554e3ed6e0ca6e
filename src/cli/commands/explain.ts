import type { Roster } from "../../model/roster.ts";
import type { State } from "../../model/state.ts";
import { findAgreements } from "../../plan/agreements.ts";
import { catalogue, catalogueEntries } from "../../report/codes/catalogue.ts";
import { explainFromSavedPlan, explainTarget } from "../../report/explain/explain.ts";
import type { ExplainTarget } from "../../report/explain/explanation.ts";
import { isNamed } from "../explain/named-things.ts";
import { decodeSavedPlan } from "../explain/saved-plan.ts";
import { namelessThing, notInPlan, unknownCode, unknownThing } from "../explain/unknown-thing.ts";
import { namedKind, thingOf } from "../explain/what.ts";
import type { Host } from "../host.ts";
import { type CommandResult, finish } from "../output/conclude.ts";
import type { OutputFlags } from "../output/output-flags.ts";
import { findPlan } from "../plan-file/find-plan.ts";
import type { PlanningFlags } from "../planning/prepare.ts";
import { withPlan } from "../planning/with-plan.ts";
import { readSnapshotFlags, type SnapshotFlags, type WantedSnapshot } from "../snapshot-file/snapshot-flags.ts";
import { invalidSetting } from "../stop.ts";
import { sha256 } from "../system.ts";

export interface ExplainFlags extends PlanningFlags, OutputFlags, SnapshotFlags {
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
  return finish(await explanationOf(what, { paths, flags, host }), flags, host);
}

interface ExplainRequest {
  readonly paths: readonly string[];
  readonly flags: ExplainFlags;
  readonly host: Host;
}

async function explanationOf(what: string | undefined, asked: ExplainRequest): Promise<CommandResult> {
  if (asked.flags.codes === true) return { ...begun, explanation: { of: "codes", codes: catalogue, as: "list" } };
  if (what === undefined) return { ...begun, stop: nothingNamed };
  const codes = catalogueEntries(what);
  if (codes.length > 0) return { ...begun, explanation: { of: "codes", codes, as: "whole" } };
  const thing = thingOf(what);
  if (thing === undefined) return { ...begun, stop: unknownCode(what) };
  if (namedKind(what)?.name === "") return { ...begun, stop: namelessThing(what, thing) };
  const snapshot = readSnapshotFlags(asked.flags, asked.host);
  if (!snapshot.ok) return { ...begun, stop: snapshot.error };
  const found = await findPlan(asked.paths, asked.host);
  if (!found.ok) return { ...begun, stop: found.error };
  if (found.value.is === "plan" && snapshot.value !== undefined) return { ...begun, stop: twoPlans };
  if (found.value.is === "plan") return explainInFile(what, thing, found.value);
  return explainInPlan(what, thing, { ...asked, host: found.value.host, snapshot: snapshot.value });
}

function explainInFile(
  what: string,
  thing: ExplainTarget,
  saved: { readonly path: string; readonly text: string },
): CommandResult {
  const plan = decodeSavedPlan(saved);
  if (!plan.ok) return { ...begun, stop: plan.error };
  const things = explainFromSavedPlan(thing, plan.value);
  if (things.length === 0) return { ...begun, stop: notInPlan(what, saved.path, plan.value) };
  return { ...begun, explanation: { of: "things", things } };
}

/** Plans as `plan` does, of the service or of a snapshot, and looks at everybody where a thing is asked for that nobody names. */
async function explainInPlan(
  what: string,
  thing: ExplainTarget,
  asked: ExplainRequest & { readonly snapshot: WantedSnapshot | undefined },
): Promise<CommandResult> {
  const everyone = (roster: Roster, state: State) => (isNamed(thing, roster, state) ? "when-needed" : "always");
  const about = thing.is === "user" ? [namedKind(what)?.name ?? what] : [];
  return withPlan(begun, { ...asked, about, everyone }, async (so, planned, { loaded, policy }) => {
    const { roster } = loaded;
    const { plan, snapshot, state, refusal } = planned;
    const agreements = findAgreements({ roster, snapshot, state, policy, digest: sha256 });
    const all = { roster, snapshot, state, plan, agreements, refused: refusal?.problem?.message };
    const things = explainTarget(thing, all);
    if (things.length === 0) return { ...so, stop: unknownThing(what, thing, all) };
    return { ...so, explanation: { of: "things", things } };
  });
}

const twoPlans = invalidSetting(
  "plan-file-has-said",
  "--from cannot be said of a plan that was saved: it is explained as it is.",
  "Name the roster in place of the plan, or leave --from out.",
);

const nothingNamed = invalidSetting(
  "usage",
  "It is not said what to explain.",
  "Name user:EMAIL, team:NAME, key:PREFIX, role:NAME, an action's id, a finding's fingerprint or a code; --codes lists every code.",
);
