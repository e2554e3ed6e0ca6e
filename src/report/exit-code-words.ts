/** What an exit code says, for people. */
export function formatExitCode(code: number): string {
  return exitCodeMeanings.get(code) ?? "failed";
}

const exitCodeMeanings: ReadonlyMap<number, string> = new Map([
  [0, "done, or nothing to do"],
  [1, "failed"],
  [2, "changes wait"],
  [3, "the roster, the settings or the command line is invalid"],
  [4, "the service refused our key or our permission"],
  [5, "refused by a guard or a rehearsal, or not approved"],
  [6, "stale: plan again"],
  [7, "partial: something failed, was skipped, was stale, or has an unknown outcome"],
  [8, "the state is locked"],
  [9, "nothing else to do, but blocking findings remain"],
  [129, "the terminal was closed"],
  [130, "interrupted"],
  [143, "terminated"],
]);
