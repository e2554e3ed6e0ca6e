import { onTestFinished } from "vitest";
import type { State } from "../../src/model/state.ts";
import { type ReferenceServerOptions, startReferenceServer } from "../../src/reference-server/server.ts";
import { emptyDirectory, prompt } from "./command.ts";
import { type InsideOptions, inside, insideHost } from "./inside.ts";
import { logOfState } from "./kept-log.ts";
import { writeRoster } from "./roster-directory.ts";

export const twoPeople = `version: 1
account: acc-1
users:
  - { email: ada@acme.example, firstName: Ada, lastName: Lovelace }
  - { email: bo@acme.example, firstName: Bo, lastName: Diaz }
teams:
  - { name: Red, admin: ada@acme.example, roles: [DEVELOPER], members: [{ user: ada@acme.example }, { user: bo@acme.example }] }
`;

/** A service, a directory with the roster of two people, and the command between them, all in this process. */
export type InsideScene = Awaited<ReturnType<typeof insideScene>>;

export interface InsideSceneOptions extends Pick<ReferenceServerOptions, "knobs" | "now" | "onRequest" | "seed"> {
  readonly roster?: string;
  readonly place?: string;
}

export async function insideScene(options: InsideSceneOptions = {}) {
  const { roster = twoPeople, place, ...rest } = options;
  const server = await startReferenceServer({ port: 0, ...rest });
  onTestFinished(() => server.close());
  const cwd = emptyDirectory(onTestFinished, place);
  await writeRoster(cwd, { "roster.yaml": roster });
  const env: Readonly<Record<string, string>> = {
    ROSTER_ENDPOINT: server.endpoint,
    ROSTER_API_KEY: server.key,
    ...prompt,
  };
  const withEnv = (more: Omit<InsideOptions, "cwd"> = {}) => ({ ...more, cwd, env: { ...env, ...more.env } });
  return {
    server,
    cwd,
    env,
    run: (args: readonly string[], more?: Omit<InsideOptions, "cwd">) => inside(args, withEnv(more)),
    host: (more?: Omit<InsideOptions, "cwd">) => insideHost(withEnv(more)),
    /** Puts a state into the place where runs look for it. */
    remember: (state: State) => writeRoster(cwd, logOfState(".roster/log.jsonl", state)),
    /** `POST /api/…` of every call that was to change something. */
    writes: () =>
      server.requests
        .filter(({ method, path }) => method === "PUT" || (method === "POST" && !path.endsWith("/search")))
        .map(({ method, path }) => `${method} ${path}`),
  };
}
