import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { problem, type Result, success } from "../../model/result.ts";
import { type CommandError, invalidSetting } from "../command-error.ts";
import type { Host } from "../host.ts";
import { findProgram, lastLine, type ProgramResult, runProgram } from "../trust/programs.ts";
import { planNamespace, type SshSignature } from "./ssh-signature.ts";

/** The program of OpenSSH that signs and verifies. */
export interface SshKeygen {
  /** Signs with a private key in a file, or with the key of the agent whose public part is in a file. The problem is in its words. */
  sign(keyFile: string, content: string): Promise<Result<string, string>>;
  /** Whether the key in a signature has signed exactly this content; else why not, in its words. */
  verify(signature: SshSignature, content: string): Promise<Result<undefined, string>>;
}

export async function openSshKeygen(host: Host): Promise<Result<SshKeygen, CommandError>> {
  const program = await findProgram("ssh-keygen", host);
  if (program === undefined) return problem(noProgram);
  const run = (args: readonly string[], input: string, more: { readonly patience?: number } = {}) =>
    runProgram(program, { args, input, cwd: host.cwd, env: withoutOwn(host.env), ...more });
  return success({
    async sign(keyFile, content) {
      const ended = await run(["-Y", "sign", "-q", "-f", keyFile, "-n", planNamespace], content);
      return ended.code === 0 ? success(ended.stdout) : problem(lastLine(ended));
    },
    verify: (signature, content) =>
      inPrivateDirectory(async (directory) => {
        const [allowed, file] = [join(directory, "allowed_signers"), join(directory, "signature")];
        await writeFile(allowed, allowedSigner(signature), { mode: 0o600 });
        await writeFile(file, signature.text, { mode: 0o600 });
        const args = ["-Y", "verify", "-f", allowed, "-I", principal, "-n", planNamespace, "-s", file];
        return verdict(await run(args, content, { patience }));
      }),
  });
}

/** Milliseconds; even the largest plan is verified in a few seconds. */
const patience = 60_000;

/** No name from outside is ever in the file: who a key belongs to is known by the key itself. */
const principal = "signer";

function allowedSigner({ key: { type, blob } }: SshSignature): string {
  return `${principal} namespaces="${planNamespace}" ${type} ${blob}\n`;
}

function verdict(ended: ProgramResult): Result<undefined, string> {
  return ended.code === 0 ? success(undefined) : problem(lastLine(ended));
}

async function inPrivateDirectory<T>(work: (directory: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), "roster-approvals-"));
  try {
    return await work(directory);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** The agent and the way to ask for a passphrase are in the environment. The program has no use for our own secrets. */
function withoutOwn(env: Host["env"]): NodeJS.ProcessEnv {
  const others = Object.entries(env).filter(([name]) => !name.startsWith("ROSTER_"));
  return { ...Object.fromEntries(others), LC_ALL: "C" };
}

const noProgram = invalidSetting(
  "no-ssh-keygen",
  "The program ssh-keygen is not installed. Signatures need it.",
  "Install OpenSSH 8.2 or newer, such as the package openssh-client, and check PATH.",
);
