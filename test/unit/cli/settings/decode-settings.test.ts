import { expect, test } from "vitest";
import { decodeSettings } from "../../../../src/cli/settings/decode-settings.ts";
import { readYaml } from "../../../../src/yaml/read.ts";

function decode(text: string) {
  return decodeSettings(readYaml("roster.config.yaml", new TextEncoder().encode(text)));
}

test("`service.shapes` maps fields by JSON Pointers", () => {
  const text = `service:
  shapes:
    users: { list: /payload/rows, email: /mail, keys: /creds }
    createdUser: { prefix: /credential/pfx }
`;
  expect(decode(text)).toEqual({
    ok: true,
    value: {
      accounts: new Map(),
      accountsAt: new Map(),
      shapes: {
        users: { list: "/payload/rows", email: "/mail", keys: "/creds" },
        createdUser: { prefix: "/credential/pfx" },
      },
    },
  });
});

test.each([
  ["service: 3", "1:10", "service is a map."],
  ["service: { shape: {} }", "1:12", "There is no service.shape. Did you mean shapes?"],
  ["service: { shapes: [] }", "1:20", "service.shapes is a map."],
  ["service: { shapes: { user: {} } }", "1:22", "There is no service.shapes.user. Did you mean users?"],
  [
    "service: { shapes: { users: { mail: /m } } }",
    "1:31",
    "There is no service.shapes.users.mail. Did you mean email?",
  ],
  ["service: { shapes: { users: { email: 3 } } }", "1:38", "service.shapes.users.email is a JSON Pointer."],
  ["service: { shapes: { users: { email: mail } } }", "1:38", "`mail` is no JSON Pointer"],
])("%s is an error at %s", (text, at, words) => {
  const decoded = decode(text);
  const [fault] = decoded.ok ? [] : decoded.error;
  expect(`${fault?.place?.line}:${fault?.place?.column}`).toBe(at);
  expect(`${fault?.message} ${fault?.hint ?? ""}`).toContain(words);
});

test("`sections` says what files may carry", () => {
  const text = `sections:
  - { paths: ["teams/**", crews/], only: [teams] }
  - { paths: ["-"], only: [] }
`;
  const place = (line: number) => ({ file: "roster.config.yaml", line, column: 5 });
  expect(decode(text)).toEqual({
    ok: true,
    value: {
      accounts: new Map(),
      accountsAt: new Map(),
      sections: [
        { paths: ["teams/**", "crews/"], only: ["teams"], place: place(2) },
        { paths: ["-"], only: [], place: place(3) },
      ],
    },
  });
});

test.each([
  ["sections: {}", "1:11", "sections is a list."],
  ["sections: [teams]", "1:12", "An entry of sections is a map."],
  ["sections: [{ paths: [teams] }]", "1:12", "which paths it is for, and what they carry only"],
  ["sections: [{ paths: [teams], only: [team] }]", "1:37", "A roster has no section team. Did you mean teams?"],
  ["sections: [{ paths: [teams], onyl: [teams] }]", "1:30", "There is no sections.onyl. Did you mean only?"],
  ["sections: [{ paths: teams, only: [teams] }]", "1:21", "sections.paths is a list."],
  ["sections: [{ paths: [../teams], only: [teams] }]", "1:22", "The path ../teams in sections.paths has a part"],
])("%s is wrong at %s", (text, at, words) => {
  const decoded = decode(text);
  const [fault] = decoded.ok ? [] : decoded.error;
  expect(`${fault?.place?.line}:${fault?.place?.column}`).toBe(at);
  expect(`${fault?.message} ${fault?.hint ?? ""}`).toContain(words);
});

test("`rehearse` is true or false", () => {
  expect(["true", "false"].map((value) => decode(`rehearse: ${value}\n`))).toMatchObject([
    { value: { rehearse: true } },
    { value: { rehearse: false } },
  ]);
  expect(decode("rehearse: sometimes\n")).toMatchObject({
    ok: false,
    error: [{ message: "rehearse is true or false." }],
  });
});
