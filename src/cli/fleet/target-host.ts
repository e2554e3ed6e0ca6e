import { resolve } from "node:path";
import { Readable } from "node:stream";
import type { Target } from "../../fleet/expand-fleet.ts";
import { invalidSetting, type RosterError } from "../../library/error.ts";
import { type Diagnostic, problem, type Result, success } from "../../model/result.ts";
import type { OpenTransport } from "../../service/client.ts";
import { type Host, type KeySource, newEventBuffer } from "../host.ts";
import { keyVariablePrefix } from "../settings/environment.ts";
import type { Settings } from "../settings/settings.ts";
import type { Output } from "../standard-streams.ts";
import { type Fleet, fromFleet } from "./read-fleet.ts";

/** What each target has of its own, so that nothing of the fleet's environment stands in for it. */
const notInherited: readonly string[] = [
  "ROSTER_ENDPOINT",
  "ROSTER_API_KEY",
  "ROSTER_API_KEY_FILE",
  "ROSTER_STATE",
  "ROSTER_STATE_LOCK_ADDRESS",
  "ROSTER_STATE_UNLOCK_ADDRESS",
  "ROSTER_AUDIT",
  "ROSTER_ACCOUNT",
  "ROSTER_DEADLINE",
  // A step has one summary, and one output of each name.
  "GITHUB_STEP_SUMMARY",
  "GITHUB_OUTPUT",
];

/** The environment without what is a target's own, and without every key. */
export function environmentForTargets({ all }: Pick<Fleet, "all">, { env }: Host): Host["env"] {
  const keys = new Set(all.flatMap(({ key }) => (key.from === "env" ? [key.name] : [])));
  const isLeftOut = (name: string) =>
    notInherited.includes(name) || name.startsWith(keyVariablePrefix) || keys.has(name);
  return Object.fromEntries(Object.entries(env).filter(([name]) => !isLeftOut(name)));
}

/** The host in which the command of one target runs: its own key, no terminal, nothing printed. */
export function targetHost(
  host: Host,
  own: { readonly env: Host["env"]; readonly keySource?: KeySource; readonly openTransport: OpenTransport },
): Host {
  const { terminal: _, ...shared } = host;
  return { ...shared, ...own, stdin: () => Readable.from([]), stdout: silent, stderr: silent, live: newEventBuffer() };
}

const silent: Output = { write: () => undefined, isTerminal: false, hasColours: false };

/** Where the key of a target comes from. Nothing is read or run yet. */
export function keySourceOf({ name, key }: Target, fleet: Fleet, host: Host): Result<KeySource, RosterError> {
  switch (key.from) {
    case "env": {
      const text = host.env[key.name] ?? "";
      return text === "" ? problem(noKey(name, key.name)) : success({ kind: "variable", text, name: key.name });
    }
    case "file": {
      const path = fromFleet(fleet, key.path);
      return success({ kind: "file", path, name: path });
    }
    case "command": {
      const [command = "", ...args] = key.words;
      const directory = resolve(host.cwd, fleet.directory);
      return success({ kind: "command", command, args, directory, name: command });
    }
  }
}

function noKey(target: string, variable: string): RosterError {
  return invalidSetting("no-key", `The key of ${target} is in ${variable}, which is not set.`, `Set ${variable}.`);
}

/**
 * The variables that a fleet file in a checkout must not name for a key, with their places. Settings in the checkout cannot list
 * more of them: one change could edit both files.
 */
export function untrustedKeyVariables(
  { insideCheckout, targets }: Pick<Fleet, "insideCheckout" | "targets">,
  { file }: Pick<Settings, "file">,
): readonly Diagnostic[] {
  if (!insideCheckout) return [];
  const listed = file === undefined || file.insideCheckout ? [] : (file.fleet?.keyVariables ?? []);
  return targets.flatMap(({ name, key, keyAt }) => {
    if (key.from !== "env" || key.name.startsWith(keyVariablePrefix) || listed.includes(key.name)) return [];
    return [untrusted(key.name, { name, keyAt })];
  });
}

function untrusted(variable: string, { name, keyAt }: Pick<Target, "name" | "keyAt">): Diagnostic {
  return {
    code: "untrusted-key-variable",
    severity: "error",
    message: `The key of ${name} is in ${variable}, but the fleet file is in a checkout.`,
    hint: `Use a name that begins with ${keyVariablePrefix}, or list it as fleet.keyVariables in settings outside the checkout.`,
    place: keyAt.place,
  };
}
