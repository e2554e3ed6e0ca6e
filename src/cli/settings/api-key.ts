import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { promisify } from "node:util";
import { problem, type Result, success } from "../../model/result.ts";
import type { Host } from "../host.ts";
import { invalidSetting, type Stop } from "../stop.ts";
import { variable } from "./environment.ts";
import type { Settings } from "./settings.ts";

/** Where the API key comes from. Nothing was read or run yet. */
export type KeySource =
  | { readonly kind: "variable"; readonly text: string }
  | { readonly kind: "file"; readonly path: string }
  | {
      readonly kind: "command";
      readonly command: string;
      readonly args: readonly string[];
      readonly directory: string;
    };

/** Finds where the key comes from, or says why none may be used. */
export function keySource(settings: Settings, host: Host): Result<KeySource, Stop> {
  const key = variable(host, "ROSTER_API_KEY");
  const file = variable(host, "ROSTER_API_KEY_FILE");
  if (key !== undefined && file !== undefined) return problem(twoKeys);
  if (key === undefined && file === undefined) return commandSource(settings, host);
  if (settings.endpoint?.from === "settings" && settings.file?.insideCheckout === true)
    return problem(keyStaysHome(settings));
  return success(key === undefined ? { kind: "file", path: file ?? "" } : { kind: "variable", text: key });
}

function commandSource(settings: Settings, host: Host): Result<KeySource, Stop> {
  const [command, ...args] = settings.apiKeyCommand ?? [];
  if (command === undefined) return problem(noKey);
  return success({ kind: "command", command, args, directory: settings.file?.directory ?? host.cwd });
}

/** The text that holds the key. Runs the command, where a command gives it. */
export async function keyText(source: KeySource, host: Host): Promise<Result<string, Stop>> {
  switch (source.kind) {
    case "variable":
      return success(source.text);
    case "file":
      return textIn(source.path, host);
    case "command":
      return textFrom(source);
  }
}

async function textIn(path: string, host: Host): Promise<Result<string, Stop>> {
  try {
    return success(await readFile(resolve(host.cwd, path), "utf8"));
  } catch (error) {
    const why = error instanceof Error && "code" in error ? String(error.code) : "unreadable";
    return problem(invalidSetting("unreadable-key-file", `The key file ${path} cannot be read: ${why}.`));
  }
}

async function textFrom({
  command,
  args,
  directory,
}: KeySource & { readonly kind: "command" }): Promise<Result<string, Stop>> {
  try {
    const { stdout } = await promisify(execFile)(command, args, { cwd: directory, timeout: 30_000 });
    return success(stdout);
  } catch (error) {
    const why = error instanceof Error && "code" in error ? String(error.code) : "it was ended";
    return problem(invalidSetting("key-command-failed", `The apiKeyCommand ${command} gave no key: ${why}.`));
  }
}

const noKey = invalidSetting(
  "no-key",
  "There is no API key.",
  "Set ROSTER_API_KEY or ROSTER_API_KEY_FILE, or an apiKeyCommand in the settings. No flag takes a key.",
);

const twoKeys = invalidSetting(
  "two-keys",
  "Both ROSTER_API_KEY and ROSTER_API_KEY_FILE are set.",
  "Unset the one that is not meant.",
);

function keyStaysHome(settings: Settings): Stop {
  return invalidSetting(
    "key-stays-home",
    `The key comes from the environment, and the endpoint from ${settings.file?.path ?? "the settings"}, which a change to the checkout can edit.`,
    "Set ROSTER_ENDPOINT or pass --endpoint URL, or move the settings out of the checkout and name them in ROSTER_CONFIG.",
  );
}
