import { hostname } from "node:os";
import { ownName } from "../../files/own-name.ts";
import type { RosterLog } from "../../log/port.ts";
import { type DatabasePlace, passwordFromFile, readDatabaseAddress } from "../../log/postgres/address.ts";
import {
  clientOptions,
  connect,
  DatabaseError,
  databaseError,
  defaultTimeouts,
  notAllowed,
} from "../../log/postgres/connection.ts";
import { postgresStore } from "../../log/postgres/store.ts";
import { definedFields } from "../../model/collections.ts";
import type { Environment } from "../environment.ts";
import { errorFromFailure, invalidSetting, type RosterError, secretStaysHome } from "../error.ts";

/** Connects nothing yet. */
export async function openPostgres(
  address: string,
  environment: Environment,
  editableIn: string | undefined,
): Promise<RosterLog> {
  const place = await placeOf("log", address, environment, editableIn);
  const { clock, randomness } = environment;
  const machine = hostname();
  const owner = { who: `${ownName()}@${machine}`, host: machine };
  return postgresStore({ place, owner, clock, randomness, patience: defaultTimeouts, heartbeat: 15_000 });
}

/** The database of a fleet's queue: how pg reaches it, one session for a few statements, and what to say of an error. */
export async function openQueueDatabase(address: string, environment: Environment) {
  const found = await placeOf("queue", address, environment, undefined);
  const place = { ...found, keeps: "queue", shown: found.shown.replace(/\?name=.*$/u, "") } as const;
  const failed = (error: unknown): RosterError => {
    const known = databaseError(error, "reached", place);
    const { serviceSays: said, ...failure } = known.failure;
    const isRefused = known instanceof DatabaseError && known.code === notAllowed;
    const grant = `as the owner of the database, run: GRANT CREATE ON DATABASE "${place.database}" TO "${place.user}"`;
    const hint = isRefused ? `${grant}, or let the user who made the queue give its rights` : failure.hint;
    const message = said === undefined ? failure.message : `${failure.message}. The database says: ${said}`;
    return errorFromFailure({ ...failure, message, ...definedFields({ hint }) });
  };
  const options = await clientOptions(place);
  return { options, failed, connect: () => connect(place, defaultTimeouts) };
}

/** Takes from the environment what PostgreSQL's own programs take from it: PGPASSWORD, PGPASSFILE, PGUSER and the like. */
async function placeOf(
  of: "log" | "queue",
  address: string,
  { env, secrets }: Environment,
  editableIn: string | undefined,
): Promise<DatabasePlace> {
  const said = readDatabaseAddress(address, env);
  if (!said.ok) {
    const form = `postgres://USER@HOST/DATABASE${of === "log" ? "?name=NAME" : ""}`;
    const hint = `Write ${form}; the password comes from PGPASSWORD or the file that PGPASSFILE names.`;
    throw invalidSetting("bad-value", `The ${of} address postgres:… ${said.error}.`, hint);
  }
  const { password, passwordFrom, passwordFile, ...others } = said.value;
  if (editableIn !== undefined && passwordFrom === "PGPASSWORD") {
    const instead = "Set ROSTER_STATE or pass --state, or keep the password in ~/.pgpass";
    throw secretStaysHome("The password of the log comes from PGPASSWORD, but its address", editableIn, instead);
  }
  // To a host that somebody else may have chosen goes only a password that is kept for just that host.
  const file = passwordFile && (editableIn === undefined ? passwordFile : { ...passwordFile, lines: "named" as const });
  const place = { ...others, ...definedFields({ password, passwordFrom, passwordFile: file }) };
  secrets.keep(password ?? (file && (await passwordFromFile(file, place))) ?? "");
  return place;
}
