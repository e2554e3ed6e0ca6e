import { type CodeRow, row } from "../../codes/row.ts";
import type { FailureCode } from "../../model/recorded.ts";

/** Why a call to the account service or to the state can fail. `refused` is a finding as well, and has its text there. */
export const failures: Readonly<Record<Exclude<FailureCode, "refused">, CodeRow>> = {
  unauthorized: row(
    "the service does not accept the API key",
    "The service answered 401. The key is wrong, was revoked, or belongs to another service. roster asks `apiKeyCommand` once more, or reads the key file again. If that gives no other key, the run stops, because no later call can succeed.\nCheck ROSTER_API_KEY, ROSTER_API_KEY_FILE or `apiKeyCommand`, and the endpoint. `docs/security.md` says how to replace a key.",
    { ends: [4, 7] },
  ),
  forbidden: row(
    "the API key does not have this permission",
    "The service answered 403. The key is valid, but it may not do this. A run continues with what the key may do.\nUse a key with the permission, usually one of an account administrator.",
    { ends: [4, 7] },
  ),
  "not-found": row(
    "the service does not know this path",
    "The service answered 404. The account, team or key does not exist, or this API key cannot see it.\nCorrect the identifier in the roster. If it was created a moment ago, plan again.",
  ),
  conflict: row(
    "the service has this already",
    "The service answered 409 or a similar status. It was created meanwhile, or a deleted user still has the address. If it is what the roster needs, the run uses it.\nPlan again. A finding then names the conflict.",
  ),
  "service-error": row(
    "the service is busy or has an internal error",
    "The service answered 5xx, or asked to retry later. roster waits as long as the service says, and tries reads again a few times. After a write, it reads the service to see the result.\nTry again later, or pass a lower `--parallelism`. If it stays, contact the operator of the service.",
  ),
  unreachable: row(
    "the service cannot be reached",
    "The name could not be resolved, the connection or its certificate failed, or the time was over.\nCheck the endpoint, the proxy and the certificates. `roster doctor` checks each of them.",
  ),
  misunderstood: row(
    "an answer has an unknown format",
    "The service sent an answer that roster cannot read, such as a login page. roster never treats it as an empty list.\nCheck the endpoint. If the service uses its own format, describe it under `service.shapes` in the settings (in CI: outside the checkout).",
  ),
  stale: row(
    "what was planned or approved does not fit any more",
    "Before a call, roster read again what the plan relies on, and it had changed. Or the saved plan has expired, was applied already or was made with other guards, or `--expect-plan` names another plan. Or a run with a higher `--sequence` applied a newer roster. Or a snapshot is too old. roster did not send what does not fit.\nPlan again, and read the plan before you approve it. Use the same settings for a plan and its apply.",
    { example: "roster plan --out plan.json\nroster apply plan.json", ends: [5, 6, 7] },
  ),
  redirected: row(
    "the service redirects to another address",
    "The service answered with a redirect. roster never follows it: the API key goes only to the configured server.\nIf you trust the new address, set it as the endpoint.",
  ),
  aborted: row(
    "the run stopped before this call",
    "An interrupt or the `--deadline` came first. roster finished the calls in progress and started no others. Earlier changes are recorded.\nRun the command again, or allow more time. It continues from there.",
  ),
  state: row(
    "the log or a report cannot be read or written",
    "The file, server, database or bucket failed, or it holds something else. Or the log was changed after it was written. roster sends nothing without its log: it could repeat a change.\nFollow the message. `roster audit verify` checks the log.",
  ),
  locked: row(
    "another run holds the lock of the log",
    "Only one run at a time may use the state. The message shows who holds the lock, and since when.\nWait, or pass `--lock-timeout`. If that run is dead, run `roster state unlock ID`, or pass `--break-stale-lock`.",
    { ends: [7, 8] },
  ),
};

/** Why a command ended before it was done. */
export const problems: Readonly<Record<string, CodeRow>> = {
  guard: row(
    "guards refuse the plan",
    "One or more guards refuse the whole plan. Each one shows the numbers and the users.\nCorrect the roster. If you have read the plan and want it, pass the `--allow` codes that are printed.",
    { ends: [5] },
  ),
  "feed-shrinks": row(
    "the CSV file would remove too many people",
    "The file has no people, or more than 10 % of the generated users, and more than 3, would lose access. The export may be cut off. roster wrote nothing.\nCheck the export. If it is right, pass `--max-removals`.",
    { example: "roster import --from people.csv --out people/hr.yaml --max-removals 40", ends: [5] },
  ),
  declined: row("you did not approve the plan", "roster sent nothing.\nDo nothing.", { ends: [5] }),
  "not-approved": row(
    "cannot ask for approval: no terminal",
    "roster applies nothing without approval, and it cannot ask here.\nRead the plan, then pass `--auto-approve`. Or apply a saved plan, which counts as approved.",
    { example: "roster plan --out team.plan\nroster apply team.plan", ends: [5] },
  ),
  unwritable: row(
    "a file or another target cannot be written",
    "The message shows the target and the cause. roster writes no state over another state or another file. If it is a report, the command itself has finished.\nCheck the path, its permissions and the free space, or choose an empty target.",
    { ends: [1, 5] },
  ),
  "port-in-use": row(
    "the reference server cannot use this port",
    "Another program uses the port, or you have no permission for it.\nPass `--port 0` to use a free port.",
    { ends: [1] },
  ),
  internal: row(
    "roster has a bug",
    "Something unexpected happened. Earlier changes are recorded.\nReport it with the command and the printed lines.",
    { ends: [1] },
  ),
};
