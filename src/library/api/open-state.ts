import { isAbsolute } from "node:path";
import type { KeyedHash } from "../../codec/pseudonymize.ts";
import { problem, type Result, success } from "../../model/result.ts";
import type { State } from "../../model/state.ts";
import type { Clock, Randomness } from "../../ports/clock.ts";
import type { StateStore } from "../../ports/state-store.ts";
import type { AuditPlace } from "../apply/audited-session.ts";
import type { OpenAuditPlace } from "../apply/lock.ts";
import type { Environment } from "../environment.ts";
import { errorFromFailure, invalidSetting, type RosterError } from "../error.ts";
import { keyedHash, type Secrets } from "../secrets.ts";
import { byPerson } from "../stores/address.ts";
import { keepsTrail, noDefaultTrail, openStoreAt, openTrailAt, refusingMoved } from "../stores/open-store.ts";
import { sha256 } from "../system.ts";
import { newEnvironment, type SystemOptions } from "./environment.ts";
import { type LibraryError, libraryError, libraryResult } from "./errors.ts";

export interface OpenStateOptions extends SystemOptions {
  /** Such as `file:/var/lib/roster/state.json`, `https://…`, `postgres://…`, `s3://…`, or `memory:` for a test. */
  readonly url: string;
  /** An absolute directory, at which the relative path of a `file:` starts. */
  readonly cwd?: string;
  /**
   * Credentials and the like, by the names of the variables that the command reads: `ROSTER_STATE_PASSWORD`, `PGPASSWORD`,
   * `AWS_ACCESS_KEY_ID`, `https_proxy`. The library itself reads no variable of the process.
   */
  readonly variables?: Readonly<Record<string, string | undefined>>;
  /** Where the audit trail is, or `none`. Absent: with the state. A state in memory has none. */
  readonly audit?: string;
  /** Hashes the addresses in the audit trail. At least 16 bytes. */
  readonly auditKey?: string;
}

/** A state that can be planned with. */
export interface OpenedState {
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
  const environment = newEnvironment(options);
  const { secrets, clock, randomness } = environment;
  const wrong = [options.url, options.audit].map((url) => pathError(url, options)).find((one) => one !== undefined);
  if (wrong !== undefined) return problem(libraryError(wrong, secrets));
  const hash = auditHash(options.auditKey, environment);
  if (!hash.ok) return problem(libraryError(hash.error, secrets));
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
    store,
    openAuditPlace: () => openAuditPlace(options, environment, hash.value),
    clock,
    randomness,
    secrets,
  });
}

function auditHash(key: string | undefined, { secrets }: Environment): Result<KeyedHash | undefined, RosterError> {
  if (key === undefined) return success(undefined);
  secrets.keep(key);
  return keyedHash(key, { name: "auditKey", use: "roster audit 1", code: "short-audit-key", of: "the audit trail" });
}

async function openAuditPlace(
  { url, audit }: OpenStateOptions,
  environment: Environment,
  hash: KeyedHash | undefined,
): Promise<Result<AuditPlace | "none", RosterError>> {
  if (audit === "none" || (audit === undefined && url.startsWith("memory:"))) return success("none");
  if (audit === undefined && !keepsTrail(url)) return problem(noDefaultTrail);
  const address =
    audit === undefined ? ({ value: url, of: "state" } as const) : ({ value: audit, of: "trail" } as const);
  const trail = await openTrailAt({ ...address, source: byPerson }, environment);
  return trail.ok ? success({ trail: trail.value, hash, digest: sha256 }) : trail;
}

/** Where the process stands is nothing that the library knows. */
function pathError(url: string | undefined, { cwd }: OpenStateOptions): RosterError | undefined {
  if (url === undefined || !url.startsWith("file:")) return undefined;
  const path = url.slice("file:".length).replace(/^\/\/(?=\/)/u, "");
  if (path === "" || isAbsolute(path) || (cwd !== undefined && isAbsolute(cwd))) return undefined;
  return invalidSetting(
    "relative-path",
    `The path of ${url} is relative, and the option \`cwd\` gives no absolute directory.`,
    "Write an absolute path, or give `cwd`.",
  );
}
