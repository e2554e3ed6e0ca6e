import type { Failure } from "../../model/result.ts";
import { checkAccountDetails, checkAccounts, checkKey, checkRoles } from "./check-access.ts";
import { checkAddress } from "./check-address.ts";
import { checkClock, checkConnection, checkNode } from "./check-machine.ts";
import { checkPaging, checkSearch, checkUsers } from "./check-people.ts";
import { checkCapabilities, checkResponseShapes, checkUnreadFields } from "./check-shown.ts";
import { checkWrites } from "./check-writes.ts";
import { readFailures } from "./failures.ts";
import type { DoctorCheck, DoctorObservations, DoctorReport } from "./seen.ts";

/** Every check, in the order in which it is told. */
const checks: readonly ((seen: DoctorObservations) => readonly DoctorCheck[])[] = [
  checkNode,
  checkConnection,
  checkAddress,
  checkKey,
  checkAccounts,
  checkAccountDetails,
  checkRoles,
  checkUsers,
  checkPaging,
  checkSearch,
  checkCapabilities,
  checkUnreadFields,
  checkWrites,
  checkResponseShapes,
  checkClock,
];

/** What all that was seen means, one line for each question. */
export function diagnose(seen: DoctorObservations): DoctorReport {
  return {
    service: seen.address,
    checks: checks.flatMap((check) => check(seen)),
    ...(seen.capabilities === undefined ? {} : { capabilities: seen.capabilities }),
  };
}

/** The failure for which a plan could not be made of this service, where there is one. */
export function decisiveFailure(seen: DoctorObservations): Failure | undefined {
  return readFailures(seen)[0];
}
