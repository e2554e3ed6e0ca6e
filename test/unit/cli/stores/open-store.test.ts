import { chown, mkdir, readdir, realpath, symlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import type { Host } from "../../../../src/cli/host.ts";
import type { Setting } from "../../../../src/cli/settings/settings.ts";
import { checkStateFileTrust, openAuditTrail } from "../../../../src/cli/stores/open-store.ts";
import { systemClock, systemRandomness } from "../../../../src/library/system.ts";
import { emptyDirectory } from "../../../support/command.ts";
import { gitRepository } from "../../../support/git-repository.ts";
import { innerRoster } from "../../../support/inner-command.ts";
import { inside, insideHost } from "../../../support/inside.ts";
import { memoryDisk } from "../../../support/memory-disk.ts";
import { writeRoster } from "../../../support/roster-directory.ts";
import { simulatedMachine } from "../../../support/simulated-machine.ts";

test("a host may keep states in files elsewhere than on this machine", async () => {
  const disk = memoryDisk();
  await disk.makeDirectory("/elsewhere");
  await (await disk.open("/elsewhere/state.json", "create")).write("no state");
  const { code, stderr } = await innerRoster(["state", "verify"], {
    cwd: emptyDirectory(),
    env: { ROSTER_STATE: "file:/elsewhere/state.json", ROSTER_TRUST_SETTINGS: "1" },
    clock: systemClock,
    randomness: systemRandomness,
    localSystem: simulatedMachine(disk).start(),
  });
  expect([code, stderr]).toEqual([1, expect.stringContaining("/elsewhere/state.json")]);
});

interface Scene {
  /** What the repositories keep, by their directories. */
  readonly kept?: Readonly<Record<string, readonly string[]>>;
  readonly files?: Readonly<Record<string, string>>;
  readonly links?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** The state, from the checkout. */
  readonly state?: string;
}

const git = { co: [] };

async function troubleOf({ kept = {}, files = {}, links = {}, env = {}, state = ".roster/state.json" }: Scene) {
  const at = await realpath(emptyDirectory());
  await writeRoster(at, { "co/keep": "", "out/keep": "", ...files });
  for (const [directory, paths] of Object.entries(kept)) gitRepository(join(at, directory), ...paths);
  for (const [link, target] of Object.entries(links)) await symlink(target, join(at, link));
  const trouble = await checkStateFileTrust(join(at, "co", state), insideHost({ cwd: join(at, "co"), env }));
  const [told] = trouble?.diagnostics ?? [];
  return told === undefined
    ? "none"
    : (/symbolic link|kept in git|another user/u.exec(told.message)?.[0] ?? told.message);
}

describe("a state in a file", () => {
  test.each<[string, Scene, string]>([
    ["that does not exist yet", { kept: git }, "none"],
    ["that git does not keep", { kept: { co: ["roster.yaml"] }, files: { "co/.roster/state.json": "{}" } }, "none"],
    ["that git keeps", { kept: { co: [".roster/state.json"] } }, "kept in git"],
    ["whose journal git keeps", { kept: { co: [".roster/state.json.journal"] } }, "kept in git"],
    ["whose lock git keeps", { kept: { co: [".roster/state.json.lock/x/owner.json"] } }, "kept in git"],
    [
      "that git keeps under the name behind a link",
      {
        kept: { co: ["evil/state.json"] },
        files: { "co/evil/state.json": "{}" },
        links: { "co/.roster": "evil" },
      },
      "kept in git",
    ],
    [
      "that git keeps, where the checkout is trusted",
      { kept: { co: [".roster/state.json"] }, env: { ROSTER_TRUST_SETTINGS: "1" } },
      "none",
    ],
    [
      "in another repository, which keeps it",
      { kept: { ...git, out: ["state.json"] }, state: "../out/state.json" },
      "kept in git",
    ],
    [
      "that is a link out of the checkout",
      { kept: git, files: { "co/.roster/keep": "" }, links: { "co/.roster/state.json": "../../out/s.json" } },
      "symbolic link",
    ],
    [
      "in a directory that is a link out of the checkout",
      { kept: git, links: { "co/.roster": "../out" } },
      "symbolic link",
    ],
    [
      "behind a link in a pipeline's working directory",
      { links: { "co/.roster": "../out" }, env: { CI: "1" } },
      "symbolic link",
    ],
    ["behind a link in a directory of a person's", { links: { "co/.roster": "../out" } }, "none"],
    ["behind a link outside the checkout", { kept: git, links: { "out/link": "keep" }, state: "../out/link" }, "none"],
  ])("%s", async (_, scene, expected) => {
    expect(await troubleOf(scene)).toBe(expected);
  });

  test.each([
    ["one's own", "state.json", 12345],
    ["the superuser's", "/etc/passwd", 54321],
    ["somebody's, for the superuser", "state.json", 0],
  ])("that is %s is believed", async (_, file, user) => {
    const at = await realpath(emptyDirectory());
    await writeRoster(at, { "state.json": "{}" });
    const isRoot = process.getuid?.() === 0;
    if (isRoot) await chown(join(at, "state.json"), 12345, 12345);
    const reader = isRoot || user === 0 ? user : process.getuid?.();
    expect(await checkStateFileTrust(resolve(at, file), insideHost({ cwd: at }), reader)).toBeUndefined();
  });

  test.each(["state.json", "state.json.journal"])(
    "that another user of the machine wrote (%s) is not believed",
    async (file) => {
      const at = await realpath(emptyDirectory());
      await writeRoster(at, { [file]: "{}" });
      if (process.getuid?.() === 0) await chown(join(at, file), 12345, 12345);
      const trouble = await checkStateFileTrust(join(at, "state.json"), insideHost({ cwd: at }), 54321);
      expect(trouble?.diagnostics?.[0]?.message).toContain(`${join(at, file)} belongs to another user`);
    },
  );

  test("ends a command before anything is read or written", async () => {
    const at = emptyDirectory();
    await writeRoster(at, { "co/.roster/state.json": "prefix1.s3cretpart" });
    gitRepository(join(at, "co"), ".roster/state.json");
    await mkdir(join(at, "co/.roster/more"));
    const shown = await inside(["state", "show"], { cwd: join(at, "co") });
    expect({
      code: shown.code,
      told: /error\[untrusted\]: The state .* is kept in git/u.test(shown.stderr),
      secret: `${shown.stdout}${shown.stderr}`.includes("s3cret"),
    }).toEqual({
      code: 3,
      told: true,
      secret: false,
    });
    expect((await readdir(join(at, "co/.roster"))).sort()).toEqual(["more", "state.json"]);
  });
});

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
    ["in a database of its own", { state: bucket, audit: database }, shownDatabase],
    ["in a bucket of its own", { state: database, audit: bucket, env: aws }, "s3://acme/roster/state.json/"],
    ["that nobody wants", { state: database, audit: "none" }, "none"],
  ])("%s is there", async (_, places, address) => {
    expect(await opened(places)).toBe(address);
  });

  const unknown = "bad-value: The address of the audit trail has an unknown kind.";
  test.each<[string, Places, string]>([
    ["at a server", { state: database, audit: "https://ada:secret@s.example/x" }, unknown],
    ["in a file without a path", { state: database, audit: "file:" }, unknown],
    [
      "in no database",
      { audit: "postgres://ada:secret@db.acme.example" },
      "bad-value: The audit trail address postgres:… names no database; write postgres://USER@HOST/DATABASE?name=NAME.",
    ],
    [
      "in no bucket",
      { audit: "s3://acme", env: aws },
      "bad-value: The s3: address names no object. Write it like s3://acme/roster/state.json.",
    ],
    [
      "without a region",
      { audit: "s3://acme/audit", env: { ...aws, AWS_REGION: "" } },
      "missing-setting: The region of the audit trail bucket is not set.",
    ],
    [
      "without credentials",
      { audit: "s3://acme/audit", env: { AWS_REGION: "eu-west-1" } },
      "missing-setting: The audit trail is in a bucket, but AWS_ACCESS_KEY_ID is not set.",
    ],
    [
      "with a password of the environment, where the checkout says",
      { audit: database.replace(":secret", ""), env: { PGPASSWORD: "secret" }, by: "checkout" },
      "untrusted: The password of the audit trail comes from PGPASSWORD, but its address comes from roster.config.yaml. A change to the checkout can edit that file.",
    ],
    [
      "with credentials of the environment, where the checkout says",
      { audit: bucket, env: aws, by: "checkout" },
      "untrusted: The credentials of the audit trail come from the environment, but its endpoint comes from roster.config.yaml. A change to the checkout can edit that file.",
    ],
    [
      "with a state that the checkout names, with credentials of the environment",
      { state: bucket, env: aws, by: "checkout" },
      "untrusted: The credentials of the state come from the environment, but its endpoint comes from roster.config.yaml. A change to the checkout can edit that file.",
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
