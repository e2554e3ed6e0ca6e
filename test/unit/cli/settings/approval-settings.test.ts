import { describe, expect, test } from "vitest";
import { approvalRulesOf } from "../../../../src/cli/settings/approval-settings.ts";
import { decodeSettings } from "../../../../src/cli/settings/decode-settings.ts";
import { readYaml } from "../../../../src/yaml/read.ts";
import { sshKey } from "../../../support/ssh-keys.ts";

const key = (name: string) => JSON.stringify(sshKey(name).line);
const ada = `{ name: Ada, email: Ada@acme.example, key: ${key("ada")} }`;
const bo = `{ email: bo@acme.example, key: ${key("bo")} }`;

function decoded(text: string) {
  const settings = decodeSettings(readYaml("roster.config.yaml", new TextEncoder().encode(text)));
  return settings.ok ? approvalRulesOf(settings.value) : settings.error.map(({ message }) => message);
}

describe("rules of approvals", () => {
  test.each([
    ["{}", { default: 1, privileged: 2 }],
    ["{ default: 2 }", { default: 2, privileged: 2 }],
    ["{ default: 0, privileged: 1 }", { default: 0, privileged: 1 }],
    ["{ privileged: 1 }", { default: 1, privileged: 1 }],
  ])("are in force: %s", (approvals, needed) => {
    expect(decoded(`signers: [${ada}, ${bo}]\napprovals: ${approvals}`)).toMatchObject({
      needed,
      signers: [
        { name: "Ada", email: "ada@acme.example", key: { fingerprint: sshKey("ada").fingerprint } },
        { email: "bo@acme.example", key: { fingerprint: sshKey("bo").fingerprint } },
      ],
    });
  });

  test("are not there unless they are written", () => {
    expect(decoded("parallelism: 3")).toBeUndefined();
  });

  test.each([
    [`signers: [${ada}]`, "`signers` has no effect without `approvals`."],
    ["approvals: {}", "`approvals` needs `signers`."],
    [`signers: [${ada}]\napprovals: {}`, "Some plans need 2 approvals, but `signers` lists 1 person."],
    [
      `signers: [${ada}, { name: ada, key: ${key("ada at home")} }]\napprovals: {}`,
      "Some plans need 2 approvals, but `signers` lists 1 person.",
    ],
    [
      `signers: [${ada}, ${bo}]\napprovals: { default: 2, privileged: 1 }`,
      "`approvals.privileged` is less than `approvals.default`.",
    ],
    [
      `signers: [${ada}, { name: Bo, key: ${key("ada")} }]\napprovals: {}`,
      `\`signers\` lists the key ${sshKey("ada").fingerprint} twice.`,
    ],
    [`signers: [{ key: ${key("ada")} }]\napprovals: {}`, "A signer needs `name` or `email`."],
    [`signers: [{ name: "a\\nb", key: ${key("ada")} }]\napprovals: {}`, "`name` has a line break."],
    [`signers: [{ name: "a\\u202eb", key: ${key("ada")} }]\napprovals: {}`, "`name` contains an invisible character."],
    [
      `signers: [{ name: "a\\u001bb", key: ${key("ada")} }]\napprovals: {}`,
      expect.stringContaining("control character"),
    ],
    [
      `signers: [{ name: Ada, key: "cert-authority ${sshKey("ada").line}" }]\napprovals: {}`,
      "`key` is no public SSH key on one line.",
    ],
  ])("are refused: %s", (text, message) => {
    expect(decoded(text)).toContainEqual(message);
  });

  test("never show a line with a private key", () => {
    const text = `signers: [{ name: Ada, key: ${JSON.stringify(sshKey("ada").privateText)} }]\napprovals: {}`;
    const settings = decodeSettings(readYaml("roster.config.yaml", new TextEncoder().encode(text)));
    const told = JSON.stringify(settings);
    expect([told.includes("is a private key"), told.includes(sshKey("ada").privateText.slice(40, 60))]).toEqual([
      true,
      false,
    ]);
  });
});
