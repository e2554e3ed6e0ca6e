import { spawn } from "node:child_process";
import { closeSync, cpSync, mkdirSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { type ReferenceServer, startReferenceServer } from "../../../src/reference-server/server.ts";
import { keys, seed, wanted } from "./company.ts";
import type { Fault, services } from "./fault-list.ts";
import { type Attempt, problemsOf, type ServiceState } from "./judge.ts";
import { type Peer, peerEnvironment } from "./peers.ts";

const mostAttempts = 3;
/** An operator looks at a failure and starts the tool again; by then reads show every change. */
const pauseBetween = 12_000;
const longestRun = 240_000;

type Service = (typeof services)[number];

/** Lets a fault befall a tool. `logs`: a directory that keeps what the tool printed. */
export async function play(peer: Peer, fault: Fault, service: Service, logs: string | undefined) {
  const directory = mkdtempSync(join(tmpdir(), "roster-faults-"));
  cpSync(fileURLToPath(new URL(`peers/${peer.folder}`, import.meta.url)), directory, { recursive: true });
  const runs = new Runs(
    directory,
    logs === undefined ? undefined : join(logs, peer.folder, fault.name.replaceAll(" ", "-")),
  );
  running.add(runs);
  const server = await startService(fault, service, () => runs.kill());
  try {
    if (peer.prepare !== undefined) await runs.start(peer.prepare, server.endpoint, keys[0]);
    return await attempt({ peer, fault, server, directory, runs });
  } finally {
    running.delete(runs);
    await server.close();
    rmSync(directory, { recursive: true, force: true });
  }
}

function startService(fault: Fault, service: Service, kill: () => void): Promise<ReferenceServer> {
  let creations = 0;
  return startReferenceServer({
    port: 0,
    seed,
    knobs: { ...service.knobs, ...fault.knobs },
    onRequest(route) {
      creations += route === "create" ? 1 : 0;
      // The creation takes effect at once; its answer never comes.
      if (fault.also === "kill" && route === "create" && creations === 2) setTimeout(kill, 200);
    },
  });
}

interface Cell {
  readonly peer: Peer;
  readonly fault: Fault;
  readonly server: ReferenceServer;
  readonly directory: string;
  readonly runs: Runs;
}

/** The first run, and up to two more as long as something is not right or the tool says so. */
async function attempt({ peer, fault, server, directory, runs }: Cell): Promise<readonly Attempt[]> {
  const before = stateOf(server);
  const attempts: Attempt[] = [];
  while (attempts.length < mostAttempts) {
    const isFirst = attempts.length === 0;
    if (!isFirst) await pause(pauseBetween);
    const key = fault.also === "rotate" && !isFirst ? keys[1] : keys[0];
    const started = fault.also === "twice" && isFirst ? [1, 2] : [1];
    const exits = await Promise.all(started.map(() => runs.start(peer.run, server.endpoint, key)));
    const exitCode = exits.find((code) => code !== 0) ?? (exits.includes(null) ? null : 0);
    attempts.push({
      exitCode,
      problems: problemsOf({ wanted, before, after: stateOf(server), kept: peer.kept(directory) }),
    });
    if (exitCode === 0 && attempts.at(-1)?.problems.length === 0) break;
  }
  return attempts;
}

function stateOf({ world, outbox }: ReferenceServer): ServiceState {
  const mails = outbox.map(({ address, teamName }) => ({ address, team: teamName }));
  return { users: world.users, teams: world.teams, mails };
}

/** Everything that runs now, so that nothing outlives this program. */
const running = new Set<Runs>();
process.on("exit", () => {
  for (const runs of running) runs.kill();
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => process.exit(1));

/** The runs of one tool in one directory, each a group of processes that can be killed whole. */
class Runs {
  readonly #env: Readonly<Record<string, string>>;
  readonly #directory: string;
  readonly #logs: string | undefined;
  readonly #groups = new Set<number>();
  #count = 0;

  constructor(directory: string, logs: string | undefined) {
    this.#env = peerEnvironment(directory);
    this.#directory = directory;
    this.#logs = logs;
    if (logs !== undefined) mkdirSync(logs, { recursive: true });
  }

  async start([command = "", ...args]: readonly string[], endpoint: string, key: string): Promise<number | null> {
    this.#count += 1;
    const log = this.#logs === undefined ? undefined : openSync(join(this.#logs, `run-${this.#count}.log`), "w");
    const child = spawn(command, args, {
      cwd: this.#directory,
      env: { ...this.#env, SERVICE: endpoint, SERVICE_KEY: key, ROSTER_ENDPOINT: endpoint, ROSTER_API_KEY: key },
      stdio: ["ignore", log ?? "ignore", log ?? "ignore"],
      detached: true,
    });
    const { pid } = child;
    if (pid !== undefined) this.#groups.add(pid);
    const tooLong = setTimeout(() => this.kill(), longestRun);
    try {
      return await new Promise<number | null>((done, fail) => {
        child.on("error", fail);
        child.on("close", done);
      });
    } finally {
      clearTimeout(tooLong);
      if (pid !== undefined) this.#groups.delete(pid);
      if (log !== undefined) closeSync(log);
    }
  }

  kill(): void {
    for (const group of this.#groups) {
      try {
        process.kill(-group, "SIGKILL");
      } catch {
        // It has ended by itself.
      }
    }
  }
}
