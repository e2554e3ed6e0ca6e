import { catalogue } from "../codes/catalogue.ts";
import { joinList, sentence } from "../codes/message.ts";
import type { Plan } from "../model/plan.ts";
import { formatAllowanceCode, readObjectionCode } from "../model/policy.ts";
import type { Roster } from "../model/roster.ts";
import type { Snapshot } from "../model/snapshot.ts";
import type { State } from "../model/state.ts";
import { foldName } from "../model/team.ts";
import { thingOf } from "../plan/allowances.ts";
import { findInSync } from "../plan/in-sync.ts";
import { type ExplainTarget, explainTarget, knownNames } from "../report/explain/explain.ts";
import { invalidSetting } from "./error.ts";
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

/** Throws where it is a code as it is printed: nothing in this plan has its digits. */
export function checkDigits(
  what: string,
  { findings }: Plan,
  everyone: Snapshot["everyone"]["read"] = "complete",
): void {
  const meant = readObjectionCode(what);
  if (meant === undefined || meant.digits === "" || catalogue(meant.of).length === 0) return;
  const written = findings.flatMap(({ allow = [], accept }) => [allow, accept?.code ?? []].flat());
  const codes = written.flatMap((code) => readObjectionCode(code) ?? []);
  const fitting = new Set(codes.filter((code) => thingOf(code) === thingOf(meant)).map(formatAllowanceCode));
  // A plan that did not read everybody does not have all that a drift finds.
  const none = `${everyone === "complete" ? "" : "If a drift printed it, pass --unmanaged. "}Nothing in this plan needs this code.`;
  const hint = fitting.size === 0 ? none : `The code for this plan is ${joinList([...fitting])}.`;
  throw invalidSetting("unknown-name", `${what} does not fit this plan: ${sentence("other-facts", {})}.`, hint);
}
