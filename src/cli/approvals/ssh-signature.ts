import { createHash } from "node:crypto";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { readRegularFile, whyUnread } from "../../files/regular-file.ts";
import { invalidSetting, type RosterError } from "../../library/error.ts";
import { problem, type Result, success } from "../../model/result.ts";
import { byCodeUnit } from "../../model/role-set.ts";
import type { Host } from "../host.ts";
import { findProgram, lastLine, type ProgramResult, runProgram } from "../trust/programs.ts";

/** What roster signs for. A signature for another purpose, such as a commit, is no approval. */
const planNamespace = "roster-plan@v1";

/** How each file of a signature begins. */
export const signatureMark = "-----BEGIN SSH SIGNATURE-----";

/** The public part of an SSH key. */
export interface SignerKey {
  /** Such as `ssh-ed25519`. */
  readonly type: string;
  /** The whole key in Base64, as it stands after its type. */
  readonly blob: string;
  /** Such as `SHA256:VUj1+YYpVUJv3roFajrwT8wOuZjnCVTe8suyIOPPf6U`. */
  readonly fingerprint: string;
}

/** A signature that was read and not verified yet. */
export interface SshSignature {
  readonly text: string;
  readonly key: SignerKey;
}

/** Keys that can sign. Certificates and keys of authorities cannot be told from one another by a person, and are not taken. */
const keyTypes: readonly string[] = [
  "ssh-ed25519",
  "sk-ssh-ed25519@openssh.com",
  "ecdsa-sha2-nistp256",
  "ecdsa-sha2-nistp384",
  "ecdsa-sha2-nistp521",
  "sk-ecdsa-sha2-nistp256@openssh.com",
  "ssh-rsa",
];

/** Reads a public key as `ssh-keygen` writes it: type, key and perhaps a comment. The problem follows the name of what holds it. */
export function readPublicKey(written: string): Result<SignerKey, string> {
  if (/PRIVATE KEY/u.test(written)) return problem("is a private key");
  const [, type, encoded = ""] = /^([a-z0-9@.-]+) ([A-Za-z0-9+/]+={0,2})(?: [^\r\n]*)?$/u.exec(written) ?? [];
  if (type === undefined) return problem("is no public SSH key on one line");
  const key = keyOf(Buffer.from(encoded, "base64"));
  if (!key.ok) return key;
  if (key.value.type !== type) return problem(`says ${type}, but holds a key of another type`);
  return withoutPadding(key.value.blob) === withoutPadding(encoded) ? key : problem("is cut off or damaged");
}

function withoutPadding(encoded: string): string {
  return encoded.replace(/=+$/u, "");
}

function keyOf(blob: Buffer): Result<SignerKey, string> {
  const fields = readFields(blob);
  const type = fields?.[0]?.toString("latin1") ?? "";
  if (fields === undefined || fields.length < 2) return problem("is cut off or damaged");
  if (!keyTypes.includes(type)) return problem(`has a type that cannot sign here: it must be ${keyTypes.join(", ")}`);
  const digest = createHash("sha256").update(blob).digest("base64");
  return success({ type, blob: blob.toString("base64"), fingerprint: `SHA256:${withoutPadding(digest)}` });
}

/** Reads a signature as `ssh-keygen -Y sign` writes it. The problem is the end of a sentence. */
export function readSignature(text: string): Result<SshSignature, string> {
  const armor = /^-----BEGIN SSH SIGNATURE-----\r?\n([A-Za-z0-9+/=\r\n]+)\n-----END SSH SIGNATURE-----\s*$/u;
  const [, encoded] = armor.exec(text) ?? [];
  if (encoded === undefined) return problem("it is not an SSH signature");
  const blob = Buffer.from(encoded, "base64");
  const fields = readFields(blob.subarray(beginning.length));
  const [key, namespace] = fields ?? [];
  if (!blob.subarray(0, beginning.length).equals(beginning) || fields?.length !== 5)
    return problem("it is cut off or damaged");
  if (namespace?.toString("latin1") !== planNamespace) return problem("it was not made by `roster plan sign`");
  const read = keyOf(key ?? Buffer.alloc(0));
  return read.ok ? success({ text, key: read.value }) : problem(`its key ${read.error}`);
}

/** `SSHSIG`. */
const magic = [0x53, 0x53, 0x48, 0x53, 0x49, 0x47];

/** Before the fields of a signature stand its kind and the version of its form. */
const beginning = Buffer.from([...magic, 0, 0, 0, 1]);

/** The fields of SSH's wire format, each behind its length; undefined where they do not fill the bytes. */
function readFields(bytes: Buffer): readonly Buffer[] | undefined {
  const fields: Buffer[] = [];
  let at = 0;
  while (at < bytes.length) {
    if (at + 4 > bytes.length) return undefined;
    const end = at + 4 + bytes.readUInt32BE(at);
    if (end > bytes.length) return undefined;
    fields.push(bytes.subarray(at + 4, end));
    at = end;
  }
  return fields;
}

/** The program of OpenSSH that signs and verifies. */
export interface SshKeygen {
  /** Signs with a private key in a file, or with the key of the agent whose public part is in a file. The problem is in its words. */
  sign(keyFile: string, content: string): Promise<Result<string, string>>;
  /** Whether the key in a signature has signed exactly this content; else why not, in its words. */
  verify(signature: SshSignature, content: string): Promise<Result<undefined, string>>;
}

export async function openSshKeygen(host: Host): Promise<Result<SshKeygen, RosterError>> {
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

/** The usual name for a signature: each key has its own, so that nobody's signature replaces another one. */
export function signaturePath(planFile: string, { fingerprint }: SignerKey): string {
  const name = fingerprint.slice("SHA256:".length).replaceAll("+", "-").replaceAll("/", "_");
  return `${planFile}.${name.slice(0, namedLength)}.sig`;
}

/** Enough of a fingerprint that no two keys share it. */
const namedLength = 16;

/** A directory with more is none that people sign in. */
const mostSignatures = 100;

/** The signatures beside a plan file, as a person would name them from here. */
export async function findSignatures(planFile: string, host: Host): Promise<Result<readonly string[], RosterError>> {
  if (planFile === "-") return success([]);
  const at = resolve(host.cwd, planFile);
  const name = basename(at);
  const names = await readdir(dirname(at)).catch(() => []);
  const found = names.filter((one) => isSignatureOf(name, one)).sort(byCodeUnit);
  if (found.length > mostSignatures) return problem(tooMany(planFile, found.length));
  return success(found.map((one) => `${planFile}${one.slice(name.length)}`));
}

/** One word stands between: `plan.json.v2.ada.sig` is a signature of the plan file `plan.json.v2`. */
function isSignatureOf(planFile: string, name: string): boolean {
  return name.startsWith(`${planFile}.`) && /^[^.]+\.sig$/u.test(name.slice(planFile.length + 1));
}

function tooMany(planFile: string, count: number): RosterError {
  return invalidSetting(
    "too-many-signatures",
    `There are ${count} signatures of ${planFile}, and roster reads at most ${mostSignatures}.`,
    "Remove the old ones, or name the right ones with --signature.",
  );
}

/** No signature is larger, in bytes. */
const largestSignature = 64 * 1024;

/** Reads a signature, or says why it is none; the problem is the end of a sentence. */
export async function readSignatureFile(path: string, host: Host): Promise<Result<SshSignature, string>> {
  try {
    return readSignature((await readRegularFile(resolve(host.cwd, path), largestSignature)).toString("latin1"));
  } catch (error) {
    return problem(`it cannot be read: ${whyUnread(error)}`);
  }
}
