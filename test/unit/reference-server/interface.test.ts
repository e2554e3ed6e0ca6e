import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { expect, test } from "vitest";
import { readSeed } from "../../../src/reference-server/read-seed.ts";
import { emptyDirectory } from "../../support/command.ts";
import { inside } from "../../support/inside.ts";
import { routes } from "./described-answers.ts";
import { runningServer } from "./running-server.ts";

const concrete = routes.map((route) => ({ ...route, path: route.path.replace("{}", "acc-1") }));
const paging = ["page", "per-page", "sort-by", "direction"];

test.each(concrete)("$path refuses every other method with 405 than $method", async ({ path }) => {
  const server = await runningServer();
  const known = concrete.filter((one) => one.path === path).map((one) => one.method);
  for (const method of ["GET", "POST", "PUT", "PATCH", "DELETE"].filter(
    (one) => !known.some((other) => other === one),
  )) {
    const { status, headers } = await server.send(path, { method });
    expect([method, status, headers.get("allow")]).toEqual([method, 405, known.join(", ")]);
  }
});

test.each(concrete)(
  "$method $path refuses every query parameter that is not its own, and does nothing",
  async (route) => {
    const server = await runningServer();
    const before = { users: server.world.users, mails: server.outbox.length };
    const own = route.list === "none" ? [] : paging;
    const strangers = ["role", "email", "identifier", "search", "Page", "page[]", "page", "sort-by"];
    for (const name of strangers.filter((one) => !own.includes(one))) {
      const query = `?${own.length === 0 ? "" : "per-page=1&"}${encodeURIComponent(name)}=x`;
      const { body } = await server.call(route.method, route.path + query, route.method === "GET" ? undefined : {});
      const known = own.length === 0 ? "this route has none" : `this route has ${own.join(", ")}`;
      const message = `The query parameter "${name}" is not known: ${known}`;
      expect(body).toMatchObject({ statusCode: 400, message });
    }
    expect({ users: server.world.users, mails: server.outbox.length }).toEqual(before);
  },
);

const key = ["prefix", "status", "kind", "isDefault", "team.identifier", "team.name", "roles.identifier"];
const person = ["identifier", "email", "firstName", "lastName", "title", "externalIdentifier", "source", "status"];
test.each([
  ["accounts", ["identifier", "name", "status"]],
  ["users", [...person, ...key.map((field) => `accessKeys.${field}`)]],
  ["roles", ["identifier", "name", "description", "type"]],
])("the list of %s is sorted by these fields, and no others", async (list, fields) => {
  const server = await runningServer();
  const sorted = await server.call("GET", `/api/accounting/${list}?sort-by=${fields.join(",")}`);
  expect(sorted.status).toBe(200);
  const refused = await server.call("GET", `/api/accounting/${list}?sort-by=nothing`);
  const message = `The query parameter sort-by must name fields of this list (${fields.join(", ")}): "nothing"`;
  expect(refused.body).toMatchObject({ statusCode: 400, message });
});

test("the server refuses no request of a plan, an apply, a drift and a doctor, which use all eight routes", async () => {
  const file = "examples/acme.seed.yaml";
  const { seed } = readSeed(file, readFileSync(file));
  const server = await runningServer(seed === undefined ? {} : { seed });
  const state = `file:${emptyDirectory()}/log.jsonl`;
  const env = { ROSTER_ENDPOINT: server.endpoint, ROSTER_API_KEY: server.key, ROSTER_STATE: state };
  for (const command of ["plan examples/acme", "apply --auto-approve examples/acme", "drift examples/acme", "doctor"])
    await inside(command.split(" "), { cwd: resolve("."), env });
  const sent = (await (await fetch(`${server.endpoint}/reference/requests`)).json()) as readonly Sent[];
  expect(sent.filter(({ status }) => status >= 400)).toEqual([]);
  const isUsed = ({ method, path }: Pick<Sent, "method" | "path">) =>
    sent.some((one) => one.method === method && new RegExp(`^${path.replace("{}", "[^/]+")}$`, "u").test(one.path));
  expect(routes.filter((route) => !isUsed(route))).toEqual([]);
});

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly status: number;
}
