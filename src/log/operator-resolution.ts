import type { EmailKey } from "../model/address.ts";
import type { IntentOf, OpenIntent } from "../model/call.ts";
import type { AddedMember, EventOf, LearnedOutcome, RunEvent } from "../model/event.ts";
import { type Allowance, absentTeamCreationOf } from "../model/policy.ts";
import { problem, type Result, success } from "../model/result.ts";

/** The events that resolve a call by a person's word. `people`: those of an addition that are meant; empty for all of them. The error is one sentence without a trailing stop. */
export function resolveCall(
  { run, action, intent }: OpenIntent,
  outcome: "done" | "not-done",
  people: readonly EmailKey[],
  at: string,
): Result<readonly RunEvent[], string> {
  const event = { type: "resolved", at, run, action } as const;
  const undone = success([{ ...event, as: { done: false } }] as const);
  if (intent.kind !== "add-members") {
    if (people.length > 0) return problem("only a call that adds several members can be resolved for some of them");
    return outcome === "done" ? success([{ ...event, as: { done: true, learned: learnedOf(intent) } }]) : undone;
  }
  const { team, name, addresses } = intent;
  const stranger = people.find((address) => !addresses.includes(address));
  if (stranger !== undefined) return problem(`the call does not name ${stranger}`);
  const meant = addresses.filter((address) => people.length === 0 || people.includes(address));
  const others = addresses.filter((address) => !meant.includes(address));
  if (outcome === "not-done" && others.length === 0) return undone;
  const members = meant.map((address): AddedMember => {
    if (outcome === "done") return { address, outcome: { added: true } };
    const message = `\`roster state resolve\` recorded that ${address} was not added to the team ${name}`;
    return { address, outcome: { added: false, failure: { code: "unreachable", message } } };
  });
  const as = { done: true, learned: { kind: intent.kind, team, members } } as const;
  return success([{ ...event, as, except: others.length === 0 ? undefined : others }]);
}

/** A person's word tells nothing of what the service made of the profile. */
function learnedOf(intent: IntentOf<"create-user" | "replace-roles">): LearnedOutcome {
  return intent.kind === "create-user"
    ? { kind: intent.kind, address: intent.address, answered: {} }
    : { kind: intent.kind, prefix: intent.prefix };
}

/** The events that resolve team creations of which a person says, by the call's short id, that they were not done. */
export function resolveAbsentTeamCreations(
  opens: readonly OpenIntent[],
  allowed: readonly Allowance[],
  at: string,
): readonly EventOf<"resolved">[] {
  const covered = new Set(allowed.flatMap(({ covers }) => covers));
  return opens.flatMap((open): readonly EventOf<"resolved">[] => {
    const { run, action } = open;
    const isMeant = absentTeamCreationOf(open)?.facts.every((fact) => covered.has(fact)) ?? false;
    return isMeant ? [{ type: "resolved", at, run, action, as: { done: false } }] : [];
  });
}
