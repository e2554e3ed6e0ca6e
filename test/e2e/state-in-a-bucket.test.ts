import { expect, test } from "vitest";
import { systemClock } from "../../src/library/system.ts";
import { startReferenceServer } from "../../src/reference-server/server.ts";
import { emptyDirectory, prompt, roster } from "../support/command.ts";
import type { Fault } from "../support/fault.ts";
import { faultProxy, type PassedRequest } from "../support/fault-proxy.ts";
import { inside } from "../support/inside.ts";
import { writeRoster } from "../support/roster-directory.ts";
import { bucketCredentials } from "../support/s3-place.ts";
import { smallS3 } from "../support/small-s3.ts";

const company = `version: 1
account: acc-1
users:
  - { email: ada@acme.example, firstName: Ada, lastName: Lovelace }
  - { email: bo@acme.example, firstName: Bo, lastName: Diaz }
  - { email: cy@acme.example, firstName: Cy, lastName: Ito }
teams:
  - name: Red
    admin: ada@acme.example
    members: [{ user: ada@acme.example }, { user: bo@acme.example }, { user: cy@acme.example }]
`;

interface Scene {
  /** Runs the built command, and kills it when the service has done its second write. */
  runKilled(...args: readonly string[]): ReturnType<typeof roster>;
  /** Runs a command that nobody kills, in this process. */
  run(...args: readonly string[]): ReturnType<typeof inside>;
  /** Nobody is killed from now on. */
  revive(): void;
  readonly server: Awaited<ReturnType<typeof startReferenceServer>>;
  readonly bucket: Awaited<ReturnType<typeof smallS3>>;
}

async function scene(atEnd: (undo: () => void | Promise<void>) => void): Promise<Scene> {
  const directory = emptyDirectory(atEnd);
  await writeRoster(directory, { "roster.yaml": company });
  let later = 0;
  const server = await startReferenceServer({ port: 0, now: () => Date.now() + later });
  atEnd(() => server.close());
  const bucket = await smallS3({ clock: { now: Date.now } });
  atEnd(() => bucket.close());
  let kill = (): void => undefined;
  let writes = 0;
  const proxy = await faultProxy(server.endpoint, { kill: () => kill(), fault: secondWrite }, atEnd);
  const env = {
    ROSTER_ENDPOINT: proxy.endpoint,
    ROSTER_API_KEY: server.key,
    ROSTER_STATE: `s3://acme/log.jsonl?region=us-east-1&endpoint=${bucket.endpoint}`,
    AWS_ACCESS_KEY_ID: bucketCredentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: bucketCredentials.secretAccessKey,
    ...prompt,
  };
  function secondWrite({ isWrite }: PassedRequest): Fault | undefined {
    writes += isWrite ? 1 : 0;
    return isWrite && writes === 2 ? { is: "kill", when: "after-commit" } : undefined;
  }
  return {
    server,
    bucket,
    revive() {
      // A call of a process that died may take effect as late as that of one that lives.
      later = 40_000;
      proxy.revive({});
    },
    run: (...args) =>
      inside(args, { cwd: directory, env, clock: { ...systemClock, now: () => systemClock.now() + later } }),
    runKilled: (...args) =>
      roster(args, {
        cwd: directory,
        env,
        started: (child) => {
          kill = () => child.kill("SIGKILL");
        },
      }),
  };
}

test("an apply whose state is in a bucket: killed, unlocked by a person and run again, it doubles nobody", async ({
  onTestFinished: atEnd,
}) => {
  const { run, runKilled, revive, server, bucket } = await scene(atEnd);
  const apply = ["apply", "--auto-approve", "roster.yaml"];
  const first = await runKilled(...apply);
  expect(first.signal).toBe("SIGKILL");
  revive();
  const refused = await run(...apply);
  const lock = /roster state unlock (\S+)`/u.exec(refused.stderr)?.[1] ?? "";
  expect([refused.code, lock]).toEqual([8, expect.stringMatching(/./u)]);
  expect(await run("state", "unlock", lock)).toMatchObject({ code: 0 });
  let second = await run(...apply);
  // A call that was announced when the process died is open until reads would show it.
  for (let more = 1; more < 5 && second.code === 7; more += 1) second = await run(...apply);
  expect({ code: second.code, stderr: second.code === 0 ? "" : second.stderr }).toEqual({ code: 0, stderr: "" });
  expect(await run(...apply)).toMatchObject({ code: 0, stdout: expect.stringContaining("No changes") });
  expect([...server.world.users].map(({ email }) => email).sort()).toEqual([
    "ada@acme.example",
    "bo@acme.example",
    "cy@acme.example",
    "root@reference.example",
  ]);
  expect(server.outbox.map(({ address }) => address).sort()).toEqual(["bo@acme.example", "cy@acme.example"]);
  expect(await run("state", "unlock")).toMatchObject({ code: 0 });
  const said = [first, refused, second].flatMap(({ stdout, stderr }) => [stdout, stderr]).join();
  expect(`${said}${[...bucket.objects().values()].join()}`).not.toContain(bucketCredentials.secretAccessKey);
});
