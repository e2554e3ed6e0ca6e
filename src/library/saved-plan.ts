import { isPlanFile } from "../codec/document.ts";
import type { PlanFile } from "../codec/plan-file-format.ts";
import { rosterVersion } from "../codec/version.ts";
import { digestPreconditions, stateBasis } from "../log/preconditions.ts";
import { definedFields } from "../model/collections.ts";
import type { Plan } from "../model/plan.ts";
import { rosterDigest } from "../model/roster.ts";
import { searchWitnesses } from "../observe/read-users.ts";
import {
  decodePlanDocument,
  decodePlanFile,
  encodePlanFile,
  planFault,
  planFileFault,
  policyWords,
} from "../plan/plan-file.ts";
import { isoTime } from "../ports/clock.ts";
import { type Environment, newEnvironment, type SystemOptions } from "./environment.ts";
import { invalidSetting, type Redaction, stopError } from "./error.ts";
import type { LoadedRoster } from "./load-roster.ts";
import { checkOptions, is, type OptionChecks } from "./options.ts";
import { basisOf, learnedEvents, type Planned, type PlanResult } from "./plan.ts";
import { guardsDigest } from "./policy.ts";

/** A plan that is kept to be applied later, perhaps by another machine: the text is its approval. */
export interface SavedPlan {
  readonly plan: Plan;
  /** ISO 8601. From then on `applySaved` refuses it. */
  readonly expiresAt: string;
  /** What is kept. It has addresses and names, and must come back byte for byte. */
  readonly text: string;
  /** @internal */
  readonly file: PlanFile;
}

export interface SavePlanOptions extends SystemOptions {
  /** What `plan` returned, itself: a copy does not say what the plan rests on. */
  readonly planned: PlanResult;
  /** The roster that was planned. */
  readonly roster: LoadedRoster;
}

const saveChecks: OptionChecks<SavePlanOptions> = {
  clock: is.clock,
  randomness: is.randomness,
  planned: is.required(is.givenBy("plan", "plan")),
  roster: is.required(is.givenBy("loadRoster", "roster")),
};

/** Makes of a plan the text to keep, which `readSavedPlan` reads. Writes no file. Throws the refusal of a plan that guards refuse. */
export function savePlan(options: SavePlanOptions): SavedPlan {
  checkOptions("savePlan", saveChecks, options);
  const { planned, roster } = options;
  const basis = basisOf(planned);
  // The plan has the people in another order, and the very accounts.
  if (basis.context.roster.accounts !== roster.roster.accounts)
    throw invalidSetting("bad-option", "The option `roster` of `savePlan` must be the roster of the plan.");
  if (planned.refusal !== undefined) throw planned.refusal;
  return planToSave(basis, roster, { ...newEnvironment(options), secrets: basis.secrets });
}

/** The same as the command saves a plan that guards let pass: in its own environment. */
export function planToSave(
  planned: Planned,
  { roster, counts }: LoadedRoster,
  { clock, randomness, secrets }: Pick<Environment, "clock" | "randomness"> & { readonly secrets: Redaction },
): SavedPlan {
  const { plan, snapshot, before, context } = planned;
  const { policy } = context;
  if (before === undefined) throw new Error("A plan of a snapshot is not saved.");
  const { readAt, everyone, capabilities } = snapshot;
  // When the next user becomes a leaver, the roster asks for something else. Arguments of one call may not be so many.
  const lastDays = [...roster.users.values()].flatMap(({ until }) => (until ? [Date.parse(until.value)] : []));
  const expires = lastDays.reduce((first, day) => Math.min(first, day), Date.parse(readAt) + lifetime);
  const expiresAt = new Date(expires).toISOString();
  const madeAt = isoTime(clock);
  const file: PlanFile = {
    file: randomness.identifier(),
    madeAt,
    madeBy: rosterVersion,
    expiresAt,
    basis: {
      roster: { digest: rosterDigest(roster), ...counts },
      ...definedFields({ state: stateBasis(before) }),
      readAt,
      everyone,
      capabilities,
    },
    policy: {
      words: policyWords(policy, plan),
      privilegedRoles: policy.privilegedRoles,
      guards: guardsDigest(policy),
    },
    records: digestPreconditions(plan, planned.state),
    lessons: learnedEvents(planned, { roster, policy, at: madeAt }),
    witnesses: searchWitnesses(snapshot, roster, plan),
    plan,
  };
  const text = encodePlanFile(file);
  // Without it, it would be another plan.
  if (secrets.redactAll(text) !== text) {
    const message = "the plan cannot be saved: it has the key in use, or another secret";
    throw stopError("failed", "incomplete-read", message, "Run `roster doctor` to see what the service answers.");
  }
  return { plan, expiresAt, text, file };
}

/** How long a saved plan is good for, in milliseconds from the reading on. */
const lifetime = 86_400_000;

/** A text that was saved. */
export interface SavedText {
  /** The name by which errors speak of it. */
  readonly file: string;
  readonly text: string;
}

const textChecks: OptionChecks<SavedText> = { file: is.required(is.text), text: is.required(is.text) };

/** Reads a saved plan back. Throws where the text is not the one that was saved, or contradicts itself. Its time may be over. */
export async function readSavedPlan(options: SavedText): Promise<SavedPlan> {
  checkOptions("readSavedPlan", textChecks, options);
  const { validPlanFile } = await import("../codec/generated/plan-file.js");
  const decoded = decodePlanFile(options.text, validPlanFile);
  const fault = decoded.ok ? planFileFault(decoded.value) : decoded.error;
  if (decoded.ok && fault === undefined) {
    const { plan, expiresAt } = decoded.value;
    return { plan, expiresAt, text: options.text, file: decoded.value };
  }
  const hint = "Plan again with `roster plan --out FILE`, and do not edit the file.";
  throw invalidSetting("bad-file", `${options.file} is not a usable plan file: ${fault}.`, hint);
}

/** What a text shows: a saved plan, or the plan alone of a document that `--format json` printed. `-` is standard input. */
export async function readShownPlan(shown: SavedText): Promise<{ readonly plan: Plan; readonly saved?: SavedPlan }> {
  if (isPlanFile(shown.text)) {
    const saved = await readSavedPlan(shown);
    return { plan: saved.plan, saved };
  }
  const { validPlanDocument } = await import("../codec/generated/plan.js");
  const decoded = decodePlanDocument(shown.text, validPlanDocument);
  const why = decoded.ok ? planFault(decoded.value) : decoded.error;
  if (decoded.ok && why === undefined) return { plan: decoded.value };
  const name = shown.file === "-" ? "Standard input" : shown.file;
  throw invalidSetting("bad-file", `${name} is not a plan: ${why}.`, howToSave);
}

export const howToSave = "A plan is saved with `roster plan --out FILE` or `roster plan --format json > FILE`.";
