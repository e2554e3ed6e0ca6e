import type { Failure } from "../model/failure.ts";
import { problem, type Result, success } from "../model/result.ts";
import type { Misreading } from "./decode/json.ts";
import { parseJson } from "./decode/json.ts";
import { excerpt } from "./excerpt.ts";
import { type Answer, type Call, requestName } from "./exchange.ts";

/** The JSON of a successful answer, `undefined` for an empty one; a failure for anything else. */
export function bodyOf(answer: Answer, call: Call): Result<unknown, Failure> {
  if (answer.status === 204 || answer.body.trim() === "") return success(undefined);
  const isPage = /\bhtml\b/i.test(contentType(answer));
  const parsed = parseJson(answer.body);
  if (parsed.ok && !isPage) return success(parsed.value);
  const quoted = call.answersWithKey ? "" : `; it begins: ${excerpt(answer.body, 200)}`;
  const why = isPage ? "it is a web page, as a login or a proxy would answer" : "it is not JSON";
  return problem(misunderstood(answer, call, `${why}${quoted}`));
}

/** A failure that names what was asked, what came, and why it could not be read. */
function misunderstood(answer: Answer, call: Call, why: string): Failure {
  const type = contentType(answer);
  const came = type === "" ? `${answer.status}` : `${answer.status}, ${excerpt(type, 80)}`;
  return {
    code: "misunderstood",
    message: `The answer to ${requestName(call)} (${came}) is not understood: ${why}`,
    request: requestName(call),
    status: answer.status,
    hint: "Check that the endpoint is the base address of an account service",
  };
}

export function misread(answer: Answer, call: Call, { why }: Misreading): Failure {
  return misunderstood(answer, call, why);
}

function contentType({ headers }: Answer): string {
  return headers.get("content-type") ?? "";
}
