import { Socket } from "node:net";
import type { ConnectionOptions } from "node:tls";
import { Client } from "pg";
import { readRegularFile } from "../../files/regular-file.ts";
import { type Failure, problem, type Result, success } from "../../model/result.ts";
import { type DatabasePlace, passwordFromFile } from "./address.ts";

/** One session of a database. Statements that are asked for at once run one after the other. */
export interface DatabaseConnection {
  run(statement: string, values?: readonly unknown[]): Promise<Result<QueryResult, DatabaseFault>>;
  /** Ends the session, at once where a statement still runs. Never fails. */
  close(): Promise<void>;
}

interface QueryResult {
  readonly rows: readonly DatabaseRow[];
  /** How many rows a statement wrote or read. */
  readonly count: number;
}

/** As it came from the database: nothing in it is known to be what it should be. */
export type DatabaseRow = Readonly<Record<string, unknown>>;

/** How long is waited for a database, in milliseconds. */
export interface Timeouts {
  readonly connect: number;
  readonly statement: number;
}

export const defaultTimeouts: Timeouts = { connect: 15_000, statement: 30_000 };

/** Opens a session in which what is committed is durable, and no statement runs or waits without end. */
export async function connect(
  place: DatabasePlace,
  patience: Timeouts,
): Promise<Result<DatabaseConnection, DatabaseFault>> {
  const tls = await attempt(() => tlsOptions(place));
  if (!tls.ok) return problem({ ...tls.error, code: "ERR_TLS_FILE" });
  const socket = new Socket();
  const client = await attempt(async () => clientOf(place, { tls: tls.value, patience, socket }));
  if (!client.ok) return client;
  const connection = overClient(client.value, socket);
  const opened = await attempt(() => client.value.connect());
  const settled = opened.ok ? await connection.run(settingsOf(patience)) : opened;
  if (settled.ok) return success(connection);
  await connection.close();
  return settled;
}

interface PostgresOptions {
  readonly tls: ConnectionOptions | false;
  readonly patience: Timeouts;
  readonly socket: Socket;
}

function clientOf(place: DatabasePlace, { tls, patience, socket }: PostgresOptions): Client {
  const { host, port, database, user, password, passwordFile } = place;
  const client = new Client({
    host,
    port,
    database,
    user,
    password: async () => password ?? (passwordFile && (await passwordFromFile(passwordFile, place))) ?? "",
    ssl: tls,
    stream: () => socket,
    application_name: "roster",
    connectionTimeoutMillis: patience.connect,
    // The server gives up first and says why; this is for a server that has gone silent.
    query_timeout: patience.statement * 1.5,
    keepAlive: true,
  });
  // The next statement shows that a session ended while nothing ran.
  client.on("error", () => undefined);
  return client;
}

async function tlsOptions({ tls }: DatabasePlace): Promise<ConnectionOptions | false> {
  if (tls.mode === "off") return false;
  const { rootCertificate, certificate, key } = tls;
  return {
    rejectUnauthorized: tls.mode === "verified",
    ...(rootCertificate === undefined ? {} : { ca: await textOf(rootCertificate) }),
    ...(certificate === undefined ? {} : { cert: await textOf(certificate) }),
    ...(key === undefined ? {} : { key: await textOf(key) }),
  };
}

async function textOf(path: string): Promise<string> {
  return (await readRegularFile(path, largestCertificates)).toString("utf8");
}

/** In bytes: the bundles of systems have some hundred KiB. */
const largestCertificates = 8 * 1024 * 1024;

/**
 * What roster relies on, whatever the database was set up with. The session, and with it the lock, of a machine that
 * is gone ends after some two minutes: by then none of its calls to the account service is under way any more.
 */
function settingsOf({ statement }: Timeouts): string {
  return `SET tcp_keepalives_idle = 60;
    SET tcp_keepalives_interval = 10;
    SET tcp_keepalives_count = 8;
    SET statement_timeout = ${statement};
    SET lock_timeout = ${Math.ceil(statement / 3)};
    SET idle_in_transaction_session_timeout = ${statement};
    SET default_transaction_isolation = 'read committed';
    SELECT set_config('synchronous_commit', 'on', false) WHERE current_setting('synchronous_commit') = 'off'`;
}

/** A session in which nothing runs does not keep the process alive. */
function overClient(client: Client, socket: Socket): DatabaseConnection {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;

  async function next(statement: string, values: readonly unknown[]): Promise<Result<QueryResult, DatabaseFault>> {
    if (!socket.destroyed) socket.ref();
    const asked = await attempt(() => ask(client, statement, values));
    // What still runs there can no longer be distinguished from what is asked next.
    if (!asked.ok && asked.error.says === "Query read timeout") socket.destroy();
    waiting -= 1;
    if (waiting === 0 && !socket.destroyed) socket.unref();
    return asked;
  }

  return {
    run(statement, values = []) {
      waiting += 1;
      const answer = last.then(() => next(statement, values));
      last = answer;
      return answer;
    },
    async close() {
      if (!socket.destroyed) socket.ref();
      const late = setTimeout(() => socket.destroy(), endConnection);
      await client.end().catch(() => undefined);
      clearTimeout(late);
    },
  };
}

/** Milliseconds for a server to take note of the end of a session. */
const endConnection = 1000;

/** Several statements without values are one transaction, and the last one's answer is returned. */
async function ask(client: Client, statement: string, values: readonly unknown[]): Promise<QueryResult> {
  const answers =
    values.length === 0 ? client.query<DatabaseRow>(statement) : client.query<DatabaseRow>(statement, [...values]);
  const last = [await answers].flat().at(-1);
  return { rows: last?.rows ?? [], count: last?.rowCount ?? 0 };
}

async function attempt<T>(step: () => Promise<T>): Promise<Result<T, DatabaseFault>> {
  try {
    return success(await step());
  } catch (error) {
    return problem(faultOf(error));
  }
}

/** A text of a row; undefined for anything else, NULL among it. */
export function textAt(row: DatabaseRow | undefined, column: string): string | undefined {
  const value = row?.[column];
  return typeof value === "string" ? value : undefined;
}

/** A whole number from 0 that fits a number, whether it came as one or as text. */
export function wholeAt(row: DatabaseRow | undefined, column: string): number | undefined {
  const value = row?.[column];
  const number = typeof value === "string" && /^\d{1,16}$/u.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

/** The column `count` of a statement that answers with one row. */
export function countOf({ rows: [row] }: QueryResult): number {
  return wholeAt(row, "count") ?? 0;
}

/** Why a database did not do what was asked for. */
export interface DatabaseFault {
  /** A SQLSTATE, or the system's name of an error, such as `ECONNREFUSED`. */
  readonly code?: string;
  /** In the words of the database, its driver or the system. */
  readonly says: string;
}

/** What was thrown for want of a database's answer; a defect is thrown on. @internal */
export function faultOf(error: unknown): DatabaseFault {
  if (!(error instanceof Error) || error instanceof TypeError) throw error;
  const code = "code" in error && typeof error.code === "string" ? { code: error.code } : {};
  return { ...code, says: error.message };
}

/** SQLSTATE of a statement that the user may not run. */
export const notAllowed = "42501";

/** `doing` completes the sentence "the log could not be …". */
export function databaseFailure(fault: DatabaseFault, doing: string, place: DatabasePlace): Failure {
  const { why, hint } = explanationOf(fault, place);
  return {
    code: "state",
    message: `the log could not be ${doing} at ${place.shown}: ${why}`,
    request: place.shown,
    ...excerpt(fault.says, place),
    hint,
  };
}

/** What a user needs to keep a log in the tables of roster. Lines are never changed: nobody needs a permission to. */
export function grantsSql({ user }: Pick<DatabasePlace, "user">): string {
  const to = `TO ${quoted(user)};`;
  return `GRANT SELECT ON roster_schema ${to}
GRANT SELECT, INSERT ON roster_log ${to}
GRANT SELECT, INSERT, UPDATE ON roster_checkpoint, roster_lock ${to}`;
}

function quoted(name: string): string {
  return /^[a-z_][a-z0-9_]*$/u.test(name) ? name : `"${name.replaceAll('"', '""')}"`;
}

interface DatabaseExplanation {
  readonly why: string;
  readonly hint: string;
}

function explanationOf({ code, says }: DatabaseFault, place: DatabasePlace): DatabaseExplanation {
  const byCode = code === undefined ? undefined : explanations.find(({ codes }) => codes.test(code));
  const found = byCode ?? explanations.find(({ words }) => words?.test(says));
  return found?.of(place) ?? { why: "the database refuses the statement", hint: "read the message of the database" };
}

interface KnownFault {
  readonly codes: RegExp;
  readonly words?: RegExp;
  readonly of: (place: DatabasePlace) => DatabaseExplanation;
}

const lost = "check that the database is running, and run again: earlier records are kept";

const explanations: readonly KnownFault[] = [
  {
    codes: /^(?:28P01|28000|28\w{3})$/u,
    words: /^SASL|password must be/u,
    of: ({ user }) => ({
      why: `the database rejects the login of ${user}`,
      hint: "check the user in the address, and the password in the address, PGPASSWORD or the PGPASSFILE file",
    }),
  },
  {
    codes: /^3D000$/u,
    of: ({ database }) => ({
      why: `the database ${database} does not exist`,
      hint: `create it (createdb ${database}), or name another one in the address`,
    }),
  },
  {
    codes: /^42501$/u,
    of: ({ user }) => ({
      why: `${user} has no permission for the tables of roster`,
      hint: `as their owner, run: ${grantsSql({ user }).replaceAll("\n", " ").slice(0, -1)}`,
    }),
  },
  {
    codes: /^(?:ENOTFOUND|EAI_\w+)$/u,
    of: ({ host }) => ({ why: `the host name ${host} is unknown`, hint: "correct the host in the address" }),
  },
  {
    codes: /^(?:ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|ENOENT|EACCES)$/u,
    words: /timeout expired/u,
    of: ({ host, port }) => ({
      why: `no answer from ${host}, port ${port}`,
      hint: "check that the database is running and reachable, and check host and port in the address",
    }),
  },
  {
    codes: /^(?:ERR_TLS_\w+|ERR_SSL_\w+|ERR_OSSL_\w+|CERT_\w+|\w*SELF_SIGNED\w*|UNABLE_TO_\w+|EPROTO)$/u,
    words: /SSL connection/u,
    of: () => ({
      why: "no encrypted connection to a verified server was possible",
      hint: "set sslrootcert=FILE or NODE_EXTRA_CA_CERTS, and use the host name of its certificate. Without TLS, set sslmode=disable",
    }),
  },
  {
    codes: /^(?:57P01|57P02|57P05|25P03|ECONNRESET|EPIPE|08\w{3})$/u,
    words: /terminated|connection error|not queryable|Client was closed/u,
    of: () => ({ why: "the connection to the database was lost", hint: lost }),
  },
  {
    codes: /^(?:57014|55P03)$/u,
    words: /read timeout/u,
    of: () => ({ why: "the database took too long", hint: lost }),
  },
  {
    codes: /^(?:53300|57P03)$/u,
    of: () => ({ why: "the database accepts no more connections now", hint: "wait, and run again" }),
  },
  {
    codes: /^(?:53100|53200|53\w{3}|58\w{3})$/u,
    of: () => ({
      why: "the database has no space, or its disk fails",
      hint: "free some space there and run again: earlier records are kept",
    }),
  },
  {
    codes: /^25006$/u,
    of: () => ({
      why: "the database is read-only, such as a standby",
      hint: "use the address of its primary",
    }),
  },
  {
    codes: /^(?:42P01|42703|42804|42883)$/u,
    of: () => ({
      why: "tables or functions that roster needs are missing or different",
      hint: "use PostgreSQL 12 or later. If the tables of roster were changed by hand, restore them from a copy",
    }),
  },
];

const longestExcerpt = 300;

/** The words of another program, if there are any: in one line, bounded, and without the password. */
function excerpt(text: string, { password }: DatabasePlace): Pick<Failure, "serviceSays"> {
  const line = text.slice(0, 4000).replace(/\s+/gu, " ").trim();
  const safe = password === undefined || password === "" ? line : line.replaceAll(password, "[redacted]");
  if (safe === "") return {};
  return { serviceSays: safe.length > longestExcerpt ? `${safe.slice(0, longestExcerpt)}…` : safe };
}
