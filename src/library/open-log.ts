import { isAbsolute, resolve } from "node:path";
import { fileStore } from "../log/file/store.ts";
import { emptyMemory, memoryStore } from "../log/memory.ts";
import { definedFields } from "../model/collections.ts";
import { type Failure, problem } from "../model/failure.ts";
import type { State } from "../model/state.ts";
import type { Clock, Randomness } from "../ports/clock.ts";
import type { RosterLog } from "../ports/log.ts";
import type { NetworkSettings } from "./connect.ts";
import { type Environment, newEnvironment, passwordsIn, type Secrets, type SystemOptions } from "./environment.ts";
import { invalidSetting, orThrow, withoutSecrets } from "./error.ts";
import { checkOptions, is, type OptionChecks } from "./options.ts";

export interface OpenLogOptions extends SystemOptions {
  /** Such as `file:/var/lib/roster/log.jsonl`, `postgres://…`, `s3://…`, or `memory:` for a test. */
  readonly url: string;
  /** An absolute directory, at which the relative path of a `file:` starts. */
  readonly cwd?: string | undefined;
  /**
   * Credentials and the like, by the names of the variables that the command reads: `PGPASSWORD`,
   * `AWS_ACCESS_KEY_ID`, `https_proxy`. The library itself reads no variable of the process.
   */
  readonly variables?: Readonly<Record<string, string | undefined>> | undefined;
}

const openLogChecks: OptionChecks<OpenLogOptions> = {
  clock: is.clock,
  randomness: is.randomness,
  url: is.required(is.text),
  cwd: is.text,
  variables: is.recordOf(is.text, "an object of texts"),
};

/** A log that can be planned with. */
export interface Log extends AsyncDisposable {
  /** Such as `file:/var/lib/roster/log.jsonl`, without credentials. */
  readonly address: string;
  /** The state as the last run left it. Takes no lock. Throws where it cannot be read. */
  read(): Promise<State>;
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

/** Opens a log. Reads and writes nothing yet. Throws where its address is wrong. */
export async function openLog(options: OpenLogOptions): Promise<Log> {
  checkOptions("openLog", openLogChecks, options);
  const environment = newEnvironment(options);
  return withoutSecrets(environment.secrets, () => openLogAt(options.url, environment));
}

export interface LogPlace {
  readonly network?: NetworkSettings;
  /** The settings file that names the address, where a change to the checkout can edit it. */
  readonly editableIn?: string | undefined;
  /** Throws where a file of this machine is not trusted. It is asked before the file is opened. */
  readonly check?: (path: string) => Promise<void>;
  /** Whether a log that was moved elsewhere may be read. */
  readonly moved?: "allowed" | undefined;
}

/** The log at an address, as the command opens it: in its own environment. */
export async function openLogAt(address: string, environment: Environment, place: LogPlace = {}): Promise<Log> {
  const { clock, randomness, secrets } = environment;
  for (const password of passwordsIn(address)) secrets.keep(password);
  const opened = await openStore(address, environment, place);
  const store = place.moved === "allowed" ? opened : refusingMoved(opened);
  return {
    address: store.address,
    read: () => withoutSecrets(secrets, async () => secrets.redactAll(orThrow(await store.read()))),
    close: () => store.close(),
    [Symbol.asyncDispose]: () => store.close(),
    store,
    clock,
    randomness,
    secrets,
  };
}

async function openStore(
  address: string,
  environment: Environment,
  { network = {}, editableIn, check }: LogPlace,
): Promise<RosterLog> {
  const [, scheme = "", rest = ""] = /^([a-z0-9+]+):(.*)$/su.exec(address) ?? [];
  const { cwd, clock, randomness, localSystem } = environment;
  switch (scheme) {
    case "file": {
      const written = rest.replace(/^\/\/(?=\/)/u, "");
      const hint = "Write file:PATH, such as file:.roster/log.jsonl.";
      if (written === "") throw invalidSetting("bad-value", "The log address file: has no path.", hint);
      // Where the process stands is nothing that the library knows.
      if (!isAbsolute(written) && !isAbsolute(cwd)) {
        const message = `The path of ${address} is relative, and the option \`cwd\` gives no absolute directory.`;
        throw invalidSetting("bad-option", message, "Write an absolute path, or give `cwd`.");
      }
      const path = resolve(cwd, written);
      await check?.(path);
      return fileStore({ path, clock, randomness, ...definedFields({ system: localSystem }) });
    }
    case "memory":
      return memoryStore(emptyMemory(), environment);
    case "postgres":
    case "postgresql": {
      const { openPostgres } = await import("./stores/open-postgres.ts");
      return openPostgres(address, environment, editableIn);
    }
    case "s3": {
      const { openS3 } = await import("./stores/open-s3.ts");
      return openS3(address, environment, editableIn, network);
    }
    default: {
      const message = `The log address ${address.replace(/\/\/.*@/su, "//…@")} has an unknown kind.`;
      const hint =
        "Write file:PATH, such as file:.roster/log.jsonl, postgres://USER@HOST/DATABASE or s3://BUCKET/PATH.";
      throw invalidSetting("bad-value", message, hint);
    }
  }
}

/** Two histories would do things twice. */
function refusingMoved(store: RosterLog): RosterLog {
  return {
    ...store,
    async read() {
      const state = await store.read();
      return state.ok && state.value.moved !== undefined ? problem(wasMoved(store.address, state.value.moved)) : state;
    },
    async lock(run, options) {
      const session = await store.lock(run, options);
      if (!session.ok || session.value.state.moved === undefined) return session;
      await session.value.close();
      return problem(wasMoved(store.address, session.value.state.moved));
    },
  };
}

function wasMoved(address: string, { to, at }: NonNullable<State["moved"]>): Failure {
  return {
    code: "state",
    message: `the log of ${address} was moved to ${to} at ${at}`,
    hint: `name it with --state ${to}, ROSTER_STATE or \`state:\` in the settings (in CI, outside the checkout)`,
  };
}
