import { userInfo } from "node:os";

/** The name under which this process runs. */
export function ownName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run under a number that has no name.
    return "unknown";
  }
}
