import type { EmailKey } from "../model/address.ts";
import type { Intent, OpenIntent } from "../model/call.ts";
import type { AddedMember, EventOf, RunEvent } from "../model/event.ts";
import { type Allowance, absentTeamCreationOf } from "../model/policy.ts";
import { problem, type Result, success } from "../model/result.ts";

/** The events that resolve a call by a person's word. The error is one sentence without a trailing stop. */
export function resolveCall(
  open: OpenIntent,
  word: OperatorResolution,
  at: string,
): Result<readonly RunEvent[], string> {
  const wrong = findContradiction(open, word);
  if (wrong !== undefined) return problem(wrong);
  const { run, action } = open;
  return success([{ type: "resolved", at, run, action, ...resolutionOutcome(open, word) }]);
}

/** The events that resolve team creations of which a person says, by the call's short id, that they were not done. */
export function resolveAbsentTeamCreations(
  opens: readonly OpenIntent[],
  allowed: readonly Allowance[],
  { at }: { readonly at: string },
): readonly EventOf<"resolved">[] {
  const covered = new Set(allowed.flatMap(({ covers }) => covers));
  return opens.flatMap((open): readonly EventOf<"resolved">[] => {
    const { run, action } = open;
    const isMeant = absentTeamCreationOf(open)?.facts.every((fact) => covered.has(fact)) ?? false;
    return isMeant ? [{ type: "resolved", at, run, action, as: { done: false } }] : [];
  });
}

function resolutionOutcome(
  { intent }: OpenIntent,
  word: OperatorResolution,
): Pick<EventOf<"resolved">, "as" | "except"> {
  if (intent.kind !== "add-members") return { as: word.outcome === "done" ? doneOutcome(intent) : { done: false } };
  const { team, addresses } = intent;
  const resolved = addresses.filter((address) => word.people.length === 0 || word.people.includes(address));
  const except = addresses.filter((address) => !resolved.includes(address));
  if (word.outcome === "not-done" && except.length === 0) return { as: { done: false } };
  const members = resolved.map((address) => resolvedMember(address, intent.name, word));
  const as: EventOf<"resolved">["as"] = { done: true, learned: { kind: "add-members", team, members } };
  return except.length === 0 ? { as } : { as, except };
}

function doneOutcome(intent: Exclude<Intent, { readonly kind: "add-members" }>): EventOf<"resolved">["as"] {
  return {
    done: true,
    learned:
      intent.kind === "create-user"
        ? // A person's word tells nothing of what the service made of the profile.
          { kind: intent.kind, address: intent.address, answered: {} }
        : { kind: intent.kind, prefix: intent.prefix },
  };
}

function resolvedMember(address: EmailKey, team: string, { outcome }: OperatorResolution): AddedMember {
  if (outcome === "done") return { address, outcome: { added: true } };
  const message = `\`roster state resolve\` recorded that ${address} was not added to the team ${team}`;
  return { address, outcome: { added: false, failure: { code: "unreachable", message } } };
}

/** Why a person's resolution cannot be about this call, as one sentence without a trailing stop; undefined where it can. */
function findContradiction({ intent }: OpenIntent, { people }: OperatorResolution): string | undefined {
  if (intent.kind !== "add-members")
    return people.length === 0 ? undefined : "only a call that adds several members can be resolved for some of them";
  const stranger = people.find((address) => !intent.addresses.includes(address));
  return stranger === undefined ? undefined : `the call does not name ${stranger}`;
}

/** What a person says became of a call of unknown outcome. */
export interface OperatorResolution {
  readonly outcome: "done" | "not-done";
  /** The people of an addition that are meant; empty for all of them. */
  readonly people: readonly EmailKey[];
}
