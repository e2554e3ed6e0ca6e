import { expect, onTestFinished, test } from "vitest";
import { insideScene } from "../support/inside-scene.ts";
import { writeRoster } from "../support/roster-directory.ts";
import { scriptedServer } from "../support/scripted-server.ts";

const roster = (note: string) => `version: 1
account: acc-1
users:
  - { email: ada@acme.example, firstName: Ada, lastName: Lovelace, owner: hr }
  - { email: bo@acme.example, firstName: Bo, lastName: Diaz }
teams:
  - name: Red
    owner: red-team
    admin: ada@acme.example
    roles: [DEVELOPER]
    members:
      - { user: ada@acme.example, note: ${note} }
  - name: Blue
    owner: blue-team
    admin: bo@acme.example
    roles: [DEVELOPER]
    members: [bo@acme.example]
`;

interface PlanDocument {
  readonly plan_id: string;
  readonly actions: readonly { readonly id: string; readonly ownership?: object }[];
}

interface Message {
  readonly owner?: string;
  readonly items: readonly { readonly subject: string; readonly ownership?: object }[];
}

test("an owner and a note go from the roster into the plan, the log, the webhook of a drift and the work left", async () => {
  const scene = await insideScene();
  const { server, cwd } = scene;
  await writeRoster(cwd, { "roster.yaml": roster("on call") });
  const plan = async () => JSON.parse((await scene.run(["plan", "--format", "json"])).stdout) as PlanDocument;

  const ofAda = { owner: "red-team", note: "on call" };
  const first = await plan();
  expect(first.actions.map(({ id, ownership }) => [id, ownership])).toEqual([
    ["create-user:ada@acme.example", ofAda],
    ["create-user:bo@acme.example", { owner: "blue-team" }],
    ["replace-roles:acc-1/red:ada@acme.example", ofAda],
    ["replace-roles:acc-1/blue:bo@acme.example", { owner: "blue-team" }],
  ]);

  // A saved plan is what was approved: another note does not make it stale.
  expect((await scene.run(["plan", "--out", "plan.json"])).code).toBe(0);
  await writeRoster(cwd, { "roster.yaml": roster("on call at night") });
  expect((await plan()).plan_id).toBe(first.plan_id);
  expect((await scene.run(["apply", "plan.json"])).code).toBe(0);
  const held = JSON.stringify(server.world.users);
  expect(held).toContain("ada@acme.example");
  expect(held).not.toMatch(/red-team|on call/u);

  const { stdout: csv } = await scene.run(["audit", "--format", "csv"]);
  const ends = csv
    .trimEnd()
    .split("\r\n")
    .map((line) => line.split(",").slice(-2).join(","));
  expect([...new Set(ends)].sort()).toEqual(["blue-team,", "owner,note", "red-team,on call"]);

  server.world.addUser({ email: "mal@acme.example", firstName: "Mal", lastName: "Ory" });
  for (const team of ["Red", "Blue"]) server.world.addMember(team, "mal@acme.example");
  const hook = await scriptedServer([{ status: 204, text: "" }]);
  onTestFinished(() => hook.close());
  const drift = await scene.run(["drift"], { env: { ROSTER_WEBHOOK: new URL("/hook", hook.endpoint).href } });
  expect(drift.code).toBe(9);
  const told = hook.seen.flatMap(({ body }) =>
    (body as Message).items.map(({ subject, ownership }) => [subject, ownership]),
  );
  expect(told.sort()).toEqual([
    ["member mal@acme.example of team acc-1/blue", { owner: "blue-team" }],
    ["member mal@acme.example of team acc-1/red", { owner: "red-team" }],
  ]);

  const { drift: known } = JSON.parse((await scene.run(["drift", "--format", "json"])).stdout) as {
    readonly drift: { readonly tasks: { readonly items: readonly object[] } };
  };
  expect(known.tasks.items).toMatchObject([{ owner: "red-team" }, { owner: "blue-team" }]);
});
