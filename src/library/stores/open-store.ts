import { isAbsolute, resolve } from "node:path";
import { fileAuditTrail } from "../../log/file/audit-trail.ts";
import { fileStore } from "../../log/file/store.ts";
import { emptyMemory, memoryStore } from "../../log/session.ts";
import { type Failure, problem, type Result, success } from "../../model/result.ts";
import type { State } from "../../model/state.ts";
import type { Clock, Randomness } from "../../ports/clock.ts";
import type { AuditTrail, StateStore } from "../../ports/state-store.ts";
import type { AuditPlace } from "../apply/audited-session.ts";
import type { OpenAuditPlace } from "../apply/lock.ts";
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
import { type Environment, newEnvironment, type SystemOptions, sha256 } from "../system.ts";
import { type AddressSource, byPerson, type StoreOpener, type TrailAddress, type TrailOpener } from "./address.ts";

/** Every kind of state store, by the scheme of its address. Each is loaded only when it is named. */
const stores: Readonly<Record<string, () => Promise<StoreOpener>>> = {
  file: async () => openFile,
  memory: async () => openMemory,
  postgres: async () => (await import("./open-postgres.ts")).openPostgres,
  postgresql: async () => (await import("./open-postgres.ts")).openPostgres,
  s3: async () => (await import("./open-s3.ts")).openS3,
};

/** Every kind of audit trail, likewise. */
const trails: Readonly<Record<string, () => Promise<TrailOpener>>> = {
  file: async () => openFileTrail,
  postgres: async () => (await import("./open-postgres.ts")).openPostgresTrail,
  postgresql: async () => (await import("./open-postgres.ts")).openPostgresTrail,
  s3: async () => (await import("./open-s3.ts")).openS3Trail,
};

/** How an address is reached, and who says whether a file may be used. @internal */
export interface PlaceOptions {
  readonly network?: NetworkSettings;
  /** Why a file of this machine is not believed. It is asked before the file is opened. */
  readonly distrusts?: (path: string) => Promise<RosterError | undefined>;
}

/** The state store at an address, such as `file:.roster/state.json`. Reads and writes nothing yet. @internal */
export async function openStoreAt(
  address: string,
  environment: Environment,
  { network = {}, distrusts, source = byPerson }: PlaceOptions & { readonly source?: AddressSource } = {},
): Promise<Result<StateStore, RosterError>> {
  for (const password of passwordsIn(address)) environment.secrets.keep(password);
  const load = entryOf(stores, address);
  if (load === undefined) return problem(unknownKind(address));
  const path = storePath(address, environment);
  const wrong = path === undefined ? undefined : await distrusts?.(path);
  return wrong === undefined ? (await load())(address, environment, source, network) : problem(wrong);
}

/** The audit trail at an address. Reads and writes nothing yet. @internal */
export async function openTrailAt(
  address: TrailAddress,
  environment: Environment,
  { network = {}, distrusts }: PlaceOptions = {},
): Promise<Result<AuditTrail, RosterError>> {
  for (const password of passwordsIn(address.value)) environment.secrets.keep(password);
  const load = entryOf(trails, address.value);
  if (load === undefined) return problem(unknownPlace);
  const path = trailPath(address);
  const wrong = path === undefined ? undefined : await distrusts?.(path);
  return wrong === undefined ? (await load())(address, environment, network) : problem(wrong);
}

function entryOf<Opener>(openers: Readonly<Record<string, Opener>>, address: string): Opener | undefined {
  const scheme = /^([a-z0-9+]+):/u.exec(address)?.[1] ?? "";
  return Object.hasOwn(openers, scheme) ? openers[scheme] : undefined;
}

/** Undefined where the state is in no file, or the address has no path. */
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

const openMemory: StoreOpener = async (_address, { randomness }) => success(memoryStore(emptyMemory(), randomness));

/** As it is written: relative to where the work starts. */
function trailPath({ value, of }: TrailAddress): string | undefined {
  if (!value.startsWith("file:")) return undefined;
  const written = value.slice("file:".length);
  if (written === "") return undefined;
  return of === "state" ? `${written}.audit.jsonl` : written;
}

const openFileTrail: TrailOpener = async (address, { cwd, localSystem }) => {
  const path = trailPath(address);
  return path === undefined ? problem(unknownPlace) : success(fileAuditTrail(resolve(cwd, path), localSystem?.disk));
};

const noPath = invalidSetting(
  "bad-value",
  "The state address file: has no path.",
  "Write file:PATH, such as file:.roster/state.json.",
);

function unknownKind(address: string): RosterError {
  return invalidSetting(
    "bad-value",
    `The state address ${withoutCredentials(address)} has an unknown kind.`,
    "Write file:PATH, such as file:.roster/state.json, postgres://USER@HOST/DATABASE or s3://BUCKET/PATH.",
  );
}

function withoutCredentials(address: string): string {
  return address.replace(/\/\/.*@/su, "//…@");
}

const unknownPlace = invalidSetting(
  "bad-value",
  "The address of the audit trail has an unknown kind.",
  "Write file:PATH, such as file:.roster/audit.jsonl, postgres://USER@HOST/DATABASE or s3://BUCKET/PATH, or none.",
);

/** For runs: two histories would do things twice. @internal */
export function refusingMoved(store: StateStore): StateStore {
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
    hint: `name it with --state ${to}, ROSTER_STATE or \`state:\` in the settings (in CI: outside the checkout)`,
  };
}

export interface OpenStateOptions extends SystemOptions {
  /** Such as `file:/var/lib/roster/state.json`, `postgres://…`, `s3://…`, or `memory:` for a test. */
  readonly url: string;
  /** An absolute directory, at which the relative path of a `file:` starts. */
  readonly cwd?: string;
  /**
   * Credentials and the like, by the names of the variables that the command reads: `PGPASSWORD`,
   * `AWS_ACCESS_KEY_ID`, `https_proxy`. The library itself reads no variable of the process.
   */
  readonly variables?: Readonly<Record<string, string | undefined>>;
  /** Where the audit trail is, or `none`. Absent: with the state. A state in memory has none. */
  readonly audit?: string;
}

const openStateChecks: OptionChecks<OpenStateOptions> = {
  ...systemChecks,
  url: required(aText),
  cwd: aText,
  variables: recordOf(aText, "an object of texts"),
  audit: aText,
};

/** A state that can be planned with. */
export interface OpenedState extends AsyncDisposable {
  /** Such as `file:/var/lib/roster/state.json`, without credentials. */
  readonly address: string;
  /** The state as the last run left it. Takes no lock. */
  read(): Promise<Result<State, LibraryError>>;
  /** Ends its connections. */
  close(): Promise<void>;
  /** @internal */
  readonly store: StateStore;
  /** @internal */
  readonly openAuditPlace: OpenAuditPlace;
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
  const wrong = [options.url, options.audit].map((url) => pathError(url, options)).find((one) => one !== undefined);
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
    openAuditPlace: () => openAuditPlace(options, environment),
    clock,
    randomness,
    secrets,
  });
}

async function openAuditPlace(
  { url, audit }: OpenStateOptions,
  environment: Environment,
): Promise<Result<AuditPlace | "none", RosterError>> {
  if (audit === "none" || (audit === undefined && url.startsWith("memory:"))) return success("none");
  const address =
    audit === undefined ? ({ value: url, of: "state" } as const) : ({ value: audit, of: "trail" } as const);
  const trail = await openTrailAt({ ...address, source: byPerson }, environment);
  return trail.ok ? success({ trail: trail.value, digest: sha256 }) : trail;
}

/** Where the process stands is nothing that the library knows. */
function pathError(url: string | undefined, { cwd }: OpenStateOptions): RosterError | undefined {
  if (url === undefined || !url.startsWith("file:")) return undefined;
  const path = url.slice("file:".length).replace(/^\/\/(?=\/)/u, "");
  if (path === "" || isAbsolute(path) || (cwd !== undefined && isAbsolute(cwd))) return undefined;
  return invalidSetting(
    "bad-option",
    `The path of ${url} is relative, and the option \`cwd\` gives no absolute directory.`,
    "Write an absolute path, or give `cwd`.",
  );
}
