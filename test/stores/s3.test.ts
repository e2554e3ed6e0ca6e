import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { StartBeats } from "../../src/log/lock-holder.ts";
import type { RosterLog } from "../../src/log/port.ts";
import { signerFor } from "../../src/log/s3/objects.ts";
import type { Clock } from "../../src/ports/clock.ts";
import { runStarted } from "../support/event-builders.ts";
import { installedMoto, type MotoServer, startMoto } from "../support/moto-server.ts";
import { type Beats, beats, openS3At } from "../support/s3-place.ts";
import { closedEndpoint } from "../support/scripted-server.ts";
import { aRun, failureOf, unwrap } from "../support/state-place.ts";
import { describeStore } from "../support/store-contract.ts";
import { held, locked, type StorePlace } from "../support/store-kind.ts";

const program = installedMoto();
if (program === undefined)
  console.warn("There is no `moto_server` here: the log in a bucket is not tested against it.");

const clock: Clock = { now: Date.now, monotonic: Date.now, wait: (milliseconds) => pause(milliseconds) };
const randomness = { fraction: Math.random, identifier: () => randomUUID() };
const secrets: string[] = [];

/** Signs of life for a test of some seconds. */
function quickBeats(): Beats & { readonly start: StartBeats } {
  const running = beats();
  const timers = new Set<NodeJS.Timeout>();
  return {
    start(milliseconds, beat) {
      const end = running.start(milliseconds, beat);
      const timer = setInterval(() => void beat(), 400);
      timers.add(timer);
      return () => {
        clearInterval(timer);
        end();
      };
    },
    beat: () => running.beat(),
    end() {
      for (const timer of timers) clearInterval(timer);
      running.end();
    },
  };
}

describe.skipIf(program === undefined)("a log in a bucket of moto", () => {
  let server: MotoServer | undefined;
  const started = (): MotoServer => {
    if (server === undefined) throw new Error("the server did not start");
    return server;
  };
  beforeAll(async () => {
    server = await startMoto(program ?? "");
    secrets.push(...Object.values(server.credentials));
  });
  afterAll(() => server?.stop());

  const openAt = (key: string, startBeats: StartBeats = () => () => undefined, credentials = started().credentials) =>
    openS3At(`s3://acme/${key}?region=us-east-1&endpoint=${started().endpoint}`, {
      clock,
      randomness,
      startBeats,
      credentials,
    });

  async function place(): Promise<StorePlace> {
    const key = `${randomUUID()}/log`;
    const living = new Map<RosterLog, Beats>();
    const { endpoint, credentials } = started();
    const sign = signerFor(credentials, { region: "us-east-1", clock });
    const send = async (path: string, request: { readonly method: string; readonly body?: string }) => {
      const { url, ...signed } = await sign({ ...request, url: new URL(`${endpoint}/acme/${path}`), headers: {} });
      const answer = await fetch(url, signed);
      const text = await answer.text();
      if (!answer.ok && answer.status !== 404) throw new Error(`${answer.status} ${text}`);
      return answer.ok ? [`${path}\n${text}`] : [];
    };
    const batchAt = (number: number) => `${key}/${String(number).padStart(8, "0")}`;
    const batches = async (number = 1): Promise<readonly string[]> => {
      const batch = await send(batchAt(number), { method: "GET" });
      return batch.length === 0 ? [] : [...batch, ...(await batches(number + 1))];
    };
    return {
      async open() {
        const running = quickBeats();
        const store = openAt(key, running.start);
        living.set(store, running);
        return store;
      },
      openSilent: async () => openAt(key),
      pass: async (milliseconds) => {
        // The service tells times in whole seconds.
        await pause(milliseconds + 1000);
      },
      async kill(store) {
        living.get(store)?.end();
        const person = openAt(key);
        await person.breakLease((await held(person)).id);
      },
      content: async () => [...(await send(`${key}.checkpoint`, { method: "GET" })), ...(await batches())].join(""),
      async damage() {
        await send(batchAt((await batches()).length), { method: "PUT", body: "{" });
      },
      openUnreachable: async () => {
        const address = `s3://acme/log?region=us-east-1&endpoint=${(await closedEndpoint()).origin}`;
        return openS3At(address, { clock, randomness, startBeats: beats().start, credentials });
      },
    };
  }

  describeStore({ name: "moto", place, secrets, deadAfter: 3000 });

  test("goes to exactly one of twenty who lock at once, round after round", async () => {
    const key = `${randomUUID()}/log`;
    for (let round = 0; round < 10; round += 1) {
      const results = await Promise.all(Array.from({ length: 20 }, () => openAt(key).lock(aRun)));
      const won = results.flatMap((result) => (result.ok ? [result.value] : []));
      expect(won).toHaveLength(1);
      for (const session of won) {
        await session.append([runStarted(`r${round}`)]);
        unwrap(await session.close());
      }
    }
    expect(unwrap(await openAt(key).holder())).toBe("nobody");
  });

  test("is signed as moto checks it, and a wrong secret is named", async () => {
    const { credentials } = started();
    const wrong = { ...credentials, secretAccessKey: "wrong" };
    const failure = await failureOf(openAt("log", undefined, wrong).read());
    expect(failure).toMatchObject({
      code: "state",
      status: 403,
      hint: expect.stringContaining("AWS_SECRET_ACCESS_KEY"),
    });
  });

  test("may have a space in its name", async () => {
    const store = openAt(`a b/${randomUUID()} ~_-.json`);
    await (await locked(store)).close();
    expect(unwrap(await store.holder())).toBe("nobody");
  });

  test("names a bucket that does not exist", async () => {
    const { endpoint, credentials } = started();
    const address = `s3://no-such-bucket/log?region=us-east-1&endpoint=${endpoint}`;
    const store = openS3At(address, { clock, randomness, startBeats: beats().start, credentials });
    expect((await failureOf(store.read())).message).toContain("the bucket does not exist");
  });
});
