import { fork } from "node:child_process";
import { once } from "node:events";
import { resolve } from "node:path";
import type { Knobs } from "../../src/reference-server/knobs/registry.ts";

export type ServiceProcess = Awaited<ReturnType<typeof startService>>;

/** With so many users in teams of ten, as `rosterOf` wants them. */
export async function startService(users: number, knobs: Partial<Knobs> = {}) {
  const child = fork(resolve("test/bench/service.mjs"), [String(users), JSON.stringify(knobs)]);
  const [{ endpoint, key }] = await once(child, "message");
  return {
    /** How roster reaches it, and how the bare programs do. */
    env: { ROSTER_ENDPOINT: endpoint, ROSTER_API_KEY: key, ENDPOINT: endpoint, KEY: key },
    async close() {
      const ended = once(child, "exit");
      child.disconnect();
      await ended;
    },
  };
}
