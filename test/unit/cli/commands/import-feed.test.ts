import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { type FileSystem, localFiles } from "../../../../src/files/file-system.ts";
import { replaceTogether } from "../../../../src/files/replace-together.ts";
import { emptyDirectory } from "../../../support/command.ts";
import { clockAt } from "../../../support/fixed-ports.ts";
import { inside as insideAt } from "../../../support/inside.ts";
import { writeRoster } from "../../../support/roster-directory.ts";

const clock = clockAt("2026-11-20T08:00:00.000Z");

function inside(words: readonly string[], { cwd }: { readonly cwd: string }) {
  return insideAt(words, { cwd, clock });
}

const isDocument = new Ajv({ strict: false }).compile(JSON.parse(readFileSync("schemas/plan.schema.json", "utf8")));

const people = `version: 1
users:
  # Ada came first.
  - email: ada@acme.example # since 2020
    firstName: Ada
    lastName: Lovelace
    source: hr
  - { email: bo@acme.example, firstName: Bo, lastName: Diaz, source: hr, key: BoBoBoBo }
  - email: cy@acme.example
    firstName: Cy
    lastName: Tanaka
    previously: [cy@old.example]
    source: hr
  - { email: ext@acme.example, firstName: Eve, lastName: Extern }
`;

const teams = `version: 1
groups:
  on-call: [ada@acme.example, bo@acme.example] # nights
teams:
  - name: Data
    admin: ada@acme.example
    members:
      - { group: on-call }
      # Cy's key was made by hand.
      - { user: cy@acme.example, key: CyCyCyCy }
      - ada@acme.example
      - ext@acme.example
`;

const settings = "account: acc-1\n";
const head = "email,first name,last name,title";
const everybody = [
  "ada@acme.example,Ada,Lovelace,",
  "bo@acme.example,Bo,Diaz,",
  "cy@acme.example,Cy,Tanaka,",
  "ext@acme.example,Evelyn,Extern,Boss",
];

async function scene(rows: readonly string[], files: Readonly<Record<string, string>> = {}): Promise<string> {
  const cwd = emptyDirectory();
  const all = { "people/all.yaml": people, "teams.yaml": teams, "roster.config.yaml": settings, ...files };
  await writeRoster(cwd, all);
  writeFileSync(join(cwd, "people.csv"), [head, ...rows, ""].join("\r\n"));
  return cwd;
}

const command = ["import", "--from", "people.csv", "--update"];

function text(cwd: string, file: string): string {
  return readFileSync(join(cwd, file), "utf8");
}

async function codes(cwd: string, ...words: readonly string[]) {
  const { code, stdout } = await inside([...command, ...words, "--format", "json"], { cwd });
  const document = JSON.parse(stdout);
  expect(isDocument(document), JSON.stringify(isDocument.errors)).toBe(true);
  expect(document.exit_code).toBe(code);
  const told = document.diagnostics.map((one: { readonly code: string }) => one.code);
  return [code, ...told, ...(document.error === null ? [] : [document.error.code])];
}

describe("an import of a feed", () => {
  test("adds, changes and moves its people in place, and touches nobody else", async () => {
    const rows = ["ADA@acme.example,Ada,King,Countess", everybody[3] ?? "", "new@acme.example,Nia,Wu,Analyst"];
    const cwd = await scene(rows);
    const { code, stdout, stderr } = await inside(command, { cwd });
    expect({ code, stderr, stdout }).toEqual({
      code: 0,
      stderr: "",
      stdout: `Added:
  + new@acme.example (Nia Wu)                                              people/hr.yaml

Changed:
  ~ ada@acme.example  lastName: Lovelace → King, title: (none) → Countess  people/all.yaml:4:5

Moved to leavers:
  - bo@acme.example (since 2026-11-20)                                     people/all.yaml:8:5
  - cy@acme.example (since 2026-11-20)                                     people/all.yaml:9:5

Not changed:
    ext@acme.example: this user has another \`source\`                       people/all.yaml:14:5

1 new user, 1 changed user and 2 departures: wrote 3 files. Next: roster validate, then roster plan.
`,
    });
    expect(text(cwd, "people/all.yaml")).toBe(`version: 1
users:
  # Ada came first.
  - email: ada@acme.example # since 2020
    firstName: Ada
    lastName: King
    title: Countess
    source: hr
  - { email: ext@acme.example, firstName: Eve, lastName: Extern }
leavers:
  - email: bo@acme.example
    since: "2026-11-20"
  - email: cy@acme.example
    since: "2026-11-20"
  - email: cy@old.example
    since: "2026-11-20"
keys:
  - prefix: BoBoBoBo
    owner: bo@acme.example
    roles: []
  - prefix: CyCyCyCy
    owner: cy@acme.example
    roles: []
`);
    expect(text(cwd, "teams.yaml")).toBe(
      teams.replace(", bo@acme.example]", "]").replace("      - { user: cy@acme.example, key: CyCyCyCy }\n", ""),
    );
    expect(text(cwd, "people/hr.yaml")).toBe(`version: 1
users:
  - email: new@acme.example
    firstName: Nia
    lastName: Wu
    title: Analyst
    source: hr
`);
    expect((await inside(["validate"], { cwd })).code).toBe(0);
    const again = await inside([...command, "--check"], { cwd });
    expect([again.code, again.stdout.split("\n").at(-2)]).toEqual([
      0,
      "Nothing to change: the roster agrees with people.csv.",
    ]);
  });

  test.each([["people"], ["people/"], ["./people"]])(
    "writes new users into %s itself, where that is the first directory",
    async (path) => {
      const cwd = await scene([...everybody, "new@acme.example,Nia,Wu,"]);
      const { code, stdout } = await inside([...command, "--check", "--format", "json", path, "teams.yaml"], { cwd });
      expect([code, JSON.parse(stdout).feed.added]).toEqual([
        2,
        [{ email: "new@acme.example", name: "Nia Wu", file: "people/hr.yaml" }],
      ]);
    },
  );

  test("with --check writes nothing, says the same in JSON and ends with 2", async () => {
    const cwd = await scene([...everybody.slice(0, 2), "new@acme.example,Nia,Wu,"]);
    const { code, stdout } = await inside([...command, "--check", "--format", "json"], { cwd });
    const document = JSON.parse(stdout);
    expect(isDocument(document), JSON.stringify(isDocument.errors)).toBe(true);
    expect({ code, command: document.command, feed: document.feed }).toEqual({
      code: 2,
      command: "import",
      feed: {
        did: "checked",
        feed: "people.csv",
        files: ["people/all.yaml", "teams.yaml", "people/hr.yaml"],
        added: [{ email: "new@acme.example", name: "Nia Wu", file: "people/hr.yaml" }],
        changed: [],
        ended: [
          {
            email: "cy@acme.example",
            since: "2026-11-20",
            becomes: "leaver",
            place: { file: "people/all.yaml", line: 9, column: 5 },
          },
        ],
        skipped: [],
      },
    });
    expect([text(cwd, "people/all.yaml"), text(cwd, "teams.yaml"), existsSync(join(cwd, "people/hr.yaml"))]).toEqual([
      people,
      teams,
      false,
    ]);
  });

  test("ends an administrator by a date, and takes the date of the feed for whoever has one", async () => {
    const cwd = await scene(["cy@acme.example,Cy,Tanaka,,2026-11-19", "bo@acme.example,Bo,Diaz,,2027-01-31"]);
    const csv = text(cwd, "people.csv").replace(head, `${head},until`);
    writeFileSync(join(cwd, "people.csv"), csv);
    expect((await inside(command, { cwd })).code).toBe(0);
    const after = text(cwd, "people/all.yaml");
    expect(after).toContain('lastName: Lovelace\n    until: "2026-11-20"\n');
    expect(after).toContain('lastName: Diaz, until: "2027-01-31", source: hr');
    expect(after).toContain('- email: cy@acme.example\n    since: "2026-11-19"\n');
    const again = await inside(command, { cwd });
    expect([again.code, text(cwd, "people/all.yaml")]).toEqual([0, after]);
  });

  test("brings back no leaver, and takes nobody with a new address for somebody new", async () => {
    const cwd = await scene([...everybody.slice(1), "gone@acme.example,G,One,", "ada.king@acme.example,Ada,King,"], {
      "people/all.yaml": `${people.replace("lastName: Lovelace\n", "lastName: Lovelace\n    externalIdentifier: E7\n")}leavers: [{ email: gone@acme.example }]\n`,
    });
    const csv = text(cwd, "people.csv")
      .replace(head, `${head},employee id`)
      .replace(/,(?=\r)/gu, ",,");
    writeFileSync(join(cwd, "people.csv"), csv.replace("King,,", "King,,E7").replace("Extern,Boss", "Extern,Boss,"));
    const { code, stdout } = await inside([...command, "--format", "json"], { cwd });
    const { feed } = JSON.parse(stdout);
    const skipped = feed.skipped.map(({ email, why }: Record<string, string>) => `${email} ${why}`);
    expect({ code, skipped, files: feed.files }).toEqual({
      code: 0,
      skipped: ["ext@acme.example other-source", "gone@acme.example leaver", "ada.king@acme.example address-changed"],
      files: [],
    });
  });

  test("ends the owner of a key by a date, also where its roles count only for a time", async () => {
    const keys = "keys: [{ prefix: p1, owner: bo@acme.example, roles: [{ role: A, until: 2027-01-31 }] }]\n";
    const cwd = await scene([everybody[0] ?? "", everybody[2] ?? ""], { "people/all.yaml": `${people}${keys}` });
    expect((await inside(command, { cwd })).code).toBe(0);
    expect(text(cwd, "people/all.yaml")).toContain('lastName: Diaz, until: "2026-11-20", source: hr');
  });

  test("gives nobody access again whose `until` has passed, unless the feed has a later date", async () => {
    const ended = people.replace("lastName: Lovelace\n", "lastName: Lovelace\n    until: 2026-11-19\n");
    const cwd = await scene(everybody.slice(0, 3), { "people/all.yaml": ended });
    const { code, stdout } = await inside([...command, "--format", "json"], { cwd });
    expect([code, JSON.parse(stdout).feed.skipped, text(cwd, "people/all.yaml")]).toEqual([
      0,
      [{ email: "ada@acme.example", why: "ended", place: { file: "people/all.yaml", line: 4, column: 5 } }],
      ended,
    ]);
    const csv = [`${head},until`, ...everybody.slice(0, 3).map((row) => `${row},2027-01-31`), ""].join("\n");
    writeFileSync(join(cwd, "people.csv"), csv);
    expect((await inside(command, { cwd })).code).toBe(0);
    expect(text(cwd, "people/all.yaml")).toContain('lastName: Lovelace\n    until: "2027-01-31"\n');
  });

  test("takes the record of the current address where the feed has a former one too", async () => {
    const rows = ["cy@acme.example,Cyrus,Tanaka,", "cy@old.example,Cy,Tanaka,"];
    const cwd = await scene([...everybody.slice(0, 2), ...rows]);
    expect((await inside(command, { cwd })).code).toBe(0);
    expect(text(cwd, "people/all.yaml")).toBe(people.replace("firstName: Cy\n", "firstName: Cyrus\n"));
  });

  test("keeps whose a user is when they become a leaver", async () => {
    const owned = 'source: hr\n    owner: hr\n    ref: HR-7\n    labels: { tier: gold, "1": a }\n  - { email: ext';
    const cwd = await scene(
      everybody.filter((row) => !row.startsWith("cy")),
      { "people/all.yaml": people.replace("source: hr\n  - { email: ext", owned) },
    );
    expect((await inside(command, { cwd })).code).toBe(0);
    const leaver = '    owner: hr\n    ref: HR-7\n    labels: { "1": a, tier: gold }\n';
    expect(text(cwd, "people/all.yaml")).toContain(`  - email: cy@acme.example\n    since: "2026-11-20"\n${leaver}`);
  });

  test("writes leavers and new users where the settings say", async () => {
    const cwd = await scene(everybody.slice(0, 2), {
      "roster.config.yaml": `${settings}feed: { leavers: gone/leavers.yaml }\nsections:\n  - { paths: [people/, teams.yaml], only: [users, teams, groups] }\n  - { paths: [gone/], only: [leavers, keys] }\n`,
    });
    expect((await inside(command, { cwd })).code).toBe(0);
    expect(text(cwd, "gone/leavers.yaml")).toContain("version: 1\nleavers:\n  - email: cy@acme.example\n");
    expect((await inside(["validate"], { cwd })).code).toBe(0);
  });
});

const crowd = Array.from({ length: 40 }, (_, index) => `p${index}@acme.example`);
const company = `version: 1\nusers:\n${crowd.map((email) => `  - { email: ${email}, firstName: P, lastName: Q, source: hr }\n`).join("")}`;

describe("an import that is interrupted after its first file", () => {
  const files = ["leavers.yaml", "people/all.yaml", "people/hr.yaml", "teams.yaml"];
  const target = {
    "leavers.yaml": "version: 1\nleavers: []\n",
    "roster.config.yaml": `${settings}feed: { leavers: leavers.yaml }\n`,
  };
  const rows = [everybody[0] ?? "", everybody[1] ?? "", "new@acme.example,Nia,Wu,Analyst"];
  const textsIn = (cwd: string) => Object.fromEntries(files.map((file) => [file, text(cwd, file)]));

  async function interrupted() {
    const finished = await scene(rows, target);
    expect((await inside(command, { cwd: finished })).code).toBe(0);
    const cwd = await scene(rows, target);
    let left = 2;
    const rename: FileSystem["rename"] = async (from, to) => {
      left -= 1;
      if (left < 0) throw Object.assign(new Error("crash"), { code: "EIO" });
      await localFiles.rename(from, to);
    };
    const contents = files.map((file) => ({ path: join(cwd, file), bytes: readFileSync(join(finished, file)) }));
    const digest = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex");
    const options = { record: join(cwd, ".roster-import.json"), digest, disk: { ...localFiles, rename } };
    await expect(replaceTogether(contents, options)).rejects.toMatchObject({ changed: "some" });
    return { cwd, after: textsIn(finished) };
  }

  test("is completed by the same command, and then by nothing more", async () => {
    const { cwd, after } = await interrupted();
    expect(await codes(cwd, "--check")).toEqual([5, "feed-unfinished"]);
    expect([(await inside(command, { cwd })).code, textsIn(cwd)]).toEqual([0, after]);
    expect([(await inside(command, { cwd })).code, textsIn(cwd)]).toEqual([0, after]);
    expect(readdirSync(cwd).filter((name) => name.startsWith(".") || name.includes(".yaml."))).toEqual([]);
  });

  test("is not completed over what a person has changed since", async () => {
    const { cwd } = await interrupted();
    writeFileSync(join(cwd, "teams.yaml"), "version: 1\n");
    expect(await codes(cwd)).toEqual([5, "feed-unfinished"]);
    expect(text(cwd, "teams.yaml")).toBe("version: 1\n");
  });
});

describe("a feed is refused, and nothing is written:", () => {
  test.each([
    [3, [0]],
    [4, [5, "feed-shrinks"]],
  ])("%i of 10 people", async (gone, told) => {
    const few = crowd.slice(0, 10);
    const users = few.map((email) => `  - { email: ${email}, firstName: P, lastName: Q, source: hr }\n`);
    const files = {
      "people/all.yaml": `version: 1\nusers:\n${users.join("")}`,
      "teams.yaml": "version: 1\nteams: []\n",
    };
    const cwd = await scene(
      few.slice(gone).map((email) => `${email},P,Q,`),
      files,
    );
    expect(await codes(cwd)).toEqual(told);
  });

  test.each([
    ["4 of 40 people may go", 36, [], [0]],
    ["5 of 40 may not", 35, [], [5, "feed-shrinks"]],
    ["unless a person says so", 35, ["--max-removals", "5"], [0]],
    ["and no more than that", 34, ["--max-removals", "5"], [5, "feed-shrinks"]],
    ["an empty feed", 0, ["--max-removals", "99"], [5, "empty-feed"]],
    ["a wrong number", 40, ["--max-removals", "all"], [3, "bad-max-removals"]],
  ])("%s", async (_, count, flags, told) => {
    const cwd = await scene(
      crowd.slice(0, count).map((email) => `${email},P,Q,`),
      { "people/all.yaml": company, "teams.yaml": "version: 1\nteams: []\n" },
    );
    expect(await codes(cwd, ...flags)).toEqual(told);
    if (told[0] !== 0) expect(text(cwd, "people/all.yaml")).toBe(company);
  });

  test.each<readonly [string, readonly string[], Readonly<Record<string, string>>, readonly unknown[]]>([
    ["a bad address", ["ada,Ada,L,"], {}, [3, "bad-address"]],
    ["a new address that could be misread", [...everybody, "a/b@acme.example,A,B,"], {}, [3, "unsafe-address"]],
    ["a new address without a dot", [...everybody, "ada@localhost,A,B,"], {}, [3, "single-label-domain"]],
    ["a roster that is invalid", everybody, { "teams.yaml": "version: 1\nteam: []\n" }, [3, "unknown-key"]],
    [
      "a file that no run reads",
      [...everybody, "n@acme.example,N,N,"],
      { "roster.config.yaml": `${settings}roster: people\nfeed: { file: new/hr.yaml }\n`, "teams.yaml": "" },
      [3, "feed-file-outside"],
    ],
    [
      "a section that may not be there",
      everybody.slice(0, 2),
      { "roster.config.yaml": `${settings}sections: [{ paths: ["**"], only: [users, teams, groups] }]\n` },
      [3, "feed-conflict", "section-not-allowed", "section-not-allowed"],
    ],
    [
      "an entry whose layout cannot be edited",
      ["ada@acme.example,Ada,King,", ...everybody.slice(1)],
      { "people/all.yaml": people.replace("lastName: Lovelace", "lastName: >-\n      Lovelace") },
      [3, "feed-not-written"],
    ],
  ])("%s", async (_, rows, files, told) => {
    const cwd = await scene(rows, files);
    const before = execFileSync("cat", ["people/all.yaml", "teams.yaml"], { cwd, encoding: "utf8" });
    expect(await codes(cwd)).toEqual(told);
    expect(execFileSync("cat", ["people/all.yaml", "teams.yaml"], { cwd, encoding: "utf8" })).toBe(before);
    expect(existsSync(join(cwd, "people/hr.yaml"))).toBe(false);
  });

  test("without showing what else is in a line of the export", async () => {
    const cwd = await scene(["ada,Ada,L,salary 7"]);
    const { code, stdout, stderr } = await inside(command, { cwd });
    expect({ code, stdout, stderr }).toEqual({
      code: 3,
      stdout: "",
      stderr:
        "people.csv:2:1: error[bad-address]: `ada` is not an e-mail address.\n  hint: Correct it in the export.\n1 error. For details, run `roster explain bad-address`.\n",
    });
  });

  test("a link on the way to a new file", async () => {
    const cwd = await scene([...everybody, "n@acme.example,N,N,"], {
      "roster.config.yaml": `${settings}feed: { file: out/hr.yaml }\n`,
    });
    const outside = emptyDirectory();
    symlinkSync(outside, join(cwd, "out"));
    expect(await codes(cwd)).toEqual([3, "feed-file-outside"]);
    expect(existsSync(join(outside, "hr.yaml"))).toBe(false);
  });

  test.each([
    [["import", "--from", "people.csv"], "import-flags"],
    [["import", "--update"], "import-flags"],
    [["import"], "import-flags"],
    [["import", "a", "b"], "import-flags"],
    [["import", "a", "--check"], "import-flags"],
    [["import", "--from", "people.csv", "--update", "--layout", "team"], "import-flags"],
    [["import", "--from", "none.csv", "--update"], "unreadable-feed"],
    [["import", "--from", "people.csv", "--update", "-"], "stdin-not-writable"],
  ])("%j", async (words, code) => {
    const cwd = await scene(everybody);
    const told = await inside(words, { cwd });
    expect([told.code, told.stdout, told.stderr.split("]")[0]]).toEqual([3, "", `error[${code}`]);
  });
});
