import { describe, expect, test } from "vitest";
import { readPublicKey, readSignature } from "../../../../src/cli/approvals/ssh-signature.ts";
import { fields, sshKey } from "../../../support/ssh-keys.ts";

const ada = sshKey("ada");
const [type = "", blob = ""] = ada.line.split(" ");
const asKey = { type, blob, fingerprint: ada.fingerprint };

describe("a public key", () => {
  test.each([ada.line, `${type} ${blob}`, `${type} ${blob} Ada's laptop, 2026`])("is read from %s", (line) => {
    expect(readPublicKey(line)).toEqual({ ok: true, value: asKey });
  });

  test.each([
    ["empty", "", "is no public SSH key on one line"],
    ["an option before it", `cert-authority ${ada.line}`, "is no public SSH key on one line"],
    ["options before it", `namespaces="git",cert-authority ${ada.line}`, "is no public SSH key on one line"],
    ["a second line", `${ada.line}\nsigner ${sshKey("eve").line}`, "is no public SSH key on one line"],
    ["a carriage return", `${ada.line}\r${ada.line}`, "is no public SSH key on one line"],
    ["its type alone", type, "is no public SSH key on one line"],
    ["cut off", `${type} ${blob.slice(0, -8)}`, "is cut off or damaged"],
    ["padded with more", `${type} ${blob}AAAA`, "is cut off or damaged"],
    ["another type in front", `ssh-rsa ${blob}`, "says ssh-rsa, but holds a key of another type"],
    ["private", ada.privateText, "is a private key"],
    [
      "a certificate",
      `ssh-ed25519-cert-v01@openssh.com ${fields("ssh-ed25519-cert-v01@openssh.com", "x").toString("base64")}`,
      expect.stringMatching(/^has a type that cannot sign here: it must be ssh-ed25519, /u),
    ],
  ])("is refused: %s", (_, line, error) => {
    expect(readPublicKey(line)).toEqual({ ok: false, error });
  });
});

describe("a signature", () => {
  const text = ada.sign("a plan");

  test("has a key", () => {
    expect(readSignature(text)).toEqual({ ok: true, value: { text, key: asKey } });
  });

  test.each([
    ["empty", "", "it is not an SSH signature"],
    ["another file", "version: 1\n", "it is not an SSH signature"],
    ["followed by another", `${text}${text}`, "it is not an SSH signature"],
    ["cut off", text.replace(/\n.{10}.*\n-----END/u, "\n-----END"), "it is cut off or damaged"],
    ["of a commit", ada.sign("a plan", "git"), "it was not made by `roster plan sign`"],
    ["of another kind", text.replace("U1NIU0lH", "U1NIU0lI"), "it is cut off or damaged"],
  ])("is refused: %s", (_, written, error) => {
    expect(readSignature(written)).toEqual({ ok: false, error });
  });
});
