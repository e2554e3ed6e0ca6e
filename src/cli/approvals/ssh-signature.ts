import { createHash } from "node:crypto";
import { problem, type Result, success } from "../../model/result.ts";
import type { SignerKey } from "./count-approvals.ts";

/** What roster signs for. A signature for another purpose, such as a commit, is no approval. */
export const planNamespace = "roster-plan@v1";

/** How each file of a signature begins. */
export const signatureMark = "-----BEGIN SSH SIGNATURE-----";

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
