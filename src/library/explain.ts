import type { Roster } from "../model/roster.ts";
import type { State } from "../model/state.ts";
import { foldName } from "../model/team.ts";
import { findInSync } from "../plan/in-sync.ts";
import { type ExplainTarget, explainTarget, knownNames } from "../report/explain/explain.ts";
import type { Planned } from "./plan.ts";

/** The whole story of a thing: what the roster, the service and the state say of it, what a plan does about it, and what is so already. */
export function explainPlanned(thing: ExplainTarget, { plan, snapshot, state, refusal, context }: Planned) {
  const { roster } = context;
  const inSync = findInSync(context);
  return explainTarget(thing, { roster, snapshot, state, plan, inSync, refused: refusal?.problem?.message });
}

/** Which users a plan must read to explain a thing. Of what nobody names, only the whole list of users can tell; who has a role is asked of everybody. */
export function usersToRead(thing: ExplainTarget, roster: Roster, state: State): "when-needed" | "always" {
  if (thing.is === "role") return "always";
  const isNamed = isKnownName(thing, knownNames(thing, { roster, state }));
  return isNamed || thing.is === "action" || thing.is === "finding" ? "when-needed" : "always";
}

export function isKnownName({ is, name }: ExplainTarget, known: readonly string[]): boolean {
  return is === "team" ? known.some((one) => foldName(one) === foldName(name)) : known.includes(name);
}
