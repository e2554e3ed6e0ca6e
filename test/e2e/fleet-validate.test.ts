import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { emptyDirectory } from "../support/command.ts";
import { inside } from "../support/inside.ts";

const roster = "version: 1\naccount: acc-1\n";
const fleet = (key: string, path = "roster") =>
  `version: 1\ntargets:\n  - { name: a, roster: "${path}", endpoint: https://a.example, key: ${key}, state: file:a.json }\n`;

/** A repository, or a directory that is none, with these files. */
function directoryWith(files: Readonly<Record<string, string>>, is: "repository" | "plain" = "repository"): string {
  const cwd = join(emptyDirectory(), "work");
  mkdirSync(is === "repository" ? join(cwd, ".git") : cwd, { recursive: true });
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(cwd, file)), { recursive: true });
    writeFileSync(join(cwd, file), text);
  }
  return cwd;
}

const validate = async (cwd: string, env: Readonly<Record<string, string>> = {}, ...args: readonly string[]) => {
  const { code, stderr } = await inside(["fleet", "validate", ...args], { cwd, env });
  return [code, /error\[([a-z-]+\]: .*)/u.exec(stderr)?.[1]];
};

const keyIsOpen = expect.stringMatching(/^untrusted\]: The key of .* but the fleet file is in a checkout/u);

describe("a fleet file in a checkout", () => {
  const files = { "roster/roster.yaml": roster, "fleet.yaml": fleet("{ env: ACME_KEY }") };

  test("names no variable but those for keys", async () => {
    expect(await validate(directoryWith(files))).toEqual([3, keyIsOpen]);
    expect(await validate(directoryWith({ ...files, "fleet.yaml": fleet("{ env: ROSTER_KEY_A }") }))).toEqual([
      0,
      undefined,
    ]);
    expect(await validate(directoryWith(files, "plain"))).toEqual([0, undefined]);
    expect(await validate(directoryWith(files, "plain"), { CI: "1" })).toEqual([3, keyIsOpen]);
    expect(await validate(directoryWith(files), { ROSTER_TRUST_SETTINGS: "1" })).toEqual([3, keyIsOpen]);
  });

  test("shows nothing of files outside it in a pipeline", async () => {
    const at = emptyDirectory();
    writeFileSync(join(at, "secret.yaml"), "root: secret\n");
    const elsewhere = directoryWith({ "fleet.yaml": fleet("{ env: ROSTER_KEY_A }", join(at, "secret.yaml")) });
    expect(await validate(elsewhere, { CI: "1" })).toEqual([
      3,
      expect.stringMatching(/^untrusted\]: .*the roster .* is outside the checkout/u),
    ]);
    const linked = directoryWith({});
    symlinkSync(join(at, "secret.yaml"), join(linked, "fleet.yaml"));
    expect(await validate(linked, { CI: "1" })).toEqual([3, expect.stringMatching(/^untrusted\]: .*symbolic link/u)]);
  });
});

describe("what a run would refuse of a target before its first call, validate finds", () => {
  const files = (more: string) => ({
    "roster/roster.yaml": roster,
    "fleet.yaml": `version: 1\ntargets:\n  - { name: a, roster: roster, key: { env: ROSTER_KEY_A }, ${more} }\n`,
  });
  const endpoint = "endpoint: https://127.0.0.1:9";

  test.each([
    ["a state of no kind", `${endpoint}, state: "https://127.0.0.1:9/a"`, "The log address"],
    ["an endpoint that is none", "endpoint: a.example, state: file:a.json", "The endpoint is not a URL."],
  ])("%s", async (_what, more, words) => {
    const cwd = directoryWith(files(more), "plain");
    const { stdout } = await inside(["fleet", "apply", "--auto-approve", "--format", "json"], {
      cwd,
      env: { ROSTER_KEY_A: "k" },
    });
    const run = JSON.parse(stdout);
    const told = expect.stringContaining(words);
    expect({ run: run.fleet.targets[0].error, validate: await validate(cwd) }).toEqual({
      run: { code: "bad-value", message: told },
      validate: [3, told],
    });
  });

  test("but not what only the environment of a run provides", async () => {
    const cwd = directoryWith(files(`${endpoint}, state: "s3://bucket/a"`), "plain");
    expect(await validate(cwd)).toEqual([0, undefined]);
  });
});

test("a fleet file is found above the directory of the command, and is no roster file", async () => {
  const cwd = directoryWith({ "roster/roster.yaml": roster, "fleet.yaml": fleet("{ env: ROSTER_KEY_A }") });
  expect(await validate(join(cwd, "roster"))).toEqual([0, undefined]);
  expect((await inside(["validate", "."], { cwd })).code).toBe(0);
  expect(await validate(emptyDirectory())).toEqual([
    3,
    expect.stringMatching(/^unreadable-file\]: There is no fleet\.yaml here/u),
  ]);
});
