import { once } from "node:events";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { problem, type Result, success } from "../../model/result.ts";
import type { Knobs } from "../../reference-server/knobs.ts";
import { readSeed, type Seed } from "../../reference-server/seed.ts";
import { type ReferenceServer, startReferenceServer } from "../../reference-server/start.ts";
import { conclude } from "../conclude.ts";
import type { Host } from "../host.ts";
import { invalid, invalidSetting, type Stop } from "../stop.ts";

export interface ServeFlags {
  readonly port: string;
  readonly seed?: string;
  readonly pageBase: Knobs["pageBase"];
}

/** Runs the reference account service until it is interrupted. */
export async function serve(flags: ServeFlags, host: Host): Promise<number> {
  const started = await start(flags, host);
  if (!started.ok) {
    return conclude({ command: "validate", tells: "success-only", diagnostics: [], stop: started.error }, "text", host);
  }
  const server = started.value;
  host.stdout.write(greeting(server));
  if (!host.interruption.signal.aborted) await once(host.interruption.signal, "abort");
  await server.close();
  host.stderr.write("Stopped. Nothing of it is kept.\n");
  return 0;
}

async function start(flags: ServeFlags, host: Host): Promise<Result<ReferenceServer, Stop>> {
  const port = Number(flags.port);
  if (!/^\d{1,5}$/u.test(flags.port) || port > 65_535) {
    return problem(
      invalidSetting("bad-flag-value", `--port ${flags.port} is not a port.`, "Write a number from 0 to 65535."),
    );
  }
  const seed = await seedFrom(flags.seed, host);
  if (!seed.ok) return seed;
  try {
    const seeded = seed.value === undefined ? {} : { seed: seed.value };
    return success(await startReferenceServer({ port, knobs: { pageBase: flags.pageBase }, ...seeded }));
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    const message = `The reference service cannot listen on port ${flags.port}: ${String(error.code)}.`;
    const hint = "Pass another --port, or --port 0 for a free one.";
    return problem({ reason: "failed", problem: { code: "port-not-free", message, hint } });
  }
}

/** The seed in a file, or none. Shared with the demo. */
export async function seedFrom(file: string | undefined, host: Host): Promise<Result<Seed | undefined, Stop>> {
  if (file === undefined) return success(undefined);
  try {
    const read = readSeed(file, await readFile(resolve(host.cwd, file)));
    return read.seed === undefined ? problem(invalid(read.diagnostics)) : success(read.seed);
  } catch (error) {
    if (!(error instanceof Error && "code" in error)) throw error;
    return problem(invalidSetting("unreadable-seed", `The seed ${file} cannot be read: ${String(error.code)}.`));
  }
}

function greeting({ endpoint, key }: ReferenceServer): string {
  return `The reference account service listens on ${endpoint} (this machine alone; Ctrl-C stops it).
Its outbox is at ${endpoint}/reference/outbox, its request log at ${endpoint}/reference/requests.
Paste this where you run roster:

export ROSTER_ENDPOINT=${endpoint}
export ROSTER_API_KEY=${key}
`;
}
