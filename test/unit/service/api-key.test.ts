import { describe, expect, test } from "vitest";
import { problem, type Result, success } from "../../../src/model/result.ts";
import { ApiKey } from "../../../src/service/secrets.ts";
import type { Scripted, SeenRequest } from "../../support/scripted-server.ts";
import { scriptedService } from "../../support/scripted-service.ts";

const first = "first1.s3cretOfTheFirst";
const second = "second.s3cretOfTheSecond";
const third = "third1.s3cretOfTheThird";
const ada = { email: "ada@acme.example", firstName: "Ada", lastName: "Lovelace" };
const sentKey = ({ headers }: SeenRequest) => String(headers["authorization"]).replace("ApiKey ", "");
const refused: Scripted = { status: 401, json: { message: `The key ${first} and ${second} do not work` } };

interface Options {
  readonly answers: readonly Result<string, string>[];
  /** In place of the JSON of a refusal. */
  readonly refusal?: Scripted;
  readonly accepts: readonly string[];
}

/** A client whose first key may be asked for once more. */
function asking(ask: () => Promise<Result<string, string>>, script: Parameters<typeof scriptedService>[0]) {
  return scriptedService(script, { key: new ApiKey(first, { name: "apiKeyCommand", ask }) });
}

/** A service that accepts some keys, and a source that gives one key after the other. */
async function scene({ answers, refusal = refused, accepts }: Options) {
  let asked = 0;
  const ask = async () => {
    asked += 1;
    await new Promise((resolve) => setTimeout(resolve, 5));
    return answers[asked - 1] ?? problem("it is broken");
  };
  const told = await asking(ask, (request) => {
    if (!accepts.includes(sentKey(request))) return refusal;
    return request.method === "POST" && request.url.endsWith("/users") ? { status: 201, json: {} } : { json: [] };
  });
  return { ...told, keys: () => told.server.seen.map(sentKey), asked: () => asked };
}

function usersOf(page: number) {
  return Array.from({ length: 100 }, (_, at) => ({ email: `u${page}-${at}@x.example`, identifier: `u-${page}-${at}` }));
}

describe("a read whose key is refused", () => {
  test("is sent again with the next key, which names the service's caller from then on", async () => {
    const { service, keys, asked, lines } = await scene({ answers: [success(second)], accepts: [second] });
    expect(await service.listRoles()).toEqual({ ok: true, value: [] });
    await service.listRoles();
    expect([keys(), asked(), service.keyPrefix]).toEqual([[first, second, second], 1, "second"]);
    expect(lines).toContain("GET /api/accounting/roles was refused, and another key is in use now");
  });

  test("asks once for all that are under way", async () => {
    const { service, keys, asked } = await scene({ answers: [success(second)], accepts: [second] });
    const reads = await Promise.all([1, 2, 3, 4].map(() => service.listRoles()));
    expect(reads.every(({ ok }) => ok)).toBe(true);
    expect([keys().filter((key) => key === second).length, asked()]).toEqual([4, 1]);
  });

  test("asks again after the next key is refused, too", async () => {
    const answers = [success(second), success(third)];
    const { service, keys, asked } = await scene({ answers, accepts: [third] });
    expect(await service.listRoles()).toMatchObject({ ok: true });
    expect([keys(), asked()]).toEqual([[first, second, third], 2]);
  });

  test.each<[string, readonly Result<string, string>[], readonly string[], string]>([
    ["gives the same key", [success(first)], [first], "it returned a refused key"],
    ["goes back to a refused key", [success(second), success(first)], [first, second], "it returned a refused key"],
    [
      "fails",
      [problem("the apiKeyCommand vault returned no key: 2")],
      [first],
      "the apiKeyCommand vault returned no key: 2",
    ],
  ])("fails as before where the source %s", async (_name, answers, sent, why) => {
    const { service, keys, asked } = await scene({ answers, accepts: [] });
    expect(await service.listRoles()).toMatchObject({
      ok: false,
      error: {
        code: "unauthorized",
        message: "The service rejects the API key (401)",
        hint: `roster asked apiKeyCommand once more: ${why}. Use the complete key. The key and its account must be active in this service`,
      },
    });
    await service.listRoles();
    expect([keys(), asked()]).toEqual([[...sent, sent.at(-1)], answers.length]);
  });

  test("fails after three keys, where the source makes a new one each time", async () => {
    const answers = Array.from({ length: 20 }, (_, at) => success(`key${at}.s3cret`));
    const { service, keys, asked } = await scene({ answers, accepts: [] });
    const read = await service.listRoles();
    expect([read.ok ? "" : read.error.hint, keys(), asked()]).toEqual([
      "the service refused 3 keys for this call, one after the other. Use the complete key. The key and its account must be active in this service",
      [first, "key0.s3cret", "key1.s3cret"],
      2,
    ]);
  });

  test("fails where the key changes each time that a list is read", async () => {
    const used = new Map<string, number>();
    const ask = async () => success(`key${used.size}.s3cret`);
    const { service } = await asking(ask, (request) => {
      const key = sentKey(request);
      used.set(key, (used.get(key) ?? 0) + 1);
      const page = Number(new URL(request.url, "http://x").searchParams.get("page"));
      return used.get(key) === 1 ? { json: page > 1 ? [] : usersOf(page) } : refused;
    });
    expect(await service.listUsers()).toMatchObject({
      ok: false,
      error: { code: "unauthorized", message: "roster read one list 3 times, and the API key changed each time" },
    });
  });

  test("shows neither key, whatever the service says", async () => {
    const { service, lines } = await scene({ answers: [success(second), success(second)], accepts: [] });
    const told = JSON.stringify([await service.listRoles(), lines]);
    expect(told).toContain("[redacted]");
    expect(told).not.toMatch(/s3cret/u);
  });

  test("reads a list anew: another key may see other users", async () => {
    const users = Array.from({ length: 150 }, (_, at) => ({ email: `u${at}@x.example`, identifier: `u-${at}` }));
    const seen: string[] = [];
    const ask = async () => success(second);
    const { service } = await asking(ask, (request) => {
      const page = Number(new URL(request.url, "http://x").searchParams.get("page"));
      const key = sentKey(request).slice(0, 6);
      seen.push(`${key} ${page}`);
      if (key === "first1" && seen.length > 2) return refused;
      const shown = key === "first1" ? users.slice(0, 140) : users;
      return { json: shown.slice(Math.max(0, page - 1) * 100, Math.max(1, page) * 100) };
    });
    const list = await service.listUsers();
    expect(list.ok && [list.value.users.length, list.value.complete]).toEqual([150, { yes: true }]);
    expect(seen).toEqual(expect.arrayContaining(["second 0", "second 1", "second 2"]));
  });
});

describe("a write whose key is refused", () => {
  test("had no effect, and may be announced anew for the next key", async () => {
    const { service, keys, asked } = await scene({ answers: [success(second)], accepts: [second] });
    const create = () => service.createUser("acc-1", ada, undefined);
    expect(await create()).toMatchObject({
      outcome: "failed",
      failure: { code: "unauthorized" },
      sendAgain: "new-key",
    });
    expect(await create()).toMatchObject({ outcome: "done" });
    expect([keys(), asked()]).toEqual([[first, second], 1]);
  });

  test.each<[string, Scripted]>([
    [
      "is a web page, as of a login in between",
      { status: 401, headers: { "content-type": "text/html" }, text: "<html>" },
    ],
    ["asks to come back later", { status: 401, headers: { "retry-after": "3" }, json: {} }],
  ])("is not announced anew where the answer %s", async (_name, refusal) => {
    const { service, asked } = await scene({ answers: [success(second)], accepts: [second], refusal });
    const write = await service.createUser("acc-1", ada, undefined);
    expect([write.outcome, "sendAgain" in write, asked()]).toEqual([
      refusal === "hang" || "json" in (refusal as object) ? "unknown" : "failed",
      false,
      0,
    ]);
  });

  test("fails where there is no next key", async () => {
    const { service } = await scene({ answers: [success(first)], accepts: [] });
    const write = await service.replaceRoles("k1", ["R"]);
    expect([write.outcome, "sendAgain" in write]).toEqual(["failed", false]);
  });
});

test("a key that cannot be asked for once more is refused as it is", async () => {
  const { server, service } = await scriptedService([refused], { key: new ApiKey(first) });
  const read = await service.listRoles();
  expect(read.ok ? "" : read.error.hint).toBe(
    "Check ROSTER_API_KEY: it must be the whole key, not only its prefix. The key and its account must be active in this service",
  );
  expect(server.seen.length).toBe(1);
});
