import type { FoldedAddress } from "../model/address.ts";
import type { OpenIntent, State } from "../model/state.ts";
import type { OperatorResolution } from "./person-word.ts";

/** Why a person's word cannot be about this call, as one sentence without a trailing stop; undefined where it can. */
export function findContradiction({ intent }: OpenIntent, word: OperatorResolution, state: State): string | undefined {
  return (
    detailOfUndone(word) ??
    inapplicableOption(intent, word) ??
    inapplicablePeople(intent, word) ??
    alreadyRecorded(intent, word, state)
  );
}

function detailOfUndone({ outcome, identifier, teamIdentifier, prefix }: OperatorResolution): string | undefined {
  const told = identifier ?? teamIdentifier ?? prefix;
  if (outcome === "done" || told === undefined) return undefined;
  return "a call that was not done has given nobody an identifier or a prefix";
}

/** Something is told that such a call cannot have brought about. */
function inapplicableOption(intent: OpenIntent["intent"], word: OperatorResolution): string | undefined {
  const founds = intent.kind === "create-user" && intent.founds !== undefined;
  if (word.identifier !== undefined && intent.kind !== "create-user")
    return "--identifier is for the creation of a user";
  if (word.teamIdentifier !== undefined && !founds) return "--team-identifier is for a creation that founds a team";
  if (word.prefix !== undefined && intent.kind === "replace-roles")
    return "--prefix is for a call that gives somebody a key";
  return undefined;
}

function inapplicablePeople(intent: OpenIntent["intent"], { people, prefix }: OperatorResolution): string | undefined {
  if (intent.kind !== "add-members")
    return people.length === 0 ? undefined : "--person is for the addition of several people to a team";
  const stranger = people.find((address) => !intent.addresses.includes(address));
  if (stranger !== undefined) return `the call is not about ${stranger}`;
  const told = people.length === 0 ? intent.addresses.length : people.length;
  if (prefix === undefined || told === 1) return undefined;
  return "--prefix is the prefix of one person's key: name that person with --person";
}

/** What is told is recorded of somebody else already. */
function alreadyRecorded(intent: OpenIntent["intent"], word: OperatorResolution, state: State): string | undefined {
  if (intent.kind === "replace-roles") return undefined;
  const people: readonly FoldedAddress[] =
    intent.kind === "create-user" ? [intent.address] : word.people.length === 0 ? intent.addresses : word.people;
  const users = [...state.users.values()].filter(({ address }) => !people.includes(address));
  const owner = users.find(({ identifier }) => identifier !== undefined && identifier === word.identifier);
  if (owner !== undefined) return `the identifier is recorded of ${owner.email}`;
  const holder =
    users.find(({ key }) => key !== undefined && key === word.prefix)?.address ??
    [...state.memberships.values()].find(
      ({ address, prefix }) => prefix !== undefined && prefix === word.prefix && !people.includes(address),
    )?.address;
  return holder === undefined ? undefined : `the prefix is recorded as that of a key of ${holder}`;
}
