import type { FailureCode } from "../../model/result.ts";
import { type CodeText, codeText } from "./code-text.ts";

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
    "Read the service's own words, correct what they name, or pass the `--allow retry:…` that is printed.",
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
    "Wait, say --lock-timeout, or, where that run is dead, `roster state unlock ID` or --break-stale-lock.",
  ),
};

/** Which exit code goes with a problem, and what it is. */
export const problems: Readonly<Record<string, CodeText & { readonly exitCode: number }>> = {
  guard: {
    exitCode: 5,
    ...codeText(
      "guards refuse the plan",
      "One or more guards have something against the plan as a whole; each says what, with numbers and people.",
      "Correct the roster; or, once you have read the plan and want just this, say the --allow words that are printed.",
    ),
  },
  "selection-strands-team": {
    exitCode: 5,
    ...codeText(
      "a selection would strand a team",
      "It leaves out a founder, or takes one whom another new team needs: a founder who is spent cannot be had again.",
      "Select the team with its people, or plan without a selection.",
    ),
  },
  "rehearsal-failed": {
    exitCode: 5,
    ...codeText(
      "a rehearsal of the plan ran into trouble",
      "Applied to a service in memory, the plan did not bring about what it shows: a call failed, something was found, or something was left to do. Nothing was sent.",
      "Correct what the rehearsal tells; or go without one (no --rehearse, and ROSTER_REHEARSE=0) where it cannot be right about this service.",
    ),
  },
  "cannot-resend": {
    exitCode: 5,
    ...codeText(
      "nobody is mailed once more",
      "Only a member of the roster who is there and may have been invited before is.",
      "Do what the message says; an apply invites whoever was not.",
    ),
  },
  protected: {
    exitCode: 5,
    ...codeText(
      "the settings protect the person",
      "Nobody under `protect` is mailed.",
      "Take them out of `protect`, or have it done by hand.",
    ),
  },
  declined: {
    exitCode: 5,
    ...codeText("somebody read the plan and said no", "Nothing was sent.", "Nothing."),
  },
  "not-approved": {
    exitCode: 5,
    ...codeText(
      "nobody could be asked",
      "This is not a terminal, and nothing is applied without approval.",
      "Read the plan, then pass --auto-approve; or apply a saved plan, which is its own approval.",
    ),
  },
  "state-exists": {
    exitCode: 5,
    ...codeText(
      "there is something at the place already",
      "A state is never written over another one, or over what is no state.",
      "Name a place that holds nothing.",
    ),
  },
  stale: {
    exitCode: 6,
    ...codeText(
      "the plan file, or this run, is too old",
      "The file was applied before, has expired, or nothing of it fits any more; or a run with a higher --sequence has applied a newer roster.",
      "Plan again.",
    ),
  },
  "stale-snapshot": {
    exitCode: 6,
    ...codeText(
      "the snapshot is too old",
      "It was read longer ago than --max-age allows, a day unless said.",
      "Have `roster snapshot` run again.",
    ),
  },
  "snapshot-in-future": {
    exitCode: 6,
    ...codeText(
      "the snapshot is from a time to come",
      "The clock of one of both machines is wrong, so that nothing can be said about its age.",
      "Set the clocks right.",
    ),
  },
  deadline: {
    exitCode: 1,
    ...codeText(
      "the time that --deadline gives is over",
      "Nothing new was begun after it, and what was begun was ended in order.",
      "Give it more time, or run it again: it goes on from there.",
    ),
  },
  unwritable: {
    exitCode: 1,
    ...codeText(
      "a file cannot be written",
      "The message names it and the cause.",
      "Look at the path, its permissions and the room that is left.",
    ),
  },
  "report-not-written": {
    exitCode: 1,
    ...codeText(
      "a report cannot be written",
      "What --report or the pipeline names could not be written, or moved to its place. The command itself has done its work.",
      "Look at the path and its permissions.",
    ),
  },
  "snapshot-not-possible": {
    exitCode: 1,
    ...codeText(
      "no snapshot can be kept",
      "What the service shows cannot be read whole, or not told apart.",
      "See with `roster doctor` what the service answers.",
    ),
  },
  "port-in-use": {
    exitCode: 1,
    ...codeText(
      "the reference service cannot listen on the port",
      "Another program does, or it may not be used.",
      "Pass --port 0 to take a free one.",
    ),
  },
  "server-state-not-written": {
    exitCode: 1,
    ...codeText(
      "the reference service cannot keep its state",
      "The file of --state cannot be read or written.",
      "Name another file.",
    ),
  },
  internal: {
    exitCode: 1,
    ...codeText(
      "roster has a defect",
      "Something happened that roster does not foresee. What was done until then is recorded.",
      "Report it with the lines that are printed and the command.",
    ),
  },
};
