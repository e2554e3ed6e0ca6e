import { runCommandLine } from "./cli/command-line/program.ts";
import { leaveClosedTerminal, processHost } from "./cli/host.ts";
import { standardTerminals } from "./cli/standard-streams.ts";

async function main(): Promise<void> {
  let settled = false;
  process.on("beforeExit", () => {
    if (!settled) {
      process.stderr.write("error: roster stopped with work unfinished. This is a defect of roster.\n");
      process.exitCode = 1;
    }
  });
  const terminals = standardTerminals();
  const host = processHost(terminals);
  try {
    process.exitCode = await runCommandLine(process.argv.slice(2), host);
  } finally {
    settled = true;
  }
  leaveClosedTerminal(host.interruption, process, terminals);
}

/** Resolved when the command has ended and the exit code is set. */
export const ended = main();
