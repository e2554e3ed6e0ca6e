import { symlink, truncate } from "node:fs/promises";
import { join } from "node:path";
import { Readable } from "node:stream";
import { describe, expect, test } from "vitest";
import { casesOf, layOut, pairsOf } from "../../../support/cases.ts";
import { type InsideOptions, inside } from "../../../support/inside.ts";

const teams = "version: 1\naccount: acc-1\nteams: [{ name: Red, members: [] }]\n";
const people = "version: 1\naccount: acc-1\nusers: [{ email: ada@acme.example, firstName: Ada, lastName: Lovelace }]\n";

function scene(files: Readonly<Record<string, string>>, links: Readonly<Record<string, string>> = {}) {
  return layOut({ "co/.git/HEAD": "x", "out/keep": "", ...files }, links);
}

/** The exit code of `roster validate`, and what is wrong where. */
async function validated(at: string, args: readonly string[] = [], more: Partial<InsideOptions> = {}) {
  const { code, stderr, stdout } = await inside(["validate", ...args], { cwd: join(at, "co"), ...more });
  const wrong = [...stderr.matchAll(/^(?:(\S+): )?error\[([a-z-]+)\]: (.*)$/gmu)];
  return { code, wrong: wrong.map(([, place, name]) => [name, place].join(" ").trim()), output: `${stderr}${stdout}` };
}

describe("in a pipeline", () => {
  const env = { CI: "true" };
  const secret = "prefix1.s3cretpart";

  test.each(
    casesOf([
      "a link to a secret | co/roster.yaml=../out/key | roster.yaml",
      "a linked directory | co/roster=../out | roster",
      "a file behind a linked directory | co/roster=../out | roster/key",
    ]),
  )("%s outside the checkout is not read", async (_, links = "", path = "") => {
    const at = await scene({ "out/key": `${secret}\n`, "out/more.yaml": `${secret}\n` }, pairsOf(links));
    const refused = await validated(at, [path], { env });
    expect([refused.code, refused.wrong, refused.output.includes(secret)]).toEqual([3, ["untrusted"], false]);
  });

  test("links below a directory are passed over, and paths outside are a person's word", async () => {
    const at = await scene(
      { "co/a.yaml": teams, "out/b.yaml": people },
      { "co/l.yaml": "../out/b.yaml", "co/d": "../out" },
    );
    const checkout = await validated(at, [], { env });
    const both = await validated(at, [".", "../out/b.yaml"], { env });
    expect([checkout.output, both.output]).toEqual([
      expect.stringContaining("1 file, 0 users, 1 team"),
      expect.stringContaining("2 files, 1 user, 1 team"),
    ]);
  });

  test("a link within the checkout is followed", async () => {
    const at = await scene({ "co/all/a.yaml": teams }, { "co/link": "all" });
    expect((await validated(at, ["link"], { env })).code).toBe(0);
  });
});

test("a person's link may lead anywhere", async () => {
  const at = await scene({ "out/a.yaml": teams }, { "co/link": "../out" });
  expect((await validated(at, ["link"])).code).toBe(0);
});

test("what is installed beside a roster is no part of it, unless it is named", async () => {
  const at = await scene({ "co/a.yaml": teams, "co/node_modules/rosterctl/examples/b.yaml": people });
  expect((await validated(at)).output).toContain("1 file, 0 users, 1 team");
  expect((await validated(at, ["node_modules/rosterctl/examples"])).output).toContain("1 file, 1 user, 0 teams");
});

test("a huge file is refused without being read", async () => {
  const at = await scene({ "co/a.yaml": teams, "co/b.yaml": "" });
  await truncate(join(at, "co/b.yaml"), 2 ** 40);
  expect((await validated(at)).wrong).toEqual(["too-large b.yaml:1:1"]);
});

describe("`sections`", () => {
  const settings = `roster: [.]\nsections:\n  - { paths: [teams], only: [teams] }\n  - { paths: [people, "-"], only: [users] }\n`;
  const others = people.replace("ada@", "eve@");
  const files = { "co/teams/red.yaml": teams, "co/people/ada.yaml": people };

  test("lets files carry what is theirs", async () => {
    const at = await scene({ ...files, "co/roster.config.yaml": settings });
    expect((await validated(at)).code).toBe(0);
  });

  test.each(
    casesOf([
      "a file of teams | co/teams/evil.yaml | | section-not-allowed teams/evil.yaml:3:1",
      "a file that no path names | co/evil.yaml | | section-not-allowed evil.yaml:3:1",
      "a file beside other errors | co/teams/evil.yaml | keys: 3 | section-not-allowed teams/evil.yaml:3:1, section-not-allowed teams/evil.yaml:4:1, bad-value teams/evil.yaml:4:7",
    ]),
  )("stops %s that carries what it may not", async (_, file = "", more = "", wrong = "") => {
    const at = await scene({ ...files, [file]: `${others}${more}\n`, "co/roster.config.yaml": settings });
    expect(await validated(at)).toMatchObject({ code: 3, wrong: wrong.split(", ") });
  });

  test("looks where a file is, not through which link it was named", async () => {
    const at = await scene({ "co/teams/a.yaml": people, "co/roster.config.yaml": settings, "co/people/keep": "" });
    await symlink("../teams/a.yaml", join(at, "co/people/ada.yaml"));
    expect((await validated(at, ["people/ada.yaml"])).wrong).toEqual(["section-not-allowed people/ada.yaml:3:1"]);
  });

  test("starts at the settings' directory in the checkout", async () => {
    const at = await scene({
      "co/access/teams/red.yaml": teams,
      "co/access/roster.config.yaml": settings,
      "co/teams/a.yaml": teams,
    });
    const env = { ROSTER_CONFIG: "access/roster.config.yaml" };
    expect((await validated(at, [], { env })).code).toBe(0);
    expect((await validated(at, ["teams"], { env })).wrong).toEqual(["section-not-allowed teams/a.yaml:3:1"]);
  });

  test("of settings elsewhere starts at the root of the checkout, and nothing outside may carry anything", async () => {
    const at = await scene({ ...files, "out/conf.yaml": settings, "out/teams/a.yaml": teams });
    const env = { ROSTER_CONFIG: "../out/conf.yaml", CI: "true" };
    expect((await validated(at, ["teams", "people"], { env })).code).toBe(0);
    expect((await validated(at, ["../out/teams/a.yaml"], { env })).wrong).toEqual([
      "section-not-allowed ../out/teams/a.yaml:3:1",
    ]);
  });

  test("names standard input by -", async () => {
    const at = await scene({ "co/roster.config.yaml": settings });
    expect((await validated(at, ["-"], { typed: Readable.from([people]) })).code).toBe(0);
    expect((await validated(at, ["-"], { typed: Readable.from([teams]) })).wrong).toEqual([
      "section-not-allowed <stdin>:3:1",
    ]);
  });
});
