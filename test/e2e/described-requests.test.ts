import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { expect, onTestFinished, test } from "vitest";
import { parse } from "yaml";
import { readSeed } from "../../src/reference-server/read-seed.ts";
import { startReferenceServer } from "../../src/reference-server/server.ts";
import { emptyDirectory } from "../support/command.ts";
import { faultProxy, type PassedRequest } from "../support/fault-proxy.ts";
import { inside } from "../support/inside.ts";

interface Parameter {
  readonly $ref?: string;
  readonly name?: string;
  readonly in?: string;
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: { readonly "application/json": { readonly schema: object } } };
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly parameters: Readonly<Record<string, Parameter>> };
}

const description: Description = parse(readFileSync("schemas/account-service.openapi.yaml", "utf8"));
const ajv = new Ajv2020({ strict: false, allErrors: true, formats: { email: true } });
ajv.addSchema({ $id: "service", components: description.components });

/** The operation that a request is, and what of it the description does not know. */
function judge({ method, url, body }: Pick<PassedRequest, "method" | "url" | "authorization" | "body">): {
  readonly operation: string;
  readonly faults: readonly string[];
} {
  const { pathname, searchParams } = new URL(url, "http://service");
  for (const [pattern, methods] of Object.entries(description.paths)) {
    const operation = methods[method.toLowerCase()];
    const fits = new RegExp(`^${pattern.replace(/\{[^}]+\}/gu, "[^/]+")}$`, "u").test(pathname);
    if (!fits || operation === undefined) continue;
    const strange = [...searchParams.keys()].filter((name) => !queryOf(operation).includes(name));
    return { operation: operation.operationId, faults: [...strange, ...bodyFaults(operation, body)] };
  }
  return { operation: "none", faults: [`${method} ${pathname}`] };
}

function queryOf({ parameters = [] }: Operation): readonly (string | undefined)[] {
  return parameters
    .map((one) => (one.$ref === undefined ? one : description.components.parameters[one.$ref.split("/").at(-1) ?? ""]))
    .filter((one) => one?.in === "query")
    .map((one) => one?.name);
}

function bodyFaults({ requestBody }: Operation, body: string): readonly string[] {
  if (requestBody === undefined) return body === "" ? [] : ["a body"];
  const schema = JSON.stringify(requestBody.content["application/json"].schema);
  const validate = ajv.compile(JSON.parse(schema.replaceAll('"$ref":"#/', '"$ref":"service#/')));
  return validate(JSON.parse(body)) ? [] : [ajv.errorsText(validate.errors)];
}

test("every request of a plan, an apply and a drift is one that the description of the service knows", async () => {
  const file = "examples/acme.seed.yaml";
  const { seed } = readSeed(file, readFileSync(file));
  const server = await startReferenceServer({ port: 0, ...(seed === undefined ? {} : { seed }) });
  onTestFinished(() => server.close());
  const proxy = await faultProxy(server.endpoint, {}, onTestFinished);
  const state = `file:${emptyDirectory()}/log.jsonl`;
  const env = { ROSTER_ENDPOINT: proxy.endpoint, ROSTER_API_KEY: server.key, ROSTER_STATE: state };
  const cwd = resolve(".");
  await inside(["plan", "examples/acme"], { cwd, env });
  await inside(["apply", "--auto-approve", "examples/acme"], { cwd, env });
  await inside(["drift", "examples/acme"], { cwd, env });
  await inside(["doctor"], { cwd, env });
  const judged = proxy.passed.map(judge);
  expect(judged.flatMap(({ faults }) => faults)).toEqual([]);
  const described = Object.values(description.paths).flatMap((methods) => Object.values(methods));
  expect([...new Set(judged.map(({ operation }) => operation))].sort()).toEqual(
    described.map(({ operationId }) => operationId).sort(),
  );
});

test("a request that the description does not know is noticed", () => {
  const request = { method: "POST", url: "/api/accounting/users/search?pages=1", authorization: undefined, body: "[]" };
  expect(judge(request).faults.length).toBe(2);
  expect(judge({ ...request, url: "/api/accounting/people" }).operation).toBe("none");
});
