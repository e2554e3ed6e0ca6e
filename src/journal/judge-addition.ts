import type { FoldedAddress } from "../model/address.ts";
import type { AddedMember, Intent } from "../model/event.ts";
import { shownTeamKey } from "../model/team.ts";
import type { CallEvidence, CallVerdict, IntentAge } from "./settling-evidence.ts";

type AdditionIntent = Extract<Intent, { readonly kind: "add-members" }>;

/** Which people an addition of unknown outcome has added, as far as they can be told; undefined where none can. */
export function assessAddition(
  intent: AdditionIntent,
  evidence: CallEvidence,
  age: IntentAge,
): CallVerdict | undefined {
  const members: AddedMember[] = [];
  const except: FoldedAddress[] = [];
  for (const address of intent.addresses) {
    const member = assessMember(address, intent, evidence);
    if (member === undefined || (!member.outcome.added && age === "fresh")) except.push(address);
    else members.push(member);
  }
  if (members.length === 0) return undefined;
  if (except.length === 0 && !members.some(({ outcome }) => outcome.added)) return { as: { done: false } };
  const as: CallVerdict["as"] = { done: true, learned: { kind: "add-members", team: intent.team, members } };
  return except.length === 0 ? { as } : { as, except };
}

function assessMember(address: FoldedAddress, intent: AdditionIntent, evidence: CallEvidence): AddedMember | undefined {
  const { team, name, identifier } = intent;
  const [user, another] = evidence.usersAt(address);
  if (another !== undefined) return undefined;
  if (user === undefined) return evidence.isAbsent(address) ? provenNotAdded(address, name) : undefined;
  const shown = shownTeamKey(user, { team, name, identifier });
  if (shown.is === "shown") {
    const { prefix, roles } = shown.key;
    return { address, outcome: { added: true }, prefix, ...(roles === undefined ? {} : { roles }) };
  }
  const teamsAreShown = evidence.capabilities.teamsOnKeys === "shown";
  return shown.is === "absent" && teamsAreShown ? provenNotAdded(address, name) : undefined;
}

function provenNotAdded(address: FoldedAddress, team: string): AddedMember {
  const message = `the answer to adding ${address} to the team ${team} was lost, and later reads show that it did not take effect`;
  return { address, outcome: { added: false, failure: { code: "unreachable", message } } };
}
