import { lstat } from "node:fs/promises";
import { resolve } from "node:path";
import { problem, success } from "../../model/result.ts";
import { fileStore } from "../../state/file/store.ts";
import { type CommandError, invalidSetting } from "../command-error.ts";
import type { Host } from "../host.ts";
import { trustsCheckout } from "../trust/checkout.ts";
import { checkPathTrust, type GuardedFile } from "../trust/file-trust.ts";
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
  "The state address file: has no path.",
  "Write file:PATH, such as file:.roster/state.json.",
);

/**
 * Says why a state in a file is not believed: it came with the checkout, the checkout decides where it is, or it belongs
 * to another user of this machine. A writer of the state decides what roster takes for done, and whose keys are whose.
 */
export async function checkStateFileTrust(
  path: string,
  host: Host,
  user = process.getuid?.(),
): Promise<CommandError | undefined> {
  const trusted = await checkPathTrust(path, stateFile, host);
  if (!trusted.ok) return trusted.error;
  if (trustsCheckout(host)) return undefined;
  for (const file of [trusted.value, `${trusted.value}.journal`]) {
    const owner = (await lstat(file).catch(() => undefined))?.uid;
    if (owner !== undefined && !mayWriteFor(owner, user)) return foreignState(file, owner);
  }
  return undefined;
}

const stateFile: GuardedFile = {
  code: "untrusted-state",
  name: (end) => `The state ${end}`,
  git: "and-beside",
  leadsOut: (end) => ({
    why: `is a symbolic link in the checkout, or behind one, that leads out of it to ${end}: a change to the checkout would choose which state is read and written.`,
    hint: `Name the state where it is, as in --state file:${end}, or remove the link.`,
  }),
  tracked: {
    why: "is kept in git: whoever can change the repository could write what roster takes for done.",
    hint: "Take it out (`git rm -r --cached`, and a line `.roster/` in .gitignore) and name a state that only runs can write, or set ROSTER_TRUST_SETTINGS=1.",
  },
};

/** The superuser may write for everybody, and reads what others wrote as theirs. */
function mayWriteFor(owner: number, user: number | undefined): boolean {
  return user === undefined || user === 0 || owner === 0 || owner === user;
}

function foreignState(path: string, owner: number): CommandError {
  return invalidSetting(
    "untrusted-state",
    `The state's file ${path} belongs to another user of this machine (${owner}), who could write what roster takes for done.`,
    "Run roster as that user, give the file to this one, or name another state with --state.",
  );
}
