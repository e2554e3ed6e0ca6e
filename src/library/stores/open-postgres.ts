import { hostname } from "node:os";
import { ownName } from "../../files/own-name.ts";
import { passwordFromFile, readDatabaseAddress } from "../../log/postgres/address.ts";
import { defaultTimeouts } from "../../log/postgres/connection.ts";
import { postgresStore } from "../../log/postgres/store.ts";
import { definedFields } from "../../model/collections.ts";
import type { RosterLog } from "../../ports/log.ts";
import { invalidSetting, secretStaysHome } from "../error.ts";
import type { Environment } from "../system.ts";

/** Connects nothing yet. Takes from the environment what PostgreSQL's own programs take from it: PGPASSWORD, PGPASSFILE, PGUSER and the like. */
export async function openPostgres(
  address: string,
  { env, secrets, clock, randomness }: Environment,
  editableIn: string | undefined,
): Promise<RosterLog> {
  const said = readDatabaseAddress(address, env);
  if (!said.ok) {
    const hint =
      "Write postgres://USER@HOST/DATABASE?name=NAME; the password comes from PGPASSWORD or the file that PGPASSFILE names.";
    throw invalidSetting("bad-value", `The log address postgres:… ${said.error}.`, hint);
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
  const machine = hostname();
  const owner = { who: `${ownName()}@${machine}`, host: machine };
  return postgresStore({ place, owner, clock, randomness, patience: defaultTimeouts, heartbeat: 15_000 });
}
