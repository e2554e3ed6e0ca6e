import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { guardSettingNames } from "../../../src/cli/settings/guard-settings.ts";
import { decodeSettings, settingNames } from "../../../src/cli/settings/setting-table.ts";
import { sectionNames } from "../../../src/roster/diagnostics.ts";
import { shapeFields } from "../../../src/service/shapes.ts";
import { readYaml } from "../../../src/yaml/read.ts";

const schema = JSON.parse(readFileSync("schemas/settings.schema.json", "utf8"));
const isSettings = new Ajv({ strict: true }).compile(schema);

/** What the schema says of a text, and what the decoder says. */
function judged(text: string): readonly [schema: boolean, decoder: boolean] {
  return [isSettings(parse(text)), decodeSettings(readYaml("roster.config.yaml", new TextEncoder().encode(text))).ok];
}

describe("the schema of the settings knows", () => {
  test("every setting, every guard, every section and every shape", () => {
    const { guards, sections, service } = schema.properties;
    expect(Object.keys(schema.properties)).toEqual([...settingNames]);
    expect(Object.keys(guards.properties)).toEqual(guardSettingNames);
    expect(sections.items.properties.only.items.enum).toEqual([...sectionNames]);
    const shapes = Object.entries<{ properties: object }>(service.properties.shapes.properties);
    expect(Object.fromEntries(shapes.map(([part, { properties }]) => [part, Object.keys(properties).sort()]))).toEqual(
      Object.fromEntries(Object.entries(shapeFields).map(([part, fields]) => [part, [...fields].sort()])),
    );
  });

  test("its own example", () => {
    const examples: readonly unknown[] = schema.examples;
    expect(examples.map((example) => judged(JSON.stringify(example)))).toEqual([[true, true]]);
  });
});

test.each([
  "endpoint: https://a.example",
  "roster: one",
  "roster: [one, two]",
  "accounts: { prod: acc-1 }",
  "parallelism: 64",
  "apiKeyCommand: [pass, show, key]",
  "guards: {}",
  "guards: { near-duplicate: off, max-new-users: off, max-invitations: 0 }",
  "guards: { privileged-roles: off, min-admins: off, max-role-removals: off }",
  "guards: { privileged-roles: { roles: [A], people: [ada@acme.example] }, min-admins: { count: 2 } }",
  "guards: { max-role-removals: { ratio: 0.5 }, required-admins: [ada@acme.example] }",
  "protect: { users: [ada@acme.example], keys: [abc] }",
  "protect: { users: ['a/b@acme.example', 'a@b@acme.example', '\"a b\"@acme.example'] }",
  'sections: [{ paths: [teams/, "**", "*", "-", "a/**/b*.yaml", ".github"], only: [teams, roleSets] }, { paths: [], only: [] }]',
  "service: { shapes: { users: { list: /a~1b, email: '' } } }",
  "service: { consistency: 0 }",
  "service: { throttling: no-effect }",
  "guards: { allowed-email-domains: ['@acme.example'] }",
])("both take %s", (text) => {
  expect(judged(text)).toEqual([true, true]);
});

test.each([
  "endpoints: https://a.example",
  "endpoint: ''",
  "endpoint: 3",
  "roster: []",
  "parallelism: 65",
  "parallelism: 1.5",
  "apiKeyCommand: pass show key",
  "apiKeyCommand: []",
  "accounts: [prod]",
  "guards: { max-users: 3 }",
  "guards: { max-new-users: -1 }",
  "guards: { max-new-users: many }",
  "guards: { near-duplicate: maybe }",
  "guards: { min-admins: { role: A } }",
  "guards: { renamed-team: off }",
  "guards: { incomplete-snapshot: 0.9 }",
  "guards: { max-role-removals: { ration: 1 } }",
  "protect: { users: [ada] }",
  "protect: { users: ['a b@acme.example'] }",
  "protect: { people: [] }",
  "sections: { paths: [a], only: [] }",
  "sections: [{ paths: [a] }]",
  "sections: [{ paths: [a], only: [team] }]",
  ...["/a", "a//b", "./a", "a/..", "a/./b", "..", "te?m", "a**", "**a/b", "{a}", "a/***"].map(
    (pattern) => `sections: [{ paths: ["${pattern}"], only: [] }]`,
  ),
  "service: { shape: {} }",
  "service: { shapes: { users: { mail: /m } } }",
  "service: { shapes: { users: { email: m } } }",
  "service: { shapes: { users: { email: /~2 } } }",
  "service: { consistency: 90 }",
  "service: { throttling: may-have-effect }",
  "guards: { allowed-email-domains: [ada@acme.example] }",
])("both refuse %s", (text) => {
  expect(judged(text)).toEqual([false, false]);
});
