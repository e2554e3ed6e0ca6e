import { execFileSync } from "node:child_process";
import { createHash, createPrivateKey, createPublicKey, sign } from "node:crypto";
import { chmodSync, writeFileSync } from "node:fs";

/** Whether this machine can sign: without it, tests that sign for real are skipped, and say so. */
export const hasSshKeygen = canRun("ssh-keygen");

function canRun(program: string): boolean {
  try {
    execFileSync(program, ["-?"], { stdio: "ignore" });
    return true;
  } catch (error) {
    return !(error instanceof Error && "code" in error && error.code === "ENOENT");
  }
}

/** A key that is the same in every run: its name is its secret. */
export interface TestKey {
  /** As in a file that ends with `.pub`. */
  readonly line: string;
  readonly fingerprint: string;
  /** As ssh-keygen writes it, without a passphrase. */
  readonly privateText: string;
  /** A signature as `ssh-keygen -Y sign` writes it. */
  sign(content: string, namespace?: string): string;
}

const type = "ssh-ed25519";

export function sshKey(name: string): TestKey {
  const seed = createHash("sha256").update(`key of ${name}`).digest();
  const privateKey = createPrivateKey({ key: Buffer.concat([pkcs8, seed]), format: "der", type: "pkcs8" });
  const publicBytes = createPublicKey(privateKey).export({ format: "der", type: "spki" }).subarray(-32);
  const blob = fields(type, publicBytes);
  const signature = (content: string, namespace: string) => {
    const hash = createHash("sha512").update(content).digest();
    const signed = Buffer.concat([Buffer.from("SSHSIG"), fields(namespace, "", "sha512", hash)]);
    const version = Buffer.from([0, 0, 0, 1]);
    const own = fields(type, sign(null, signed, privateKey));
    return Buffer.concat([Buffer.from("SSHSIG"), version, fields(blob, namespace, "", "sha512", own)]);
  };
  return {
    line: `${type} ${blob.toString("base64")} ${name}`,
    fingerprint: `SHA256:${createHash("sha256").update(blob).digest("base64").replace(/=+$/u, "")}`,
    privateText: armor("OPENSSH PRIVATE KEY", privateFile(blob, seed, publicBytes)),
    sign: (content, namespace = "roster-plan@v1") => armor("SSH SIGNATURE", signature(content, namespace)),
  };
}

/** Writes both halves of a key: `ada` and `ada.pub`. */
export function writeKey(path: string, key: TestKey): void {
  writeFileSync(path, key.privateText);
  chmodSync(path, 0o600);
  writeFileSync(`${path}.pub`, `${key.line}\n`);
}

/** What stands before the 32 bytes of an Ed25519 key in PKCS #8. */
const pkcs8 = Buffer.from("302e020100300506032b657004220420", "hex");

/** SSH's wire format: each field behind its length. */
export function fields(...parts: readonly (string | Buffer)[]): Buffer {
  return Buffer.concat(
    parts.flatMap((part) => {
      const bytes = Buffer.from(part);
      const length = Buffer.alloc(4);
      length.writeUInt32BE(bytes.length);
      return [length, bytes];
    }),
  );
}

function privateFile(blob: Buffer, seed: Buffer, publicBytes: Buffer): Buffer {
  const check = Buffer.alloc(8, 7);
  const content = Buffer.concat([check, fields(type, publicBytes, Buffer.concat([seed, publicBytes]), "")]);
  const padding = Buffer.from([1, 2, 3, 4, 5, 6, 7].slice(0, (8 - (content.length % 8)) % 8));
  const one = Buffer.from([0, 0, 0, 1]);
  const head = Buffer.concat([Buffer.from("openssh-key-v1\0"), fields("none", "none", ""), one, fields(blob)]);
  return Buffer.concat([head, fields(Buffer.concat([content, padding]))]);
}

function armor(kind: string, bytes: Buffer): string {
  const lines = bytes.toString("base64").match(/.{1,70}/gu) ?? [];
  return [`-----BEGIN ${kind}-----`, ...lines, `-----END ${kind}-----`, ""].join("\n");
}
