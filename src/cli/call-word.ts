import type { OperatorResolution } from "../journal/person-word.ts";
import { foldAddress } from "../model/address.ts";
import { problem, type Result, success } from "../model/result.ts";
import { textProblem } from "../roster/values.ts";
import { invalidSetting, type Stop } from "./stop.ts";

/** The flags with which a person says what became of a call. */
export interface WordFlags {
  readonly done?: boolean | undefined;
  readonly notDone?: boolean | undefined;
  readonly identifier?: string | undefined;
  readonly teamIdentifier?: string | undefined;
  readonly prefix?: string | undefined;
  readonly person?: readonly string[] | undefined;
}

/** A person's word about the call of an id. */
export interface CallWord {
  readonly id: string;
  readonly word: OperatorResolution;
}

/** Reads what is said of the call of an id; `none` where neither an id nor anything else is given. */
export function readCallWord(id: string | undefined, flags: WordFlags): Result<CallWord | "none", Stop> {
  if (id === undefined) return isSilent(flags) ? success("none") : problem(ofNoCall);
  const outcome = outcomeOf(flags);
  if (outcome === undefined) return problem(flags.done === true ? saidBoth(id) : saidNeither(id));
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

function isSilent({ done, notDone, identifier, teamIdentifier, prefix, person }: WordFlags): boolean {
  return [done, notDone, identifier, teamIdentifier, prefix, person].every((said) => said === undefined);
}

function outcomeOf({ done, notDone }: WordFlags): OperatorResolution["outcome"] | undefined {
  if (done === notDone) return undefined;
  return done === true ? "done" : "not-done";
}

function faultyText(flag: string, text: string | undefined): Stop | undefined {
  const fault = text === undefined ? undefined : textProblem(text);
  return fault === undefined ? undefined : invalidSetting("bad-flag-value", `The value of ${flag} ${fault}.`);
}

/** A prefix has no dot: what follows a dot in a key is its secret part, which is neither recorded nor shown. */
function secretPart(prefix: string | undefined): Stop | undefined {
  if (prefix === undefined || !prefix.includes(".")) return undefined;
  return invalidSetting(
    "full-key",
    "The value of --prefix is a whole key with its secret part, not a prefix. Nothing of it was recorded.",
    "Pass the part before the dot alone; the key now stands in the history of this shell, so replace it.",
  );
}

const ofNoCall = invalidSetting(
  "no-call-named",
  "It is not said of which call this is.",
  "Name its ID: `roster state resolve` lists the calls whose outcome is not known.",
);

function saidBoth(id: string): Stop {
  return invalidSetting(
    "two-outcomes-named",
    `It is said both that the call ${id} was done and that it was not.`,
    "Pass one of --done and --not-done; for one of several people, name them with --person.",
  );
}

function saidNeither(id: string): Stop {
  return invalidSetting(
    "no-outcome-named",
    `It is not said what became of the call ${id}.`,
    "Pass either --done or --not-done, after a look in the service.",
  );
}
