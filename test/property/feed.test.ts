import fc from "fast-check";
import { expect, test } from "vitest";
import type { Diagnostic } from "../../src/model/result.ts";
import { buildRoster } from "../../src/roster/build.ts";
import { decodeFile } from "../../src/roster/decode-file.ts";
import { compareFeed, type FeedChanges, type FeedRosterFile, feedEdits } from "../../src/roster/feed/changes.ts";
import { readFeed } from "../../src/roster/feed/people.ts";
import { collectDiagnostics } from "../../src/yaml/diagnostics.ts";
import { editEntries } from "../../src/yaml/edit-entries.ts";
import { readYaml } from "../../src/yaml/read.ts";
import { runs } from "../support/property-runs.ts";

const today = "2026-11-20";
const settings = { account: "acc-1", accounts: new Map<string, string>(), today };

/** What is written of one person, and what the feed says. The number is in each of their lines. */
interface Person {
  readonly source: "hr" | "agency" | "none";
  readonly layout: "block" | "flow" | "dash-alone";
  readonly until?: string | undefined;
  readonly key: boolean;
  readonly before: "comment" | "empty" | "nothing";
  readonly member: "no" | "address" | "map" | "key";
  readonly group: boolean;
  readonly feed: "same" | "renamed" | "titled" | "ended" | "missing";
}

const person: fc.Arbitrary<Person> = fc.record({
  source: fc.constantFrom("hr", "hr", "agency", "none"),
  layout: fc.constantFrom("block", "flow", "dash-alone"),
  until: fc.option(fc.constantFrom("2026-11-01", "2027-11-01"), { nil: undefined, freq: 6 }),
  key: fc.boolean(),
  before: fc.constantFrom("comment", "empty", "nothing"),
  member: fc.constantFrom("no", "address", "map", "key"),
  group: fc.boolean(),
  feed: fc.constantFrom("same", "renamed", "titled", "ended", "missing"),
});

const world = fc.record({
  people: fc.array(person, { minLength: 1, maxLength: 8 }),
  added: fc.nat({ max: 2 }),
  admin: fc.option(fc.nat({ max: 7 }), { nil: undefined }),
  lists: fc.constantFrom("block", "flow", "flow-lines"),
  margin: fc.constantFrom("", "  "),
  lineBreak: fc.constantFrom("\n", "\r\n"),
  end: fc.boolean(),
  mark: fc.boolean(),
});

type World = typeof world extends fc.Arbitrary<infer T> ? T : never;

function email(index: number): string {
  return `p${index}x@acme.example`;
}

function userLines(one: Person, index: number, margin: string): readonly string[] {
  const fields = [
    `email: ${email(index)}`,
    `firstName: F${index}x`,
    `lastName: "L${index}x"`,
    ...(one.source === "none" ? [] : [`source: ${one.source}`]),
    ...(one.until === undefined ? [] : [`until: ${one.until}`]),
    ...(one.key ? [`key: own${index}x`] : []),
  ];
  const before = { comment: [`${margin}# about ${index}`], empty: [""], nothing: [] }[one.before];
  if (one.layout === "flow") return [...before, `${margin}- { ${fields.join(", ")} } # behind p${index}x`];
  const [first = "", ...rest] =
    one.layout === "block" ? [`- ${fields[0]} # p${index}x`, ...fields.slice(1)] : ["-", ...fields];
  return [...before, `${margin}${first}`, ...rest.map((line) => `${margin}  ${line} # p${index}x`)];
}

function listLines(items: readonly string[], lists: World["lists"], margin: string): readonly string[] {
  if (lists === "block") return items.length === 0 ? [] : items.map((item) => `${margin}- ${item}`);
  if (lists === "flow") return [`${margin}  [${items.join(", ")}] # list`];
  return [
    `${margin}  [`,
    ...items.flatMap((item) => [`${margin}    ${item}, # after`, `${margin}    # between`]),
    `${margin}  ]`,
  ];
}

function filesOf({ people, admin, lists, margin, lineBreak, end, mark }: World): ReadonlyMap<string, Uint8Array> {
  const leader =
    admin === undefined || admin >= people.length || people[admin]?.until !== undefined ? undefined : admin;
  const members = people.flatMap(({ member }, index) => {
    if (index === leader || member === "address") return [email(index)];
    if (member === "map") return [`{ user: ${email(index)} }`];
    return member === "key" ? [`{ user: ${email(index)}, key: team${index}x }`] : [];
  });
  const grouped = people.flatMap(({ group }, index) => (group ? [email(index)] : []));
  const encode = (lines: readonly string[]) => {
    const text = lines.join(lineBreak) + (end ? lineBreak : "");
    return new TextEncoder().encode(mark ? `\ufeff${text}` : text);
  };
  const users = people.flatMap((one, index) => userLines(one, index, margin));
  return new Map([
    ["people.yaml", encode(["# head", "version: 1", "users:", ...users, "# tail"])],
    [
      "teams.yaml",
      encode([
        "version: 1",
        ...(grouped.length === 0 ? [] : ["groups:", "  all:", ...listLines(grouped, lists, "    ")]),
        "teams:",
        "  - name: Data",
        ...(leader === undefined ? [] : [`    admin: ${email(leader)}`]),
        ...(members.length === 0 ? [] : ["    members:", ...listLines(members, lists, "      ")]),
        "# last",
      ]),
    ],
  ]);
}

function feedOf({ people, added }: World): Uint8Array {
  const rows = people.flatMap(({ feed }, index) => {
    if (feed === "missing") return [];
    const last = feed === "renamed" ? `"N, ${index}x"` : `L${index}x`;
    return [
      `${email(index)},F${index}x,${last},${feed === "titled" ? "Boss" : ""},${feed === "ended" ? "2026-11-10" : ""}`,
    ];
  });
  const others = Array.from({ length: added }, (_, index) => `new${index}@acme.example,N,New,,`);
  return new TextEncoder().encode(["email,first name,last name,title,until", ...rows, ...others].join("\r\n"));
}

function rosterOf(files: ReadonlyMap<string, Uint8Array>) {
  const trees = [...files].map(([file, bytes]) => {
    const { tree, diagnostics } = readYaml(file, bytes);
    if (tree === undefined) throw new Error(`${file}: ${diagnostics.map(({ message }) => message).join(" ")}`);
    return { file, tree };
  });
  const decoded = trees.flatMap(({ file, tree }): readonly FeedRosterFile[] => {
    const document = decodeFile(tree, settings, collectDiagnostics({ subject: file }));
    return document === undefined ? [] : [{ file, document }];
  });
  const { roster, diagnostics } = buildRoster(trees, settings);
  return { decoded, roster, errors: diagnostics.filter(({ severity }: Diagnostic) => severity === "error") };
}

function update(files: ReadonlyMap<string, Uint8Array>, csv: Uint8Array) {
  const { decoded } = rosterOf(files);
  const people = readFeed("people.csv", csv, {});
  if (!people.ok) throw new Error(people.error.map(({ message }) => message).join(" "));
  const rules = { source: "hr", today, singleLabelDomains: "refused" } as const;
  const changes = compareFeed(
    people.value,
    decoded.map(({ document }) => document),
    rules,
  );
  if (!changes.ok) throw new Error("The feed was refused.");
  const after = new Map(files);
  for (const [file, edits] of feedEdits(changes.value, decoded, { file: "people.yaml", source: "hr" })) {
    const edited = editEntries(files.get(file) ?? new Uint8Array(), edits);
    if (!edited.ok) throw new Error(`${file} was not edited: ${JSON.stringify(edited.error)}`);
    after.set(file, edited.value);
  }
  return { after, changes: changes.value };
}

function withoutPlaces(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (name, one) => (["place", "because"].includes(name) ? undefined : one)));
}

/** The lines in which nobody stands whom the feed changes or ends. */
function untouchedLines(text: string, { changed, ended }: FeedChanges): readonly string[] {
  const touched = [...changed, ...ended].map(({ user }) => /\d+/u.exec(user.email.value)?.[0] ?? "");
  const isTouched = (line: string) =>
    touched.some((index) => new RegExp(`[a-zA-Z]${index}x\\b|, ${index}x`, "u").test(line));
  const keys = /^\s*(?:users|members|all):\s*$|^\s*-?\s*$|^\s*[[\]]/u;
  return text.split("\n").filter((line) => !isTouched(line) && !keys.test(line));
}

function checkPeople({ people }: World, before: Result, after: Result): void {
  for (const [address, user] of before.roster?.users ?? []) {
    if (user.source !== "hr") expect(withoutPlaces(after.roster?.users.get(address))).toEqual(withoutPlaces(user));
  }
  const addresses = [...(after.roster?.users.keys() ?? [])].map(String);
  for (const [index, { source, feed, until }] of people.entries()) {
    const isGone = source === "hr" && (feed === "missing" || feed === "ended");
    expect(addresses.includes(email(index))).toBe(!isGone && (until === undefined || until > today));
  }
}

type Result = ReturnType<typeof rosterOf>;

function checkLines(before: string, after: string, changes: FeedChanges): void {
  const lines = after.split("\n").map(bare);
  let at = 0;
  for (const line of untouchedLines(before, changes).map(bare)) {
    const found = lines.indexOf(line, at);
    expect(found, `${JSON.stringify(line)} is lost in ${after}`).toBeGreaterThanOrEqual(0);
    at = found + 1;
  }
}

function bare(line: string): string {
  return line.replace(/\r$/u, "");
}

function textOf(bytes: Uint8Array | undefined): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

test("a feed changes its own people alone, keeps every other line, and has nothing more to change afterwards", () => {
  fc.assert(
    fc.property(world, (drawn) => {
      const files = filesOf(drawn);
      const csv = feedOf(drawn);
      const before = rosterOf(files);
      expect(before.errors).toEqual([]);
      const { after, changes } = update(files, csv);
      const result = rosterOf(after);
      expect(result.errors).toEqual([]);
      checkPeople(drawn, before, result);
      for (const [file, bytes] of files) {
        checkLines(textOf(bytes), textOf(after.get(file)), changes);
        if (drawn.lineBreak === "\r\n") expect(textOf(after.get(file))).not.toMatch(/[^\r]\n/u);
      }
      expect(update(after, csv).after).toEqual(after);
    }),
    { numRuns: runs(3000) },
  );
});
