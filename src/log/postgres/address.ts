import { stat } from "node:fs/promises";
import { platform } from "node:process";
import { readRegularFile } from "../../files/regular-file.ts";
import { definedFields } from "../../model/collections.ts";
import { problem, type Result, success } from "../../model/result.ts";

/** Where a database is and how it is reached, with the secrets that this takes. */
export interface DatabasePlace {
  /** A host, or the directory of a socket, which begins with `/`. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password?: string;
  readonly passwordFrom?: "address" | "PGPASSWORD";
  /** Looked into for the password where there is none. */
  readonly passwordFile?: PasswordFile;
  /** `unverified`: encrypted, to any server that answers. The others are paths of PEM files. */
  readonly tls: {
    readonly mode: "off" | "verified" | "unverified";
    readonly rootCertificate?: string;
    readonly certificate?: string;
    readonly key?: string;
  };
  /** Tells the logs of one database apart. */
  readonly name: string;
  /** The address without credentials, for people. */
  readonly shown: string;
  /** A log, where it is not said. */
  readonly keeps?: "queue";
}

interface PasswordFile {
  readonly path: string;
  /** `named`: lines that hold for every host are left out, since somebody else may have chosen this one. */
  readonly lines: "all" | "named";
}

type PostgresEnvironment = Readonly<Record<string, string | undefined>>;

/**
 * Reads an address such as `postgres://user@host/database?name=NAME&sslmode=verify-full`, with what it leaves out taken
 * from the variables that PostgreSQL's own programs read. The error is a sentence that quotes nothing of the address.
 */
export function readDatabaseAddress(address: string, environment: PostgresEnvironment): Result<DatabasePlace, string> {
  const withHost = address.replace(/^([^/?#]*:\/\/[^/?#]*@)\//u, "$1localhost/");
  const url = URL.canParse(withHost) ? new URL(withHost) : undefined;
  if (url === undefined || !/^postgres(?:ql)?:\/\//u.test(address)) return problem(`is not an address; ${form}`);
  if (url.hash !== "" || address.endsWith("#")) return problem("contains a #; in a password write it as %23");
  const strange = strangeParameter(url.searchParams);
  if (strange !== undefined) return problem(strange);
  const tls = tlsOf(url.searchParams, environment);
  if (!tls.ok) return tls;
  try {
    return placeOf(url, tls.value, environment);
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    return problem("contains a % that starts no escape; write it as %25");
  }
}

const form = "write postgres://USER@HOST/DATABASE?name=NAME";

const parameters = ["name", "host", "sslmode", "sslrootcert", "sslcert", "sslkey"];

function strangeParameter(given: URLSearchParams): string | undefined {
  const names = [...given.keys()];
  const unknown = names.find((name) => !parameters.includes(name));
  if (unknown !== undefined) return `has an unknown parameter; the known ones are ${parameters.join(", ")}`;
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  return twice === undefined ? undefined : `has the parameter ${twice} twice`;
}

/** As pg understands them: every mode that asks for encryption checks the certificate, unless it says not to. */
const modes: Readonly<Record<string, DatabasePlace["tls"]["mode"]>> = {
  disable: "off",
  prefer: "verified",
  require: "verified",
  "verify-ca": "verified",
  "verify-full": "verified",
  "no-verify": "unverified",
};

function tlsOf(given: URLSearchParams, environment: PostgresEnvironment): Result<DatabasePlace["tls"], string> {
  const file = (name: string) => given.get(name) || undefined;
  const files = definedFields({
    rootCertificate: file("sslrootcert"),
    certificate: file("sslcert"),
    key: file("sslkey"),
  });
  const implied = Object.keys(files).length > 0 ? "verify-full" : "disable";
  const said = given.get("sslmode") ?? (environment["PGSSLMODE"] || implied);
  const mode = Object.hasOwn(modes, said) ? modes[said] : undefined;
  if (mode === undefined) return problem(`has an unknown sslmode; the known ones are ${Object.keys(modes).join(", ")}`);
  return success({ mode, ...files });
}

function placeOf(
  { username, password: secret, hostname, pathname, port, searchParams }: URL,
  tls: DatabasePlace["tls"],
  environment: PostgresEnvironment,
): Result<DatabasePlace, string> {
  const [named, written, said, database] = [username, secret, hostname, pathname.slice(1)].map(decodeURIComponent);
  const name = searchParams.get("name") ?? "roster";
  if (!/^[\p{L}\p{N}][\p{L}\p{N}._/-]{0,99}$/u.test(name)) {
    return problem("has an invalid name; use up to 100 letters, digits, dots, dashes, underscores and slashes");
  }
  if (!database) return problem(`names no database; ${form}`);
  const user = named || environment["PGUSER"] || environment["USER"] || environment["LOGNAME"];
  if (!user) return problem(`names no user, and PGUSER is not set; ${form}`);
  const withoutBrackets = (said ?? "").replace(/^\[(.*)\]$/u, "$1");
  const host = searchParams.get("host") ?? (withoutBrackets || environment["PGHOST"] || "localhost");
  const number = Number(port || environment["PGPORT"] || 5432);
  if (!Number.isInteger(number) || number < 1 || number > 65535) return problem("has an invalid port");
  const password = written || environment["PGPASSWORD"] || undefined;
  const passwordFrom = password === undefined ? undefined : written ? "address" : "PGPASSWORD";
  const shown = `postgres://${host.includes(":") ? `[${host}]` : encodeURI(host)}:${number}/${encodeURI(database)}`;
  return success({
    host,
    port: number,
    database,
    user,
    ...definedFields({ password, passwordFrom, passwordFile: passwordFileOf(environment) } as const),
    tls,
    name,
    shown: `${shown}?name=${name}`,
  });
}

function passwordFileOf({ PGPASSFILE, HOME, APPDATA }: PostgresEnvironment): PasswordFile | undefined {
  const ofUser = APPDATA === undefined ? HOME && `${HOME}/.pgpass` : `${APPDATA}\\postgresql\\pgpass.conf`;
  const path = PGPASSFILE || ofUser;
  return path === undefined ? undefined : { path, lines: "all" };
}

/** In bytes. */
const largest = 1024 * 1024;

/**
 * The password that PostgreSQL's password file gives for a database: of the first line `host:port:database:user:password` that fits,
 * where `*` stands for anything. A file that is missing, or that others may read, gives none, as with PostgreSQL's programs.
 */
export async function passwordFromFile(
  { path, lines }: PasswordFile,
  { host, port, database, user }: Pick<DatabasePlace, "host" | "port" | "database" | "user">,
): Promise<string | undefined> {
  // A client of a socket is on this machine.
  const wanted = [host.startsWith("/") ? "localhost" : host, String(port), database, user];
  let text: string;
  try {
    const found = await stat(path);
    const othersMayRead = platform !== "win32" && (found.mode & 0o077) !== 0;
    if (!found.isFile() || othersMayRead) return undefined;
    text = (await readRegularFile(path, largest)).toString("utf8");
  } catch {
    return undefined;
  }
  for (const line of text.split(/\r?\n/u)) {
    // A colon within a field, and a backslash, stand behind a backslash.
    const fields = line.split(/(?<=(?<!\\)(?:\\\\)*):/u).map((field) => field.replace(/\\(.)/gu, "$1"));
    const isNamed = lines === "all" || fields[0] !== "*";
    if (line.startsWith("#") || fields.length < 5 || !isNamed) continue;
    if (wanted.every((one, at) => fields[at] === "*" || fields[at] === one)) return fields.slice(4).join(":");
  }
  return undefined;
}
