import { describe, expect, onTestFinished, test } from "vitest";
import type { Knobs } from "../../src/reference-server/knobs/registry.ts";
import { type ReferenceServer, startReferenceServer } from "../../src/reference-server/server.ts";
import { emptyDirectory, roster } from "../support/command.ts";
import { type InsideResult, inside } from "../support/inside.ts";
import { insideScene } from "../support/inside-scene.ts";
import { closedEndpoint, type Scripted, scriptedServer } from "../support/scripted-server.ts";

async function reference(knobs: Partial<Knobs> = {}): Promise<ReferenceServer> {
  const users = Array.from({ length: 25 }, (_, at) => ({ email: `p${at}@x.example`, firstName: "P", lastName: "Q" }));
  const server = await startReferenceServer({ port: 0, seed: { users }, knobs });
  onTestFinished(() => server.close());
  return server;
}

function doctor(endpoint: string, key = "prefix1.s3cretpart", ...flags: readonly string[]): Promise<InsideResult> {
  const env = { ROSTER_ENDPOINT: endpoint, ROSTER_API_KEY: key };
  return inside(["doctor", ...flags], { cwd: emptyDirectory(), env });
}

interface Told {
  readonly command: string;
  readonly exit_code: number;
  readonly error: { readonly code: string } | null;
  readonly examination: {
    readonly checks: readonly {
      readonly check: string;
      readonly mark: string;
      readonly came: string;
      readonly means: string;
    }[];
    readonly capabilities: Readonly<Record<string, unknown>> | null;
  };
}

async function told(endpoint: string, key?: string, ...flags: readonly string[]) {
  const { stdout, code } = await doctor(endpoint, key, "--format", "json", ...flags);
  const document: Told = JSON.parse(stdout);
  expect([document.command, document.exit_code]).toEqual(["doctor", code]);
  const check = (name: string) => document.examination.checks.find((one) => one.check === name);
  return { code, document, check };
}

describe("roster doctor", () => {
  test("tells of a service how it answers, line by line, and writes nothing", async () => {
    const server = await reference({ maxPerPage: 10, total: "header" });
    const { stdout, code } = await doctor(server.endpoint, server.key);
    expect(code).toBe(0);
    for (const words of [
      "ok       base-address: GET ",
      "pages 0 and 1 are the same; at most 10 rows on a page",
      "doctor changed nothing.",
    ]) {
      expect(stdout).toContain(words);
    }
    expect(server.requests.filter(({ method, path }) => method !== "GET" && !path.endsWith("/search"))).toEqual([]);
    const { document } = await told(server.endpoint, server.key);
    expect(document.examination.capabilities).toEqual({
      keys_on_users: "shown",
      roles_on_keys: "shown",
      teams_on_keys: "shown",
      titles: "shown",
      totals: "shown",
      paging: { first_page: "0-and-1-alike", largest_page: 10 },
    });
  });

  test.each([
    ["that hides keys", { showKeys: "none" }, "keys-on-users", "notice"],
    ["that hides the roles of keys", { showKeyRoles: "none" }, "roles-on-keys", "notice"],
    ["that hides teams", { showTeams: "none" }, "teams-on-keys", "notice"],
    ["that ignores page numbers", { pageBase: "ignored", maxPerPage: 10 }, "users", "notice"],
    ["that searches fuzzily", { searchMatch: "fuzzy" }, "search", "ok"],
    ["that does not show users in an account", { accountDetails: "no-users" }, "account", "ok"],
  ] satisfies [string, Partial<Knobs>, string, string][])("explains a service %s", async (_name, knobs, name, mark) => {
    const server = await reference(knobs);
    const { code, check } = await told(server.endpoint, server.key);
    expect([code, check(name)?.mark]).toEqual([0, mark]);
  });

  test("names the shape that it does not read, and what to do", async () => {
    const server = await reference({ envelope: "unknown" });
    const { code, document, check } = await told(server.endpoint, server.key);
    expect([code, document.error?.code]).toEqual([1, "misunderstood"]);
    expect(check("shape")).toMatchObject({ mark: "problem", means: expect.stringContaining("`service.shapes`") });
    expect(check("shape")?.came).toContain("an object with the fields payload");
  });

  test("shows what the state of this service has learned of writes, and nothing of another one's", async () => {
    const { run, server } = await insideScene();
    await run(["apply", "--auto-approve"]);
    const examine = (endpoint: string) => run(["doctor", "--format", "json"], { env: { ROSTER_ENDPOINT: endpoint } });
    const here: Told = JSON.parse((await examine(server.endpoint)).stdout);
    const onWrites = (told: Told) =>
      told.examination.checks.filter(({ check }) => check === "consistency" || check === "member-names");
    expect(onWrites(here).map(({ came }) => came)).toEqual(["5 s (set in the settings)", "by their identifiers"]);
    const another = await reference();
    const there: Told = JSON.parse((await examine(another.endpoint)).stdout);
    expect(onWrites(there)).toEqual([]);
  });

  test("says whose key it is, and warns where a pull request holds that of an administrator", async () => {
    const seed = {
      users: [{ email: "ci@x.example", firstName: "C", lastName: "I" }],
      keys: [{ prefix: "plain1", secret: "s3cretpart", owner: "ci@x.example", roles: ["DEVELOPER"] }],
    };
    const server = await startReferenceServer({ port: 0, seed, knobs: { readers: "all" } });
    onTestFinished(() => server.close());
    const marks = async (key: string) => {
      const job = { GITLAB_CI: "true", CI_MERGE_REQUEST_IID: "7" };
      const env = { ROSTER_ENDPOINT: server.endpoint, ROSTER_API_KEY: key, ...job };
      const { stdout, code } = await inside(["doctor", "--format", "json"], { cwd: emptyDirectory(), env });
      const { checks }: Told["examination"] = JSON.parse(stdout).examination;
      const about = checks.filter(({ check }) => check === "key-owner" || check === "key-in-pull-request");
      return [code, ...about.map(({ check, mark, came }) => `${mark} ${check}: ${came}`)];
    };
    expect(await marks(server.key)).toEqual([
      0,
      "ok key-owner: root@reference.example, SYSTEM_OWNER",
      "notice key-in-pull-request: yes: SYSTEM_OWNER (CI_MERGE_REQUEST_IID=7)",
    ]);
    expect(await marks("plain1.s3cretpart")).toEqual([
      0,
      "ok key-owner: ci@x.example, DEVELOPER: no administrator role that roster knows",
      "ok key-in-pull-request: no (CI_MERGE_REQUEST_IID=7)",
    ]);
    server.setKnobs({ readers: "administrators" });
    expect((await marks("plain1.s3cretpart"))[0]).toBe(4);
  });

  test("with a key that is not accepted ends with 4", async () => {
    const server = await reference();
    const { code, check } = await told(server.endpoint, "unknown1.s3cretpart");
    expect([code, check("base-address")?.mark, check("key")?.mark]).toEqual([4, "ok", "problem"]);
  });

  test("where nobody listens ends with 1", async () => {
    const { code, check } = await told((await closedEndpoint()).href);
    expect([code, check("base-address")?.mark, check("users")]).toEqual([1, "problem", undefined]);
  });

  test.each([
    ["the path prefix that is not there", "/modzy", "", ""],
    ["the path prefix that is missing", "", "/modzy", undefined],
    ["an /api of the service's own", "", "/api", "/api/api"],
  ])("looks for the right address: %s", async (_name, configured, real, found) => {
    const answer = (url: string): Scripted =>
      url.startsWith(`${real}/api/accounting/roles`)
        ? { json: [{ identifier: "A" }] }
        : { status: 404, text: "<html>" };
    const server = await scriptedServer(({ url }) => answer(url));
    onTestFinished(() => server.close());
    const origin = server.endpoint.origin;
    const { code, check } = await told(`${origin}${configured}`);
    expect(code).toBe(1);
    const means = check("base-address")?.means;
    if (found === undefined) expect(means).toContain("No account service answers here");
    else expect(means).toBe(`Set the endpoint to ${origin}${found}. The service answers there.`);
  });

  test.each([["/api"], ["/api/"], ["/"]])("takes an endpoint that ends with %s", async (end) => {
    const server = await reference();
    const { code, check } = await told(`${server.endpoint}${end}`, server.key);
    expect([code, check("base-address")?.mark]).toEqual([0, "ok"]);
  });

  test("without a key or an endpoint ends with 3, and its document says why", async () => {
    const { stdout, code } = await roster(["doctor", "--format", "json"], { cwd: emptyDirectory() });
    expect([code, JSON.parse(stdout)]).toEqual([3, expect.objectContaining({ command: "doctor", exit_code: 3 })]);
  });

  test("tells no secret and no value of anybody but the one it searched for", async () => {
    const server = await reference();
    const { stdout, stderr } = await doctor(server.endpoint, server.key, "--debug");
    expect(`${stdout}${stderr}`).not.toContain(server.key.split(".")[1] ?? "?");
    expect(stdout).not.toContain("p7@x.example");
  });
});
