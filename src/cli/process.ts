import { runCommandLine } from "./command-line/program.ts";
import { leaveClosedTerminal, processHost, standardTerminals } from "./host.ts";

export async function runProcess(): Promise<void> {
  let isOver = false;
  process.on("beforeExit", () => {
    if (!isOver) {
      process.stderr.write("error: roster stopped with work unfinished. This is a defect of roster.\n");
      process.exitCode = 1;
    }
  });
  const terminals = standardTerminals();
  const host = processHost(terminals);
  try {
    process.exitCode = await runCommandLine(process.argv.slice(2), host);
  } finally {
    isOver = true;
  }
  leaveClosedTerminal(host.interruption, process, terminals);
}
