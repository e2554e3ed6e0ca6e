import { readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { decodeSettings, guardSettingNames, settingNames } from "../../../src/cli/settings/setting-table.ts";
import { sectionNames } from "../../../src/roster/diagnostics.ts";
import { shapeFields } from "../../../src/service/decode/json.ts";
import { readGeneral } from "../../../src/yaml/general.ts";

const schema = JSON.parse(readFileSync("schemas/settings.schema.json", "utf8"));
const isSettings = new Ajv({ strict: true }).compile(schema);

/** What the schema says of a text, and what the decoder says. */
function judged(text: string): readonly [schema: boolean, decoder: boolean] {
  return [
    isSettings(parse(text)),
    decodeSettings(readGeneral("roster.config.yaml", new TextEncoder().encode(text))).ok,
  ];
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
