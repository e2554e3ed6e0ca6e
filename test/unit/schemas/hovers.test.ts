import { readdirSync, readFileSync } from "node:fs";
import { Ajv } from "ajv";
import { describe, expect, test } from "vitest";
import { defaultFeedSource, guardSettingNames } from "../../../src/cli/settings/setting-table.ts";
import { defaultGuards } from "../../../src/library/policy.ts";
import { asItIs } from "../../support/schema-validators.ts";

interface Schema {
  readonly description?: string;
  readonly default?: unknown;
  readonly examples?: readonly unknown[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly type?: string;
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly definitions?: Readonly<Record<string, Schema>>;
}

/** The schemas of the files that people write. Editors show from them what a key means. */
const schemas = ["roster", "settings", "seed"] as const;

/** They say of what form a value is, and nothing of what it means. */
const forms = ["text", "count", "share", "pattern", "pointer", "address", "email", "prefix", "roles"];

function schemaOf(name: string): Schema {
  return JSON.parse(readFileSync(`schemas/${name}.schema.json`, "utf8")) as Schema;
}

/** Every key that a file may have, by its path. What stands under `if` is a question, not a key. */
function keysIn(node: unknown, path: readonly string[] = []): readonly (readonly [path: string, key: Schema])[] {
  if (typeof node !== "object" || node === null) return [];
  return Object.entries(node).flatMap(([name, value]: [string, unknown]) => {
    if (["if", "not", "examples", "default", "enum", "const", "dependencies"].includes(name)) return [];
    const below = keysIn(value, [...path, name]);
    if (name !== "properties") return below;
    const keys = Object.entries(value as Readonly<Record<string, Schema>>);
    const own = keys.filter(([, schema]) => typeof schema === "object");
    return [...own.map(([key, schema]) => [[...path, key].join("."), schema] as const), ...below];
  });
}

function targetName(key: Schema): string {
  return refOf(key)?.replace("#/definitions/", "") ?? "";
}

/** What stands beside a reference is ignored in draft-07: a key that says more refers in `allOf`. */
function refOf({ $ref, allOf = [] }: Schema): string | undefined {
  return $ref ?? allOf.find((one) => one.$ref !== undefined)?.$ref;
}

describe.each(schemas)("an editor shows of each key of the %s", (name) => {
  const whole = schemaOf(name);
  const keys = keysIn(whole);
  const targetOf = (key: Schema): Schema => whole.definitions?.[targetName(key)] ?? {};
  const ajv = new Ajv({ strict: true, ...asItIs });
  ajv.addSchema({ ...whole, $id: "whole" });

  test("what it means", () => {
    expect(keys.length).toBeGreaterThan(20);
    const undescribed = keys.filter(([, key]) => {
      const isForm = refOf(key) === undefined || forms.includes(targetName(key));
      return (key.description ?? (isForm ? undefined : targetOf(key).description)) === undefined;
    });
    expect(undescribed.map(([path]) => path)).toEqual([]);
  });

  test("what to write: an example, a default or the choices", () => {
    const shows = (key: Schema): boolean =>
      [key.examples, key.default, key.enum, key.const].some((one) => one !== undefined) ||
      key.properties !== undefined ||
      (key.items !== undefined && (shows(key.items) || shows(targetOf(key.items)))) ||
      (refOf(key) !== undefined && shows(targetOf(key)));
    expect(keys.filter(([, key]) => !shows(key)).map(([path]) => path)).toEqual([]);
  });

  test("examples and defaults that are right", () => {
    const wrong = keys.flatMap(([path, key]) => {
      const pointer = path
        .split(".")
        .map((step, at, all) => (at === all.length - 1 ? `properties/${step}` : step))
        .join("/");
      const values = [...(key.examples ?? []), ...(key.default === undefined ? [] : [key.default])];
      const isRight = ajv.compile({ $ref: `whole#/${pointer}` });
      return values.filter((value) => !isRight(value)).map((value) => `${path}: ${JSON.stringify(value)}`);
    });
    expect(wrong).toEqual([]);
  });
});

test.each(readdirSync("schemas").filter((name) => name.endsWith(".json")))(
  "%s says nothing beside a reference",
  (name) => {
    const besides: string[] = [];
    const look = (node: unknown, path: string): void => {
      if (typeof node !== "object" || node === null) return;
      if ("$ref" in node && Object.keys(node).length > 1) besides.push(path);
      for (const [key, value] of Object.entries(node)) look(value, `${path}/${key}`);
    };
    look(JSON.parse(readFileSync(`schemas/${name}`, "utf8")), "#");
    expect(besides).toEqual([]);
  },
);

test("the defaults of the settings are those in force", () => {
  const { properties = {} } = schemaOf("settings");
  const inForce = new Map<string, unknown>(
    Object.entries(defaultGuards).map(([name, value]) => [
      name.replace(/[A-Z]/gu, (one) => `-${one.toLowerCase()}`),
      value,
    ]),
  );
  const { guards, feed, ...others } = properties;
  const written = (keys: Readonly<Record<string, Schema>> = {}) =>
    Object.fromEntries(
      Object.entries(keys).flatMap(([key, { default: usual }]) => (usual === undefined ? [] : [[key, usual]])),
    );
  expect(written(guards?.properties)).toEqual(
    Object.fromEntries(
      guardSettingNames.flatMap((name) => (inForce.get(name) === undefined ? [] : [[name, plain(inForce.get(name))]])),
    ),
  );
  expect(written(feed?.properties)).toEqual({ source: defaultFeedSource });
  expect(written(others)).toEqual({
    roster: ["."],
    state: "file:.roster/log.jsonl",
    parallelism: 10,
  });
});

/** As JSON would have it. */
function plain(value: unknown): unknown {
  return value instanceof Map ? Object.fromEntries(value) : value;
}
