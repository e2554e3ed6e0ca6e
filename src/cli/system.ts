import { createHash, randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Clock, Digest, Randomness } from "../ports/clock.ts";

export const systemClock: Clock = {
  now: () => Date.now(),
  wait: async (milliseconds, signal) => {
    await sleep(milliseconds, undefined, signal === undefined ? {} : { signal }).catch(() => undefined);
  },
};

export const systemRandomness: Randomness = { fraction: Math.random, identifier: randomUUID };

export const sha256: Digest = (text) => createHash("sha256").update(text).digest("hex");
