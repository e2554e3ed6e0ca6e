import { applyEvents } from "../../journal/fold.ts";
import { type OperatorResolution, resolveCall } from "../../journal/operator-resolution.ts";
import { foldAddress } from "../../model/address.ts";
import { problem, type Result, success } from "../../model/result.ts";
import { callIdOf, type State } from "../../model/state.ts";
import { isoTime } from "../../ports/clock.ts";
import type { StateStore } from "../../ports/state-store.ts";
import { explainUnsettled, type OpenCallsReport } from "../../report/state.ts";
import { textProblem } from "../../roster/decode-file.ts";
import { type CommandError, errorFromFailure, invalidSetting } from "../command-error.ts";
import type { Host } from "../host.ts";
import { type CommandResult, finish } from "../output/finish.ts";
import type { OutputFlags } from "../output/output-flags.ts";
import { type CommandCall, runCommand, type Session } from "../session.ts";
import { type Locked, type LockFlags, lockState, readLockOptions, recordEvents } from "../stores/lock.ts";
import { type StateFlags, stateResult } from "../stores/open-store.ts";
import { sha256 } from "../system.ts";

export interface ResolveFlags extends StateFlags, LockFlags, ResolutionFlags, OutputFlags {}

/** Records what a person says of a call. Without an id it lists the calls whose outcome is unknown. */
export async function stateResolve(id: string | undefined, flags: ResolveFlags, host: Host): Promise<number> {
  return finish(await runCommand((open) => resolveResult(id, { flags, host, open })), flags, host);
}

async function resolveResult(
  id: string | undefined,
  { flags, host, open }: CommandCall<ResolveFlags>,
): Promise<CommandResult> {
  const resolution = readCallResolution(id, flags);
  if (!resolution.ok) return { ...stateResult, stop: resolution.error };
  const wait = readLockOptions(flags, host);
  if (!wait.ok) return { ...stateResult, stop: wait.error };
  const session = await open({ command: "state", flags, host, needs: ["store"] });
  if (!session.ok) return { ...stateResult, ...session.error };
  if (resolution.value === "none") return listCalls(session.value.store);
  const locked = await lockState(session.value, "state resolve", wait.value);
  if (!locked.ok) return { ...stateResult, stop: locked.error };
  return resolve(locked.value, resolution.value);
}

async function listCalls(store: StateStore): Promise<CommandResult> {
  const state = await store.read();
  if (!state.ok) return { ...stateResult, stop: errorFromFailure(state.error) };
  return { ...stateResult, state: openCalls(store.address, state.value) };
}

function openCalls(address: string, state: State): OpenCallsReport {
  const calls = state.open.map((one) => ({
    id: callIdOf(one, sha256),
    open: one,
    why: explainUnsettled(one, state),
  }));
  return { did: "list-calls", address, calls };
}

async function resolve(
  { lock, store, host }: Locked<Session<"store">>,
  { id, word }: CallResolution,
): Promise<CommandResult> {
  const { state } = lock;
  const call = state.open.find((one) => callIdOf(one, sha256) === id);
  if (call === undefined) return { ...stateResult, stop: noSuchCall(id, state) };
  const events = resolveCall(call, word, state, isoTime(host.clock));
  if (!events.ok) return { ...stateResult, stop: contradicts(id, events.error) };
  const lost = await recordEvents(lock, events.value, "nothing was recorded");
  if (lost !== undefined) return { ...stateResult, stop: lost };
  const after = applyEvents(state, events.value).open;
  const left = after.find((one) => callIdOf(one, sha256) === id);
  const stillOpenFor = left?.intent.kind === "add-members" ? left.intent.addresses : [];
  const resolved = { id, open: call, outcome: word.outcome, stillOpenFor, left: after.length };
  return { ...stateResult, state: { did: "resolve", address: store.address, ...resolved } };
}

function noSuchCall(id: string, { open }: State): CommandError {
  const ids = open.map((one) => callIdOf(one, sha256));
  return invalidSetting(
    "unknown-call-id",
    `No call ${id} has an unknown outcome.`,
    ids.length === 0 ? "The outcome of every call is known." : `There are: ${ids.join(", ")}.`,
  );
}

function contradicts(id: string, why: string): CommandError {
  const hint = "Nothing was recorded. `roster state resolve` shows what the call asked for.";
  return invalidSetting("outcome-contradicts-state", `This outcome is not possible for the call ${id}: ${why}.`, hint);
}

/** The flags with which a person says what became of a call. */
export interface ResolutionFlags {
  readonly done?: boolean | undefined;
  readonly notDone?: boolean | undefined;
  readonly identifier?: string | undefined;
  readonly teamIdentifier?: string | undefined;
  readonly prefix?: string | undefined;
  readonly person?: readonly string[] | undefined;
}

/** A person's word about the call of an id. */
export interface CallResolution {
  readonly id: string;
  readonly word: OperatorResolution;
}

/** Reads what is said of the call of an id; `none` where neither an id nor anything else is given. */
export function readCallResolution(
  id: string | undefined,
  flags: ResolutionFlags,
): Result<CallResolution | "none", CommandError> {
  if (id === undefined) return isEmpty(flags) ? success("none") : problem(noCallNamed);
  const outcome = outcomeOf(flags);
  if (outcome === undefined) return problem(flags.done === true ? twoOutcomesNamed(id) : noOutcomeNamed(id));
  const wrong =
    faultyText("--identifier", flags.identifier) ??
    faultyText("--team-identifier", flags.teamIdentifier) ??
    secretPart(flags.prefix) ??
    faultyText("--prefix", flags.prefix);
  if (wrong !== undefined) return problem(wrong);
  const { identifier, teamIdentifier, prefix, person = [] } = flags;
  const word: OperatorResolution = {
    outcome,
    people: person.map(foldAddress),
    ...(identifier === undefined ? {} : { identifier }),
    ...(teamIdentifier === undefined ? {} : { teamIdentifier }),
    ...(prefix === undefined ? {} : { prefix }),
  };
  return success({ id, word });
}

function isEmpty({ done, notDone, identifier, teamIdentifier, prefix, person }: ResolutionFlags): boolean {
  return [done, notDone, identifier, teamIdentifier, prefix, person].every((said) => said === undefined);
}

function outcomeOf({ done, notDone }: ResolutionFlags): OperatorResolution["outcome"] | undefined {
  if (done === notDone) return undefined;
  return done === true ? "done" : "not-done";
}

function faultyText(flag: string, text: string | undefined): CommandError | undefined {
  const fault = text === undefined ? undefined : textProblem(text);
  return fault === undefined ? undefined : invalidSetting("bad-flag-value", `The value of ${flag} ${fault}.`);
}

/** A prefix has no dot: what follows a dot in a key is its secret part, which is neither recorded nor shown. */
function secretPart(prefix: string | undefined): CommandError | undefined {
  if (prefix === undefined || !prefix.includes(".")) return undefined;
  return invalidSetting(
    "full-key",
    "The value of --prefix is a whole key with its secret part. Nothing was recorded.",
    "Pass only the part before the dot. The key is now in your shell history, so replace it.",
  );
}

const noCallNamed = invalidSetting(
  "missing-call-id",
  "Missing argument: the ID of the call.",
  "Run `roster state resolve` to list the calls with an unknown outcome.",
);

function twoOutcomesNamed(id: string): CommandError {
  return invalidSetting(
    "conflicting-outcomes",
    `--done and --not-done cannot be combined (call ${id}).`,
    "Pass one of --done and --not-done; for one of several people, name them with --person.",
  );
}

function noOutcomeNamed(id: string): CommandError {
  return invalidSetting(
    "missing-outcome",
    `The outcome of the call ${id} is missing.`,
    "Look in the service, then pass --done or --not-done.",
  );
}
