import type { FoldedAddress } from "../model/address.ts";
import type { AddedMember, LearnedOutcome, RunEvent, Settled } from "../model/event.ts";
import type { AbsentFounding } from "../model/policy.ts";
import { problem, type Result, success } from "../model/result.ts";
import { callIdOf, type OpenIntent, type State } from "../model/state.ts";
import { foldName } from "../model/team.ts";
import { findContradiction } from "./contradiction.ts";
import type { OperatorResolution } from "./person-word.ts";
import { derivedEvents } from "./taught.ts";

/** The events that settle a call by a person's word. The error is one sentence without a trailing stop. */
export function resolveCall(
  open: OpenIntent,
  word: OperatorResolution,
  state: State,
  at: string,
): Result<readonly RunEvent[], string> {
  const wrong = findContradiction(open, word, state);
  if (wrong !== undefined) return problem(wrong);
  const { run, action, intent } = open;
  const verdict = resolutionOutcome(open, word);
  const settled: Settled = { type: "settled", at, run, action, ...verdict };
  return success([settled, ...(verdict.as.done ? derivedEvents(intent, verdict.as.learned, at) : [])]);
}

/** The events that settle foundings of which a person says, by the call's short id, that they were not done. */
export function resolveAbsentFoundings(
  opens: readonly OpenIntent[],
  absent: readonly AbsentFounding[],
  { at, digest }: { readonly at: string; readonly digest: (text: string) => string },
): readonly Settled[] {
  return opens.flatMap((open): readonly Settled[] => {
    const { run, action, intent } = open;
    const founds = intent.kind === "create-user" ? intent.founds : undefined;
    const isMeant = absent.some(
      ({ team, call }) => founds !== undefined && foldName(founds.name) === team && call === callIdOf(open, digest),
    );
    return isMeant ? [{ type: "settled", at, run, action, as: { done: false } }] : [];
  });
}

function resolutionOutcome({ intent }: OpenIntent, word: OperatorResolution): Pick<Settled, "as" | "except"> {
  if (intent.kind !== "add-members")
    return { as: word.outcome === "done" ? doneOutcome(intent, word) : { done: false } };
  const { team, addresses } = intent;
  const told = addresses.filter((address) => word.people.length === 0 || word.people.includes(address));
  const except = addresses.filter((address) => !told.includes(address));
  if (word.outcome === "not-done" && except.length === 0) return { as: { done: false } };
  const members = told.map((address) => resolvedMember(address, intent.name, word));
  const as: Settled["as"] = { done: true, learned: { kind: "add-members", team, members } };
  return except.length === 0 ? { as } : { as, except };
}

type SingleIntent = Exclude<OpenIntent["intent"], { readonly kind: "add-members" }>;

function doneOutcome(intent: SingleIntent, word: OperatorResolution): Settled["as"] {
  return {
    done: true,
    learned:
      intent.kind === "create-user"
        ? resolvedCreation(intent.address, word)
        : { kind: intent.kind, prefix: intent.prefix },
  };
}

/** A person's word tells nothing of what the service made of the profile. */
function resolvedCreation(
  address: FoldedAddress,
  { identifier, teamIdentifier, prefix }: OperatorResolution,
): LearnedOutcome {
  return {
    kind: "create-user",
    address,
    answered: {},
    ...(identifier === undefined ? {} : { identifier }),
    ...(teamIdentifier === undefined ? {} : { teamIdentifier }),
    ...(prefix === undefined ? {} : { prefix }),
  };
}

function resolvedMember(address: FoldedAddress, team: string, { outcome, prefix }: OperatorResolution): AddedMember {
  if (outcome === "done") {
    return { address, outcome: { added: true }, ...(prefix === undefined ? {} : { prefix }) };
  }
  const message = `a person says that ${address} was not added to the team ${team}`;
  return { address, outcome: { added: false, failure: { code: "unreachable", message } } };
}
