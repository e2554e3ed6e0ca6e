import { say } from "../codes/message.ts";
import { resetObjection, type ServiceReset } from "../model/service-reset.ts";
import { observedBasis, recordedBasis, serviceSubject, userSubject } from "../model/subject.ts";
import type { PlanContext } from "./context.ts";
import type { FindingDraft } from "./finding-draft.ts";

export function serviceResetFinding(reset: ServiceReset, { snapshot }: PlanContext): FindingDraft {
  const { missing, present } = reset;
  const texts = say("service-reset", {
    count: missing.length,
    all: missing.length + present,
    missing: missing.map(({ email }) => email),
  });
  return {
    ...texts,
    subject: serviceSubject(snapshot.service),
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
