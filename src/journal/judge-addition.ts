import type { FoldedAddress } from "../model/address.ts";
import type { AddedMember, Intent } from "../model/run-event.ts";
import { shownTeamKey } from "../model/shown-keys.ts";
import type { Age, Evidence, Verdict } from "./settling-evidence.ts";

type Addition = Extract<Intent, { readonly kind: "add-members" }>;

/** Which people an addition of unknown outcome has added, as far as they can be told; undefined where none can. */
export function judgeAddition(intent: Addition, evidence: Evidence, age: Age): Verdict | undefined {
  const members: AddedMember[] = [];
  const except: FoldedAddress[] = [];
  for (const address of intent.addresses) {
    const member = judgeMember(address, intent, evidence);
    if (member === undefined || (!member.outcome.added && age === "fresh")) except.push(address);
    else members.push(member);
  }
  if (members.length === 0) return undefined;
  if (except.length === 0 && !members.some(({ outcome }) => outcome.added)) return { as: { done: false } };
  const as: Verdict["as"] = { done: true, learned: { kind: "add-members", team: intent.team, members } };
  return except.length === 0 ? { as } : { as, except };
}

function judgeMember(address: FoldedAddress, intent: Addition, evidence: Evidence): AddedMember | undefined {
  const { team, name, identifier } = intent;
  const [user, another] = evidence.usersAt(address);
  if (another !== undefined) return undefined;
  if (user === undefined) return evidence.isAbsent(address) ? notAdded(address, name) : undefined;
  const shown = shownTeamKey(user, { team, name, identifier });
  if (shown.is === "shown") {
    const { prefix, roles } = shown.key;
    return { address, outcome: { added: true }, prefix, ...(roles === undefined ? {} : { roles }) };
  }
  const teamsAreShown = evidence.capabilities.teamsOnKeys === "shown";
  return shown.is === "absent" && teamsAreShown ? notAdded(address, name) : undefined;
}

function notAdded(address: FoldedAddress, team: string): AddedMember {
  const message = `the answer to adding ${address} to the team ${team} was lost, and later reads show that it did not take effect`;
  return { address, outcome: { added: false, failure: { code: "unreachable", message } } };
}
