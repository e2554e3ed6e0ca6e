import type { Failure } from "../../model/result.ts";
import { withOtherPlace } from "../audit-failure.ts";
import type { DatabasePlace } from "./address.ts";

/** Why a database did not do what was asked for. */
export interface DatabaseFault {
  /** A SQLSTATE, or the system's name of an error, such as `ECONNREFUSED`. */
  readonly code?: string;
  /** In the words of the database, its driver or the system. */
  readonly says: string;
}

/** What was thrown for want of a database's answer; a defect is thrown on. */
export function faultOf(error: unknown): DatabaseFault {
  if (!(error instanceof Error) || error instanceof TypeError) throw error;
  const code = "code" in error && typeof error.code === "string" ? { code: error.code } : {};
  return { ...code, says: error.message };
}

/** SQLSTATE of a statement that the user may not run. */
export const notAllowed = "42501";

/** `doing` completes the sentence "the state could not be …". */
export function databaseFailure(fault: DatabaseFault, doing: string, place: DatabasePlace): Failure {
  const { why, hint } = explanationOf(fault, place);
  return {
    code: "state",
    message: `the state could not be ${doing} at ${place.shown}: ${why}`,
    request: place.shown,
    ...excerpt(fault.says, place),
    hint,
  };
}

/** Why an audit trail could not be read or written. */
export function trailFailure(fault: DatabaseFault, doing: "read" | "written", place: DatabasePlace): Failure {
  const { why, hint } = explanationOf(fault, place);
  return {
    code: "audit",
    message: `the audit trail could not be ${doing} at ${place.shown}: ${why}`,
    request: place.shown,
    ...excerpt(fault.says, place),
    hint: withOtherPlace(hint),
  };
}

/** What a user needs to keep a state and its audit trail in the tables of roster. */
export function grantsSql({ user }: Pick<DatabasePlace, "user">): string {
  const tables = "roster_schema, roster_state, roster_journal, roster_lock";
  return `GRANT SELECT, INSERT, UPDATE, DELETE ON ${tables} TO ${quoted(user)};\n${grantAuditSql({ user })}`;
}

/** Records are never changed: nobody needs a permission to. */
export function grantAuditSql({ user }: Pick<DatabasePlace, "user">): string {
  return `GRANT SELECT, INSERT ON roster_audit TO ${quoted(user)};`;
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
