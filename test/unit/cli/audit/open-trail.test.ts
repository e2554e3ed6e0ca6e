import { describe, expect, test } from "vitest";
import { openAuditTrail } from "../../../../src/cli/audit/open-trail.ts";
import type { Host } from "../../../../src/cli/host.ts";
import type { Setting } from "../../../../src/cli/settings/settings.ts";
import { insideHost } from "../../../support/inside.ts";

const aws = { AWS_ACCESS_KEY_ID: "AKID", AWS_SECRET_ACCESS_KEY: "sesame", AWS_REGION: "eu-west-1" };
const cwd = "/nowhere/work";

interface Places {
  readonly state?: string;
  readonly audit?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** A settings file of the checkout names the places. */
  readonly by?: "checkout";
}

const settingOf = (value: string, by: Places["by"]): Setting =>
  by === "checkout" ? { value, from: "settings", editableIn: "roster.config.yaml" } : { value, from: "flag" };

async function opened({ state, audit, env = {}, by }: Places, host: Host = insideHost({ cwd, env })) {
  const places = {
    ...(state === undefined ? {} : { state: settingOf(state, by) }),
    ...(audit === undefined ? {} : { audit: settingOf(audit, by) }),
  };
  const trail = await openAuditTrail({ ...places, network: {} }, host);
  if (!trail.ok) return trail.error.diagnostics?.map(({ code, message }) => `${code}: ${message}`).join();
  if (trail.value === "none") return "none";
  await trail.value.close();
  return trail.value.address;
}

const database = "postgres://ada:secret@db.acme.example/roster?name=blue";
const shownDatabase = "postgres://db.acme.example:5432/roster?name=blue";
const bucket = "s3://acme/roster/state.json?endpoint=https://s3.example";

describe("the audit trail", () => {
  test.each<[string, Places, string]>([
    ["of a state in a file", { state: "file:.roster/state.json" }, `file:${cwd}/.roster/state.json.audit.jsonl`],
    ["of a state in PostgreSQL", { state: database }, shownDatabase],
    ["of a state in a bucket", { state: bucket, env: aws }, "s3://acme/roster/state.json.audit/"],
    ["that is named", { state: database, audit: "file:audit.jsonl" }, `file:${cwd}/audit.jsonl`],
    ["in a database of its own", { state: "https://s.example/x", audit: database }, shownDatabase],
    [
      "in a bucket of its own",
      { state: "https://s.example/x", audit: bucket, env: aws },
      "s3://acme/roster/state.json/",
    ],
    ["that nobody wants", { state: database, audit: "none" }, "none"],
  ])("%s is there", async (_, places, address) => {
    expect(await opened(places)).toBe(address);
  });

  const noDefault =
    "missing-audit-address: An HTTP state server cannot keep an audit trail, and no other place is set.";
  const unknown = "bad-audit-address: The address of the audit trail has an unknown kind.";
  test.each<[string, Places, string]>([
    ["with a state at a server", { state: "https://s.example/x" }, noDefault],
    ["at a server", { state: database, audit: "https://ada:secret@s.example/x" }, unknown],
    ["in a file without a path", { state: database, audit: "file:" }, unknown],
    [
      "in no database",
      { audit: "postgres://ada:secret@db.acme.example" },
      "bad-audit-address: The audit trail address postgres:… names no database; write postgres://USER@HOST/DATABASE?name=NAME.",
    ],
    [
      "in no bucket",
      { audit: "s3://acme", env: aws },
      "bad-audit-address: The s3: address names no object. Write it like s3://acme/roster/state.json.",
    ],
    [
      "without a region",
      { audit: "s3://acme/audit", env: { ...aws, AWS_REGION: "" } },
      "no-state-region: The region of the audit trail bucket is not set.",
    ],
    [
      "without credentials",
      { audit: "s3://acme/audit", env: { AWS_REGION: "eu-west-1" } },
      "no-state-credentials: The audit trail is in a bucket, but AWS_ACCESS_KEY_ID is not set.",
    ],
    [
      "with a password of the environment, where the checkout says",
      { audit: database.replace(":secret", ""), env: { PGPASSWORD: "secret" }, by: "checkout" },
      "untrusted-endpoint: The password of the audit trail comes from PGPASSWORD, but its address comes from roster.config.yaml. A change to the checkout can edit that file.",
    ],
    [
      "with credentials of the environment, where the checkout says",
      { audit: bucket, env: aws, by: "checkout" },
      "untrusted-endpoint: The credentials of the audit trail come from the environment, but its endpoint comes from roster.config.yaml. A change to the checkout can edit that file.",
    ],
    [
      "with a state that the checkout names, with credentials of the environment",
      { state: bucket, env: aws, by: "checkout" },
      "untrusted-endpoint: The credentials of the state come from the environment, but its endpoint comes from roster.config.yaml. A change to the checkout can edit that file.",
    ],
  ])("cannot be %s", async (_, places, said) => {
    expect(await opened(places)).toBe(said);
  });

  test.each<[string, Places]>([
    ["its address", { audit: "postgres://ada:se%2Fsame-street@db.acme.example/roster" }],
    ["the environment", { audit: "postgres://ada@db.acme.example/roster", env: { PGPASSWORD: "se/same-street" } }],
  ])("has its password from %s taken out of every output", async (_, places) => {
    const host = insideHost({ cwd, env: places.env ?? {} });
    await opened(places, host);
    expect(host.secrets.redact("it is se/same-street.")).toBe("it is [redacted].");
  });
});
