import { readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { inside } from "../../support/inside.ts";
import { runningServer } from "./running-server.ts";

interface Schema {
  readonly $ref?: string;
  readonly items?: Schema;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
}

interface Parameter {
  readonly $ref?: string;
  readonly name?: string;
  readonly in?: string;
  readonly schema?: Schema;
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly responses: Readonly<Record<string, { readonly $ref?: string }>>;
}

interface Description {
  readonly servers: readonly { readonly url: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly headers: Readonly<Record<string, { readonly schema: Schema }>>;
  };
}

const description: Description = parse(readFileSync("schemas/account-service.openapi.yaml", "utf8"));
const { parameters, schemas, headers } = description.components;
const ajv = new Ajv2020({ strict: false, allErrors: true });
ajv.addSchema({ $id: "service", components: description.components });

/** Each path with a name in place of what it leaves open. */
const paths = Object.entries(description.paths).map(
  ([path, methods]) => [path.replaceAll(/\{[^}]+\}/gu, "acc-1"), methods] as const,
);

function lastStep({ $ref = "" }: { readonly $ref?: string }): string {
  return $ref.split("/").at(-1) ?? "";
}

/** The parameters of an operation, looked up where they are shared. */
function parametersOf(operation: Operation): readonly Parameter[] {
  return (operation.parameters ?? []).map((one) => (one.$ref === undefined ? one : (parameters[lastStep(one)] ?? one)));
}

test("every branch of a schema has a type, so that generated clients know what it is", () => {
  expect(schemasIn(description, "#").length).toBeGreaterThan(100);
  const untyped = schemasIn(description, "#").filter(
    ([, schema]) => !["$ref", "type", "anyOf", "oneOf"].some((keyword) => keyword in schema),
  );
  expect(untyped.map(([path]) => path)).toEqual([]);
});

/** Every schema in a part of the description, by its path. */
function schemasIn(node: unknown, path: string): readonly (readonly [path: string, schema: object])[] {
  if (typeof node !== "object" || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) => {
    const here = `${path}/${key}`;
    const below = schemasIn(value, here);
    if (key === "schema" || key === "items") return [[here, value] as const, ...below];
    if (!["properties", "schemas", "anyOf", "oneOf", "allOf"].includes(key)) return below;
    return [...Object.entries(value).map(([name, one]) => [`${here}/${name}`, one as object] as const), ...below];
  });
}

test("the address is that of a server without --port", async () => {
  const { stdout } = await inside(["serve", "--help"], { cwd: "." });
  const [, port] = /--port <number>.*\(default: (\d+)\)/u.exec(stdout.replaceAll(/\s+/gu, " ")) ?? [];
  expect(description.servers.map(({ url }) => url)).toEqual([`http://127.0.0.1:${port}`]);
});

test.each(paths)("%s refuses every other method with 405, as described", async (path, methods) => {
  const server = await runningServer();
  const known = Object.keys(methods).map((method) => method.toUpperCase());
  expect(headers["Allow"]?.schema.enum).toEqual(expect.arrayContaining(known));
  for (const operation of Object.values(methods)) {
    expect(lastStep(operation.responses["405"] ?? {})).toBe("MethodNotAllowed");
  }
  const others = ["GET", "POST", "PUT", "PATCH", "DELETE"].filter((method) => !known.includes(method));
  for (const method of others) {
    const { status, body, headers: sent } = await server.send(path, { method });
    expect([method, status, sent.get("allow")]).toEqual([method, 405, known.join(", ")]);
    expect([ajv.validate({ $ref: "service#/components/schemas/Error" }, body), ajv.errors]).toEqual([true, null]);
  }
});

test.each(paths)("%s refuses every query parameter that is not described, and does nothing", async (path, methods) => {
  const server = await runningServer();
  const before = { users: server.world.users, mails: server.outbox.length };
  for (const [method, operation] of Object.entries(methods)) {
    const described = parametersOf(operation).flatMap(({ name = "", in: place }) => (place === "query" ? [name] : []));
    const strangers = ["role", "email", "identifier", "search", "Page", "page[]", "page", "sort-by"];
    for (const name of strangers.filter((one) => !described.includes(one))) {
      const query = `?per-page=1&${encodeURIComponent(name)}=x`;
      const asked = described.includes("per-page") ? query : `?${encodeURIComponent(name)}=x`;
      const { body } = await server.call(method.toUpperCase(), path + asked, method === "get" ? undefined : {});
      const known = described.length === 0 ? "this route has none" : `this route has ${described.join(", ")}`;
      const message = `The query parameter "${name}" is not known: ${known}`;
      expect(body).toMatchObject({ statusCode: 400, message });
    }
  }
  expect({ users: server.world.users, mails: server.outbox.length }).toEqual(before);
});

test("page and per-page are taken within their bounds and refused beyond them", async () => {
  const server = await runningServer();
  for (const name of ["page", "per-page"]) {
    const { schema } = Object.values(parameters).find((one) => one.name === name) ?? {};
    const { minimum = 0, maximum = 0 } = schema ?? {};
    const statuses: number[] = [];
    for (const value of [BigInt(minimum) - 1n, BigInt(minimum), BigInt(maximum), BigInt(maximum) + 1n]) {
      statuses.push((await server.call("GET", `/api/accounting/users?${name}=${value}`)).status);
    }
    expect([name, statuses]).toEqual([name, [400, 200, 200, 400]]);
  }
});

test("a page has as many rows as described at the most", async () => {
  const users = Array.from({ length: 1001 }, (_, at) => ({ email: `n${at}@x.example`, firstName: "N", lastName: "X" }));
  const server = await runningServer({ seed: { users } });
  const listed = await server.call("GET", "/api/accounting/users?per-page=2000");
  expect(listed.body).toHaveLength(1000);
});

test.each(["accounts", "users", "roles"])(
  "the list of %s is sorted by the fields that are described, and no others",
  async (list) => {
    const server = await runningServer();
    const operation = description.paths[`/api/accounting/${list}`]?.["get"];
    const sortBy = operation === undefined ? undefined : parametersOf(operation).find(({ name }) => name === "sort-by");
    const fields = schemas[lastStep(sortBy?.schema?.items ?? {})]?.enum ?? [];
    for (const direction of ["ASC", "desc", "Desc"]) {
      const sorted = await server.call(
        "GET",
        `/api/accounting/${list}?sort-by=${fields.join(",")}&direction=${direction}`,
      );
      expect(sorted.status).toBe(200);
    }
    const refused = await server.call("GET", `/api/accounting/${list}?sort-by=nothing`);
    const message = `The query parameter sort-by must name fields of this list (${fields.join(", ")}): "nothing"`;
    expect(refused.body).toMatchObject({ statusCode: 400, message });
  },
);

test("a direction is described in the letter cases that are taken", async () => {
  const server = await runningServer();
  const direction = Object.values(parameters).find(({ name }) => name === "direction")?.schema ?? {};
  for (const value of ["ASC", "DESC", "asc", "dEsC", "up", "ASC "]) {
    const { status } = await server.call("GET", `/api/accounting/roles?direction=${encodeURIComponent(value)}`);
    expect([value, status]).toEqual([value, ajv.validate(direction, value) ? 200 : 400]);
  }
});
