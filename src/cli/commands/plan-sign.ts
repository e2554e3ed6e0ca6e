import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { readRegularFile, whyUnread } from "../../files/regular-file.ts";
import { invalidSetting, type RosterError, stopError } from "../../library/error.ts";
import { sha256 } from "../../library/system.ts";
import type { PlanFile } from "../../model/plan.ts";
import { problem, type Result, success } from "../../model/result.ts";
import { prose } from "../../report/document/blocks.ts";
import { planSummaryLines } from "../../report/document/plan.ts";
import { renderLines } from "../../report/text/lines.ts";
import { signerName } from "../approvals/approval-rules.ts";
import {
  openSshKeygen,
  readPublicKey,
  readSignature,
  type SshSignature,
  signatureMark,
  signaturePath,
} from "../approvals/ssh-signature.ts";
import { type Host, textStyleOf } from "../host.ts";
import { finishStopped } from "../output/finish.ts";
import { hasRosterName } from "../output/output-flags.ts";
import { largestPlan, type OutKind, writeOut } from "../plan-file/plan-file.ts";
import { readPlanFile } from "../plan-file/read-plan-file.ts";
import { readSettings, type Settings } from "../settings/settings.ts";
import { findProgram, gitEnvironment, runProgram } from "../trust/programs.ts";

export interface SignFlags {
  readonly key?: string;
  readonly out?: string;
}

/** Signs a plan file with an SSH key, as an approval of exactly its bytes. Sends nothing and changes no other file. */
export async function planSign(path: string, flags: SignFlags, host: Host): Promise<number> {
  const signed = await signPlan(path, flags, host);
  return signed.ok ? finishSigned(signed.value, host) : finishStopped("plan", signed.error, host);
}

interface SignedPlan {
  readonly path: string;
  readonly text: string;
  readonly file: PlanFile;
  readonly signature: SshSignature;
  readonly out: string;
  readonly settings: Settings;
}

async function signPlan(path: string, flags: SignFlags, host: Host): Promise<Result<SignedPlan, RosterError>> {
  if (flags.out === "-" || hasRosterName(flags.out ?? "")) return problem(noSignatureName(flags.out ?? ""));
  const settings = await readSettings({}, host);
  if (!settings.ok) return settings;
  const text = await readPlanText(path, host);
  if (!text.ok) return text;
  const file = await readPlanFile({ path, text: text.value });
  if (!file.ok) return file;
  const { expiresAt } = file.value;
  if (host.clock.now() >= Date.parse(expiresAt)) return problem(expired(path, expiresAt));
  const ssh = await openSshKeygen(host);
  if (!ssh.ok) return ssh;
  const signature = await withKeyFile(flags, host, async (keyFile) => {
    host.stderr.write("Signing. The key may ask for its passphrase, or for a touch.\n");
    const signed = await ssh.value.sign(keyFile, text.value);
    return signed.ok ? readSignature(signed.value) : signed;
  });
  if (!signature.ok) return signature;
  const out = flags.out ?? signaturePath(path, signature.value.key);
  const written = await writeOut(out, signature.value.text, host, signatureKind);
  return written.ok
    ? success({ path, text: text.value, file: file.value, signature: signature.value, out, settings: settings.value })
    : written;
}

const signatureKind: OutKind = { name: "signature", mark: signatureMark };

function noSignatureName(out: string): RosterError {
  const hint = "Name another file, such as plan.json.ada.sig.";
  return invalidSetting("bad-flag-value", `--out ${out} cannot be the file of a signature.`, hint);
}

async function readPlanText(path: string, host: Host): Promise<Result<string, RosterError>> {
  try {
    return success((await readRegularFile(resolve(host.cwd, path), largestPlan)).toString("utf8"));
  } catch (error) {
    const hint =
      "Name a file of `roster plan --out FILE`. If `sign` is a directory of the roster, write `roster plan ./sign`.";
    return problem(invalidSetting("unreadable-plan-file", `${path} cannot be read: ${whyUnread(error)}.`, hint));
  }
}

function expired(path: string, at: string): RosterError {
  const hint = "nothing was signed; plan again with `roster plan --out FILE`";
  return stopError("stale", "stale", `the plan file ${path} expired at ${at}`, hint);
}

/** Signs with the key that a flag names, or with the one that git signs commits with. */
async function withKeyFile(
  { key }: SignFlags,
  host: Host,
  sign: (keyFile: string) => Promise<Result<SshSignature, string>>,
): Promise<Result<SshSignature, RosterError>> {
  const named = key ?? (await keyOfGit(host));
  if (named === undefined) return problem(noKey);
  const literal = named.replace(/^key::/u, "");
  const signed = readPublicKey(literal).ok ? await withKeyOnDisk(literal, sign) : await sign(resolve(host.cwd, named));
  return signed.ok ? signed : problem(notSigned(named, signed.error));
}

/** ssh-agent finds a key by a file of its public part. */
async function withKeyOnDisk<T>(line: string, work: (path: string) => Promise<T>): Promise<T> {
  const directory = await mkdtemp(join(tmpdir(), "roster-key-"));
  try {
    const path = join(directory, "key.pub");
    await writeFile(path, `${line}\n`, { mode: 0o600 });
    return await work(path);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

async function keyOfGit(host: Host): Promise<string | undefined> {
  const git = await findProgram("git", host);
  if (git === undefined) return undefined;
  const read = async (...args: readonly string[]) => {
    const env = gitEnvironment(host.env);
    const { code, stdout } = await runProgram(git, { args: ["config", ...args], cwd: host.cwd, env, patience: 10_000 });
    return code === 0 ? stdout.trim() : "";
  };
  if ((await read("--get", "gpg.format")) !== "ssh") return undefined;
  return (await read("--type=path", "--get", "user.signingKey")) || undefined;
}

const noKey = invalidSetting(
  "no-signing-key",
  "No key is named to sign with, and git does not sign with an SSH key here.",
  "Pass --key ~/.ssh/id_ed25519.pub, or set `gpg.format=ssh` and `user.signingKey` in git.",
);

function notSigned(key: string, why: string): RosterError {
  const hint = "check the path; for a key in ssh-agent, pass its .pub file, and see `ssh-add -l`";
  return stopError("failed", "not-signed", `ssh-keygen did not sign with the key ${key}: ${why}`, hint);
}

function finishSigned({ path, text, file, signature, out, settings }: SignedPlan, host: Host): number {
  const { fingerprint, blob } = signature.key;
  const signer = settings.approvals?.signers.find(({ key }) => key.blob === blob);
  const whose = signer === undefined ? "" : ` of ${signerName(signer)}`;
  const { paint, columns } = textStyleOf(host.stdout);
  const lines = [
    ...planSummaryLines(file.plan, "all"),
    prose(0, `SHA-256: ${sha256(text)}`),
    prose(0, `Signed ${path} with the key ${fingerprint}${whose}. The signature is in ${out}.`),
    prose(0, `Keep it next to ${path}, or name it with \`roster apply ${path} --signature ${out}\`.`),
  ];
  host.stdout.write(renderLines(lines, paint, columns));
  if (signer === undefined && settings.approvals !== undefined)
    host.stderr.write(`warning: \`signers\` in the settings does not list this key, so the signature does not count\n`);
  return 0;
}
