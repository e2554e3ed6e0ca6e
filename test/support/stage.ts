import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import type { Knobs } from "../../src/reference-server/knobs/registry.ts";
import type { Seed } from "../../src/reference-server/seed.ts";
import { type ReferenceServer, startReferenceServer } from "../../src/reference-server/server.ts";
import type { CommandResult } from "./command.ts";
import type { Fault } from "./fault.ts";
import { type FaultProxy, faultProxy, type PassedRequest } from "./fault-proxy.ts";
import { countingRandomness } from "./fixed-ports.ts";
import { inside } from "./inside.ts";
import { type Keeping, keepingFor, type StateFault } from "./keeping.ts";
import { memoryPlace } from "./memory-place.ts";
import { type VirtualTime, virtualTime, type WallDraw } from "./virtual-time.ts";

export type Ran = Omit<CommandResult, "signal">;

/** A service, a proxy before it, a directory with rosters, and a time of their own. */
export interface Stage {
  readonly server: ReferenceServer;
  readonly time: VirtualTime;
  readonly keeping: Keeping;
  /** Is told each request right before the service is. */
  onPass: (request: PassedRequest) => void;
  /** Writes the files of a roster into a directory of that name, in place of what was there. */
  putRoster(name: string, files: ReadonlyMap<string, string>): void;
  /** Runs commands side by side. A kill ends all of them; what they had saved by then is what remains. */
  run(commands: readonly (readonly string[])[], hazard?: Hazard): Promise<readonly Ran[] | "killed">;
  close(): Promise<void>;
}

/** What befalls some commands. */
export interface Hazard {
  readonly fault?: (request: PassedRequest) => Fault | undefined;
  /** How many milliseconds reads know nothing of what was just done. */
  readonly lag?: number;
  readonly stateFault?: StateFault | undefined;
  /** How the clock of the machine goes; right where it is absent. */
  readonly wall?: WallDraw | undefined;
}

export interface Setting {
  readonly seed: Seed;
  readonly settings: string;
  readonly knobs: Partial<Knobs>;
  /** Where the state is kept: what can be appended to, or what is written whole each time. */
  readonly state: "file" | "bucket";
}

/** How many milliseconds a command waits for an answer. */
const patience = 30_000;

export async function setStage({ seed, settings, knobs, state }: Setting): Promise<Stage> {
  const directory = mkdtempSync(join(memoryPlace, "roster-stage-"));
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
  const keeping = await keepingFor(state, directory, time.clock().clock, atEnd);
  const randomness = countingRandomness();
  const env = { ROSTER_ENDPOINT: proxy.endpoint, ROSTER_API_KEY: server.key, ...keeping.env };
  const stage: Stage = {
    server,
    time,
    keeping,
    onPass: () => undefined,
    putRoster(name, files) {
      const root = join(directory, name);
      rmSync(root, { recursive: true, force: true });
      for (const [file, text] of files) {
        mkdirSync(dirname(join(root, file)), { recursive: true });
        writeFileSync(join(root, file), text);
      }
    },
    async run(commands, { fault = () => undefined, lag = 0, stateFault, wall } = {}) {
      keeping.begin(stateFault);
      server.setKnobs({ searchLagMs: lag, listLagMs: lag, detailLagMs: lag });
      const life = time.clock(wall);
      let isKilled = false;
      proxy.revive({
        onPass: (request) => stage.onPass(request),
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
    },
    async close() {
      for (const step of undo) await step();
    },
  };
  return stage;
}
