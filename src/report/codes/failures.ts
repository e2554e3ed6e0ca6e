import type { FailureCode } from "../../model/result.ts";
import { type CodeText, codeText } from "./code-text.ts";

/** Why a call to the account service or to the state can fail. */
export const failures: Readonly<Record<FailureCode, CodeText>> = {
  unauthorized: codeText(
    "the service does not accept the API key",
    "The service answered 401. The key is wrong, was revoked, or belongs to another service. roster asks `apiKeyCommand` once more, or reads the key file again. If that gives no other key, the run stops, because no later call can succeed.",
    "Check ROSTER_API_KEY, ROSTER_API_KEY_FILE or `apiKeyCommand`, and the endpoint. `docs/keys.md` says how to replace a key.",
  ),
  forbidden: codeText(
    "the API key does not have this permission",
    "The service answered 403. The key is valid, but it may not do this. A run continues with what the key may do.",
    "Use a key with the permission, usually one of an account administrator.",
  ),
  "not-found": codeText(
    "the service does not know this path",
    "The service answered 404. The account, team or key does not exist, or this API key cannot see it.",
    "Correct the identifier in the roster. If it was created a moment ago, plan again.",
  ),
  conflict: codeText(
    "the service has this already",
    "The service answered 409 or a similar status. It was created meanwhile, or a deleted user still has the address. If it is what the roster needs, the run uses it.",
    "Plan again. A finding then names the conflict.",
  ),
  refused: codeText(
    "the service refused the request",
    "The service answered with another 4xx status. It would refuse the same request again, so roster does not repeat it on its own.",
    "Read the message of the service and correct the cause. To send it again, pass the `--allow retry:…` value that is printed.",
  ),
  throttled: codeText(
    "the service is busy or limits calls",
    "The service answered 408, 425, 429 or 503. roster waits as long as the service says, and tries again a few times.",
    "Wait, or pass a lower `--parallelism`.",
  ),
  "service-error": codeText(
    "the service has an internal error",
    "The service answered 5xx. roster tries reads again. After a write, it reads the service to see the result.",
    "Try again later. If it stays, contact the operator of the service.",
  ),
  unreachable: codeText(
    "the service cannot be reached",
    "The name could not be resolved, the connection or its certificate failed, or the time was over.",
    "Check the endpoint, the proxy and the certificates. `roster doctor` checks each of them.",
  ),
  misunderstood: codeText(
    "an answer has an unknown format",
    "The service sent an answer that roster cannot read, such as a login page. roster never treats it as an empty list.",
    "Check the endpoint. If the service uses its own format, describe it under `service.shapes` in the settings (in CI: outside the checkout).",
  ),
  unproven: codeText(
    "the facts of a call have changed",
    "Before the call, roster read again what the plan relies on, and it had changed. roster did not send the call.",
    "Plan again.",
  ),
  redirected: codeText(
    "the service redirects to another address",
    "The service answered with a redirect. roster never follows it: the API key goes only to the configured server.",
    "If you trust the new address, set it as the endpoint.",
  ),
  aborted: codeText(
    "the run stopped before this call",
    "An interrupt or the deadline came first. Earlier changes are recorded.",
    "Run the command again.",
  ),
  state: codeText(
    "the state cannot be read or written",
    "The file, server, database or bucket of the state failed, or it holds something else. roster sends nothing without a state, because it could repeat a change.",
    "Follow the message. `roster state verify` checks the stored state.",
  ),
  locked: codeText(
    "another run holds the lock of the state",
    "Only one run at a time may use the state. The message shows who holds the lock, and since when.",
    "Wait, or pass `--lock-timeout`. If that run is dead, run `roster state unlock ID`, or pass `--break-stale-lock`.",
  ),
  audit: codeText(
    "the audit trail cannot be read or written",
    "Each change must have a record in the audit trail. Without it, no call starts. Or the trail differs from what the state remembers.",
    "Repair the place that the message names, or pass another `--audit URL`. `roster audit verify` checks a trail. `--audit none` keeps no trail.",
  ),
  report: codeText(
    "reports in a bucket cannot be read or written",
    "`roster fleet summarize s3://BUCKET/PATH` could not list or read the summaries.",
    "Follow the message. `docs/fleets.md` says which permissions are needed.",
  ),
};

/** Which exit code goes with a problem, and what it is. */
export const problems: Readonly<Record<string, CodeText & { readonly exitCode: number }>> = {
  guard: {
    exitCode: 5,
    ...codeText(
      "guards refuse the plan",
      "One or more guards refuse the whole plan. Each one shows the numbers and the users.",
      "Correct the roster. If you have read the plan and want it, pass the `--allow` values that are printed.",
    ),
  },
  "selection-strands-team": {
    exitCode: 5,
    ...codeText(
      "the selection leaves a new team without a founder",
      "The selection excludes a founder, or uses a founder that another new team needs. A user can be a founder only once.",
      "Select the team together with its users, or plan without a selection.",
    ),
  },
  protected: {
    exitCode: 5,
    ...codeText(
      "the settings protect this user",
      "The user is listed under `protect`, so roster sends them no mail.",
      "Remove the entry from `protect` in the settings (in CI: outside the checkout), or do it in the service.",
    ),
  },
  "feed-shrinks": {
    exitCode: 5,
    ...codeText(
      "the CSV file would remove too many people",
      "The file has no people, or more than 10 % of the generated users, and more than 3, would lose access. The export may be cut off. roster wrote nothing.",
      "Check the export. If it is right, pass `--max-removals`.",
      "roster import --from people.csv --out people/hr.yaml --max-removals 40",
    ),
  },
  declined: {
    exitCode: 5,
    ...codeText("you did not approve the plan", "roster sent nothing.", "Do nothing."),
  },
  "not-approved": {
    exitCode: 5,
    ...codeText(
      "cannot ask for approval: no terminal",
      "roster applies nothing without approval, and it cannot ask here.",
      "Read the plan, then pass `--auto-approve`. Or apply a saved plan, which counts as approved.",
      "roster plan --out team.plan\nroster apply team.plan",
    ),
  },
  "guards-changed": {
    exitCode: 5,
    ...codeText(
      "the plan was made with other guards",
      "Guards check a plan when it is made. The settings of this run have other guards, so nobody has checked the plan with these. roster sent nothing.",
      "Use the same settings for the plan and for its apply. In a pipeline, name the same file in `ROSTER_CONFIG` for both jobs. Or plan again.",
      "roster plan --out plan.json\nroster apply plan.json",
    ),
  },
  "state-exists": {
    exitCode: 5,
    ...codeText(
      "the target already has content",
      "roster never writes a state over another state or another file.",
      "Choose an empty target.",
    ),
  },
  stale: {
    exitCode: 6,
    ...codeText(
      "the saved plan, or this run, is too old",
      "The saved plan was applied already, has expired, or no longer fits. Or a run with a higher `--sequence` applied a newer roster.",
      "Plan again.",
    ),
  },
  "plan-changed": {
    exitCode: 6,
    ...codeText(
      "the plan is not the one that was approved",
      "`--expect-plan` names another plan than this one. The roster, the service or the state has changed since. roster sent nothing.",
      "Read the plan that is shown, and approve it.",
      "roster apply --auto-approve --expect-plan 3f2a90c1d4e5b678",
    ),
  },
  "stale-snapshot": {
    exitCode: 6,
    ...codeText(
      "the snapshot is too old",
      "The snapshot is older than `--max-age`. The default is one day.",
      "Run `roster snapshot` again.",
    ),
  },
  "snapshot-in-future": {
    exitCode: 6,
    ...codeText(
      "the snapshot is from the future",
      "The clock of one of the two machines is wrong, so the age of the snapshot is unknown.",
      "Correct the clocks.",
    ),
  },
  deadline: {
    exitCode: 1,
    ...codeText(
      "the time of `--deadline` is over",
      "roster started no new calls and finished those in progress.",
      "Allow more time, or run the command again. It continues from there.",
    ),
  },
  unwritable: {
    exitCode: 1,
    ...codeText(
      "a file cannot be written",
      "The message shows the file and the cause.",
      "Check the path, its permissions and the free space.",
    ),
  },
  "report-not-written": {
    exitCode: 1,
    ...codeText(
      "a report cannot be written",
      "roster could not write a file of `--report` or of the pipeline. The command itself has finished.",
      "Check the path and its permissions.",
    ),
  },
  "snapshot-not-possible": {
    exitCode: 1,
    ...codeText(
      "roster cannot create a snapshot",
      "roster could not read the service completely, or its answers are ambiguous.",
      "Run `roster doctor` to see how the service answers.",
    ),
  },
  "port-in-use": {
    exitCode: 1,
    ...codeText(
      "the reference server cannot use this port",
      "Another program uses the port, or you have no permission for it.",
      "Pass `--port 0` to use a free port.",
    ),
  },
  "data-not-written": {
    exitCode: 1,
    ...codeText(
      "the reference server cannot save its data",
      "It cannot read or write its data file.",
      "Pass `--data` with another file, or `--data memory`.",
    ),
  },
  internal: {
    exitCode: 1,
    ...codeText(
      "roster has a bug",
      "Something unexpected happened. Earlier changes are recorded.",
      "Report it with the command and the printed lines.",
    ),
  },
};
