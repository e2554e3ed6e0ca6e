import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import type { Knobs } from "../../src/reference-server/knobs/registry.ts";

/** A reference server in a process of its own. */
export interface ServiceProcess {
  /** How roster reaches it, and how the bare programs do. */
  readonly env: Readonly<Record<string, string>>;
  used(): Promise<UsedResources>;
  close(): Promise<void>;
}

/** What the server took so far. */
interface UsedResources {
  /** Processor time in milliseconds. */
  readonly cpu: number;
  /** The most memory at once, in MiB. */
  readonly memory: number;
}

/** With so many users in teams of ten, as `rosterOf` wants them. */
export function startService(users: number, knobs: Partial<Knobs> = {}): Promise<ServiceProcess> {
  return startServer("test/bench/service.mjs", [String(users), JSON.stringify(knobs)]);
}

/** A server that does nothing but HTTP and JSON. */
export function startBareServer(): Promise<ServiceProcess> {
  return startServer("test/bench/bare-server.mjs", []);
}

async function startServer(program: string, args: readonly string[]): Promise<ServiceProcess> {
  const child = fork(resolve(program), args);
  const { endpoint, key } = (await message(child)) as { readonly endpoint: string; readonly key: string };
  return {
    env: { ROSTER_ENDPOINT: endpoint, ROSTER_API_KEY: key, ENDPOINT: endpoint, KEY: key },
    async used() {
      child.send("used");
      return (await message(child)) as UsedResources;
    },
    async close() {
      const ended = once(child, "exit");
      child.disconnect();
      await ended;
    },
  };
}

async function message(child: ChildProcess): Promise<unknown> {
  const [value] = await once(child, "message");
  return value;
}
