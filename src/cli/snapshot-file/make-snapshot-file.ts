import { hashKeyCheck, type KeyedHash, pseudonymize } from "../../codec/pseudonymize.ts";
import { rewriteSnapshot, rewriteState } from "../../codec/rewrite-addresses.ts";
import { stateForPlanning } from "../../codec/snapshot.ts";
import type { SnapshotFile } from "../../model/saved-files.ts";
import type { Snapshot } from "../../model/snapshot.ts";
import type { State } from "../../model/state.ts";
import { isoTime } from "../../ports/clock.ts";
import type { Host } from "../host.ts";
import { installedPackage } from "../package-directory.ts";
import type { EverythingReading } from "./read-whole.ts";

/** What was read, as it is kept. `seal`: with which addresses are hashed, where they are to be. */
export function makeSnapshotFile(
  { snapshot, accounts }: EverythingReading,
  {
    state,
    keyPrefix,
    seal,
  }: { readonly state: State; readonly keyPrefix: string | undefined; readonly seal: KeyedHash | undefined },
  host: Host,
): SnapshotFile {
  const keyInUse = shownPrefix(keyPrefix, snapshot);
  const known = stateForPlanning(state);
  const about = {
    madeAt: isoTime(host.clock),
    madeBy: installedPackage().version,
    accounts,
    ...(keyInUse === undefined ? {} : { keyInUse }),
  };
  if (seal === undefined) return { ...about, addresses: { are: "plain" }, snapshot, state: known };
  const people = [...snapshot.users, ...known.users.values()];
  const anew = pseudonymize(
    seal,
    people.flatMap(({ email, address }) => [email, address]),
  );
  return {
    ...about,
    addresses: { are: "hashed", check: hashKeyCheck(seal) },
    snapshot: rewriteSnapshot(snapshot, anew),
    state: rewriteState(known, anew),
  };
}

/** Of the key in use nothing is kept that the service does not show everybody who may read its users. */
function shownPrefix(prefix: string | undefined, { users }: Snapshot): string | undefined {
  return users.some(({ keys = [] }) => keys.some((key) => key.prefix === prefix)) ? prefix : undefined;
}
