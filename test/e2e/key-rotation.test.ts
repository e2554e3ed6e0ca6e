import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import type { RouteName } from "../../src/reference-server/fault-triggers.ts";
import type { Knobs } from "../../src/reference-server/knobs/registry.ts";
import { startReferenceServer } from "../../src/reference-server/server.ts";
import { emptyDirectory, prompt } from "../support/command.ts";
import { inside } from "../support/inside.ts";
import { twoPeople } from "../support/inside-scene.ts";
import { writeRoster } from "../support/roster-directory.ts";

const owner = "root@acme.example";
const seed = {
  users: [{ email: owner, firstName: "R", lastName: "T" }],
  keys: ["first1", "second", "third1"].map((prefix) => ({
    prefix,
    secret: `${prefix}OfAllTheSecrets`,
    owner,
    roles: ["SYSTEM_OWNER"],
  })),
};
const keyOf = (prefix: string) => `${prefix}.${prefix}OfAllTheSecrets`;

/** A company whose runs ask a secret store for their key, as docs/security.md says. */
async function scene(knobs: Partial<Knobs>, rotate: readonly [RouteName, number, string][] = []) {
  const cwd = emptyDirectory();
  const put = (prefix: string) => writeFileSync(join(cwd, "store.txt"), keyOf(prefix));
  const server = await startReferenceServer({
    port: 0,
    seed,
    knobs,
    onRequest(route, number) {
      for (const [at, which, prefix] of rotate) if (at === route && which === number) put(prefix);
    },
  });
  onTestFinished(() => server.close());
  await writeRoster(cwd, {
    "roster.yaml": twoPeople,
    "roster.config.yaml": `endpoint: ${server.endpoint}\napiKeyCommand: [cat, store.txt]\n`,
  });
  put("first1");
  const run = (...args: readonly string[]) => inside(args, { cwd, env: prompt });
  const written = () =>
    readdirSync(join(cwd, ".roster"), { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => readFileSync(join(cwd, ".roster", name), "utf8"))
      .join("");
  return { server, cwd, put, run, written };
}

describe("a key that is rotated in the middle of an apply", () => {
  test.each<[string, Partial<Knobs>, readonly [RouteName, number, string][]]>([
    ["while it reads", { revokeKey: ["list@1"] }, [["list", 1, "second"]]],
    ["before a creation", { revokeKey: ["create@2"] }, [["create", 2, "second"]]],
    ["before roles are replaced", { revokeKey: ["keys@1"] }, [["keys", 1, "second"]]],
    [
      "twice",
      { revokeKey: ["create@1", "keys@1"] },
      [
        ["create", 1, "second"],
        ["keys", 1, "third1"],
      ],
    ],
  ])("%s is asked for once more, and nothing is done twice", async (_name, knobs, rotate) => {
    const { server, run, written } = await scene(knobs, rotate);
    const { code, stdout, stderr } = await run("apply", "--auto-approve", "--debug");
    expect({ code, stderr: code === 0 ? "" : stderr }).toEqual({ code: 0, stderr: "" });
    expect(server.world.users.map(({ email }) => email)).toEqual([owner, "ada@acme.example", "bo@acme.example"]);
    expect(server.outbox.map(({ address }) => address)).toEqual(["bo@acme.example"]);
    expect(stderr).toContain("was refused, and another key is in use now");
    expect(`${stdout}${stderr}${written()}`).not.toContain("OfAllTheSecrets");
    expect((await run("plan", "--detailed-exitcode")).code).toBe(0);
  });

  test("ends the run with 4 where the store still has the old key, and the next run goes on", async () => {
    const { server, run, put } = await scene({ revokeKey: ["create@2"] });
    const { code, stdout, stderr } = await run("apply", "--auto-approve");
    expect(code).toBe(4);
    expect(`${stdout}${stderr}`).toContain("roster asked apiKeyCommand once more: it returned a refused key.");
    put("second");
    expect((await run("apply", "--auto-approve")).code).toBe(0);
    expect(server.outbox.map(({ address }) => address)).toEqual(["bo@acme.example"]);
  });

  test("says why the store gave none", async () => {
    const { cwd, server, run } = await scene({ revokeKey: ["any@1"] });
    writeFileSync(
      join(cwd, "roster.config.yaml"),
      `endpoint: ${server.endpoint}\napiKeyCommand: [sh, -c, "cat store.txt && mv store.txt gone.txt"]\n`,
    );
    const { code, stderr } = await run("plan");
    expect(code).toBe(4);
    expect(stderr).toContain("roster asked apiKeyCommand once more: The apiKeyCommand sh returned no key: 1.");
  });
});

test("the steps of docs/security.md replace a key, and nothing stops", async () => {
  const { cwd, server, run, put } = await scene({});
  expect((await run("apply", "--auto-approve")).code).toBe(0);
  writeFileSync(join(cwd, "new.key"), keyOf("second"));
  const owner = async (more: Readonly<Record<string, string>>, ...flags: readonly string[]) => {
    const args = ["doctor", "--format", "json", ...flags];
    const { code, stdout } = await inside(args, { cwd, env: { ...prompt, ...more } });
    const checks: readonly { check: string; came: string }[] = JSON.parse(stdout).examination.checks;
    return [code, ...checks.flatMap(({ check, came }) => (check === "key-owner" ? [came] : []))];
  };
  const before = await owner({});
  expect(before).toEqual([0, "root@acme.example, SYSTEM_OWNER"]);
  expect(await owner({ ROSTER_API_KEY_FILE: "new.key" }, "--endpoint", server.endpoint)).toEqual(before);
  put("second");
  server.world.setKeyStatus("first1", "Inactive");
  expect((await run("plan", "--detailed-exitcode")).code).toBe(0);
  const old = await inside(["plan", "--endpoint", server.endpoint], {
    cwd,
    env: { ...prompt, ROSTER_API_KEY: keyOf("first1") },
  });
  expect(old.code).toBe(4);
});

test("a key file is read once more; a variable is not", async () => {
  const { cwd, server, put } = await scene({ revokeKey: ["list@1"] }, [["list", 1, "second"]]);
  writeFileSync(join(cwd, "roster.config.yaml"), "{}\n");
  const env = { ...prompt, ROSTER_ENDPOINT: server.endpoint };
  const byFile = await inside(["plan"], { cwd, env: { ...env, ROSTER_API_KEY_FILE: "store.txt" } });
  expect([byFile.code, byFile.stderr]).toEqual([0, expect.not.stringContaining("401")]);
  put("second");
  const byVariable = await inside(["plan"], { cwd, env: { ...env, ROSTER_API_KEY: keyOf("first1") } });
  expect([byVariable.code, byVariable.stderr]).toEqual([4, expect.stringContaining("Check ROSTER_API_KEY")]);
});
