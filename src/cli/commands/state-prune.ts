import { dirname, resolve } from "node:path";
import { localFiles, syncDirectory, systemErrorCode } from "../../files/file-system.ts";
import { durably } from "../../library/apply/lock.ts";
import { errorFromFailure, invalidSetting, type RosterError, stopError } from "../../library/error.ts";
import { cutAt, findCut, type PlannedCut } from "../../log/prune.ts";
import { type Failure, problem, type Result } from "../../model/result.ts";
import type { LogHead } from "../../model/state.ts";
import { isoTime } from "../../ports/clock.ts";
import type { Host } from "../host.ts";
import { type CommandResult, finish } from "../output/finish.ts";
import type { OutputFlags } from "../output/output-flags.ts";
import { type CommandCall, runCommand, type Session } from "../session.ts";
import { type Locked, type LockFlags, lockState, readLockOptions } from "../stores/lock.ts";
import { type StateFlags, stateResult } from "../stores/open-store.ts";
import { readTime } from "../time-limits.ts";
import { leadsOutOfCheckout } from "../trust/checkout.ts";

interface PruneFlags extends StateFlags, LockFlags, OutputFlags {
  readonly before: string;
  readonly export: string;
}

/** Moves old events of the log to a file, and puts what they add up to in their place. */
export async function statePrune(flags: PruneFlags, host: Host): Promise<number> {
  return finish(await runCommand((open) => pruneResult({ flags, host, open })), flags, host);
}

async function pruneResult({ flags, host, open }: CommandCall<PruneFlags>): Promise<CommandResult> {
  const wait = readLockOptions(flags);
  if (!wait.ok) return { ...stateResult, stop: wait.error };
  const time = readTime("--before", flags.before, host.clock.now());
  if (!time.ok) return { ...stateResult, stop: time.error };
  if (time.value > host.clock.now()) return { ...stateResult, stop: toCome(flags.before) };
  const session = await open({ command: "state", flags, host, needs: ["store"] });
  if (!session.ok) return { ...stateResult, ...session.error };
  const locked = await lockState(session.value, "state prune", wait.value);
  if (!locked.ok) return { ...stateResult, stop: locked.error };
  return prune(locked.value, new Date(time.value).toISOString(), flags.export);
}

async function prune({ store, lock, host }: Locked<Session<"store">>, before: string, file: string) {
  const head = await findCut(store, before);
  if (!head.ok) return { ...stateResult, stop: errorFromFailure(head.error) };
  if (head.value === undefined) return { ...stateResult, stop: nothingToPrune(store.address, before) };
  const path = resolve(host.cwd, file);
  const cut = await exportTo(path, { store, head: head.value, before, host });
  if (!cut.ok) return { ...stateResult, stop: cut.error };
  const { event, forgotten } = cut.value;
  const lost = await durably(lock.prune(cut.value), `the events are in ${file}, and may still be in the log`);
  if (lost !== undefined) return { ...stateResult, stop: lost };
  const range = { first: event.from, head: event.head, forgotten };
  return { ...stateResult, state: { did: "prune", address: store.address, before, export: path, ...range } } as const;
}

interface ExportOptions extends Pick<Session<"store">, "store" | "host"> {
  readonly head: LogHead;
  readonly before: string;
}

/** Writes the events to a new file, durably. What could not be written whole is taken away. */
async function exportTo(
  path: string,
  { store, head, before, host }: ExportOptions,
): Promise<Result<PlannedCut, RosterError>> {
  if (await leadsOutOfCheckout(path, host))
    return problem(unwritable(path, "a symbolic link leads out of the checkout"));
  let cut: Result<PlannedCut, Failure> | undefined;
  try {
    const file = await localFiles.open(path, "create");
    try {
      cut = await cutAt(store, head, { before, at: isoTime(host.clock), write: (text) => file.write(text) });
      await file.sync();
    } finally {
      await file.close();
      if (cut?.ok !== true) await localFiles.remove(path);
    }
    await syncDirectory(localFiles, dirname(path));
  } catch (error) {
    return problem(unwritable(path, systemErrorCode(error)));
  }
  return cut.ok ? cut : problem(errorFromFailure(cut.error));
}

function unwritable(path: string, why: string): RosterError {
  const hint = "nothing was pruned; name a file that does not exist yet with --export";
  return stopError("failed", "unwritable", `the export ${path} cannot be written: ${why}`, hint);
}

function toCome(before: string): RosterError {
  return invalidSetting("bad-flag-value", `--before ${before} is in the future.`, "Name a time that has passed.");
}

function nothingToPrune(address: string, before: string): RosterError {
  return invalidSetting(
    "nothing-to-change",
    `The log at ${address} has no command that ended before ${before} and can be pruned.`,
    "Name a later time with --before.",
  );
}
