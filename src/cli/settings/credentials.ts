import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { readFileOrPipe, readRegularFile, whyUnread } from "../../files/regular-file.ts";
import { invalidSetting } from "../../library/error.ts";
import { secretStaysHome } from "../../library/stores/address.ts";
import type { Host, KeySource } from "../host.ts";
import { variable } from "./environment.ts";
import type { Settings } from "./settings.ts";

/** Where a key comes from, as people call it, and how it is had. Nothing was read or run yet. */
interface FoundKey {
  readonly name: string;
  readonly ask: () => Promise<string>;
  /** Absent where asking again is no use: a variable holds what it held, and a pipe is empty by then. */
  readonly again?: (() => Promise<string>) | undefined;
}

/** Finds where the key comes from, or throws why none may be used. */
export function keySource(settings: Pick<Settings, "endpoint" | "file" | "apiKeyCommand">, host: Host): FoundKey {
  const source = host.keySource ?? configuredSource(settings, host);
  switch (source.kind) {
    case "variable":
      return { name: source.name ?? "ROSTER_API_KEY", ask: async () => source.text };
    case "file": {
      const path = resolve(host.cwd, source.path);
      return {
        name: source.name ?? "ROSTER_API_KEY_FILE",
        ask: () => secretInFile(source.path, readFileOrPipe(path, limits)),
        again: () => secretInFile(source.path, readRegularFile(path, limits.largest)),
      };
    }
    case "command": {
      const ask = () => outputOf(source.command, source.args, source.directory);
      return { name: source.name ?? "apiKeyCommand", ask, again: ask };
    }
  }
}

function configuredSource(
  { endpoint, file, apiKeyCommand = [] }: Pick<Settings, "endpoint" | "file" | "apiKeyCommand">,
  host: Host,
): KeySource {
  const text = variable(host, "ROSTER_API_KEY");
  const path = variable(host, "ROSTER_API_KEY_FILE");
  if (text !== undefined && path !== undefined)
    throw invalidSetting("bad-key", "Both ROSTER_API_KEY and ROSTER_API_KEY_FILE are set.", "Unset one of them.");
  const given = text ?? path;
  if (given === undefined) {
    const [command, ...args] = apiKeyCommand;
    if (command === undefined) throw noKey;
    return { kind: "command", command, args, directory: file?.directory ?? host.cwd };
  }
  if (endpoint?.from === "settings" && file?.insideCheckout === true) {
    const secret = "The key comes from the environment, but the endpoint";
    throw secretStaysHome(secret, file.path, "Set ROSTER_ENDPOINT or pass --endpoint URL");
  }
  return text === undefined ? { kind: "file", path: given } : { kind: "variable", text };
}

const noKey = invalidSetting(
  "no-key",
  "No API key is set.",
  "Set ROSTER_API_KEY or ROSTER_API_KEY_FILE, or an apiKeyCommand in the settings (in CI: outside the checkout). No flag takes a key.",
);

/** Without `promisify`: the built program loads this module of Node late, and promisify does not know what stands in for it. */
function outputOf(command: string, args: readonly string[], cwd: string): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(command, args, { cwd, timeout: 30_000 }, (error, stdout) => {
      if (error === null) resolve(stdout);
      else {
        const why = "code" in error ? String(error.code) : "it was ended";
        reject(invalidSetting("no-key", `The apiKeyCommand ${command} returned no key: ${why}.`));
      }
    });
  });
}

/** A key has some hundred bytes; a pipe is written by a program that may have to ask somebody. */
const limits = { largest: 64 * 1024, patience: 30_000 };

/** What a file of a secret holds. It may be a pipe, as `<(pass show roster)` is. */
async function secretInFile(path: string, reading: Promise<Buffer>): Promise<string> {
  try {
    return (await reading).toString("utf8");
  } catch (error) {
    throw invalidSetting("unreadable-file", `The key file ${path} cannot be read: ${whyUnread(error)}.`);
  }
}
