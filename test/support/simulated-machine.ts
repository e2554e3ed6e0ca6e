import { type FileSystem, localFiles } from "../../src/files/file-system.ts";
import type { LocalSystem } from "../../src/log/lock-holder.ts";

/** A machine whose processes can die while the test goes on. */
export interface SimulatedMachine {
  /** One more process, on this machine's file system or its own view of it. */
  start(disk?: FileSystem): LocalSystem;
  /** Others can prove that this process is gone. What it was about to do is not undone. */
  bury(process: LocalSystem): void;
}

export function simulatedMachine(disk: FileSystem = localFiles): SimulatedMachine {
  const pids = new Map<LocalSystem, number>();
  const dead = new Set<number>();
  return {
    start(own = disk) {
      const pid = pids.size + 1;
      const process: LocalSystem = {
        disk: own,
        identity: async () => ({ host: "simulated", pid }),
        isProvablyDead: async (other) => other.host === "simulated" && dead.has(other.pid),
      };
      pids.set(process, pid);
      return process;
    },
    bury(process) {
      const pid = pids.get(process);
      if (pid !== undefined) dead.add(pid);
    },
  };
}
