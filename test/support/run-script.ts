import { readFileSync } from "node:fs";
import module from "node:module";

const imports = /^import (\{[^}]*\}) from ("node:[^"]+");$/gmu;
const AsyncFunction: FunctionConstructor = Object.getPrototypeOf(async () => undefined).constructor;

/** Runs the text of a script of Node in this process, with arguments, an environment and an exit code of its own. */
export async function runScript(
  file: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const text = readFileSync(file, "utf8")
    .replaceAll(imports, "const $1 = require($2);")
    .replaceAll(/^export /gmu, "");
  const process = { argv: ["node", file, ...args], env, exitCode: 0 };
  const told: Record<"log" | "error", string[]> = { log: [], error: [] };
  const console = {
    log: (line: string) => told.log.push(`${line}\n`),
    error: (line: string) => told.error.push(`${line}\n`),
  };
  const script = AsyncFunction("process", "console", "require", text);
  await script(process, console, module.createRequire(import.meta.url));
  return { code: process.exitCode, stdout: told.log.join(""), stderr: told.error.join("") };
}
