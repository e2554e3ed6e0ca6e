import { readdirSync, readFileSync } from "node:fs";
import { Ajv, type ValidateFunction } from "ajv";

export function schemaOf(name: string): { readonly definitions: object } {
  return JSON.parse(readFileSync(`schemas/${name}.schema.json`, "utf8"));
}

/** What a compiled schema judges here takes less time than to make its code shorter. */
export const asItIs = { code: { optimize: false } } as const;

const ajv = new Ajv({ strict: true, ...asItIs });
for (const file of readdirSync("schemas")) ajv.addSchema(schemaOf(file.replace(".schema.json", "")));

/** Whether a schema, or one definition of it, describes a value. Compiled once in a worker, when it is first asked for. */
export function validatorOf(name: string, definition?: string): ValidateFunction {
  const part = definition === undefined ? "" : `#/definitions/${definition}`;
  const validate = ajv.getSchema(`https://roster.example/schemas/${name}.schema.json${part}`);
  if (validate === undefined) throw new Error(`The schema ${name} has no ${definition}.`);
  return validate;
}
