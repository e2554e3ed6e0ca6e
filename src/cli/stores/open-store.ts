import { lstat } from "node:fs/promises";
import { resolve } from "node:path";
import { type Failure, problem, type Result, success } from "../../model/result.ts";
import type { State } from "../../model/state.ts";
import type { StateStore } from "../../ports/state-store.ts";
import { fileStore } from "../../state/file/store.ts";
import { type CommandError, invalidSetting } from "../command-error.ts";
import type { Host } from "../host.ts";
import type { CommandResult } from "../output/finish.ts";
import { passwordsIn } from "../output/secrets.ts";
import type { NetworkSettings, Settings } from "../settings/settings.ts";
import { trustsCheckout } from "../trust/checkout.ts";
import { checkPathTrust, type GuardedFile } from "../trust/file-trust.ts";
import { type AddressSource, byPerson, type StoreOpener, sourceOf } from "./address.ts";

/** Every kind of state store, by the scheme of its address. Each is loaded only when it is named. */
const openers: Readonly<Record<string, () => Promise<StoreOpener>>> = {
  file: async () => openFile,
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
  return openStoreAt(state.value, host, network, sourceOf(state));
}

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

const openFile: StoreOpener = async (address, host) => {
  const written = address.slice("file:".length);
  if (written === "") return problem(noPath);
  const path = resolve(host.cwd, written.replace(/^\/\/(?=\/)/u, ""));
  const trouble = await checkStateFileTrust(path, host);
  if (trouble !== undefined) return problem(trouble);
  const { clock, randomness, localSystem: system } = host;
  return success(fileStore({ path, clock, randomness, ...(system === undefined ? {} : { system }) }));
};

const noPath = invalidSetting(
  "bad-state-address",
  "The state address file: has no path.",
  "Write file:PATH, such as file:.roster/state.json.",
);

/**
 * Says why a state in a file is not believed: it came with the checkout, the checkout decides where it is, or it belongs
 * to another user of this machine. A writer of the state decides what roster takes for done, and whose keys are whose. @internal
 */
export async function checkStateFileTrust(
  path: string,
  host: Host,
  user = process.getuid?.(),
): Promise<CommandError | undefined> {
  const trusted = await checkPathTrust(path, stateFile, host);
  if (!trusted.ok) return trusted.error;
  if (trustsCheckout(host)) return undefined;
  for (const file of [trusted.value, `${trusted.value}.journal`]) {
    const owner = (await lstat(file).catch(() => undefined))?.uid;
    if (owner !== undefined && !mayWriteFor(owner, user)) return foreignState(file, owner);
  }
  return undefined;
}

const stateFile: GuardedFile = {
  code: "untrusted-state",
  name: (end) => `The state ${end}`,
  git: "and-beside",
  leadsOut: (end) => ({
    why: `is a symbolic link that leads out of the checkout to ${end}. A change to the checkout could choose which state is used.`,
    hint: `Name the state where it is, as in --state file:${end}, or remove the link.`,
  }),
  tracked: {
    why: "is kept in git. A change to the repository could edit what roster has recorded.",
    hint: "Remove it from git (`git rm -r --cached`, and `.roster/` in .gitignore). Name a state that only runs can write, or set ROSTER_TRUST_SETTINGS=1.",
  },
};

/** The superuser may write for everybody, and reads what others wrote as theirs. */
function mayWriteFor(owner: number, user: number | undefined): boolean {
  return user === undefined || user === 0 || owner === 0 || owner === user;
}

function foreignState(path: string, owner: number): CommandError {
  return invalidSetting(
    "untrusted-state",
    `The state's file ${path} belongs to another user of this machine (${owner}), who could write what roster takes for done.`,
    "Run roster as that user, give the file to this one, or name another state with --state.",
  );
}
