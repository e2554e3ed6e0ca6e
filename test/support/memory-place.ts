import { existsSync } from "node:fs";
import { tmpdir } from "node:os";

/**
 * Where directories are in memory, on a machine that has such a place: states are synced often, and no test waits for a disk then.
 * Not for tests of reports, which roster appends to below `/dev`.
 */
export const memoryPlace = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();
