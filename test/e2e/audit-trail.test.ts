import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { fileAuditTrail } from "../../src/log/file/audit-trail.ts";
import type { AuditTrail } from "../../src/ports/state-store.ts";
import { startReferenceServer } from "../../src/reference-server/server.ts";
import { verifiedCalls } from "../support/audit-trail-contract.ts";
import { type AtEnd, emptyDirectory, prompt } from "../support/command.ts";
import { countingRandomness } from "../support/fixed-ports.ts";
import { inside } from "../support/inside.ts";
import { writeRoster } from "../support/roster-directory.ts";
import { openS3TrailAt } from "../support/s3-place.ts";
import { type SmallS3, smallS3 } from "../support/small-s3.ts";

const people = (...names: readonly string[]) =>
  `version: 1
account: acc-1
users:
${names.map((name) => `  - { email: ${name}@acme.example, firstName: ${name}, lastName: Roe }`).join("\n")}
`;

const clock = { now: Date.now, monotonic: Date.now, wait: async () => undefined };

/** A service, a bucket and a directory with a roster. The state is in a file unless the environment says otherwise. */
async function scene(atEnd: AtEnd) {
  const directory = emptyDirectory(atEnd);
  const service = await startReferenceServer({ port: 0 });
  atEnd(() => service.close());
  const bucket = await smallS3({ clock });
  atEnd(() => bucket.close());
  const env = {
    ...prompt,
    ROSTER_ENDPOINT: service.endpoint,
    ROSTER_API_KEY: service.key,
    ROSTER_STATE: "file:state.json",
    AWS_REGION: "us-east-1",
    AWS_ENDPOINT_URL_S3: bucket.endpoint,
    AWS_ACCESS_KEY_ID: "AKIDROSTERTEST",
    AWS_SECRET_ACCESS_KEY: "the-secret/access+key",
  };
  const emails = () => service.world.users.map(({ email }) => email).sort();
  return {
    directory,
    bucket,
    emails,
    async apply(names: readonly string[], more: Readonly<Record<string, string>> = {}) {
      await writeRoster(directory, { "roster.yaml": people(...names) });
      return inside(["apply", "--auto-approve", "roster.yaml"], { cwd: directory, env: { ...env, ...more } });
    },
  };
}

interface Place {
  readonly env?: Readonly<Record<string, string>>;
  /** As somebody who checks it opens it. */
  trail(directory: string, bucket: SmallS3): AuditTrail;
}

const inBucket =
  (name: string, suffix: ".audit/" | "/") =>
  (_: string, { endpoint }: SmallS3) =>
    openS3TrailAt(`s3://acme/${name}?endpoint=${endpoint}`, { clock, randomness: countingRandomness(), suffix });

const places: Readonly<Record<string, Place>> = {
  "a file next to the state": {
    trail: (directory) => fileAuditTrail(join(directory, "state.json.audit.jsonl")),
  },
  "a file that ROSTER_AUDIT names": {
    env: { ROSTER_AUDIT: "file:deep/audit.jsonl" },
    trail: (directory) => fileAuditTrail(join(directory, "deep/audit.jsonl")),
  },
  "the bucket of the state": {
    env: { ROSTER_STATE: "s3://acme/roster/state.json" },
    trail: inBucket("roster/state.json", ".audit/"),
  },
  "a bucket that ROSTER_AUDIT names": {
    env: { ROSTER_AUDIT: "s3://acme/audit" },
    trail: inBucket("audit", "/"),
  },
};

describe("an audit trail", () => {
  test.concurrent.for(Object.entries(places))(
    "in %s has every call of two applies, one behind the other",
    async ([, { env, trail }], { onTestFinished }) => {
      const { directory, bucket, apply } = await scene(onTestFinished);
      for (const names of [["ada"], ["ada", "bo"]]) {
        const applied = await apply(names, env);
        expect(applied, applied.stderr).toMatchObject({ code: 0 });
      }
      const opened = trail(directory, bucket);
      onTestFinished(() => opened.close());
      expect(await verifiedCalls(opened)).toEqual([
        "create-user ada@acme.example done",
        "create-user bo@acme.example done",
      ]);
    },
  );

  test.for([
    ["read", "GET", 1],
    ["written", "PUT", 1],
  ] as const)(
    "that cannot be %s stops an apply before its first call",
    async ([doing, refused, code], { onTestFinished }) => {
      const { bucket, emails, apply } = await scene(onTestFinished);
      const before = emails();
      bucket.answer(({ method, url }) =>
        method === refused && url.includes("/audit/") ? { status: 403, code: "AccessDenied" } : "usual",
      );
      const stopped = await apply(["ada"], { ROSTER_AUDIT: "s3://acme/audit" });
      expect({ code: stopped.code, said: stopped.stderr.replace(/\s+/gu, " ") }).toEqual({
        code,
        said: expect.stringContaining(
          `the audit trail could not be ${doing} at s3://acme/audit/00000001.jsonl: the credentials have no permission for this`,
        ),
      });
      expect(emails()).toEqual(before);
      expect((await apply(["ada"], { ROSTER_AUDIT: "none" })).code).toBe(0);
      expect(emails()).toContain("ada@acme.example");
    },
  );
});
