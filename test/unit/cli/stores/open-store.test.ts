import { chown, mkdir, readdir, realpath, symlink } from "node:fs/promises";
import { join, resolve } from "node:path";
import { describe, expect, test } from "vitest";
import { checkLogTrust } from "../../../../src/cli/log.ts";
import { systemClock, systemRandomness } from "../../../../src/library/environment.ts";
import { casesOf, layOut, pairsOf } from "../../../support/cases.ts";
import { emptyDirectory } from "../../../support/command.ts";
import { gitRepository } from "../../../support/git-repository.ts";
import { inside, insideHost } from "../../../support/inside.ts";
import { memoryDisk } from "../../../support/memory-disk.ts";
import { writeRoster } from "../../../support/roster-directory.ts";
import { settled } from "../../../support/settled.ts";
import { simulatedMachine } from "../../../support/simulated-machine.ts";

test("a host may keep states in files elsewhere than on this machine", async () => {
  const disk = memoryDisk();
  await disk.makeDirectory("/elsewhere");
  await (await disk.open("/elsewhere/log.jsonl", "create")).write("no log\n");
  const { code, stderr } = await inside(["audit", "verify"], {
    cwd: emptyDirectory(),
    env: { ROSTER_STATE: "file:/elsewhere/log.jsonl", ROSTER_TRUST_SETTINGS: "1" },
    clock: systemClock,
    randomness: systemRandomness,
    localSystem: simulatedMachine(disk).start(),
  });
  expect([code, stderr]).toEqual([1, expect.stringContaining("/elsewhere/log.jsonl")]);
});

describe("a state in a file", () => {
  // What git keeps of the checkout, files, links, variables and the place of the state, from the checkout.
  test.each(
    casesOf([
      "that does not exist yet | none | | | | | none",
      "that git does not keep | roster.yaml | co/.roster/log.jsonl={} | | | | none",
      "that git keeps | .roster/log.jsonl | | | | | kept in git",
      "whose checkpoint git keeps | .roster/log.jsonl.checkpoint | | | | | kept in git",
      "whose lock git keeps | .roster/log.jsonl.lock/x/owner.json | | | | | kept in git",
      "that git keeps under the name behind a link | evil/log.jsonl | co/evil/log.jsonl={} | co/.roster=evil | | | kept in git",
      "that git keeps, where the checkout is trusted | .roster/log.jsonl | | | ROSTER_TRUST_SETTINGS=1 | | none",
      "in another repository, which keeps it | none | out/log.jsonl={} | | | ../out/log.jsonl | kept in git",
      "that is a link out of the checkout | none | co/.roster/keep | co/.roster/log.jsonl=../../out/s.json | | | symbolic link",
      "in a directory that is a link out of the checkout | none | | co/.roster=../out | | | symbolic link",
      "behind a link in a pipeline's working directory | | | co/.roster=../out | CI=1 | | symbolic link",
      "behind a link in a directory of a person's | | | co/.roster=../out | | | none",
      "behind a link outside the checkout | none | | out/link=keep | | ../out/link | none",
    ]),
  )("%s", async (_, kept = "", files = "", links = "", env = "", state = "", told = "") => {
    const at = await layOut({ "co/keep": "", "out/keep": "", ...pairsOf(files) });
    if (kept !== "") gitRepository(join(at, "co"), ...(kept === "none" ? [] : [kept]));
    if (state === "../out/log.jsonl") gitRepository(join(at, "out"), "log.jsonl");
    for (const [link, target] of Object.entries(pairsOf(links))) await symlink(target, join(at, link));
    const host = insideHost({ cwd: join(at, "co"), env: pairsOf(env) });
    const trusted = await settled(() => checkLogTrust(join(at, "co", state || ".roster/log.jsonl"), host));
    expect(trusted.ok ? "none" : trusted.error.message).toContain(told);
  });

  test.each([
    ["one's own", "log.jsonl", 12345],
    ["the superuser's", "/etc/passwd", 54321],
    ["somebody's, for the superuser", "log.jsonl", 0],
  ])("that is %s is believed", async (_, file, user) => {
    const at = await realpath(emptyDirectory());
    await writeRoster(at, { "log.jsonl": "{}" });
    const isRoot = process.getuid?.() === 0;
    if (isRoot) await chown(join(at, "log.jsonl"), 12345, 12345);
    const reader = isRoot || user === 0 ? user : process.getuid?.();
    await expect(checkLogTrust(resolve(at, file), insideHost({ cwd: at }), reader)).resolves.toBeUndefined();
  });

  test.each(["log.jsonl", "log.jsonl.checkpoint"])(
    "that another user of the machine wrote (%s) is not believed",
    async (file) => {
      const at = await realpath(emptyDirectory());
      await writeRoster(at, { [file]: "{}" });
      if (process.getuid?.() === 0) await chown(join(at, file), 12345, 12345);
      const trusted = checkLogTrust(join(at, "log.jsonl"), insideHost({ cwd: at }), 54321);
      await expect(trusted).rejects.toThrow(`${join(at, file)} belongs to another user`);
    },
  );

  test("ends a command before anything is read or written", async () => {
    const at = emptyDirectory();
    await writeRoster(at, { "co/.roster/log.jsonl": "prefix1.s3cretpart" });
    gitRepository(join(at, "co"), ".roster/log.jsonl");
    await mkdir(join(at, "co/.roster/more"));
    const shown = await inside(["state", "show"], { cwd: join(at, "co") });
    expect({
      code: shown.code,
      told: /error\[untrusted\]: The log .* is kept in git/u.test(shown.stderr),
      secret: `${shown.stdout}${shown.stderr}`.includes("s3cret"),
    }).toEqual({
      code: 3,
      told: true,
      secret: false,
    });
    expect((await readdir(join(at, "co/.roster"))).sort()).toEqual(["log.jsonl", "more"]);
  });
});
