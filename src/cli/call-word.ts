import type { OperatorResolution } from "../journal/operator-resolution.ts";
import { foldAddress } from "../model/address.ts";
import { problem, type Result, success } from "../model/result.ts";
import { textProblem } from "../roster/decode-values.ts";
import { type CommandError, invalidSetting } from "./stop.ts";

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
    "The value of --prefix is a whole key with its secret part, not a prefix. Nothing of it was recorded.",
    "Pass the part before the dot alone; the key now stands in the history of this shell, so replace it.",
  );
}

const noCallNamed = invalidSetting(
  "no-call-named",
  "It is not said of which call this is.",
  "Name its ID: `roster state resolve` lists the calls whose outcome is not known.",
);

function twoOutcomesNamed(id: string): CommandError {
  return invalidSetting(
    "two-outcomes-named",
    `It is said both that the call ${id} was done and that it was not.`,
    "Pass one of --done and --not-done; for one of several people, name them with --person.",
  );
}

function noOutcomeNamed(id: string): CommandError {
  return invalidSetting(
    "no-outcome-named",
    `It is not said what became of the call ${id}.`,
    "Pass either --done or --not-done, after a look in the service.",
  );
}
