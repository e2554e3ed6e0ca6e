import { expect } from "vitest";
import { parse } from "yaml";
import type { Failure } from "../../../src/model/failure.ts";
import type { Shapes } from "../../../src/service/decode/json.ts";
import type { AccountService } from "../../../src/service/port.ts";
import { plainText } from "../../support/plain-text.ts";
import type { Scripted } from "../../support/scripted-server.ts";
import { scriptedService } from "../../support/scripted-service.ts";
import { testTextCases } from "../../support/text-cases.ts";

const ada = { email: "ada@acme.example", firstName: "Ada", lastName: "Lovelace" };

type Told = Awaited<ReturnType<AccountService["createUser" | "addMembers" | "replaceRoles" | "listRoles"]>>;

/** The calls of `answers.txt`, and the request that each of them sends. */
const calls: Readonly<Record<string, readonly [request: string, call: (service: AccountService) => Promise<unknown>]>> =
  {
    create: ["POST /api/accounting/accounts/acc-1/users", (service) => service.createUser("acc-1", ada, undefined)],
    add: ["POST /api/accounting/teams/t-1/members", (service) => service.addMembers("t-1", ["u-1"])],
    replace: ["PUT /api/accounting/access-keys/k1/roles", (service) => service.replaceRoles("k1", ["R"])],
    search: ["POST /api/accounting/users/search", (service) => service.searchUsers(["a@b.example"], "search 1")],
    account: ["GET /api/accounting/accounts/acc-1", (service) => service.readAccount("acc-1")],
    found: [
      "POST /api/accounting/accounts/acc-1/users",
      (service) => service.createUser("acc-1", ada, { name: "Data", accessKeyRoles: ["A"] }),
    ],
    users: ["GET /api/accounting/users", (service) => service.listUsers()],
    accounts: ["GET /api/accounting/accounts", (service) => service.listAccounts()],
    roles: ["GET /api/accounting/roles", (service) => service.listRoles()],
  };

/** What a call tells of the answers to it, and how often it was sent. */
async function play(name: string, script: readonly Scripted[], shapes: Shapes): Promise<string> {
  const [request, call] = calls[name] ?? [];
  if (request === undefined || call === undefined) throw new Error(`there is no call ${name}`);
  const { server, service, clock } = await scriptedService(script, { shapes });
  const told = toldOf((await call(service)) as Told, request);
  const sent = server.seen.length;
  const isRead = !["create", "found", "add", "replace"].includes(name);
  expect(service.requests).toEqual({ reads: isRead ? sent : 0, writes: isRead ? 0 : sent });
  return (
    told + (sent === 1 && clock.waits.length === 0 ? "" : `, after ${sent} requests and ${plainText(clock.waits)} ms`)
  );
}

function toldOf(result: Told, request: string): string {
  if ("ok" in result)
    return result.ok ? `ok ${plainText(result.value)}` : `failed, ${failureText(result.error, request)}`;
  const { outcome, ...rest } = result;
  if (!("failure" in rest)) return `${outcome} ${plainText(rest.value)}`;
  const { failure, ...more } = rest;
  return [outcome, failureText(failure, request), ...(Object.keys(more).length === 0 ? [] : [plainText(more)])].join(
    ", ",
  );
}

/** A failure, without what its message says already. */
function failureText({ request, code, message, status, ...more }: Failure, expected: string): string {
  expect(request).toBe(expected);
  const rest = status === undefined || message.includes(`(${status}`) ? more : { status, ...more };
  const text = message.replaceAll(expected, "REQUEST");
  return `${code}: ${text}${Object.keys(rest).length === 0 ? "" : ` ${plainText(rest)}`}`;
}

/** After its title, a line names the calls that tell the same, the answers to them, and perhaps shapes of the settings. */
testTextCases(new URL("./answers.txt", import.meta.url), async (_, [names = "", answers = "[]", shapes = "{}"]) => {
  const told = new Set<string>();
  for (const name of names.split(" "))
    told.add(await play(name, parse(answers) as readonly Scripted[], parse(shapes) as Shapes));
  return [...told].join(" / ");
});
