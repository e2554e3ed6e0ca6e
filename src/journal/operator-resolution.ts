import type { FoldedAddress } from "../model/address.ts";
import type { AddedMember, LearnedOutcome, RunEvent, Settled } from "../model/event.ts";
import { type Exception, formatException } from "../model/policy.ts";
import { problem, type Result, success } from "../model/result.ts";
import { definedFields } from "../model/role-set.ts";
import { absentFoundingOf, type OpenIntent, type State } from "../model/state.ts";
import { derivedEvents } from "./settle.ts";

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
  allowed: readonly Exception[],
  { at, digest }: { readonly at: string; readonly digest: (text: string) => string },
): readonly Settled[] {
  const words = new Set(allowed.map(formatException));
  return opens.flatMap((open): readonly Settled[] => {
    const { run, action } = open;
    const exception = absentFoundingOf(open, digest);
    const isMeant = exception !== undefined && words.has(formatException(exception));
    return isMeant ? [{ type: "settled", at, run, action, as: { done: false } }] : [];
  });
}

function resolutionOutcome({ intent }: OpenIntent, word: OperatorResolution): Pick<Settled, "as" | "except"> {
  if (intent.kind !== "add-members")
    return { as: word.outcome === "done" ? doneOutcome(intent, word) : { done: false } };
  const { team, addresses } = intent;
  const resolved = addresses.filter((address) => word.people.length === 0 || word.people.includes(address));
  const except = addresses.filter((address) => !resolved.includes(address));
  if (word.outcome === "not-done" && except.length === 0) return { as: { done: false } };
  const members = resolved.map((address) => resolvedMember(address, intent.name, word));
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
    ...definedFields({ identifier, teamIdentifier, prefix }),
  };
}

function resolvedMember(address: FoldedAddress, team: string, { outcome, prefix }: OperatorResolution): AddedMember {
  if (outcome === "done") {
    return { address, outcome: { added: true }, ...(prefix === undefined ? {} : { prefix }) };
  }
  const message = `\`roster state resolve\` recorded that ${address} was not added to the team ${team}`;
  return { address, outcome: { added: false, failure: { code: "unreachable", message } } };
}

/** Why a person's resolution cannot be about this call, as one sentence without a trailing stop; undefined where it can. */
function findContradiction({ intent }: OpenIntent, word: OperatorResolution, state: State): string | undefined {
  return (
    detailOfUndone(word) ??
    inapplicableOption(intent, word) ??
    inapplicablePeople(intent, word) ??
    alreadyRecorded(intent, word, state)
  );
}

function detailOfUndone({ outcome, identifier, teamIdentifier, prefix }: OperatorResolution): string | undefined {
  const detail = identifier ?? teamIdentifier ?? prefix;
  if (outcome === "done" || detail === undefined) return undefined;
  return "a call that was not done has no identifier and no prefix";
}

/** The operator names something that such a call cannot give. */
function inapplicableOption(intent: OpenIntent["intent"], word: OperatorResolution): string | undefined {
  const founds = intent.kind === "create-user" && intent.founds !== undefined;
  if (word.identifier !== undefined && intent.kind !== "create-user")
    return "--identifier is only for a call that creates a user";
  if (word.teamIdentifier !== undefined && !founds) return "--team-identifier is only for a call that creates a team";
  if (word.prefix !== undefined && intent.kind === "replace-roles")
    return "--prefix is only for a call that creates a key";
  return undefined;
}

function inapplicablePeople(intent: OpenIntent["intent"], { people, prefix }: OperatorResolution): string | undefined {
  if (intent.kind !== "add-members")
    return people.length === 0 ? undefined : "--person is only for a call that adds several members";
  const stranger = people.find((address) => !intent.addresses.includes(address));
  if (stranger !== undefined) return `the call does not name ${stranger}`;
  const count = people.length === 0 ? intent.addresses.length : people.length;
  if (prefix === undefined || count === 1) return undefined;
  return "--prefix is for one member only. Name the member with --person";
}

/** What the operator names is recorded for somebody else already. */
function alreadyRecorded(intent: OpenIntent["intent"], word: OperatorResolution, state: State): string | undefined {
  if (intent.kind === "replace-roles") return undefined;
  const people: readonly FoldedAddress[] =
    intent.kind === "create-user" ? [intent.address] : word.people.length === 0 ? intent.addresses : word.people;
  const users = [...state.users.values()].filter(({ address }) => !people.includes(address));
  const owner = users.find(({ identifier }) => identifier !== undefined && identifier === word.identifier);
  if (owner !== undefined) return `the state has this identifier for ${owner.email}`;
  const holder =
    users.find(({ key }) => key !== undefined && key === word.prefix)?.address ??
    [...state.memberships.values()].find(
      ({ address, prefix }) => prefix !== undefined && prefix === word.prefix && !people.includes(address),
    )?.address;
  return holder === undefined ? undefined : `the state has this prefix for a key of ${holder}`;
}

/** What a person says became of a call of unknown outcome. */
export interface OperatorResolution {
  readonly outcome: "done" | "not-done";
  /** The service's identifier of the created user. */
  readonly identifier?: string;
  /** The service's identifier of the founded team. */
  readonly teamIdentifier?: string;
  /** The prefix of the key that came with it. */
  readonly prefix?: string;
  /** The people of an addition that are meant; empty for all of them. */
  readonly people: readonly FoldedAddress[];
}
