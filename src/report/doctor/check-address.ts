import type { Failure } from "../../model/failure.ts";
import { cameInstead, wayOut } from "./failure-words.ts";
import type { Check, OtherAddress, Seen } from "./seen.ts";

/** The configured address, then those that were tried in its place. */
export function checkAddress(seen: Seen): readonly Check[] {
  const { endpoint, address, roles } = seen;
  const asked = `GET ${address}/api/accounting/roles`;
  const failure = roles.ok ? undefined : roles.error;
  if (failure === undefined || isAnAnswer(failure)) {
    const came = failure === undefined ? "an answer of an account service" : `an answer (${failure.status})`;
    const means = `This is the base address of an account service; calls go to ${address}/api.${whatWasLeftOut(endpoint, address)}`;
    return [{ check: "base-address", mark: "ok", asked, came, means }];
  }
  const works = seen.otherAddresses.find(answers);
  const nobody = failure.code === "misunderstood" ? "" : "No account service answers here. ";
  const means =
    works === undefined ? `${nobody}${wayOut(failure)}` : `Set the endpoint to ${works.endpoint}: there it answers.`;
  return [
    { check: "base-address", mark: "problem", asked, came: cameInstead(failure), means },
    ...seen.otherAddresses.map(otherAddress),
  ];
}

function otherAddress(other: OtherAddress): Check {
  const asked = `GET ${other.address}/api/accounting/roles`;
  const isThere = answers(other);
  return {
    check: "other-address",
    mark: isThere ? "notice" : "ok",
    asked,
    came: other.reading.ok ? "an answer of an account service" : cameInstead(other.reading.error),
    means: isThere ? "An account service answers here." : "No account service answers here either.",
  };
}

function answers({ reading }: OtherAddress): boolean {
  return reading.ok || isAnAnswer(reading.error);
}

/** A service that refuses a key or asks to wait is there. */
function isAnAnswer({ code }: Failure): boolean {
  return code === "unauthorized" || code === "forbidden" || code === "throttled" || code === "service-error";
}

function whatWasLeftOut(endpoint: string, address: string): string {
  const given = endpoint.replace(/\/+$/u, "");
  return given.endsWith("/api") && given !== address ? " The /api at the end of the endpoint is not doubled." : "";
}
