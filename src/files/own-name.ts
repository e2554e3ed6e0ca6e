import { userInfo } from "node:os";

let known: string | undefined;

/** The name under which this process runs. It is asked for once: the system looks for it in a file. */
export function ownName(): string {
  try {
    known ??= userInfo().username;
    return known;
  } catch {
    // A container may run under a number that has no name.
    return "unknown";
  }
}
