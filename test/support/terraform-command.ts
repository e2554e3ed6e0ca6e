import { execFileSync, spawn } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { type AtEnd, emptyDirectory } from "./command.ts";

/** How the `terraform` command here calls itself; undefined where there is none. */
export function installedTerraform(): string | undefined {
  try {
    return execFileSync("terraform", ["version"], { env: quiet(), encoding: "utf8" }).split("\n")[0];
  } catch {
    return undefined;
  }
}

/** A configuration in a directory of its own, whose state is kept at a server of states. */
export interface TerraformWork {
  run(...args: readonly string[]): Promise<{ readonly code: number | null; readonly told: string }>;
}

/** `backend`: the settings of Terraform's `http` backend. `seconds`: for how long an apply is under way. */
export async function terraformWork(
  { backend, seconds = 0 }: { readonly backend: Readonly<Record<string, string>>; readonly seconds?: number },
  atEnd?: AtEnd,
): Promise<TerraformWork> {
  const directory = emptyDirectory(atEnd);
  await writeFile(join(directory, "main.tf"), configurationOf(backend, seconds));
  return {
    async run(...args) {
      const child = spawn("terraform", [...args, "-no-color"], {
        cwd: directory,
        env: quiet(),
        stdio: ["ignore", "pipe", "pipe"],
      });
      const code = new Promise<number | null>((done) => child.on("close", done));
      const [out, error] = await Promise.all([text(child.stdout), text(child.stderr)]);
      return { code: await code, told: `${out}\n${error}` };
    },
  };
}

function configurationOf(backend: Readonly<Record<string, string>>, seconds: number): string {
  const settings = Object.entries(backend).map(([name, value]) => `    ${name} = ${JSON.stringify(value)}`);
  const wait = ['  provisioner "local-exec" {', `    command = "sleep ${seconds}"`, "  }"];
  return [
    "terraform {",
    '  backend "http" {',
    ...settings,
    "  }",
    "}",
    'resource "terraform_data" "one" {',
    '  input = "one"',
    ...(seconds === 0 ? [] : wait),
    "}",
    "",
  ].join("\n");
}

/** No settings of whoever runs the tests, and no call home. */
function quiet(): NodeJS.ProcessEnv {
  const { PATH } = process.env;
  return { PATH, TF_CLI_CONFIG_FILE: "/dev/null", CHECKPOINT_DISABLE: "1", TF_IN_AUTOMATION: "1", TF_INPUT: "0" };
}
