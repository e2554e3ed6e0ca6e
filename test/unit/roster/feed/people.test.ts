import { describe, expect, test } from "vitest";
import { type FeedColumns, readFeed } from "../../../../src/roster/feed/people.ts";

function read(text: string | Uint8Array, columns: FeedColumns = {}): readonly unknown[] {
  const bytes = typeof text === "string" ? new TextEncoder().encode(text) : text;
  const feed = readFeed("people.csv", bytes, columns);
  if (feed.ok) return feed.value.map(({ fields }) => Object.fromEntries(fields));
  return feed.error.map(({ code, place }) => `${code} ${place?.file}:${place?.line}:${place?.column}`);
}

const ada = { email: "ada@acme.example", firstName: "Ada", lastName: "Lovelace" };
const head = "email,first name,last name";

test("texts that are too long are wrong, each at its place", () => {
  const texts = [`${"a".repeat(242)}@acme.example`, "b".repeat(201), "c".repeat(5_000_000), "d".repeat(2001)];
  expect(read(`${head},job title\n${texts.join(",")}\n`)).toEqual([
    "bad-text people.csv:2:1",
    "bad-text people.csv:2:1",
    "bad-text people.csv:2:1",
    "bad-text people.csv:2:1",
  ]);
});

describe("a feed is read", () => {
  test.each([
    ["commas", `${head}\nada@acme.example,Ada,Lovelace\n`],
    ["semicolons", "email;first name;last name\nada@acme.example;Ada;Lovelace"],
    ["tabs", "email\tfirst name\tlast name\nada@acme.example\tAda\tLovelace\n"],
    ["quotes", `"email","first name","last name"\n"ada@acme.example","Ada","Lovelace"\n`],
    ["a byte order mark, CRLF and empty lines", `\ufeff${head}\r\nada@acme.example,Ada,Lovelace\r\n\r\n`],
    ["spaces around fields", `${head}\n ada@acme.example , Ada,Lovelace \n`],
    ["other columns", "cost,Last Name,Work E-Mail,Given name\n7,Lovelace,ada@acme.example,Ada\n"],
  ])("with %s", (_, text) => {
    expect(read(text)).toEqual([ada]);
  });

  test("with separators, quotes and a line break inside quotes", () => {
    const text = `${head},job title,office\nada@acme.example,Ada,"Love, ""L""",Countess,"Upper\r\nfloor"\nbo@acme.example,Bo,Diaz,,\n`;
    expect(read(text)).toEqual([
      { ...ada, lastName: 'Love, "L"', title: "Countess" },
      { email: "bo@acme.example", firstName: "Bo", lastName: "Diaz" },
    ]);
  });

  test("with the columns that the settings name", () => {
    const text = "email,Contact,A,B,Role,No,End\nx@private.example,ada@acme.example,Ada,Lovelace,Chief,7,2027-01-31\n";
    const columns = {
      email: "Contact",
      firstName: "A",
      lastName: "B",
      title: "Role",
      externalIdentifier: "No",
      until: "End",
    };
    expect(read(text, columns)).toEqual([{ ...ada, title: "Chief", externalIdentifier: "7", until: "2027-01-31" }]);
  });

  test("without the quote that keeps a spreadsheet from reading a formula, and with any other", () => {
    const text = `${head},title\nada@acme.example,'t Ada,O'Neil,'=SUM(A1)\n`;
    expect(read(text)).toEqual([{ ...ada, firstName: "'t Ada", lastName: "O'Neil", title: "=SUM(A1)" }]);
  });
});

describe("a feed is refused with its places:", () => {
  test.each<readonly [string, string, FeedColumns, readonly string[]]>([
    ["a bad address", `${head}\nada,Ada,L\n`, {}, ["bad-address people.csv:2:1"]],
    ["no address", `${head}\n,Ada,L\n`, {}, ["bad-text people.csv:2:1"]],
    ["no name", `${head}\nada@acme.example,,L\n`, {}, ["bad-text people.csv:2:1"]],
    ["an address twice", `${head}\na@b.c,A,L\nA@B.C,A,L\n`, {}, ["duplicate-user people.csv:3:1"]],
    ["a bad date", `${head},until\na@b.c,A,L,31.1.2027\n`, {}, ["bad-date people.csv:2:1"]],
    [
      "a line break in a name, at the line in which the record ends",
      `${head}\na@b.c,"A\nB",L\n`,
      {},
      ["bad-text people.csv:3:1"],
    ],
    ["too few fields", `${head}\na@b.c,A\n`, {}, ["bad-feed people.csv:2:1"]],
    ["an open quote", `${head}\n"a@b.c,A,L\n`, {}, ["bad-feed people.csv:2:1"]],
    ["a quote inside", `${head}\na@b.c,A "B",L\n`, {}, ["bad-feed people.csv:2:1"]],
    ["text after a quote", `${head}\na@b.c,"A"B,L\n`, {}, ["bad-feed people.csv:2:1"]],
    ["no e-mail column", "name,first name,last name\n", {}, ["feed-columns people.csv:1:1"]],
    ["no header", "", {}, ["feed-columns people.csv:1:1"]],
    ["a column that is not there", `${head}\n`, { title: "Role" }, ["feed-columns people.csv:1:1"]],
    ["a header twice", `${head},email\n`, {}, ["feed-columns people.csv:1:1"]],
    ["a control character", `${head}\na@b.c,A\u0007,L\n`, {}, ["bad-feed people.csv:2:8"]],
  ])("%s", (_, text, columns, faults) => {
    expect(read(text, columns)).toEqual(faults);
  });

  test("another encoding", () => {
    const latin = Uint8Array.from(`${head}\nz@b.c,Zo\u00eb,L\n`, (character) => character.charCodeAt(0));
    expect(read(latin)).toEqual(["bad-feed people.csv:2:9"]);
  });
});
