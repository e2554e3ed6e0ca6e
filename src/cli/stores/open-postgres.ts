import { hostname } from "node:os";
import { problem, success } from "../../model/result.ts";
import { type DatabasePlace, passwordFromFile, readDatabaseAddress } from "../../state/postgres/address.ts";
import { defaultTimeouts } from "../../state/postgres/connection.ts";
import { postgresStore } from "../../state/postgres/store.ts";
import { ownName } from "../../state/process-identity.ts";
import { type CommandError, invalidSetting } from "../command-error.ts";
import type { AddressSource, StoreOpener } from "./open-store.ts";

/** Takes from the environment what PostgreSQL's own programs take from it: PGPASSWORD, PGPASSFILE, PGUSER and the like. */
export const openPostgres: StoreOpener = async (address, { env, clock, randomness, secrets }, source) => {
  const said = readDatabaseAddress(address, env);
  if (!said.ok) return problem(badAddress(said.error));
  if (source.by === "checkout" && said.value.passwordFrom === "PGPASSWORD") return problem(staysHome(source.file));
  const place = withOwnPasswords(said.value, source);
  const { password, passwordFile } = place;
  secrets.keep(password ?? (passwordFile && (await passwordFromFile(passwordFile, place))) ?? "");
  const host = hostname();
  const owner = { who: `${ownName()}@${host}`, host };
  return success(postgresStore({ place, owner, clock, randomness, patience: defaultTimeouts, heartbeat: 15_000 }));
};

/** To a host that somebody else may have chosen goes only a password that is kept for just that host. */
function withOwnPasswords(place: DatabasePlace, source: AddressSource): DatabasePlace {
  const { passwordFile } = place;
  if (source.by === "person" || passwordFile === undefined) return place;
  return { ...place, passwordFile: { ...passwordFile, lines: "named" } };
}

function badAddress(what: string): CommandError {
  return invalidSetting(
    "bad-state-address",
    `The state address postgres:… ${what}.`,
    "Write postgres://USER@HOST/DATABASE?name=NAME; the password comes from PGPASSWORD or the file that PGPASSFILE names.",
  );
}

function staysHome(file: string): CommandError {
  return invalidSetting(
    "untrusted-endpoint",
    `The password of the state comes from PGPASSWORD, and its address from ${file}, which a change to the checkout can edit.`,
    "Set ROSTER_STATE or pass --state, keep the password in ~/.pgpass, or move the settings out of the checkout and name them in ROSTER_CONFIG.",
  );
}
