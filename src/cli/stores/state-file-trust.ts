import { lstat } from "node:fs/promises";
import { checkoutAround, repositoryRoot, standingOf, trustsCheckout } from "../checkout.ts";
import { untold } from "../file-trust.ts";
import { type Host, isPipeline } from "../host.ts";
import { invalidSetting, type Stop } from "../stop.ts";
import { trackingOf } from "../tracked-files.ts";

/**
 * Says why a state in a file is not believed: it came with the checkout, the checkout decides where it is, or it belongs
 * to another user of this machine. Whoever writes a state decides what roster takes for done, and whose keys are whose.
 */
export async function stateFileTrouble(path: string, host: Host, user = process.getuid?.()): Promise<Stop | undefined> {
  if (trustsCheckout(host)) return undefined;
  const standing = await standingOf(path, await checkoutAround(host));
  const isOthers = repositoryRoot(host.cwd) !== undefined || isPipeline(host);
  if (isOthers && standing.leadsOut) return leadsOut(path, standing.path);
  const tracking = await trackingOf(standing.path, "and-beside", host);
  if (tracking.is === "tracked") return tracked(standing.path);
  if (tracking.is === "unknown")
    return untold({ code: "untrusted-state", file: `The state ${standing.path}` }, tracking);
  for (const file of [standing.path, `${standing.path}.journal`]) {
    const owner = (await lstat(file).catch(() => undefined))?.uid;
    if (owner !== undefined && !mayWriteFor(owner, user)) return foreign(file, owner);
  }
  return undefined;
}

/** The superuser may write for everybody, and reads what others wrote as theirs. */
function mayWriteFor(owner: number, user: number | undefined): boolean {
  return user === undefined || user === 0 || owner === 0 || owner === user;
}

function leadsOut(path: string, end: string): Stop {
  return invalidSetting(
    "untrusted-state",
    `The state ${path} is a symbolic link in the checkout, or behind one, that leads out of it to ${end}: a change to the checkout would choose which state is read and written.`,
    `Name the state where it is, as in --state file:${end}, or remove the link.`,
  );
}

function tracked(path: string): Stop {
  return invalidSetting(
    "untrusted-state",
    `The state ${path} is kept in git: whoever can change the repository could write what roster takes for done.`,
    "Take it out (`git rm -r --cached`, and a line `.roster/` in .gitignore) and name a state that only runs can write, or set ROSTER_TRUST_SETTINGS=1.",
  );
}

function foreign(path: string, owner: number): Stop {
  return invalidSetting(
    "untrusted-state",
    `The state's file ${path} belongs to another user of this machine (${owner}), who could write what roster takes for done.`,
    "Run roster as that user, give the file to this one, or name another state with --state.",
  );
}
