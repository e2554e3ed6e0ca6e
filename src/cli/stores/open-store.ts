import { type Failure, problem, type Result, success } from "../../model/result.ts";
import type { State } from "../../model/state.ts";
import type { StateStore } from "../../ports/state-store.ts";
import { type CommandError, invalidSetting } from "../command-error.ts";
import type { Host } from "../host.ts";
import type { CommandResult } from "../output/finish.ts";
import { passwordsIn } from "../output/secrets.ts";
import type { NetworkSettings, Settings } from "../settings/settings.ts";

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
  "missing-state-address",
  "CI is set, but no state address is set: a state in the checkout would be lost.",
  "Pass --state URL or set ROSTER_STATE.",
);

function unknownKind(address: string): CommandError {
  return invalidSetting(
    "unknown-state-store",
    `The state address ${withoutCredentials(address)} has an unknown kind.`,
    "Write file:PATH, such as file:.roster/state.json, https://HOST/PATH, postgres://USER@HOST/DATABASE or s3://BUCKET/PATH.",
  );
}

function withoutCredentials(address: string): string {
  return address.replace(/\/\/.*@/su, "//…@");
}

/** Makes a store of a state address, such as `file:.roster/state.json`, or says what is wrong with it. Connects nothing yet. */
export type StoreOpener = (
  address: string,
  host: Host,
  source: AddressSource,
  network: NetworkSettings,
) => Promise<Result<StateStore, CommandError>>;

/**
 * Who names a state address. `checkout`: a settings file that a change to the checkout can edit, so that secrets of the
 * environment must not go where the address points.
 */
export type AddressSource =
  | { readonly by: "person" }
  | {
      readonly by: "checkout";
      /** The settings file, as shown to a person. */
      readonly file: string;
    };

/** The configured state store, for runs. What was moved elsewhere is refused there: two histories would do things twice. */
export async function openUsableStore(
  settings: Pick<Settings, "state" | "network">,
  host: Host,
): Promise<Result<StateStore, CommandError>> {
  const store = await openStore(settings, host);
  return store.ok ? success(refusingMoved(store.value)) : store;
}

function refusingMoved(store: StateStore): StateStore {
  return {
    address: store.address,
    async read() {
      const state = await store.read();
      return state.ok && state.value.moved !== undefined
        ? problem(stateWasMoved(store.address, state.value.moved))
        : state;
    },
    async lock(run, options) {
      const session = await store.lock(run, options);
      if (!session.ok || session.value.state.moved === undefined) return session;
      await session.value.close();
      return problem(stateWasMoved(store.address, session.value.state.moved));
    },
    holder: () => store.holder(),
    unlock: (id) => store.unlock(id),
    verify: () => store.verify(),
    close: () => store.close(),
  };
}

function stateWasMoved(address: string, { to, at }: NonNullable<State["moved"]>): Failure {
  return {
    code: "state",
    message: `the state of ${address} was moved to ${to} at ${at}`,
    hint: `name it with --state ${to}, ROSTER_STATE or \`state:\` in the settings`,
  };
}

export interface StateFlags {
  readonly state?: string | undefined;
}

export const stateResult: CommandResult = { command: "state", tells: "success-only", diagnostics: [] };
