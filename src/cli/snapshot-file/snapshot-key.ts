import { createHmac } from "node:crypto";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { Seal } from "../../codec/rewriting.ts";
import { problem, type Result, success } from "../../model/result.ts";
import type { Host } from "../host.ts";
import { variable } from "../settings/environment.ts";
import { invalidSetting, type Stop } from "../stop.ts";

/** Bytes: a key that can be guessed hides nobody. */
const shortest = 16;

/** With what addresses are hashed; undefined where no key is given. */
export async function snapshotSeal(host: Host): Promise<Result<Seal | undefined, Stop>> {
  const text = await keyText(host);
  if (!text.ok) return text;
  const key = text.value?.trim();
  if (key === undefined) return success(undefined);
  host.secrets.keep(key);
  if (Buffer.byteLength(key) < shortest) return problem(tooShort);
  return success((of, message) =>
    createHmac("sha256", key).update(`roster snapshot 1, ${of}: ${message}`).digest("hex"),
  );
}

async function keyText(host: Host): Promise<Result<string | undefined, Stop>> {
  const key = variable(host, "ROSTER_SNAPSHOT_KEY");
  const file = variable(host, "ROSTER_SNAPSHOT_KEY_FILE");
  if (key !== undefined && file !== undefined) return problem(twoKeys);
  if (file === undefined) return success(key);
  try {
    return success(await readFile(resolve(host.cwd, file), "utf8"));
  } catch (error) {
    const why = error instanceof Error && "code" in error ? String(error.code) : "unreadable";
    return problem(invalidSetting("unreadable-key-file", `The key file ${file} cannot be read: ${why}.`));
  }
}

const tooShort = invalidSetting(
  "short-snapshot-key",
  `The key of the snapshot has fewer than ${shortest} bytes, so that it could be guessed.`,
  "Make one of 32 random bytes, such as with `openssl rand -hex 32`, and give it to both jobs.",
);

const twoKeys = invalidSetting(
  "two-keys",
  "Both ROSTER_SNAPSHOT_KEY and ROSTER_SNAPSHOT_KEY_FILE are set.",
  "Unset the one that is not meant.",
);

export const noSnapshotKey = "Set ROSTER_SNAPSHOT_KEY or ROSTER_SNAPSHOT_KEY_FILE. No flag takes a key.";
