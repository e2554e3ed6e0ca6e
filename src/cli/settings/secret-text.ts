import { resolve } from "node:path";
import { problem, type Result, success } from "../../model/result.ts";
import { readFileOrPipe, whyUnread } from "../../state/regular-file.ts";
import type { Host } from "../host.ts";
import { type CommandError, invalidSetting } from "../stop.ts";
import { variable } from "./environment.ts";

/** A secret stands in a variable of this name, or in the file that the one with `_FILE` names. */
type SecretVariable = "ROSTER_API_KEY" | "ROSTER_SNAPSHOT_KEY" | "ROSTER_WEBHOOK_SECRET";

/** Where a secret is to be had; undefined where neither variable is set. Nothing was read yet. */
export function givenSecret(
  name: SecretVariable,
  host: Host,
): Result<{ readonly text: string } | { readonly path: string } | undefined, CommandError> {
  const text = variable(host, name);
  const path = variable(host, `${name}_FILE`);
  if (text !== undefined && path !== undefined) return problem(bothSet(name));
  if (text !== undefined) return success({ text });
  return success(path === undefined ? undefined : { path });
}

/** A secret without the white space around it, kept out of every output from now on; undefined where none is given. */
export async function secretText(name: SecretVariable, host: Host): Promise<Result<string | undefined, CommandError>> {
  const given = givenSecret(name, host);
  if (!given.ok) return given;
  if (given.value === undefined) return success(undefined);
  const read = "text" in given.value ? success(given.value.text) : await secretInFile(given.value.path, host);
  if (!read.ok) return read;
  const secret = read.value.trim();
  host.secrets.keep(secret);
  return success(secret);
}

/** A key has some hundred bytes; a pipe is written by a program that may have to ask somebody. */
const limits = { largest: 64 * 1024, patience: 30_000 };

/** What a file of a secret holds. It may be a pipe, as `<(pass show roster)` is. */
export async function secretInFile(path: string, host: Host): Promise<Result<string, CommandError>> {
  try {
    return success((await readFileOrPipe(resolve(host.cwd, path), limits)).toString("utf8"));
  } catch (error) {
    return problem(invalidSetting("unreadable-key-file", `The key file ${path} cannot be read: ${whyUnread(error)}.`));
  }
}

function bothSet(name: SecretVariable): CommandError {
  return invalidSetting("two-keys", `Both ${name} and ${name}_FILE are set.`, "Unset the one that is not meant.");
}
