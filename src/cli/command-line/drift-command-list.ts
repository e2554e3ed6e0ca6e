import type { Command } from "commander";
import type { Host } from "../host.ts";
import { collect, withLock, withRunOptions, withService, withState } from "./shared-options.ts";

type End = (code: number) => void;

/** `roster drift` and its subcommand. Each is loaded only when it is the one to run. */
export function addDriftCommands(drift: Command, host: Host, end: End): void {
  withLock(withRunOptions(withService(drift, "drift")))
    .description("read everyone and say in what the service and the roster differ, why and since when")
    .enablePositionalOptions()
    .option("--only-new", "tell and count only what no recorded drift or apply has seen before")
    .option("--heal <class>", "apply only what is of this class, tampered or to-apply; may be repeated", collect)
    .option("--auto-approve", "with --heal: do not ask; needed where there is no terminal")
    .option("--no-record", "write nothing at all: do not remember in the state what was seen")
    .option("--acknowledgements <file>", acknowledgements)
    .option("--webhook <url>", "tell this address (POST) where it does not end with 0; ROSTER_WEBHOOK_SECRET signs it")
    .action(async (paths, flags) => end(await (await import("../commands/drift.ts")).drift(paths, flags, host)));

  withState(drift.command("ack"))
    .description("say, in a file that is reviewed, that something differs and may do so until a day")
    .argument("<fingerprint>", "of what differs, as `roster drift` shows it")
    .requiredOption("--until <date>", "the last day on which it counts, such as 2026-12-31 (UTC)")
    .requiredOption("--reason <text>", "why that is all right")
    .option("--by <name>", "who says so (default: EMAIL, GIT_AUTHOR_EMAIL or the user name)")
    .option("--file <file>", acknowledgements)
    .action(async (fingerprint, flags) =>
      end(await (await import("../commands/drift-ack.ts")).driftAck(fingerprint, flags, host)),
    );
}

const acknowledgements = "where it is written that something may differ (default: roster.acknowledgements.yaml)";
