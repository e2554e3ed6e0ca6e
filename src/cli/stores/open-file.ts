import { lstat } from "node:fs/promises";
import { resolve } from "node:path";
import { problem, success } from "../../model/result.ts";
import { fileStore } from "../../state/file/store.ts";
import { type CommandError, invalidSetting } from "../command-error.ts";
import { type Host, isPipeline } from "../host.ts";
import { checkoutAround, placementOf, repositoryRoot, trustsCheckout } from "../trust/checkout.ts";
import { gitTrackingOf, trackingUnknown } from "../trust/file-trust.ts";
import type { StoreOpener } from "./open-store.ts";

export const openFile: StoreOpener = async (address, host) => {
  const written = address.slice("file:".length);
  if (written === "") return problem(noPath);
  const path = resolve(host.cwd, written.replace(/^\/\/(?=\/)/u, ""));
  const trouble = await checkStateFileTrust(path, host);
  if (trouble !== undefined) return problem(trouble);
  const { clock, randomness, localSystem: system } = host;
  return success(fileStore({ path, clock, randomness, ...(system === undefined ? {} : { system }) }));
};

const noPath = invalidSetting(
  "bad-state-address",
  "The state address file: names no path.",
  "Write file:PATH, such as file:.roster/state.json.",
);

/**
 * Says why a state in a file is not believed: it came with the checkout, the checkout decides where it is, or it belongs
 * to another user of this machine. Whoever writes a state decides what roster takes for done, and whose keys are whose.
 */
export async function checkStateFileTrust(
  path: string,
  host: Host,
  user = process.getuid?.(),
): Promise<CommandError | undefined> {
  if (trustsCheckout(host)) return undefined;
  const standing = await placementOf(path, await checkoutAround(host));
  const isOthers = repositoryRoot(host.cwd) !== undefined || isPipeline(host);
  if (isOthers && standing.leadsOut) return stateLeadsOut(path, standing.path);
  const tracking = await gitTrackingOf(standing.path, "and-beside", host);
  if (tracking.is === "tracked") return trackedState(standing.path);
  if (tracking.is === "unknown")
    return trackingUnknown({ code: "untrusted-state", file: `The state ${standing.path}` }, tracking);
  for (const file of [standing.path, `${standing.path}.journal`]) {
    const owner = (await lstat(file).catch(() => undefined))?.uid;
    if (owner !== undefined && !mayWriteFor(owner, user)) return foreignState(file, owner);
  }
  return undefined;
}

/** The superuser may write for everybody, and reads what others wrote as theirs. */
function mayWriteFor(owner: number, user: number | undefined): boolean {
  return user === undefined || user === 0 || owner === 0 || owner === user;
}

function stateLeadsOut(path: string, end: string): CommandError {
  return invalidSetting(
    "untrusted-state",
    `The state ${path} is a symbolic link in the checkout, or behind one, that leads out of it to ${end}: a change to the checkout would choose which state is read and written.`,
    `Name the state where it is, as in --state file:${end}, or remove the link.`,
  );
}

function trackedState(path: string): CommandError {
  return invalidSetting(
    "untrusted-state",
    `The state ${path} is kept in git: whoever can change the repository could write what roster takes for done.`,
    "Take it out (`git rm -r --cached`, and a line `.roster/` in .gitignore) and name a state that only runs can write, or set ROSTER_TRUST_SETTINGS=1.",
  );
}

function foreignState(path: string, owner: number): CommandError {
  return invalidSetting(
    "untrusted-state",
    `The state's file ${path} belongs to another user of this machine (${owner}), who could write what roster takes for done.`,
    "Run roster as that user, give the file to this one, or name another state with --state.",
  );
}
