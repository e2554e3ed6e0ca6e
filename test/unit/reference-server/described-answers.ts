import { readFileSync } from "node:fs";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { parse } from "yaml";

interface Operation {
  readonly operationId: string;
  readonly responses: Readonly<Record<string, Response>>;
}

interface Response {
  readonly $ref?: string;
  readonly content?: { readonly "application/json": { readonly schema: object } };
}

interface Description {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly responses: Readonly<Record<string, Response>> };
}

const description: Description = parse(readFileSync("schemas/account-service.openapi.yaml", "utf8"));
const ajv = new Ajv2020({ strict: false, allErrors: true });
ajv.addSchema({ $id: "service", components: description.components });
const compiled = new Map<string, ValidateFunction>();

/** Throws where an answer of one of the eight routes is not as the OpenAPI description says. */
export function expectDescribed(method: string, path: string, status: number, body: unknown): void {
  const operation = operationOf(method, path);
  if (operation === undefined) return;
  const validate = validatorOf(operation, status);
  if (validate(body)) return;
  throw new Error(`${operation.operationId} ${status}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(body)}`);
}

/** Every operation of the description, for tests that count. */
export const operations: readonly string[] = Object.values(description.paths).flatMap((methods) =>
  Object.values(methods).map((operation) => operation.operationId),
);

function operationOf(method: string, path: string): Operation | undefined {
  for (const [pattern, methods] of Object.entries(description.paths)) {
    const operation = methods[method.toLowerCase()];
    const fits = new RegExp(`^${pattern.replace(/\{[^}]+\}/g, "[^/]*")}$`).test(path);
    if (fits && operation !== undefined) return operation;
  }
  return undefined;
}

function validatorOf(operation: Operation, status: number): ValidateFunction {
  const name = `${operation.operationId} ${status}`;
  const known = compiled.get(name);
  if (known !== undefined) return known;
  const listed = operation.responses[String(status)];
  const response =
    listed?.$ref === undefined ? listed : description.components.responses[listed.$ref.split("/").at(-1) ?? ""];
  const schema = response?.content?.["application/json"].schema;
  if (schema === undefined) throw new Error(`${name} is not described`);
  const validate = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"service#/')));
  compiled.set(name, validate);
  return validate;
}
