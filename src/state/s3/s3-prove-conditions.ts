import type { Failure } from "../../model/failure.ts";
import { problem, type Result, success } from "../../model/result.ts";
import { condition, isDone, isOtherwise, type WriteCondition } from "./s3-objects.ts";
import type { S3Session } from "./s3-parts.ts";

/** A version that no object ever has. */
const noVersion = { etag: `"${"0".repeat(32)}"` };

/**
 * Makes sure that the service refuses a write whose condition does not hold: some look-alikes of S3 write all the same,
 * and then no lock holds. What is tried is to write our lock over itself. Where that is not refused, it may hit the
 * lock of another run, but no run ever gets past this point there.
 */
export async function proveConditions(parts: S3Session, lock: string): Promise<Result<void, Failure>> {
  const created = await isRefused(parts, lock, "nothing");
  if (!created.ok) return created;
  return isRefused(parts, lock, noVersion);
}

async function isRefused(
  { exchange, place }: S3Session,
  text: string,
  over: WriteCondition,
): Promise<Result<void, Failure>> {
  const asked = { object: place.lock, doing: "locked" } as const;
  const headers = { "content-type": "application/json", ...condition(over) };
  const sent = await exchange.send({ ...asked, method: "PUT", headers, body: text });
  if (!sent.ok) return sent;
  const { answer } = sent.value;
  if (isOtherwise(answer)) return success(undefined);
  return problem(isDone(answer) ? conditionsIgnored(over, place.lock.shown) : exchange.refused(asked, answer));
}

function conditionsIgnored(over: WriteCondition, shown: string): Failure {
  const header = over === "nothing" ? "If-None-Match" : "If-Match";
  return {
    code: "state",
    message: `the state could not be locked at ${shown}: the service ignores ${header} on writes, so that no lock would hold`,
    request: shown,
    hint: "keep the state in a service that knows conditional writes, or in another kind of store",
  };
}
