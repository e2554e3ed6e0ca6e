import { rosterVersion } from "../codec/version.ts";
import type { Policy } from "../model/policy.ts";
import type { Roster } from "../model/roster.ts";
import type { Snapshot } from "../model/snapshot.ts";
import { withListedAbsences } from "../observe/observe.ts";
import { decodeSnapshot, encodeSnapshot, type SnapshotFile, stateForPlanning } from "../observe/snapshot-file.ts";
import { isoTime } from "../ports/clock.ts";
import { emptyRoster } from "../roster/build.ts";
import { showDuration } from "../yaml/duration.ts";
import { invalidInput, invalidSetting, orThrow, stopError } from "./error.ts";
import { checkService, type Planned, type PlanOptions, planFromReading, portsFor, resolveBySnapshot } from "./plan.ts";
import { readEverything } from "./read-everything.ts";
import type { SavedText } from "./saved-plan.ts";

/**
 * Reads everything that a plan could need. Takes no lock and writes nothing. `accounts`: identifiers that are read even where the
 * key may not list them. The result's `open`: how many calls of earlier runs have an unknown outcome, also after this reading.
 * Throws where the text to keep would hold a secret.
 */
export async function takeSnapshot({
  roster,
  service,
  log,
  accounts,
  ...options
}: Pick<PlanOptions, "service" | "log" | "signal" | "progress"> & {
  readonly roster: Roster;
  readonly accounts: readonly string[];
}): Promise<{ readonly snapshot: Snapshot; readonly text: string; readonly open: number }> {
  const state = orThrow(await log.store.read());
  checkService(state, service, log);
  const ports = portsFor(service, log.clock, options);
  const read = await readEverything({ roster, state, accounts }, ports);
  // Of the key in use nothing is kept that the service does not show everybody who may read its users.
  const { keyPrefix, secrets } = service;
  const isShown = read.snapshot.users.some(({ keys = [] }) => keys.some(({ prefix }) => prefix === keyPrefix));
  const text = encodeSnapshot({
    madeAt: isoTime(log.clock),
    madeBy: rosterVersion,
    accountsAre: read.accounts,
    keyInUse: isShown ? keyPrefix : undefined,
    snapshot: read.snapshot,
    state: stateForPlanning(state),
  });
  // What could not be read again is not kept, and nothing that is to be kept secret.
  const { validSnapshot } = await import("../codec/generated/snapshot.js");
  const again = decodeSnapshot(text, validSnapshot);
  if (!again.ok || secrets.redactAll(text) !== text) {
    const why = again.ok
      ? "the service shows the key in use, or another secret"
      : `it could not be read again: ${again.error}`;
    const hint = "Nothing was written. Run `roster doctor` to see what the service answers.";
    throw stopError("failed", "incomplete-read", `the snapshot cannot be saved: ${why}`, hint);
  }
  const { snapshot, state: kept } = again.value;
  const times = { at: snapshot.readAt, consistency: undefined };
  const { open } = resolveBySnapshot(snapshot, { roster: emptyRoster, state: kept, ...times }).state;
  return { snapshot, text, open: open.length };
}

const maxAge = 86_400_000;

/** Milliseconds by which the clock of the machine that made a snapshot may be ahead. */
const clocksApart = 5 * 60_000;

/** Reads a snapshot back. `-` is standard input. `ago`: when it was read, by the time that is now. Throws where it is too old, or too new, to plan with. */
export async function readSnapshot(
  { file, text }: SavedText,
  now: number,
): Promise<{ readonly kept: SnapshotFile; readonly ago: string }> {
  const { validSnapshot } = await import("../codec/generated/snapshot.js");
  const decoded = decodeSnapshot(text, validSnapshot);
  const name = file === "-" ? "The standard input" : file;
  if (!decoded.ok)
    throw invalidSetting("bad-file", `${name} cannot be used as a snapshot: ${decoded.error}.`, howToSnapshot);
  const { readAt } = decoded.value.snapshot;
  const age = now - Date.parse(readAt);
  const ago = age < 1000 ? "just now" : `${showDuration(age)} ago`;
  if (age >= -clocksApart && age <= maxAge) return { kept: decoded.value, ago };
  const why =
    age < 0
      ? `says that it was read at ${readAt}, which is in the future`
      : `is too old: it was read ${ago}, at ${readAt}, and may be at most ${showDuration(maxAge)} old`;
  const again = "make a new one with `roster snapshot --out FILE`, or check the job that makes it";
  throw stopError("stale", "stale", `the snapshot ${file} ${why}`, again);
}

export const howToSnapshot = "Make one with `roster snapshot --out FILE`, and do not edit it.";

/** Plans as of the time of a snapshot: the same snapshot and roster are the same plan. Asks no service. */
export function planFromSnapshot(
  { snapshot: kept, accountsAre, madeAt, keyInUse, state }: SnapshotFile,
  { roster, policy }: { readonly roster: Roster; readonly policy: Policy },
): Planned {
  const unread = roster.accounts.find(({ value }) => !kept.accounts.has(value));
  // A key that may not list accounts cannot tell that there is no such account.
  if (unread !== undefined && accountsAre === "named") {
    const message = `The snapshot does not have the account ${unread.value}. Its key could not list accounts, and this one was not named.`;
    const hint = "Name the account in the settings of the job that runs `roster snapshot`, or there with --account.";
    throw invalidInput([{ code: "account-unavailable", severity: "error", message, hint, place: unread.place }]);
  }
  // The complete list decides about users who were not searched for.
  const { snapshot, unsearched } = withListedAbsences(kept, roster, state);
  const read = resolveBySnapshot(snapshot, { roster, state, at: kept.readAt, consistency: policy.consistency });
  const reading = { ...read.reading, kept: { madeAt } };
  return planFromReading({ ...read, reading }, { roster, policy, unsearched, keyInUse });
}
