import type { Failure } from "../../model/failure.ts";
import { checkAccounts, checkDetails, checkKey, checkRoles } from "./check-access.ts";
import { checkAddress } from "./check-address.ts";
import { checkClock, checkNode, checkWay } from "./check-machine.ts";
import { checkPages, checkPeople, checkSearch } from "./check-people.ts";
import { checkShapes, checkShown, checkUnread } from "./check-shown.ts";
import { checkWrites } from "./check-writes.ts";
import { failuresOf } from "./failures.ts";
import type { Check, Examination, Seen } from "./seen.ts";

/** Every check, in the order in which it is told. */
const checks: readonly ((seen: Seen) => readonly Check[])[] = [
  checkNode,
  checkWay,
  checkAddress,
  checkKey,
  checkAccounts,
  checkDetails,
  checkRoles,
  checkPeople,
  checkPages,
  checkSearch,
  checkShown,
  checkUnread,
  checkWrites,
  checkShapes,
  checkClock,
];

/** What all that was seen means, one line for each question. */
export function examine(seen: Seen): Examination {
  return {
    service: seen.address,
    checks: checks.flatMap((check) => check(seen)),
    ...(seen.capabilities === undefined ? {} : { capabilities: seen.capabilities }),
  };
}

/** The failure for which a plan could not be made of this service, where there is one. */
export function decisiveFailure(seen: Seen): Failure | undefined {
  return failuresOf(seen)[0];
}
