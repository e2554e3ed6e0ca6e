import { isAbsolute, resolve } from "node:path";
import { fileStore } from "../../log/file/store.ts";
import { emptyMemory, memoryStore } from "../../log/memory.ts";
import { type Failure, problem, type Result, success } from "../../model/result.ts";
import type { State } from "../../model/state.ts";
import type { Clock, Randomness } from "../../ports/clock.ts";
import type { RosterLog } from "../../ports/log.ts";
import {
  errorFromFailure,
  invalidSetting,
  type LibraryError,
  libraryError,
  libraryResult,
  type RosterError,
} from "../error.ts";
import type { NetworkSettings } from "../network.ts";
import { aText, type OptionChecks, optionsError, recordOf, required, systemChecks } from "../options.ts";
import { newSecrets, passwordsIn, type Secrets } from "../secrets.ts";
import { type Environment, newEnvironment, type SystemOptions } from "../system.ts";
import { type AddressSource, byPerson, type StoreOpener } from "./address.ts";

/** Every kind of store of a log, by the scheme of its address. Each is loaded only when it is named. */
const stores: Readonly<Record<string, () => Promise<StoreOpener>>> = {
  file: async () => openFile,
  memory: async () => openMemory,
  postgres: async () => (await import("./open-postgres.ts")).openPostgres,
  postgresql: async () => (await import("./open-postgres.ts")).openPostgres,
  s3: async () => (await import("./open-s3.ts")).openS3,
};

/** How an address is reached, and who says whether a file may be used. @internal */
export interface PlaceOptions {
  readonly network?: NetworkSettings;
  /** Why a file of this machine is not believed. It is asked before the file is opened. */
  readonly distrusts?: (path: string) => Promise<RosterError | undefined>;
}

/** The log at an address, such as `file:.roster/log.jsonl`. Reads and writes nothing yet. @internal */
export async function openStoreAt(
  address: string,
  environment: Environment,
  { network = {}, distrusts, source = byPerson }: PlaceOptions & { readonly source?: AddressSource } = {},
): Promise<Result<RosterLog, RosterError>> {
  for (const password of passwordsIn(address)) environment.secrets.keep(password);
  const load = entryOf(stores, address);
  if (load === undefined) return problem(unknownKind(address));
  const path = storePath(address, environment);
  const wrong = path === undefined ? undefined : await distrusts?.(path);
  return wrong === undefined ? (await load())(address, environment, source, network) : problem(wrong);
}

function entryOf<Opener>(openers: Readonly<Record<string, Opener>>, address: string): Opener | undefined {
  const scheme = /^([a-z0-9+]+):/u.exec(address)?.[1] ?? "";
  return Object.hasOwn(openers, scheme) ? openers[scheme] : undefined;
}

/** Undefined where the log is in no file, or the address has no path. */
function storePath(address: string, { cwd }: Environment): string | undefined {
  if (!address.startsWith("file:")) return undefined;
  const written = address.slice("file:".length);
  return written === "" ? undefined : resolve(cwd, written.replace(/^\/\/(?=\/)/u, ""));
}

const openFile: StoreOpener = async (address, environment) => {
  const path = storePath(address, environment);
  if (path === undefined) return problem(noPath);
  const { clock, randomness, localSystem: system } = environment;
  return success(fileStore({ path, clock, randomness, ...(system === undefined ? {} : { system }) }));
};

const openMemory: StoreOpener = async (_address, ports) => success(memoryStore(emptyMemory(), ports));

const noPath = invalidSetting(
  "bad-value",
  "The log address file: has no path.",
  "Write file:PATH, such as file:.roster/log.jsonl.",
);

function unknownKind(address: string): RosterError {
  return invalidSetting(
    "bad-value",
    `The log address ${withoutCredentials(address)} has an unknown kind.`,
    "Write file:PATH, such as file:.roster/log.jsonl, postgres://USER@HOST/DATABASE or s3://BUCKET/PATH.",
  );
}

function withoutCredentials(address: string): string {
  return address.replace(/\/\/.*@/su, "//…@");
}

/** For runs: two histories would do things twice. @internal */
export function refusingMoved(store: RosterLog): RosterLog {
  return {
    ...store,
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
  };
}

function stateWasMoved(address: string, { to, at }: NonNullable<State["moved"]>): Failure {
  return {
    code: "state",
    message: `the log of ${address} was moved to ${to} at ${at}`,
    hint: `name it with --state ${to}, ROSTER_STATE or \`state:\` in the settings (in CI: outside the checkout)`,
  };
}

export interface OpenStateOptions extends SystemOptions {
  /** Such as `file:/var/lib/roster/log.jsonl`, `postgres://…`, `s3://…`, or `memory:` for a test. */
  readonly url: string;
  /** An absolute directory, at which the relative path of a `file:` starts. */
  readonly cwd?: string;
  /**
   * Credentials and the like, by the names of the variables that the command reads: `PGPASSWORD`,
   * `AWS_ACCESS_KEY_ID`, `https_proxy`. The library itself reads no variable of the process.
   */
  readonly variables?: Readonly<Record<string, string | undefined>>;
}

const openStateChecks: OptionChecks<OpenStateOptions> = {
  ...systemChecks,
  url: required(aText),
  cwd: aText,
  variables: recordOf(aText, "an object of texts"),
};

/** A state that can be planned with. */
export interface OpenedState extends AsyncDisposable {
  /** Such as `file:/var/lib/roster/log.jsonl`, without credentials. */
  readonly address: string;
  /** The state as the last run left it. Takes no lock. */
  read(): Promise<Result<State, LibraryError>>;
  /** Ends its connections. */
  close(): Promise<void>;
  /** @internal */
  readonly store: RosterLog;
  /** @internal */
  readonly clock: Clock;
  /** @internal */
  readonly randomness: Randomness;
  /** @internal */
  readonly secrets: Secrets;
}

/** Opens a state, or says what is wrong with its address. Reads and writes nothing yet. */
export async function openState(options: OpenStateOptions): Promise<Result<OpenedState, LibraryError>> {
  const unusable = optionsError("openState", openStateChecks, options);
  if (unusable !== undefined) return problem(libraryError(unusable, newSecrets()));
  const environment = newEnvironment(options);
  const { secrets, clock, randomness } = environment;
  const wrong = pathError(options.url, options);
  if (wrong !== undefined) return problem(libraryError(wrong, secrets));
  const opened = await openStoreAt(options.url, environment);
  if (!opened.ok) return problem(libraryError(opened.error, secrets));
  const store = refusingMoved(opened.value);
  return success({
    address: store.address,
    async read() {
      const state = await store.read();
      return libraryResult(state.ok ? state : problem(errorFromFailure(state.error)), secrets);
    },
    close: () => store.close(),
    [Symbol.asyncDispose]: () => store.close(),
    store,
    clock,
    randomness,
    secrets,
  });
}

/** Where the process stands is nothing that the library knows. */
function pathError(url: string, { cwd }: OpenStateOptions): RosterError | undefined {
  if (!url.startsWith("file:")) return undefined;
  const path = url.slice("file:".length).replace(/^\/\/(?=\/)/u, "");
  if (path === "" || isAbsolute(path) || (cwd !== undefined && isAbsolute(cwd))) return undefined;
  return invalidSetting(
    "bad-option",
    `The path of ${url} is relative, and the option \`cwd\` gives no absolute directory.`,
    "Write an absolute path, or give `cwd`.",
  );
}
