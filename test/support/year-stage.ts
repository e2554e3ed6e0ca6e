import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import type { Knobs } from "../../src/reference-server/knobs/registry.ts";
import type { Seed } from "../../src/reference-server/seed.ts";
import { type ReferenceServer, startReferenceServer } from "../../src/reference-server/server.ts";
import { type Keeping, keepingFor } from "./chaos-keeping.ts";
import type { CommandResult } from "./command.ts";
import type { Fault } from "./fault.ts";
import { type FaultProxy, faultProxy, type PassedRequest } from "./fault-proxy.ts";
import { countingRandomness } from "./fixed-ports.ts";
import { inside } from "./inside.ts";
import { memoryPlace } from "./memory-place.ts";
import { type VirtualTime, virtualTime } from "./virtual-time.ts";

export type Ran = Omit<CommandResult, "signal">;

/** A service, a proxy before it, a directory with rosters, and a time of their own. */
export interface YearStage {
  readonly server: ReferenceServer;
  readonly time: VirtualTime;
  readonly keeping: Keeping;
  /** The directory in which commands run. */
  readonly directory: string;
  /** Writes the files of a roster into a directory of that name, in place of what was there. */
  putRoster(name: string, files: ReadonlyMap<string, string>): void;
  /** Runs commands side by side. A kill ends all of them; what they had saved by then is what remains. */
  run(commands: readonly (readonly string[])[], hazard?: Hazard): Promise<readonly Ran[] | "killed">;
  close(): Promise<void>;
}

/** What befalls the requests of some commands. */
export interface Hazard {
  readonly fault?: (request: PassedRequest) => Fault | undefined;
  /** How many milliseconds reads know nothing of what was just done. */
  readonly lag?: number;
}

/** How long a command waits for an answer. */
const patience = 30_000;

export async function setYearStage(
  { seed, settings, knobs }: { readonly seed: Seed; readonly settings: string; readonly knobs: Partial<Knobs> },
  onPass: (request: PassedRequest) => void,
): Promise<YearStage> {
  const directory = mkdtempSync(join(memoryPlace, "roster-year-"));
  writeFileSync(join(directory, "roster.config.yaml"), settings);
  const undo: (() => void | Promise<void>)[] = [() => rmSync(directory, { recursive: true, force: true })];
  const atEnd = (step: () => void | Promise<void>) => undo.unshift(step);
  const holder: { proxy?: FaultProxy } = {};
  const begin = Date.parse("2026-11-20T12:00:00Z");
  const time = virtualTime(
    () => begin,
    () => (holder.proxy?.underWay ?? 0) > 0,
  );
  const server = await startReferenceServer({ port: 0, seed, knobs, now: time.now });
  atEnd(() => server.close());
  const proxy = await faultProxy(server.endpoint, {}, atEnd);
  holder.proxy = proxy;
  const keeping = await keepingFor({ state: "file" }, directory, time.clock().clock, atEnd);
  return {
    server,
    time,
    keeping,
    directory,
    putRoster(name, files) {
      const root = join(directory, name);
      rmSync(root, { recursive: true, force: true });
      for (const [file, text] of files) {
        mkdirSync(dirname(join(root, file)), { recursive: true });
        writeFileSync(join(root, file), text);
      }
    },
    run: runner({ directory, server, proxy, keeping, time, onPass }),
    async close() {
      for (const step of undo) await step();
    },
  };
}

interface Scene extends Pick<YearStage, "directory" | "server" | "keeping" | "time"> {
  readonly proxy: FaultProxy;
  readonly onPass: (request: PassedRequest) => void;
}

function runner({ directory, server, proxy, keeping, time, onPass }: Scene): YearStage["run"] {
  const randomness = countingRandomness();
  const env = { ROSTER_ENDPOINT: proxy.endpoint, ROSTER_API_KEY: server.key, ...keeping.env };
  return async (commands, { fault = () => undefined, lag = 0 } = {}) => {
    keeping.begin(undefined);
    server.setKnobs({ searchLagMs: lag, listLagMs: lag, detailLagMs: lag });
    const life = time.clock();
    let isKilled = false;
    proxy.revive({
      onPass,
      now: time.now,
      patience: () => time.pass(patience),
      pass: time.pass,
      fault,
      kill() {
        isKilled = true;
        keeping.remember();
        life.end();
      },
    });
    const host = { cwd: directory, env, clock: life.clock, randomness };
    const ran = await Promise.all(commands.map((args) => inside(args, host)));
    while (proxy.underWay > 0) await turn();
    if (!isKilled) return ran;
    await keeping.restore();
    return "killed";
  };
}
