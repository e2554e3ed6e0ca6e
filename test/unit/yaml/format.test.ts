import { describe, expect, test } from "vitest";
import { rosterFormat } from "../../../src/roster/format.ts";
import { formatYaml } from "../../../src/yaml/format.ts";

function formatted(text: string): string {
  const result = formatYaml("f", new TextEncoder().encode(text), rosterFormat);
  if (!result.ok) throw new Error(result.error.map(({ message }) => message).join(" "));
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(result.value);
}

interface Case {
  readonly is: string;
  readonly before: string;
  readonly after: string;
}

const cases: readonly Case[] = [
  {
    is: "sections stand in the order of the format, each with its comments, an empty line around the long ones",
    before:
      "version: 1\n# Teams of ours.\nteams: []\n# Everybody.\nusers:\n- {email: a@x.y, firstName: A, lastName: A}\naccount: acc-1\n",
    after:
      "version: 1\naccount: acc-1\n\n# Everybody.\nusers:\n  - { email: a@x.y, firstName: A, lastName: A }\n\n# Teams of ours.\nteams: []\n",
  },
  {
    is: "the line for editors and what stands around it stay at the head, whatever key comes first",
    before: "# yaml-language-server: $schema=x\n# Who is here.\nusers: []\nversion: 1\n",
    after: "# yaml-language-server: $schema=x\n# Who is here.\nversion: 1\nusers: []\n",
  },
  {
    is: "a comment at the head stays there, apart from the first key or not",
    before: "# Head.\n\n# Of users.\nusers: []\n\nversion: 1\n",
    after: "# Head.\n\nversion: 1\n\n# Of users.\nusers: []\n",
  },
  {
    is: "keys of an entry stand in the order of the format, each with the comment behind it",
    before: "version: 1\nusers:\n  - lastName: A # of old\n    # says HR\n    firstName: A\n    email: a@x.y\n",
    after: "version: 1\n\nusers:\n  - email: a@x.y\n    # says HR\n    firstName: A\n    lastName: A # of old\n",
  },
  {
    is: "nobody crosses a heading, which is a comment with an empty line below it",
    before:
      "version: 1\ngroups:\n  g:\n    # North\n\n    - d@x.y\n    - c@x.y\n    # South\n\n    - b@x.y\n    # first\n    - a@x.y\n",
    after:
      "version: 1\n\ngroups:\n  g:\n    # North\n\n    - c@x.y\n    - d@x.y\n\n    # South\n\n    # first\n    - a@x.y\n    - b@x.y\n",
  },
  {
    is: "a comment below an entry that is further in than the next one stays below it",
    before:
      "version: 1\nusers:\n  - email: b@x.y\n    firstName: B\n    # title: unknown\n  - email: a@x.y\n    firstName: A\n  # - email: c@x.y\nteams: []\n",
    after:
      "version: 1\n\nusers:\n  - email: a@x.y\n    firstName: A\n  - email: b@x.y\n    firstName: B\n    # title: unknown\n  # - email: c@x.y\n\nteams: []\n",
  },
  {
    is: "people who are all set apart by empty lines stay so",
    before:
      "version: 1\nkeys:\n  - { prefix: c, roles: [] }\n\n  - { prefix: b, roles: [] }\n\n\n  - { prefix: a, roles: [] }\n",
    after:
      "version: 1\n\nkeys:\n  - { prefix: a, roles: [] }\n\n  - { prefix: b, roles: [] }\n\n  - { prefix: c, roles: [] }\n",
  },
  {
    is: "members stand one a line, groups before people, and roles in one line, sets before roles",
    before:
      "version: 1\nteams: [{ name: T, members: [b@x.y, { roles: [B, A, { set: s }], user: A@x.y }, { group: g }] }]\n",
    after:
      "version: 1\n\nteams:\n  - name: T\n    members:\n      - { group: g }\n      - { user: A@x.y, roles: [{ set: s }, A, B] }\n      - b@x.y\n",
  },
  {
    is: "teams, former names and former addresses keep their order",
    before:
      "version: 1\nteams:\n  - { name: B, previously: [Z, Y] }\n  - { name: A }\nusers: [{ email: a@x.y, previously: [z@x.y, y@x.y] }]\n",
    after:
      "version: 1\n\nusers:\n  - { email: a@x.y, previously: [z@x.y, y@x.y] }\n\nteams:\n  - { name: B, previously: [Z, Y] }\n  - { name: A }\n",
  },
  {
    is: "a list in which somebody has no address yet keeps its order",
    before: "version: 1\nusers: [{ email: b@x.y }, {}, { email: a@x.y }]\n",
    after: "version: 1\n\nusers:\n  - { email: b@x.y }\n  - {}\n  - { email: a@x.y }\n",
  },
  {
    is: "quotes stay where the text would be read otherwise, and only there",
    before:
      "version: 1\nusers:\n  - email: 'a@x.y'\n    firstName: \"Ada\"\n    lastName: 'no'\n    title: \"a: b\"\n    until: '2027-01-31'\n    key: '\"x\"'\n",
    after:
      'version: 1\n\nusers:\n  - email: a@x.y\n    firstName: Ada\n    lastName: "no"\n    title: "a: b"\n    key: \'"x"\'\n    until: "2027-01-31"\n',
  },
  {
    is: "a text over several lines comes into one, and a block of text stays a block",
    before:
      "version: 1\nkeys:\n- prefix: a\n  note: >-\n          long\n          text\n  roles: []\n  owner: a@x.y\n    \n- prefix:\n    b\n  note: more\n    text\n",
    after:
      "version: 1\n\nkeys:\n  - prefix: a\n    owner: a@x.y\n    roles: []\n    note: >-\n      long\n      text\n\n  - prefix: b\n    note: more text\n",
  },
  {
    is: "what has no room in a line takes several",
    before: `version: 1\nroleSets: { r: [${Array.from({ length: 20 }, (_, at) => `ROLE_${10 + at}`).join(", ")}] }\n`,
    after: `version: 1\n\nroleSets:\n  r:\n${Array.from({ length: 20 }, (_, at) => `    - ROLE_${10 + at}\n`).join("")}`,
  },
  {
    is: "comments within braces take the braces away",
    before: "version: 1\nusers:\n  - { email: a@x.y, # why\n      # how\n      firstName: A } # who\n",
    after: "version: 1\n\nusers:\n  # who\n  - email: a@x.y # why\n    # how\n    firstName: A\n",
  },
  {
    is: "an empty section keeps the comments below it",
    before: "version: 1\nusers:\n  # nobody yet\nleavers: [\n  # nor anybody here\n]\nteams: []\n",
    after: "version: 1\n\nusers:\n  # nobody yet\n\nleavers: []\n  # nor anybody here\n\nteams: []\n",
  },
  {
    is: "a document in braces comes out of them, its head above and its foot below",
    before: "# Head.\n{ # why\n  users: [], version: 1 } # end\n# Foot.\n",
    after: "# Head.\nversion: 1\nusers: []\n# Foot.\n# why\n# end\n",
  },
  {
    is: "the mark of a document's start stays, the one of its end goes",
    before: "# Head.\n--- # mark\nversion:   1\n...\n# foot\n",
    after: "# Head.\n---\n# mark\nversion: 1\n# foot\n",
  },
  {
    is: "line ends are those of the first line, and a byte order mark stays",
    before: "\ufeffversion: 1\r\nusers: [{ email: b@x.y }, { email: a@x.y }]\n# foot\r\n",
    after: "\ufeffversion: 1\r\n\r\nusers:\r\n  - { email: a@x.y }\r\n  - { email: b@x.y }\r\n# foot\r\n",
  },
  {
    is: "the last line ends, and no empty line follows it",
    before: "version: 1\n\n\nteams: []   \n\n\n# foot\n\n\n",
    after: "version: 1\n\nteams: []\n\n# foot\n",
  },
];

describe("a formatted roster file", () => {
  test.each(cases)("$is", ({ before, after }) => {
    expect(formatted(before)).toBe(after);
    expect(formatted(after)).toBe(after);
  });

  test("that holds nothing but comments stays as it is", () => {
    expect(formatted("\n  # nothing\n\n")).toBe("\n  # nothing\n\n");
  });

  test("that cannot be read tells why", () => {
    const result = formatYaml("f", new TextEncoder().encode("version: 1\nusers: [\n"), rosterFormat);
    expect(result).toMatchObject({
      ok: false,
      error: [{ code: "yaml-syntax", place: { file: "f", line: 2, column: 8 } }],
    });
  });
});
