import { readdir } from "node:fs/promises";
import { basename, dirname, resolve } from "node:path";
import { readRegularFile, whyUnread } from "../../files/regular-file.ts";
import { problem, type Result, success } from "../../model/result.ts";
import { byCodeUnit } from "../../model/role-set.ts";
import { type CommandError, invalidSetting } from "../command-error.ts";
import type { Host } from "../host.ts";
import type { SignerKey } from "./count-approvals.ts";
import { readSignature, type SshSignature } from "./ssh-signature.ts";

/** The usual name for a signature: each key has its own, so that nobody's signature replaces another one. */
export function signaturePath(planFile: string, { fingerprint }: SignerKey): string {
  const name = fingerprint.slice("SHA256:".length).replaceAll("+", "-").replaceAll("/", "_");
  return `${planFile}.${name.slice(0, namedLength)}.sig`;
}

/** Enough of a fingerprint that no two keys share it. */
const namedLength = 16;

/** A directory with more is none that people sign in. */
const mostSignatures = 100;

/** The signatures beside a plan file, as a person would name them from here. */
export async function findSignatures(planFile: string, host: Host): Promise<Result<readonly string[], CommandError>> {
  if (planFile === "-") return success([]);
  const at = resolve(host.cwd, planFile);
  const name = basename(at);
  const names = await readdir(dirname(at)).catch(() => []);
  const found = names.filter((one) => isSignatureOf(name, one)).sort(byCodeUnit);
  if (found.length > mostSignatures) return problem(tooMany(planFile, found.length));
  return success(found.map((one) => `${planFile}${one.slice(name.length)}`));
}

/** One word stands between: `plan.json.v2.ada.sig` is a signature of the plan file `plan.json.v2`. */
function isSignatureOf(planFile: string, name: string): boolean {
  return name.startsWith(`${planFile}.`) && /^[^.]+\.sig$/u.test(name.slice(planFile.length + 1));
}

function tooMany(planFile: string, count: number): CommandError {
  return invalidSetting(
    "too-many-signatures",
    `There are ${count} signatures of ${planFile}, and roster reads at most ${mostSignatures}.`,
    "Remove the old ones, or name the right ones with --signature.",
  );
}

/** No signature is larger, in bytes. */
const largestSignature = 64 * 1024;

/** Reads a signature, or says why it is none; the problem is the end of a sentence. */
export async function readSignatureFile(path: string, host: Host): Promise<Result<SshSignature, string>> {
  try {
    return readSignature((await readRegularFile(resolve(host.cwd, path), largestSignature)).toString("latin1"));
  } catch (error) {
    return problem(`it cannot be read: ${whyUnread(error)}`);
  }
}
