import type { FoldedAddress } from "../model/address.ts";
import { droppedUsers, type Roster } from "../model/roster.ts";
import { accountStatus } from "../model/snapshot.ts";
import type { FindingDraft } from "./draft.ts";
import type { PlanContext } from "./question.ts";
import { observedBasis, userSubject } from "./subjects.ts";

/** The people whom the service shows and the roster does not name, where this run asks for them. */
export function findUnmanagedUsers({ roster, facts, policy, state }: PlanContext): readonly FindingDraft[] {
  if (!policy.reportUnmanaged) return [];
  const dropped = droppedUsers(roster, state).map(({ address }) => address);
  const named = new Set([...addressesInRoster(roster), ...dropped.filter((one) => !policy.released.includes(one))]);
  return [...facts.people].flatMap(([address, users]) => {
    const there = users.find((user) => accountStatus(user.status) !== "deleted");
    if (there === undefined || named.has(address)) return [];
    const message =
      `The service shows ${there.email}, whom the roster does not name. Nothing is done; ` +
      "write the person into the roster to have them managed.";
    const restsOn = [observedBasis(userSubject(address), "present", there.by)];
    return [{ code: "unmanaged-user", subject: userSubject(address), message, because: [], restsOn, concerns: [] }];
  });
}

function addressesInRoster({ users, leavers }: Roster): readonly FoldedAddress[] {
  const known = [...users.values()].flatMap((user) => [user.address, ...user.previously.map(({ value }) => value)]);
  return [...known, ...leavers.keys()];
}
