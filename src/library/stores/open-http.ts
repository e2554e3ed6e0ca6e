import { problem, success } from "../../model/result.ts";
import { type ServerSettings, serverPlace } from "../../state/http/address.ts";
import { httpStore } from "../../state/http/store.ts";
import { invalidSetting, type RosterError } from "../error.ts";
import { openClient } from "../network.ts";
import type { Environment } from "../system.ts";
import { type StoreOpener, secretStaysHome } from "./address.ts";

const limits = { timeout: 30_000, largestAnswer: 64 * 1024 * 1024 };

/** Takes credentials, and what is unusual about the server, from the environment. */
export const openHttp: StoreOpener = async (address, host, source, network) => {
  const said = saidOfServer(host);
  const hasSecret = said.username !== undefined || said.password !== undefined;
  if (source.by === "checkout" && hasSecret) return problem(credentialsStayHome(source.file));
  const place = serverPlace(address, said);
  if (!place.ok) return problem(invalidSetting("bad-state-address", place.error.message, place.error.hint));
  const { clock, randomness, deadline } = host;
  const { origin } = place.value.read.url;
  const http = await openClient(origin, network, host, limits);
  if (!http.ok) return http;
  // In a bundle of somebody else's program no file tells the version.
  return success(httpStore({ place: place.value, http: http.value, clock, randomness, deadline, version: "roster" }));
};

function saidOfServer({ env }: Environment): ServerSettings {
  // White space around a value comes from files that hold it.
  const said = (name: string) => env[name]?.trim();
  return {
    username: said("ROSTER_STATE_USERNAME"),
    password: said("ROSTER_STATE_PASSWORD"),
    lockAddress: said("ROSTER_STATE_LOCK_ADDRESS"),
    unlockAddress: said("ROSTER_STATE_UNLOCK_ADDRESS"),
    lockMethod: said("ROSTER_STATE_LOCK_METHOD"),
    unlockMethod: said("ROSTER_STATE_UNLOCK_METHOD"),
    updateMethod: said("ROSTER_STATE_UPDATE_METHOD"),
  };
}

function credentialsStayHome(file: string): RosterError {
  return secretStaysHome({
    secret: "The credentials of the state come from the environment, but its address",
    file,
    instead: "Set ROSTER_STATE or pass --state",
  });
}
