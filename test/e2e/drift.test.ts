import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { Ajv } from "ajv";
import { expect, onTestFinished, test } from "vitest";
import { startReferenceServer } from "../../src/reference-server/server.ts";
import { emptyDirectory, prompt } from "../support/command.ts";
import { inside } from "../support/inside.ts";
import { twoPeople } from "../support/inside-scene.ts";
import { writeRoster } from "../support/roster-directory.ts";

interface AcceptOffer {
  readonly code: string;
  readonly until: string;
}

interface DriftDocument {
  readonly exit_code: number;
  readonly drift: {
    readonly items: readonly { readonly class: string; readonly code: string; readonly accept?: AcceptOffer }[];
    readonly changes: number;
    readonly blocking: number;
  };
}

const isDocument = new Ajv({ strict: false }).compile(JSON.parse(readFileSync("schemas/plan.schema.json", "utf8")));

test("what others did is told once, accepted, told again when that is over, and repaired", async () => {
  const server = await startReferenceServer({ port: 0 });
  onTestFinished(() => server.close());
  const cwd = emptyDirectory(onTestFinished);
  await writeRoster(cwd, { "roster.yaml": twoPeople });
  const env = { ROSTER_ENDPOINT: server.endpoint, ROSTER_API_KEY: server.key, ...prompt };
  const run = (...args: readonly string[]) => inside(args, { cwd, env });
  const drift = async (...flags: readonly string[]) => {
    const { code, stdout } = await run("drift", "--format", "json", ...flags);
    const document = JSON.parse(stdout) as DriftDocument;
    expect([isDocument(document), document.exit_code]).toEqual([true, code]);
    const items = document.drift.items.filter(({ code: of }) => of !== "unmanaged");
    return { code, items, told: items.map((item) => `${item.class} ${item.code}`) };
  };

  expect((await run("apply", "--auto-approve")).code).toBe(0);
  const key = server.world.users.flatMap(({ accessKeys }) => accessKeys).find(({ team }) => team?.name === "Red");
  server.world.setKeyRoles(key?.prefix ?? "", ["AUDITOR", "DEVELOPER"]);
  server.world.addUser({ email: "mal@evil.example", firstName: "M", lastName: "M" });
  server.world.addProjectKey("mal@evil.example", ["ACCOUNT_ADMIN"]);

  const first = await drift("--only-new");
  const differences = ["unmanaged unmanaged-privilege", "tampered replace-roles"];
  expect([first.code, first.told]).toEqual([2, differences]);
  const second = await drift("--only-new");
  expect([second.code, second.told]).toEqual([0, []]);

  const entries = first.items.map(({ accept }) => ({ ...accept, reason: "incident 12" }));
  await writeRoster(cwd, { "accept.yaml": JSON.stringify({ version: 1, accept: entries }) });
  const quiet = await drift();
  expect([quiet.code, quiet.told]).toEqual([0, differences]);

  rmSync(join(cwd, "accept.yaml"));
  const repaired = await run("drift", "--repair", "tampered", "--auto-approve");
  expect([repaired.code, repaired.stdout.includes("Not repaired: 1 task.")]).toEqual([9, true]);
  const left = await drift();
  expect([left.code, left.told]).toEqual([9, ["unmanaged unmanaged-privilege"]]);
});
