import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { problem, type Result, success } from "../../model/result.ts";
import type { Host } from "../host.ts";
import { type CommandError, invalidSetting } from "../stop.ts";
import { givenSecret, secretInFile } from "./secret-text.ts";
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
export function keySource(settings: Settings, host: Host): Result<KeySource, CommandError> {
  const given = givenSecret("ROSTER_API_KEY", host);
  if (!given.ok) return given;
  const { value } = given;
  if (value === undefined) return commandSource(settings, host);
  if (settings.endpoint?.from === "settings" && settings.file?.insideCheckout === true)
    return problem(keyNotForEndpoint(settings));
  return success("text" in value ? { kind: "variable", ...value } : { kind: "file", ...value });
}

function commandSource(settings: Settings, host: Host): Result<KeySource, CommandError> {
  const [command, ...args] = settings.apiKeyCommand ?? [];
  if (command === undefined) return problem(noKey);
  return success({ kind: "command", command, args, directory: settings.file?.directory ?? host.cwd });
}

/** The text that holds the key. Runs the command, where a command gives it. */
export async function keyText(source: KeySource, host: Host): Promise<Result<string, CommandError>> {
  switch (source.kind) {
    case "variable":
      return success(source.text);
    case "file":
      return secretInFile(source.path, host);
    case "command":
      return textFrom(source);
  }
}

async function textFrom({
  command,
  args,
  directory,
}: KeySource & { readonly kind: "command" }): Promise<Result<string, CommandError>> {
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

function keyNotForEndpoint(settings: Settings): CommandError {
  return invalidSetting(
    "key-stays-home",
    `The key comes from the environment, and the endpoint from ${settings.file?.path ?? "the settings"}, which a change to the checkout can edit.`,
    "Set ROSTER_ENDPOINT or pass --endpoint URL, or move the settings out of the checkout and name them in ROSTER_CONFIG.",
  );
}
