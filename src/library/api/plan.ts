import { setMaxListeners } from "node:events";
import { foldAddress, foldDomain } from "../../model/address.ts";
import type { Plan } from "../../model/plan.ts";
import { defaultGuards, type GuardSettings } from "../../model/policy.ts";
import { problem, type Result, success } from "../../model/result.ts";
import { roleSet } from "../../model/role-set.ts";
import type { ReadSummary } from "../../model/snapshot.ts";
import { isoDate, type Randomness } from "../../ports/clock.ts";
import type { RosterLog } from "../../ports/log.ts";
import type { ReadStep } from "../../ports/operator.ts";
import type { Service } from "../connect.ts";
import {
  errorFromFailure,
  type LibraryError,
  libraryError,
  libraryResult,
  type Redaction,
  type RosterError,
} from "../error.ts";
import {
  aCount,
  aFlag,
  aFunction,
  aShare,
  aSignal,
  aText,
  either,
  givenBy,
  type OptionChecks,
  oneOf,
  optionsError,
  required,
  shapeOf,
  texts,
} from "../options.ts";
import type { LoadedRoster } from "../planning/load-roster.ts";
import { type Planned, type PlanningInput, type PlanPorts, planFor } from "../planning/planning.ts";
import { type RunWords, readPolicy } from "../planning/policy.ts";
import { newSecrets } from "../secrets.ts";
import type { OpenedState } from "../stores/open-store.ts";

/** A plan, and what it rests on. */
export interface PlanResult {
  /** The actions, in an order that respects every dependency, and the findings. */
  readonly plan: Plan;
  /** Guards refuse the plan: it may be shown, and `apply` does not run it. `allow` has the codes that let it pass. */
  readonly refusal?: LibraryError;
  /** How the service was read, and when. */
  readonly reading: ReadSummary;
}

const off = oneOf("off");

/** Each guard by what it can be set to. */
const guardChecks: OptionChecks<GuardOptions> = {
  allowedEmailDomains: texts,
  nearDuplicate: oneOf("on", "off"),
  privilegedRoles: either(shapeOf({ roles: required(texts), people: required(texts) }), off),
  protect: shapeOf({ users: required(texts), keys: required(texts) }),
  maxNewUsers: either(aCount, off),
  maxInvitations: either(aCount, off),
  maxRoleRemovals: either(shapeOf({ ratio: required(aShare), floor: required(aCount) }), off),
  minAdmins: either(shapeOf({ role: required(aText), count: required(aCount) }), off),
  requiredAdmins: texts,
};

/** @internal */
export const workChecks: OptionChecks<WorkOptions> = {
  roster: givenBy("loadRoster", "roster"),
  service: givenBy("connect", "connection"),
  state: givenBy("openState", "store"),
  include: texts,
  exclude: texts,
  allow: texts,
  reason: aText,
  guards: shapeOf(guardChecks, "an object of guards, each with one of its values"),
  reportUnmanaged: aFlag,
  consistencyMs: aCount,
  signal: aSignal,
  progress: aFunction,
};

/** Plans what `apply` would do. Reads the service and the state, takes no lock and writes nothing. */
export async function plan(options: WorkOptions): Promise<Result<PlanResult, LibraryError>> {
  const wrong = workError("plan", workChecks, options);
  if (wrong !== undefined) return problem(wrong);
  const work = readWork(options);
  if (!work.ok) return problem(libraryError(work.error, options.service.secrets));
  const { store, secrets, ...ports } = work.value;
  const state = await store.read();
  if (!state.ok) return problem(libraryError(errorFromFailure(state.error), secrets));
  const planned = await planFor({ ...ports, state: state.value }, ports);
  if (!planned.ok) return libraryResult(planned, secrets);
  return { ok: true, value: planResult(planned.value, secrets) };
}

/** @internal */
export function planResult({ plan, reading, refusal }: Planned, secrets: Redaction): PlanResult {
  const shown = secrets.redactAll({ plan, reading });
  return refusal === undefined ? shown : { ...shown, refusal: libraryError(refusal, secrets) };
}

/** What `plan`, `apply` and `drift` work with. */
export interface WorkOptions extends RunWords {
  readonly roster: LoadedRoster;
  readonly service: Service;
  readonly state: OpenedState;
  /** Plan only these, such as `user:ada@acme.example` or `team:Data Science`. Absent: everything. */
  readonly include?: readonly string[];
  /** Leave these out. */
  readonly exclude?: readonly string[];
  /** What is allowed: codes that a plan and its findings print, such as `max-new-users#7f3a90c1d4e5`. */
  readonly allow?: readonly string[];
  /** Why `allow` is allowed. Needed for privileged roles and for guards that refuse a plan; recorded in the log. */
  readonly reason?: string;
  /** Guards that are not to have their defaults. */
  readonly guards?: GuardOptions;
  /** Also read and report the users who are not in the roster. `drift` always does. */
  readonly reportUnmanaged?: boolean;
  /** How long reads of the service may not show a write. Learned where it is absent. */
  readonly consistencyMs?: number;
  /** Ends the work: reads are given up; in an apply no new call starts, and calls in progress finish. */
  readonly signal?: AbortSignal;
  /** Hears often how far the reads are. */
  readonly progress?: (step: ReadStep) => void;
}

/** Guards, as `guards:` and `protect:` of the settings set them. What is absent has its default. */
export interface GuardOptions {
  /** Domains in which users may be created. Absent: all. */
  readonly allowedEmailDomains?: readonly string[];
  readonly nearDuplicate?: "on" | "off";
  /** Roles that let their holder administer others, and who may be given them. */
  readonly privilegedRoles?: { readonly roles: readonly string[]; readonly people: readonly string[] } | "off";
  /** People and keys, by address and prefix, that no action touches. */
  readonly protect?: { readonly users: readonly string[]; readonly keys: readonly string[] };
  readonly maxNewUsers?: number | "off";
  readonly maxInvitations?: number | "off";
  /** `ratio`: of all roles, from 0 to 1. Fewer removals than `floor` always pass. */
  readonly maxRoleRemovals?: { readonly ratio: number; readonly floor: number } | "off";
  readonly minAdmins?: { readonly role: string; readonly count: number } | "off";
  /** Addresses of people who must keep a privileged role that they have. */
  readonly requiredAdmins?: readonly string[];
}

/** Why no work is begun with such options. @internal */
export function workError(
  of: string,
  checks: OptionChecks<WorkOptions>,
  options: WorkOptions,
): LibraryError | undefined {
  const wrong = optionsError(of, checks, options);
  return wrong && libraryError(wrong, newSecrets());
}

/** The options, read and checked. @internal */
export interface Work extends PlanPorts, Pick<PlanningInput, "roster" | "policy" | "everyone"> {
  readonly store: RosterLog;
  readonly randomness: Randomness;
  readonly secrets: Redaction;
}

/** @internal */
export function readWork(options: WorkOptions): Result<Work, RosterError> {
  const { roster, service, state, signal, progress, reportUnmanaged = false } = options;
  const { clock, randomness } = state;
  const policy = readPolicy(options, {
    prefix: "",
    reportUnmanaged,
    guards: guardsInForce(options.guards),
    consistency: options.consistencyMs,
    today: isoDate(clock),
  });
  if (!policy.ok) return policy;
  return success({
    roster: roster.roster,
    policy: policy.value,
    everyone: reportUnmanaged ? "always" : "when-needed",
    service: service.connection,
    store: state.store,
    storeTimes: state.store.times,
    clock,
    randomness,
    parallelism: service.parallelism,
    signal: ownSignal(signal),
    progress: { report: (step) => progress?.(step) },
    secrets: bothSecrets(service.secrets, state.secrets),
  });
}

/** Each call listens to it: of a signal that others listen to, Node would print a warning from the eleventh on. */
function ownSignal(signal: AbortSignal | undefined): AbortSignal {
  const own = AbortSignal.any(signal === undefined ? [] : [signal]);
  setMaxListeners(0, own);
  return own;
}

function bothSecrets(one: Redaction, other: Redaction): Redaction {
  return { redactAll: (value) => one.redactAll(other.redactAll(value)) };
}

function guardsInForce({
  protect,
  privilegedRoles,
  requiredAdmins,
  allowedEmailDomains,
  ...others
}: GuardOptions = {}): GuardSettings {
  const people = (addresses: readonly string[]) => addresses.map(foldAddress);
  return {
    ...defaultGuards,
    ...others,
    ...(allowedEmailDomains === undefined
      ? {}
      : { allowedEmailDomains: allowedEmailDomains.map((domain) => foldDomain(domain.replace(/^@/u, ""))) }),
    ...(protect === undefined ? {} : { protected: { users: people(protect.users), keys: protect.keys } }),
    ...(privilegedRoles === undefined ? {} : { privilegedRoles: privilegesOf(privilegedRoles) }),
    ...(requiredAdmins === undefined ? {} : { requiredAdmins: people(requiredAdmins) }),
  };
}

function privilegesOf(said: NonNullable<GuardOptions["privilegedRoles"]>): GuardSettings["privilegedRoles"] {
  return said === "off" ? said : { roles: roleSet(said.roles), people: said.people.map(foldAddress) };
}
