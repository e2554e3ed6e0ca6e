import { execFile } from "node:child_process";
import { resolve } from "node:path";
import { readFileOrPipe, readRegularFile, whyUnread } from "../../files/regular-file.ts";
import { invalidSetting, type RosterError } from "../../library/error.ts";
import { secretStaysHome } from "../../library/stores/address.ts";
import { problem, type Result, success } from "../../model/result.ts";
import type { Host, KeySource } from "../host.ts";
import { variable } from "./environment.ts";
import type { Settings } from "./settings.ts";

/** Finds where the key comes from, or says why none may be used. */
export function keySource(settings: Settings, host: Host): Result<KeySource, RosterError> {
  if (host.keySource !== undefined) return success(host.keySource);
  const text = variable(host, "ROSTER_API_KEY");
  const path = variable(host, "ROSTER_API_KEY_FILE");
  if (text !== undefined && path !== undefined) return problem(bothSet);
  const given = text ?? path;
  if (given === undefined) return commandSource(settings, host);
  if (settings.endpoint?.from === "settings" && settings.file?.insideCheckout === true)
    return problem(keyNotForEndpoint(settings));
  return success(text === undefined ? { kind: "file", path: given } : { kind: "variable", text });
}

function commandSource(settings: Settings, host: Host): Result<KeySource, RosterError> {
  const [command, ...args] = settings.apiKeyCommand ?? [];
  if (command === undefined) return problem(noKey);
  return success({ kind: "command", command, args, directory: settings.file?.directory ?? host.cwd });
}

/** The text that holds the key. Runs the command, where a command gives it. */
export async function keyText(source: KeySource, host: Host): Promise<Result<string, RosterError>> {
  switch (source.kind) {
    case "variable":
      return success(source.text);
    case "file":
      return secretInFile(source.path, host);
    case "command":
      return textFrom(source);
  }
}

const keySourceNames = {
  variable: "ROSTER_API_KEY",
  file: "ROSTER_API_KEY_FILE",
  command: "apiKeyCommand",
} as const satisfies Record<KeySource["kind"], string>;

/** What people call the place where a key comes from. */
export function keySourceName({ kind, name = keySourceNames[kind] }: KeySource): string {
  return name;
}

/** Asks for the key once more; undefined where that is no use. A variable holds what it held, and a pipe is empty by then. */
export function askAgain(source: KeySource, host: Host): (() => Promise<Result<string, RosterError>>) | undefined {
  switch (source.kind) {
    case "variable":
      return undefined;
    case "file":
      return () => secretInFile(source.path, host, readAgain);
    case "command":
      return () => textFrom(source);
  }
}

async function textFrom({
  command,
  args,
  directory,
}: KeySource & { readonly kind: "command" }): Promise<Result<string, RosterError>> {
  try {
    return success(await outputOf(command, args, directory));
  } catch (error) {
    const why = error instanceof Error && "code" in error ? String(error.code) : "it was ended";
    return problem(invalidSetting("no-key", `The apiKeyCommand ${command} returned no key: ${why}.`));
  }
}

/** Without `promisify`: the built program loads this module of Node late, and promisify does not know what stands in for it. */
function outputOf(command: string, args: readonly string[], cwd: string): Promise<string> {
  return new Promise((resolve, reject) => {
    execFile(command, args, { cwd, timeout: 30_000 }, (error, stdout) => {
      if (error === null) resolve(stdout);
      else reject(error);
    });
  });
}

const noKey = invalidSetting(
  "no-key",
  "No API key is set.",
  "Set ROSTER_API_KEY or ROSTER_API_KEY_FILE, or an apiKeyCommand in the settings (in CI: outside the checkout). No flag takes a key.",
);

function keyNotForEndpoint(settings: Settings): RosterError {
  return secretStaysHome({
    secret: "The key comes from the environment, but the endpoint",
    file: settings.file?.path ?? "the settings",
    instead: "Set ROSTER_ENDPOINT or pass --endpoint URL",
  });
}

/** A key has some hundred bytes; a pipe is written by a program that may have to ask somebody. */
const limits = { largest: 64 * 1024, patience: 30_000 };

const readFirst = (path: string) => readFileOrPipe(path, limits);
const readAgain = (path: string) => readRegularFile(path, limits.largest);

/** What a file of a secret holds. It may be a pipe, as `<(pass show roster)` is. */
async function secretInFile(path: string, host: Host, read = readFirst): Promise<Result<string, RosterError>> {
  try {
    return success((await read(resolve(host.cwd, path))).toString("utf8"));
  } catch (error) {
    return problem(invalidSetting("unreadable-file", `The key file ${path} cannot be read: ${whyUnread(error)}.`));
  }
}

const bothSet = invalidSetting("bad-key", "Both ROSTER_API_KEY and ROSTER_API_KEY_FILE are set.", "Unset one of them.");
