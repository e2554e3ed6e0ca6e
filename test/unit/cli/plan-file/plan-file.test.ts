import { mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { twoPeople } from "../../../support/inside-scene.ts";
import { clockAhead, endOf, planFileScene } from "../../../support/plan-file-scene.ts";

const saving = ["plan", "--out", "p.json", "--format", "json"];
const files = async (directory: string) => (await readdir(directory)).filter((name) => name.startsWith("p.json"));

describe("plan --out", () => {
  test("writes a file for its owner alone, and shows the plan as ever", async () => {
    const at = await planFileScene();
    const { code, document } = endOf(await at.run([...saving, "--detailed-exitcode"]));
    expect([code, document.actions?.length]).toEqual([2, 5]);
    const text = await readFile(join(at.cwd, "p.json"), "utf8");
    expect((await stat(join(at.cwd, "p.json"))).mode & 0o777).toBe(0o600);
    expect(text).toContain(`"file": "${document.plan_file?.file}"`);
    expect(text).not.toContain(at.server.key.split(".")[1]);
    expect(await files(at.cwd)).toEqual(["p.json"]);
    expect((await at.run(["plan", "--out", "p.json"])).stdout).toMatch(
      /Saved\. To apply exactly this plan, run `roster apply p\.json` before/u,
    );
  });

  test("keeps no password of an address in the command with which a finding is allowed", async () => {
    const at = await planFileScene();
    const admin = twoPeople.replace(
      "users:",
      "users:\n  - { email: cy@acme.example, firstName: Cy, lastName: Diaz, ownKeyRoles: [ACCOUNT_ADMIN] }",
    );
    await writeFile(join(at.cwd, "roster.yaml"), admin);
    await at.run([...saving, "--state", "file:log?password=hunter2secret"]);
    const text = await readFile(join(at.cwd, "p.json"), "utf8");
    expect([text.includes("file:log?password=[redacted]"), text.includes("hunter2secret")]).toEqual([true, false]);
  });

  test("says which command applies a file whose name is no word of a shell", async () => {
    const at = await planFileScene();
    const { stdout } = await at.run(["plan", "--out", "my plan's.json"]);
    expect(stdout).toContain("`roster apply 'my plan'\\''s.json'`");
  });

  test("keeps in the file which keys and people its guards forbid: the key in use, and what is protected", async () => {
    const at = await planFileScene();
    const config = "roster: [roster.yaml]\nprotect: { users: [root@acme.example], keys: [k-ci] }\n";
    await writeFile(join(at.cwd, "roster.config.yaml"), config);
    await at.save();
    const { forbids } = JSON.parse(await readFile(join(at.cwd, "p.json"), "utf8")) as { readonly forbids?: unknown };
    const inUse = at.server.key.split(".")[0] ?? "";
    expect(forbids).toEqual({ keys: [inUse, "k-ci"].sort(), people: ["root@acme.example"] });
  });

  test("replaces a plan file, and nothing else", async () => {
    const at = await planFileScene();
    await at.save();
    const first = await readFile(join(at.cwd, "p.json"), "utf8");
    await at.save();
    expect(await readFile(join(at.cwd, "p.json"), "utf8")).not.toBe(first);
    const before = at.server.requests.length;
    await writeFile(join(at.cwd, "p.json"), '{"document": "something of mine"}');
    const { code, error } = endOf(await at.run(saving));
    expect([code, error]).toEqual([3, "p.json is no plan file. roster overwrites only a plan file with a new one."]);
    expect(await readFile(join(at.cwd, "p.json"), "utf8")).toBe('{"document": "something of mine"}');
    expect(at.server.requests.length).toBe(before);
  });

  test("writes into the place of no link and no directory, under no name of a roster, and on no stream", async () => {
    const at = await planFileScene();
    await at.save();
    await symlink("p.json", join(at.cwd, "link.json"));
    await mkdir(join(at.cwd, "place"));
    const told = await Promise.all(
      ["link.json", "place", "-", "p.yaml", "nowhere/p.json"].map(async (path) => {
        const { code, error } = endOf(await at.run(["plan", "--out", path, "--format", "json"]));
        return [path, code, error];
      }),
    );
    expect(told).toEqual([
      ["link.json", 3, "link.json is no regular file. roster overwrites only a plan file with a new one."],
      ["place", 3, "place is no regular file. roster overwrites only a plan file with a new one."],
      ["-", 3, "A plan file is private: roster does not write it to standard output."],
      ["p.yaml", 3, "p.yaml is the name of a roster file, and a plan file under such a name would be read as one."],
      ["nowhere/p.json", 1, "nowhere/p.json cannot be written: ENOENT"],
    ]);
  });

  test("leaves the file as it was where guards refuse the plan", async () => {
    const at = await planFileScene();
    await at.save();
    const before = await readFile(join(at.cwd, "p.json"), "utf8");
    const many = Array.from({ length: 101 }, (_, index) => {
      return `  - { email: p${index}@acme.example, firstName: P${index}, lastName: X${index} }\n`;
    });
    await at.rewrite(twoPeople.replace("teams:", `${many.join("")}teams:`));
    expect((await at.run(saving)).code).toBe(5);
    expect(await readFile(join(at.cwd, "p.json"), "utf8")).toBe(before);
  });
});

describe("show", () => {
  test("shows a plan file as the plan was, and where it comes from, without a service", async () => {
    const at = await planFileScene();
    const planned = await at.run(["plan", "--out", "p.json", "--exclude", "user:bo@acme.example", "--view", "calls"]);
    const shown = await at.run(["show", "p.json", "--view", "calls"], { env: { ROSTER_ENDPOINT: "" } });
    const body = (text: string) => text.slice(text.indexOf("Calls in "), text.indexOf("\n\nRead at "));
    expect(shown.code).toBe(0);
    expect(shown.stdout).toContain(body(planned.stdout));
    expect(shown.stdout).toMatch(
      /^Plan file \S+ \(\S+\), made at \S+ by roster\s+\S+,\s+with\s+--exclude user:bo@acme\.example\.$/mu,
    );
    expect(shown.stdout).toContain("It can be applied once, until ");
    const { document } = endOf(await at.run(["show", "p.json", "--format", "json"]));
    expect(document.plan_file).toMatchObject({
      path: "p.json",
      state: null,
      words: ["--exclude user:bo@acme.example"],
    });
  });

  test("says that a file has expired, and why one cannot be used", async () => {
    const at = await planFileScene();
    await at.save();
    expect((await at.run(["show", "p.json"], { clock: clockAhead(25) })).stdout).toContain("It expired at ");
    await at.edit((text) => text.replace("Lovelace", "Loveless"));
    const { code, error } = endOf(await at.run(["show", "p.json", "--format", "json"]));
    expect([code, error]).toEqual([3, expect.stringContaining("its checksum does not match")]);
  });
});
