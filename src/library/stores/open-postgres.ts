import { hostname } from "node:os";
import { ownName } from "../../files/own-name.ts";
import { type DatabasePlace, passwordFromFile, readDatabaseAddress } from "../../log/postgres/address.ts";
import { defaultTimeouts } from "../../log/postgres/connection.ts";
import { postgresStore } from "../../log/postgres/store.ts";
import { invalidSetting } from "../error.ts";
import type { Environment } from "../system.ts";
import { type StoreOpener, secretStaysHome } from "./address.ts";

export const openPostgres: StoreOpener = async (address, environment, editableIn) => {
  const place = await placeOf(address, environment, editableIn);
  const { clock, randomness } = environment;
  const machine = hostname();
  const owner = { who: `${ownName()}@${machine}`, host: machine };
  return postgresStore({ place, owner, clock, randomness, patience: defaultTimeouts, heartbeat: 15_000 });
};

/** Takes from the environment what PostgreSQL's own programs take from it: PGPASSWORD, PGPASSFILE, PGUSER and the like. */
async function placeOf(
  address: string,
  { env, secrets }: Environment,
  editableIn: string | undefined,
): Promise<DatabasePlace> {
  const said = readDatabaseAddress(address, env);
  if (!said.ok) {
    const hint =
      "Write postgres://USER@HOST/DATABASE?name=NAME; the password comes from PGPASSWORD or the file that PGPASSFILE names.";
    throw invalidSetting("bad-value", `The log address postgres:… ${said.error}.`, hint);
  }
  if (editableIn !== undefined && said.value.passwordFrom === "PGPASSWORD") {
    const instead = "Set ROSTER_STATE or pass --state, or keep the password in ~/.pgpass";
    throw secretStaysHome("The password of the log comes from PGPASSWORD, but its address", editableIn, instead);
  }
  const { password, passwordFile } = said.value;
  // To a host that somebody else may have chosen goes only a password that is kept for just that host.
  const file =
    passwordFile !== undefined && editableIn !== undefined
      ? { ...passwordFile, lines: "named" as const }
      : passwordFile;
  const place = file === undefined ? said.value : { ...said.value, passwordFile: file };
  secrets.keep(password ?? (file && (await passwordFromFile(file, place))) ?? "");
  return place;
}
