import { execFile, execFileSync, spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";
import { afterAll, beforeAll } from "vitest";
import { freePort } from "./loopback.ts";

export type PostgresServer = Awaited<ReturnType<typeof startPostgres>>;

interface ServerTls {
  readonly certificate: string;
  readonly key: string;
}

interface ServerOptions {
  readonly tls?: ServerTls;
  readonly maxConnections?: number;
}

export const serverUser = "roster_owner";
export const serverPassword = "s3cr3t/of#the%owner";

const teller = "pg_config";

/** The directory of PostgreSQL's programs; undefined where it is not installed. */
export function postgresPrograms(): string | undefined {
  const said = spawnSync(teller, ["--bindir"], { encoding: "utf8" }).stdout?.trim() ?? "";
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const onPath = (process.env["PATH"] ?? "").split(":");
  const places = [said, ...versions.map((version) => join(debian, version, "bin")), ...onPath];
  return places.find((place) => place !== "" && existsSync(join(place, "initdb")) && existsSync(join(place, "pg_ctl")));
}

/** A server for the tests of one file, from before the first to after the last of them. */
export function serverOfThisFile(programs: string | undefined, options: ServerOptions = {}): () => PostgresServer {
  let server: PostgresServer | undefined;
  beforeAll(async () => {
    if (programs !== undefined) server = await startPostgres(programs, options);
  });
  afterAll(() => server?.stop());
  return () => {
    if (server === undefined) throw new Error("the server did not start");
    return server;
  };
}

/** Starts a server of its own, on the loopback interface, with an empty database `roster`. It refuses to run as root, and so runs as somebody else then. */
export async function startPostgres(programs: string, { tls, maxConnections = 60 }: ServerOptions = {}) {
  const directory = mkdtempSync(join(tmpdir(), "roster-postgres-"));
  const as = process.getuid?.() === 0 ? unprivileged() : undefined;
  const own = (name: string, content: string | Buffer): string => {
    const path = join(directory, name);
    writeFileSync(path, content, { mode: 0o600 });
    if (as !== undefined) chownSync(path, as.uid, as.gid);
    return path;
  };
  if (as !== undefined) chownSync(directory, as.uid, as.gid);
  const passwords = own("password", serverPassword);
  const inPlace = {
    cwd: directory,
    encoding: "utf8",
    env: { PATH: process.env["PATH"], PGPASSWORD: serverPassword, LC_ALL: "C" },
    ...as,
  } as const;
  const run = (program: string, args: readonly string[]): string =>
    execFileSync(join(programs, program), args, { ...inPlace, stdio: ["ignore", "pipe", "pipe"] });
  const control = (...words: readonly string[]) =>
    promisify(execFile)(join(programs, "pg_ctl"), ["-D", data, ...words], inPlace);
  const data = join(directory, "data");
  const port = await freePort();
  let settings = "";
  try {
    run("initdb", ["-D", data, "-U", serverUser, "-E", "UTF8", "-A", "scram-sha-256", `--pwfile=${passwords}`, "-N"]);
    // Durability costs most of the time of a test, and no test pulls the plug.
    const secured = tls === undefined ? "" : tlsSettings(own, tls);
    settings = `-p ${port} -k ${directory} -h 127.0.0.1 -c fsync=off -c max_connections=${maxConnections} ${secured}`;
    run("pg_ctl", ["-D", data, "-w", "-l", join(directory, "log"), "-o", settings, "start"]);
    run("createdb", ["-h", "127.0.0.1", "-p", String(port), "-U", serverUser, "roster"]);
  } catch (error) {
    rmSync(directory, { recursive: true, force: true });
    throw error;
  }
  return {
    port,
    /** What `SELECT version()` begins with, such as `PostgreSQL 15.18`. */
    version: run("postgres", ["--version"]).trim(),
    /** Ends the server at once, as a crash would, and starts it again after so many milliseconds. */
    async restart(downMs: number) {
      await control("-m", "immediate", "stop");
      await pause(downMs);
      await control("-w", "-l", join(directory, "log"), "-o", settings, "start");
    },
    stop() {
      run("pg_ctl", ["-D", data, "-m", "immediate", "stop"]);
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function tlsSettings(own: (name: string, content: Buffer) => string, { certificate, key }: ServerTls): string {
  const [cert, secret] = [own("server.crt", readFileSync(certificate)), own("server.key", readFileSync(key))];
  return `-c ssl=on -c ssl_cert_file=${cert} -c ssl_key_file=${secret}`;
}

function unprivileged(): { readonly uid: number; readonly gid: number } {
  const number = (flag: string, user: string) =>
    Number(spawnSync("id", [flag, user], { encoding: "utf8" }).stdout || NaN);
  for (const user of ["postgres", "nobody"]) {
    const [uid, gid] = [number("-u", user), number("-g", user)];
    if (Number.isInteger(uid) && Number.isInteger(gid)) return { uid, gid };
  }
  throw new Error("PostgreSQL does not run as root, and there is no user postgres or nobody to run it as");
}
