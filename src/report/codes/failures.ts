import type { FailureCode } from "../../model/result.ts";
import { type CodeText, codeText } from "./code-words.ts";

/** What can stand in the way of a call to the account service or to the state. */
export const failures: Readonly<Record<FailureCode, CodeText>> = {
  unauthorized: codeText(
    "the service does not accept the key",
    "It answered 401: the key is wrong, was revoked, or belongs to another service. Nothing after it can succeed, so that the run ends in order.",
    "Look at ROSTER_API_KEY, ROSTER_API_KEY_FILE or `apiKeyCommand`, and at the endpoint.",
  ),
  forbidden: codeText(
    "the key may not do this",
    "It answered 403: the key is good, and lacks the permission. In a run, what needs no such permission goes on.",
    "Use a key with the role that is needed, mostly one that administers the account.",
  ),
  "not-found": codeText(
    "the service does not know what a path names",
    "It answered 404: an account, a team or a key of this identifier is not there, or the key in use may not see it.",
    "Correct the identifier in the roster, or plan again where it was made a moment ago.",
  ),
  conflict: codeText(
    "the service says that it is there already",
    "It answered 409 or the like. Somebody else has made it meanwhile, or a deleted user still has the address. The run looks whether it is what was wanted, and takes it over if so.",
    "Plan again; the finding then says what is in the way.",
  ),
  refused: codeText(
    "the service understood the request and refuses it",
    "It answered with another status of the 4xx kind. The same request would be refused again, so that it is remembered and not sent again by itself.",
    "Read the service's own words, correct what they name, or say --retry-refused for one run.",
  ),
  throttled: codeText(
    "the service is asked too often, or is busy",
    "It answered 408, 425, 429 or 503. Calls are sent again after the time that it asks for, within bounds.",
    "Wait, or lower --parallelism.",
  ),
  "service-error": codeText(
    "the service has a fault",
    "It answered 5xx. Reads are tried again; of a write it is read whether it was done.",
    "Try later, and tell whoever runs the service if it stays.",
  ),
  unreachable: codeText(
    "no answer could be had",
    "The name was not resolved, the connection or its certificate failed, it was cut, or the time was over.",
    "Check the endpoint, the proxy and the certificates; the message names the cause. `roster doctor` looks at each.",
  ),
  misunderstood: codeText(
    "an answer is not of a known shape",
    "An answer came that cannot be read, such as a login page. It is never taken for an empty list.",
    "Check the endpoint. Where the service answers in a shape of its own, `service.shapes` in the settings says where things are.",
  ),
  unproven: codeText(
    "the reads do not prove what a call rests on",
    "Before it was sent, what the plan had read was looked at again, and it had moved. The call was not sent.",
    "Plan again.",
  ),
  redirected: codeText(
    "the service points elsewhere",
    "It answered with a redirect, which is never followed: the key stays home.",
    "Name the address that it points to as the endpoint, where you trust it.",
  ),
  aborted: codeText(
    "the run was stopped before the call",
    "An interrupt or the deadline came first. What was begun is recorded.",
    "Run it again.",
  ),
  state: codeText(
    "the state could not be read or written",
    "The file, server, database or bucket that keeps the state failed, or holds something that is no state. Without it nothing is sent: what is not recorded could be done twice.",
    "Follow the message; `roster state verify` looks at what is kept.",
  ),
  locked: codeText(
    "another run holds the state",
    "One run at a time: the message says who holds it since when.",
    "Wait, say --lock-timeout, or, where that run is dead, `roster state unlock ID` or --take-dead-lock.",
  ),
};
