import { stat } from "node:fs/promises";
import { platform } from "node:process";
import { readRegularFile } from "../../files/regular-file.ts";
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
  readonly tls: TlsSettings;
  /** Tells the states of one database apart. */
  readonly name: string;
  /** The address without credentials, for people. */
  readonly shown: string;
}

interface PasswordFile {
  readonly path: string;
  /** `named`: lines that hold for every host are left out, since somebody else may have chosen this one. */
  readonly lines: "all" | "named";
}

interface TlsSettings {
  readonly mode: TlsMode;
  /** Paths of PEM files. */
  readonly rootCertificate?: string;
  readonly certificate?: string;
  readonly key?: string;
}

/** `unverified`: encrypted, to any server that answers. */
type TlsMode = "off" | "verified" | "unverified";

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
  const parts = decoded(url);
  if (parts === undefined) return problem("contains a % that starts no escape; write it as %25");
  return placeOf(url, parts, tls.value, environment);
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
const modes: Readonly<Record<string, TlsMode>> = {
  disable: "off",
  prefer: "verified",
  require: "verified",
  "verify-ca": "verified",
  "verify-full": "verified",
  "no-verify": "unverified",
};

function tlsOf(given: URLSearchParams, environment: PostgresEnvironment): Result<TlsSettings, string> {
  const [root, certificate, key] = ["sslrootcert", "sslcert", "sslkey"].map((name) => given.get(name) ?? "");
  const files = {
    ...(root ? { rootCertificate: root } : {}),
    ...(certificate ? { certificate } : {}),
    ...(key ? { key } : {}),
  };
  const implied = Object.keys(files).length > 0 ? "verify-full" : "disable";
  const said = given.get("sslmode") ?? (environment["PGSSLMODE"] || implied);
  const mode = Object.hasOwn(modes, said) ? modes[said] : undefined;
  if (mode === undefined) return problem(`has an unknown sslmode; the known ones are ${Object.keys(modes).join(", ")}`);
  return success({ mode, ...files });
}

type AddressParts = Required<Pick<DatabasePlace, "user" | "password" | "host" | "database">>;

function decoded({ username, password, hostname, pathname }: URL): AddressParts | undefined {
  try {
    const [user, secret, host, database] = [username, password, hostname, pathname.slice(1)].map(decodeURIComponent);
    return { user: user ?? "", password: secret ?? "", host: host ?? "", database: database ?? "" };
  } catch {
    return undefined;
  }
}

function placeOf(
  { port, searchParams }: URL,
  parts: AddressParts,
  tls: TlsSettings,
  environment: PostgresEnvironment,
): Result<DatabasePlace, string> {
  const name = searchParams.get("name") ?? "roster";
  if (!/^[\p{L}\p{N}][\p{L}\p{N}._/-]{0,99}$/u.test(name)) {
    return problem("has an invalid name; use up to 100 letters, digits, dots, dashes, underscores and slashes");
  }
  if (parts.database === "") return problem(`names no database; ${form}`);
  const user = parts.user || environment["PGUSER"] || environment["USER"] || environment["LOGNAME"] || "";
  if (user === "") return problem(`names no user, and PGUSER is not set; ${form}`);
  const host = searchParams.get("host") ?? (bare(parts.host) || environment["PGHOST"] || "localhost");
  const passwordFile = passwordFileOf(environment);
  const number = Number(port || environment["PGPORT"] || 5432);
  if (!Number.isInteger(number) || number < 1 || number > 65535) return problem("has an invalid port");
  const shown = `postgres://${host.includes(":") ? `[${host}]` : encodeURI(host)}:${number}/${encodeURI(parts.database)}`;
  return success({
    host,
    port: number,
    database: parts.database,
    user,
    ...passwordOf(parts, environment),
    ...(passwordFile === undefined ? {} : { passwordFile }),
    tls,
    name,
    shown: `${shown}?name=${name}`,
  });
}

function passwordOf(
  { password }: AddressParts,
  { PGPASSWORD }: PostgresEnvironment,
): Pick<DatabasePlace, "password" | "passwordFrom"> {
  if (password !== "") return { password, passwordFrom: "address" };
  return PGPASSWORD ? { password: PGPASSWORD, passwordFrom: "PGPASSWORD" } : {};
}

/** An IPv6 address without the brackets that a URL puts around it. */
function bare(host: string): string {
  return host.replace(/^\[(.*)\]$/u, "$1");
}

function passwordFileOf({ PGPASSFILE, HOME, APPDATA }: PostgresEnvironment): PasswordFile | undefined {
  if (PGPASSFILE !== undefined && PGPASSFILE !== "") return { path: PGPASSFILE, lines: "all" };
  if (APPDATA !== undefined) return { path: `${APPDATA}\\postgresql\\pgpass.conf`, lines: "all" };
  return HOME === undefined ? undefined : { path: `${HOME}/.pgpass`, lines: "all" };
}

/** In bytes. */
const largest = 1024 * 1024;

type Sought = Pick<DatabasePlace, "host" | "port" | "database" | "user">;

/**
 * The password that PostgreSQL's password file gives for a database: a line `host:port:database:user:password`, where
 * `*` stands for anything. A file that is missing, or that others may read, gives none, as with PostgreSQL's programs.
 */
export async function passwordFromFile(file: PasswordFile, sought: Sought): Promise<string | undefined> {
  try {
    const found = await stat(file.path);
    const othersMayRead = platform !== "win32" && (found.mode & 0o077) !== 0;
    return !found.isFile() || othersMayRead
      ? undefined
      : passwordIn((await readRegularFile(file.path, largest)).toString("utf8"), file.lines, sought);
  } catch {
    return undefined;
  }
}

/** The password of the first line that fits. */
function passwordIn(text: string, lines: PasswordFile["lines"], sought: Sought): string | undefined {
  const { host, port, database, user } = sought;
  // A client of a socket is on this machine.
  const wanted = [host.startsWith("/") ? "localhost" : host, String(port), database, user];
  const found = text
    .split(/\r?\n/u)
    .filter((line) => !line.startsWith("#"))
    .map((line) => fieldsOf(line).map(unescaped))
    .find(([...fields]) => {
      const isNamed = lines === "all" || fields[0] !== "*";
      return fields.length >= 5 && isNamed && wanted.every((one, at) => fields[at] === "*" || fields[at] === one);
    });
  return found?.slice(4).join(":");
}

/** A colon within a field, and a backslash, stand behind a backslash. */
function fieldsOf(line: string): readonly string[] {
  return line.split(/(?<=(?<!\\)(?:\\\\)*):/u);
}

function unescaped(field: string): string {
  return field.replace(/\\(.)/gu, "$1");
}
