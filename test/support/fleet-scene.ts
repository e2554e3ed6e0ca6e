import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { Knobs } from "../../src/reference-server/knobs/registry.ts";
import { type ReferenceServer, startReferenceServer } from "../../src/reference-server/server.ts";
import { emptyDirectory } from "./command.ts";
import { type InsideResult, inside } from "./inside.ts";

/** Services, each with a target of its own: one person in one team. */
export interface FleetScene {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly servers: ReadonlyMap<string, ReferenceServer>;
  fleet(words: string, env?: Readonly<Record<string, string>>): Promise<InsideResult>;
}

export interface SceneTarget {
  readonly name: string;
  /** An address in place of a service. */
  readonly endpoint?: string;
  /** How its service behaves. */
  readonly knobs?: Partial<Knobs>;
}

/** The user `ada` and the team `Red` are there in each service; the key of the team lacks a role that the roster asks for. */
export async function fleetScene(targets: readonly SceneTarget[]): Promise<FleetScene> {
  const cwd = emptyDirectory();
  const servers = new Map<string, ReferenceServer>();
  const env: Record<string, string> = {};
  const entries: string[] = [];
  for (const { name, endpoint, knobs = {} } of targets) {
    const email = `ada@${name}.example`;
    const member = { user: email, prefix: "red-key", roles: ["TEAM_ROLE"] };
    const team = { name: "Red", admin: email, members: [member] };
    const key = { prefix: `key-of-${name}`, secret: `s3cret-of-${name}`, owner: email, roles: ["SYSTEM_OWNER"] };
    const seed = { users: [{ email, firstName: "Ada", lastName: "L" }], teams: [team], keys: [key] };
    const server = endpoint === undefined ? await startReferenceServer({ port: 0, seed, knobs }) : undefined;
    if (server !== undefined) servers.set(name, server);
    onTestFinished(async () => server?.close());
    const variable = `ROSTER_KEY_${name.toUpperCase()}`;
    env[variable] = server?.key ?? "key1.s3cret-s3cret";
    mkdirSync(join(cwd, "rosters", name), { recursive: true });
    writeFileSync(join(cwd, "rosters", name, "roster.yaml"), rosterOf(email));
    entries.push(
      `  - { name: ${name}, roster: rosters/${name}, endpoint: "${server?.endpoint ?? endpoint}", key: { env: ${variable} }, state: file:states/${name}.json }`,
    );
  }
  writeFileSync(join(cwd, "fleet.yaml"), `version: 1\ntargets:\n${entries.join("\n")}\n`);
  const fleet: FleetScene["fleet"] = (words, own = {}) =>
    inside(["fleet", ...words.split(" ")], { cwd, env: { ...env, ...own } });
  return { cwd, env, servers, fleet };
}

function rosterOf(email: string): string {
  return [
    "version: 1",
    "account: acc-1",
    `users: [{ email: ${email}, firstName: Ada, lastName: L }]`,
    `teams: [{ name: Red, admin: ${email}, roles: [DEVELOPER, TEAM_ROLE], members: [${email}] }]`,
    "",
  ].join("\n");
}
