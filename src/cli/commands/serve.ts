import { once } from "node:events";
import { dirname, join, resolve } from "node:path";
import { localFiles, makeDirectory, systemErrorCode } from "../../files/file-system.ts";
import { invalidInput, invalidSetting, stopError } from "../../library/error.ts";
import { definedFields } from "../../model/collections.ts";
import { listKnobs, readKnobArguments } from "../../reference-server/knobs/read-knobs.ts";
import { UnusableData } from "../../reference-server/persistence.ts";
import { readSeed } from "../../reference-server/read-seed.ts";
import type { Seed } from "../../reference-server/seed.ts";
import {
  type ReferenceServer,
  type ReferenceServerOptions,
  startReferenceServer,
} from "../../reference-server/server.ts";
import { safe } from "../../report/safe.ts";
import { readInput } from "../files/read-input.ts";
import type { Host } from "../host.ts";
import { installedPackage } from "../installed-package.ts";
import { printedForPeople } from "../output/output-flags.ts";
import { type FinishedCommand, runCommand } from "../run-command.ts";
import { refuseLedOut } from "../trust/checkout.ts";

export interface ServeFlags {
  readonly port?: string | undefined;
  readonly seed?: string;
  readonly data?: string;
  readonly knob?: readonly string[];
}

export function serve(flags: ServeFlags, host: Host): Promise<FinishedCommand> {
  const { port = "7070", seed, knob = [] } = flags;
  // With port 0 each start is another service, so that it has nothing to keep.
  const { data: named = Number(port) === 0 ? "memory" : `.roster/serve/${port}.json` } = flags;
  const data = named === "memory" ? undefined : named;
  // An interrupt ends the service as it should end.
  const calm = { ...host, interruption: { ...host.interruption, by: () => undefined } };
  return runCommand("roster", printedForPeople, calm, async (command) => {
    if (knob.includes("list")) return command.tell({ ownWords: { text: listKnobs() } });
    command.tell({ ownWords: { text: "" } });
    if (data !== undefined) await refuseLedOut([data], host);
    const options = await readOptions(port, knob, seed, host);
    const server = await orStop(port, data, async () => {
      if (data !== undefined && flags.data === undefined)
        await makeDirectory(localFiles, dirname(resolve(host.cwd, data)));
      return startReferenceServer({ ...options, ...(data === undefined ? {} : dataIn(data, host)) });
    });
    // The environment may hold this very key from an earlier start: it opens nothing but this service.
    host.secrets.show(server.key);
    host.stdout.write(greeting(server, data, host.env));
    if (seed !== undefined && server.startedWith === "data") {
      host.stderr.write(`warning: --seed ${safe(seed)} was not used: ${safe(data ?? "")} has data already.\n`);
    }
    if (!host.interruption.signal.aborted) await once(host.interruption.signal, "abort");
    await orStop(port, data, () => server.close());
    const kept = data === undefined ? "No data was saved." : `All data is in ${safe(data)}.`;
    host.stderr.write(`Stopped. ${kept}\n`);
  });
}

async function readOptions(
  written: string,
  knob: readonly string[],
  named: string | undefined,
  host: Host,
): Promise<ReferenceServerOptions> {
  const port = Number(written);
  if (!/^\d{1,5}$/u.test(written) || port > 65_535)
    throw invalidSetting("bad-flag-value", `--port ${written} is not a port.`, "Write a number from 0 to 65535.");
  const { knobs, diagnostics } = readKnobArguments(knob);
  if (knobs === undefined) throw invalidInput(diagnostics);
  return { port, knobs, ...definedFields({ seed: await seedFrom(named, host) }) };
}

function dataIn(file: string, host: Host): Pick<ReferenceServerOptions, "data" | "onDataWriting"> {
  return {
    data: resolve(host.cwd, file),
    onDataWriting(event) {
      const words =
        event.is === "works"
          ? `The data file ${file} is written again. Nothing was lost.`
          : `error: The data file ${file} cannot be written: ${systemErrorCode(event.error)}. The service answers 503 until it can be written.`;
      host.stderr.write(`${safe(words)}\n`);
    },
  };
}

const builtInSeeds: readonly string[] = ["acme", "leavers"];

export async function seedFrom(named: string | undefined, host: Host): Promise<Seed | undefined> {
  if (named === undefined) return undefined;
  const isBuiltIn = builtInSeeds.includes(named);
  const file = isBuiltIn ? join(installedPackage().directory, "examples", `${named}.seed.yaml`) : named;
  const bytes = await readInput(file, { what: "seed" }, host);
  const { seed, diagnostics } = readSeed(file, bytes);
  if (seed === undefined) throw invalidInput(diagnostics);
  return seed;
}

async function orStop<T>(port: string, data: string | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const instead = "another file as --data, or --data memory to keep no data.";
    if (error instanceof UnusableData) {
      const message = `The data file ${data} cannot be used: ${error.message}.`;
      throw invalidSetting("bad-flag-value", message, `Pass another --port, ${instead}`);
    }
    const code = systemErrorCode(error);
    if (isAboutPort(error)) {
      const message = `The built-in service cannot listen on port ${port}: ${code}.`;
      throw stopError("failed", "port-in-use", message, "Pass another --port, or --port 0 for a free one.");
    }
    const message = `The data file ${data} cannot be read or written: ${code}.`;
    throw stopError("failed", "unwritable", message, `Pass ${instead}`);
  }
}

function isAboutPort(error: unknown): boolean {
  return error instanceof Error && "syscall" in error && error.syscall === "listen";
}

function greeting({ endpoint, key }: ReferenceServer, data: string | undefined, env: Host["env"]): string {
  const settings = [
    ["ROSTER_ENDPOINT", endpoint],
    ["ROSTER_API_KEY", key],
  ] as const;
  const kept =
    data === undefined
      ? "Data: in memory only. It is lost when the service stops."
      : safe(`Data: ${data}. To start empty, stop the service and remove this file.`);
  return `The built-in account service listens on ${endpoint} (this machine only; Ctrl-C stops it).
${kept}
Sent mails: ${endpoint}/reference/outbox. Request log: ${endpoint}/reference/requests.
Paste these lines into another terminal, and run roster there:

${settings.map(([name, value]) => inShell(env, name, value)).join("\n")}
`;
}

/** How the shell that this command was started from sets a variable. PowerShell tells where its modules are, and sets no SHELL. */
function inShell(env: Host["env"], name: string, value: string): string {
  const isPowerShell = env["SHELL"] === undefined && env["PSModulePath"] !== undefined;
  return isPowerShell ? `$env:${name} = "${value}"` : `export ${name}=${value}`;
}
