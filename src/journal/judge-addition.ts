import type { FoldedAddress } from "../model/address.ts";
import type { AddedMember, Intent, Settled } from "../model/run-event.ts";
import { shownTeamKey } from "../model/shown-keys.ts";
import type { Age, Evidence } from "./settling-evidence.ts";

type Addition = Extract<Intent, { readonly kind: "add-members" }>;

/** Which people an addition of unknown outcome has added; undefined unless every one can be told. */
export function judgeAddition(intent: Addition, evidence: Evidence, age: Age): Settled["as"] | undefined {
  const members: AddedMember[] = [];
  for (const address of intent.addresses) {
    const member = judgeMember(address, intent, evidence);
    if (member === undefined || (!member.outcome.added && age === "fresh")) return undefined;
    members.push(member);
  }
  if (!members.some(({ outcome }) => outcome.added)) return { done: false };
  return { done: true, learned: { kind: "add-members", team: intent.team, members } };
}

function judgeMember(address: FoldedAddress, intent: Addition, evidence: Evidence): AddedMember | undefined {
  const { name, identifier } = intent;
  const [user, another] = evidence.usersAt(address);
  if (another !== undefined) return undefined;
  if (user === undefined) return evidence.isAbsent(address) ? notAdded(address, name) : undefined;
  const shown = shownTeamKey(user, { name, identifier });
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
