import { problem, type Result } from "../../model/result.ts";
import type { StateStore } from "../../ports/state-store.ts";
import type { Host } from "../host.ts";
import { passwordsIn } from "../output/given-secrets.ts";
import type { NetworkSettings, Settings } from "../settings/settings.ts";
import { type CommandError, invalidSetting } from "../stop.ts";
import type { AddressSource, StoreOpener } from "./store-opener.ts";

/** Every kind of state store, by the scheme of its address. Each is loaded only when it is named. */
const openers: Readonly<Record<string, () => Promise<StoreOpener>>> = {
  file: async () => (await import("./open-file.ts")).openFile,
  https: async () => (await import("./open-http.ts")).openHttp,
  http: async () => (await import("./open-http.ts")).openHttp,
  postgres: async () => (await import("./open-postgres.ts")).openPostgres,
  postgresql: async () => (await import("./open-postgres.ts")).openPostgres,
  s3: async () => (await import("./open-s3.ts")).openS3,
};

/** The configured state store. Reads and writes nothing yet. */
export async function openStore(
  { state, network }: Pick<Settings, "state" | "network">,
  host: Host,
): Promise<Result<StateStore, CommandError>> {
  if (state === undefined) return problem(notNamed);
  const { value, editableIn } = state;
  return openStoreAt(value, host, network, editableIn === undefined ? byPerson : { by: "checkout", file: editableIn });
}

const byPerson: AddressSource = { by: "person" };

/** The state store at an address, such as `file:.roster/state.json`. */
export async function openStoreAt(
  address: string,
  host: Host,
  network: NetworkSettings,
  source: AddressSource = byPerson,
): Promise<Result<StateStore, CommandError>> {
  for (const password of passwordsIn(address)) host.secrets.keep(password);
  const scheme = /^([a-z0-9+]+):/u.exec(address)?.[1] ?? "";
  const load = Object.hasOwn(openers, scheme) ? openers[scheme] : undefined;
  return load === undefined ? problem(unknownKind(address)) : (await load())(address, host, source, network);
}

const notNamed = invalidSetting(
  "state-not-named",
  "CI is set, and nothing says where the state lives: a state inside a pipeline's checkout would be lost.",
  "Pass --state URL or set ROSTER_STATE.",
);

function unknownKind(address: string): CommandError {
  return invalidSetting(
    "unknown-state-store",
    `The state ${withoutCredentials(address)} is not of a kind that roster knows.`,
    "Write file:PATH, such as file:.roster/state.json, https://HOST/PATH, postgres://USER@HOST/DATABASE or s3://BUCKET/PATH.",
  );
}

function withoutCredentials(address: string): string {
  return address.replace(/\/\/.*@/su, "//…@");
}
