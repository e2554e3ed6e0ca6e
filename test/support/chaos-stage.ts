import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { type ReferenceServer, startReferenceServer } from "../../src/reference-server/server.ts";
import { rosterText, seedOf, wantedOf } from "./chaos-company.ts";
import type { ChaosDraw, StateFaultDraw } from "./chaos-draw.ts";
import { type Keeping, keepingFor } from "./chaos-keeping.ts";
import type { CommandResult } from "./command.ts";
import { printedWords } from "./drawn/printed-words.ts";
import type { Fault } from "./fault.ts";
import { type FaultProxy, faultProxy, type PassedRequest } from "./fault-proxy.ts";
import { countingRandomness } from "./fixed-ports.ts";
import { inside } from "./inside.ts";
import { memoryPlace } from "./memory-place.ts";
import { type VirtualTime, virtualTime, type WallDraw } from "./virtual-time.ts";
import { type Witness, witnessOf } from "./witness.ts";

/** A service, a proxy before it, a directory, and a time of their own. */
export interface Stage {
  readonly draw: ChaosDraw;
  readonly server: ReferenceServer;
  readonly witness: Witness;
  /** Addresses of the people whom somebody else removed. */
  readonly removed: Set<string>;
  readonly time: VirtualTime;
  /** What should not have been, in one sentence each. */
  readonly troubles: string[];
  /** Hears what happens, for whoever looks into a draw. */
  readonly tell: (line: string) => void;
  putRoster(edition: number): Promise<void>;
  readonly keeping: Keeping;
  run(args: readonly string[], wish: RunWish): Promise<Omit<CommandResult, "signal"> | "killed">;
  close(): Promise<void>;
}

export interface RunWish {
  readonly parallelism: number;
  readonly fault?: (request: PassedRequest) => Fault | undefined;
  readonly stateFault?: StateFaultDraw | undefined;
  readonly wall?: WallDraw | undefined;
}

/** How long a command waits for an answer. */
const patience = 30_000;

export async function setStage(draw: ChaosDraw, tell: Stage["tell"]): Promise<Stage> {
  const directory = mkdtempSync(join(memoryPlace, "roster-chaos-"));
  mkdirSync(join(directory, "roster"));
  const undo: (() => void | Promise<void>)[] = [() => rmSync(directory, { recursive: true, force: true })];
  const atEnd = (step: () => void | Promise<void>) => undo.unshift(step);
  const noon = Date.parse("2026-11-20T12:00:00Z");
  const holder: { proxy?: FaultProxy } = {};
  const time = virtualTime(
    () => noon,
    () => (holder.proxy?.underWay ?? 0) > 0,
  );
  const server = await startReferenceServer({ port: 0, seed: seedFor(draw), knobs: draw.service.knobs, now: time.now });
  atEnd(() => server.close());
  const proxy = await faultProxy(server.endpoint, {}, atEnd);
  holder.proxy = proxy;
  const witness = witnessOf(server, time.now);
  const keeping = await keepingFor(draw, directory, time.clock().clock, atEnd);
  const run = runner({ draw, directory, server, proxy, keeping, time, witness, tell });
  return {
    draw,
    server,
    witness,
    removed: new Set(),
    time,
    troubles: [],
    tell,
    run,
    putRoster: (edition) =>
      writeFile(join(directory, "roster", "roster.yaml"), rosterText(wantedOf(draw.company, edition))),
    keeping,
    async close() {
      for (const step of undo) await step();
    },
  };
}

/** Where a service does not show everything, a person's word stands for the absence of teams: then there are none. */
function seedFor({ company, service }: ChaosDraw) {
  const teams = company.teams.map((team) => ({ ...team, there: service.showsAll && team.there }));
  return seedOf({ ...company, teams });
}

type Scene = Pick<Stage, "draw" | "server" | "keeping" | "witness" | "time" | "tell"> & {
  readonly directory: string;
  readonly proxy: FaultProxy;
};

/** Runs commands in a life of their own each, which a kill ends. */
function runner({ draw, directory, server, proxy, keeping, time, witness, tell }: Scene): Stage["run"] {
  const randomness = countingRandomness();
  let absentTeams: readonly string[] = [];
  return async (args, { parallelism, fault = () => undefined, stateFault, wall }) => {
    keeping.begin(stateFault);
    const life = time.clock(wall);
    let isKilled = false;
    proxy.revive({
      onPass: witness.see,
      now: time.now,
      patience: () => time.pass(patience),
      pass: time.pass,
      fault(request) {
        const befalls = fault(request);
        tell(lineFor(request, befalls, time));
        return befalls;
      },
      kill() {
        isKilled = true;
        keeping.remember();
        life.end();
      },
    });
    const env = {
      ROSTER_ENDPOINT: proxy.endpoint,
      ROSTER_API_KEY: server.key,
      ...keeping.env,
      ROSTER_PARALLELISM: String(parallelism),
    };
    const host = { cwd: directory, env, clock: life.clock, randomness };
    const begin = (words: readonly string[]) =>
      inside([...args, ...words.flatMap((word) => ["--allow", word]), "--format", "json", "roster"], host);
    let given = absentTeams;
    let result = await begin(given);
    // A person reads the plan, and says which teams are absent. What a run has sent makes another plan, which is read again.
    for (let readings = 0; !isKilled && readings < maxReadings; readings += 1) {
      absentTeams = draw.service.showsAll ? [] : absentTeamsIn(result.stdout);
      const isStale = result.code === 5 && given.some((word) => !absentTeams.includes(word));
      if (!isStale && absentTeams.every((word) => given.includes(word))) break;
      given = absentTeams;
      result = await begin(given);
    }
    while (proxy.underWay > 0) await turn();
    if (!isKilled) return result;
    await keeping.restore();
    return "killed";
  };
}

/** How often a person reads the plan of one run at the most. */
const maxReadings = 4;

function absentTeamsIn(output: string): readonly string[] {
  return printedWords(output).flatMap(({ what, word }) => (/^unproven-absence:[^@]*$/u.test(what) ? [word] : []));
}

function lineFor({ method, url, body }: PassedRequest, fault: Fault | undefined, { now }: VirtualTime): string {
  return `${new Date(now()).toISOString()} ${method} ${url} ${body} ${fault === undefined ? "" : JSON.stringify(fault)}`;
}
