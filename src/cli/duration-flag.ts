import { problem, type Result, success } from "../model/result.ts";
import { readDuration } from "./duration.ts";
import type { Host } from "./host.ts";
import { type Variable, variable } from "./settings/environment.ts";
import { type CommandError, invalidSetting } from "./stop.ts";

/** Milliseconds that a flag gives, or else its variable; undefined where neither does. */
export function durationOf(
  { flag, said, name }: { readonly flag: string; readonly said: string | undefined; readonly name?: Variable },
  host: Host,
): Result<number | undefined, CommandError> {
  const fromVariable = said === undefined && name !== undefined;
  const written = fromVariable ? variable(host, name) : said;
  if (written === undefined) return success(undefined);
  const read = readDuration(written);
  if (read.ok) return read;
  const where = fromVariable ? `${name}=${written}` : `${flag} ${written}`;
  return problem(invalidSetting("bad-duration", `${where} is not understood: ${read.error}.`));
}
