import { resolve } from "node:path";
import { hashKeyCheck, type KeyedHash } from "../../codec/pseudonymize.ts";
import { decodeSnapshot } from "../../codec/snapshot.ts";
import { readRegularFile, whyUnread } from "../../files/regular-file.ts";
import { problem, type Result, success } from "../../model/result.ts";
import type { SnapshotFile } from "../../model/saved-files.ts";
import { type CommandError, invalidSetting } from "../command-error.ts";
import { type Host, readStandardInput } from "../host.ts";
import { sha256 } from "../system.ts";
import { checkSnapshotTrust } from "../trust/file-trust.ts";
import { noSnapshotKey, snapshotHashKey } from "./snapshot-flags.ts";

/** A snapshot that may be planned with, and with what its addresses are hashed, if they are. */
export interface OpenedSnapshot {
  readonly file: SnapshotFile;
  readonly seal: KeyedHash | undefined;
}

/** No snapshot is larger, in bytes. */
const largest = 256 * 1024 * 1024;

const snapshotHint = "Make one with `roster observe --out FILE`, and carry it as it is.";

/** Reads a snapshot file, or says why it is none that may be planned with. Its age is not looked at. */
export async function readSnapshot(path: string, host: Host): Promise<Result<OpenedSnapshot, CommandError>> {
  const untrusted = await checkSnapshotTrust(path, host);
  if (untrusted !== undefined) return problem(untrusted);
  const read = await textOf(path, host);
  if (!read.ok) return read;
  const decoded = decodeSnapshot(read.value, sha256);
  if (!decoded.ok) return problem(badSnapshot(path, decoded.error));
  const seal = await hashKeyFor(decoded.value, path, host);
  return seal.ok ? success({ file: decoded.value, seal: seal.value }) : seal;
}

async function textOf(path: string, host: Host): Promise<Result<string, CommandError>> {
  try {
    const bytes =
      path === "-"
        ? await readStandardInput(host, () => largest)
        : await readRegularFile(resolve(host.cwd, path), largest);
    return bytes.length > largest
      ? problem(badSnapshot(path, "it is larger than 256 MiB"))
      : success(bytes.toString("utf8"));
  } catch (error) {
    const why = whyUnread(error);
    const message = why === "ENOENT" ? `There is no file ${path}.` : `The snapshot ${path} cannot be read: ${why}.`;
    return problem(invalidSetting("unreadable-snapshot", message, snapshotHint));
  }
}

/** A key is needed where addresses are hashed, and only there. */
async function hashKeyFor(
  { addresses }: SnapshotFile,
  path: string,
  host: Host,
): Promise<Result<KeyedHash | undefined, CommandError>> {
  if (addresses.are === "plain") return success(undefined);
  const seal = await snapshotHashKey(host);
  if (!seal.ok) return seal;
  if (seal.value === undefined) return problem(keyNeeded(path));
  return hashKeyCheck(seal.value) === addresses.check ? seal : problem(wrongKey(path));
}

function badSnapshot(path: string, why: string): CommandError {
  return invalidSetting("bad-snapshot", `${path} is not a snapshot that can be used: ${why}.`, snapshotHint);
}

function keyNeeded(path: string): CommandError {
  const message = `The addresses in the snapshot ${path} are hashed, and the key is not there.`;
  return invalidSetting("no-snapshot-key", message, noSnapshotKey);
}

function wrongKey(path: string): CommandError {
  return invalidSetting(
    "wrong-snapshot-key",
    `The addresses in the snapshot ${path} are hashed with another key than the one that is given.`,
    "Give both jobs the same ROSTER_SNAPSHOT_KEY.",
  );
}
