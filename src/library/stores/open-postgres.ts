import { hostname } from "node:os";
import { ownName } from "../../log/lease.ts";
import { type DatabasePlace, passwordFromFile, readDatabaseAddress } from "../../log/postgres/address.ts";
import { defaultTimeouts } from "../../log/postgres/connection.ts";
import { postgresStore } from "../../log/postgres/store.ts";
import { problem, type Result, success } from "../../model/result.ts";
import { invalidSetting, type RosterError } from "../error.ts";
import type { Environment } from "../system.ts";
import { type AddressSource, type StoreOpener, secretStaysHome } from "./address.ts";

export const openPostgres: StoreOpener = async (address, host, source) => {
  const place = await placeOf(address, host, source);
  if (!place.ok) return place;
  const { clock, randomness } = host;
  const machine = hostname();
  const owner = { who: `${ownName()}@${machine}`, host: machine };
  const options = { owner, clock, randomness, patience: defaultTimeouts, heartbeat: 15_000 };
  return success(postgresStore({ place: place.value, ...options }));
};

/** Takes from the environment what PostgreSQL's own programs take from it: PGPASSWORD, PGPASSFILE, PGUSER and the like. */
async function placeOf(
  address: string,
  { env, secrets }: Environment,
  source: AddressSource,
): Promise<Result<DatabasePlace, RosterError>> {
  const said = readDatabaseAddress(address, env);
  if (!said.ok) return problem(badAddress(said.error));
  if (source.by === "checkout" && said.value.passwordFrom === "PGPASSWORD") return problem(staysHome(source.file));
  const place = withOwnPasswords(said.value, source);
  const { password, passwordFile } = place;
  secrets.keep(password ?? (passwordFile && (await passwordFromFile(passwordFile, place))) ?? "");
  return success(place);
}

/** To a host that somebody else may have chosen goes only a password that is kept for just that host. */
function withOwnPasswords(place: DatabasePlace, source: AddressSource): DatabasePlace {
  const { passwordFile } = place;
  if (source.by === "person" || passwordFile === undefined) return place;
  return { ...place, passwordFile: { ...passwordFile, lines: "named" } };
}

function badAddress(what: string): RosterError {
  return invalidSetting(
    "bad-value",
    `The log address postgres:… ${what}.`,
    "Write postgres://USER@HOST/DATABASE?name=NAME; the password comes from PGPASSWORD or the file that PGPASSFILE names.",
  );
}

function staysHome(file: string): RosterError {
  return secretStaysHome({
    secret: "The password of the log comes from PGPASSWORD, but its address",
    file,
    instead: "Set ROSTER_STATE or pass --state, or keep the password in ~/.pgpass",
  });
}
