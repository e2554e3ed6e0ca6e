import { readFile, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import { fileStore } from "../../src/log/file/store.ts";
import { foldAddress } from "../../src/model/address.ts";
import type { State } from "../../src/model/state.ts";
import type { Knobs } from "../../src/reference-server/knobs/registry.ts";
import { readSeed } from "../../src/reference-server/read-seed.ts";
import type { Seed } from "../../src/reference-server/seed.ts";
import { startReferenceServer } from "../../src/reference-server/server.ts";
import { type AtEnd, emptyDirectory, prompt, roster } from "./command.ts";
import type { Fault, KillPoint } from "./fault.ts";
import { type FaultProxy, faultProxy, type PassedRequest } from "./fault-proxy.ts";
import { countingRandomness } from "./fixed-ports.ts";
import { inside } from "./inside.ts";
import { namesOf } from "./role-names.ts";
import { documentOf } from "./run-document.ts";
import { standing } from "./trap-scene.ts";
import { virtualTime } from "./virtual-time.ts";
import { rolesInLog } from "./whole-log.ts";
import { witnessOf } from "./witness.ts";

export interface Strike {
  /** Whether a request, after those before it, is the one. */
  readonly at: (request: PassedRequest, before: readonly PassedRequest[]) => boolean;
  readonly when: KillPoint;
  /** Whether the state is lost with the process. */
  readonly state: "kept" | "lost";
  /** How the service is otherwise than by default, such as late to show what was done. */
  readonly knobs?: Partial<Knobs>;
}

const example = resolve("examples/acme");
const mostRuns = 3;

/** Milliseconds after its announcement within which a call may be on its way. */
const announcedCall = 35_000;

const apply = ["apply", "--auto-approve", "--format", "json", example];

/** Every request of an undisturbed apply of the example, and what it leaves behind. */
export async function undisturbed(): Promise<{
  readonly requests: readonly PassedRequest[];
  readonly there: ReturnType<typeof standing>;
}> {
  const undo: Parameters<AtEnd>[0][] = [];
  const stage = await setStage(
    (step) => undo.push(step),
    {},
    () => undefined,
  );
  const { code, stderr } = await stage.runInside(apply);
  const whole = { requests: stage.proxy.passed, there: standing(stage.server) };
  for (const step of undo.reverse()) await step();
  if (code !== 0) throw new Error(stderr);
  return whole;
}

/** Kills an apply of the example, then applies again until nothing is left. */
export async function killAndRunAgain(strike: Strike, atEnd: AtEnd) {
  const before: PassedRequest[] = [];
  let struck: PassedRequest | undefined;
  const stage = await setStage(atEnd, strike.knobs ?? {}, (request) => {
    const strikes = struck === undefined && strike.at(request, before);
    before.push(request);
    if (!strikes) return undefined;
    struck = request;
    return { is: "kill", when: strike.when };
  });
  const { signal } = await stage.runAsProcess(apply);
  const broken = await stage.readState();
  if (strike.state === "lost") await rm(stage.stateDirectory, { recursive: true, force: true });
  stage.proxy.revive({ onPass: stage.witness.see });
  // A call of a process that died may take effect as late as that of one that lives.
  await stage.pass(announcedCall);
  const later = await applyUntilDone(stage);
  const { server, witness } = stage;
  const left = await stage.readState();
  return {
    signal,
    /** Exit codes of the runs after the killed one, up to the first that finds nothing to do. */
    codes: later.codes,
    isDone: later.isDone,
    there: standing(server),
    /** What was asked for although it was there, and who was mailed twice. */
    breaches: witness.breaches(),
    /** What is wrong with the state: read right after the kill, and in the end. */
    stateTroubles: [
      ...(typeof broken === "string" ? [broken] : []),
      ...(typeof left === "string" ? [left] : troublesIn(left, stage, strike.state)),
      ...(strike.when === "after-commit" && strike.state === "kept" ? untold(struck, later.toldKeysOf) : []),
      ...(strike.state === "kept" ? await auditTroubles(stage) : []),
      ...(await stage.lockTrouble()),
    ],
  };
}

async function applyUntilDone({ runInside }: Stage) {
  const codes: (number | null)[] = [];
  const toldKeysOf = new Set<string>();
  let isDone = false;
  while (codes.length < mostRuns && !isDone) {
    const { code, stdout } = await runInside(apply);
    const { actions, run } = documentOf({ stdout });
    codes.push(code);
    for (const { email } of run?.keys ?? []) toldKeysOf.add(email);
    isDone = actions?.length === 0;
  }
  return { codes, toldKeysOf, isDone };
}

/** Whoever was created by the call that was struck: a later run reads their key and tells it. */
function untold(struck: PassedRequest | undefined, toldKeysOf: ReadonlySet<string>): readonly string[] {
  if (struck?.method !== "POST" || !struck.url.endsWith("/users")) return [];
  const { email } = JSON.parse(struck.body) as { email: string };
  return toldKeysOf.has(email) ? [] : [`no later run tells the key of ${email}`];
}

type Stage = Awaited<ReturnType<typeof setStage>>;

async function setStage(atEnd: AtEnd, knobs: Partial<Knobs>, fault: (request: PassedRequest) => Fault | undefined) {
  const directory = emptyDirectory(atEnd);
  const holder: { proxy?: FaultProxy } = {};
  const time = virtualTime(Date.now, () => (holder.proxy?.underWay ?? 0) > 0);
  const server = await startReferenceServer({ port: 0, seed: await seedOfExample(), knobs, now: time.now });
  atEnd(() => server.close());
  const witness = witnessOf(server);
  const before = new Set(server.world.users.map(({ email }) => foldAddress(email)));
  let kill = (): void => undefined;
  const proxy = await faultProxy(server.endpoint, { fault, kill: () => kill(), onPass: witness.see }, atEnd);
  holder.proxy = proxy;
  const stateDirectory = join(directory, "state");
  const path = join(stateDirectory, "log.jsonl");
  const env = { ROSTER_ENDPOINT: proxy.endpoint, ROSTER_API_KEY: server.key, ROSTER_STATE: `file:${path}`, ...prompt };
  const { clock } = time.clock();
  const randomness = countingRandomness();
  const store = fileStore({ path, clock, randomness });
  return {
    server,
    proxy,
    witness,
    before,
    stateDirectory,
    store,
    runAsProcess: (args: readonly string[]) =>
      roster(args, {
        cwd: directory,
        env,
        started: (child) => {
          kill = () => child.kill("SIGKILL");
        },
      }),
    pass: time.pass,
    runInside: (args: readonly string[]) => inside(args, { cwd: directory, env, clock, randomness }),
    async readState(): Promise<State | string> {
      const read = await store.read();
      return read.ok ? read.value : read.error.message;
    },
    async lockTrouble(): Promise<readonly string[]> {
      const locked = await store.lock({ run: "last", operation: "look", at: new Date(clock.now()).toISOString() });
      if (!locked.ok) return [locked.error.message];
      await locked.value.close();
      return [];
    },
  };
}

async function seedOfExample(): Promise<Seed> {
  const file = "examples/acme.seed.yaml";
  const { seed } = readSeed(file, await readFile(file));
  if (seed === undefined) throw new Error(`${file} cannot be read`);
  return seed;
}

/** The log is whole, and has the roles that each key of a team was given last. */
async function auditTroubles({ server, before, store }: Stage): Promise<readonly string[]> {
  const recorded = await rolesInLog(store);
  if (typeof recorded === "string") return [recorded];
  const made = server.world.users.filter(({ email }) => !before.has(foldAddress(email)));
  return made.flatMap(({ email, accessKeys }) =>
    accessKeys.flatMap(({ prefix, team, roles }) => {
      const shown = namesOf(roles);
      const told = recorded.get(prefix) ?? "";
      return team === null || told === shown
        ? []
        : [`the log says ${told} of ${email} in ${team.name}, who has ${shown}`];
    }),
  );
}

/** With the state kept, every account that was created is recorded as ours, with the prefixes that the service has. */
function troublesIn(state: State, { server, before }: Stage, kept: Strike["state"]): readonly string[] {
  const open = state.open.map(({ action }) => `${action} is still open`);
  const made = server.world.users.filter(({ email }) => !before.has(foldAddress(email)));
  return [
    ...open,
    ...made.flatMap(({ email, accessKeys }) => {
      const address = foldAddress(email);
      const user = state.users.get(address);
      if (user === undefined) return [`${email} is not recorded`];
      const isOurs = kept === "lost" || user.createdAt !== undefined;
      const prefixes = new Set([...state.memberships.values()].flatMap(({ prefix }) => prefix ?? []));
      const missing = accessKeys.filter(({ prefix }) => !prefixes.has(prefix) && user.key !== prefix);
      return [
        ...(isOurs ? [] : [`${email} is not recorded as created`]),
        ...(kept === "lost" ? [] : missing.map(({ prefix }) => `the prefix ${prefix} of ${email} is not recorded`)),
      ];
    }),
  ];
}
