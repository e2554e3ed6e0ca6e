import { randomUUID } from "node:crypto";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { systemClock, systemRandomness } from "../../src/library/environment.ts";
import { readSeed } from "../../src/reference-server/read-seed.ts";
import { startReferenceServer } from "../../src/reference-server/server.ts";
import { type CommandResult, emptyDirectory, prompt, roster } from "../support/command.ts";
import type { KillPoint } from "../support/fault.ts";
import { faultProxy, type PassedRequest } from "../support/fault-proxy.ts";
import { installedMoto, type MotoServer, startMoto } from "../support/moto-server.ts";
import { passingProxy } from "../support/passing-proxy.ts";
import { beats, openS3At } from "../support/s3-place.ts";
import { unwrap } from "../support/state-place.ts";
import { readWhole } from "../support/whole-log.ts";
import { witnessOf } from "../support/witness.ts";

const program = installedMoto();
if (program === undefined)
  console.warn("There is no `moto_server` here: a killed apply is not tested with its state in a bucket.");

const example = resolve("examples/acme");
const apply = ["apply", "--auto-approve", example];
const quarter = 15 * 60_000;

interface Strike {
  readonly name: string;
  readonly to: "the service" | "the bucket";
  readonly when: KillPoint;
  readonly which: number;
  readonly is: (request: PassedRequest) => boolean;
}

const creates = ({ method, url }: PassedRequest) => method === "POST" && url.endsWith("/users");
const saves = ({ method, url }: PassedRequest) => method === "PUT" && url.endsWith("/log.checkpoint");
const records = ({ method, url }: PassedRequest) => method === "PUT" && /\/log\/\d+$/u.test(url);
const unlocks = ({ body }: PassedRequest) => body.includes('"free": true');

const strikes: readonly Strike[] = [
  { name: "second creation", to: "the service", when: "after-commit", which: 2, is: creates },
  { name: "first record", to: "the bucket", when: "before-commit", which: 1, is: records },
  { name: "first record", to: "the bucket", when: "after-commit", which: 1, is: records },
  { name: "fourth record", to: "the bucket", when: "before-commit", which: 4, is: records },
  { name: "fourth record", to: "the bucket", when: "after-commit", which: 4, is: records },
  { name: "checkpoint", to: "the bucket", when: "before-commit", which: 1, is: saves },
  { name: "checkpoint", to: "the bucket", when: "after-commit", which: 1, is: saves },
  { name: "giving back of the lock", to: "the bucket", when: "before-commit", which: 1, is: unlocks },
];

describe.skipIf(program === undefined)("an apply with its state in a bucket of moto", () => {
  let moto: MotoServer | undefined;
  beforeAll(async () => {
    moto = await startMoto(program ?? "");
  });
  afterAll(() => moto?.stop());

  async function stage({ to, when, which, is }: Strike) {
    if (moto === undefined) throw new Error("the server did not start");
    const { seed } = readSeed("seed", await readFile("examples/acme.seed.yaml"));
    if (seed === undefined) throw new Error("the example has no seed");
    let passed = 0;
    const server = await startReferenceServer({ port: 0, seed, now: () => Date.now() + passed });
    onTestFinished(() => server.close());
    const witness = witnessOf(server);
    let ahead = 0;
    const later = await passingProxy(
      moto.endpoint,
      {
        answer(_request, { headers: { date = "", ...rest }, ...answer }) {
          return { ...answer, headers: { ...rest, date: new Date(Date.parse(date) + ahead).toUTCString() } };
        },
      },
      onTestFinished,
    );
    let kill = (): void => undefined;
    let met = 0;
    const striking = (side: Strike["to"]) => ({
      kill: () => kill(),
      fault: (request: PassedRequest) => {
        if (side !== to || !is(request)) return undefined;
        met += 1;
        return met === which ? ({ is: "kill", when } as const) : undefined;
      },
    });
    const service = await faultProxy(
      server.endpoint,
      { ...striking("the service"), onPass: witness.see },
      onTestFinished,
    );
    const bucket = await faultProxy(later, striking("the bucket"), onTestFinished);
    const cwd = emptyDirectory();
    const state = `s3://acme/${randomUUID()}/log`;
    const { endpoint, credentials } = moto;
    const env = {
      ...prompt,
      ROSTER_ENDPOINT: service.endpoint,
      ROSTER_API_KEY: server.key,
      ROSTER_STATE: state,
      AWS_REGION: "us-east-1",
      AWS_ENDPOINT_URL_S3: bucket.endpoint,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    };
    return {
      server,
      witness,
      pass(milliseconds: number) {
        ahead += milliseconds;
      },
      log: () =>
        openS3At(`${state}?endpoint=${endpoint}`, {
          clock: systemClock,
          randomness: systemRandomness,
          startBeats: beats().start,
          credentials,
        }),
      revive() {
        // A call of a process that died may take effect as late as that of one that lives.
        passed = 40_000;
        service.revive({ onPass: witness.see });
        bucket.revive({});
      },
      run: (args: readonly string[]): Promise<CommandResult> =>
        roster(args, {
          cwd,
          env,
          started: (child) => {
            kill = () => child.kill("SIGKILL");
          },
        }),
    };
  }

  test.each(strikes)(
    "is killed at the $name at $to, $when: its lock is taken over, and nobody is created or mailed twice",
    async (strike) => {
      const { witness, pass, revive, run, log } = await stage(strike);
      expect((await run(apply)).signal).toBe("SIGKILL");
      revive();
      pass(quarter / 2);
      const early = await run([...apply, "--break-stale-lock", "15m"]);
      expect(early).toMatchObject({
        code: 8,
        stderr: expect.stringMatching(/locked by .+ for apply since .+ silent for \d+ min/u),
      });
      pass(quarter);
      expect((await run(apply)).code).toBe(8);
      const over = await run([...apply, "--break-stale-lock", "15m"]);
      expect(over, over.stderr).toMatchObject({ code: 0 });
      const last = await run(apply);
      expect(last).toMatchObject({ code: 0, stdout: expect.stringContaining("No changes") });
      expect(witness.breaches()).toEqual([]);
      const { events } = unwrap(await readWhole(log()));
      const created = events.flatMap(({ event }) =>
        event.type === "succeeded" && event.learned.kind === "create-user" ? [event.learned.address] : [],
      );
      expect(created).toEqual([...new Set(created)]);
      expect(created.length).toBeGreaterThan(1);
    },
  );
});
