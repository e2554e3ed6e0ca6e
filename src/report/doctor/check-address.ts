import type { Failure } from "../../model/result.ts";
import { describeFailure, suggestFix } from "./failure-words.ts";
import type { DoctorCheck, DoctorObservations, OtherAddress } from "./seen.ts";

/** The configured address, then those that were tried in its place. */
export function checkAddress(seen: DoctorObservations): readonly DoctorCheck[] {
  const { endpoint, address, roles } = seen;
  const asked = `GET ${address}/api/accounting/roles`;
  const failure = roles.ok ? undefined : roles.error;
  if (failure === undefined || isServiceAnswer(failure)) {
    const came = failure === undefined ? "an answer of an account service" : `an answer (${failure.status})`;
    const means = `This is the base address of an account service; calls go to ${address}/api.${formatDroppedSuffix(endpoint, address)}`;
    return [{ check: "base-address", mark: "ok", asked, came, means }];
  }
  const works = seen.otherAddresses.find(hasAnswered);
  const nobody = failure.code === "misunderstood" ? "" : "No account service answers here. ";
  const means =
    works === undefined
      ? `${nobody}${suggestFix(failure)}`
      : `Set the endpoint to ${works.endpoint}: there it answers.`;
  return [
    { check: "base-address", mark: "problem", asked, came: describeFailure(failure), means },
    ...seen.otherAddresses.map(otherAddress),
  ];
}

function otherAddress(other: OtherAddress): DoctorCheck {
  const asked = `GET ${other.address}/api/accounting/roles`;
  const isThere = hasAnswered(other);
  return {
    check: "other-address",
    mark: isThere ? "notice" : "ok",
    asked,
    came: other.reading.ok ? "an answer of an account service" : describeFailure(other.reading.error),
    means: isThere ? "An account service answers here." : "No account service answers here either.",
  };
}

function hasAnswered({ reading }: OtherAddress): boolean {
  return reading.ok || isServiceAnswer(reading.error);
}

/** A service that refuses a key or asks to wait is there. */
function isServiceAnswer({ code }: Failure): boolean {
  return code === "unauthorized" || code === "forbidden" || code === "throttled" || code === "service-error";
}

function formatDroppedSuffix(endpoint: string, address: string): string {
  const given = endpoint.replace(/\/+$/u, "");
  return given.endsWith("/api") && given !== address ? " The /api at the end of the endpoint is not doubled." : "";
}
