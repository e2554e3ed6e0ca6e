import { snapshotFileHeader } from "../../codec/document.ts";
import { RosterError } from "../../library/error.ts";
import { takeSnapshot } from "../../library/snapshot.ts";
import { renderSnapshotSummary } from "../../report/text/snapshot.ts";
import { emptyRoster } from "../../roster/build.ts";
import { type OutKind, refuseOccupied, writeOut } from "../files.ts";
import { type Flags, printedForPeople } from "../flags.ts";
import { openLog, reportActiveRun } from "../log.ts";
import { connectService, loadRoster, openReading } from "../open.ts";
import type { Command } from "../run-command.ts";
import { accountIdentifiers } from "../settings/settings.ts";

const snapshotKind: OutKind = { name: "snapshot", mark: snapshotFileHeader };

/** Reads everything that a plan could need, and keeps it in a file. Takes no lock and changes nothing else. */
export async function snapshot(
  command: Command,
  paths: readonly string[],
  flags: Omit<Flags, "format"> & { readonly out: string },
): Promise<void> {
  const { host } = command;
  const { out } = flags;
  if (out !== "-") await refuseOccupied(out, host, snapshotKind);
  const { settings, observer } = await openReading(command, { ...flags, ...printedForPeople });
  const log = command.closing(await openLog(settings, host));
  const service = command.closing(await connectService(settings, host, flags));
  const isNamed = paths.length > 0 || settings.file?.roster !== undefined;
  const { roster } = await loadRoster(paths, settings, host).catch((error: unknown) => {
    // A roster that nobody names need not be there.
    if (!isNamed && error instanceof RosterError && unneeded.has(error.code)) return { roster: emptyRoster };
    throw error;
  });
  await reportActiveRun(log, host);
  const { signal } = command.cancellation;
  const accounts = accountIdentifiers(settings);
  const taken = await takeSnapshot({ roster, service, log, accounts, signal, progress: observer.read });
  const summary = renderSnapshotSummary(taken, out);
  if (out === "-") host.stderr.write(summary);
  else await writeOut(out, taken.text, host, snapshotKind);
  command.tell({ ownWords: { text: out === "-" ? taken.text : summary } });
}

const unneeded: ReadonlySet<string> = new Set(["no-roster-files", "usage"]);
