import { Ajv } from "ajv";
import {
  boolean,
  extended,
  integer,
  type JsonSchema,
  list,
  literal,
  nullable,
  object,
  oneOf,
  optional,
  string,
} from "../../../src/model/declare.ts";
import { asItIs } from "../../support/schema-validators.ts";

const text = string();
const status = string({ minLength: 1 });
const account = { identifier: text, name: text, status };
const team = object({ identifier: text, name: text });
const roles = list(object({ identifier: text }));
const keyFields = { prefix: text, status, roles };
const key = object({
  ...keyFields,
  kind: oneOf("user", "team", "project"),
  team: nullable(team),
  isDefault: boolean(),
});
const user = object({
  identifier: text,
  email: text,
  firstName: text,
  lastName: text,
  title: nullable(text),
  externalIdentifier: nullable(text),
  source: nullable(text),
  status,
  accessKeys: list(key),
});
const member = object({
  identifier: text,
  email: text,
  accessKey: object({ ...keyFields, kind: literal("team"), team }),
});
const details = object({ ...account, users: list(object({ identifier: text, email: text, status })) });
const role = object({ identifier: text, name: text, description: text, type: oneOf("user", "system") });
const error = object({
  statusCode: integer(),
  status: text,
  message: text,
  reportErrorUrl: text,
});

const ofAll = [400, 401, 403, 405];
const ofBodies = [...ofAll, 413, 415];

const under = "/api/accounting";

function route(
  method: "GET" | "POST" | "PUT",
  path: string,
  success: number,
  answer: unknown,
  more: { readonly list?: "accounts" | "users" | "roles"; readonly refusals: readonly number[] },
) {
  return { method, path: `${under}/${path}`, success, answer, list: "none", ...more } as const;
}

/** What the routes answer without knobs: these fields and no others, and refusals of these statuses alone. */
export const routes = [
  route("GET", "accounts", 200, list(object(account)), { list: "accounts", refusals: ofAll }),
  route("GET", "accounts/{}", 200, details, { refusals: [...ofAll, 404] }),
  route("POST", "accounts/{}/users", 201, extended({ team: optional(team) }, user), {
    refusals: [...ofBodies, 404, 409],
  }),
  route("POST", "users/search", 200, list(user), { list: "users", refusals: ofBodies }),
  route("GET", "users", 200, list(user), { list: "users", refusals: ofAll }),
  route("POST", "teams/{}/members", 200, list(member), { refusals: [...ofBodies, 404, 409] }),
  route("GET", "roles", 200, list(role), { list: "roles", refusals: ofAll }),
  route("PUT", "access-keys/{}/roles", 200, roles, { refusals: [...ofBodies, 404] }),
];

const ajv = new Ajv({ allErrors: true, ...asItIs });
const isError = ajv.compile(error);
const answers = routes.map((route) => {
  const pattern = new RegExp(`^${route.path.replace("{}", "[^/]*")}$`, "u");
  return { ...route, pattern, isAnswer: ajv.compile(route.answer as JsonSchema) };
});

/** Throws where an answer of one of the eight routes has another shape. */
export function expectDescribed(method: string, path: string, status: number, body: unknown): void {
  const route = answers.find((one) => one.pattern.test(path) && (one.method === method || status === 405));
  if (route === undefined) return;
  if (status !== route.success && !route.refusals.includes(status))
    throw new Error(`${method} ${path} answered ${status}`);
  const validate = status === route.success ? route.isAnswer : isError;
  if (!validate(body))
    throw new Error(`${method} ${path} ${status}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(body)}`);
}
