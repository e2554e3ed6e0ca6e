import { systemClock } from "../../src/library/environment.ts";
import type { Clock } from "../../src/ports/clock.ts";
import type { Knobs } from "../../src/reference-server/knobs/registry.ts";
import type { Seed } from "../../src/reference-server/seed.ts";
import { type ReferenceServer, startReferenceServer } from "../../src/reference-server/server.ts";
import type { LoggedRequest } from "../../src/reference-server/service-context.ts";
import { type AtEnd, type CommandResult, emptyDirectory, prompt, roster } from "./command.ts";
import { type InsideResult, inside } from "./inside.ts";
import { twoPeople } from "./inside-scene.ts";
import { writeRoster } from "./roster-directory.ts";
import { documentOf } from "./run-document.ts";
import { virtualTime } from "./virtual-time.ts";

/** A reference server, a directory with a roster, and roster between them: in this process, which costs a tenth of another one. */
export interface Scene {
  readonly server: ReferenceServer;
  readonly directory: string;
  readonly env: Readonly<Record<string, string>>;
  run(args: readonly string[], more?: Readonly<Record<string, string>>): Promise<InsideResult>;
  /** The built command in a process of its own, where Node's own variables count. */
  runBuilt(args: readonly string[], more: Readonly<Record<string, string>>): Promise<CommandResult>;
  apply(...flags: readonly string[]): Promise<Report>;
  plan(...flags: readonly string[]): Promise<Report>;
  drift(...flags: readonly string[]): Promise<Report>;
}

export interface Setting {
  readonly knobs?: Partial<Knobs>;
  readonly seed?: Seed;
  readonly roster?: string;
  /** Whether waits take no time: for services that answer every request. */
  readonly time?: "virtual";
  /** What others do meanwhile: is told each request by its route and its number, before it is served. */
  readonly meanwhile?: (route: string, number: number, server: ReferenceServer) => void;
}

/** What a run said in its JSON document, as far as traps ask. */
interface Report {
  readonly code: number | null;
  readonly planned: readonly string[];
  /** Code and subject of each finding of the plan and of the run, blocking ones marked by a `!`. */
  readonly findings: readonly string[];
  /** Each action that was not simply done, with what became of it. */
  readonly troubles: readonly string[];
  readonly error: string | undefined;
  readonly everyone: unknown;
  readonly capabilities: unknown;
  readonly output: InsideResult;
}

export async function scene(atEnd: AtEnd, setting: Setting): Promise<Scene> {
  const { knobs = {}, seed, roster: text = twoPeople, meanwhile } = setting;
  let come = 0;
  const time = setting.time && virtualTime(Date.now, () => come > server.requests.length);
  const server: ReferenceServer = await startReferenceServer({
    port: 0,
    knobs,
    ...(seed === undefined ? {} : { seed }),
    ...(time === undefined ? {} : { now: time.now }),
    onRequest(route, number) {
      come += 1;
      meanwhile?.(route, number, server);
    },
  });
  atEnd(() => server.close());
  return sceneWith(atEnd, server, text, server.endpoint, time?.clock().clock);
}

/** One more directory, with a state of its own, beside a server that runs already. */
export async function sceneWith(
  atEnd: AtEnd,
  server: ReferenceServer,
  text = twoPeople,
  endpoint = server.endpoint,
  clock: Clock = systemClock,
): Promise<Scene> {
  const directory = emptyDirectory(atEnd);
  await writeRoster(directory, { "roster.yaml": text });
  const env = { ROSTER_ENDPOINT: endpoint, ROSTER_API_KEY: server.key, ...prompt };
  const run: Scene["run"] = (args, more = {}) => inside(args, { cwd: directory, env: { ...env, ...more }, clock });
  const report = async (...args: readonly string[]): Promise<Report> =>
    reportOf(await run([...args, "--format", "json"]));
  return {
    server,
    directory,
    env,
    run,
    runBuilt: (args, more) => roster(args, { cwd: directory, env: { ...env, ...more } }),
    apply: (...flags) => report("apply", "--auto-approve", ...flags),
    plan: (...flags) => report("plan", "--detailed-exitcode", ...flags),
    drift: (...flags) => report("drift", ...flags),
  };
}

function reportOf(output: InsideResult): Report {
  const { actions, findings, run, error, reading } = documentOf(output);
  return {
    code: output.code,
    planned: (actions ?? []).map(({ id }) => id),
    findings: [...(findings ?? []), ...(run?.findings ?? [])].map(
      ({ code, subject, blocking }) => `${blocking ? "!" : ""}${code} ${subject}`,
    ),
    troubles: (run?.outcomes ?? [])
      .filter(({ outcome }) => outcome !== "succeeded" && outcome !== "unneeded")
      .map((one) => `${one.action} ${one.outcome}${one.failure === undefined ? "" : ` ${one.failure.code}`}`),
    error: error?.code,
    everyone: reading?.everyone,
    capabilities: reading?.capabilities,
    output,
  };
}

export const companyThere = {
  people: ["ada@acme.example", "bo@acme.example"],
  teams: ["Red: ada@acme.example, bo@acme.example"],
  mails: ["Red bo@acme.example"],
  keys: ["ada@acme.example Red: DEVELOPER", "bo@acme.example Red: DEVELOPER", "bo@acme.example own: TEAM_ROLE"],
};

/** Everything about people that a service holds but the administrator: nobody and nothing twice, where it is as it should be. */
export function standing({ world, outbox }: ReferenceServer): typeof companyThere {
  const users = world.users.filter(({ email }) => !administrators.includes(email));
  const keys = users.flatMap((user) =>
    user.accessKeys.map(({ kind, team, roles }) => {
      const names = roles.map(({ identifier }) => identifier).sort();
      return `${user.email} ${team?.name ?? (kind === "user" ? "own" : kind)}: ${names.join(", ")}`;
    }),
  );
  return {
    people: users.map(({ email }) => email).sort(),
    teams: world.teams.map(({ name, members }) => `${name}: ${[...members].sort().join(", ")}`).sort(),
    mails: outbox.map(({ teamName, address }) => `${teamName} ${address}`).sort(),
    keys: keys.sort(),
  };
}

const administrators: readonly string[] = ["root@reference.example", "chief@acme.example"];

export function writesOf({ requests }: Pick<ReferenceServer, "requests">): readonly string[] {
  return requests.filter(isWrite).map(({ method, path }) => `${method} ${path}`);
}

export function creationsOf({ requests }: Pick<ReferenceServer, "requests">): number {
  return requests.filter(({ method, path }) => method === "POST" && path.endsWith("/users")).length;
}

function isWrite({ method, path }: LoggedRequest): boolean {
  return method === "PUT" || (method === "POST" && !path.endsWith("/search"));
}
