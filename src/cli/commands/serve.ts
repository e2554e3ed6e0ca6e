import { once } from "node:events";
import { dirname, join, resolve } from "node:path";
import { localFiles, makeDirectory, systemErrorCode } from "../../files/file-system.ts";
import { invalidInput, invalidSetting, stopError } from "../../library/error.ts";
import { definedFields } from "../../model/collections.ts";
import { listKnobs, readKnobArguments } from "../../reference-server/knobs/read-knobs.ts";
import { UnusableData } from "../../reference-server/persistence.ts";
import { readSeed } from "../../reference-server/read-seed.ts";
import type { Seed } from "../../reference-server/seed.ts";
import { type ReferenceServer, startReferenceServer } from "../../reference-server/server.ts";
import { safe } from "../../report/safe.ts";
import { readInput } from "../files.ts";
import { printedForPeople, readCount } from "../flags.ts";
import type { Host } from "../host.ts";
import { packageDirectory } from "../installed-package.ts";
import { type FinishedCommand, runCommand } from "../run-command.ts";
import { refuseLedOut } from "../trust.ts";

export function serve(
  {
    port: written,
    seed,
    data: said,
    knob = [],
  }: { readonly [Flag in "port" | "seed" | "data"]?: string } & { readonly knob?: readonly string[] },
  host: Host,
): Promise<FinishedCommand> {
  const { signal } = host.interruption;
  // An interrupt ends the service as it should end.
  const calm = { ...host, interruption: { signal, by: () => undefined } };
  return runCommand("roster", printedForPeople, calm, async (command) => {
    if (knob.includes("list")) return command.tell({ ownWords: { text: listKnobs() } });
    command.tell({ ownWords: { text: "" } });
    const port = readCount("--port", written, { least: 0, most: 65_535 }) ?? 7070;
    // With port 0 each start is another service, so that it has nothing to keep.
    const named = said ?? (port === 0 ? "memory" : `.roster/serve/${port}.json`);
    const data = named === "memory" ? undefined : named;
    if (data !== undefined) await refuseLedOut([data], host);
    const { knobs, diagnostics } = readKnobArguments(knob);
    if (knobs === undefined) throw invalidInput(diagnostics);
    const options = { port, knobs, ...definedFields({ seed: await seedFrom(seed, host) }) };
    const server = await orStop(port, data, async () => {
      if (data === undefined) return startReferenceServer(options);
      const path = resolve(host.cwd, data);
      if (said === undefined) await makeDirectory(localFiles, dirname(path));
      return startReferenceServer({
        ...options,
        data: path,
        onDataWriting(event) {
          const words =
            event.is === "works"
              ? `The data file ${data} is written again. Nothing was lost.`
              : `error: The data file ${data} cannot be written: ${systemErrorCode(event.error)}. The service answers 503 until it can be written.`;
          host.stderr.write(`${safe(words)}\n`);
        },
      });
    });
    // The environment may hold this very key from an earlier start: it opens nothing but this service.
    host.secrets.show(server.key);
    host.stdout.write(greeting(server, data, host.env));
    if (seed !== undefined && server.startedWith === "data")
      host.stderr.write(`warning: --seed ${safe(seed)} was not used: ${safe(data ?? "")} has data already.\n`);
    if (!signal.aborted) await once(signal, "abort");
    await orStop(port, data, () => server.close());
    host.stderr.write(`Stopped. ${data === undefined ? "No data was saved." : `All data is in ${safe(data)}.`}\n`);
  });
}

export async function seedFrom(named: string | undefined, host: Host): Promise<Seed | undefined> {
  if (named === undefined) return undefined;
  const isBuiltIn = named === "acme" || named === "leavers";
  const file = isBuiltIn ? join(packageDirectory(), "examples", `${named}.seed.yaml`) : named;
  const { seed, diagnostics } = readSeed(file, await readInput(file, { what: "seed" }, host));
  if (seed === undefined) throw invalidInput(diagnostics);
  return seed;
}

async function orStop<T>(port: number, data: string | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    const instead = "another file as --data, or --data memory to keep no data.";
    if (error instanceof UnusableData) {
      const message = `The data file ${data} cannot be used: ${error.message}.`;
      throw invalidSetting("bad-flag-value", message, `Pass another --port, ${instead}`);
    }
    const code = systemErrorCode(error);
    if (error instanceof Error && "syscall" in error && error.syscall === "listen") {
      const message = `The built-in service cannot listen on port ${port}: ${code}.`;
      throw stopError("failed", "port-in-use", message, "Pass another --port, or --port 0 for a free one.");
    }
    const message = `The data file ${data} cannot be read or written: ${code}.`;
    throw stopError("failed", "unwritable", message, `Pass ${instead}`);
  }
}

function greeting({ endpoint, key }: ReferenceServer, data: string | undefined, env: Host["env"]): string {
  const [before, between, after] = assignmentFor(env);
  const kept =
    data === undefined
      ? "Data: in memory only. It is lost when the service stops."
      : safe(`Data: ${data}. To start empty, stop the service and remove this file.`);
  return `The built-in account service listens on ${endpoint} (this machine only; Ctrl-C stops it).
${kept}
Sent mails: ${endpoint}/reference/outbox. Request log: ${endpoint}/reference/requests.
Paste these lines into another terminal, and run roster there:

${before}ROSTER_ENDPOINT${between}${endpoint}${after}
${before}ROSTER_API_KEY${between}${key}${after}
`;
}

/** Of the shell that started this command, as far as variables tell. SHELL is that of the login, but on Windows that of Git Bash. */
function assignmentFor({ ComSpec, PROMPT, PSModulePath, SHELL = "", USERPROFILE = "-", _: started = "" }: Host["env"]) {
  // A POSIX shell names in `_` what it has started.
  if (ComSpec ? SHELL !== "" : /\b(?:roster|node|np[mx])$/u.test(started)) return ["export ", "=", ""];
  // PowerShell adds the modules of the user to those that Windows names to every program.
  if (ComSpec && PROMPT && PSModulePath?.includes(USERPROFILE) !== true) return ["set ", "=", ""];
  if (PSModulePath !== undefined) return ["$env:", ' = "', '"'];
  return [started, SHELL].some((shell) => /\bt?csh$/u.test(shell)) ? ["setenv ", " ", ""] : ["export ", "=", ""];
}
