import { createHmac } from "node:crypto";
import type { KeyedHash } from "../../codec/pseudonymize.ts";
import { problem, type Result, success } from "../../model/result.ts";
import type { Host } from "../host.ts";
import { secretText } from "../settings/secret-text.ts";
import { type CommandError, invalidSetting } from "../stop.ts";

/** Bytes: a key that can be guessed hides nobody. */
const minKeyLength = 16;

/** With what addresses are hashed; undefined where no key is given. */
export async function snapshotHashKey(host: Host): Promise<Result<KeyedHash | undefined, CommandError>> {
  const given = await secretText("ROSTER_SNAPSHOT_KEY", host);
  if (!given.ok) return given;
  const { value: key } = given;
  if (key === undefined) return success(undefined);
  if (Buffer.byteLength(key) < minKeyLength) return problem(tooShort);
  return success((of, message) =>
    createHmac("sha256", key).update(`roster snapshot 1, ${of}: ${message}`).digest("hex"),
  );
}

const tooShort = invalidSetting(
  "short-snapshot-key",
  `The key of the snapshot has fewer than ${minKeyLength} bytes, so that it could be guessed.`,
  "Make one of 32 random bytes, such as with `openssl rand -hex 32`, and give it to both jobs.",
);

export const noSnapshotKey = "Set ROSTER_SNAPSHOT_KEY or ROSTER_SNAPSHOT_KEY_FILE. No flag takes a key.";
