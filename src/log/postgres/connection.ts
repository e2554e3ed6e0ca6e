import { Socket } from "node:net";
import type { ConnectionOptions } from "node:tls";
import { Client } from "pg";
import { readRegularFile } from "../../files/regular-file.ts";
import { definedFields } from "../../model/collections.ts";
import type { JsonObject } from "../../model/json.ts";
import { StoreError } from "../store-error.ts";
import { type DatabasePlace, passwordFromFile } from "./address.ts";

/** One session of a database. Statements that are asked for at once run one after the other. */
export type DatabaseConnection = ReturnType<typeof overClient>;

interface QueryResult {
  readonly rows: readonly JsonObject[];
  /** How many rows a statement wrote or read. */
  readonly count: number;
}

/** A text of a row; undefined for anything else, NULL among it. */
export function textAt(row: JsonObject | undefined, column: string): string | undefined {
  const value = row?.[column];
  return typeof value === "string" ? value : undefined;
}

/** A whole number from 0 that fits a number, whether it came as one or as text. */
export function wholeAt(row: JsonObject | undefined, column: string): number | undefined {
  const value = row?.[column];
  const number = typeof value === "string" && /^\d{1,16}$/u.test(value) ? Number(value) : value;
  return typeof number === "number" && Number.isSafeInteger(number) && number >= 0 ? number : undefined;
}

/** How long is waited for a database, in milliseconds. */
export interface Timeouts {
  readonly connect: number;
  readonly statement: number;
}

export const defaultTimeouts: Timeouts = { connect: 15_000, statement: 30_000 };

/** Opens a session in which what is committed is durable, and no statement runs or waits without end. */
export async function connect(place: DatabasePlace, patience: Timeouts): Promise<DatabaseConnection> {
  const options = await clientOptions(place);
  const socket = new Socket();
  const client = new Client({
    ...options,
    stream: () => socket,
    application_name: "roster",
    connectionTimeoutMillis: patience.connect,
    // The server gives up first and says why; this is for a server that has gone silent.
    query_timeout: patience.statement * 1.5,
    keepAlive: true,
  });
  // The next statement shows that a session ended while nothing ran.
  client.on("error", () => undefined);
  const connection = overClient(client, socket, place);
  try {
    await client.connect();
    await connection.run("reached", settingsOf(patience));
    return connection;
  } catch (error) {
    await connection.close();
    throw databaseError(error, "reached", place);
  }
}

export async function clientOptions(place: DatabasePlace) {
  const { host, port, database, user, password, passwordFile } = place;
  const ssl = await tlsOptions(place);
  const ask = async () => password ?? (passwordFile && (await passwordFromFile(passwordFile, place))) ?? "";
  return { host, port, database, user, password: ask, ssl };
}

async function tlsOptions(place: DatabasePlace): Promise<ConnectionOptions | false> {
  const { mode, rootCertificate, certificate, key } = place.tls;
  if (mode === "off") return false;
  try {
    const [ca, cert, secret] = await Promise.all([rootCertificate, certificate, key].map(textOf));
    return { rejectUnauthorized: mode === "verified", ...definedFields({ ca, cert, key: secret }) };
  } catch (error) {
    throw databaseError(error, "reached", place, "ERR_TLS_FILE");
  }
}

async function textOf(path: string | undefined): Promise<string | undefined> {
  return path === undefined ? undefined : (await readRegularFile(path, largestCertificates)).toString("utf8");
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
function overClient(client: Client, socket: Socket, place: DatabasePlace) {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;

  async function next(statement: string, values: readonly unknown[]): Promise<QueryResult> {
    if (!socket.destroyed) socket.ref();
    try {
      // Several statements without values are one transaction, and the last one's answer is returned.
      const asked = values.length === 0 ? client.query(statement) : client.query(statement, [...values]);
      const answer = [await asked].flat().at(-1);
      return { rows: answer?.rows ?? [], count: answer?.rowCount ?? 0 };
    } catch (error) {
      // What still runs there can no longer be distinguished from what is asked next.
      if (error instanceof Error && error.message === "Query read timeout") socket.destroy();
      throw error;
    } finally {
      waiting -= 1;
      if (waiting === 0 && !socket.destroyed) socket.unref();
    }
  }

  return {
    place,
    /** Throws a `DatabaseError`. `doing` completes the sentence "the log could not be …". */
    async run(doing: string, statement: string, values: readonly unknown[] = []): Promise<QueryResult> {
      waiting += 1;
      const answer = last.then(() => next(statement, values));
      last = answer.catch(() => undefined);
      try {
        return await answer;
      } catch (error) {
        throw databaseError(error, doing, place);
      }
    },
    /** Ends the session, at once where a statement still runs. Never fails. */
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

export class DatabaseError extends StoreError {
  /** A SQLSTATE, or the system's name of an error, such as `ECONNREFUSED`. */
  readonly code: string | undefined;

  constructor(code: string | undefined, failure: StoreError["failure"]) {
    super(failure);
    this.code = code;
  }
}

/** SQLSTATE of a statement that the user may not run. */
export const notAllowed = "42501";

/** What was thrown for want of a database's answer, in our words and its own; a defect is thrown on. */
export function databaseError(error: unknown, doing: string, place: DatabasePlace, known?: string): StoreError {
  if (error instanceof StoreError) return error;
  if (!(error instanceof Error) || error instanceof TypeError) throw error;
  const code = known ?? ("code" in error && typeof error.code === "string" ? error.code : undefined);
  const [, why = "", hint = ""] =
    explanations.find(([pattern]) => pattern.test(`${code ?? ""} ${error.message}`)) ?? [];
  const grants = grantsSql(place).replaceAll("\n", " ").slice(0, -1);
  const parts: Readonly<Record<string, unknown>> = { ...place, grants };
  const filled = (text: string) => text.replace(/\{(\w+)\}/gu, (_, part: string) => String(parts[part]));
  return new DatabaseError(code, {
    code: "state",
    message: `the ${place.keeps ?? "log"} could not be ${doing} at ${place.shown}: ${filled(why)}`,
    request: place.shown,
    ...definedFields({ serviceSays: excerpt(error.message, place) }),
    hint: filled(hint),
  });
}

/** What a user needs to keep a log in the tables of roster. Lines are never changed: nobody needs a permission to. */
export function grantsSql({ user }: Pick<DatabasePlace, "user">): string {
  const to = `TO ${/^[a-z_][a-z0-9_]*$/u.test(user) ? user : `"${user.replaceAll('"', '""')}"`};`;
  return `GRANT SELECT ON roster_schema ${to}
GRANT SELECT, INSERT ON roster_log ${to}
GRANT SELECT, INSERT, UPDATE ON roster_checkpoint, roster_lock ${to}`;
}

const lost = "check that the database is running, and run again: earlier records are kept";

/** What the code of an error, or else its words, stand for. In braces: a part of the place. */
const explanations: readonly (readonly [pattern: RegExp, why: string, hint: string])[] = [
  [
    /^28\w{3} |^ SASL|password must be/u,
    "the database rejects the login of {user}",
    "check the user in the address, and the password in the address, PGPASSWORD or the PGPASSFILE file",
  ],
  [
    /^3D000 /u,
    "the database {database} does not exist",
    "create it (createdb {database}), or name another one in the address",
  ],
  [/^42501 /u, "{user} has no permission for the tables of roster", "as their owner, run: {grants}"],
  [/^(?:ENOTFOUND|EAI_\w+) /u, "the host name {host} is unknown", "correct the host in the address"],
  [
    /^(?:ECONNREFUSED|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|ENOENT|EACCES) |timeout expired/u,
    "no answer from {host}, port {port}",
    "check that the database is running and reachable, and check host and port in the address",
  ],
  [
    /^(?:ERR_TLS_\w+|ERR_SSL_\w+|ERR_OSSL_\w+|CERT_\w+|\w*SELF_SIGNED\w*|UNABLE_TO_\w+|EPROTO) |SSL connection/u,
    "no encrypted connection to a verified server was possible",
    "set sslrootcert=FILE or NODE_EXTRA_CA_CERTS, and use the host name of its certificate. Without TLS, set sslmode=disable",
  ],
  [/^(?:57014|55P03) |read timeout/u, "the database took too long", lost],
  [/^(?:53300|57P03) /u, "the database accepts no more connections now", "wait, and run again"],
  [
    /^(?:53|58)\w{3} /u,
    "the database has no space, or its disk fails",
    "free some space there and run again: earlier records are kept",
  ],
  [/^25006 /u, "the database is read-only, such as a standby", "use the address of its primary"],
  [
    /^(?:42P01|42703|42804|42883) /u,
    "tables or functions that roster needs are missing or different",
    "use PostgreSQL 12 or later. If the tables of roster were changed by hand, restore them from a copy",
  ],
  [
    /^(?:57P01|57P02|57P05|25P03|ECONNRESET|EPIPE|08\w{3}) |terminated|connection error|not queryable|Client was closed/u,
    "the connection to the database was lost",
    lost,
  ],
  [/^/u, "the database refuses the statement", "read the message of the database"],
];

const longestExcerpt = 300;

/** The words of another program, if there are any: in one line, bounded, and without the password. */
function excerpt(text: string, { password }: DatabasePlace): string | undefined {
  const line = text.slice(0, 4000).replace(/\s+/gu, " ").trim();
  const safe = password === undefined || password === "" ? line : line.replaceAll(password, "[redacted]");
  if (safe === "") return undefined;
  return safe.length > longestExcerpt ? `${safe.slice(0, longestExcerpt)}…` : safe;
}
