// Locks the state named by its argument, appends what a run would, and is killed. Run as a process of its own.
import { kill, pid } from "node:process";
import { fileStore } from "../../src/log/file/store.ts";
import { creationIntent, intended, noon, runStarted } from "./event-builders.ts";
import { clockAt, countingRandomness } from "./fixed-ports.ts";

const store = fileStore({ path: process.argv[2] ?? "", clock: clockAt(noon), randomness: countingRandomness() });
const locked = await store.lock({ run: "r1", operation: "apply", at: noon });
if (!locked.ok) throw new Error(locked.error.message);
await locked.value.append([runStarted("r1"), intended("r1", "c", creationIntent("ada"))]);
kill(pid, "SIGKILL");
