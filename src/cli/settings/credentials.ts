import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { readFileOrPipe, readRegularFile, whyUnread } from "../../files/regular-file.ts";
import type { KeySource } from "../../library/connect.ts";
import { invalidSetting, secretStaysHome } from "../../library/error.ts";
import type { Host } from "../host.ts";
import { variable } from "./environment.ts";
import type { Settings } from "./settings.ts";

export function keySource(
  { endpoint, file, apiKeyCommand }: Pick<Settings, "endpoint" | "file" | "apiKeyCommand">,
  host: Host,
): KeySource {
  if (host.keySource !== undefined) return host.keySource();
  const text = variable(host, "ROSTER_API_KEY");
  const path = variable(host, "ROSTER_API_KEY_FILE");
  if (text !== undefined && path !== undefined)
    throw invalidSetting("bad-key", "Both ROSTER_API_KEY and ROSTER_API_KEY_FILE are set.", "Unset one of them.");
  if (text === undefined && path === undefined) {
    if (apiKeyCommand === undefined) throw noKey;
    return keyOfCommand(apiKeyCommand, file?.directory ?? host.cwd, "apiKeyCommand");
  }
  if (endpoint?.from === "settings" && file?.insideCheckout === true) {
    const secret = "The key comes from the environment, but the endpoint";
    throw secretStaysHome(secret, file.path, "Set ROSTER_ENDPOINT or pass --endpoint URL");
  }
  return path === undefined
    ? { name: "ROSTER_API_KEY", ask: async () => text ?? "" }
    : keyInFile(path, host.cwd, "ROSTER_API_KEY_FILE");
}

export function keyInFile(written: string, cwd: string, name = written): KeySource {
  const path = resolve(cwd, written);
  return {
    name,
    ask: () => secretInFile(written, readFileOrPipe(path, limits)),
    again: () => secretInFile(written, readRegularFile(path, limits.largest)),
  };
}

export function keyOfCommand([command = "", ...args]: readonly string[], cwd: string, name = command): KeySource {
  // Without `promisify`: the built program loads this module of Node late, and promisify does not know what stands in for it.
  const ask = () =>
    new Promise<string>((done, reject) => {
      execFile(command, args, { cwd, timeout: 30_000 }, (error, stdout) => {
        if (error === null) return done(stdout);
        const why = "code" in error ? String(error.code) : "it was ended";
        reject(invalidSetting("no-key", `The apiKeyCommand ${command} returned no key: ${why}.`));
      });
    });
  return { name, ask, again: ask };
}

const noKey = invalidSetting(
  "no-key",
  "No API key is set.",
  "Set ROSTER_API_KEY or ROSTER_API_KEY_FILE, or an apiKeyCommand in the settings (in CI, outside the checkout). No flag takes a key.",
);

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
