import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, type TestContext, test } from "vitest";
import { decodePlanFile, encodePlanFile } from "../../src/codec/plan-file.ts";
import { systemClock } from "../../src/library/system.ts";
import { startReferenceServer } from "../../src/reference-server/server.ts";
import { emptyDirectory } from "../support/command.ts";
import { sha256 } from "../support/fixed-ports.ts";
import { git } from "../support/git-repository.ts";
import { inside } from "../support/inside.ts";
import { twoPeople } from "../support/inside-scene.ts";
import { writeRoster } from "../support/roster-directory.ts";
import { hasSshKeygen, sshKey, writeKey } from "../support/ssh-keys.ts";

const people = ["ada", "bo", "cy", "eve"] as const;
const keys = Object.fromEntries(people.map((name) => [name, sshKey(name)]));
const line = (name: string) => JSON.stringify(sshKey(name).line);

const settings = `guards: { privileged-roles: { people: [bo@acme.example] } }
signers:
  - { name: Ada Lovelace, email: ada@acme.example, key: ${line("ada")} }
  - { name: Ada Lovelace, key: ${line("ada at home")} }
  - { email: bo@acme.example, key: ${line("bo")} }
  - { name: Cy, key: ${line("cy")} }
approvals: { default: 1, privileged: 2 }
`;

const privileged = twoPeople.replace("{ user: bo@acme.example }", "{ user: bo@acme.example, roles: [ACCOUNT_ADMIN] }");

type AtEnd = TestContext["onTestFinished"];

/** A service, and a directory with a roster, keys and settings that ask for approvals. */
async function scene(onTestFinished: AtEnd, roster = twoPeople) {
  const server = await startReferenceServer({ port: 0 });
  onTestFinished(() => server.close());
  const cwd = emptyDirectory(onTestFinished);
  await writeRoster(cwd, { "roster.yaml": roster, "roster.config.yaml": settings });
  mkdirSync(join(cwd, "keys"));
  for (const name of [...people, "ada at home"]) writeKey(join(cwd, "keys", name), sshKey(name));
  const env = { ROSTER_ENDPOINT: server.endpoint, ROSTER_API_KEY: server.key };
  const run = async (...args: readonly string[]) => {
    const ended = await inside(args, { cwd, env });
    return { ...ended, said: ended.stderr.replaceAll(/\s+/gu, " ") };
  };
  return {
    server,
    cwd,
    run,
    plan: () => run("plan", "--out", "plan.json"),
    sign: (name: string) => run("plan", "sign", "plan.json", "--key", join("keys", name)),
    text: () => readFileSync(join(cwd, "plan.json"), "utf8"),
    put: (file: string, text: string) => writeFileSync(join(cwd, file), text),
    /** Whether the state says what a plan file has said of the roster. */
    recorded: () => {
      const state = join(cwd, ".roster/state.json");
      return existsSync(state) && JSON.parse(readFileSync(state, "utf8")).applied != null;
    },
    requests: () => server.requests.length,
    writes: () => server.requests.filter(({ method, path }) => method !== "GET" && !path.endsWith("/search")),
  };
}

const fileOf = (name: string) => {
  const short = sshKey(name).fingerprint.slice(7, 23).replaceAll("+", "-").replaceAll("/", "_");
  return `plan.json.${short}.sig`;
};

describe("where plans need approvals", () => {
  const unsigned: readonly (readonly [string, string, string])[] = [
    ["apply", "apply --auto-approve", "`roster apply` cannot change the service without a signed plan file"],
    ["a repair", "drift --repair tampered --auto-approve", "the next plan contains the repair"],
    ["an invitation", "resend-invitation bo@acme.example Red --auto-approve", "send the invitation in the service"],
  ];

  test.for(unsigned)(
    "%s without a plan file is refused (5) before its first call",
    async ([, args, says], { onTestFinished }) => {
      const { run, requests } = await scene(onTestFinished);
      const refused = await run(...args.split(" "));
      expect([refused.code, refused.said.includes("error[plan-not-signed]"), requests()]).toEqual([5, true, 0]);
      expect(refused.said).toContain(says);
    },
  );

  test("an unsigned plan file is refused (5) before its first call, and says who can sign", async ({
    onTestFinished,
  }) => {
    const { run, plan, requests } = await scene(onTestFinished, privileged);
    const saved = await plan();
    expect(saved.stdout.replaceAll(/\s+/gu, " ")).toContain(
      "Approvals: 0 of 2, because the plan changes privileged roles. can sign: Ada Lovelace, bo@acme.example, Cy Saved. Signers approve it with `roster plan sign plan.json`.",
    );
    const before = requests();
    const refused = await run("apply", "plan.json");
    expect([refused.code, requests()]).toEqual([5, before]);
    expect(refused.said).toContain(
      "error[approvals-missing]: plan.json needs 2 approvals, because it changes privileged roles, and it has none " +
        "hint: Read the plan with `roster show plan.json`, sign it with `roster plan sign plan.json`, and apply it again. " +
        "These people can sign: Ada Lovelace, bo@acme.example, Cy",
    );
  });

  test("a plan file cannot say that a key has had the privileged role before", async ({ onTestFinished }) => {
    const { run, plan, put, text } = await scene(onTestFinished, privileged);
    await plan();
    const read = decodePlanFile(text(), sha256);
    if (!read.ok) throw new Error(read.error);
    const place = { file: "roster.yaml", line: 1, column: 1 };
    const actions = read.value.plan.actions.map((action) =>
      action.kind === "replace-roles"
        ? { ...action, before: { known: "declared", value: action.roles, place } as const }
        : action,
    );
    expect(actions.some((action) => action.kind === "replace-roles")).toBe(true);
    put("plan.json", encodePlanFile({ ...read.value, plan: { ...read.value.plan, actions } }, sha256));
    expect((await run("apply", "plan.json")).said).toContain("needs 2 approvals, because it changes privileged roles");
  });

  test("a plan without changes needs none, and then records nothing", async ({ onTestFinished }) => {
    const { run, plan, recorded } = await scene(onTestFinished, "version: 1\naccount: acc-1\n");
    await plan();
    expect([(await run("apply", "plan.json")).code, recorded()]).toEqual([0, false]);
  });

  test("a rule may ask for approvals of privileged roles alone", async ({ onTestFinished }) => {
    const { cwd, run, plan, put } = await scene(onTestFinished);
    put("roster.config.yaml", settings.replace("default: 1", "default: 0"));
    await plan();
    expect((await run("apply", "plan.json")).code).toBe(0);
    await writeRoster(cwd, { "roster.yaml": privileged });
    await plan();
    expect([(await run("apply", "plan.json")).code, (await run("apply", "--auto-approve")).code]).toEqual([5, 5]);
  });

  test("signatures of another plan file in the directory are not of this one", async ({ onTestFinished }) => {
    const { run, plan, put } = await scene(onTestFinished);
    await plan();
    put("plan.json.v2.ada.sig", "of plan.json.v2");
    put("other.json.ada.sig", "of other.json");
    put("plan.json.sig", "of nobody");
    expect((await run("apply", "plan.json")).said).toContain("plan.json needs 1 approval, and it has none hint:");
  });

  test("settings in a pipeline's checkout say nothing about them (3)", async ({ onTestFinished }) => {
    const { cwd, plan, server } = await scene(onTestFinished);
    await plan();
    const env = { CI: "1", ROSTER_ENDPOINT: server.endpoint, ROSTER_API_KEY: server.key, ROSTER_STATE: "file:s.json" };
    const refused = await inside(["apply", "plan.json"], { cwd, env });
    const names = [...refused.stderr.matchAll(/in the checkout sets (\w+)/gu)].map(([, name]) => name);
    expect([refused.code, names]).toEqual([3, ["guards", "signers", "approvals"]]);
  });

  const hostile: readonly (readonly [string, (path: string) => void, string])[] = [
    ["a text", (path) => writeFileSync(path, "Ada approves this\n"), "it is not an SSH signature"],
    ["cut off", (path) => writeFileSync(path, sshKey("ada").sign("x").slice(0, -60)), "it is not an SSH signature"],
    [
      "of a commit",
      (path) => writeFileSync(path, sshKey("ada").sign("x", "git")),
      "it was not made by `roster plan sign`",
    ],
    ["a directory", (path) => mkdirSync(path), "it cannot be read: EISDIR"],
    ["a link to nowhere", (path) => symlinkSync("nowhere", path), "it cannot be read: ENOENT"],
    [
      "a link to a device",
      (path) => symlinkSync("/dev/zero", path),
      "it cannot be read: it is a device, not a regular file",
    ],
    ["a pipe", (path) => void execFileSync("mkfifo", [path]), "it cannot be read: it is a pipe, not a regular file"],
    ["huge", (path) => writeFileSync(path, " ".repeat(64 * 1024 + 1)), "it cannot be read: it is larger than 64 KiB"],
  ];

  test.for(hostile)(
    "a signature that is %s is an error that names it (3)",
    async ([, make, why], { onTestFinished }) => {
      const { cwd, run, plan, writes } = await scene(onTestFinished);
      await plan();
      make(join(cwd, "plan.json.x.sig"));
      const refused = await run("apply", "plan.json");
      expect([refused.code, writes()]).toEqual([3, []]);
      expect(refused.said).toContain(`error[bad-signature]: The signature plan.json.x.sig cannot be used: ${why}.`);
    },
  );

  test("a signature of an unknown key is named, and does not count", async ({ onTestFinished }) => {
    const { run, plan, put, text } = await scene(onTestFinished);
    await plan();
    put("plan.json.eve.sig", sshKey("eve").sign(text()));
    const refused = await run("apply", "plan.json");
    expect([refused.code, refused.said]).toEqual([
      5,
      expect.stringContaining(
        `plan.json.eve.sig does not count: \`signers\` does not list the key ${sshKey("eve").fingerprint}`,
      ),
    ]);
  });

  test("more signatures than people write are not read", async ({ onTestFinished }) => {
    const { run, plan, put } = await scene(onTestFinished);
    await plan();
    for (let number = 0; number <= 100; number += 1) put(`plan.json.${number}.sig`, "");
    const refused = await run("apply", "plan.json");
    expect([refused.code, refused.said.includes("error[too-many-signatures]: There are 101 signatures")]).toEqual([
      3,
      true,
    ]);
  });

  test("--signature is never ignored (3)", async ({ onTestFinished }) => {
    const { run, plan, put } = await scene(onTestFinished);
    expect((await run("apply", "--auto-approve", "--signature", "a.sig")).said).toContain("error[unused-signature]");
    await plan();
    put("roster.config.yaml", "parallelism: 3\n");
    const unused = await run("apply", "plan.json", "--signature", "a.sig");
    expect([unused.code, unused.said.includes("error[unused-signature]")]).toEqual([3, true]);
  });

  test("without ssh-keygen a signature is an error that says what to install (3)", async ({ onTestFinished }) => {
    const { cwd, plan, put, text, server } = await scene(onTestFinished);
    await plan();
    put("plan.json.ada.sig", sshKey("ada").sign(text()));
    const env = { PATH: cwd, ROSTER_ENDPOINT: server.endpoint, ROSTER_API_KEY: server.key };
    for (const args of [
      ["apply", "plan.json"],
      ["plan", "sign", "plan.json", "--key", "keys/ada"],
    ]) {
      const refused = await inside(args, { cwd, env });
      expect([refused.code, refused.stderr.includes("error[no-ssh-keygen]")]).toEqual([3, true]);
    }
  });
});

describe.skipIf(!hasSshKeygen)("with ssh-keygen (skipped where it is not installed), a plan file", () => {
  test("is signed by two people, shown, applied once, and its approvals are in the audit trail", async ({
    onTestFinished,
  }) => {
    const { run, plan, sign, writes } = await scene(onTestFinished, privileged);
    await plan();
    const signed = await sign("ada");
    expect(signed.stdout.replaceAll(/\s+/gu, " ")).toContain(
      `Signed plan.json with the key ${keys["ada"]?.fingerprint} of Ada Lovelace. The signature is in ${fileOf("ada")}.`,
    );
    expect((await run("apply", "plan.json")).said).toContain("and it has 1: Ada Lovelace");
    const refused = JSON.parse((await run("apply", "plan.json", "--format", "json")).stdout);
    expect([refused.error.code, refused.exit_code, refused.plan_file.approvals]).toMatchObject([
      "approvals-missing",
      5,
      { needed: 2, counted: 1, open: ["bo@acme.example", "Cy"] },
    ]);
    await sign("cy");
    const shown = JSON.parse((await run("show", "plan.json", "--format", "json")).stdout);
    const [first, second] = ["ada", "cy"].map((name) => ({ file: fileOf(name), key: sshKey(name).fingerprint }));
    const signatures = [
      { is: "counted", signer: "Ada Lovelace", ...first },
      { is: "counted", signer: "Cy", ...second },
    ].sort((a, b) => ((a.file ?? "") < (b.file ?? "") ? -1 : 1));
    expect(shown.plan_file.approvals).toEqual({
      needed: 2,
      counted: 2,
      privileged: true,
      signatures,
      open: ["bo@acme.example"],
    });
    expect([(await run("apply", "plan.json")).code, writes().length > 0]).toEqual([0, true]);
    const told = (await run("audit", "show")).stdout;
    for (const { signer, key } of signatures) expect(told).toContain(`approved by ${signer} (${key})`);
    const [row] = JSON.parse((await run("audit", "export", "--format", "json")).stdout);
    expect(row.approvals).toEqual(signatures.map(({ signer, key }) => `${signer} (${key})`));
    expect((await run("audit", "verify")).code).toBe(0);
    const done = writes().length;
    const again = await run("apply", "plan.json");
    expect([again.code, again.said.includes("this plan file was already applied"), writes().length]).toEqual([
      6,
      true,
      done,
    ]);
  });

  test("without privileged roles needs one person; an unknown key warns the signer", async ({ onTestFinished }) => {
    const { run, plan, sign } = await scene(onTestFinished);
    await plan();
    expect((await sign("eve")).said).toContain("warning: `signers` in the settings does not list this key");
    expect((await run("apply", "plan.json")).code).toBe(5);
    await sign("bo");
    expect((await run("apply", "plan.json")).code).toBe(0);
  });

  test("without changes is recorded in the state where it is signed, and where no plan of its kind must be", async ({
    onTestFinished,
  }) => {
    for (const rules of [settings, settings.replace("default: 1", "default: 0")]) {
      const { run, plan, put, sign, recorded } = await scene(onTestFinished, "version: 1\naccount: acc-1\n");
      put("roster.config.yaml", rules);
      await plan();
      if (rules === settings) await sign("ada");
      expect([(await run("apply", "plan.json")).code, recorded()]).toEqual([0, true]);
    }
  });

  test("counts a person with two keys once", async ({ onTestFinished }) => {
    const { run, plan, sign } = await scene(onTestFinished, privileged);
    await plan();
    await sign("ada");
    await sign("ada at home");
    const refused = await run("apply", "plan.json");
    expect([refused.code, refused.said]).toEqual([
      5,
      expect.stringContaining("does not count: Ada Lovelace has signed already"),
    ]);
  });

  test("is not approved by an author of the commit", async ({ onTestFinished }) => {
    const { cwd, run, plan, sign, writes } = await scene(onTestFinished);
    git(cwd, "init", "-q");
    git(cwd, "commit", "-q", "--allow-empty", "-m", "x", "--author=Bo Diaz <BO@acme.example>");
    await plan();
    await sign("bo");
    const refused = await run("apply", "plan.json");
    expect([refused.code, writes()]).toEqual([5, []]);
    expect(refused.said).toContain(`${fileOf("bo")} does not count: bo@acme.example is an author of the commit`);
    expect(refused.said).toContain("These people can sign: Ada Lovelace, Cy");
    await sign("cy");
    expect((await run("apply", "plan.json")).code).toBe(0);
  });

  test("cannot be exchanged: the signature of another plan is an error, and so is a changed byte (3)", async ({
    onTestFinished,
  }) => {
    const { cwd, run, plan, sign, put, text, writes } = await scene(onTestFinished);
    await plan();
    await sign("ada");
    const first = text();
    await writeRoster(cwd, { "roster.yaml": twoPeople.replaceAll("bo@acme.example", "eve@acme.example") });
    await plan();
    const other = await run("apply", "plan.json");
    expect([other.code, other.said]).toEqual([
      3,
      expect.stringContaining(`The signature ${fileOf("ada")} cannot be used: it does not fit this plan file`),
    ]);
    // The same plan in a file of its own is another file.
    await writeRoster(cwd, { "roster.yaml": twoPeople });
    await plan();
    expect([text() === first, (await run("apply", "plan.json")).code]).toEqual([false, 3]);
    const codes = new Set<number>();
    for (const change of [/"expires_at": "20/u, /ada@/u, /"checksum": "./u, /\n$/u]) {
      put(
        "plan.json",
        first.replace(change, (found) => {
          if (found === "\n") return "\n\n";
          return found.slice(0, -1) + (found.endsWith("9") ? "8" : "9");
        }),
      );
      codes.add((await run("apply", "plan.json")).code);
    }
    expect([[...codes], writes()]).toEqual([[3], []]);
    put("plan.json", first);
    expect((await run("apply", "plan.json")).code).toBe(0);
  });

  test("takes the signatures that are named, and then only those", async ({ onTestFinished }) => {
    const { cwd, run, plan, sign, put } = await scene(onTestFinished);
    await plan();
    await sign("ada");
    renameSync(join(cwd, fileOf("ada")), join(cwd, "approval"));
    put("plan.json.old.sig", "of an earlier plan");
    expect((await run("apply", "plan.json")).code).toBe(3);
    expect((await run("apply", "plan.json", "--signature", "approval")).code).toBe(0);
  });

  test("is signed with the key that git signs with, also in an agent", async ({ onTestFinished }) => {
    const { cwd, run, plan, server } = await scene(onTestFinished);
    git(cwd, "init", "-q");
    await plan();
    const without = await run("plan", "sign", "plan.json");
    expect([without.code, without.said.includes("error[no-signing-key]")]).toEqual([3, true]);
    git(cwd, "config", "gpg.format", "ssh");
    git(cwd, "config", "user.signingKey", join(cwd, "keys/bo"));
    expect((await run("plan", "sign", "plan.json")).code).toBe(0);
    const agent = execFileSync("ssh-agent", ["-s"], { encoding: "utf8" });
    const [, socket = ""] = /SSH_AUTH_SOCK=([^;]+)/u.exec(agent) ?? [];
    const [, pid = ""] = /SSH_AGENT_PID=(\d+)/u.exec(agent) ?? [];
    onTestFinished(() => void process.kill(Number(pid)));
    execFileSync("ssh-add", ["-q", join(cwd, "keys/cy")], {
      env: { ...process.env, SSH_AUTH_SOCK: socket },
      stdio: "ignore",
    });
    rmSync(join(cwd, "keys/cy"));
    git(cwd, "config", "user.signingKey", `key::${sshKey("cy").line}`);
    const env = { SSH_AUTH_SOCK: socket, ROSTER_ENDPOINT: server.endpoint, ROSTER_API_KEY: server.key };
    const signed = await inside(["plan", "sign", "plan.json"], { cwd, env });
    expect([signed.code, signed.stdout.includes(sshKey("cy").fingerprint)]).toEqual([0, true]);
  });

  test("is signed into no other file than one of a signature, and not when it has expired", async ({
    onTestFinished,
  }) => {
    const { cwd, run, plan, sign, put } = await scene(onTestFinished);
    await plan();
    put("notes.txt", "mine");
    const taken = await run("plan", "sign", "plan.json", "--key", "keys/ada", "--out", "notes.txt");
    expect([taken.code, taken.said.includes("notes.txt is no signature")]).toEqual([3, true]);
    for (const out of ["roster.yaml", "-"]) {
      const refused = await run("plan", "sign", "plan.json", "--key", "keys/ada", "--out", out);
      expect([refused.code, refused.said.includes(`--out ${out} cannot be the file of a signature`)]).toEqual([
        3,
        true,
      ]);
    }
    expect([(await sign("ada")).code, (await sign("ada")).code]).toEqual([0, 0]);
    const unknown = await run("plan", "sign", "plan.json", "--key", "keys/nobody");
    expect([unknown.code, unknown.said.includes("error[not-signed]")]).toEqual([1, true]);
    const late = { ...systemClock, now: () => Date.now() + 2 * 86_400_000, wait: async () => undefined };
    const expired = await inside(["plan", "sign", "plan.json", "--key", "keys/ada"], { cwd, clock: late });
    expect([expired.code, expired.stderr.includes("expired at")]).toEqual([6, true]);
  });
});
