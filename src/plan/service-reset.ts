import { resetObjection, type ServiceReset } from "../model/service-reset.ts";
import { observedBasis, recordedBasis, serviceSubject, userSubject } from "../model/subject.ts";
import type { PlanContext } from "./context.ts";
import { type FindingDraft, truncateList } from "./finding-draft.ts";

/** The one finding where the service itself is in doubt. */
export function serviceResetFinding(reset: ServiceReset, { snapshot }: PlanContext): FindingDraft {
  const { missing, present } = reset;
  const message =
    `The service does not have ${missing.length} of ${missing.length + present} users that earlier runs recorded: ` +
    `${truncateList(missing.map(({ email }) => email))}. The service may have lost its data, or this is another service. ` +
    "roster plans nothing. Check the endpoint, and restore the data of the service. If the service starts anew, allow it: " +
    "roster then creates its users and teams again, and the users get new mails.";
  return {
    code: "service-reset",
    subject: serviceSubject(snapshot.service),
    message,
    because: [],
    restsOn: missing.flatMap(({ address, createdAt, seenAt }) => {
      const absence = snapshot.absences.get(address);
      const when = seenAt ?? createdAt;
      return [
        ...(when === undefined ? [] : [recordedBasis(userSubject(address), "present", when)]),
        ...(absence?.proven === true ? [observedBasis(userSubject(address), "absent", absence.by)] : []),
      ];
    }),
    allow: [resetObjection(reset)],
    concerns: [],
  };
}
